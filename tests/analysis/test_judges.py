"""How far judges can be relied on: by hand, and against the long way."""

import numpy as np
import pandas as pd
import pytest
from assessed import assessments
from judged import compared, counts_of, judged_by, rng, tournament

from wmtlib import agreement, zscores
from wmtlib import agreement as judges
from wmtlib import ranking as methods
from wmtlib.errors import DataError
from wmtlib.zscores import encode


def table_of(data, **more):
    return judges.judges(data, **more).table.set_index("judge").sort_index()


def scored(seed, workers=6, outputs=40, twice=True, gap=9):
    """Workers who all score about half of the same outputs, some of them again."""
    draw, rows = rng(seed), []
    for k in range(workers):
        for name in "ABC":
            for segment in draw.choice(outputs, outputs // 2, replace=False):
                quality = 40 + gap * "ABC".index(name) + 20 * np.sin(segment)
                score = np.clip(draw.normal(quality, 8 + 3 * k), 0, 100)
                for _ in range(1 + (twice and segment % 7 == 0)):
                    rows.append(("h", f"w{k}", name, "SYSTEM", "d", f"s{segment}", score))
    return assessments(rows)


def test_a_judge_against_all_others_by_hand():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 1, 30, "q"), ("x", "y", 1, 30, "s")]
    rows += [("x", "y", 2, 25, "r"), ("x", "y", 1, 5, "r"), ("x", "y", 0, 9, "r")]
    found = table_of(judged_by(*rows))
    assert found["judgements"].tolist() == [30, 30, 39, 30]
    assert found["checked"].tolist() == [30, 30, 30, 30]  # a tie favours nobody
    assert found["reliability"].tolist() == [1, 1, pytest.approx(5 / 30), 1]
    assert found["doubtful"].tolist() == [False, False, True, False]
    # The others' strengths: 90 wins and no loss for r; 65 and 25, and ties, for p.
    others = methods.rank(counts_of(("x", "y", 65, 25, 9)), "bradley-terry", reference=None)
    apart = others.column("score")["x"] - others.column("score")["y"]
    assert found.loc["p", "expected"] == pytest.approx(1 / (1 + np.exp(-apart)))
    assert found["reversed"].tolist() == [0, 0, 0, 0] and not found["first"].any()


def test_who_is_first_may_hang_on_one_judge():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 2, 29, "q"), ("x", "y", 2, 5, "r")]
    found = table_of(judged_by(*rows, ("x", "y", 1, 20, "t")))
    assert found["first"].tolist() == ["y", "", "", "y"]
    assert found["reversed"].tolist() == [1, 0, 0, 1]


def test_of_few_comparisons_nothing_is_said():
    rows = [("x", "y", 1, 30, "p"), ("x", "y", 1, 30, "q"), ("x", "y", 2, judges.FEWEST - 1, "r")]
    found = table_of(judged_by(*rows))
    told = found[["reliability", "low", "high", "expected", "doubtful"]].notna()
    assert told.loc["p"].all() and not told.loc["r"].any()
    assert found.loc["r", "checked"] == judges.FEWEST - 1


