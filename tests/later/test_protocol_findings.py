"""Findings over campaigns: tests, intervals, rank ranges, and totals of the real files."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.later.test_protocols import scored
from wmtlib.later import protocol_campaigns, scored_protocols
from wmtlib.later import protocol_findings as findings
from wmtlib.releases import assessment_releases, sources, wmt16
from wmtlib.releases.sources import Source

EMBEDDED = Source("embedded", "00000000")


def rows(protocol, values, measure="tau", split="document", size=findings.SIZE):
    return pd.DataFrame(
        {"protocol": protocol, "campaign": [f"c{k}" for k in range(len(values))], "systems": 9}
        | {"scale": "raw", "usual": True, "measure": measure, "split": split, "size": size}
        | {"value": values}
    )


def test_the_main_test_is_welch_s_and_the_others_are_corrected():
    sides = {"ESA": [0.3, 0.5], "MQM": [0.1], "SR+DC": [0.2, 0.6, 0.3], "RR": [0.8, 0.7, 0.9]}
    sides |= {"SR-DC": [0.6, 0.7]}
    table = pd.concat([rows(*side) for side in sides.items()])
    found = findings.compared(table).set_index("against")
    main, other = found.loc["SR+DC"], found[~found["main"]]
    welch = stats.ttest_ind([0.3, 0.5, 0.1], sides["SR+DC"], equal_var=False)
    assert main["main"] and main["holm"] == main["p"] == pytest.approx(welch.pvalue)
    assert main["campaigns"] == "3 : 3"
    assert main["low"] < main["least"] < main["difference"] < main["most"] < main["high"]
    assert len(other) == 4 and (other["holm"] >= other["p"]).all()


def test_what_cannot_be_tested_is_left_out():
    assert findings.compared(rows("ESA", [0.3, 0.4])).empty


def test_alike_needs_an_interval_within_the_bound():
    close = [0.5, 0.501, 0.499, 0.5]
    table = pd.concat([rows("ESA", close), rows("SR+DC", close)])
    assert findings.compared(table).iloc[0]["alike"]
    spread = table["value"].to_numpy() * np.tile([1, 2], 4)
    assert not findings.compared(table.assign(value=spread)).iloc[0]["alike"]


def test_paired_scales_by_hand():
    usual = rows("ESA", [0.3, 0.4])
    other = rows("ESA", [0.5, 0.7]).assign(usual=False, scale="by annotator")
    found = findings.scales(pd.concat([usual, other])).loc["ESA"]
    assert found["campaigns"] == 2
    assert found[["raw", "by annotator", "difference"]].tolist() == pytest.approx([0.35, 0.6, 0.25])
    half = stats.t.ppf(0.975, 1) * 0.05  # differences 0.2 and 0.3
    assert found[["low", "high"]].tolist() == pytest.approx([0.25 - half, 0.25 + half])


def test_order_changes_are_shares_of_campaigns():
    human = rows("ESA", [1.0, 0.0], "order changes, humans / 2", "", 0)
    human = pd.concat([human, rows("ESA", [1.0, 1.0], "order changes, humans removed", "", 0)])
    left = rows("ESA", [0.25, 0.75], "order changes, one left out", "", 0)
    found = findings.order_changes(pd.concat([left, human])).loc[("ESA", "raw")]
    assert found.to_dict() == {"left out": 0.5, "humans / 2": 0.5, "humans removed": 1, "human": 2}


def test_one_split_is_two_rankings_of_the_same_systems():
    judged = list(protocol_campaigns.campaigns(EMBEDDED))[-1]
    table, tau = findings.one_split(judged, rng=np.random.default_rng(4))
    first, second = (table[f"{half} half"] for half in ("one", "other"))
    assert tau == pytest.approx(stats.kendalltau(first, second).statistic)
    assert table["one half, place"].tolist() == [1, 2, 3, 4, 5, 6]


def test_curves_and_noise_join_what_belongs_together():
    parts = [rows("ESA", [0.1, 0.2], size=50), rows("ESA", [0.3, 0.4]), rows("ESA", [0.9], size=0)]
    parts += [rows("ESA", [0.01, 0.02], "signal to noise")]
    parts += [rows("ESA", [30.0], "seconds a judgement", "", 0)]
    table = pd.concat(parts, ignore_index=True)
    curves = findings.curves(table)
    assert curves["size"].tolist() == [50, 50, 100, 100]
    assert curves["seconds"].fillna(-1).tolist() == [30, -1, 30, -1]
    noise = findings.noise(table)
    assert noise[["ratio", "tau"]].to_numpy().tolist() == [[0.01, 0.3], [0.02, 0.4]]


def test_rank_ranges_by_hand():
    # A beats C and D on every segment, B beats D; A and B, B and C, C and D are too close.
    level = {"A": 40, "B": 39, "C": 38, "D": 37}
    pairs = {("A", "C"), ("A", "D"), ("B", "D")}
    judged = scored([("h", "w", n, "SYSTEM", "d", "s", k) for n, k in level.items()])
    ahead = np.zeros((1, 4, 4), dtype=np.int8)
    for better, worse in pairs:
        i, j = "ABCD".index(better), "ABCD".index(worse)
        ahead[0, i, j], ahead[0, j, i] = 1, -1

    class Known(scored_protocols.Scored):
        def ahead(self, weights, alpha=0.05):
            return ahead

    table = findings.rank_ranges(Known(**vars(judged)))
    assert table["system"].tolist() == [*"ABCD"]
    assert table[["best", "worst"]].to_numpy().tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]
    assert table["cluster"].tolist() == [1, 1, 1, 1]
    ahead[0] = np.sign(np.arange(4) // 2 - np.arange(4)[:, None] // 2)
    assert findings.rank_ranges(Known(**vars(judged)))["cluster"].tolist() == [1, 1, 2, 2]


def test_the_same_seed_gives_the_same_table(monkeypatch):
    few = list(protocol_campaigns.campaigns(EMBEDDED))[-7:]
    monkeypatch.setattr(findings, "campaigns", lambda source: few)
    one, other = (findings.measured(EMBEDDED, n_splits=4, seed=s) for s in (1, 1))
    pd.testing.assert_frame_equal(one, other)
    assert set(one["protocol"]) == {"RR", "SR-DC", "SR+DC"}
    assert one.loc[one["protocol"] == "RR", "campaign"].str.endswith("(counts)").all()
    assert one.loc[one["protocol"] != "RR", "campaign"].str.endswith("(simulated)").all()
    tau = one[(one["measure"] == "tau") & (one["size"] == findings.SIZE)]
    assert tau["value"].between(-1, 1).all()


def test_times_of_tasks_are_shared_among_their_judgements(monkeypatch):
    # Two HITs of 30 and 10 seconds, three and one judgement; and one judgement of 8 alone.
    times = pd.DataFrame({"hit": ["a", "a", "a", "b", ""], "worker": 0})
    times["seconds"] = [30.0, 30, 30, 10, 8]
    monkeypatch.setattr(assessment_releases, "load_times", lambda *_, source: times)
    judged = scored([("h", "w", n, "SYSTEM", "d", "s", k) for k, n in enumerate("ABCD")])
    seconds = protocol_campaigns.assessment_seconds("c", "xx-yy", judged.coded, EMBEDDED)
    assert seconds == pytest.approx(48 / 4)
    times["seconds"] = 0
    seconds = protocol_campaigns.assessment_seconds("c", "xx-yy", judged.coded, EMBEDDED)
    assert np.isnan(seconds)


@pytest.mark.realdata
def test_totals_of_the_later_protocols(mirror):
    source = sources.resolve("mirror", ["wmt21"])
    pairs = protocol_campaigns.ESA_PAIRS
    found = [protocol_campaigns.esa(pair, source=source, humans=()) for pair in pairs]
    assert [len(one.systems) for one in found] == [16, 11, 13, 13]
    assert sum(one.size.sum() for one in found) == 29832 - 3813  # without tutorials, without BAD
    assert all(one.domain.max() == 3 for one in found)
    found = [protocol_campaigns.mqm(p, source=source) for p in protocol_campaigns.MQM_PAIRS]
    assert [len(one.coded.score) for one in found] == [9886, 9614]
    assert [len(one.humans) for one in found] == [4, 2]
    assert all(one.coded.score.min() >= 0 and one.coded.score.max() == 25 for one in found)


@pytest.mark.realdata
def test_two_protocols_judged_the_same_systems_once(mirror):
    pair = protocol_campaigns.same_systems(sources.resolve("mirror", ["wmt21"]))
    assert [one.protocol for one in pair] == ["SR+DC", "MQM"]
    assert pair[0].systems == pair[1].systems and len(pair[0].systems) == 8
    means = assessment_releases.load_segment_means("wmt21", "zh-en", source="mirror")
    means = means[means["system"].str.replace(r"\.\d+$", "", regex=True).isin(pair[0].systems)]
    assert pair[0].size.sum() == means["judgements"].sum()
    weighted = np.average(means["z"], weights=means["judgements"])
    assert weighted == pytest.approx(pair[0]._values.mean())
    table = findings.same_systems(pair, n_splits=3, seed=1)
    assert table.index.tolist() == ["SR+DC", "MQM"] and table[100].between(-1, 1).all()


@pytest.mark.realdata
def test_every_ranking_of_wmt16_has_a_duration(mirror):
    seconds = wmt16.load_seconds(source="mirror")
    assert len(seconds) == 31758 + 747 and seconds.index.nunique() == 12
    assert seconds.median() == pytest.approx(55.7, abs=0.1)


@pytest.mark.realdata
def test_every_judgement_has_a_time_or_none_has(mirror):
    times = assessment_releases.load_times("wmt21", "cs-en", source="mirror")
    assert len(times) == 13069 and (times["seconds"] > 0).all()
    times = assessment_releases.load_times("facebook21", "bn-hi", source="mirror")
    assert len(times) == 4461 and (times["seconds"] == 0).all()
