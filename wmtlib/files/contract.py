"""The contract by which tables are read: kinds, roles, names, words and exports."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CONTRACT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
KINDS: dict[str, Any] = CONTRACT["kinds"]
EXPORTS: dict[str, Any] = {
    export["name"]: export for export in [*CONTRACT["exports"], *CONTRACT["headless"]]
}
NAMES = {role: {*names} for role, names in CONTRACT["names"].items()}
ROLE_OF = {name: role for role, names in NAMES.items() for name in names}
MISSING = {*CONTRACT["cells"]["missing"]}
NOBODY = {*CONTRACT["cells"]["nobody"]}
SUMS = {*CONTRACT["cells"]["sums"]}

SYSTEMS = ("a", "b", "winner", "loser", "system")  # roles that hold names of systems
SCORED = ("score", "score_a", "score_b")
RANKED = ("rank", "rank_a", "rank_b")
COUNTED = ("wins_a", "wins_b", "ties", "count")
NUMBERS = (*SCORED, *RANKED, *COUNTED)
# Roles by which judgements are told apart, and that can be resampled.
OF_COMPARISONS = ("judge", "judge_group", "document", "segment", "ranking")
OF_ASSESSMENTS = ("worker", "hit", "document", "segment")


def key(name: str) -> str:
    """Write the name of a column as the known names are written.

    >>> key("Doc_ID"), key("system 1"), key("score (1 = best)")
    ('docid', 'system1', 'score(1=best)')
    """
    return re.sub(r"[\s_.-]", "", name.casefold())


def roles_of(kind: str) -> set[str]:
    """Return all roles that a kind of judgements may have."""
    needed = {role for roles in KINDS[kind]["needed"] for role in roles}
    return needed.union(KINDS[kind]["may"])


def usable(kind: str, needed: Iterable[str]) -> set[str]:
    """Return the roles that count beside a set of needed ones; others are asked about.

    Numbers of ties go with numbers of wins alone, which say how often a row counts.
    """
    roles = {*needed}
    unfit = {"tied", "count"} if "wins_a" in roles else {"ties"}
    if {"score_a", "rank_a"} & roles:
        unfit.add("tied")
    return roles.union(KINDS[kind]["may"]) - unfit


ROLES = [*dict.fromkeys(role for kind in KINDS for role in sorted(roles_of(kind)))]


def export_of(header: Iterable[str]) -> dict[str, Any]:
    """Return the first export whose columns are in a header; {} if none are."""
    names = {*header}
    return next((e for e in CONTRACT["exports"] if {*e["header"]} <= names), {})
