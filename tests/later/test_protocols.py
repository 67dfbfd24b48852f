"""Campaigns of all protocols in one form: by hand, and against the other ways to rank."""

import numpy as np
import pandas as pd
import pytest
import scipy

from tests.assessed import assessments, drawn
from wmtlib.analysis.leave_one_out import leave_one_out
from wmtlib.assessment.clusters import rank_campaign
from wmtlib.assessment.encoding import encode
from wmtlib.judgements import counting, relative_rankings
from wmtlib.later import protocols, scored_protocols

# Three rankings: x > y > z; y = x, the reference first; and z > "x,y", one output of both.
ROWS = [(1, "j1", "x", 1), (1, "j1", "y", 2), (1, "j1", "z", 3)]
ROWS += [(2, "j2", "_ref", 1), (2, "j2", "x", 2), (2, "j2", "y", 2)]
ROWS += [(3, "j1", "z", 1), (3, "j1", "x,y", 2), (4, "j1", "_ref", 2), (4, "j1", "x", 1)]
RANKINGS = pd.DataFrame(ROWS, columns=["ranking", "judge", "system", "rank"])
RANKINGS = RANKINGS.assign(task="t", segment=RANKINGS["ranking"] + 10)


def weights(*samples):
    return scipy.sparse.csr_array(np.array(samples, dtype=float))


def scored(rows, *, protocol="SR-DC", humans=(), domains=None):
    coded = encode(rows if isinstance(rows, pd.DataFrame) else assessments(rows))
    about = {"protocol": protocol, "name": "wmt00 xx-yy"}
    return scored_protocols.scored_campaign(coded, humans=humans, domains=domains, **about)


def made_up(seed=7):
    """A random campaign; its quality-control items stand in `drawn` too."""
    return scored(drawn(seed), humans=["HUMAN"])


def test_relative_rankings_by_hand():
    judged = protocols.ranked_campaign(RANKINGS, name="t")
    assert judged.systems == ("x", "y", "z")
    assert judged.size.tolist() == [3, 2, 3]  # the fourth has one system and the reference
    assert judged.annotator.tolist() == [0, 1, 0]
    scores = judged.scores(weights([1, 1, 1], [1, 0, 0], [0, 1, 0]))
    # All: x beats y once, z beats and is beaten by x and y once each. A tie decides nothing.
    expected = [[0.75, 0.25, 0.5], [1, 0.5, 0], [np.nan] * 3]
    np.testing.assert_allclose(scores, expected)


