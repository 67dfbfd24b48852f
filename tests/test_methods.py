"""Every method by name, by hand and against the modules they come from; adding one."""

import contextlib
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import wmtlib
from examples import (
    REAL,
    ROOT,
    compared,
    counts_of,
    data_error,
    drawn,
    rank_systems,
    row_of,
)
from wmtlib import methods, scorers
from wmtlib.core.assessments import encode
from wmtlib.core.counts import Counts, expand
from wmtlib.core.errors import DataError, Question
from wmtlib.files import checks
from wmtlib.methods import (
    METHODS,
    MODELS,
    Settings,
    model_generator,
    rank,
    ranking_methods,
)
from wmtlib.resampling import bootstrap
from wmtlib.zscores import judged_values

# --- every method ---------------------------------------------------------------------

COUNTED = [  # counts forget who was shown first
    n for n, m in METHODS.items() if m.kind == "counts" and not m.sided
]


@pytest.mark.parametrize("method", COUNTED)
def test_a_clear_order_is_found_by_every_method(method):
    pairs = [("c", "a"), ("c", "d"), ("a", "d"), ("c", "b"), ("a", "b"), ("d", "b")]
    table = [(x, y, 30, 6, 4) if x < y else (y, x, 6, 30, 4) for x, y in pairs]
    found = rank(counts_of(*table), method)
    assert found.order == ["c", "a", "d", "b"]
    assert found.table["rank"].tolist() == [1, 2, 3, 4]
    assert found.method == method
    assert list(found.table.columns[:3]) == ["system", "rank", "score"]


def test_mfas_says_what_is_proven_and_what_is_open():
    counts = counts_of("a b 5 2 0", "a c 1 2 0", "b c 4 0 0")
    found = rank(counts, "mfas")
    assert found.table["system"].tolist() == ["a", "b", "c"]
    for side in ("best_rank", "worst_rank"):
        assert found.table[side].tolist() == [1, 2, 3]
    assert found.table["score"].isna().all()
    assert found.note == "proven least; optimal orders: 1"
    proven = dict.fromkeys(["violated_weight", "lower_bound", "optimal_orders"], 1)
    assert found.facts == proven | {"optimal": True}


@pytest.mark.parametrize("method", COUNTED)
def test_the_reference_counts_for_equation_1_alone(method):
    more = Counts(REAL.wins.copy(), REAL.ties.copy())
    systems = [name for name in REAL.systems if name != "_ref"]
    more.wins.loc["_ref", systems[0]] += 500
    one = rank(REAL, method, reference="_ref").table
    other = rank(more, method, reference="_ref").table
    assert set(one["system"]) == set(systems)
    assert one.equals(other) == (method != "wmt-official")


