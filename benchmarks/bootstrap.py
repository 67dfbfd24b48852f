"""A thousand resamples of a Bradley-Terry ranking: from counts, row by row, and by
evalica.

    python benchmarks/bootstrap.py [comparisons, default one million] [resamples,
    default 1000]

One hundred systems; all in one run on one machine, so that the ratios mean something.
The ways that refit from rows run on few resamples and are scaled, which is said; ours
is the best of three. Times are CPU seconds. Ties are half a win each and there is no
prior, which is what evalica fits; then other units and models of ours.
"""

import sys
import time
from collections.abc import Callable

import evalica
import numpy as np
import pandas as pd

from wmtlib import bradley_terry
from wmtlib import resampling as bootstrap
from wmtlib.core.counts import Counts

SYSTEMS = 100
JUDGES = 200
SEED = 2012
ROWS_RESAMPLES, EVALICA_RESAMPLES, OWN_RESAMPLES = 5, 3, 2


def synthetic(size: int) -> pd.DataFrame:
    """Comparisons of Davidson's model; system_1 and system_2 are numbers."""
    rng = np.random.default_rng(SEED)
    strength = rng.normal(0, 0.7, SYSTEMS)
    a = rng.integers(SYSTEMS, size=size)
    b = (a + rng.integers(1, SYSTEMS, size=size)) % SYSTEMS
    d = strength[a] - strength[b]
    weight = np.stack([np.full(size, 0.6), np.exp(d / 2), np.exp(-d / 2)])
    edges = np.cumsum(weight / weight.sum(axis=0), axis=0)
    preference = (rng.random(size) > edges[:2]).sum(axis=0)
    judge = rng.integers(JUDGES, size=size)
    return pd.DataFrame(
        {"system_1": a, "system_2": b, "preference": preference, "judge": judge}
    )


NAMES = [f"system-{k:03d}" for k in range(SYSTEMS)]


def grouped(rows: pd.DataFrame, *units: str) -> pd.DataFrame:
    """What `reader.Judgements.comparisons` gives."""
    keys = ["system_1", "system_2", "preference", *units]
    table = rows.groupby(keys).size().rename("count").reset_index()
    for side in ("system_1", "system_2"):
        table[side] = pd.Categorical.from_codes(table[side], NAMES)
    return table


def counted(rows: pd.DataFrame, chosen: np.ndarray) -> Counts:
    """Counts of some rows, by one bincount."""
    columns = ("system_1", "system_2", "preference")
    a, b, preference = (rows[c].to_numpy()[chosen] for c in columns)
    cells = np.bincount(
        (preference * SYSTEMS + a) * SYSTEMS + b, minlength=3 * SYSTEMS**2
    )
    tie, first, second = cells.reshape(3, SYSTEMS, SYSTEMS)
    wins, ties = first + second.T, tie + tie.T
    return Counts(pd.DataFrame(wins, NAMES, NAMES), pd.DataFrame(ties, NAMES, NAMES))


def row_by_row(rows: pd.DataFrame, resamples: int) -> np.ndarray:
    """Draw rows, count them, fit from the start."""
    rng, found = np.random.default_rng(SEED), []
    for _ in range(resamples):
        counts = counted(rows, rng.integers(len(rows), size=len(rows)))
        found.append(bradley_terry.strengths(counts, ties="half", prior=0))
    return np.array(found)


def evalica_row_by_row(rows: pd.DataFrame, resamples: int) -> np.ndarray:
    """Draw rows, give them to evalica as its own codes."""
    rng, found = np.random.default_rng(SEED), []
    index = pd.Index(NAMES)
    names = np.array(NAMES, dtype=object)
    winners = np.array(
        [evalica.Winner.Draw, evalica.Winner.X, evalica.Winner.Y], dtype=object
    )
    xs, ys = names[rows["system_1"]], names[rows["system_2"]]
    all_winners = winners[rows["preference"]]
    for _ in range(resamples):
        chosen = rng.integers(len(rows), size=len(rows))
        found.append(evalica_fit(xs[chosen], ys[chosen], all_winners[chosen], index))
    return np.array(found)


