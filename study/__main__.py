"""The commands of the study, which need a checkout: `python -m study COMMAND`."""

import argparse
import subprocess
import sys
from pathlib import Path

from study.data.sources import ROOT
from wmtlib import cli
from wmtlib.errors import DataError

NOTEBOOK = ROOT / "notebooks" / "40-your-data.ipynb"


def run_data(options: argparse.Namespace) -> None:
    """Write the embedded tables, put an archive in place, or download (`make data`)."""
    from study.data import assessment_catalogue, ranking_releases, sources

    if options.mirror is not None:
        number = sources.write_mirror(options.mirror)
        print(f"{number} files; use them with WMTLIB_DATA={options.mirror.absolute()}")
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
        "type": "folder",
        "metavar": "FOLDER",
        "help": "download every public file into a folder for $WMTLIB_DATA instead",
    },
}


def run_notebook(options: argparse.Namespace) -> None:
    """Run 40-your-data on a file, and open its page on a terminal (`make rank`).

    Raises
    ------
    DataError
        What the notebook refuses, in its own words.
    """
    from study.run import page

    print(f"Running notebooks/40-your-data.ipynb on {options.file}", flush=True)
    folder = page.new_folder("rank/page")
    notebook = folder / "your-data.ipynb"
    line = [sys.executable, "-m", "study.run.papermill", "--no-progress-bar"]
    line += ["--cwd", str(NOTEBOOK.parent), str(NOTEBOOK), str(notebook)]
    values = {
        "path": Path(options.file).absolute(),
        "kind": options.kind or "",
        "task": options.task or "",
        "out": folder,
    }
    for name, value in values.items():
        line += ["--parameters_raw", name, str(value)]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        reason = done.stderr.splitlines()[-1]
        raise DataError(reason.rpartition("DataError: ")[2])
    print(f"Notebook:  {notebook}")
    page.show_page(folder / "index.html")


COMMANDS = {
    "notebook": (run_notebook, "run 40-your-data on a file", cli.TASK),
    "data": (run_data, "write the embedded tables from the raw files", DATA_OPTIONS),
}

if __name__ == "__main__":
    sys.exit(cli.main(commands=COMMANDS))
