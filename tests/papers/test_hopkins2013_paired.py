"""Methods compared in pairs, over tracks and test segments."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from wmtlib import bradley_terry
from wmtlib.models import perplexity
from wmtlib.study.papers import hopkins2013_paired
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.papers.hopkins2013_paired import MAIN, HeldOut
from wmtlib.study.papers.sampler_checks import simulate

METHODS = [*MAIN, "rao-kupper"]


def made_up(bits_of, comparisons=(2, 3)):
    """Tracks with the given bits a comparison, alike in all segments."""
    counts = np.array(comparisons)
    return [
        HeldOut("wmt00", str(k), counts, pd.DataFrame({m: b * counts for m, b in bits.items()}))
        for k, bits in enumerate(bits_of)
    ]


def test_perplexity_is_two_to_the_mean_of_the_bits():
    bits = pd.DataFrame({"m": [2.0, 6.0]})
    assert HeldOut("c", "t", np.array([1, 3]), bits).perplexities["m"] == 4.0


def test_segments_are_drawn_whole():
    rng = np.random.default_rng(1)
    alike = made_up([{"m": 1.5}])[0].resampled(20, rng)
    assert alike == pytest.approx(np.full((20, 1), 2**1.5))
    mixed = HeldOut("c", "t", np.array([1, 1]), pd.DataFrame({"m": [1.0, 3.0]}))
    found = set(mixed.resampled(200, rng).ravel().round(6))
    assert found == {2.0, 4.0, 8.0}  # both segments, or one of them twice


def test_single_comparisons_are_drawn_where_segments_are_not_known():
    # 3 comparisons of one bit and 1 of three bits, drawn 4 at a time: 4 + 2k bits.
    bits = pd.DataFrame({"m": [3.0, 3.0]})
    track = HeldOut("c", "t", np.array([3, 1]), bits, segments_known=False)
    found = track.resampled(4000, np.random.default_rng(1)).ravel()
    shares = pd.Series(4 * np.log2(found)).round(6).value_counts(normalize=True)
    assert shares[[4.0, 6.0]].tolist() == pytest.approx([0.75**4, 0.75**3], abs=0.03)


def test_differences_are_paired_and_all_but_the_main_one_corrected():
    levels = [1.0, 1.2, 1.4, 1.1, 1.3, 1.5]
    gaps = [0.01, 0.02, 0.015, 0.03, 0.025, 0.02]
    tracks = made_up(
        [
            {MAIN[0]: level, MAIN[1]: level + gap, "rao-kupper": level + 2 * gap}
            for level, gap in zip(levels, gaps, strict=True)
        ]
    )
    pairs = [MAIN, ("rao-kupper", MAIN[1]), ("rao-kupper", MAIN[0])]
    rng = np.random.default_rng(1)
    table = hopkins2013_paired.compared(tracks, pairs, n_resamples=10, rng=rng)
    gap = np.exp2(levels) - np.exp2(np.add(levels, gaps))
    low, high = stats.t.interval(0.95, 5, gap.mean(), stats.sem(gap))
    main = table.loc[MAIN]
    assert main[["difference", "low", "high"]].tolist() == pytest.approx([gap.mean(), low, high])
    assert main["better"] == main["tracks"] == 6
    assert main["p"] == main["p_holm"] == pytest.approx(2 / 2**6)
    others = table.iloc[1:]
    assert (others["better"] == 0).all()
    assert others["p_holm"].to_numpy() == pytest.approx(2 * others["p"].to_numpy())
    assert table["segments_error"].max() < 1e-9  # all segments are alike


def test_every_method_meets_the_same_one_once():
    methods = [m for family in hopkins2013_paired.FAMILIES.values() for m in family]
    pairs = hopkins2013_paired.pairs(methods)
    assert pairs[0] == MAIN
    assert len(set(pairs)) == len(pairs)
    assert {a for a, b in pairs if b == MAIN[1]} == {*methods} - {MAIN[1]}


def test_places_of_equation_3_keep_its_order():
    wins = np.array([[[0, 5, 9], [1, 0, 2], [0, 2, 0]]])
    assert hopkins2013_paired.bojar_places(wins, 0 * wins).tolist() == [[3, 2, 1]]


def test_held_out_losses_are_those_of_the_models():
    frame, _ = simulate("gaussian", rng=np.random.default_rng(5), comparisons=600, radius=0.8)
    systems = tuple(sorted({*frame["system_1"], *frame["system_2"]}))
    train, test = frame.iloc[:400], frame.iloc[400:].reset_index(drop=True)
    track = Track("wmt00", "xx-yy", train.reset_index(drop=True), test, systems)
    [found] = hopkins2013_paired.held_out([track], METHODS, seed=1)
    davidson = bradley_terry.fit(train, systems=systems, ties="davidson")
    assert found.perplexities["bradley-terry"] == pytest.approx(perplexity(davidson, test))
    assert found.comparisons.sum() == 200 and len(found.comparisons) <= 10
    assert 0.5 < found.radii["irt-gaussian"] < 1.1


def test_gaps_from_the_best():
    tracks = made_up([{"a": 1.0, "b": 1.1}, {"a": 1.0, "b": 1.2}])
    table = hopkins2013_paired.gaps(tracks, ["a", "b"], "a")
    assert table.loc["a"].tolist() == [0, 0, 0]
    assert table.loc["b", "mean"] == pytest.approx(np.exp2([1.1, 1.2]).mean() - 2)
