"""Reliability of judges: by hand, the long way, and what does not change it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from examples import (
    assessments,
    compared,
    counts_of,
    data_error,
    judged_by,
    scored,
    tournament,
)
from wmtlib import reliability, zscores
from wmtlib.core.assessments import encode
from wmtlib.core.corrections import wilson
from wmtlib.methods import rank
from wmtlib.reliability import judges


def table_of(data, **more):
    return judges(data, **more).table.set_index("judge").sort_index()


def test_a_judge_against_all_others_by_hand():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 1, 30, "q"), ("x", "y", 1, 30, "s")]
    rows += [("x", "y", 2, 25, "r"), ("x", "y", 1, 5, "r"), ("x", "y", 0, 9, "r")]
    found = table_of(judged_by(*rows))
    assert found["judgements"].tolist() == [30, 30, 39, 30]
    assert found["checked"].tolist() == [30, 30, 30, 30]  # a tie favours nobody
    assert found["reliability"].tolist() == [1, 1, pytest.approx(5 / 30), 1]
    assert found["doubtful"].tolist() == [False, False, True, False]
    # The others' strengths: 90 wins and no loss for r; 65 and 25, and ties, for p.
    others = rank(counts_of(("x", "y", 65, 25, 9)), "bradley-terry")
    apart = others.column("score")["x"] - others.column("score")["y"]
    assert found.loc["p", "expected"] == pytest.approx(1 / (1 + np.exp(-apart)))
    assert found["reversed"].tolist() == [0, 0, 0, 0] and not found["first"].any()


def test_who_is_first_may_hang_on_one_judge():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 2, 29, "q"), ("x", "y", 2, 5, "r")]
    found = table_of(judged_by(*rows, ("x", "y", 1, 20, "t")))
    assert found["first"].tolist() == ["y", "", "", "y"]
    assert found["reversed"].tolist() == [1, 0, 0, 1]


def test_of_few_comparisons_nothing_is_said():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 1, 30, "q")]
    rows += [("x", "y", 2, reliability.FEWEST - 1, "r")]
    found = table_of(judged_by(*rows, ("x", "y", 2, reliability.FEWEST, "s")))
    told = found[["reliability", "low", "high", "expected", "doubtful"]].notna()
    assert told.loc[["p", "s"]].all(axis=None) and not told.loc["r"].any()
    assert found["checked"].tolist()[2:] == [reliability.FEWEST - 1, reliability.FEWEST]


def test_of_few_outputs_nothing_is_said():
    # w0 and w1 scored the same outputs, w2 all of those but one.
    shared = reliability.FEWEST
    rows = []
    for w, number in enumerate([shared, shared, shared - 1]):
        for k in range(number):
            score = 10 + 7 * k % 31 + k % (3 + w)
            rows.append(("h", f"w{w}", "AB"[k % 2], "SYSTEM", "d", f"s{k}", score))
    found = table_of(assessments(rows))
    assert found["checked"].tolist() == [shared, shared, shared - 1]
    assert found["reliability"].notna().tolist() == [True, True, False]


def test_a_judge_is_doubtful_if_the_whole_interval_is_below_what_is_expected():
    # Judges beside q prefer x in 190 of 270, which is .70, q in 21 of 31, .68. Beside r
    # it is 201 of 271, .74, and r does in 10 of 30.
    rows = [("x", "y", 1, 180, "p"), ("x", "y", 2, 60, "p")]
    rows += [("x", "y", 1, 21, "q"), ("x", "y", 2, 10, "q")]
    found = table_of(judged_by(*rows, ("x", "y", 1, 10, "r"), ("x", "y", 2, 20, "r")))
    assert (found["reliability"] < found["expected"]).tolist() == [False, True, True]
    assert found["doubtful"].tolist() == [False, False, True]


def test_a_reference_plays_no_part_in_what_is_said_of_judges():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 2, 20, "q"), ("y", "z", 1, 20, "q")]
    with_reference = judged_by(*rows, ("x", "r", 2, 40, "p"), ("y", "r", 1, 40, "q"))
    expected = table_of(judged_by(*rows))
    assert_frame_equal(table_of(with_reference, reference="r"), expected)
    assert judges(scored(3), reference="C").ranking.order == ["B", "A"]


def rankings_of_q(sides):
    """Rankings of ten comparisons by q, and many comparisons of judges beside q."""
    frames = [compared(("x", "y", 1, 300), judge=judge, ranking=-1) for judge in "pr"]
    for k, side in enumerate(sides):
        frames.append(compared(("x", "y", side, 10), judge="q", ranking=k))
    return pd.concat(frames)


def test_the_interval_of_a_few_rankings_by_hand():
    # Rankings of ten that agree with the others wholly, wholly, wholly and not at all:
    # the share is 3/4, its variance 4/3 * (3 * 2.5**2 + 7.5**2) / 40**2 = 1/16, as of
    # 3/4 * 1/4 * 16 = 3 cases.
    found = table_of(rankings_of_q([1, 1, 1, 2])).loc["q", ["low", "high"]]
    assert found.tolist() == pytest.approx([*wilson(np.array(0.75), 3)])
    # Rankings that agree alike have no variance: three rankings are three cases.
    found = table_of(rankings_of_q([1, 1, 1])).loc["q", ["low", "high"]]
    assert found.tolist() == pytest.approx([*wilson(np.array(1.0), 3)])


def test_an_interval_is_no_narrower_than_that_of_independent_comparisons():
    # In ten rankings of ten 8 agree with the others, in one 9 and in one 7: less varies
    # than by chance, as of 720 comparisons, and there are 100.
    frames = [rankings_of_q([])]
    for k, wins in enumerate([8] * 8 + [9, 7]):
        rows = ("x", "y", 1, wins), ("x", "y", 2, 10 - wins)
        frames.append(compared(*rows, judge="q", ranking=k))
    found = table_of(pd.concat(frames)).loc["q", ["low", "high"]]
    assert found.tolist() == pytest.approx([*wilson(np.array(0.8), 100)])


def test_systems_that_the_others_hold_for_level_check_nobody():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 2, 30, "p"), ("x", "y", 1, 30, "q")]
    found = table_of(judged_by(*rows))
    assert found["checked"].tolist() == [60, 0]
    assert found["reliability"].isna().tolist() == [False, True]
    # Without q the two are tied, which reverses nothing.
    assert found["reversed"].tolist() == [0, 0]
    assert found["first"].tolist() == ["", "x = y"]


@pytest.mark.parametrize("kind", ["comparisons", "scores"])
def test_the_ranking_without_each_judge_the_long_way(kind):
    frame = tournament(2, games=300, judges=6)
    unit = "judge"
    method = "bradley-terry"
    if kind == "scores":
        frame = scored(1, gap=0)
        unit = "worker"
        method = "z-score"
    found = judges(frame)
    before = found.ranking.order
    by_judge = found.table.set_index("judge")
    assert by_judge["reversed"].max() > 0
    for name, row in by_judge.iterrows():
        after = rank(frame[frame[unit] != name], method).order
        turned = [after.index(a) > after.index(b) for a, b in combinations(before, 2)]
        assert row["reversed"] == sum(turned)
        assert row["first"] == ("" if after[0] == before[0] else after[0])


def test_reliability_of_scores_the_long_way():
    campaign = encode(scored(3))
    found = judges(campaign).table.set_index("judge")
    frame = scored(3).assign(z=zscores.standardised(campaign))
    mean = frame.groupby(["system", "segment", "worker"])["z"].agg(
        ["mean", "sum", "size"]
    )
    whole = frame.groupby(["system", "segment"])["z"].agg(["sum", "size"])
    for name in found.index:
        own = mean.xs(name, level="worker")
        others = whole.loc[own.index] - own[["sum", "size"]]
        both = others["size"] > 0
        expected = own["mean"][both].corr((others["sum"] / others["size"])[both])
        assert found.loc[name, "reliability"] == pytest.approx(expected)
        assert found.loc[name, "checked"] == both.sum()
        low, high = found.loc[name, ["low", "high"]]
        width = (np.arctanh(high) - np.arctanh(low)) * (both.sum() - 3) ** 0.5
        assert width == pytest.approx(2 * 1.96, rel=1e-3)
    assert found["expected"].unique() == [found["reliability"].median()]
    assert found.index[0] in ("w4", "w5")  # who scores with the most noise


def test_quality_control_is_no_judgement_of_an_output():
    rows = scored(3)
    control = rows[:40].assign(item="BAD_REF", score=1.0)
    found = judges(pd.concat([rows, control])).table.set_index("judge")
    expected = rows.groupby("worker").size().tolist()
    assert found["judgements"].sort_index().tolist() == expected


def test_rows_in_any_order_give_the_same():
    frame = tournament(6, games=300).assign(
        ranking=lambda x: [f"r{k // 3}" for k in range(len(x))]
    )
    shuffled = frame.sample(frac=1, random_state=2)
    assert_frame_equal(table_of(frame), table_of(shuffled))


def test_one_judge_or_none_is_refused():
    with data_error("no judges are told apart"):
        judges(counts_of(("x", "y", 4, 2, 0)))
    with data_error(r"1 judge\(s\)"):
        judges(judged_by(("x", "y", 1, 3, "j")))
    with data_error("1 worker; expected two or more"):
        judges(encode(scored(1, workers=1)))


# --- the level that the sentence names ------------------------------------------------


def alike_votes(rng):
    """Votes of 15 judges who judge alike, 80 each, of systems in steps of log-odds."""
    first = rng.integers(6, size=1200)
    second = (first + rng.integers(1, 6, size=1200)) % 6
    won = rng.random(1200) < 1 / (1 + np.exp(0.3 * (first - second)))
    names = np.array([f"s{k}" for k in range(6)])
    table = {
        "system_1": names[first],
        "system_2": names[second],
        "preference": np.where(rng.random(1200) < 0.2, 0, np.where(won, 1, 2)),
        "judge": np.repeat([f"j{k:02d}" for k in range(15)], 80),
    }
    return pd.DataFrame(table)


def alike_scores(rng):
    """Scores of 15 workers who judge alike but for their level, two a document."""
    level = 8 * rng.normal(size=15)
    rows = []
    for document in range(120):
        output = 50 + 6 * rng.normal(size=4)
        for worker in rng.permutation(15)[:2]:
            score = output + level[worker] + 12 * rng.normal(size=4)
            names = [f"s{k}" for k in range(4)]
            rows += [
                (f"w{worker:02d}", name, f"d{document}", "1", x)
                for name, x in zip(names, score, strict=True)
            ]
    columns = ["worker", "system", "document", "segment", "score"]
    usual = {"hit": "", "item": "SYSTEM", "accepted": True, "language_pair": ""}
    return encode(pd.DataFrame(rows, columns=columns).assign(**usual))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::wmtlib.core.errors.JudgementWarning")
@pytest.mark.parametrize("draw", [alike_votes, alike_scores])
def test_of_judges_who_judge_alike_one_in_forty_is_at_odds(draw):
    """Of 450 judges 11 are; more than 23 come about once in 2,000 times."""
    tables = [judges(draw(np.random.default_rng(seed))).table for seed in range(30)]
    assert sum(table["doubtful"].sum() for table in tables) <= 23
