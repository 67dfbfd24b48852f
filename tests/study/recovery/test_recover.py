"""Judgements from segment means: by hand, on campaigns of known truth, on WMT21."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.data import assessment_releases, sources
from study.recovery import knowledge, recover
from wmtlib.core.assessments import ASSESSMENTS


def means(judgements):
    """Return segment means of (worker, system, document, place, score), as released.

    Workers' means and sds are taken over `scale`, all that each scored, and printed to
    7 digits.
    """
    table, scale = judgements
    stats = {
        w: (float(f"{np.mean(s):.7g}"), float(f"{np.std(s, ddof=1):.7g}"))
        for w, s in scale
    }
    rows = pd.DataFrame(
        table, columns=["worker", "system", "document", "place", "score"]
    )
    rows["z"] = [
        float(f"{(s - stats[w][0]) / stats[w][1]:.15g}")
        for w, s in zip(rows["worker"], rows["score"], strict=True)
    ]
    rows["segment"] = rows["document"] + "_" + rows["place"].astype(str)
    out = rows.groupby(["system", "document", "segment"], sort=False).agg(
        raw=("score", "mean"), z=("z", "mean"), judgements=("z", "size")
    )
    for column in ("raw", "z"):
        out[column] = [float(f"{x:.15g}") for x in out[column]]
    return out.reset_index(), stats


def recovered(frame):
    return recover.recover(frame, language_pair="en-xx", joint=False)


def scores(result):
    """Return sorted scores by (system, segment)."""
    a = result.assessments
    return a.groupby(["system", "segment"])["score"].agg(sorted).to_dict()


def random_campaign(seed, *, shared):
    """Draw a campaign of HITs of four documents, judged by `shared` workers each."""
    rng = np.random.default_rng(seed)
    table = []
    scale = []
    worker = 0
    for hit, size in enumerate(shared):
        for _ in range(size):
            worker += 1
            centre = rng.uniform(40, 85)
            width = rng.uniform(8, 30)
            given = []
            for run in range(4):
                for place in range(8 + run):
                    score = int(np.clip(np.rint(rng.normal(centre, width)), 0, 100))
                    system = f"sys-{(hit + run) % 3}"
                    table.append((worker, system, f"doc{hit}.{run}", place, score))
                    given.append(score)
            given += [int(x) for x in rng.integers(0, 30, 12)]
            scale.append((worker, given))
    return table, scale


# --- by hand --------------------------------------------------------------------------


def test_recover_finds_one_worker_of_mean_50_and_sd_25():
    frame = pd.DataFrame(
        {
            "system": ["A", "A", "B", "B"],
            "document": "d",
            "segment": ["d_0", "d_1", "d_0", "d_1"],
            "raw": [25.0, 75.0, 100.0, 60.0],
            "z": [-1.0, 1.0, 2.0, 0.4],
            "judgements": [1, 1, 1, 2],  # the last: this worker twice, 60 on average
        }
    )
    result = recovered(frame)
    assert result.workers.loc["worker_0001"].tolist() == [50.0, 25.0]
    assert result.assessments.columns.tolist() == ASSESSMENTS
    assert result.assessments["score"].tolist() == [25, 75, 100, 60, 60]
    assert result.assessments["item"].tolist() == ["SYSTEM"] * 4 + ["REPEAT"]
    assert (result.segments["status"] == "proven").all()
    assert result.share == 1
    # Of 7 to 10 items the squares would be odd, or too few: 11, of 550 in all.
    assert result.remaining_items.to_numpy().tolist() == [[6, 230, 10300]]


def test_join_outputs_joins_identical_ones_but_no_references():
    systems = ["B", "A", "HUMAN", "C"]
    frame = pd.DataFrame(
        {"system": systems, "document": "d", "segment": "d_0", "z": 0.0}
    )
    frame = frame.assign(raw=[50.0, 50.0, 50.0, 51.0], judgements=1)
    place, table = recover.join_outputs(frame, frame["system"] == "HUMAN")
    assert place.tolist() == [0, 0, 1, 2]
    assert table["system"].tolist() == ["A+B", "HUMAN", "C"]
    place, table = recover.join_outputs(frame, pd.Series([True] * 4))
    assert place.tolist() == [0, 1, 2, 3] and table["system"].tolist() == systems


def test_join_outputs_keeps_apart_what_differs_in_one_column():
    columns = ["system", "document", "segment", "raw", "z", "judgements"]
    rows = [
        ("A", "d", "d_0", 50.0, 0.1, 1),
        ("B", "d", "d_1", 50.0, 0.1, 1),
        ("C", "d", "d_0", 51.0, 0.1, 1),
        ("D", "d", "d_0", 50.0, 0.2, 1),  # the same scores by workers of other scales
        ("E", "d", "d_0", 50.0, 0.1, 2),
    ]
    frame = pd.DataFrame(rows, columns=columns)
    place, table = recover.join_outputs(frame, pd.Series(False, frame.index))
    assert place.tolist() == [0, 1, 2, 3, 4]
    assert table["system"].tolist() == [*"ABCDE"]


def test_recover_does_not_certify_a_mean_beyond_the_scale():
    # A worker of mean 50 and sd 25; 105 is 2.2 sds above the mean.
    raw = np.array([25.0, 75.0, 100.0, 105.0])
    frame = pd.DataFrame({"system": "A", "document": "d", "raw": raw})
    frame["segment"] = [f"d_{k}" for k in range(len(raw))]
    result = recovered(frame.assign(z=(raw - 50) / 25, judgements=1))
    assert result.assessments["score"].tolist() == [25, 75, 100]
    assert result.segments["status"].tolist() == ["proven"] * 3 + ["ambiguous"]


@pytest.mark.parametrize("joint", [True, False])
def test_single_judgements_counts_a_reference_of_whole_mean_once_if_joint(joint):
    # One worker, twice each: references 60 and 60.5 on average, and an output.
    columns = {"row": [0, 1, 2], "worker": 0, "times": 2, "total": [120, 121, 120]}
    is_reference = np.array([True, True, False])
    judged = recover.single_judgements(pd.DataFrame(columns), is_reference, joint)
    once = 1 if joint else 2
    assert judged["score"].tolist() == [60] * once + [60.5, 60.5, 60, 60]
    assert judged["item"].tolist() == ["REF"] * (once + 2) + ["SYSTEM", "REPEAT"]


def test_share_is_the_least_of_the_systems():
    segments = pd.DataFrame(
        [("A", 3, "proven"), ("B", 1, "relative"), ("B", 3, "ambiguous")],
        columns=["system", "judgements", "status"],
    )
    nothing = pd.DataFrame()
    found = recover.RecoveredJudgements(nothing, nothing, nothing, segments)
    assert found.share == 0.25


@pytest.mark.parametrize(("certain", "items"), [(2, 39), (3, 40)])
def test_remaining_items_prefers_a_common_number_to_a_nearer_ratio(certain, items):
    # Workers of 40 items, 20 of them known, and one of 39 or 40, 19 of them known: 39
    # is nearer to twice as many, 40 is what three or more workers have in common.
    rows = [(w, 40, 20, 0, 0) for w in range(certain)]
    rows += [(certain, 39, 20, 0, 0), (certain, 40, 21, 0, 0)]
    columns = ["worker", "items", "judgements", "total", "squares"]
    possible = pd.DataFrame(rows, columns=columns)
    known = SimpleNamespace(possible_items=lambda *judged: possible)
    judged = pd.DataFrame({"worker": [0], "score": [0]})
    names = {w: f"w{w}" for w in range(certain + 1)}
    found = recover.remaining_items(known, judged, names)
    assert found.loc[f"w{certain}", "judgements"] == items - 19


def attributes(known):
    return {name: value for name, value in vars(known).items() if name != "segments"}


def alike(one, other):
    if one is other:
        return True
    if isinstance(one, tuple | dict):
        return False
    return np.array_equal(one, other, equal_nan=True)


def test_steps_find_what_they_name_and_use_no_more_than_that():
    frame, _ = means(random_campaign(3, shared=[1, 2, 3, 2]))
    known = knowledge.nothing_found(frame)
    for step in recover.STEPS:
        after = step.run(known)
        used = f"{step.needs} {step.finds}".split()
        hidden = dict.fromkeys(attributes(known).keys() - set(used))
        restricted = step.run(replace(known, **hidden))
        for name, value in attributes(after).items():
            if name in hidden:
                assert alike(value, getattr(known, name)), (step, name)
            elif name not in step.finds.split():
                assert value is getattr(known, name), (step, name)
            elif name not in ("groups", "item_counts"):
                assert alike(value, getattr(restricted, name)), (step, name)
        known = after


# --- campaigns of known truth ---------------------------------------------------------


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 3), min_size=2, max_size=4))
def test_recover_calls_only_true_scores_proven(seed, shared):
    table, scale = random_campaign(seed, shared=shared)
    frame, stats = means((table, scale))
    result = recovered(frame)
    truth = {}
    for _, system, document, place, score in table:
        truth.setdefault((system, f"{document}_{place}"), []).append(score)
    found = scores(result)
    status = result.segments.set_index(["system", "segment"])["status"]
    for key, values in found.items():
        if status[key] == "proven":
            assert values == sorted(truth[key])
        else:
            assert status[key] == "relative"
            assert sum(values) == sum(truth[key])
    assert set(result.workers["sd"]) <= {sd for _, sd in stats.values()}
    single = result.segments["judgements"] == 1
    assert (result.segments.loc[single, "status"] == "proven").all()
    assert (result.segments["status"] != "unknown").mean() > 0.8


@pytest.mark.realdata
def test_recover_gives_public_judgements_of_wmt21_from_their_means(mirror):
    source = sources.resolve("mirror", ["wmt21"])
    judged = assessment_releases.load_assessments("wmt21", "cs-en", source=source)
    # Workers who always gave the same score have no z-scores.
    scale = [
        (worker, scores.to_numpy())
        for worker, scores in judged.groupby("worker", observed=True)["score"]
        if np.ptp(scores)
    ]
    rated = judged["item"].isin(["SYSTEM", "REPEAT"])
    judged = judged[rated & judged["worker"].isin([worker for worker, _ in scale])]
    table = judged[["worker", "system", "document", "segment", "score"]]
    table = table.astype({"segment": str})
    frame, stats = means((table.to_numpy().tolist(), scale))
    result = recovered(frame)
    assert result.share == 1
    table["mean"], table["sd"] = zip(*table["worker"].map(stats), strict=True)
    table["segment"] = table["document"].astype(str) + "_" + table["segment"]
    ours = result.assessments.join(result.workers, on="worker")
    keys = ["system", "segment", "sd"]
    truth, sums = (
        rows.assign(above=rows["score"] - rows["mean"])
        .astype({"system": str})
        .groupby(keys)[["score", "above"]]
        .sum()
        for rows in (table, ours)
    )
    both = sums.join(truth.add_suffix(" true"))
    np.testing.assert_allclose(both["above"], both["above true"], rtol=0, atol=1e-9)
    status = result.segments.set_index(["system", "segment"])["status"]
    proven = both[[status[key[:2]] == "proven" for key in both.index]]
    assert len(proven) > 8_000 and (proven["score"] == proven["score true"]).all()
