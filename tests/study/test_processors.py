"""The same bytes on another processor: fast tables, under two kernels of OpenBLAS and
two threads.

A kernel adds in an order of its own, so the last bit of a sum may differ, and may
decide between two systems that tie. The tables are made in two processes, which differ
in both, and rounded as results/ are. Where NumPy has no OpenBLAS, as on a Mac, they do
not differ. `make processors` compares all that is written.
"""

import json
import os
import subprocess
import sys

import pytest

KERNELS = [("Haswell", "1"), ("Prescott", "2")]
TABLES = """
import json
import numpy as np
import pandas as pd
import wmtlib
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.counts import Counts
from study.beyond import wmt16
from study import hopkins2013, lopez2012
from study.hopkins2013 import which_model
from study.lopez2012 import section_5, section_6
from study import campaigns
from study.data import ranking_releases, sources

data = sources.resolve("embedded")
found = lopez2012.analyse(data)
tables = {"lopez2012 tasks": section_5.task_overview(found)}
tables |= {"lopez2012 rankings": found.rankings}
tables |= {"lopez2012 sign tests": section_6.sign_tests(found)}
fits = [wmtlib.rank(counts, "bradley-terry").table for counts in found.counts.values()]
tables |= {"Bradley-Terry fits": pd.concat(fits)}
twins = []  # every system stands there twice, so that pairs of systems tie
for seed in range(20):
    wins = np.random.default_rng(seed).integers(0, 40, (6, 6))
    wins = np.tile(wins + np.diag(np.full(6, 5) - np.diag(wins)), (2, 2))
    np.fill_diagonal(wins, 0)
    names = [f"{name}{k}" for k in (1, 2) for name in "abcdef"]
    wins = pd.DataFrame(wins, names, names)
    for method in ("bradley-terry", "rao-kupper", "expected-wins"):
        twins.append(wmtlib.rank(Counts(wins, 0 * wins), method).table)
tables |= {"systems that tie": pd.concat(twins)}
release = campaigns.load_release("simulated-sr+dc", "qa-qb", source=data)
ranked = rank_campaign(release.coded, test="legacy", rule="footnote-4")
tables |= {"clusters": ranked.ranking.table}
tasks = [t for t in wmt16.load_tasks(data) if t.counts.comparisons < 6000]
scores = wmt16.method_scores(tasks, seed=1)
samples = wmt16.resampled_scores(tasks, number=200, seed=1)
pools = [wmt16.official_runs(t.counts, 20, np.random.default_rng(1)) for t in tasks]
tables |= {"wmt16 distances": wmt16.distances(tasks, pools, scores, samples)}
tracks = hopkins2013.load_tracks("wmt12", source=data)[:2]
methods = ["bradley-terry", "rao-kupper", "trueskill"]
tested, _ = which_model.held_out(tracks, methods, seed=1)
tables |= {"held-out perplexities": which_model.method_perplexities(tested)}
texts = {name: t.round(6).to_csv(lineterminator="\\n") for name, t in tables.items()}
print(json.dumps(texts))
"""


@pytest.mark.slow
def test_tables_are_the_same_under_another_kernel_and_number_of_threads():
    made = {}
    for kernel, threads in KERNELS:
        chosen = {
            "OPENBLAS_CORETYPE": kernel,
            "OPENBLAS_NUM_THREADS": threads,
            "WMTLIB_KEPT": "",
        }
        run = subprocess.run(
            [sys.executable, "-c", TABLES],
            env=os.environ | chosen,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        made[kernel, threads] = json.loads(run.stdout)
    first = made[KERNELS[0]]
    assert all(text.count("\n") > 2 for text in first.values())
    for chosen, texts in made.items():
        for name, text in texts.items():
            lines = zip(first[name].splitlines(), text.splitlines(), strict=True)
            other = [pair for pair in lines if pair[0] != pair[1]]
            assert not other, f"{name} under {chosen}: {other[:3]}"