def test_comparisons_of_one_ranking_are_not_independent():
    """Each ranking holds ten comparisons that all go the same way: as many cases as rankings."""
    sides = [1 + (k % 5 == 0) for k in range(40)]
    frames = [compared(("x", "y", 1, 300), judge="p", ranking=-1)]
    frames += [compared(("x", "y", s, 10), judge="q", ranking=k) for k, s in enumerate(sides)]
    frame = pd.concat([*frames, compared(("x", "y", 1, 300), judge="r", ranking=-2)])
    wide, narrow = (table_of(x).loc["q"] for x in (frame, frame.drop(columns="ranking")))
    assert wide["reliability"] == narrow["reliability"] == pytest.approx(0.8)
    ratio = (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"])
    assert ratio == pytest.approx(10**0.5, rel=0.05)


@pytest.mark.parametrize("kind", ["comparisons", "scores"])
def test_the_ranking_without_each_judge_the_long_way(kind):
    if kind == "scores":
        frame, unit, method, turned = scored(1, gap=0), "worker", "z-score", encode
    else:
        frame, unit, method = tournament(2, games=300, judges=6), "judge", "bradley-terry"

        def turned(rows):
            return rows

    found = judges.judges(turned(frame))
    before, by_judge = found.ranking.order, found.table.set_index("judge")
    assert by_judge["reversed"].max() > 0
    for name, row in by_judge.iterrows():
        after = methods.rank(turned(frame[frame[unit] != name]), method, reference=None).order
        pairs = [(a, b) for k, a in enumerate(before) for b in before[k + 1 :]]
        assert row["reversed"] == sum(after.index(a) > after.index(b) for a, b in pairs)
        assert row["first"] == ("" if after[0] == before[0] else after[0])


def test_reliability_of_scores_the_long_way():
    campaign = encode(scored(3))
    found = judges.judges(campaign).table.set_index("judge")
    frame = scored(3).assign(z=zscores.standardised(campaign))
    mean = frame.groupby(["system", "segment", "worker"])["z"].agg(["mean", "sum", "size"])
    whole = frame.groupby(["system", "segment"])["z"].agg(["sum", "size"])
    for name in found.index:
        own = mean.xs(name, level="worker")
        others = whole.loc[own.index] - own[["sum", "size"]]
        both = others["size"] > 0
        expected = np.corrcoef(own["mean"][both], (others["sum"] / others["size"])[both])[0, 1]
        assert found.loc[name, "reliability"] == pytest.approx(expected)
        assert found.loc[name, "checked"] == both.sum()
        low, high = found.loc[name, ["low", "high"]]
        width = (np.arctanh(high) - np.arctanh(low)) * (both.sum() - 3) ** 0.5
        assert width == pytest.approx(2 * 1.96, rel=1e-3)
    assert found["expected"].unique() == [found["reliability"].median()]
    assert found.index[0] in ("w4", "w5")  # who scores with the most noise


def test_alpha_of_scores_the_long_way():
    frame = scored(4, twice=False)
    z = zscores.standardised(encode(frame))
    outputs = [g["z"].to_numpy() for _, g in frame.assign(z=z).groupby(["system", "segment"])]
    outputs = [x for x in outputs if len(x) > 1]
    every = np.concatenate(outputs)

    def squares(x):
        return ((x[:, None] - x) ** 2).sum()

    observed = sum(squares(x) / (len(x) - 1) for x in outputs) / len(every)
    alpha = 1 - observed / (squares(every) / (len(every) * (len(every) - 1)))
    found = judges.agreement(encode(frame), n_resamples=200, rng=rng())
    assert found["measure"].tolist() == ["alpha"]
    assert found["value"].tolist() == pytest.approx([alpha])
    assert found["low"].item() < alpha < found["high"].item()


def test_agreement_of_comparisons_is_that_of_the_measures():
    frame = tournament(5, games=600).assign(segment=lambda x: [f"{k % 9}" for k in range(len(x))])
    found = judges.agreement(frame, n_resamples=100, rng=rng()).set_index("measure")
    expected = agreement.measures(agreement.tallies(frame)).iloc[0]
    pd.testing.assert_series_equal(found["value"], expected, check_names=False)
    assert (found["low"] < found["value"]).all() and (found["value"] < found["high"]).all()


def test_rows_in_any_order_give_the_same():
    frame = tournament(6, games=300).assign(ranking=lambda x: [f"r{k // 3}" for k in range(len(x))])
    shuffled = frame.sample(frac=1, random_state=2)
    pd.testing.assert_frame_equal(table_of(frame), table_of(shuffled))
    scores = scored(5)
    mixed = encode(scores.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(table_of(encode(scores)), table_of(mixed))


def test_one_judge_or_none_is_refused():
    with pytest.raises(DataError, match="no judges are told apart"):
        judges.judges(counts_of(("x", "y", 4, 2, 0)))
    with pytest.raises(DataError, match=r"1 judge\(s\)"):
        judges.judges(judged_by(("x", "y", 1, 3, "j")))
    with pytest.raises(DataError, match="1 worker; expected two or more"):
        judges.judges(encode(scored(1, workers=1)))
