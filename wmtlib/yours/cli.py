"""Rankings of systems from people's judgements: your own files, public campaigns, and the study."""

import argparse
import gc
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from wmtlib import __version__

ALL = "all"  # of --task
CAMPAIGN = re.compile(r"[a-z][\w+-]*:[a-z]{2,3}(-[a-z]+)+")  # campaign:task, not a file
ABOUT_FILES = (
    *("command", "run", "file", "kind", "task", "column", "outcome", "scale"),
    *("json", "out", "show_ids"),
)
FILES_HELP = """\
kinds of file, recognised by the header:
  rankings     columns ranking, system, rank; the WMT ranking format; WMT's XML
  pairwise     two systems and an outcome: a, b, tie; 1, 2, 0; >, <, =; left, right; the winner by
               name; or winner, loser; wins_a, wins_b; system1rank, system2rank; a matrix of wins
  assessments  columns worker, system, segment, score (0-100); WMT's releases; exports of Appraise
formats: CSV, TSV, semicolons, JSON lines, Parquet, plain or gzipped; a folder of Parquet files;
  - is the standard input; other formats: docs/recipes.md
instead of a file: CAMPAIGN:TASK, such as wmt12:cs-en or simulated-sr-dc:qa-qb; see wmtlib campaigns
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input gets one line on stderr and exit code 2, Ctrl-C one and 130."""
    gc.set_threshold(50_000)  # loading modules makes many objects and no garbage
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        options = _parse(arguments)
        from wmtlib.errors import DataError, JudgementWarning

        warnings.simplefilter("ignore", JudgementWarning)  # answers say the same
        try:
            code = options.run(options)
            sys.stdout.flush()
            return code
        except DataError as error:
            print(f"wmtlib: {error}", file=sys.stderr)
            return 2
    except WrongOptions as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("wmtlib: interrupted", file=sys.stderr)
        return 130


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    options, unknown = parser().parse_known_args(arguments)
    if unknown:
        where = f"wmtlib {options.command} --help"
        raise WrongOptions(f"unrecognized arguments: {' '.join(unknown)} (see {where})")
    return options


# --- a user's own file ----------------------------------------------------------------------------


def run_answer(options: argparse.Namespace) -> int:
    """`rank`, `stability`, `compare`, `judges`: read, find the answer, show it."""
    from wmtlib.errors import DataError
    from wmtlib.yours import answers, show

    if options.out:
        show.require_writable(options.out)
    find = {
        "rank": answers.answer_ranking,
        "stability": answers.answer_stability,
        "compare": answers.answer_models,
        "judges": answers.answer_judges,
    }[options.command]
    settings = {name: value for name, value in vars(options).items() if name not in ABOUT_FILES}
    found, refused, several = [], [], options.task == ALL
    progress = show.ProgressLine()
    try:
        progress(f"reading {options.file}")
        for number, judgements in enumerate(read_judgements(options), start=1):
            try:
                answer = find(judgements, progress=progress, **settings)
            except DataError as error:
                if not several:
                    raise
                refused.append(f"{judgements.task}: {error}")
                continue
            answer = answer.with_identifiers() if options.show_ids else answer
            found.append(answer)
            if options.out:
                name = re.sub("[^a-zA-Z0-9]+", "-", judgements.task)
                folder = options.out / f"{number:02d}-{name}" if several else options.out
                page = show.write_answer(answer, folder)
    finally:
        progress.stop()
    if not found:
        raise DataError(refused[0])
    if options.json:
        documents = [show.as_json(answer) for answer in found]
        print(f"[{', '.join(documents)}]" if several else documents[0])
    else:
        for answer in found:
            show.print_answer(answer)
        if several:
            print("\nSummary of all tasks")
            print(*(f"{answer.facts['task']}: {answer.title}" for answer in found), sep="\n")
    for line in refused:
        print(f"Left out: {line}", file=sys.stderr)
    if options.out:
        print(f"Written: {options.out if several else page}", file=sys.stderr)
    return 0


