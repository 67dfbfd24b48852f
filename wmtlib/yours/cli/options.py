"""The commands and their options; values are checked by what uses them."""

import argparse
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from wmtlib import __version__
from wmtlib.yours.cli import commands

FILES_HELP = """\
kinds of file, recognised by the header:
  rankings     columns ranking, system, rank; the WMT ranking format; WMT's XML
  pairwise     two systems and an outcome: a, b, tie; 1, 2, 0; >, <, =; left, right; the winner by
               name; or winner, loser; wins_a, wins_b; system1rank, system2rank; a matrix of wins
  assessments  columns worker, system, segment, score (0-100); WMT's releases; exports of Appraise
formats: CSV, TSV, semicolons, JSON lines, Parquet, plain or gzipped; a folder of Parquet files;
  - is the standard input; other formats: docs/recipes.md
"""
CAMPAIGNS_HELP = """\
instead of a file: CAMPAIGN:TASK, such as wmt12:cs-en or simulated-sr-dc:qa-qb; see wmtlib campaigns
"""


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
            self.epilog = self.choices()
        return super().format_help()


def parser(about: str) -> argparse.ArgumentParser:
    """The parser of all commands; `options.run` is what runs the command that was given."""
    top = Parser(prog="wmtlib", description=about)
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    subcommands = top.add_subparsers(required=True, dest="command", metavar="command")

    def add(name: str, about: str, choices: Callable[[], str] | None = None) -> Parser:
        return subcommands.add_parser(name, help=about, description=about, choices=choices)

    def ranking_help() -> str:
        return FILES_HELP + CAMPAIGNS_HELP + method_choices()

    rank = add("rank", "rank the systems of a file, and say how sure that is", ranking_help)
    _add_file_options(rank)
    _add_method_options(rank, "the first three below, or both for assessments")
    help_ = "rank N resamples by the first method, too"
    rank.add_argument(
        "--bootstrap", dest="n_resamples", type=whole, default=0, metavar="N", help=help_
    )
    help_ = "what is resampled: comparison, judge, segment, ranking; worker, hit, document, segment"
    rank.add_argument("--unit", help=f"{help_}; by default judge or worker, if the file names them")
    help_ = "rank-ranges (default for comparisons), sign-test; rank-sum (default for assessments),"
    rank.add_argument("--clusters", help=f"{help_} signed-rank (default for ESA)", metavar="HOW")
    help_ = "for the number of tests: benjamini-hochberg (default), holm or none"
    rank.add_argument("--correction", default="benjamini-hochberg", help=help_)
    help_ = "find the fewest judgements, and units, whose removal changes the winner and others"
    rank.add_argument("--robust", action="store_true", help=help_)

    about = "leave out each system: does the order of the others change?"
    stability = add("stability", about, ranking_help)
    _add_file_options(stability)
    _add_method_options(stability, "the first one below")

    about = "which preference model predicts the judgements of a file best?"
    compare = add(
        "compare", about, lambda: f"{FILES_HELP}compare takes no assessments\n{model_choices()}"
    )
    _add_file_options(compare)
    help_ = "one of those below; repeatable"
    compare.add_argument(
        "--model", dest="model_names", metavar="MODEL", action="append", default=[], help=help_
    )
    help_ = "a system, such as a human reference, to leave out altogether; otherwise it counts"
    compare.add_argument("--reference", help=help_)
    help_ = "what is held out as a whole: judge, ranking, segment or comparison; by default the"
    compare.add_argument("--unit", help=f"{help_} largest that the file tells apart")
    compare.add_argument("--folds", type=whole, default=5, help="parts of the file (default: 5)")
    help_ = "how often the file is divided anew (default: 1)"
    compare.add_argument("--repeats", type=whole, default=1, help=help_)

    about = "how far each judge agrees with the others, and the ranking without each"
    judges = add("judges", about, lambda: FILES_HELP + CAMPAIGNS_HELP.rstrip())
    _add_file_options(judges)
    _add_reference(judges)

    campaigns = add("campaigns", "list what can be ranked without a file")
    campaigns.set_defaults(run=commands.run_campaigns)

    notebook = add("notebook", "run 40-your-data on a file (make rank)")
    notebook.add_argument("file", help="judgements, as for rank")
    notebook.add_argument("--kind", default="", help="of the judgements, if not recognised")
    notebook.add_argument("--task", default="", help="one of the file's tasks")
    notebook.set_defaults(run=commands.run_notebook)

    for name, run, about in [
        ("reproduce", commands.run_study, "run every notebook; write results and the report"),
        ("check", commands.run_study, "recompute the scoreboard alone"),
        ("report", commands.run_study, "rebuild the report from the executed notebooks"),
        ("data", commands.run_data, "write the embedded tables from the raw files"),
    ]:
        command = add(name, about)
        command.add_argument("--source", default="auto", help="auto, mirror, download or embedded")
        command.add_argument("--jobs", type=whole, default=0, help="at a time; 0 means all cores")
        command.set_defaults(run=run)
        if name == "data":
            help_ = "put a WMT18, WMT19 or WMT20 release that you have in place instead"
            command.add_argument("--from", dest="archive", metavar="ARCHIVE", help=help_)
    return top


