"""The command line: what people ask of their own files, and what the Makefile calls.

Whatever takes long to load is imported by the command that needs it.
"""

import argparse
import hashlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from wmtlib import __version__

ROUTES = ("mirror", "download", "embedded")  # `sources.ROUTES`
RELEASE = re.compile(r"([a-z][\w+-]*):([a-z]{2,3}-[a-z]{2,3})")  # a campaign and a language pair
KINDS = """\
kinds of file, recognised by the header:
  rankings     the WMT ranking format, or columns ranking, system, rank
  pairwise     two systems and an outcome: a, b, tie; 1, 2, 0; >, <, =; or model_a, model_b, winner
  assessments  columns worker, system, segment, score (0-100), or a released WMT file
formats: CSV, TSV, JSON lines, Parquet, plain or gzipped; a folder of Parquet files
"""
CAMPAIGNS = """\
instead of a file: CAMPAIGN:PAIR, such as wmt22:de-en or simulated-sr-dc:qa-qb, direct assessments
  of the package; WMT's need the raw files ($WMTLIB_DATA)
"""
METHODS = """\
methods for rankings and pairwise comparisons (by default the first three):
  expected-wins bradley-terry mfas wmt-official heuristic2 bojar net-wins soccer rao-kupper
  bradley-terry-half trueskill irt-gaussian irt-categorical
methods for assessments (by default both): z-score raw-score
"""
MODELS = """\
models, by default all but the variants (the IRT ones for at most 20,000 comparisons):
  Uniform, Adjusted Uniform, Independent Pairs, Asymmetric Students, Arithmetic Students,
  Geometric Students, IRT-Gaussian, IRT-Categorical, Bradley-Terry (Davidson),
  Bradley-Terry (Rao-Kupper), TrueSkill, Lopez Eq. 1, Lopez Eq. 2, Lopez Eq. 3, Expected Wins,
  MFAS Order
variants: Geometric Students (as printed), IRT-Gaussian (segments unknown)
"""


