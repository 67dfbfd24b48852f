"""Settings as messages name them: in Python, and on the command line."""

import shlex
from collections.abc import Sequence

from wmtlib.errors import Message, shown

HELP = Message("help(wmtlib)", "wmtlib rank --help")
NO_REFERENCE = Message("reference=''", "--reference ''")
LOWER = Message("lower_is_better=True", "--lower-is-better")
HIGHER = Message("lower_is_better=False", "--higher-is-better")
SCALE = Message("scale=(LOW, HIGH)", "--scale LOW,HIGH")
SKIP_BAD = Message("skip_bad=True", "--skip-bad")


def setting(name: str, value: str) -> Message:
    """A setting with one value, such as the kind of a file.

    >>> kind = setting("kind", "pairwise")
    >>> print(kind, "|", kind.command_line)
    kind='pairwise' | --kind pairwise
    """
    return Message(f"{name}={value!r}", f"--{name} {value}")


def preset(name: str) -> Message:
    """What errors weigh."""
    return setting("preset", name)


def column(role: str, name: str | None) -> Message:
    """What the column of a role is called; None if it is to be ignored.

    >>> ignored = column("judge", None)
    >>> print(ignored, "|", ignored.command_line)
    columns={'judge': None} | --column judge=
    """
    option = shlex.quote(f"{role}={name or ''}")
    return Message(f"columns={ {role: name} }", f"--column {option}")


def outcome(word: str, meaning: str, *, quoted: bool = False) -> Message:
    """What an outcome means; `quoted` if the shell may take it for several words.

    >>> tie = outcome("-1", "tie")
    >>> print(tie, "|", tie.command_line)
    outcomes={'-1': 'tie'} | --outcome=-1=tie
    """
    value = shown(word) if quoted else word
    # After a blank, the parser of the command line takes -1 for an option.
    sign = "=" if value.startswith("-") else " "
    return Message(
        f"outcomes={{{shown(word)}: {meaning!r}}}",
        f"--outcome{sign}{value}={meaning}",
    )


def references(names: Sequence[str]) -> Message:
    """Systems that are human references.

    >>> both = references(["A", "B"])
    >>> print(both, "|", both.command_line)
    reference=['A', 'B'] | --reference A --reference B
    """
    options = [f"--reference {name}" for name in names]
    return Message(f"reference={[*names]}", " ".join(options))
