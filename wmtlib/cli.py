"""Rankings of systems from people's judgements: your own files, and public \
campaigns."""

import argparse
import os
import re
import shlex
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias

from wmtlib import __version__

if TYPE_CHECKING:
    from wmtlib.reading.judgements import Judgements
    from wmtlib.report.show import Answer

ALL = "all"  # of --task
AddOption: TypeAlias = Callable[..., object]  # `ArgumentParser.add_argument`
# What is asked of the options here. How a file is read are the fields of
# `reading.columns.Options`; all others have their defaults where a question is
# answered.
FRONT = ("task", "json", "format", "brief", "strict", "out", "force", "show_ids")
CAMPAIGN = re.compile(r"[a-z][\w+-]*:[a-z]{2,3}(-[a-z]+)+")  # campaign:task, not a file


def main(
    arguments: Sequence[str] | None = None,
    commands: Mapping[str, Any] | None = None,
) -> int:
    """Run one command, of `COMMANDS` if none are given.

    Bad input is one line on stderr and exit code 2, Ctrl-C 130.
    """
    if sys.stdout is None:
        print("wmtlib: the standard output is closed", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser(commands).parse_args(arguments)
        options.words = [*(sys.argv[1:] if arguments is None else arguments)]
        # They load pandas.
        from wmtlib.errors import DataError, JudgementWarning, on_command_line

        warnings.simplefilter("ignore", JudgementWarning)  # answers say the same
        try:
            options.run(options)
            sys.stdout.flush()
            return 0
        except DataError as error:
            print(f"wmtlib: {on_command_line(error)}", file=sys.stderr)
            return 2
    except OSError as error:
        # Python writes what is left when it ends: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(
            error, BrokenPipeError
        ):  # a reader such as `head` has seen enough
            return 0
        print(f"wmtlib: cannot write: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("wmtlib: interrupted", file=sys.stderr)
        return 130


# --- a user's own file ----------------------------------------------------------------


def run_answer(options: argparse.Namespace) -> None:
    """`rank`, `stability`, `compare`, `judges`: read, find the answers, show them.

    A task without an answer is named on stderr, if another has one.
    """
    from dataclasses import replace

    from wmtlib.errors import DataError, on_command_line
    from wmtlib.reading.columns import Options
    from wmtlib.report import answers, show

    if options.out:
        show.require_writable(options.out)
    several = options.task == ALL
    question: Any = answers.QUESTIONS[options.command]
    others = {"command", "run", "file", "words", *Options._fields, *FRONT}
    settings = {
        name: value for name, value in vars(options).items() if name not in others
    }
    results = []
    refused = []
    try:
        show.progress(f"reading {options.file}")
        for judgements in read_judgements(options):
            try:
                answer = question(judgements, progress=show.progress, **settings)
            except DataError as error:
                if not several:
                    raise
                refused.append(f"{judgements.task}: {on_command_line(error)}")
                continue
            answer = replace(
                answer,
                warnings=[*map(on_command_line, answer.warnings)],
                about={"Command": command_of(options), **answer.about},
            )
            results.append(answer.with_identifiers() if options.show_ids else answer)
        if not results:
            raise DataError(refused[0])
        if options.out:
            # `kill` is Ctrl-C from here on, after which the folder is as it was.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            page = show.write_answers(
                results, options.out, several=several, force=options.force
            )
    finally:
        show.progress("")
    show_answers(results, options)
    for line in refused:
        print(f"Left out: {line}", file=sys.stderr)
    if options.out:
        print(f"Written: {page}", file=sys.stderr)
    number = sum(len(answer.warnings) for answer in results)
    if options.strict and number:
        raise DataError(f"{number} warning(s), and --strict takes none")


def show_answers(results: Sequence["Answer"], options: argparse.Namespace) -> None:
    """Print answers as they were asked for."""
    from wmtlib.report import show

    several = options.task == ALL
    if options.json:
        documents = [show.as_json(answer) for answer in results]
        print(f"[{', '.join(documents)}]" if several else documents[0])
        return
    if options.format:
        answer = show.of_all_tasks(results) if several else results[0]
        print(show.ranking_as(answer, options.format))
        return
    for answer in results:
        if options.brief:
            print(show.brief(answer))
        else:
            show.print_answer(answer)
    if len(results) > 1:
        print("\nSummary of all tasks")
        for answer in results:
            print(f"{answer.facts['task']}: {answer.title}")


def command_of(options: argparse.Namespace) -> str:
    """The command as it was typed, without folders of this machine."""
    words = [Path(w).name if w == options.file else w for w in options.words]
    for k, word in enumerate(words):
        if word == "--out":
            del words[k : k + 2]
    words = [word for word in words if not word.startswith("--out=")]
    return shlex.join(["wmtlib", *words])