class Misuse(Exception):
    """Options that make no command; one line."""


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        raise Misuse(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input gets one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(arguments)
    except Misuse as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    from wmtlib.judgements.errors import DataError

    try:
        code = options.run(options)
        sys.stdout.flush()
    except DataError as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = Parser(prog="wmtlib", description=__doc__.partition("\n")[0])
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    subcommands = top.add_subparsers(required=True, dest="command", metavar="command")

    about = "rank the systems of a file, and say how sure that is"
    rank = _of_file(subcommands, "rank", about, KINDS + CAMPAIGNS + METHODS)
    _ranking(rank)
    rank.add_argument(
        "--bootstrap",
        type=_whole,
        default=0,
        metavar="N",
        help="rank N resamples by the first method, too",
    )
    rank.add_argument(
        "--unit",
        choices=("comparison", "judge", "segment", "ranking", "worker", "hit"),
        help="what is resampled; by default judge or worker if the file tells them apart",
    )
    rank.add_argument(
        "--correction",
        default="benjamini-hochberg",
        choices=("benjamini-hochberg", "holm", "none"),
        help="of the significance tests, for their number",
    )
    rank.set_defaults(run=run_rank)

    about = "leave out each system: would the others stand otherwise?"
    stability = _of_file(subcommands, "stability", about, KINDS + CAMPAIGNS + METHODS)
    _ranking(stability, "; expected-wins or z-score by default")
    stability.set_defaults(run=run_stability)

    about = "which preference model predicts the judgements of a file best?"
    compare = _of_file(
        subcommands, "compare", about, KINDS + "compare takes no assessments\n" + MODELS
    )
    compare.add_argument(
        "--model", action="append", default=[], help="one of those below; repeatable"
    )
    compare.add_argument(
        "--reference",
        help="a system, such as a human reference, to leave out altogether; otherwise it counts",
    )
    compare.add_argument(
        "--unit",
        default="comparison",
        choices=("comparison", "judge", "segment", "ranking"),
        help="what is held out as a whole",
    )
    compare.add_argument("--folds", type=_whole, default=5)
    compare.add_argument("--repeats", type=_whole, default=1)
    compare.set_defaults(run=run_compare)

    notebook = subcommands.add_parser("notebook", help="run 40-your-data on a file (make rank)")
    notebook.add_argument("file", help="judgements, as for rank")
    notebook.add_argument("--kind", default="", help="of the judgements, if it is not to be found")
    notebook.add_argument("--task", default="", help="one of the file's tasks")
    notebook.set_defaults(run=run_notebook)

    for name, run, about in [
        ("reproduce", run_study, "run every notebook; write results, figures and the report"),
        ("check", run_study, "recompute the scoreboard alone"),
        ("report", run_study, "rebuild the report from the executed notebooks"),
        ("data", run_data, "write the embedded tables from the raw files"),
    ]:
        command = subcommands.add_parser(name, help=about)
        command.add_argument("--source", default="auto", choices=("auto", *ROUTES))
        command.add_argument("--jobs", type=int, default=0, help="at a time; 0 means all cores")
        if name == "data":
            command.add_argument(
                "--from",
                dest="archive",
                metavar="ARCHIVE",
                help="unpack the archive of WMT18, WMT19 or WMT20 that you have instead",
            )
        command.set_defaults(run=run)
    return top


def _of_file(subcommands, name: str, about: str, epilog: str) -> argparse.ArgumentParser:
    """A command for a user's own file, with the options that all of them have."""
    command = subcommands.add_parser(
        name, help=about, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("file", help="judgements; see below")
    command.add_argument("--kind", choices=("rankings", "pairwise", "assessments"))
    command.add_argument("--task", help='one of the file\'s tasks, such as "French,English"')
    command.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="what a column is called, such as a=left or outcome=verdict; repeatable",
    )
    command.add_argument("--seed", type=_whole, default=0, help="of what is drawn at random")
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="write tables, figures and a page to mail, too"
    )
    return command


def _ranking(command: argparse.ArgumentParser, default: str = "") -> None:
    """Options of the commands that rank."""
    command.add_argument(
        "--method",
        action="append",
        default=[],
        help=f"one of those below, or all; repeatable{default}",
    )
    command.add_argument(
        "--reference", help="human reference among the systems, not to be ranked; '' for none"
    )
    command.add_argument(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="for mfas: stop proving after so long, and say what is not proven",
    )


