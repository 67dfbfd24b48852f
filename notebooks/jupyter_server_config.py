"""Settings of `make lab`: opening and saving a notebook changes nothing git shows."""

from study.run.runner import clean_on_save

get_config().ContentsManager.pre_save_hook = clean_on_save  # noqa: F821 (of Jupyter)
