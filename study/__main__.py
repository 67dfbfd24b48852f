"""The commands of the study, which need a checkout: `python -m study COMMAND`.

Those of the library that answer a question load campaigns from raw files here.
"""

import argparse
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from study.data.sources import ROOT
from wmtlib import cli
from wmtlib.core.errors import DataError, Question
from wmtlib.files.read import read_tasks
from wmtlib.report.analysis import with_reference

if TYPE_CHECKING:
    from wmtlib.files.judgements import Judgements

PROGRAM = "python -m study"

NOTEBOOK = ROOT / "notebooks" / "40-your-data.ipynb"


def run_data(options: argparse.Namespace) -> None:
    """Write the embedded tables, put an archive in place, or download (`make data`)."""
    from study.data import assessment_catalogue, ranking_releases, sources

    if options.mirror is not None:
        folder = Path(options.mirror).absolute()
        number = sources.write_mirror(folder)
        print(f"{number} files; use them with WMTLIB_DATA={folder}")
        return
    if options.archive is not None:
        campaign, sha256 = assessment_catalogue.unpack_archive(options.archive)
        print(f"{campaign}: unpacked; SHA-256 {sha256}")
        return
    for path in ranking_releases.write_embedded(options.source):
        print(path.relative_to(ROOT))


DATA_OPTIONS = {
    "--source": {"default": "auto", "help": "auto, mirror, download or embedded"},
    "--from": {
        "dest": "archive",
        "metavar": "ARCHIVE",
        "help": "put a WMT18, WMT19 or WMT20 release that you have in place instead",
    },
    "--mirror": {
        "metavar": "FOLDER",
        "help": "download every public file into a folder for $WMTLIB_DATA instead",
    },
}


WORDS = {
    "file": {"help": "rank these judgements"},
    "text": {"nargs": "?", "default": "", "help": "such as 'scale=5,1 ignore=note'"},
}
# Options of `wmtlib rank` that are parameters of the notebook, too.
ASKED = ("method", "reference", "seed", "unit")


def run_notebook(options: argparse.Namespace) -> None:
    """Run 40-your-data on a file, and open its page on a terminal (`make rank`).

    Raises
    ------
    DataError
        What the file does not declare, with the call of make to copy; or what cannot be
        read, or ranked.
    """
    from study.run import page

    values = parameters_of(options.file, options.text)
    print(f"Running notebooks/40-your-data.ipynb on {options.file}", flush=True)
    folder = page.new_folder("rank/page")
    html = folder / "index.html"
    parameters = folder / "parameters.yml"
    parameters.write_text(yaml.safe_dump({**values, "html": str(html)}), "utf-8")
    notebook = folder / "your-data.ipynb"
    line = [sys.executable, "-m", "study.run.papermill", "--no-progress-bar"]
    line += ["--cwd", str(NOTEBOOK.parent), "--parameters_file", str(parameters)]
    line += [str(NOTEBOOK), str(notebook)]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        reason = done.stderr.splitlines()[-1]
        raise DataError(reason.rpartition("DataError: ")[2])
    print(f"Notebook:  {notebook}")
    page.show_page(html)


def parameters_of(file: str, text: str) -> dict[str, Any]:
    """Read a file, and return the parameters with which the notebook reads it.

    Parameters
    ----------
    file : str
    text : str
        Words NAME=VALUE, with the quotes of a shell: each is `--NAME VALUE` of
        `wmtlib rank`.

    Raises
    ------
    DataError
        What cannot be read, what is asked about, or a word of another form.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise DataError(f"P={text}: {error}") from None
    for word in words:
        if "=" not in word:
            raise DataError(f"P={text}: expected NAME=VALUE, not {word!r}")
    options_of_rank = cli.options_for("rank")
    ranking = options_of_rank["how it is ranked"]
    groups = {
        "what is read": options_of_rank["what is read"],
        "how it is ranked": {f"--{name}": ranking[f"--{name}"] for name in ASKED},
    }
    parser = cli.parser({"rank": (None, "", groups)})
    line = ["rank", *(f"--{word}" for word in words), "--", file]
    options = parser.parse_args(line)
    reading = cli.reading_of(options)
    try:
        (judgements,) = read_tasks(file, [options.task], **reading)
    except Question as question:
        raise DataError(question.by_make(file, text)) from None
    given = vars(options)
    asked = {name: given[name] for name in ASKED if name in given}
    with_reference(judgements, asked.get("reference"))
    if "method" in asked:
        asked["methods"] = asked.pop("method")
    values = {
        "path": str(Path(file).absolute()),
        "task": options.task or "",
        **reading,
        **asked,
    }
    return {k: [*v] if isinstance(v, tuple) else v for k, v in values.items()}


def load_campaign(name: str) -> "Judgements":
    """Load the judgements of a campaign's task from raw files."""
    from study import campaigns  # it loads all readers of releases

    return campaigns.load_judgements(name)


def list_campaigns(_options: argparse.Namespace) -> None:
    """List every campaign and task that can be loaded here."""
    from study import campaigns
    from wmtlib.report.show import printed

    print(printed(campaigns.available()))
    print(f"\n{PROGRAM} rank NAME ranks one.")


answer_question = partial(
    cli.answer_question, load=partial(cli.read_judgements, load_campaign=load_campaign)
)
QUESTIONS = {
    name: (answer_question, about, cli.options_for(name))
    for name, about in cli.QUESTIONS.items()
}
COMMANDS = {
    **QUESTIONS,
    "campaigns": (
        list_campaigns,
        "list the campaigns whose judgements are at hand",
        {},
    ),
    "notebook": (run_notebook, "run 40-your-data on a file", {"arguments": WORDS}),
    "data": (
        run_data,
        "write the embedded tables from the raw files",
        {"options": DATA_OPTIONS},
    ),
}

if __name__ == "__main__":
    sys.exit(cli.main(commands=COMMANDS, program=PROGRAM))