def run_diff(options: argparse.Namespace) -> None:
    """`wmtlib diff`: what changed between two answers in JSON."""
    from wmtlib.report import changes, show

    before, after = (changes.read_answer(path) for path in (options.old, options.new))
    answer = changes.answer_diff(before, after, options.anchor)
    print(show.as_json(answer)) if options.json else show.print_answer(answer)


def read_judgements(options: argparse.Namespace) -> list["Judgements"]:
    """The judgements of the chosen task, of every task, or of a campaign.

    Raises
    ------
    DataError
        What cannot be read, or options that do not fit.
    """
    from wmtlib.errors import DataError
    from wmtlib.reading import columns, read

    given = vars(options)
    reading = {name: given[name] for name in columns.Options._fields if name in given}
    if CAMPAIGN.fullmatch(options.file) and not Path(options.file).exists():
        from wmtlib import public

        if reading or options.task:
            raise DataError(
                f"{options.file}: --kind, --task, --column and the like are for files"
            )
        return [public.load_campaign(options.file)]
    if "rows" in reading:
        rows: dict[str, list[str]] = {}
        for name, word in reading["rows"]:
            rows.setdefault(name, []).append(word or "")
        reading["rows"] = rows
    for name in {"columns", "outcomes"} & {*reading}:
        reading[name] = dict(reading[name])
    tasks = [] if options.task == ALL else [options.task]
    return read.read_tasks(options.file, tasks, **reading)


def run_campaigns(_options: argparse.Namespace) -> None:
    """`wmtlib campaigns`: list what can be ranked without a file."""
    from wmtlib import public
    from wmtlib.report.show import printed

    print(printed(public.available()))
    print(
        "\nwmtlib rank NAME ranks one; the others of WMT17-22 need the raw files"
        " ($WMTLIB_DATA)."
    )


FILES_HELP = """\
files, recognised by the header (docs/recipes.md has more); CSV, TSV, JSON, Parquet, spreadsheets; a folder of Parquet files; https://, s3:// and gs:// addresses; - is the standard input:
  rankings     columns ranking, system, rank; WMT's ranking format; WMT's XML
               or a ranking in a row: system 1, rank 1, ...; 1st, 2nd, ...
  pairwise     two systems and an outcome: a, b, tie; 1, 2; >, <, =; left, right; the winner by
               name; or winner, loser; wins_a, wins_b; a matrix of wins
  assessments  columns worker, system, segment, score (0-100); segments by systems; WMT's releases;
               exports of Appraise and pearmut; WMT25; MQM
instead of a file: CAMPAIGN:TASK, such as wmt12:cs-en; see wmtlib campaigns
"""  # noqa: E501 (a terminal of 100 columns)


# From notebooks 23 and 60; docs/ranking.md says more.
ADVICE = """\
which method: few comparisons of a pair (under 20), or pairs that never met: bradley-terry; every pair
  compared often: expected-wins, which needs no model; the order that contradicts fewest judgements,
  without distances: mfas; scores by workers who differ: z-score
"""  # noqa: E501 (a terminal of 100 columns)


# --- options --------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong; the end of its help is made when it is asked for.

    What names methods or models is made then: the modules that hold the names take long
    to load.
    """

    command = ""  # that reads a file
    words: ClassVar[set[str]] = set()  # commands and options

    def error(self, message: str) -> NoReturn:
        from wmtlib.errors import did_you_mean

        for word in re.findall(r"[\w-]+", message):
            alike = {name for name in self.words if name[0] == word[0]}
            hint = did_you_mean(word, alike)
            if hint and word not in alike:
                message += hint
                break
        self.exit(2, f"wmtlib: {message} (see {self.prog} --help)\n")

    def format_help(self) -> str:
        if self.command:
            self.formatter_class = argparse.RawDescriptionHelpFormatter
            advice = ADVICE if self.command in ("rank", "stability") else ""
            self.epilog = FILES_HELP + advice + choices(self.command)
        return super().format_help()


def parser(commands: Mapping[str, Any] | None = None) -> Parser:
    """Return the parser of all commands; `options.run` runs the one that is given."""
    top = Parser(prog="wmtlib", description=__doc__)
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    subcommands = top.add_subparsers(required=True, dest="command", metavar="command")
    for name, (run, about, *add_options) in (commands or COMMANDS).items():
        command = subcommands.add_parser(name, help=about, description=about)
        command.set_defaults(run=run)
        if run is run_answer:
            command.command = name
            command.argument_default = argparse.SUPPRESS
            command.set_defaults(**dict.fromkeys(FRONT))
        for add_to in add_options:
            add_to(command.add_argument)
        Parser.words.add(name)
        if run is run_answer:
            Parser.words |= {*command._option_string_actions}
    return top


def choices(command: str) -> str:
    """Names of methods by the files they rank, or of models; the usual ones first."""
    from wmtlib.methods import METHODS, MODELS, USUAL_METHODS
    from wmtlib.resampling import IRT_LARGEST, VARIANTS

    lists: dict[str, Iterable[str]] = {}
    if command in ("rank", "stability"):
        files = {"counts": "rankings and pairwise comparisons"}
        for kind, usual in USUAL_METHODS.items():
            others = [name for name, method in METHODS.items() if method.kind == kind]
            names = dict.fromkeys([*usual, *others])
            lists[f"methods for {files.get(kind, kind)}"] = names
    if command == "compare":
        title = (
            "models, by default all but the variants (the IRT ones for at most"
            f" {IRT_LARGEST:,} comparisons)"
        )
        lists[title] = [name for name in MODELS if name not in VARIANTS]
        lists["variants"] = VARIANTS
    text = textwrap.TextWrapper(
        92, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join(
        f"{title}:\n{text.fill(' '.join(names))}" for title, names in lists.items()
    )


def whole(text: str) -> int:
    """A whole number that is not negative."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise argparse.ArgumentTypeError(
            f"expected a whole number up to 999999999, not {text!r}"
        )
    return int(text)


