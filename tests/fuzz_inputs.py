"""Coverage-guided fuzzing of `reader.read` with atheris; not part of the test suite.

    python tests/fuzz_inputs.py [folder of a corpus] [-max_total_time=180] [other libFuzzer options]

Only `DataError` with one line, or a result that has as many rows as the file, is right; anything
else ends the run and leaves the input behind. `--mutate SECONDS` needs no atheris: it changes the
seeds of the test suite, Parquet among them, at random, for so long.
"""

import random
import re
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

try:
    import atheris
except ImportError:
    atheris = None

if atheris and "--mutate" not in sys.argv:
    with atheris.instrument_imports(include=["wmtlib.yours", "csv", "json", "gzip"]):
        from wmtlib.yours import read as reader
else:
    from wmtlib.yours import read as reader

from user_files import HEADER, PIECES, ROWS, SEEDS, check_anything, parquet

from wmtlib.errors import DataError

SEED = 2012


def one_input(folder: Path, data: bytes) -> bool:
    """Whether these bytes were read; fails if they are neither read nor refused as they should."""
    path = folder / "input"
    path.write_bytes(data)
    if data[:4] in (b"PAR1", b"PARE"):
        return read_parquet(path)
    return check_anything(path, data)


def read_parquet(path: Path) -> bool:
    """The same for Parquet, whose rows nobody else counts."""
    try:
        found = reader.read(path)
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1
        return False
    assert found.comparisons["count"].sum() == found.rows
    return True


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, cut, put in, doubled or moved."""
    for _ in range(rng.randint(1, 3)):
        i, j = sorted(rng.choices(range(len(data) + 1), k=2))
        j = min(j, i + rng.choice([0, 1, 2, 8, 64]))
        piece = rng.choice([*PIECES, rng.randbytes(rng.randint(1, 4)), data[i:j] * 2])
        data = data[:i] + piece + data[j:]
        if rng.random() < 0.02:
            data = data[: rng.randint(0, len(data))]
    return data


def swapped(data: bytes, rng: random.Random) -> bytes:
    """A few cells in each other's place: mostly still a table."""
    parts = re.split(rb"([,\t\n])", data)
    for _ in range(rng.randint(1, 3)):
        i, j = rng.choices(range(0, len(parts), 2), k=2)
        parts[i], parts[j] = parts[j], parts[i]
    return b"".join(parts)


def mutate(seconds: float, folder: Path) -> None:
    """Random mutations of good files, without coverage."""
    rng = random.Random(SEED)
    seeds = [data for data, _ in SEEDS.values()]
    seeds += [parquet(folder / "seed.parquet", HEADER, ROWS).read_bytes()] * 3
    tried = read = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = rng.choice([mutated, swapped])(rng.choice(seeds), rng)
        tried += 1
        try:
            read += one_input(folder, data)
        except BaseException:
            print(f"after {tried} inputs: {data!r}", flush=True)
            raise
    print(f"{tried} inputs, {read} read, {tried - read} refused")


def fuzz(folder: Path) -> None:
    """Mutations that reach new lines of the code, until libFuzzer ends the program."""
    if atheris is None:
        sys.exit("atheris is not installed; try --mutate SECONDS")
    corpus = folder / "corpus"
    corpus.mkdir()
    for name, (data, _) in SEEDS.items():
        (corpus / name).write_bytes(data)
    parquet(corpus / "seed.parquet", HEADER, ROWS)
    atheris.Setup([*sys.argv, str(corpus)], partial(one_input, folder))
    atheris.Fuzz()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="wmtlib-fuzz-") as name:
        if "--mutate" in sys.argv:
            mutate(float(sys.argv[sys.argv.index("--mutate") + 1]), Path(name))
        else:
            fuzz(Path(name))
