"""Settings of `make lab`: opening and saving a notebook changes nothing that git would show."""

from wmtlib.study.running.clean_notebooks import clean_on_save

get_config().ContentsManager.pre_save_hook = clean_on_save  # noqa: F821 (Jupyter defines it)