def read_judgements(options: argparse.Namespace) -> list[Any]:
    """The judgements of the chosen task, of every task by `--task all`, or of a campaign.

    Raises
    ------
    DataError
        What cannot be read, or options that do not fit.
    """
    from wmtlib.errors import DataError

    if CAMPAIGN.fullmatch(options.file) and not Path(options.file).exists():
        from wmtlib.study import campaigns  # it takes a while to load

        if options.kind or options.task or options.column or options.outcome or options.scale:
            raise DataError(f"{options.file}: --kind, --task, --column and the like are for files")
        return [campaigns.load_campaign(options.file)]
    from wmtlib.yours import read

    columns = _pairs("column", options.column, "a=left")
    settings = {
        "kind": options.kind,
        "columns": {role: name or None for role, name in columns.items()},  # none: ignore the role
        "outcomes": _pairs("outcome", options.outcome, "left=a"),
        "scale": options.scale,
        # Leaving out needs pairs of systems only; counted by pair, a large file is small.
        "by_unit": options.command != "stability" or bool(options.method_names),
    }
    if options.task == ALL:
        return read.read_tasks(options.file, **settings)
    return [read.read(options.file, task=options.task, **settings)]


def _pairs(option: str, values: Sequence[str], example: str) -> dict[str, str]:
    """The parts of each value on both sides of its equality sign; outcomes may be `=`."""
    from wmtlib.errors import DataError

    for value in values:
        if "=" not in value:
            raise DataError(f"--{option} {value!r}: expected NAME=NAME, such as {example}")
    split = str.rpartition if option == "outcome" else str.partition
    return {name: other for name, _, other in (split(value, "=") for value in values)}


# --- the study ------------------------------------------------------------------------------------


def run_campaigns(_options: argparse.Namespace) -> int:
    """`wmtlib campaigns`: what can be ranked without a file."""
    from wmtlib.study import campaigns
    from wmtlib.yours.show import as_text

    print(as_text(campaigns.available()))
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


# --- options --------------------------------------------------------------------------------------


class WrongOptions(Exception):
    """Options that do not make a command; one line."""


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and finds the end of the help when it is asked for.

    `choices` gives the lines of the help that name methods or models: the modules that hold the
    names take seconds to load.
    """

    def __init__(self, *arguments: Any, choices: Callable[[], str] | None = None, **settings: Any):
        super().__init__(*arguments, **settings)
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        self.choices = choices

    def error(self, message: str) -> NoReturn:
        raise WrongOptions(f"{message} (see {self.prog} --help)")

    def format_help(self) -> str:
        if self.choices:
            self.epilog = FILES_HELP + self.choices()
        return super().format_help()


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; `options.run` is what runs the command that was given."""
    top = Parser(prog="wmtlib", description=__doc__)
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    subcommands = top.add_subparsers(required=True, dest="command", metavar="command")

    def add(name: str, run: Any, about: str, choices: Callable[[], str] | None = None) -> Parser:
        command = subcommands.add_parser(name, help=about, description=about, choices=choices)
        command.set_defaults(run=run)
        return command

    about = "rank the systems of a file, and say how sure that is"
    _add_rank_options(add("rank", run_answer, about, method_choices))
    about = "leave out each system: does the order of the others change?"
    stability = add("stability", run_answer, about, method_choices)
    _add_method_options(stability, "the first one below")
    about = "which preference model predicts the judgements of a file best?"
    _add_compare_options(add("compare", run_answer, about, model_choices))
    about = "how far each judge agrees with the others, and the ranking without each"
    _add_file_options(add("judges", run_answer, about, str))
    add("campaigns", run_campaigns, "list what can be ranked without a file")
    notebook = add("notebook", run_notebook, "run 40-your-data on a file (make rank)")
    notebook.add_argument("file", help="judgements, as for rank")
    notebook.add_argument("--kind", default="", help="of the judgements, if not recognised")
    notebook.add_argument("--task", default="", help="one of the file's tasks")
    for name, run, about in [
        ("reproduce", run_study, "run every notebook; write results and the report"),
        ("check", run_study, "recompute the scoreboard alone"),
        ("report", run_study, "rebuild the report from the executed notebooks"),
        ("data", run_data, "write the embedded tables from the raw files"),
    ]:
        command = add(name, run, about)
        command.add_argument("--source", default="auto", help="auto, mirror, download or embedded")
        command.add_argument("--jobs", type=whole, default=0, help="at a time; 0 means all cores")
    help_ = "put a WMT18, WMT19 or WMT20 release that you have in place instead"
    command.add_argument("--from", dest="archive", metavar="ARCHIVE", help=help_)
    return top


