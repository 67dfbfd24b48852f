"""Names of systems, which may be anybody's: how wide they are, and how they are shortened."""

import unicodedata
from collections.abc import Sequence


def width_of(words: str) -> int:
    """Places that text takes on a terminal: two for a Chinese letter, none for an accent.

    >>> width_of("online-A"), width_of("系统"), width_of("e\u0301")
    (8, 4, 1)
    """
    if words.isascii():
        return len(words)
    marks = sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in words)
    return len(words) - marks + sum(unicodedata.east_asian_width(x) in "WF" for x in words)


def joined(names: Sequence[str], between: Sequence[str], width: int) -> str:
    """Names with what stands between them; those in the middle are left out if there is no room.

    >>> joined([*"abc"], [" > ", " = "], 20), joined([*"abcdefgh"], [" > "] * 7, 20)
    ('a > b = c', 'a > b > … > g > h')
    """
    parts = [name + after for name, after in zip(names, [*between, ""], strict=True)]
    shown, ends = "".join(parts), len(parts) // 2
    while width_of(shown) > width and ends > 0:
        first, last = "".join(parts[:ends]), "".join(parts[-ends:])
        shown, ends = f"{first}…{between[-ends]}{last}", ends - 1
    return shown


def cut(words: str, width: int) -> str:
    """A name cut in the middle: its ends tell it from others.

    >>> cut("online-A.large.2024.de-en", 16)
    'online-A…4.de-en'
    """
    shown, kept = words, len(words)
    while width_of(shown) > width and kept > 2:
        kept -= 1
        shown = f"{words[: kept // 2]}…{words[len(words) - (kept - 1) // 2 :]}"
    return shown