def evalica_fit(xs, ys, winners, index: pd.Index) -> np.ndarray:
    result = evalica.bradley_terry([*xs], [*ys], [*winners], index=index)
    return np.log(result.sample_scores[NAMES].to_numpy())


def evalica_bootstrap(rows: pd.DataFrame, resamples: int) -> None:
    """evalica's own bootstrap, with the cheapest of its intervals."""
    names = np.array(NAMES, dtype=object)
    winners = np.array(
        [evalica.Winner.Draw, evalica.Winner.X, evalica.Winner.Y], dtype=object
    )
    evalica.bootstrap(
        evalica.bradley_terry,
        [*names[rows["system_1"]]],
        [*names[rows["system_2"]]],
        [*winners[rows["preference"]]],
        n_resamples=resamples,
        bootstrap_method="percentile",
        random_state=SEED,
    )


def timed(work: Callable[[], object]) -> tuple[object, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def best(work: Callable[[], object], times: int = 3) -> tuple[object, float]:
    """The same, the least of a few."""
    done = [timed(work) for _ in range(times)]
    return done[0][0], min(seconds for _, seconds in done)


def line(what: str, seconds: float, base: float, note: str = "") -> None:
    print(f"{what:<44}{seconds:10.2f} s{seconds / base:9.1f} x  {note}".rstrip())


def main(size: int = 1_000_000, resamples: int = 1000) -> None:
    rows = synthetic(size)
    comparisons, seconds = timed(lambda: grouped(rows))
    print(f"{size:,} comparisons, {SYSTEMS} systems, {resamples:,} resamples")
    print(f"(rows grouped and counted, once: {seconds:.2f} s, not included)")
    print(f"{'':<44}{'time':>12}{'ratio':>11}")

    def ours(method: str, unit: str, data: pd.DataFrame) -> bootstrap.BootstrapResult:
        rng = np.random.default_rng(SEED)
        return bootstrap.bootstrap(
            data, method, unit=unit, n_resamples=resamples, seed=rng
        )

    found, base = best(lambda: ours("bradley-terry-half", "comparison", comparisons))
    line("ours: Bradley-Terry, ties half", base, base)

    again, seconds = timed(lambda: row_by_row(rows, ROWS_RESAMPLES))
    scale = resamples / ROWS_RESAMPLES
    line(
        "rows drawn, counted and fitted",
        seconds * scale,
        base,
        f"({ROWS_RESAMPLES} resamples, scaled)",
    )
    spread = found.sample_scores.to_numpy().std(axis=0)
    apart = np.abs(again - found.sample_scores.to_numpy().mean(axis=0)) / spread
    assert apart.max() < 6, "samples of rows are not among those of counts"

    other, seconds = timed(lambda: evalica_row_by_row(rows, EVALICA_RESAMPLES))
    scale = resamples / EVALICA_RESAMPLES
    line(
        "rows drawn, evalica.bradley_terry",
        seconds * scale,
        base,
        f"({EVALICA_RESAMPLES}, scaled)",
    )
    assert np.abs(other - again[:EVALICA_RESAMPLES]).max() < 1e-4, (
        "evalica fits something else"
    )

    _, seconds = timed(lambda: evalica_bootstrap(rows, OWN_RESAMPLES))
    scale = resamples / (OWN_RESAMPLES + 1)  # and a fit to all rows
    line(
        "evalica.bootstrap",
        seconds * scale,
        base,
        f"({OWN_RESAMPLES} and the full fit, scaled)",
    )

    print("\nours, other methods and units")
    for method in ("expected-wins", "bradley-terry", "rao-kupper"):
        _, seconds = best(lambda method=method: ours(method, "comparison", comparisons))
        line(f"{method}, comparison", seconds, base)
    by_judge = grouped(rows, "judge")
    _, seconds = best(lambda: ours("bradley-terry", "judge", by_judge))
    line(f"bradley-terry, judge ({JUDGES})", seconds, base)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
