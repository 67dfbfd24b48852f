"""Comparing protocols: a battery by hand, then what must hold of any comparison."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from assessed import PAPER, assessments

from wmtlib.assessment import stability
from wmtlib.assessment.encoding import encode
from wmtlib.judgements.errors import DataError
from wmtlib.papers import knowles2021_protocols
from wmtlib.papers.knowles2021_protocols import METRICS
from wmtlib.simulation import simulate
from wmtlib.simulation.designs import Design
from wmtlib.simulation.simulate import CALIBRATION_HIT

COLUMNS = ["protocol", "seed", "metric", "value"]
SMALL = Design(systems=5, human=True, documents=40, judgements=3000, workers=15)


def frame(*rows):
    """Rows (hit, worker, system, item, segment, score)."""
    return assessments([(*row[:4], "d", *row[4:]) for row in rows])


def changed(campaign):
    found = knowles2021_protocols.rank_protocol(campaign, **PAPER)
    return knowles2021_protocols.changes(campaign, found, **PAPER)


def judged(worker, system, *scores, hit="h", item="SYSTEM"):
    return [(hit, worker, system, item, f"{k}", s) for k, s in enumerate(scores)]


# Worker 1 sees A beside the human, worker 2 sees the equally good B beside the poor C.
TWO_WORKERS = [
    *judged("w1", "A", 40, 60),
    *judged("w1", "HUMAN", 100, 90),
    *judged("w2", "B", 40, 60),
    *judged("w2", "C", 10, 20),
]


def test_changes_by_hand():
    # w1: mean 72.5, sd 27.5, so A is at -0.82; w2: mean 32.5, sd 22.2, so B 0.79 and C -0.79.
    # Without the human A is at 0; divided by 2 at 0.15, by 10 at 0.82. Without B, C is at 0.
    campaign = encode(frame(*TWO_WORKERS))
    assert knowles2021_protocols.rank_protocol(campaign, **PAPER).names == ["B", "C", "A"]
    found = changed(campaign)
    kinds = ["remove humans", "remove best", "remove worst", "divide humans", "divide humans"]
    assert found["kind"].tolist() == kinds and found["what"].tolist()[3:] == ["2", "10"]
    assert found["rank"].tolist() == [True, False, False, True, True]
    assert not found["cluster"].any()


@pytest.mark.parametrize("protocol", ["SR-DC", "SR+DC"])
def test_humans_are_removed_and_divided_as_in_stability(protocol):
    for seed in range(4):
        found = simulate.campaign(replace(SMALL, protocol=protocol), np.random.default_rng(seed))
        campaign = encode(found.assessments)
        options = {"humans": ["HUMAN"], "paired": False, "divisors": (2, 10)}
        other, here = stability.perturb(campaign, **options, **PAPER), changed(campaign)
        columns = ["kind", "what", "rank", "cluster"]
        tables = [t[t["kind"].str.endswith("humans")][columns] for t in (other, here)]
        assert tables[0].to_numpy().tolist() == tables[1].to_numpy().tolist()


def test_accuracy_by_hand():
    # Found B, C, A; truly A, B, C: two of three pairs are reversed.
    truth = pd.Series({"A": 3.0, "B": 2.0, "C": 1.0, "HUMAN": 9.0})
    ranked = knowles2021_protocols.rank_protocol(encode(frame(*TWO_WORKERS)), **PAPER)
    found = knowles2021_protocols.accuracy(ranked, truth)
    assert found == pytest.approx({"distance": 2 / 3, "wrong": 0, "missed": 1})


def test_calibration_by_hand():
    # In the common HIT w1 gives A 40 and 60, and w2 20 and 40: so 50 by w1 is worth 30 by w2. By
    # all that they gave, B (50 of w1) would be below its worker's mean and C (30 of w2) above.
    rows = [
        *judged("w1", "A", 40, 60, hit=CALIBRATION_HIT),
        *judged("w2", "A", 20, 40, hit=CALIBRATION_HIT),
        *judged("w1", "B", 51, 51, 51, hit="h1"),
        *judged("w1", "D", 90, 90, 90, hit="h1"),
        *judged("w2", "C", 30, 30, 30, hit="h2"),
        *judged("w2", "E", 0, 0, 0, hit="h2"),
    ]
    table = frame(*rows)

    def order(judgements):
        ranked = knowles2021_protocols.rank_protocol(encode(judgements), **PAPER)
        return "".join(ranked.names)

    assert order(table) == "DBACE"
    assert order(table.assign(hit="h")) == "DCABE"


def test_without_human_and_reference_only_removals_change_anything():
    design = replace(SMALL, human=False, protocol="alternate")
    found = changed(encode(simulate.campaign(design, np.random.default_rng(1)).assessments))
    assert found["kind"].tolist() == ["remove best", "remove worst"]


@pytest.mark.parametrize(
    "make", [knowles2021_protocols.proposals, knowles2021_protocols.composition]
)
def test_designs_cost_the_same_and_differ_in_the_protocol_only(make):
    designs = (
        make(SMALL, calibration=60) if make is knowles2021_protocols.proposals else make(SMALL)
    )
    same = {"protocol", "normalise", "calibration_hit", "document", "system_document"}
    fixed = {**{k: v for k, v in vars(SMALL).items() if k not in same}}
    for label, design in designs.items():
        assert {k: v for k, v in vars(design).items() if k not in same} == fixed, label
        a = simulate.campaign(design, np.random.default_rng(3)).assessments
        assert len(a) == SMALL.judgements and a["worker"].nunique() >= SMALL.workers


def test_a_comparison_is_tidy_and_does_not_depend_on_the_company():
    designs = knowles2021_protocols.composition(SMALL)
    table = knowles2021_protocols.measure_designs(designs, [1, 2], **PAPER)
    assert list(table.columns) == COLUMNS
    assert len(table) == len(designs) * 2 * len(METRICS)
    assert table["value"].between(0, 1).all()
    label = "documents, few systems"
    alone = knowles2021_protocols.measure_designs({label: designs[label]}, [2], jobs=2, **PAPER)
    part = table[(table["protocol"] == label) & (table["seed"] == 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone)


def test_a_summary_by_hand():
    rows = [("a", 1, "m", 0.0), ("a", 2, "m", 1.0), ("b", 1, "m", 1.0), ("b", 2, "m", 2.0)]
    found = knowles2021_protocols.mean_metrics(pd.DataFrame(rows, columns=COLUMNS), against="a")
    assert found["mean"].tolist() == [0.5, 1.5] and found["error"].tolist() == pytest.approx(
        [0.5, 0.5]
    )
    assert found["difference"].tolist() == [0, 1] and found["difference_error"].tolist() == [0, 0]


def test_unequal_cost_and_unknown_labels_are_refused():
    with pytest.raises(DataError, match=r"cost \[2000, 3000\] judgements"):
        knowles2021_protocols.measure_designs(
            {"a": SMALL, "b": replace(SMALL, judgements=2000)}, [1], **PAPER
        )
    with pytest.raises(DataError, match="design is 'c'; expected one of a"):
        table = pd.DataFrame([("a", 1, "m", 0.0)], columns=COLUMNS)
        knowles2021_protocols.mean_metrics(table, against="c")


def test_noise_free_campaigns_are_ranked_right_where_all_see_all_systems():
    silent = dict.fromkeys(["residual", "leniency", "log_scale", "segment", "system_segment"], 0.0)
    base = replace(SMALL, **silent, document=0.0, system_document=0.0, mean=60.0, system=8.0)
    for protocol in ("SR-DC", "alternate", "SR+DC all systems per HIT", "SR+DC balanced"):
        found = simulate.campaign(replace(base, protocol=protocol), np.random.default_rng(2))
        measured = knowles2021_protocols.measure(found, **PAPER)
        assert measured["distance"] == measured["wrong"] == 0


def test_few_systems_per_hit_upset_the_ranking_without_any_documents():
    cells = {
        k: d
        for k, d in knowles2021_protocols.composition(SMALL).items()
        if k.startswith("sentences")
    }
    cells = {k: cells[k] for k in cells if k.endswith("flat")}
    found = knowles2021_protocols.mean_metrics(
        knowles2021_protocols.measure_designs(cells, range(25), **PAPER),
        against="sentences, all systems, flat",
    )
    few = found[found["protocol"] == "sentences, few systems, flat"].set_index("metric")
    for metric in ("order changed", "clusters changed"):
        assert few.loc[metric, "difference"] > 2 * few.loc[metric, "difference_error"]
