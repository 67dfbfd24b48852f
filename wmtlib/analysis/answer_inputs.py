"""Shared by all answers: the data for the methods, the checks of options, the opening lines."""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import pandas as pd

from wmtlib.analysis import methods
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.encoding import encode
from wmtlib.judgements.counting import COMPARISON, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.yours.read import Judgements
from wmtlib.yours.remarks import shown_path

USUAL_METHODS = {
    "counts": ("expected-wins", "bradley-terry", "mfas"),
    "assessments": ("z-score", "raw-score"),
}


LARGEST_FIRST = ("worker", "judge", "hit", "document", "ranking", "segment")  # units


def method_data(
    judgements: Judgements, units: Sequence[str] = ()
) -> Counts | pd.DataFrame | Campaign:
    """The judgements as methods take them.

    Units that the file tells apart are kept in a comparisons frame; without any the comparisons
    are `Counts`. Assessments become a `Campaign`.
    """
    if judgements.assessments is not None:
        return encode(judgements.assessments)
    kept = [unit for unit in dict.fromkeys(units) if unit in judgements.units]
    return judgements.counted_by(tuple(kept)) if kept else judgements.counts


def refusal(judgements: Judgements, message: str) -> DataError:
    """The error about the file of the judgements."""
    return DataError(f"{shown_path(judgements.path)}: {message}")


def require_reference(judgements: Judgements, reference: str | None) -> None:
    """Refuse a reference that the file does not have; "" and None stand for no reference."""
    if reference and reference not in judgements.systems:
        known = ", ".join(judgements.systems[:20])
        raise refusal(judgements, f"no system {reference!r} to be the reference; there are {known}")


def kind_and_reference(judgements: Judgements, reference: str | None) -> tuple[str, str | None]:
    """The kind of the methods that apply ("counts" or "assessments"), and the reference, if any.

    WMT's reference is not ranked without having been told to.
    """
    if reference is None and REFERENCE in judgements.systems:
        message = f"holds the reference {REFERENCE}; say --reference {REFERENCE},"
        raise refusal(judgements, f"{message} or --reference '' to rank it")
    require_reference(judgements, reference)
    kind = "counts" if judgements.assessments is None else "assessments"
    return kind, reference or None


def require_unit(judgements: Judgements, unit: str) -> None:
    """Refuse a unit that cannot be resampled or held out."""
    if unit not in (known := units_of(judgements)):
        raise refusal(judgements, f"has no unit {unit!r}; expected {', '.join(known)}")


def units_of(judgements: Judgements) -> list[str]:
    """The units that can be resampled or held out."""
    single = [] if judgements.kind == "assessments" else [COMPARISON]
    return [*single, *judgements.units]


def default_unit(judgements: Judgements, *, at_least: int = 2) -> str:
    """The largest unit of which the file tells so many apart."""
    frame = judgements.comparisons if judgements.assessments is None else judgements.assessments
    known = [unit for unit in LARGEST_FIRST if unit in judgements.units]
    single = COMPARISON if judgements.assessments is None else known[0]
    return next((unit for unit in known if frame[unit].nunique() >= at_least), single)


def chosen_methods(wanted: Sequence[str], usual: Sequence[str], kind: str) -> list[str]:
    """Names of methods: "all" for the usual ones and then every other, none for the usual ones."""
    every = [name for name, method in methods.METHODS.items() if method.kind == kind]
    for name in (named := [name for name in wanted if name != "all"]):
        methods.require(name, kind)
    if "all" in wanted:
        named += [*usual, *every]
    return list(dict.fromkeys(named or usual))


def units_needed(names: Sequence[str]) -> list[str]:
    """The units that some of the methods must know of every comparison."""
    return ["segment"] if any(methods.METHODS[name].rows for name in names) else []


def apply_methods(
    names: Sequence[str], wanted: Sequence[str], run: Callable[[str], Any], warnings: list[str]
) -> Iterator[Any]:
    """The results of all methods that can be applied; `warnings` receives one about every other.

    Raises
    ------
    DataError
        No method can be applied, or one that is wanted by name cannot.
    """
    for name in names:
        try:
            result = run(name)
        except DataError as error:
            if name in wanted or len(warnings) == len(names) - 1:
                raise
            warnings.append(f"{name} is left out: {error}")
        else:
            yield result


def describe_reference(reference: str | None, names: Sequence[str], kind: str) -> str:
    """What becomes of the reference when systems are ranked by some methods."""
    if not reference:
        return ""
    counted_by = [name for name in names if methods.METHODS[name].reference_counts]
    if kind == "assessments":
        effect = "its scores count for the workers' scales"
    elif counted_by:
        effect = f"comparisons with it count for {', '.join(counted_by)} only"
    else:
        effect = "comparisons with it do not count"
    return f"{reference} (not ranked; {effect})"


def about(
    judgements: Judgements, command: str, role_of_reference: str, **settings: object
) -> dict[str, str]:
    """The head of an answer by label, the signature last; what is empty is left out.

    Parameters
    ----------
    command : str
        Of the command line.
    role_of_reference : str
        What becomes of the reference, in words.
    **settings
        For the signature.
    """
    systems = f"{len(judgements.systems)} systems"
    size = f"{judgements.rows} rows of {judgements.kind}, {systems}"
    if judgements.kind == "pairwise":
        size = f"{judgements.counts.comparisons} pairwise comparisons, {systems}"
    if judgements.kind == "rankings":
        size += f", {judgements.counts.comparisons} comparisons"
    labels = {
        "Judgements": f"{shown_path(PurePath(judgements.path).name)}: {size}",
        "Columns": judgements.reading,
        "Task": judgements.task,
        "Reference": role_of_reference,
    }
    parts = {"data": judgements.sha256[:8], "kind": judgements.kind, "task": judgements.task}
    parts |= settings
    parts |= {package: version(package) for package in ("wmtlib", "numpy", "scipy")}
    signature = [f"{key}={value}" for key, value in parts.items() if value not in (None, "")]
    head = {label: words for label, words in labels.items() if words}
    return head | {"Signature": "|".join([f"wmtlib {command}", *signature])}
