"""Former names of options in messages; `wmtlib.errors` has them."""

from collections.abc import Sequence

from wmtlib.errors import DIRECTION as DIRECTION
from wmtlib.errors import HELP as HELP
from wmtlib.errors import HIGHER as HIGHER
from wmtlib.errors import LOWER as LOWER
from wmtlib.errors import SCALE as SCALE
from wmtlib.errors import SKIP_BAD as SKIP_BAD
from wmtlib.errors import Message, setting
from wmtlib.errors import column as column
from wmtlib.errors import outcome as outcome


def preset(name: str) -> Message:
    """Write the option that sets error weights."""
    return setting("preset", name)


def rows_with(name: str, value: str) -> Message:
    """Write the option that keeps the rows with a value in a column."""
    return setting("rows", {name: value}, f"{name}={value}")


def revisions(which: str) -> Message:
    """Write the option that says which answers to one item count."""
    return setting("revisions", which)


def task_columns(names: Sequence[str]) -> Message:
    """Write the option that names the columns of a task."""
    return setting("task_columns", [*names], ",".join(names))