def folder(text: str) -> Path:
    """A folder that has a name."""
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a folder, not ''")
    return Path(text)


def pair(text: str) -> tuple[str, str]:
    """What stands on both sides of the last equality sign; an outcome may be one."""
    before, sign, after = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(
            f"expected two words, such as left=a, not {text!r}"
        )
    return before, after


def role(text: str) -> tuple[str, str | None]:
    """A role and its column, None if it is to be ignored."""
    name, sign, column = text.partition("=")
    return (name, column or None) if sign else pair(text)


def scale(text: str) -> tuple[float, float]:
    """The two ends of a scale."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected LOW,HIGH, such as 1,5, not {text!r}"
        ) from None
    return low, high


def anchor(text: str) -> tuple[str, float]:
    """A system, and its rating."""
    name, rating = pair(text)
    return name, float(rating)


def seconds(text: str) -> float:
    """A number of seconds."""
    if not 0 <= float(text) < float("inf"):
        raise ValueError
    return float(text)


def task_options(add: AddOption) -> None:
    """Which judgements: of `notebook` too."""
    add("file", help="judgements; see below")
    add("--kind", help="rankings, pairwise or assessments")
    add(
        "--task",
        help='one of the file\'s tasks, such as "French,English"; all for each, but of'
        " notebook",
    )


def file_options(add: AddOption) -> None:
    """How a file is read, what all questions ask for, how the answer is shown."""
    add(
        "--task-columns",
        metavar="NAMES",
        type=lambda text: text.split(","),
        help="two columns that together make a task, such as lp,domain",
    )
    add(
        "--column",
        action="append",
        dest="columns",
        metavar="ROLE=NAME",
        type=role,
        help="what a column is called, such as a=left or outcome=verdict; no name: to"
        " be ignored; repeatable",
    )
    add(
        "--outcome",
        action="append",
        dest="outcomes",
        metavar="WORD=MEANING",
        type=pair,
        help="what an outcome means: a, b, tie or skip, such as both_bad=skip;"
        " repeatable",
    )
    row_options(add)
    score_options(add)
    add(
        "--reference",
        action="append",
        help="human reference among the systems, not to be ranked; '' for none;"
        " repeatable",
    )
    add("--seed", type=whole, help="of random draws (default: 0)")
    add("--json", action="store_true", help="print JSON instead of tables")
    add("--strict", action="store_true", help="exit code 2 if there is a warning")
    add(
        "--out",
        metavar="DIR",
        type=folder,
        help="write tables, figures and a page to mail, too",
    )
    add(
        "--force",
        action="store_true",
        help="write into DIR even if it holds another analysis",
    )
    add(
        "--show-ids",
        action="store_true",
        help="write your judges' identifiers into JSON and DIR, too; else they go by"
        " numbers",
    )


def row_options(add: AddOption) -> None:
    """Which rows count."""
    add(
        "--rows",
        action="append",
        metavar="COLUMN=VALUE",
        type=role,
        help="keep the rows with a value alone, such as status=submitted; repeatable",
    )
    add(
        "--revisions",
        metavar="WHICH",
        help="which of a judge's answers to one item count: all, the last, or the last"
        " by a column of times",
    )


def score_options(add: AddOption) -> None:
    """How scores are read, and what becomes of bad rows."""
    add(
        "--scale",
        metavar="LOW,HIGH",
        type=scale,
        help="of scores, if it is not 0,100; negative: --scale=-25,0",
    )
    add("--preset", help="what errors weigh where they stand alone: mqm, esa-spans")
    add(
        "--lower-is-better",
        action="store_true",
        help="low scores are good, as of penalties, errors and ranks",
    )
    add(
        "--higher-is-better",
        dest="lower_is_better",
        action="store_false",
        help="high scores are good, though they look like these",
    )
    add(
        "--skip-bad",
        action="store_true",
        help="leave out rows of a system against itself, or without system, outcome,"
        " score, rank or judge (blank, NA, -1)",
    )

    add(
        "--joint-names",
        choices=["split", "keep"],
        help="whether A+B is identical outputs of A and B, or a system; by default a"
        " system if it is judged beside A or B",
    )


def method_options(add: AddOption) -> None:
    """Of `rank` and `stability`."""
    add(
        "--method",
        action="append",
        dest="method_names",
        metavar="METHOD",
        help="one of those below, or all; repeatable; by default the first one below;"
        " of rank the first three, or both for assessments",
    )
    add(
        "--side",
        action="append_const",
        dest="method_names",
        const="bradley-terry-side",
        help="the same as --method bradley-terry-side: being shown first may help, and"
        " how much it does is printed",
    )
    add(
        "--time-limit",
        type=seconds,
        metavar="SECONDS",
        help="for mfas: when to stop proving (default: 10, or 1 with more than 60"
        " systems); says what is not proven",
    )


def rank_options(add: AddOption) -> None:
    """Of `rank` alone."""
    add(
        "--bootstrap",
        type=whole,
        dest="n_resamples",
        metavar="N",
        help="rank N resamples by the first method, too (of rank ranges: 1000, or 100"
        " with more than 300 systems)",
    )
    add(
        "--min",
        type=whole,
        dest="minimum",
        help="comparisons, or scores, below which a system is named and left"
        " out (default: 10)",
    )
    add(
        "--unit",
        help="by what to test and resample: judge (judge_group), ranking, comparison;"
        " document, hit, worker; segment",
    )
    add(
        "--clusters",
        metavar="HOW",
        help="rank-ranges (default for comparisons), sign-test; unit (default for"
        " assessments: by document, HIT or worker), rank-sum, signed-rank (by segment)",
    )
    add(
        "--rule",
        metavar="NAME",
        help="lines as a campaign drew them, beside: wmt16 (comparisons), wmt17, wmt24,"
        " wmt25, wmt26",
    )
    add(
        "--correction",
        help="of clusters by tests, for their number: benjamini-hochberg (default),"
        " holm or none",
    )
    add(
        "--robust",
        action="store_true",
        help="find the fewest judgements, and units, whose removal changes the winner"
        " and others",
    )

    add(
        "--elo",
        action="store_true",
        help="scores on the Elo scale, mean 1000;"
        " the title says if another method would come first",
    )
    add(
        "--anchor",
        metavar="NAME=RATING",
        type=anchor,
        help="--elo with one system fixed, such as baseline=1000",
    )
    add(
        "--format",
        choices=["markdown", "latex", "html", "csv"],
        help="print the ranking alone",
    )
    add("--brief", action="store_true", help="print the ten lines that matter")


def diff_options(add: AddOption) -> None:
    """Of `diff` alone."""
    add("old", metavar="OLD.json", help="what wmtlib rank --json printed")
    add("new", metavar="NEW.json", help="the same of later judgements")
    add(
        "--anchor",
        metavar="NAME",
        help="system whose score is taken to be the same; by default the one that"
        " --anchor fixed in both answers, or the mean of the systems in common",
    )
    add("--json", action="store_true", help="print JSON instead of tables")


def compare_options(add: AddOption) -> None:
    """Of `compare` alone."""
    add(
        "--model",
        action="append",
        dest="model_names",
        metavar="MODEL",
        help="one of those below; repeatable",
    )
    add(
        "--unit",
        help="what is held out as a whole; by default the largest that the file tells"
        " apart",
    )
    add("--folds", type=whole, help="parts of the file (default: 5)")
    add(
        "--repeats",
        type=whole,
        help="how often it is divided anew (default: 1)",
    )


COMMANDS: dict[str, tuple[Any, ...]] = {
    # what runs it, what the help says, its options
    "rank": (
        run_answer,
        "rank the systems of a file, and say how sure that is",
        task_options,
        file_options,
        method_options,
        rank_options,
    ),
    "stability": (
        run_answer,
        "leave out each system: does the order of the others change?",
        task_options,
        file_options,
        method_options,
    ),
    "compare": (
        run_answer,
        "which preference model predicts the judgements of a file best?",
        task_options,
        file_options,
        compare_options,
    ),
    "judges": (
        run_answer,
        "how far each judge agrees with the others; the ranking without each",
        task_options,
        file_options,
    ),
    "diff": (
        run_diff,
        "what changed between two answers of rank --json?",
        diff_options,
    ),
    "campaigns": (run_campaigns, "list what can be ranked without a file"),
}
