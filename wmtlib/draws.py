"""Random draws that do not depend on who makes them: seeds, blocks, folds, workers.

A result with a seed is the same to the byte, however many resamples are held at a time
and whichever worker computes them: every block of `BLOCK` resamples has a stream of
random numbers of its own.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from wmtlib.errors import DataError, shown

BLOCK = 50  # resamples that are drawn from one stream of random numbers
DEALT = 1_000_000  # comparisons up to which folds are dealt one by one, not by counts
Seed: TypeAlias = int | np.random.Generator
Task: TypeAlias = tuple[Callable, tuple, dict]  # what `joblib.delayed` makes of a call


def generator(seed: Seed) -> np.random.Generator:
    """The random numbers of a seed; a generator is returned as it is."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise DataError(
            f"seed is {shown(seed)}; expected a whole number from 0"
        ) from None


def blocks(
    n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[int, np.random.Generator]]:
    """The size of each block of resamples, and its own generator.

    So a resample is the same one, however many blocks are drawn at a time, and by whom.

    >>> [size for size, _ in blocks(120, np.random.default_rng(1))]
    [50, 50, 20]
    """
    starts = range(0, n_resamples, BLOCK)
    for start, stream in zip(starts, rng.spawn(len(starts)), strict=True):
        yield min(BLOCK, n_resamples - start), stream


def dealt(times: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """How many comparisons of each row every fold is dealt at random, (rows, folds).

    `times` says how many comparisons each row stands for. More than `DEALT` are dealt
    by counts.

    >>> dealt(np.array([10**12, 3]), 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [1000000000000, 3]
    """
    total = int(times.sum())
    if total > DEALT:
        # Each comparison is dealt by itself, so that the counts of a row are
        # multinomial, however large. Given the sizes of the folds that is the draw
        # without replacement (multivariate hypergeometric, which NumPy draws up to 10^9
        # only). The sizes themselves are not equal, but differ by chance: of a million
        # comparisons by a few in a thousand.
        return rng.multinomial(times, np.full(folds, 1 / folds))
    row = np.repeat(np.arange(len(times)), times)
    fold = rng.permutation(total) % folds
    return np.bincount(row * folds + fold, minlength=len(times) * folds).reshape(
        -1, folds
    )


def by_workers(tasks: Iterable[Task]) -> Iterator[Any]:
    """What function(*arguments, **options) gives, for every task in turn.

    Workers are those of `joblib.parallel_config`; without it, this process does it all.

    >>> [*by_workers((max, (k, 2), {}) for k in range(4))]
    [2, 2, 2, 3]
    """
    from joblib import Parallel  # loading it takes a tenth of a second

    return Parallel(return_as="generator")(tasks)
