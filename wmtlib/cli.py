"""Rankings of systems from people's judgements: your own files, and public \
campaigns."""

import argparse
import os
import re
import shlex
import sys
import textwrap
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from wmtlib import __version__

if TYPE_CHECKING:
    from wmtlib.files.judgements import Judgements
    from wmtlib.report.show import Answer

ALL = "all"  # of --task
# Options of this module, None by default. Those of `wmtlib.read` and of questions
# (`answers.QUESTIONS`) have their defaults there.
OWN = ("task", "json", "format", "full", "html", "show_ids")


def main(
    arguments: Sequence[str] | None = None,
    commands: Mapping[str, Any] | None = None,
    program: str = "wmtlib",
) -> int:
    """Run one command, of `COMMANDS` if none are given.

    Bad input is one line on stderr, or a question whose last line is the command to
    copy, and exit code 2; Ctrl-C is 130.
    """
    if sys.stdout is None:
        print("wmtlib: the standard output is closed", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        typed = sys.argv[1:] if arguments is None else [*arguments]
        options = parser(commands, program).parse_args(with_values(typed))
        options.words = [*program.split(), *typed]
        # They load pandas.
        from wmtlib.core.errors import (
            DataError,
            JudgementWarning,
            Question,
            on_command_line,
        )

        warnings.simplefilter("ignore", JudgementWarning)  # answers say the same
        try:
            options.run(options)
            sys.stdout.flush()
            return 0
        except DataError as error:
            said = on_command_line(error)
            if isinstance(error, Question):
                said = error.on_command_line(without_end(options.words))
            print(f"wmtlib: {said}", file=sys.stderr)
            return 2
    except OSError as error:
        # Python writes what is left when it ends: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader such as `head` has seen enough.
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"wmtlib: cannot write: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("wmtlib: interrupted", file=sys.stderr)
        return 130


def with_values(typed: Sequence[str]) -> list[str]:
    """Join options and values that argparse would not: it takes -25,0 for an option.

    After `--elo` there may be the file.

    >>> with_values(["rank", "--scale", "-25,0", "--elo", "x.csv"])
    ['rank', '--scale=-25,0', '--elo=', 'x.csv']
    >>> with_values(["rank", "x.csv", "--elo", "baseline=1000"])
    ['rank', 'x.csv', '--elo=baseline=1000']
    """
    words: list[str] = []
    for word in typed:
        before = words[-1:]
        is_scale = before == ["--scale"] and re.match(r"-[\d.]", word)
        is_elo = before == ["--elo="] and "=" in word
        if is_scale:
            words[-1] += f"={word}"
        elif is_elo and not word.startswith("-") and not os.path.exists(word):
            words[-1] += word
        else:
            words.append("--elo=" if word == "--elo" else word)
    return words


def without_end(typed: Sequence[str]) -> list[str]:
    """Write words without the sign `--`, after which no option can be added.

    >>> without_end(["rank", "--", "-rf.csv"])
    ['rank', './-rf.csv']
    """
    if "--" not in typed:
        return [*typed]
    end = typed.index("--")
    named = [f"./{word}" if word.startswith("-") else word for word in typed[end + 1 :]]
    return [*typed[:end], *named]


# --- a user's own file ----------------------------------------------------------------


def answer_question(
    options: argparse.Namespace,
    load: "Callable[[argparse.Namespace], list[Judgements]] | None" = None,
) -> None:
    """Answer `rank`, `stability`, `compare` or `judges`.

    A task without an answer is named on stderr, if another has one. `load` reads the
    judgements; by default it is `read_judgements`.
    """
    from dataclasses import replace

    from wmtlib.core.errors import DataError, on_command_line
    from wmtlib.report import answers, show
    from wmtlib.report.progress import Progress

    if options.html is not None:
        show.require_page(options.html)
    question, accepts = answers.QUESTIONS[options.command]
    settings = options_of(accepts, options)
    progress = Progress()
    results = []
    refused = []
    try:
        progress(f"reading {options.file}")
        for judgements in (load or read_judgements)(options):
            try:
                answer = question(judgements, progress=progress, **settings)
            except DataError as error:
                if options.task != ALL:
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
        if options.html is not None:
            show.write_page(results, options.html)
    finally:
        progress("")
    print_answers(results, options)
    for line in refused:
        print(f"Left out: {line}", file=sys.stderr)
    if options.html is not None:
        print(f"Written: {options.html}", file=sys.stderr)


def print_answers(results: Sequence["Answer"], options: argparse.Namespace) -> None:
    """Print answers in the format that was asked for."""
    from wmtlib.report import show

    several = options.task == ALL
    if options.json:
        documents = [show.as_json(answer) for answer in results]
        print(f"[{', '.join(documents)}]" if several else documents[0])
        return
    if options.format:
        print(show.ranking_as(results, options.format, with_task=several))
        return
    for answer in results:
        show.print_answer(answer, full=bool(options.full))
    if len(results) > 1:
        print("\nSummary of all tasks")
        for answer in results:
            print(f"{answer.facts['task']}: {answer.sentence}")


def options_of(kind: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given and that a class, or function, names."""
    given = vars(options)
    return {name: given[name] for name in kind.__annotations__ if name in given}


def command_of(options: argparse.Namespace) -> str:
    """Return the command as it was typed, without folders of this machine."""
    names = (options.file, options.html, f"--html={options.html}")
    words = [re.sub(r"[^=]*/", "", w) if w in names else w for w in options.words]
    return shlex.join(words)


def read_judgements(
    options: argparse.Namespace,
    load_campaign: "Callable[[str], Judgements] | None" = None,
) -> list["Judgements"]:
    """Read the judgements of the chosen task, of every task, or of a campaign.

    `load_campaign` is `carried_counts.load_campaign` if it is not given.

    Raises
    ------
    DataError
        The file cannot be read, or options do not fit.
    """
    from wmtlib.core.errors import DataError
    from wmtlib.files import carried_counts
    from wmtlib.files.read import read_tasks

    reading = reading_of(options)
    if carried_counts.is_campaign(options.file):
        if reading or options.task:
            raise DataError(
                f"{options.file}: --kind, --task, --column and the like are for files"
            )
        return [(load_campaign or carried_counts.load_campaign)(options.file)]
    tasks = [] if options.task == ALL else [options.task]
    return read_tasks(options.file, tasks, **reading)


def reading_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that say how a file is read, as `wmtlib.read` takes them.

    The task is not among them: on the command line it may be `ALL`.

    Raises
    ------
    DataError
        A word of an outcome has two meanings.
    """
    from wmtlib.core.errors import DataError

    names = [name.removeprefix("--") for name in READ if name not in ("file", "--task")]
    reading = {name: getattr(options, name) for name in names if name in options}
    for name in {"column", "rows"} & {*reading}:
        several: dict[str, list[str]] = {}
        for key, word in reading[name]:
            several.setdefault(key, []).append(word)
        reading[name] = several
    if said := reading.get("outcome"):
        reading["outcome"] = dict(said)
        if len({*said}) > len(reading["outcome"]):
            raise DataError("--outcome: a word has two meanings")
    return reading


def list_campaigns(_options: argparse.Namespace) -> None:
    """List what can be ranked without a file: `wmtlib campaigns`."""
    from wmtlib.files import carried_counts
    from wmtlib.report.show import printed

    print(printed(carried_counts.available()))
    print(
        "\nwmtlib rank NAME ranks one. Those of raw files, WMT17-22 among them, are"
        f" listed in\na checkout of the repository: {carried_counts.STUDY} campaigns"
    )


FILES_HELP = """\
files are read by the names of their columns, and by the options above; what neither says is asked
about, with the command to copy. CSV, TSV, JSON, Parquet, spreadsheets; a folder of Parquet files;
https://, s3:// and gs:// addresses; - is the standard input (docs/recipes.md has more):
  comparisons  columns a, b and outcome (a, b, tie; left, right; who won), or wins_a, wins_b, ties;
               score_a, score_b; rank_a, rank_b; or winner, loser; a square of wins: --wide wins
  rankings     columns ranking, system, rank; or system 1, rank 1, system 2, rank 2, ...
  assessments  columns judge, system, segment, score, and --scale 0,100; a column for each system:
               --wide system=A,B --cells score
  exports of pearmut, Appraise, Label Studio, LMArena, WMT and others, by their columns
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
    """A parser with one-line errors, whose help ends with names of methods or models.

    That end is made when it is asked for: the modules that hold the names take long to
    load.
    """

    command = ""  # that reads a file
    words: ClassVar[set[str]] = set()  # commands and options

    def error(self, message: str) -> NoReturn:
        from wmtlib.core.errors import did_you_mean

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


def parser(
    commands: Mapping[str, Any] | None = None, program: str = "wmtlib"
) -> Parser:
    """Return the parser of all commands; `options.run` runs the one that is given."""
    Parser.words = set()
    top = Parser(prog=program, description=__doc__)
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    subcommands = top.add_subparsers(required=True, dest="command", metavar="command")
    for name, (run, about, groups) in (commands or COMMANDS).items():
        command = subcommands.add_parser(
            name, help=about, description=about, allow_abbrev=False
        )
        command.set_defaults(run=run, **dict.fromkeys(OWN))
        if READ_TITLE in groups:
            command.command = name
            command.argument_default = argparse.SUPPRESS
        for title, options in groups.items():
            group = command.add_argument_group(title)
            for option, arguments in options.items():
                group.add_argument(option, **arguments)
        Parser.words |= {name, *command._option_string_actions}
    return top


def choices(command: str) -> str:
    """List methods by the files they rank, or models; the usual ones first."""
    from wmtlib.methods import METHODS, MODELS, USUAL_METHODS

    lists: dict[str, Iterable[str]] = {}
    if command in ("rank", "stability"):
        files = {"counts": "rankings and pairwise comparisons"}
        for kind, usual in USUAL_METHODS.items():
            others = [name for name, method in METHODS.items() if method.kind == kind]
            names = dict.fromkeys([*usual, *others])
            lists[f"methods for {files.get(kind, kind)}"] = names
    if command == "compare":
        lists["models, by default all"] = MODELS
    text = textwrap.TextWrapper(
        92, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join(
        f"{title}:\n{text.fill(' '.join(names))}" for title, names in lists.items()
    )


def whole(text: str) -> int:
    """Parse a whole number that is not negative."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(
            f"expected a whole number up to 999999999, not {text!r}"
        )
    return int(text)


def pair(text: str) -> tuple[str, str]:
    """Split at the last "="; the outcome itself may be "="."""
    before, sign, after = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(
            f"expected two words, such as left=a, not {text!r}"
        )
    return before, after


def named(text: str) -> tuple[str, str]:
    """Split at the first "=": a role and its column, or a column and its value."""
    before, sign, after = text.partition("=")
    return (before, after) if sign else pair(text)


def scale(text: str) -> tuple[float, float]:
    """Parse the worst and the best score."""
    try:
        worst, best = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected WORST,BEST, such as 0,100, or 5,1 where 1 is best, not {text!r}"
        ) from None
    return worst, best