@pytest.mark.parametrize("method", ["trueskill", "mfas", "bradley-terry"])
def test_a_system_that_met_the_reference_only(method):
    table = compared("a b 1 9", "b a 1 2", "c _ref 2 5")
    found = rank(table, method, reference="_ref")
    assert sorted(found.order) == ["a", "b"]
    assert "'c (0)'; the ranks of the others leave such systems out" in found.note
    with contextlib.suppress(DataError):  # what cannot score it refuses it
        found = rank(table, method, reference="_ref", minimum=0)
        assert sorted(found.order) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "data, method, reference, said",
    [
        (
            REAL,
            "z-score",
            "_ref",
            "no method for counts 'z-score'; expected wmt-official, ",
        ),
        (REAL, "bojar", "_human", "no system '_human'; expected "),
        (
            counts_of("a b 1 0 0"),
            "bojar",
            "a",
            "1 system(s) to rank; expected two or more",
        ),
        (
            counts_of("a b 0 0 0"),
            "bojar",
            None,
            "no comparisons; expected one or more",
        ),
        (
            counts_of("a b 1 0 0", "c d 0 0 0"),
            "bradley-terry",
            None,
            "system 'c' has no comparison that this score counts",
        ),
        (
            counts_of("a b 1 0 0", "b c 1 1 0"),
            "bradley-terry-half",
            None,
            "'a' never lost to the rest: without a prior there is no maximum",
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(data, method, reference, said):
    with data_error("^" + re.escape(said)):
        rank(data, method, reference=reference)


def scored(frame):
    return wmtlib.read(frame, scale=(0, 100))


def campaign_of_two():
    """Two workers; the second, stricter by 20, judged B more: B is ahead by z only."""
    rows = [
        "w1 A 1 60",
        "w1 B 1 70",
        "w1 B 2 80",
        "w1 A 3 50",
        "w2 A 4 40",
        "w2 B 4 50",
        "w2 B 5 40",
        "w2 B 6 60",
        "w3 A 7 99",
    ]
    columns = ["worker", "system", "segment", "score"]
    return pd.DataFrame(map(row_of, rows), columns=columns)


def test_z_scores_and_raw_scores_of_a_campaign_of_two():
    ranking = rank_systems(encode(campaign_of_two())).table.set_index("system")
    by_z = rank(scored(campaign_of_two()), "z-score")
    assert by_z.order == ["B", "A"]
    assert by_z.table["score"].tolist() == pytest.approx(
        ranking.loc[["B", "A"], "score"].tolist()
    )
    assert by_z.note == "1 worker(s) left out: no two different scores"
    by_raw = rank(scored(campaign_of_two()), "raw-score")
    assert dict(zip(by_raw.table["system"], by_raw.table["score"], strict=True)) == {
        "A": (60 + 50 + 40 + 99) / 4,  # all scores, of w3 too, who gave one
        "B": (70 + 80 + 50 + 40 + 60) / 5,
    }


def by_rare_workers():
    """Return scores of A and B on 12 segments: of two by one worker, each other by one.

    The worker gave A 80 and 60, B 60 and 40; all others A 10 and B 50.
    """
    rows = [(f"once{k}", "AB"[k % 2], k // 2, 10 + 40 * (k % 2)) for k in range(4, 24)]
    regular = [
        ("w", "A", 0, 80),
        ("w", "A", 1, 60),
        ("w", "B", 0, 60),
        ("w", "B", 1, 40),
    ]
    columns = ["worker", "system", "segment", "score"]
    return pd.DataFrame([*rows, *regular], columns=columns).astype({"segment": str})


def test_raw_scores_are_of_all_workers_and_z_scores_say_who_has_none():
    judgements = scored(by_rare_workers())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_raw = rank(judgements, "raw-score")
    assert by_raw.column("score").to_dict() == {"B": 50, "A": 20}
    fault = (
        "20 of 24 scores have no z-score and do not count: their 20 of 21 workers gave"
        " one score each, or the same always; to count all scores, add"
        " method='raw-score'"
    )
    with pytest.warns(wmtlib.JudgementWarning, match=fault):
        by_z = rank(judgements)
    z = 10 / np.sqrt(800 / 3)  # mean 60; 20, 0, 0 and -20 from it
    assert by_z.column("score").to_dict() == pytest.approx({"A": z, "B": -z})


def test_sets_and_intervals_of_raw_scores_are_of_all_workers():
    judgements = scored(by_rare_workers())
    sets = wmtlib.rank_sets(judgements, "raw-score")
    # 12 segments, in which B is ahead by 40, and twice behind by 20: their mean is 30.
    assert (sets.units.kinds, sets.units.numbers) == (("worker", "segment"), (21, 12))
    assert sets.pairs["difference"].tolist() == [30] and sets.pairs["apart"].all()
    gained = [40] * 10 + [-20] * 2
    by_segment = wmtlib.rank_sets(judgements, "raw-score", unit="segment").pairs
    assert by_segment["p"][0] == pytest.approx(stats.ttest_1samp(gained, 0).pvalue)
    samples = bootstrap(judgements, "raw-score", unit="segment", n_resamples=20)
    assert samples.thin.empty and samples.occurrences.to_dict() == {"A": 12, "B": 12}
    assert samples.table["rank_high"].tolist() == [1, 2]
    campaign = encode(judgements)
    assert checks.thin(campaign, score="raw").empty
    assert checks.thin(campaign).to_dict() == {"A": 2, "B": 2}
    assert (
        len(judged_values(campaign, "raw")) == 24 == 20 + len(judged_values(campaign))
    )


# --- the registry ---------------------------------------------------------------------


def test_no_two_models_draw_the_same_random_numbers():
    drawing = [name for name in MODELS if METHODS[name].stream]
    first = {model_generator(name, 1, 2).random() for name in drawing}
    assert len(first) == len(drawing) == 6
    again, other = (model_generator("bojar", 1, trial).random() for trial in (2, 3))
    assert again in first and other not in first


def test_scores_that_are_no_numbers_are_refused():
    frame = campaign_of_two()
    texts = frame.assign(score=frame["score"].astype(str))
    assert rank(scored(texts)).order == ["B", "A"]
    with data_error(r"score is 'x' \(9 rows, first row 0\); expected a number from 0"):
        scored(frame.assign(score="x"))
    with data_error(r"^row 0: score is x; expected a number from 0 to 100$"):
        encode(frame.assign(score="x"))
    with data_error(r"^accepted is .*; expected true or false$"):
        encode(frame.assign(accepted="no"))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_fits_by_its_name_alone(name):
    frame = compared("a b 1 1", "b c 2 1", "a c 0 1").assign(segment=[1, 1, 2])
    fitted = MODELS[name](frame, systems=[*"abc"], rng=model_generator(name, 1))
    assert fitted.probabilities.shape == (3, 3, 3) and (fitted.probabilities > 0).all()


def copeland(wins, ties):
    """Opponents beaten more often than not."""
    return (wins > wins.swapaxes(-1, -2)).sum(axis=-1).astype(float)


def test_a_scorer_is_added_as_contributing_says(monkeypatch):
    recipe = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^ +(Score\(.*\))$", recipe, re.MULTILINE)
    monkeypatch.setattr(scorers, "copeland", copeland, raising=False)
    method = eval(entry, vars(methods))
    monkeypatch.setitem(METHODS, method.name, method)
    assert "copeland" in set(ranking_methods()["method"])
    table = ["_ref a 0 3 0", "_ref b 2 0 0", "_ref c 2 0 0"]
    table += ["a b 4 1 0", "a c 1 5 0", "b c 6 1 0"]
    counts = counts_of(*table)
    ranking = rank(counts, "copeland", reference="_ref")
    # a beat the reference, which counts, and b; b beat c; c beat a.
    assert ranking.column("score").to_dict() == {"a": 2, "b": 1, "c": 1}
    assert ranking.column("rank").to_dict() == {"a": 1, "b": 2, "c": 2}
    drawn = {"unit": "comparison", "n_resamples": 50, "reference": "_ref"}
    samples = bootstrap(counts, "copeland", **drawn)
    assert samples.sample_scores["a"].isin([0, 1, 2]).all()
    assert samples.table["rank_high"].between(1, 3).all()


# --- thin systems ---------------------------------------------------------------------


def test_a_tie_is_one_comparison():
    counts = counts_of("a b 9 9 0", "a c 0 0 5")
    assert checks.thin(counts).to_dict() == {"c": 5}


def test_several_scores_of_one_segment_are_as_many_scores():
    rows = [(f"w{k // 3}", s, f"s{k % 3}", 50 + k) for s in "AB" for k in range(12)]
    rows += [("w0", "C", "s0", 9), ("w1", "C", "s0", 10)]
    columns = ["worker", "system", "segment", "score"]
    campaign = encode(pd.DataFrame(rows, columns=columns))
    assert checks.thin(campaign).to_dict() == {"C": 2}
    names, lines, is_enough = checks.thin_systems(campaign)
    assert names == ["C"] and is_enough
    assert lines[0].startswith("too few comparisons or scores for an interval")


def test_thin_systems_stay_where_one_other_and_the_reference_would_be_left():
    counts = counts_of("_ref x 9 9 0", "x y 6 0 0", "x z 6 0 0")
    names, lines, is_enough = checks.thin_systems(counts, reference="_ref")
    assert not names and not is_enough and len(lines) == 1
    assert lines[0].endswith("cluster of its own: 'y (6)', 'z (6)'")
    assert rank(to_frame(counts), "soccer", reference="_ref").order == ["x", "y", "z"]


def to_frame(counts):
    return wmtlib.read(expand(counts)).comparisons


def test_controls_that_were_paired_with_a_thin_system_go_with_it():
    """They would stay in the workers' scales."""
    rows = [
        {"worker": w, "system": s, "segment": str(k), "score": 10.0 * (k % 7) + bonus}
        for w in "vw"
        for s, bonus in (("A", 9), ("B", 0))
        for k in range(12)
    ]
    whole = pd.DataFrame(rows)
    thin = pd.DataFrame(
        {"worker": "v", "system": "T", "segment": [*"0123"], "score": [0, 1, 99, 100]}
    )
    items = ["SYSTEM", "BAD_REF", "BAD_REF", "BAD_REF"]
    frame = pd.concat([whole.assign(item="SYSTEM"), thin.assign(item=items)])
    alone = rank(scored(whole), "z-score").column("score")
    for found in (
        rank(scored(frame), "z-score"),
        wmtlib.clusters(scored(frame), test="two-sided", rule="footnote-4"),
    ):
        assert found.order == ["A", "B"] and "'T (1)'; the ranks" in found.note
        assert found.column("score")[["A", "B"]].to_numpy() == pytest.approx(
            alone[["A", "B"]].to_numpy(), abs=1e-8
        )


def test_a_reference_has_no_mean():
    campaign = encode(drawn(1))
    for name in ("z-score", "raw-score"):
        values = METHODS[name].values(campaign, Settings(campaign.systems[0]))
        assert [*values.index] == [*campaign.systems[1:]]


# --- frames ---------------------------------------------------------------------------

VOTES = pd.DataFrame({"model_a": [*"xyx"], "model_b": [*"yzz"], "winner": [*"xyz"]})
RANKS = pd.DataFrame({"ranking": 1, "system": [*"xyz"], "rank": [1.0, 2.0, 3.0]})
SCORES = pd.DataFrame(
    {"worker": [*"vvww"], "system": [*"xyxy"], "segment": [*"1122"], "score": 50.0}
).assign(score=[70.0, 50.0, 60.0, 20.0])


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (VOTES.assign(Votes=[1, 99, 3]), "'Votes': 3 different, '1', '99'"),
        (VOTES.assign(**{"Test Set": [*"uvv"]}), "'Test Set': 2 different, 'u', 'v'"),
        (VOTES.assign(src=["de", "en", "en"]), "'src': 2 different, 'de', 'en'"),
        (VOTES.assign(status=["ok", "ok", "spam"]), "1 column without a role"),
        (VOTES.assign(flipped=[0, 1, 0]), "'flipped': 2 different, '0', '1'"),
        (VOTES.assign(task=[*"uvv"]), "TASK: 'u', 'v'"),
        (VOTES.replace("z", "x+y"), "names that join others: 'x+y'"),
        (RANKS.replace(2, -2.0), "rank is '-2' (row 1); expected a whole number from"),
        (RANKS.replace(2, np.inf), "rank is 'inf' (row 1)"),
        (RANKS.replace(2, 0.0), "(0 is no rank)"),
        (SCORES, "the scale of the scores is not said"),
        (SCORES.assign(aspect=[*"ppqq"]), "'aspect': 2 different, 'p', 'q'"),
        (SCORES.assign(**{"item type": "TGT"}), "the scale of the scores is not said"),
    ],
)
def test_what_a_frame_does_not_declare_is_asked_about(frame, said):
    with pytest.raises(Question, match=re.escape(said)):
        rank(frame)


@pytest.mark.parametrize("score", [-60.0, 198.0])
def test_scores_beyond_their_scale_are_asked_about(score):
    with pytest.raises(Question, match=rf"score is '{score:g}' \(row 3\); expected a"):
        scored(SCORES.replace(20, score))
