"""What the commands do. Whatever takes long to load is imported by the command that needs it."""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wmtlib.analysis.answers import Answer
    from wmtlib.files.user_judgements import Judgements

ABOUT_FILES = ("command", "run", "file", "kind", "task", "column", "json", "out")
CAMPAIGN = re.compile(r"([a-z][\w+-]*):([a-z]{2,3}-[a-z]{2,3})")  # and a language pair


def run_answer(options: argparse.Namespace) -> int:
    """`wmtlib rank`, `wmtlib stability` and `wmtlib compare`: read, find the answer, show it."""
    from wmtlib.cli import terminal

    if options.out or options.json:
        from wmtlib.cli import answer_folder

    settings = {k: v for k, v in vars(options).items() if k not in ABOUT_FILES}
    with terminal.working() as progress:
        if options.out:
            answer_folder.require_writable(options.out)
        progress(f"reading {options.file}")
        judgements = _judgements(options)
        answer = _find(options.command)(judgements, progress=progress, **settings)
        if options.out:
            progress("drawing")
            page = answer_folder.write_answer(answer, options.out)
    if options.json:
        print(answer_folder.as_json(answer))
    else:
        terminal.show(answer)
    if options.out:
        print(f"Written: {page}", file=sys.stderr)
    return 0


def _find(command: str) -> Callable[..., "Answer"]:
    """The function that finds the answer; the methods take seconds to load."""
    if command == "rank":
        from wmtlib.analysis.ranking_answer import answer_ranking

        return answer_ranking
    if command == "stability":
        from wmtlib.analysis.stability_answer import answer_stability

        return answer_stability
    from wmtlib.analysis.model_answer import answer_models

    return answer_models


def _judgements(options: argparse.Namespace) -> "Judgements":
    """The judgements of a file, or of a campaign of the package."""
    from wmtlib.files import direct_assessment_files, reader
    from wmtlib.judgements.errors import DataError

    campaign = CAMPAIGN.fullmatch(options.file)
    if campaign and not Path(options.file).exists():
        if options.kind not in (None, "assessments") or options.task or options.column:
            raise DataError(f"{options.file}: --kind, --task and --column are for files")
        return direct_assessment_files.load_campaign(*campaign.groups())
    if odd := [pair for pair in options.column if "=" not in pair]:
        raise DataError(f"--column {odd[0]!r}: expected ROLE=NAME, such as a=left")
    pairs = (pair.partition("=") for pair in options.column)
    columns = {role: name or None for role, _, name in pairs}  # an empty name: ignore the role
    # The usual methods know pairs of systems only; counted by pair, a large file is small.
    usual = options.command != "compare" and not options.method_names
    by_unit = not usual or bool(getattr(options, "n_resamples", 0))
    return reader.read(
        options.file, kind=options.kind, columns=columns, task=options.task, by_unit=by_unit
    )


def run_study(options: argparse.Namespace) -> int:
    """`make reproduce`, `make check` and `make report`."""
    _require_checkout()
    from wmtlib.releases import assessment_catalogue, sources
    from wmtlib.study import runner  # the notebook tools take a second to load

    source = sources.resolve(options.source, assessment_catalogue.all_campaigns())
    if options.command == "report":
        print(runner.build_report(source))
        return 0
    run = runner.check_scoreboard if options.command == "check" else runner.reproduce
    return run(source, options.jobs)


def _require_checkout() -> None:
    """Refuse a command that works on the repository where only the package is installed."""
    from wmtlib.judgements.errors import DataError
    from wmtlib.releases import sources

    if not (sources.ROOT / "notebooks" / "01-data.ipynb").is_file():
        raise DataError("this command needs a checkout of the repository; run it there, by make")


def run_notebook(options: argparse.Namespace) -> int:
    """`make rank`: run the notebook, and open its page if there is a terminal to open it from."""
    import webbrowser

    _require_checkout()
    from wmtlib.releases import sources
    from wmtlib.study import runner

    print(f"Running notebooks/40-your-data.ipynb on {options.file}", flush=True)
    folder = sources.ROOT / "build" / "rank"
    page = runner.rank_file(Path(options.file), options.kind, options.task, folder)
    print(f"Page:      {page}\nNotebook:  {folder / 'your-data.ipynb'}")
    if sys.stdout.isatty():
        webbrowser.open(page.as_uri())
    return 0


def run_data(options: argparse.Namespace) -> int:
    """`make data`; with --from, put an archive of single judgements in place."""
    from wmtlib.releases import archives, ranking_releases, sources

    if options.archive is not None:
        archive = archives.unpack(options.archive)
        print(f"{archive.campaign}: unpacked; SHA-256 {archive.sha256}")
        return 0
    _require_checkout()
    for path in ranking_releases.write_embedded(options.source):
        print(path.relative_to(sources.ROOT))
    return 0
