"""The judgements that a command asks for: of a file, of its tasks, or of a campaign."""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wmtlib.yours.read import Judgements

ALL = "all"  # of --task
CAMPAIGN = re.compile(r"[a-z][\w+-]*:[a-z]{2,3}(-[a-z]+)+")  # campaign:task, not a file


def read_judgements(options: argparse.Namespace, *, by_unit: bool) -> list["Judgements"]:
    """The judgements of the chosen task; of every task by `--task all`.

    Raises
    ------
    DataError
        What cannot be read, or options that do not fit.
    """
    from wmtlib.judgements.errors import DataError

    if CAMPAIGN.fullmatch(options.file) and not Path(options.file).exists():
        from wmtlib.cli import campaigns  # it takes a while to load

        if options.kind or options.task or options.column or options.outcome or options.scale:
            raise DataError(f"{options.file}: --kind, --task, --column and the like are for files")
        return [campaigns.load_campaign(options.file)]
    from wmtlib.yours import read as reader

    columns = _pairs("column", options.column, "a=left")
    settings = {
        "kind": options.kind,
        "columns": {role: name or None for role, name in columns.items()},  # none: ignore the role
        "outcomes": _pairs("outcome", options.outcome, "left=a"),
        "scale": options.scale,
        "by_unit": by_unit,
    }
    if options.task == ALL:
        return reader.read_tasks(options.file, **settings)
    return [reader.read(options.file, task=options.task, **settings)]


def _pairs(option: str, values: Sequence[str], example: str) -> Mapping[str, str]:
    """The parts of each value on both sides of its equality sign; outcomes may be `=`."""
    from wmtlib.judgements.errors import DataError

    for value in values:
        if "=" not in value:
            raise DataError(f"--{option} {value!r}: expected NAME=NAME, such as {example}")
    split = str.rpartition if option == "outcome" else str.partition
    return {name: other for name, _, other in (split(value, "=") for value in values)}
