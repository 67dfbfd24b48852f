"""How long people wait for a command, and how much memory it takes: CPU seconds and
peaks.

    python benchmarks/waiting.py [--times N] [--large]

Each command runs in a process of its own, N times in turn (5), and the least CPU
counts; beside it the ratio to `python -c "import numpy, pandas"`. An arena of 100
models and 20,000 votes follows, and with `--large` files of ten million comparisons
(Parquet; without judges and with 2,000) and of one million assessments (CSV). Files are
made with a seed in a temporary folder. Bytecode is cached, as in an installed package.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

PAIRWISE = str(Path(__file__).parents[1] / "examples" / "pairwise.csv")
PYTHON, RANK = [sys.executable], [sys.executable, "-m", "wmtlib", "rank"]
ARENA = """
    SELECT 'model-' || a AS model_a,
        'model-' || (a + 1 + (random() * 98)::INT) % 100 AS model_b,
        CASE WHEN random() < 0.2 THEN 'tie' WHEN random() < 0.4 + a / 500 THEN 'model_a'
        ELSE 'model_b' END AS winner{}
    FROM (SELECT (random() * 99)::INT AS a FROM range({}))"""
JUDGES = ", 'judge-' || (random() * 1999)::INT AS judge"
ASSESSMENTS = """
    SELECT 'w' || (random() * 1999)::INT AS worker,
        's' || (random() * 19)::INT AS system,
        (random() * 2999)::INT AS segment,
        (random() * 100)::INT AS score FROM range({})"""


def cpu_of(command: list[str]) -> float:
    """CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(folder: Path, times: int) -> None:
    """Small files: least CPU of some runs, in turn."""
    refused = folder / "refused.csv"
    refused.write_text("a,b\n1,2\n")
    rows = {
        'python -c "import numpy, pandas"': [*PYTHON, "-c", "import numpy, pandas"],
        "the same and matplotlib.figure": [
            *PYTHON,
            "-c",
            "import pandas, matplotlib.figure",
        ],
        "wmtlib --version": [*PYTHON, "-m", "wmtlib", "--version"],
        "wmtlib rank, a file that is refused": [*RANK, str(refused)],
        "wmtlib rank examples/pairwise.csv": [*RANK, PAIRWISE],
        "the same with --html (2 pictures)": [
            *RANK,
            PAIRWISE,
            "--html",
            str(folder / "page.html"),
        ],
    }
    found = {what: [cpu_of(command)] for what, command in rows.items()}
    for _ in range(times - 1):
        for what, command in rows.items():
            found[what].append(cpu_of(command))
    base = min(next(iter(found.values())))
    print(f"{'CPU, least of ' + str(times):<42}{'seconds':>9}{'ratio':>8}")
    for what, seconds in found.items():
        print(f"{what:<42}{min(seconds):9.2f}{min(seconds) / base:8.2f}")


def large(what: str, path: Path, query: str, kind: str, *options: str) -> None:
    """First line and last of a ranking, its CPU and its peak memory."""
    with duckdb.connect() as database:
        database.execute("SELECT setseed(0.5)")
        database.execute(f"COPY ({query}) TO '{path}' (FORMAT {kind})")
    begun, pipe = time.monotonic(), subprocess.PIPE
    process = subprocess.Popen(
        [*RANK, str(path), *options], stdout=pipe, stderr=subprocess.DEVNULL
    )
    process.stdout.readline()
    first = time.monotonic() - begun
    process.stdout.read()
    last = time.monotonic() - begun
    _, _, usage = os.wait4(process.pid, 0)
    seconds, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
    print(
        f"{what:<48}{first:8.1f} s{last:8.1f} s{seconds:8.1f} s{peak:7.0f} MB",
        flush=True,
    )


def main(times: int, with_large: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands(folder, times)
        print(f"\n{'wmtlib rank':<48}{'first':>10}{'all':>10}{'CPU':>10}{'peak':>10}")
        arena = "100 models, 20,000 votes"
        large(arena, folder / "arena.csv", ARENA.format("", 20_000), "csv")
        if with_large:
            for more, columns in {"": "", ", 2,000 judges": JUDGES}.items():
                what = f"ten million comparisons{more}, Parquet"
                query = ARENA.format(columns, 10_000_000)
                large(what, folder / "ten.parquet", query, "parquet")
            path = folder / "assessments.csv"
            large(
                "one million assessments, CSV",
                path,
                ASSESSMENTS.format(1_000_000),
                "csv",
                "--scale=0,100",
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--large", action="store_true", dest="with_large")
    main(**vars(parser.parse_args()))
