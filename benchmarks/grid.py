"""The grid of Hopkins & May (2013), Figures 2-5: every model, size, trial and track.

    python benchmarks/grid.py

From the raw judgements where they are, else from the embedded counts. Prints seconds,
fits a second, each model's share, and the peak memory; what an earlier run has kept is
not read.
"""

import os
import resource
import time

import pandas as pd

from study import hopkins2013
from study.data import sources
from study.hopkins2013 import section_8
from study.hopkins2013.registry import MODELS
from wmtlib.methods import METHODS


def main() -> None:
    os.environ["WMTLIB_KEPT"] = ""
    source = sources.resolve()
    campaigns = ("wmt10", "wmt11", "wmt12", "wmt10-crowd")
    tracks = [t for c in campaigns for t in hopkins2013.load_tracks(c, source=source)]
    ranking, models = [], []  # models that rank from counts, and the others
    for name in MODELS:
        is_ranking = name in METHODS and METHODS[name].kind == "counts"
        (ranking if is_ranking else models).append(name)

    start = time.perf_counter()
    done = section_8.grid(tracks, models)
    seconds = time.perf_counter() - start
    print(f"{source.kind} data, {len(tracks)} tracks")
    print(f"{len(done)} fits in {seconds:.1f} s, {len(done) / seconds:.0f} a second")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:.0f} MB")

    rows = []
    for name in [*models, *ranking]:
        start = time.perf_counter()
        section_8.grid(tracks[:8], [name], sizes=[1600], trials=1)
        rows.append((name, 1000 * (time.perf_counter() - start) / 8))
    print("\nmilliseconds for a fit at 1600 comparisons and its test, WMT10")
    print(pd.DataFrame(rows, columns=["model", "ms"]).round(1).to_string(index=False))


if __name__ == "__main__":
    main()