def _add_file_options(command: Parser) -> None:
    """What the commands for a user's own file have in common."""
    add = command.add_argument
    add("file", help="judgements; see below")
    add("--kind", help="rankings, pairwise or assessments")
    add("--task", help='one of the file\'s tasks, such as "French,English"; all for each')
    repeated: dict[str, Any] = {"action": "append", "default": []}
    help_ = "what a column is called, such as a=left or outcome=verdict; repeatable"
    add("--column", metavar="ROLE=NAME", help=help_, **repeated)
    help_ = "what an outcome means: a, b, tie or skip, such as both_bad=skip; repeatable"
    add("--outcome", metavar="WORD=MEANING", help=help_, **repeated)
    help_ = "of scores, if it is not 0,100; negative: --scale=-25,0"
    add("--scale", type=scale, metavar="LOW,HIGH", help=help_)
    add("--reference", help="human reference among the systems, not to be ranked; '' for none")
    add("--seed", type=whole, default=0, help="of random draws (default: 0)")
    add("--json", action="store_true", help="print JSON instead of tables")
    add("--out", type=Path, metavar="DIR", help="write tables, figures and a page to mail, too")
    help_ = "write the identifiers of your judges into JSON and DIR, too; else they go by numbers"
    add("--show-ids", action="store_true", help=help_)


def _add_method_options(command: Parser, usual: str) -> None:
    """Options of the commands that rank."""
    _add_file_options(command)
    help_ = f"one of those below, or all; repeatable; by default {usual}"
    named: dict[str, Any] = {"dest": "method_names", "metavar": "METHOD"}
    command.add_argument("--method", action="append", default=[], help=help_, **named)
    help_ = "for mfas: stop proving after this time (default: 10), and say what is not proven"
    command.add_argument("--time-limit", type=seconds, metavar="SECONDS", default=10, help=help_)


def _add_rank_options(command: Parser) -> None:
    _add_method_options(command, "the first three below, or both for assessments")
    add = command.add_argument
    help_ = "rank N resamples by the first method, too"
    add("--bootstrap", dest="n_resamples", type=whole, default=0, metavar="N", help=help_)
    help_ = "what is resampled: comparison, judge, segment, ranking; worker, hit, document, segment"
    add("--unit", help=f"{help_}; by default judge or worker, if the file names them")
    help_ = "rank-ranges (default for comparisons), sign-test; rank-sum (default for assessments),"
    add("--clusters", help=f"{help_} signed-rank (default for ESA)", metavar="HOW")
    help_ = "for the number of tests: benjamini-hochberg (default), holm or none"
    add("--correction", default="benjamini-hochberg", help=help_)
    help_ = "find the fewest judgements, and units, whose removal changes the winner and others"
    add("--robust", action="store_true", help=help_)


def _add_compare_options(command: Parser) -> None:
    _add_file_options(command)
    add = command.add_argument
    named: dict[str, Any] = {"dest": "model_names", "metavar": "MODEL"}
    add("--model", action="append", default=[], help="one of those below; repeatable", **named)
    help_ = "what is held out as a whole: judge, ranking, segment or comparison; by default the"
    add("--unit", help=f"{help_} largest that the file tells apart")
    add("--folds", type=whole, default=5, help="parts of the file (default: 5)")
    add("--repeats", type=whole, default=1, help="how often it is divided anew (default: 1)")


def method_choices() -> str:
    """Names of all methods by the files that they apply to, the usual ones first."""
    from wmtlib.ranking import METHODS, USUAL_METHODS

    lines = []
    for kind, usual in USUAL_METHODS.items():
        names = [*usual, *(n for n, m in METHODS.items() if m.kind == kind and n not in usual)]
        files = "rankings and pairwise comparisons" if kind == "counts" else kind
        lines += [f"methods for {files}:", _indented(" ".join(names))]
    return "\n".join(lines)


def model_choices() -> str:
    """Names of all models, variants apart."""
    from wmtlib.ranking import MODELS
    from wmtlib.resampling import IRT_LARGEST, VARIANTS

    usual = [name for name in MODELS if name not in VARIANTS]
    about = (
        f"by default all but the variants (the IRT ones for at most {IRT_LARGEST:,} comparisons)"
    )
    return (
        f"compare takes no assessments\nmodels, {about}:\n{_indented(', '.join(usual))}\n"
        f"variants:\n{_indented(', '.join(VARIANTS))}"
    )


def _indented(words: str) -> str:
    return textwrap.indent(textwrap.fill(words, 90, break_on_hyphens=False), "  ")


def whole(text: str) -> int:
    """A whole number that is not negative."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"expected a whole number up to 999999999, not {text!r}")
    return int(text)


def scale(text: str) -> tuple[float, float]:
    """The two ends of a scale."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected LOW,HIGH, such as 1,5, not {text!r}") from None
    return low, high


def seconds(text: str) -> float:
    """A number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of seconds, not {text!r}")
    return number
