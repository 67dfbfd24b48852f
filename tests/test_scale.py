"""The statement of docs/scale.md: the same bytes and answer by each engine."""

import csv
import hashlib
import json
import random
import re
import runpy
import shutil
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pytest
from test_recipes import RECIPES, ROOT

from wmtlib import cli

PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
STATEMENT = re.search(r"^    (SELECT.*?)\n\n", PAGE, re.M | re.S)[1]
(POLARS,) = [code for language, _, code in RECIPES["Polars"] if language == "python"]
HEADER = ["model_a", "model_b", "winner", "judge"]
SETTINGS = "--missing= --method bradley-terry --method mfas --json"


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A folder with votes.csv, and its counts by Python alone, as lines."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(26)
    rows = []
    for _ in range(3000):
        pair = rng.sample(["x", "y", "z", "ü, w"], 2)
        judge = rng.choice(["", *(f"judge {k}" for k in range(200))])
        rows.append(
            [*pair, rng.choice(["model_a", "model_a", "model_b", "tie"]), judge]
        )
    with open("votes.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    groups = {name: hashlib.md5(name.encode()).hexdigest()[:2] for *_, name in rows} | {
        "": ""
    }
    counts = Counter((*rest, groups[name]) for *rest, name in rows)
    write("counts.csv", [[*cell, number] for cell, number in counts.items()])
    return lines_of("counts.csv")


def write(name, rows):
    with open(name, "w", encoding="utf-8", newline="") as file:
        header = [*HEADER[:3], "judge_group", "count"]
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def lines_of(name):
    return sorted(Path(name).read_text("utf-8").splitlines())


def answer(capsys, path):
    """What `rank` says, but for the file's name and hash."""
    assert cli.main(["rank", path, *SETTINGS.split()]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document.pop("signature").split("|data=")[1][:8] == document.pop("data")[:8]
    assert document.pop("file")
    return document


def by_duckdb():
    """Count by DuckDB; also a folder of two Parquet files."""
    counts = f"WITH votes AS (FROM 'votes.csv') {STATEMENT}"
    duckdb.execute(f"COPY ({counts}) TO 'counts-duckdb.csv'")
    Path("counts-duckdb").mkdir()
    for name, winners in (("part-0", "= 'tie'"), ("part-1", "<> 'tie'")):
        some = f"SELECT * FROM ({counts}) WHERE winner {winners}"
        duckdb.execute(f"COPY ({some}) TO 'counts-duckdb/{name}.parquet'")


def by_polars():
    exec(compile(POLARS, "polars", "exec"), {})


def by_spark():
    if not shutil.which("java"):
        pytest.skip("needs a Java")
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    spark = sql.SparkSession.builder.master("local[1]").config(
        "spark.ui.enabled", "false"
    )
    spark = spark.getOrCreate()
    spark.read.csv("votes.csv", header=True).createOrReplaceTempView("votes")
    spark.sql(STATEMENT).write.parquet("counts-spark")
    spark.stop()
    duckdb.execute("COPY (FROM 'counts-spark/*.parquet') TO 'counts-spark.csv'")


@pytest.mark.slow
@pytest.mark.parametrize("engine", [by_duckdb, by_polars, by_spark])
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the engines
def test_an_engine_gives_the_same_bytes_and_the_same_answer(counted, engine, capsys):
    engine()
    name = engine.__name__.replace("by_", "counts-")
    assert lines_of(f"{name}.csv") == counted
    folder = [name] if Path(name).is_dir() else []
    capsys.readouterr()
    expected = answer(capsys, "counts.csv")
    assert all(answer(capsys, path) == expected for path in [f"{name}.csv", *folder])


def test_the_order_of_rows_decides_nothing(counted, capsys):
    with open("counts.csv", encoding="utf-8", newline="") as file:
        rows = [*csv.reader(file)][1:]
    expected = answer(capsys, "counts.csv")
    random.Random(1).shuffle(rows)
    write("shuffled.csv", rows)
    assert answer(capsys, "shuffled.csv") == expected


def test_what_cannot_be_done_with_groups_is_one_line(counted, capsys):
    assert cli.main(["rank", "counts.csv"]) == 2
    assert re.search(r"judge_group is '' \(\d+ rows", capsys.readouterr().err)
    assert cli.main(["judges", "counts.csv", "--missing="]) == 2
    assert capsys.readouterr().err.startswith(
        "wmtlib: counts.csv: tells no judges apart; expected"
    )
    uniform = ["--missing=", "--model", "uniform", "--json"]
    assert cli.main(["compare", "counts.csv", *uniform]) == 0
    assert json.loads(capsys.readouterr().out)["unit"] == "judge_group"
    assert cli.main(["rank", "counts.csv", "--missing="]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"29\d\d comparisons, 1\d\d groups of judges", said)
    assert re.search(r"left out: \d+ rows with a missing cell", said)
    assert "How sure: each judge group was left out in turn" in said
    for warned in (
        "judges come in groups, which are left out in turn (docs/scale.md)",
        "the file does not tell what was judged: ranks and lines do not allow for",
    ):
        assert f"Warning: {warned}" in said


@pytest.mark.slow
def test_groups_of_judges_have_the_standard_errors_of_judges():
    """One campaign of those behind the table of the page."""
    script = runpy.run_path(str(ROOT / "benchmarks" / "groups.py"))
    ratio = script["ratios"](script["simulate"](np.random.default_rng(1))).mean()
    assert ratio["256 groups"] == pytest.approx(1, abs=0.15)
    assert ratio["single votes"] < 0.75
