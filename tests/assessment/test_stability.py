"""Perturbed rankings: by hand, against campaigns built anew, and the paper's own counts."""

import math
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.assessment import clusters, stability, zscores
from wmtlib.judgements.errors import DataError
from wmtlib.releases import assessment_releases

COLUMNS = ["hit", "worker", "language_pair", "system", "item", "document", "segment"]
COLUMNS += ["score", "accepted"]
PAPER = {"test": "legacy", "rule": "footnote-4"}
NAMES = ["A", "B", "C", "D", "HUMAN"]


def frame(rows):
    """Rows of hit, worker, system, item, document, segment, score."""
    table = pd.DataFrame(rows, columns=[c for c in COLUMNS if c not in COLUMNS[2:9:6]])
    table.insert(2, "language_pair", "xx-yy")
    return table.assign(accepted=True).astype({"score": float})[COLUMNS]


def drawn(seed, size=160, names=NAMES):
    """A random campaign: every worker sees a few systems only, so that scales depend on them."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(size):
        worker = int(rng.integers(8))
        name = names[(worker + int(rng.integers(3))) % len(names)]
        item = rng.choice(zscores.ITEMS, p=[0.7, 0.1, 0.1, 0.1])
        level = 40 + 8 * names.index(name) + 4 * worker
        score = min(max(round(rng.normal(level, 15)), 0), 100)
        rows.append((f"h{k // 40}", f"w{worker}", name, item, f"d{k % 5}", f"s{k % 20}", score))
    rows += [("h0", "w9", name, "SYSTEM", "d0", "s0", 10 * k) for k, name in enumerate(names)]
    return frame(rows)


def outlook(order, better=(), rule="footnote-4"):
    """A ranking of systems named in order, and which pairs are significantly apart."""
    names = tuple(sorted(order))
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for a, b in better:
        matrix[names.index(a), names.index(b)] = matrix[names.index(b), names.index(a)] = True
    places = np.array([names.index(name) for name in order])
    return stability.Outlook(names, places, np.full(len(names), np.nan), matrix, rule)


ALL = list(combinations("ABCD", 2))


# --- comparing two rankings, by hand ------------------------------------------------------------


def test_a_ranking_compared_with_itself():
    found = stability.compare(outlook("ABCD", ALL), outlook("ABCD", ALL))
    assert found == {
        "rank": False, "cluster": False, "both": False, "kendall": 0, "largest_move": 0,
        "lines_new": "", "lines_gone": "", "swaps": "",
    }  # fmt: skip


def test_a_swap_inside_a_cluster_changes_the_rank_only():
    lines = [("A", "B"), ("A", "C"), ("A", "D"), ("B", "D"), ("C", "D")]
    found = stability.compare(outlook("ABCD", lines), outlook("ACBD", lines))
    assert (found["rank"], found["cluster"], found["both"]) == (True, False, False)
    assert (found["kendall"], found["largest_move"], found["swaps"]) == (1, 1, "B > C")
    assert (found["lines_new"], found["lines_gone"]) == ("", "")


def test_lines_that_appear_and_vanish_change_clusters_only():
    before = outlook("ABCD", [("A", "B"), ("A", "C"), ("A", "D")])
    after = outlook("ABCD", [("C", "D")])
    found = stability.compare(before, after)
    assert (found["rank"], found["cluster"], found["both"]) == (False, True, False)
    assert (found["lines_new"], found["lines_gone"]) == ("below C", "below A")


def test_two_clusters_that_change_places_are_a_change_of_both():
    found = stability.compare(outlook("AB", ALL[:1]), outlook("BA", ALL[:1]))
    assert (found["rank"], found["cluster"], found["both"]) == (True, True, True)
    assert (found["lines_new"], found["lines_gone"]) == ("below B", "below A")


def test_the_last_becomes_the_first():
    found = stability.compare(outlook("ABCD"), outlook("DABC"))
    assert (found["kendall"], found["largest_move"], found["swaps"]) == (3, 3, "C > D")


def test_leaving_a_system_out_recomputes_lines():
    lines = [("A", "B"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")]  # A and C are not apart
    whole = outlook("ABCD", lines)
    assert whole.lines.tolist() == [False, True, True, False]
    without_c = whole.of(np.array([True, True, False, True]))
    assert without_c.lines.tolist() == [True, True, False]


# --- the battery --------------------------------------------------------------------------------


def anew(table, change, humans, paired):
    """The perturbed ranking from a frame of rows, coded again."""
    gone = set(humans) if "humans" in change.kind else {change.what}
    output = table["item"].isin(["SYSTEM", "REPEAT"])
    rows = table["system"].isin(gone) & (output | paired)
    if "humans" in change.kind:
        rows |= table["item"] == "REF"
    if change.kind == "divide humans":
        table = table.assign(score=table["score"].where(~rows, table["score"] / float(change.what)))
        without = humans
    else:
        table, without = table[~rows], ()
    return clusters.clusters(zscores.code(table), without=without, **PAPER)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_every_perturbation_is_what_coding_the_changed_rows_gives(seed, paired):
    table = drawn(seed)
    campaign = zscores.code(table)
    found = stability.battery(campaign, humans=["HUMAN"], paired=paired, **PAPER)
    kinds = [
        "remove humans",
        "remove best",
        "remove worst",
        *["remove"] * 5,
        *["divide humans"] * 5,
    ]
    assert found["kind"].tolist() == kinds
    assert found["what"].tolist()[3:] == [*NAMES, "1.25", "1.5", "2", "4", "10"]
    for row in found.itertuples():
        after = anew(table, row, ["HUMAN"], paired)
        p = clusters.p_values(campaign, test="legacy")
        before = [s for s in zscores.rank(campaign).order if s in after.order]
        lines = clusters.lines(before, p, rule="footnote-4")
        place = [after.order.index(s) for s in before]
        assert row.systems == len(before) == len(after.order)
        assert row.rank == (before != after.order)
        assert row.kendall == sum(x > y for x, y in combinations(place, 2))
        assert row.largest_move == max(abs(k - x) for k, x in enumerate(place))
        ends = [0, *np.flatnonzero(lines) + 1, len(before)]
        sets = [frozenset(before[a:b]) for a, b in pairwise(ends)]
        assert row.cluster == (sets != after.sets)
        assert row.both == (row.rank and row.cluster)


def test_nothing_changes_if_all_workers_judged_everything():
    # All workers use the same scale on the same outputs: z-scores are one affine map of the scores.
    rows = [
        (f"h{w}", f"w{w}", name, "SYSTEM", "d", f"s{k}", 10 * j + 3 * (k % 4))
        for w in range(3)
        for j, name in enumerate("ABCD")
        for k in range(30)
    ]
    found = stability.battery(zscores.code(frame(rows)), humans=["D"], paired=True, **PAPER)
    assert not found[["rank", "cluster", "both"]].to_numpy().any()


def test_the_share_of_judgements_concerned():
    table = drawn(0)
    found = stability.battery(zscores.code(table), humans=["HUMAN"], paired=False, **PAPER)
    output = table["item"].isin(["SYSTEM", "REPEAT"])
    gone = (output & (table["system"] == "HUMAN")) | (table["item"] == "REF")
    assert found["judgements"].iloc[0] == gone.mean()


def test_a_shared_output_stays_for_the_systems_that_remain():
    table = drawn(1)
    table.loc[5, "system"] = "A+B"
    campaign = zscores.code(table)
    chosen = zscores.members(campaign, ["A"])
    assert not campaign.rows_of(chosen, items=(), paired=True)[5]
    assert campaign.rows_of(zscores.members(campaign, "AB"), items=(), paired=True)[5]


def test_dividing_by_one_changes_nothing():
    found = stability.battery(
        zscores.code(drawn(2)), humans=["HUMAN"], paired=True, divisors=[1], **PAPER
    )
    assert not found.iloc[-1][["rank", "cluster"]].any()


def test_the_campaign_is_left_as_it_was():
    campaign = zscores.code(drawn(3))
    before = zscores.rank(campaign).table, campaign.score.copy()
    stability.battery(campaign, humans=["HUMAN"], paired=True, **PAPER)
    pd.testing.assert_frame_equal(zscores.rank(zscores.code(drawn(3))).table, before[0])
    assert (campaign.score == before[1]).all()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"humans": ["X"]}, "'X' is no system of this campaign"),
        ({"humans": [*"ABCD"]}, "remove humans: 1 system(s) left; expected two or more"),
        ({"divisors": [0]}, "divisor is 0; expected a number greater than 0"),
        ({"test": "mine"}, "test is 'mine'"),
        ({"rule": "mine"}, "rule is 'mine'"),
    ],
    ids=str,
)
def test_batteries_that_cannot_be_run_are_refused(more, message):
    choices = {"humans": [], "paired": True, **PAPER, **more}
    with pytest.raises(DataError) as refused:
        stability.battery(zscores.code(drawn(0)), **choices)
    assert str(refused.value).startswith(message)


# --- random removal and the bootstrap -----------------------------------------------------------


@given(st.integers(0, 5), st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
@settings(max_examples=10)
def test_thinning_is_repeatable_and_nothing_happens_at_share_zero(seed, share, only_scales):
    campaign = zscores.code(drawn(seed, size=400))

    def run():
        rng = np.random.default_rng(1)
        more = {"rng": rng, "only_scales": only_scales, **PAPER}
        return stability.thinned(campaign, share=share, draws=5, **more)

    found = run()
    assert list(found.columns) == stability.OUTCOMES and len(found) == 5
    pd.testing.assert_frame_equal(found, run())
    if share == 0:
        assert not found[["rank", "cluster"]].to_numpy().any()


def test_thinning_scales_only_leaves_the_raw_material_of_a_single_worker_alone():
    # One worker: whatever their mean and spread, all z-scores are one affine map of the scores.
    campaign = zscores.code(drawn(0).assign(worker="w"))
    found = stability.thinned(
        campaign, share=0.5, draws=20, rng=np.random.default_rng(0), only_scales=True, **PAPER
    )
    assert not found[["rank", "cluster"]].to_numpy().any()


def test_more_thinning_changes_more():
    campaign = zscores.code(drawn(0, size=1500))
    kendall = [
        stability.thinned(campaign, share=share, draws=60, rng=np.random.default_rng(5), **PAPER)[
            "kendall"
        ].mean()
        for share in (0.02, 0.6)
    ]
    assert kendall[0] < kendall[1]


@pytest.mark.parametrize("unit", stability.UNITS)
def test_bootstrap_errors_shrink_with_more_data(unit):
    errors = []
    for size in (600, 9600):
        table = drawn(4, size=size)
        table["worker"] = table["hit"] + table["worker"]
        found = stability.resample(
            zscores.code(table), unit=unit, draws=60, rng=np.random.default_rng(2),
            without=["HUMAN"], **PAPER,
        )  # fmt: skip
        assert list(found.z.columns) == NAMES[:-1] and found.unit == unit
        intervals = found.intervals()
        assert ((intervals["rank_low"] >= 1) & (intervals["rank_high"] <= 4)).all()
        assert (intervals["z_low"] <= intervals["z_high"]).all()
        errors.append(intervals["error"].mean())
    assert errors[1] < 0.5 * errors[0]


def test_a_draw_of_everything_once_is_the_campaign_itself():
    campaign = zscores.code(drawn(0))

    class Once:
        def multinomial(self, size, shares):
            return np.ones(size, dtype=int)

    found = stability.resample(campaign, unit="hit", draws=1, rng=Once(), **PAPER)
    ranking = zscores.rank(campaign).column("score")
    assert found.z.iloc[0].to_dict() == ranking.to_dict()
    assert not found.outcomes["rank"].any()


def test_summary_by_hand():
    outcomes = pd.DataFrame({"rank": [True, True, False, False], "cluster": False, "both": False})
    found = stability.summary(outcomes)
    assert found.loc["rank"].tolist() == [2, 4, 0.5, math.sqrt(0.25 / 4)]
    assert found.loc["cluster"].tolist() == [0, 4, 0, 0]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda c, m: stability.thinned(c, share=1.0, draws=1, **m), "share is 1.0"),
        (lambda c, m: stability.thinned(c, share=0.1, draws=0, **m), "draws is 0"),
        (lambda c, m: stability.resample(c, unit="row", draws=1, **m), "unit is 'row'"),
        (lambda c, m: stability.resample(c, unit="hit", draws=1, **m), "a judgement's HIT is not"),
    ],
)
def test_draws_that_cannot_be_made_are_refused(run, message):
    campaign = zscores.code(drawn(0).assign(hit=""))
    with pytest.raises(DataError, match=message):
        run(campaign, {"rng": np.random.default_rng(0), **PAPER})


# --- the paper's counts, SR-DC ------------------------------------------------------------------

PAIRS18 = ["cs-en", "en-cs", "en-de", "en-et", "en-fi", "en-ru", "en-tr", "en-zh"]
PAIRS18 += ["et-en", "fi-en", "ru-en", "zh-en"]
# rank, cluster, both among 21 pairs. Of the two blocks of Table 3 the first is the lowest removed:
# in the second no rank changes, and two do here once the lowest is removed.
PUBLISHED = {
    "remove worst": (4, 3, 1),
    "remove best": (0, 1, 0),
    "divide humans 1.25": (2, 1, 0),
    "divide humans 1.5": (4, 1, 0),
    "divide humans 2": (6, 3, 2),
    "divide humans 4": (9, 4, 3),
    "divide humans 10": (10, 5, 3),
}


@pytest.fixture(scope="module")
def batteries():
    found = []
    for pair in PAIRS18:
        campaign = zscores.code(
            assessment_releases.load_assessments("wmt18", pair, source="mirror")
        )
        table = stability.battery(campaign, humans=[], paired=True, **PAPER)
        found.append(table.assign(pair=pair))
    table = pd.concat(found)
    divided = table["kind"] == "divide humans"
    return table.assign(what=table["kind"].where(~divided, table["kind"] + " " + table["what"]))


@pytest.mark.realdata
def test_table_2_removing_references_in_wmt18(batteries):
    removed = batteries[batteries["what"] == "remove humans"]
    assert removed[stability.CHANGES].sum().tolist() == [1, 0, 0]
    changed = removed[removed["rank"]]
    assert changed["pair"].tolist() == ["et-en"]
    assert changed["swaps"].tolist() == ["HY-NMT-et-en.5463 > talp-upc.5421"]


@pytest.mark.realdata
@pytest.mark.parametrize("what", PUBLISHED)
def test_pooled_counts_lie_within_what_the_absent_pairs_allow(what, batteries):
    found = batteries[batteries["what"] == what][stability.CHANGES].sum()
    for ours, published in zip(found, PUBLISHED[what], strict=True):
        assert ours <= published <= ours + 21 - len(PAIRS18)