def _add_file_options(command: Parser) -> None:
    """What the commands for a user's own file have in common."""
    command.set_defaults(run=commands.run_answer)
    command.add_argument("file", help="judgements; see below")
    command.add_argument("--kind", help="rankings, pairwise or assessments")
    help_ = 'one of the file\'s tasks, such as "French,English"; all for each, and a summary'
    command.add_argument("--task", help=help_)
    command.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="what a column is called, such as a=left or outcome=verdict; repeatable",
    )
    command.add_argument(
        "--outcome",
        action="append",
        default=[],
        metavar="WORD=MEANING",
        help="what an outcome means: a, b, tie or skip, such as both_bad=skip; repeatable",
    )
    help_ = "of scores, if it is not 0,100; negative: --scale=-25,0"
    command.add_argument("--scale", type=scale, metavar="LOW,HIGH", help=help_)
    command.add_argument("--seed", type=whole, default=0, help="of random draws (default: 0)")
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    help_ = "write tables, figures and a page to mail, too"
    command.add_argument("--out", type=Path, metavar="DIR", help=help_)
    help_ = "write the identifiers of your judges into JSON and DIR, too; else they go by numbers"
    command.add_argument("--show-ids", action="store_true", help=help_)


def _add_method_options(command: Parser, usual: str) -> None:
    """Options of the commands that rank."""
    help_ = f"one of those below, or all; repeatable; by default {usual}"
    command.add_argument(
        "--method", dest="method_names", metavar="METHOD", action="append", default=[], help=help_
    )
    _add_reference(command)
    help_ = "for mfas: stop proving after this time (default: 10), and say what is not proven"
    command.add_argument("--time-limit", type=seconds, metavar="SECONDS", default=10, help=help_)


def _add_reference(command: Parser) -> None:
    help_ = "human reference among the systems, not to be ranked; '' for none"
    command.add_argument("--reference", help=help_)


def method_choices() -> str:
    """Names of all methods by the files that they apply to, the usual ones first."""
    from wmtlib import ranking as methods

    lines = []
    for kind, usual in methods.USUAL_METHODS.items():
        names = [name for name, method in methods.METHODS.items() if method.kind == kind]
        names = list(dict.fromkeys([*usual, *names]))
        files = "rankings and pairwise comparisons" if kind == "counts" else kind
        lines += [
            f"methods for {files}:",
            *(f"  {' '.join(names[k : k + 6])}" for k in range(0, len(names), 6)),
        ]
    return "\n".join(lines)


def model_choices() -> str:
    """Names of all models, variants apart."""
    from wmtlib import ranking as model_registry
    from wmtlib import resampling as cross_validation

    usual = [name for name in model_registry.MODELS if name not in cross_validation.VARIANTS]
    number = f"{cross_validation.IRT_LARGEST:,}"
    about = f"by default all but the variants (the IRT ones for at most {number} comparisons)"
    return (
        f"models, {about}:\n{_indented(', '.join(usual))}\n"
        f"variants:\n{_indented(', '.join(cross_validation.VARIANTS))}"
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