def _whole(text: str) -> int:
    """A whole number that is not negative."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to 999999999")
    return int(text)


def _seconds(text: str) -> float:
    """A number of seconds."""
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return found


def _columns(pairs: Sequence[str]) -> dict[str, str | None]:
    """Roles and names of columns, from ROLE=NAME; an empty name means: ignore it."""
    from wmtlib.judgements.errors import DataError

    if odd := [pair for pair in pairs if "=" not in pair]:
        raise DataError(f"--column {odd[0]!r}: expected ROLE=NAME, such as a=left")
    return {role: name or None for role, _, name in (pair.partition("=") for pair in pairs)}


def _judgements(options: argparse.Namespace):
    """What is to be analysed, from a file or from a campaign of the package."""
    from wmtlib.files import reader
    from wmtlib.judgements.errors import DataError

    named = RELEASE.fullmatch(options.file)
    if named and not os.path.exists(options.file):
        if options.kind not in (None, "assessments") or options.task or options.column:
            raise DataError(f"{options.file}: --kind, --task and --column are for files")
        return _release(*named.groups())
    columns = _columns(options.column)
    try:
        return reader.read(options.file, kind=options.kind, columns=columns, task=options.task)
    except DataError as error:
        name = Path(options.file).name
        if "stnd" in name and "score is" in str(error):
            advice = f"{name} seems to hold z-scores: give its campaign instead, as in wmt22:de-en"
            raise DataError(f"{error} ({advice})") from None
        raise


def _release(campaign: str, pair: str):
    """The direct assessments of a campaign that the package loads."""
    from wmtlib.files import column_roles, reader
    from wmtlib.judgements.direct_assessments import system_names
    from wmtlib.releases import assessment_releases

    frame = assessment_releases.load_assessments(campaign, pair)
    told = [unit for unit in column_roles.UNITS["assessments"] if (frame[unit] != "").all()]
    return reader.Judgements(
        path=f"{campaign}:{pair}",
        kind="assessments",
        rows=len(frame),
        systems=tuple(system_names(frame["system"].cat.categories)),
        units=tuple(told),
        task=pair,
        sha256=hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest(),
        assessments=frame,
    )


def _answer(options: argparse.Namespace, find: Callable) -> int:
    """Read the file, find the answer, show it."""
    from wmtlib.analysis import answers
    from wmtlib.cli import present  # the engines take a second to load

    with present.working() as progress:
        if options.out:
            present.require_writable(options.out)
        progress(f"reading {options.file}")
        answer = find(answers, _judgements(options), progress)
        if options.out:
            progress("drawing")
            page = present.write(answer, options.out)
    if options.json:
        print(present.as_json(answer))
    else:
        present.show(answer)
    if options.out:
        print(f"Written: {page}", file=sys.stderr)
    return 0


def run_rank(options: argparse.Namespace) -> int:
    """`wmtlib rank`."""
    return _answer(
        options,
        lambda answers, judgements, progress: answers.rank(
            judgements,
            options.method,
            reference=options.reference,
            bootstrap=options.bootstrap,
            unit=options.unit,
            correction=options.correction,
            time_limit=options.time_limit,
            seed=options.seed,
            progress=progress,
        ),
    )


def run_stability(options: argparse.Namespace) -> int:
    """`wmtlib stability`."""
    return _answer(
        options,
        lambda answers, judgements, progress: answers.stability(
            judgements,
            options.method,
            reference=options.reference,
            time_limit=options.time_limit,
            seed=options.seed,
            progress=progress,
        ),
    )


def run_compare(options: argparse.Namespace) -> int:
    """`wmtlib compare`."""
    return _answer(
        options,
        lambda answers, judgements, progress: answers.compare(
            judgements,
            options.model,
            reference=options.reference,
            unit=options.unit,
            folds=options.folds,
            repeats=options.repeats,
            seed=options.seed,
            progress=progress,
        ),
    )


def _require_checkout() -> None:
    """Refuse a command that works on the repository where only the package is installed."""
    from wmtlib.judgements.errors import DataError
    from wmtlib.releases import sources

    if not (sources.ROOT / "notebooks" / "00-data.ipynb").is_file():
        raise DataError("this command needs a checkout of the repository; run it there, by make")


def run_study(options: argparse.Namespace) -> int:
    """`make reproduce`, `make check` and `make report`."""
    _require_checkout()
    from wmtlib.releases import assessment_releases, sources
    from wmtlib.study import runner  # the notebook tools take a second to load

    source = sources.resolve(options.source, assessment_releases.everything())
    if options.command == "report":
        print(runner.build_report(source))
        return 0
    run = runner.check if options.command == "check" else runner.reproduce
    return run(source, options.jobs)


def run_notebook(options: argparse.Namespace) -> int:
    """`make rank`: run the notebook, and open its page where there is a browser to do it."""
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
    """`make data`; with --from, unpack an archive of single judgements."""
    from wmtlib.releases import archives, ranking_releases, sources

    if options.archive is not None:
        archive = archives.unpack(options.archive)
        print(f"{archive.campaign}: unpacked; SHA-256 {archive.sha256}")
        return 0
    _require_checkout()
    for path in ranking_releases.write_embedded(options.source):
        print(path.relative_to(sources.ROOT))
    return 0