def test_relative_rankings_are_tested_by_the_sign_test():
    judged = protocols.ranked_campaign(RANKINGS, name="t")
    # Six wins of x against y, and none back: p = 2 / 64; five: p = 2 / 32.
    ahead = judged.ahead(6 * weights([1, 0, 0])), judged.ahead(5 * weights([1, 0, 0]))
    assert ahead[0][0].tolist() == [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    assert not ahead[1].any()


def test_a_system_left_out_of_rankings_is_as_if_it_had_not_been_compared():
    judged = protocols.ranked_campaign(RANKINGS, name="t")
    singles = RANKINGS.assign(system=RANKINGS["system"].str.split(",")).explode("system")
    singles = singles[singles["system"] != "_ref"]
    counts = counting.counts(relative_rankings.comparisons(singles))
    table = leave_one_out(counts, "expected-wins").table.set_index("removed")
    found = judged.without_each()
    np.testing.assert_allclose(found[-1], judged.scores(judged.everything)[0])
    np.testing.assert_allclose(found[0], [np.nan, 0.5, 0.5])
    assert table.loc["x", "changed"] and np.isnan(np.diag(found)).all()


def test_scores_by_hand():
    # Worker w: mean 50, sd 20 (30, 50, 70); v: mean 20, sd 10 (10, 30, 20), of which 20 is HUMAN's.
    rows = [("h", "w", "A", "SYSTEM", "d1", "s1", 30), ("h", "w", "B", "SYSTEM", "d1", "s1", 70)]
    rows += [("h", "w", "A", "SYSTEM", "d2", "s2", 50), ("h", "v", "B", "SYSTEM", "d2", "s2", 10)]
    rows += [("h", "v", "A", "SYSTEM", "d2", "s2", 30), ("h", "v", "H", "SYSTEM", "d2", "s2", 20)]
    judged = scored(rows, humans=["H"])
    assert judged.systems == ("A", "B") and judged.size.tolist() == [2, 2, 1]
    np.testing.assert_allclose(judged.scores(judged.everything), [[0, 0]], atol=1e-12)
    only_first = weights((judged.document == 0).astype(float))
    np.testing.assert_allclose(judged.scores(only_first), [[-1, 1]])
    raw = judged.on_other_scale
    np.testing.assert_allclose(raw.scores(raw.everything), [[110 / 3, 40]])
    # Means of documents d1 and d2 of A (30; 50, 30) and B (70; 10) as two domains.
    by_domain = scored(rows, protocol="ESA", humans=["H"], domains=np.array(["news", "talks"]))
    np.testing.assert_allclose(by_domain.scores(by_domain.everything), [[35, 40]])
    # Without the human's 20 v's scale is 20 +- 14.14; divided by 2 it is 50 / 3 and 11.547.
    np.testing.assert_allclose(judged.human_changed(0), [0.70711 / 3 - 1 / 3, 0.14645], atol=1e-4)
    divided = [(-1 + 40 / 3 / 11.547) / 3, (1 - 20 / 3 / 11.547) / 2]
    np.testing.assert_allclose(judged.human_changed(2), divided, atol=1e-4)


def test_scores_are_those_of_the_ranking_that_counts_every_judgement():
    judged = made_up()
    unranked = judged.coded.is_system(["HUMAN"])
    options = {"test": "two-sided", "rule": "footnote-4", "unranked": unranked}
    ranked = rank_campaign(judged.coded, average_segments=False, **options)
    np.testing.assert_allclose(judged.scores(judged.everything)[0], ranked.score[~unranked])
    significant = ranked.p[np.ix_(~unranked, ~unranked)] < 0.05
    assert ((judged.ahead(judged.everything)[0] != 0) == significant).all()
    gone = judged.coded.is_system([judged.systems[0]])
    rows = judged.coded.rows_of(gone, items=(), paired=False)
    options |= {"unranked": unranked | gone, "scales_from": ~rows}
    left = rank_campaign(judged.coded, average_segments=False, **options)
    np.testing.assert_allclose(judged.without_each()[0], left.score[~unranked])


def test_raw_scores_do_not_depend_on_who_else_was_judged():
    raw = made_up().on_other_scale
    found = raw.without_each()
    others = ~np.eye(len(raw.systems), dtype=bool)
    assert (found[:-1][others] == np.broadcast_to(found[-1], found[:-1].shape)[others]).all()
    np.testing.assert_array_equal(raw.human_changed(10), found[-1])


def test_esa_and_mqm_are_tested_on_the_segments_that_both_were_judged_on():
    rows = [
        ("h", f"w{k % 2}", name, "SYSTEM", f"d{k}", f"s{k}", 50 + k + better)
        for k in range(9)
        for name, better in (("A", 3), ("B", 0))
    ]
    # B is worse by 3 on every segment, which differ by more than that.
    assert scored(rows, protocol="ESA").ahead(weights(np.ones(9)))[0].tolist() == [[0, 1], [-1, 0]]
    assert not scored(rows).on_other_scale.ahead(weights(np.ones(9))).any()


def test_names_of_annotators_mean_nothing():
    frame = drawn(3)
    names = {name: f"u{hash_}" for hash_, name in enumerate(frame["worker"].unique()[::-1])}
    one, other = scored(frame), scored(frame.assign(worker=frame["worker"].map(names)))
    for a, b in ((one, other), (one.on_other_scale, other.on_other_scale)):
        np.testing.assert_allclose(a.scores(a.everything), b.scores(b.everything))
        np.testing.assert_allclose(a.without_each(), b.without_each())


def test_segments_can_stand_in_for_documents():
    judged = made_up()
    single = judged.by_segment
    assert single.document.max() + 1 == len(judged.coded.segments) > judged.document.max() + 1
    for one in (judged, judged.on_other_scale):
        everything = one.by_segment.scores(single.everything)
        np.testing.assert_allclose(everything, one.scores(one.everything))


def test_a_campaign_without_two_outputs_to_compare_is_refused():
    with pytest.raises(ValueError, match="t: no rankings of two systems or more"):
        protocols.ranked_campaign(RANKINGS[RANKINGS["ranking"] == 4], name="t")
