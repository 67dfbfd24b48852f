"""What the commands do. Whatever takes long to load is imported by the command that needs it."""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from wmtlib.yours.cli import inputs

if TYPE_CHECKING:
    from wmtlib.files.user_judgements import Judgements
    from wmtlib.yours.answers import Answer

ABOUT_FILES = (
    *("command", "run", "file", "kind", "task", "column", "outcome", "scale"),
    *("json", "out", "show_ids"),
)


def run_answer(options: argparse.Namespace) -> int:
    """The commands for a user's own file: read, find the answer, show it."""
    if options.task == inputs.ALL:
        return run_every_task(options)
    from wmtlib.yours.cli import terminal

    if options.out or options.json:
        from wmtlib.yours.cli import answer_folder

    settings = {k: v for k, v in vars(options).items() if k not in ABOUT_FILES}
    printer = terminal.Printer()
    with terminal.ProgressLine() as progress:
        if options.out:
            answer_folder.require_writable(options.out)
        progress(f"reading {options.file}")
        (judgements,) = _judgements(options)
        if options.command == "rank" and not (options.out or options.json):

            def early(answer: "Answer") -> None:
                progress.stop()
                printer.show(answer, last=False)

            settings["early"] = early
        answer = _find(options.command)(judgements, progress=progress, **settings)
        answer = answer.with_identifiers() if options.show_ids else answer
        if options.out:
            progress("drawing")
            page, remark = answer_folder.write_answer(answer, options.out)
    if options.json:
        print(answer_folder.as_json(answer))
    else:
        printer.show(answer, last=True)
    if options.out:
        print(f"Written: {page}" + f"\nWarning: {remark}" * bool(remark), file=sys.stderr)
    return 0


def _find(command: str) -> Callable[..., "Answer"]:
    """The function that finds the answer; the methods take seconds to load."""
    if command == "rank":
        from wmtlib.yours.ranking_answer import answer_ranking

        return answer_ranking
    if command == "judges":
        from wmtlib.yours.judges_answer import answer_judges

        return answer_judges
    if command == "stability":
        from wmtlib.yours.stability_answer import answer_stability

        return answer_stability
    from wmtlib.yours.model_answer import answer_models

    return answer_models


def run_every_task(options: argparse.Namespace) -> int:
    """The same with `--task all`: an answer for each task, and a line on each at the end."""
    from wmtlib.errors import DataError
    from wmtlib.yours.cli import answer_folder, terminal

    if options.out:
        answer_folder.require_writable(options.out)
    settings = {k: v for k, v in vars(options).items() if k not in ABOUT_FILES}
    documents, summary = [], []
    with terminal.ProgressLine() as progress:
        for number, judgements in enumerate(_judgements(options), start=1):
            progress(f"task {judgements.task}")
            try:
                answer = _find(options.command)(judgements, progress=progress, **settings)
            except DataError as error:
                summary.append(f"{judgements.task}: {error}")
                continue
            answer = answer.with_identifiers() if options.show_ids else answer
            documents.append(answer)
            if options.out:
                name = re.sub("[^a-zA-Z0-9]+", "-", judgements.task)
                answer_folder.write_answer(answer, options.out / f"{number:02d}-{name}")
            found = answer.sections[0].text.partition(". ")[0]
            summary.append(f"{judgements.task}: {answer.title}. {found}.")
    if not documents:
        raise DataError(summary[0])
    if options.json:
        print(f"[{', '.join(map(answer_folder.as_json, documents))}]")
        return 0
    for answer in documents:
        terminal.show(answer)
        print()
    print("Summary of all tasks", *summary, sep="\n")
    if options.out:
        print(f"Written: a folder for each task in {options.out}", file=sys.stderr)
    return 0


def _judgements(options: argparse.Namespace) -> list["Judgements"]:
    """The judgements, or those of every task."""
    # Leaving out needs pairs of systems only; counted by pair, a large file is small.
    by_unit = options.command != "stability" or bool(options.method_names)
    return inputs.read_judgements(options, by_unit=by_unit)


def run_campaigns(options: argparse.Namespace) -> int:
    """`wmtlib campaigns`: what can be ranked without a file."""
    from wmtlib.files import campaigns

    table = campaigns.available()
    widths = [table[column].str.len().max() for column in ("name", "kind")]
    for name, kind, data in table.itertuples(index=False):
        print(f"{name:{widths[0]}}  {kind:{widths[1]}}  {data}")
    print("\nwmtlib rank NAME ranks one; the others of WMT17-22 need the raw files ($WMTLIB_DATA).")
    return 0


def run_study(options: argparse.Namespace) -> int:
    """`make reproduce`, `make check` and `make report`."""
    _require_checkout()
    from wmtlib.study import runner  # the notebook tools take a second to load
    from wmtlib.study.releases import assessment_catalogue, sources

    source = sources.resolve(options.source, assessment_catalogue.all_campaigns())
    if options.command == "report":
        print(runner.build_report(source))
        return 0
    run = runner.check_scoreboard if options.command == "check" else runner.reproduce
    return run(source, options.jobs)


def _require_checkout() -> None:
    """Refuse a command that works on the repository where only the package is installed."""
    from wmtlib.errors import DataError
    from wmtlib.study.releases import sources

    if not (sources.ROOT / "notebooks" / "01-data.ipynb").is_file():
        raise DataError("this command needs a checkout of the repository; run it there, by make")


def run_notebook(options: argparse.Namespace) -> int:
    """`make rank`: run the notebook, and open its page if there is a terminal to open it from."""
    import webbrowser

    _require_checkout()
    from wmtlib.study import runner
    from wmtlib.study.releases import sources

    print(f"Running notebooks/40-your-data.ipynb on {options.file}", flush=True)
    folder = sources.ROOT / "build" / "rank"
    page = runner.rank_file(Path(options.file), options.kind, options.task, folder)
    print(f"Page:      {page}\nNotebook:  {folder / 'your-data.ipynb'}")
    if sys.stdout.isatty():
        webbrowser.open(page.as_uri())
    return 0


def run_data(options: argparse.Namespace) -> int:
    """`make data`; with --from, put an archive of single judgements in place."""
    from wmtlib.study.releases import assessment_catalogue, ranking_releases, sources

    if options.archive is not None:
        campaign, sha256 = assessment_catalogue.unpack_archive(options.archive)
        print(f"{campaign}: unpacked; SHA-256 {sha256}")
        return 0
    _require_checkout()
    for path in ranking_releases.write_embedded(options.source):
        print(path.relative_to(sources.ROOT))
    return 0
