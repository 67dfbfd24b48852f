"""The command line: `wmtlib rank FILE`, and what the Makefile calls."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from wmtlib import __version__, datasets, mfas, pairwise, scorers
from wmtlib.pairwise import Counts
from wmtlib.schemas import DataError

METHODS = (*scorers.SCORERS, "mfas")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input gets one line on stderr and exit code 2."""
    options = parser().parse_args(arguments)
    try:
        code = options.run(options)
        sys.stdout.flush()
    except DataError as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="wmtlib", description=__doc__)
    top.add_argument("--version", action="version", version=f"wmtlib {__version__}")
    commands = top.add_subparsers(required=True, metavar="command")

    rank = commands.add_parser("rank", help="rank the systems of a file in the WMT ranking format")
    rank.add_argument("file", help="21 comma-separated columns, as in the WMT10-12 releases")
    rank.add_argument("--method", choices=METHODS, required=True)
    rank.add_argument(
        "--reference", required=True, help="name of the human reference, such as _ref; '' for none"
    )
    rank.add_argument("--task", help='one of the file\'s tasks, such as "French,English"')
    rank.add_argument("--json", action="store_true", help="print JSON instead of a table")
    rank.add_argument(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="for mfas: stop proving after so long, and say what is not proven",
    )
    rank.set_defaults(run=run_rank)

    for name, run, about in [
        ("reproduce", run_reproduce, "run every notebook; write results, figures and the report"),
        ("check", run_check, "recompute the scoreboard alone"),
        ("report", run_report, "rebuild the report from the executed notebooks"),
        ("data", run_data, "write the embedded tables from the raw files"),
    ]:
        command = commands.add_parser(name, help=about)
        command.add_argument("--source", default="auto", choices=("auto", *datasets.ROUTES))
        command.add_argument("--jobs", type=int, default=0, help="at a time; 0 means all cores")
        command.set_defaults(run=run)
    return top


def run_rank(options: argparse.Namespace) -> int:
    """Print the ranking of one task of a file."""
    rankings = datasets.read_rankings(options.file)
    task = chosen_task(options.task, sorted(rankings["task"].unique()), options.file)
    counts = pairwise.counts(pairwise.comparisons(rankings[rankings["task"] == task]))
    if not counts.comparisons:
        raise DataError(f"{options.file}: task {task!r} has no pair of ranked outputs to compare")
    if options.reference and options.reference not in counts.systems:
        raise DataError(
            f"{options.file}: no system {options.reference!r} in task {task!r};"
            f" say --reference '' if there is no human reference"
        )
    try:
        result = rank(counts, options.method, options.reference or None, options.time_limit)
    except ValueError as error:
        raise DataError(f"{options.file}: {error}") from None
    result = {"task": task, **result}
    print(json.dumps(result, indent=2) if options.json else as_table(result))
    return 0


def chosen_task(wanted: str | None, tasks: list[str], file: str) -> str:
    """The task to rank: the one asked for, or the only one there is."""
    if wanted is None and len(tasks) == 1:
        return tasks[0]
    listed = ", ".join(f'"{t}"' for t in tasks)
    if wanted is None:
        raise DataError(f"{file}: holds {len(tasks)} tasks; choose one with --task: {listed}")
    if wanted not in tasks:
        raise DataError(f"{file}: no task {wanted!r}; there are {listed}")
    return wanted


def rank(
    counts: Counts, method: str, reference: str | None, time_limit: float | None
) -> dict[str, Any]:
    """A ranking by any method, as the JSON output shows it.

    The violated weight is that of the order as listed, in which tied systems stand by name.
    """
    wins = counts.without(reference).wins
    if method != "mfas":
        table = scorers.ranking(scorers.SCORERS[method](counts, reference=reference))
        weight = pairwise.violated_weight(table["system"].tolist(), wins)
        return {"method": method, "systems": table.to_dict("records"), "violated_weight": weight}
    solution = mfas.solve(wins, time_limit=time_limit)
    systems = [{"system": s, "rank": k, "score": None} for k, s in enumerate(solution.order, 1)]
    if solution.optimal_orders is not None:
        for row in systems:
            best, worst = solution.rank_ranges.loc[row["system"], ["best", "worst"]]
            row |= {"best_rank": int(best), "worst_rank": int(worst)}
    return {
        "method": method,
        "systems": systems,
        "violated_weight": solution.cost,
        "certificate": {
            "lower_bound": solution.lower_bound,
            "optimal": solution.optimal,
            "optimal_orders": solution.optimal_orders,
        },
    }


def as_table(result: dict[str, Any]) -> str:
    """A ranking for the terminal."""
    width = max(len(row["system"]) for row in result["systems"])
    lines = [f"{result['task']}, {result['method']}"]
    ranks = [row["rank"] for row in result["systems"]]
    for row in result["systems"]:
        tied = "=" if ranks.count(row["rank"]) > 1 else " "
        line = f"{row['rank']:4d}{tied} {row['system']:<{width}}"
        if row["score"] is not None:
            line += f"  {row['score']:8.4f}"
        elif row.get("best_rank", row["rank"]) != row.get("worst_rank", row["rank"]):
            line += f"  {row['best_rank']}-{row['worst_rank']} in other optimal orders"
        lines.append(line.rstrip())
    lines.append(f"violated weight: {result['violated_weight']} judgements")
    if certificate := result.get("certificate"):
        bound, orders = certificate["lower_bound"], certificate["optimal_orders"]
        proof = "proven least" if certificate["optimal"] else f"at least {bound} is unavoidable"
        many = "" if orders is None else f"; optimal orders: {orders}"
        lines.append(f"{proof} (lower bound {bound}){many}")
    return "\n".join(lines)


def run_reproduce(options: argparse.Namespace) -> int:
    """`make reproduce`."""
    from wmtlib import runner  # the notebook tools take a second to load

    return runner.reproduce(datasets.resolve(options.source), options.jobs)


def run_check(options: argparse.Namespace) -> int:
    """`make check`."""
    from wmtlib import runner

    return runner.check(datasets.resolve(options.source), options.jobs)


def run_report(options: argparse.Namespace) -> int:
    """`make report`."""
    from wmtlib import runner

    print(runner.build_report(datasets.resolve(options.source)))
    return 0


def run_data(options: argparse.Namespace) -> int:
    """`make data`."""
    for path in datasets.write_embedded(options.source):
        print(path.relative_to(datasets.ROOT))
    return 0
