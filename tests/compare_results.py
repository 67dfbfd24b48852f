"""Compare every value of two folders of results: python tests/compare_results.py OLD
NEW.

A third argument is the tolerance. A value agrees if its text is equal, or if both are
numbers within that relative tolerance (default 1e-9). Signatures are left out: they
name the version of the package. Exit code 1 if anything differs.
"""

import csv
import math
import sys
from pathlib import Path


def rows(path):
    """The table with its header."""
    with open(path, newline="", encoding="utf-8") as file:
        return [*csv.reader(file)]


def distance(old, new):
    """0 for equal text, the relative difference of two numbers, infinity otherwise."""
    if old == new:
        return 0.0
    try:
        a = float(old)
        b = float(new)
    except ValueError:
        return math.inf
    return (
        abs(a - b) / max(abs(a), abs(b))
        if math.isfinite(a) and math.isfinite(b)
        else math.inf
    )


def compare(old, new, tolerance):
    """Print what differs between two files; the number of values that do."""
    before = rows(old)
    after = rows(new)
    if [len(row) for row in before] != [len(row) for row in after]:
        print(
            f"{new.name}: {len(before)} rows before, {len(after)} now, or other columns"
        )
        return 1
    differing = 0
    for number, (row, other) in enumerate(zip(before, after, strict=True), start=1):
        for column, a, b in zip(before[0], row, other, strict=True):
            if column == "signature":
                continue
            if (relative := distance(a, b)) > tolerance:
                differing += 1
                print(f"{new.name}, line {number}, {column}: {a!r} before, {b!r} now")
            elif relative:
                print(
                    f"{new.name}, line {number}, {column}:"
                    f" off by {relative:.0e}, tolerated"
                )
    return differing


def main(old, new, tolerance="1e-9"):
    """Compare the folders; 0 if every value of every table agrees."""
    before = {p.relative_to(old): p for p in sorted(Path(old).rglob("*.csv"))}
    after = {p.relative_to(new): p for p in sorted(Path(new).rglob("*.csv"))}
    for name in sorted(set(before) ^ set(after)):
        print(f"{name}: only {'before' if name in before else 'now'}")
    both = sorted(set(before) & set(after))
    differing = sum(
        compare(before[name], after[name], float(tolerance)) for name in both
    )
    values = sum(len(row) for name in both for row in rows(after[name])[1:])
    print(f"{len(both)} tables, {values} values, {differing} differ")
    return int(differing > 0 or set(before) != set(after))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
