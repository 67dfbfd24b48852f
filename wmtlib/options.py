"""Settings as messages name them: in Python, and on the command line."""

import shlex
from collections.abc import Mapping, Sequence

from wmtlib.errors import Message, cut, joined

LONGEST = 80  # signs of an outcome
HELP = Message("help(wmtlib)", "wmtlib rank --help")
NO_REFERENCE = Message("reference=''", "--reference ''")
LOWER = Message("lower_is_better=True", "--lower-is-better")
HIGHER = Message("lower_is_better=False", "--higher-is-better")
SCALE = Message("scale=(LOW, HIGH)", "--scale LOW,HIGH")
DIRECTION = joined(
    "; if low ones are good, add ", LOWER, "; if high ones are, ", HIGHER
)
SKIP_BAD = Message("skip_bad=True", "--skip-bad")


def setting(name: str, value: str) -> Message:
    """A setting with one value, such as the kind of a file.

    >>> kind = setting("kind", "pairwise")
    >>> print(kind, "|", kind.command_line)
    kind='pairwise' | --kind pairwise
    """
    return Message(f"{name}={value!r}", f"--{name.replace('_', '-')} {value}")


def preset(name: str) -> Message:
    """What errors weigh."""
    return setting("preset", name)


def column(role: str, name: str | None) -> Message:
    """What the column of a role is called; None if it is to be ignored.

    >>> ignored = column("judge", None)
    >>> print(ignored, "|", ignored.command_line)
    columns={'judge': None} | --column judge=
    """
    word = shlex.quote(f"{role}={name or ''}")
    return Message(f"columns={ {role: name} }", f"--column {word}")


def rows_with(name: str, value: str) -> Message:
    """Return how to keep the rows that have a value in a column.

    >>> kept = rows_with("status", "submitted")
    >>> print(kept, "|", kept.command_line)
    rows={'status': 'submitted'} | --rows status=submitted
    """
    word = shlex.quote(f"{name}={value}")
    return Message(f"rows={ {name: value} }", f"--rows {word}")


def revisions(which: str) -> Message:
    """Return which of several answers of one judge to one item count."""
    return Message(f"revisions={which!r}", f"--revisions {shlex.quote(which)}")


def task_columns(names: Sequence[str]) -> Message:
    """Return which columns together make a task."""
    word = shlex.quote(",".join(names))
    return Message(f"task_columns={[*names]}", f"--task-columns {word}")


def outcome(meanings: Mapping[str, str]) -> Message:
    """Return what outcomes mean, as a shell takes it; long ones are cut.

    >>> both = outcome({"-1": "tie", "No idea": "skip", "": "skip"})
    >>> print(both, "|", both.command_line)
    outcomes={'-1': 'tie', 'No idea': 'skip', '': 'skip'} | \
--outcome=-1=tie --outcome 'No idea'=skip --outcome =skip
    """
    options = []
    meanings = {cut(word, LONGEST): meaning for word, meaning in meanings.items()}
    for word, meaning in meanings.items():
        value = word and shlex.quote(word) if word.isprintable() else repr(word)
        # After a blank, the parser of the command line takes -1 for an option.
        sign = "=" if word.startswith("-") else " "
        options.append(f"--outcome{sign}{value}={meaning}")
    return Message(f"outcomes={meanings}", " ".join(options))


def references(names: Sequence[str]) -> Message:
    """Systems that are human references.

    >>> both = references(["A", "B"])
    >>> print(both, "|", both.command_line)
    reference=['A', 'B'] | --reference A --reference B
    """
    options = [f"--reference {name}" for name in names]
    return Message(f"reference={[*names]}", " ".join(options))
