"""An answer about systems whose names are something else elsewhere."""

import random

import pandas as pd

from wmtlib.analysis.answers import Answer, AnswerSection
from wmtlib.analysis.ranking_answer import answer_ranking
from wmtlib.yours import read as reader

LONG = "L" * 400
NAMES = [
    "<script>alert(1)</script>",
    "=cmd()|' /C calc'!A0",
    "[red]x[/red]",
    "$\\frac{1}{x$",
    "系统-ü-é",
    LONG,
    LONG + "M",
    ":smile:",
    'a,b"c',
]


def odd_answer(folder):
    """A ranking of systems with those names."""
    draw = random.Random(1)
    rows = []
    for _ in range(400):
        a, b = draw.sample(NAMES, 2)
        rows.append((a, b, draw.choice(["a", "b", "tie"]), f"j{draw.randrange(7)}"))
    path = folder / "[red]odd.csv"
    pd.DataFrame(rows, columns=["a", "b", "outcome", "judge"]).to_csv(path, index=False)
    return answer_ranking(reader.read(path), n_resamples=20)


def small_answer(details=(), **tables):
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    details = {name: frames.pop(name) for name in details}
    section = AnswerSection("Part", "Words.", ["Mind!"], frames, details)
    return Answer("Title", {"Signature": "sig"}, [section])