def wide(text: str) -> str | dict[str, list[str]]:
    """Parse what has a column each: systems, or judges, with their list; or wins."""
    from wmtlib.files.options import names_of

    role, sign, names = text.partition("=")
    return {role: names_of(names)} if sign else text


def elo(text: str) -> "bool | tuple[str, float]":
    """Parse a system and its rating; True if nothing is fixed but the mean."""
    if not text:
        return True
    name, rating = pair(text)
    return name, float(rating)


def seconds(text: str) -> float:
    """Parse a number of seconds."""
    if not 0 <= float(text) < float("inf"):
        raise ValueError
    return float(text)


TYPES = {
    parse.__name__: parse for parse in (whole, pair, named, scale, wide, elo, seconds)
}

OPTIONS = tomllib.loads(
    Path(__file__).with_name("data").joinpath("options.toml").read_text("utf-8")
)
READ_TITLE = "what is read"
READ = OPTIONS[READ_TITLE]


def options_for(command: str) -> dict[str, dict[str, Any]]:
    """Return the options of a command that reads a file, by their titles."""
    groups: dict[str, dict[str, Any]] = {}
    for title, options in OPTIONS.items():
        groups[title] = {}
        for name, option in options.items():
            arguments = {**option}
            if "type" in option:
                arguments["type"] = TYPES[option["type"]]
            if command in arguments.pop("of", [command]):
                groups[title][name] = arguments
    return groups


QUESTIONS = {
    "rank": "rank the systems of a file, and say how sure that is",
    "stability": "leave out each system: does the order of the others change?",
    "compare": "which preference model predicts the judgements of a file best?",
    "judges": "how far each judge agrees with the others, and how strict each is",
}
# What runs a command, what the help says, its options by their titles.
COMMANDS: dict[str, tuple[Any, str, dict[str, dict[str, Any]]]] = {
    name: (answer_question, about, options_for(name))
    for name, about in QUESTIONS.items()
}
COMMANDS["campaigns"] = (list_campaigns, "list what can be ranked without a file", {})
