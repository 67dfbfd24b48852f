"""Rankings to comparisons to counts, by hand and against a plain loop; every form of judgements."""

from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import compared, counts_of, rng
from wmtlib import assessments
from wmtlib import counts as counting
from wmtlib.assessments import ASSESSMENTS
from wmtlib.counts import COMPARISONS, RANKINGS, UNRANKED, Counts
from wmtlib.errors import DataError, Origin
from wmtlib.study import simulation
from wmtlib.yours.reading import grouping, wmt_format
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS

NAMES = [f"sys-{letter}" for letter in "abcdefg"]

# One ranking: up to five different systems in screen order, each with a rank or a
# blank.
RANKING = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from([UNRANKED, 1, 2, 3, 4, 5])),
    max_size=5,
    unique_by=lambda slot: slot[0],
)
MANY = st.lists(RANKING, max_size=12)
# Half of the usual examples: each of them makes several frames, which takes all of the
# time.
FEW = settings(max_examples=settings().max_examples)


def frame(rankings):
    """Rankings, each a list of (system, rank), in the form that the readers give."""
    rows = [
        ("fr-en", number, 1, "judge_001", system, rank)
        for number, ranking in enumerate(rankings)
        for system, rank in ranking
    ]
    return pd.DataFrame(rows, columns=RANKINGS).astype({"ranking": int, "rank": int})


def counted(rankings):
    return counting.count(counting.comparisons(frame(rankings)))


def same(left, right):
    pd.testing.assert_frame_equal(left.wins, right.wins)
    pd.testing.assert_frame_equal(left.ties, right.ties)


# --- Lopez (2012), Figure 1: a ranking of five systems gives ten comparisons ----------

FIGURE_1 = [("jhu", 1), ("bbn-combo", 2), ("rwth", 3), ("rwth-combo", 3), ("cmu", 4)]
FIGURE_1_PAIRS = [
    ("jhu", "bbn-combo", 1),
    ("jhu", "rwth", 1),
    ("jhu", "rwth-combo", 1),
    ("jhu", "cmu", 1),
    ("bbn-combo", "rwth", 1),
    ("bbn-combo", "rwth-combo", 1),
    ("bbn-combo", "cmu", 1),
    ("rwth", "rwth-combo", 0),
    ("rwth", "cmu", 1),
    ("rwth-combo", "cmu", 1),
]


def test_figure_1_gives_its_ten_comparisons_in_the_papers_order():
    table = counting.comparisons(frame([FIGURE_1]))
    assert list(table.columns) == COMPARISONS
    found = table[["system_1", "system_2", "preference"]].itertuples(
        index=False, name=None
    )
    assert list(found) == FIGURE_1_PAIRS


def test_figure_1_counts():
    counts = counted([FIGURE_1])
    assert counts.systems == ["bbn-combo", "cmu", "jhu", "rwth", "rwth-combo"]
    assert counts.comparisons == 10
    assert counts.wins.sum(axis=1).to_dict() == {
        "jhu": 4,
        "bbn-combo": 3,
        "rwth": 1,
        "rwth-combo": 1,
        "cmu": 0,
    }
    assert (
        counts.ties.loc["rwth", "rwth-combo"]
        == counts.ties.loc["rwth-combo", "rwth"]
        == 1
    )
    assert counts.ties.to_numpy().sum() == 2


@pytest.mark.parametrize(
    "rankings", [[], [[]], [[("a", 1)]], [[("a", UNRANKED), ("b", 1)]]], ids=str
)
def test_rankings_without_a_pair_give_no_comparison(rankings):
    counts = counted(rankings)
    assert (counts.systems, counts.comparisons) == ([], 0)
    assert counting.to_table(counts).empty


def test_scattered_rows_of_a_ranking_are_refused():
    rankings = frame([FIGURE_1, FIGURE_1]).sort_values("system")
    with pytest.raises(DataError, match=r"^ranking 0: its rows are scattered"):
        counting.comparisons(rankings)


# --- against a plain loop, and what must not matter -----------------------------------


def plainly(rankings):
    """Wins and ties of ordered pairs, by a double loop."""
    wins, ties = Counter(), Counter()
    for ranking in rankings:
        for (a, i), (b, j) in combinations(ranking, 2):
            if UNRANKED in (i, j):
                continue
            if i == j:
                ties[a, b] += 1
                ties[b, a] += 1
            else:
                wins[(a, b) if i < j else (b, a)] += 1
    return wins, ties


@FEW
@given(MANY)
def test_counts_are_those_of_a_plain_loop(rankings):
    counts = counted(rankings)
    wins, ties = plainly(rankings)
    sizes = [sum(rank != UNRANKED for _, rank in ranking) for ranking in rankings]
    assert counts.comparisons == sum(k * (k - 1) // 2 for k in sizes)
    met = sorted({name for pair in [*wins, *ties] for name in pair})
    assert counts.systems == met == list(counts.ties.index) == list(counts.wins.columns)
    for a in met:
        for b in met:
            assert counts.wins.loc[a, b] == wins[a, b]
            assert counts.ties.loc[a, b] == ties[a, b]


@FEW
@given(MANY, st.randoms(use_true_random=False))
def test_order_of_rankings_and_of_outputs_does_not_matter(rankings, random):
    shuffled = [random.sample(ranking, len(ranking)) for ranking in rankings]
    random.shuffle(shuffled)
    same(counted(shuffled), counted(rankings))


@FEW
@given(MANY, st.permutations(NAMES))
def test_relabelling_systems_relabels_counts(rankings, renamed):
    to = dict(zip(NAMES, renamed, strict=True))
    counts = counted(
        [[(to[name], rank) for name, rank in ranking] for ranking in rankings]
    )
    expected = counted(rankings)
    order = sorted(to[name] for name in expected.systems)
    relabelled = (
        table.rename(to, axis=0).rename(to, axis=1)
        for table in (expected.wins, expected.ties)
    )
    same(counts, Counts(*(table.loc[order, order] for table in relabelled)))


# --- Counts, and what is refused ------------------------------------------------------


def test_leaving_systems_out():
    counts = counted([FIGURE_1]).without("jhu", "nobody", None)
    assert counts.systems == ["bbn-combo", "cmu", "rwth", "rwth-combo"]
    assert counts.comparisons == 6


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", "b", 3, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", -1, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", np.nan, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", "a", 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "a", 1, 1), "system 'a' is compared with itself"),
        (("a", None, 1, 1), "a comparison lacks the name of a system"),
        (("a", "b", 1, -1), "a count is -1; expected a whole number from 0"),
        (("a", "b", 1, 0.5), "a count is 0.5; expected a whole number from 0"),
        (("a", "b", 1, np.nan), "a count is nan; expected a whole number from 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [counting.count, counting.expand])
def test_rows_that_are_not_comparisons_are_refused(count, row, message):
    with pytest.raises(DataError) as refused:
        count(compared(("a", "c", 1, 1), row))
    assert str(refused.value) == message


def test_counted_comparisons_with_units():
    rows = [("b", "a", 1, 2), ("a", "b", 1, 1), ("b", "c", 0, 3), ("a", "c", 2, 0)]
    table = compared(*rows, judge=["j", "k", "j", "j"])
    expected = counts_of(("a", "b", 1, 2, 0), ("b", "c", 0, 0, 3))
    same(counting.count(table), expected)
    single = counting.expand(table)
    assert [*single.itertuples(index=False, name=None)] == [
        ("b", "a", 1, "j"),
        ("b", "a", 1, "j"),
        ("a", "b", 1, "k"),
        *[("b", "c", 0, "j")] * 3,
    ]
    same(counting.count(single), expected)


@pytest.mark.parametrize("kind", [str, "category"])
def test_comparisons_without_a_system(kind):
    table = compared(("a", "b", 1, 3), ("c", "a", 2, 1), ("b", "c", 0, 2))
    table = table.astype({"system_1": kind, "system_2": kind})
    assert counting.without(table, None) is table
    for system in ("a", "b", "c"):
        expected = counting.count(table).without(system)
        same(counting.count(counting.without(table, system)), expected)
        same(counting.without(counting.count(table), system), expected)


# --- every form that a frame of comparisons may have ----------------------------------

VOTES = [("x", "y", 1), ("y", "z", 2), ("x", "z", 0)]


def votes(first, second, outcome, words):
    frame = pd.DataFrame(VOTES, columns=[first, second, outcome])
    return frame.assign(**{outcome: words, "judge": [*"pqr"]})


@pytest.mark.parametrize(
    "frame",
    [
        votes("system_1", "system_2", "preference", [1, 2, 0]),
        votes("a", "b", "outcome", ["a", "b", "tie"]),
        votes("model_a", "model_b", "winner", ["model_a", "model_b", "Tie"]),
        votes("model_a", "model_b", "winner", ["x", "z", "draw"]),
        votes("system_a", "system_b", "outcome", pd.Categorical(["A", " b ", "equal"])),
        votes("system_1", "system_2", "winner", ["system_1", "system_2", "tie"]),
    ],
    ids=lambda frame: ",".join([*frame.columns[:3], str(frame.iloc[0, 2])]),
)
def test_comparisons_in_every_form(frame):
    table = counting.comparisons_of(frame)
    assert set(table) == {"system_1", "system_2", "preference", "judge"}
    assert counting.units(table) == ["judge"]
    same(
        counting.count(frame),
        counts_of(("x", "y", 1, 0, 0), ("x", "z", 0, 0, 1), ("y", "z", 0, 1, 0)),
    )
    judgements = SimpleNamespace(
        comparisons=table, assessments=None, systems=("w", "x", "y", "z")
    )
    assert counting.count(judgements).systems == ["w", "x", "y", "z"]


def test_rankings_in_any_order_of_rows():
    rows = frame([FIGURE_1, FIGURE_1[::-1]])
    mixed = rows.sort_values("rank", kind="stable")
    same(counting.count(mixed), counted([FIGURE_1, FIGURE_1]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            votes("a", "b", "outcome", ["a", "b", "won"]).set_axis([5, 6, 7]),
            "column 'outcome' of the frame, row 7, is 'won'; expected a, b, tie or the "
            "system that won; wmtlib.read(frame) knows more words",
        ),
        (
            votes("a", "b", "outcome", ["a", None, "a"]),
            "column 'outcome' of the frame, row 1, is nan; expect",
        ),
        (  # a is the second system here, and the first position
            pd.DataFrame({"a": ["b"], "b": ["a"], "outcome": ["a"]}),
            "column 'outcome' of the frame, row 0, is 'a'; expected a, b, tie or the",
        ),
        (
            pd.DataFrame({"x": [1]}),
            "the columns of the frame are 'x'; expected model_a, model_b",
        ),
        (
            SimpleNamespace(comparisons=None, assessments=1),
            "got assessments; expected comparisons in a frame",
        ),
        (
            "votes.csv",
            "got a str; expected comparisons in a frame; wmtlib.read(path) reads files",
        ),
    ],
    ids=range(6),
)
def test_other_forms_are_refused(data, message):
    with pytest.raises(DataError) as refused:
        counting.count(data)
    assert str(refused.value).startswith(message)


@given(st.lists(st.integers(0, 5)))
def test_members_are_numbered_from_0_in_every_group(sizes):
    expected = [position for size in sizes for position in range(size)]
    assert simulation.positions(np.array(sizes, dtype=int)).tolist() == expected


# --- rankings in WMT's format: every refusal names file and line ----------------------

HERE = Origin("here.csv")


def raw(*rankings):
    """Rankings, each (source, target, segment, judge, {system: rank}), in the WMT format."""
    rows = []
    for source, target, segment, judge, ranks in rankings:
        empty = 5 - len(ranks)
        slots = (
            [*ranks, *["blank"] * empty],
            [*map(str, ranks.values()), *["-1"] * empty],
        )
        rows.append([source, target, segment, judge, *slots[0], *slots[1]])
    return pd.DataFrame(rows, columns=WMT_COLUMNS, dtype=str)


TWO = raw(
    ("French", "English", "7", "X2", {"rali": 2, "_ref": 1, "lium": -1}),
    ("English", "Czech", "12", "X1", {"cu-bojar": 5, "uedin": 5}),
)


def refusal(frame, origin=HERE):
    with pytest.raises(DataError) as refused:
        wmt_format.tidy_rankings(frame, origin)
    return str(refused.value)


def test_one_row_per_ranked_output():
    tidy = wmt_format.tidy_rankings(TWO, HERE)
    assert list(tidy.columns) == RANKINGS
    assert list(tidy["system"].cat.categories) == [
        "_ref",
        "cu-bojar",
        "lium",
        "rali",
        "uedin",
    ]
    assert list(tidy.itertuples(index=False, name=None)) == [
        ("French,English", 0, 7, "judge_002", "rali", 2),
        ("French,English", 0, 7, "judge_002", "_ref", 1),
        ("French,English", 0, 7, "judge_002", "lium", UNRANKED),
        ("English,Czech", 1, 12, "judge_001", "cu-bojar", 5),
        ("English,Czech", 1, 12, "judge_001", "uedin", 5),
    ]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("srclang", "", "srclang is ''; expected a name"),
        ("trglang", " ", "trglang is ' '; expected a name"),
        ("judgeId", "", "judgeId is ''; expected a name"),
        ("system2Id", "", "system2Id is ''; expected a name"),
        ("system2Id", None, "system2Id is nan; expected a name"),
        (
            "system2Id",
            "cu-bojar",
            "system 'cu-bojar' stands twice in one ranking; expected different systems",
        ),
        ("system3rank", "1", "an empty slot ('blank') has a rank; expected -1"),
        ("system1rank", "6", "system1rank is '6'; expected 1-5, or -1 for blank"),
        ("srcIndex", "1.0", "srcIndex is '1.0'; expected a whole number"),
        ("srcIndex", "9" * 500, f"srcIndex is '{'9' * 35}...; expected a whole number"),
    ],
)
def test_refusals_name_the_line(column, value, message):
    frame = TWO.copy()
    frame.loc[1, column] = value
    assert refusal(frame) == f"here.csv, line 3: {message}"
    assert refusal(frame, HERE.take([2, 7])) == f"here.csv, line 9: {message}"


@given(st.lists(st.text(max_size=3)))
def test_pseudonyms_tell_the_same_people_apart_and_nothing_else(people):
    hidden = wmt_format.pseudonyms(pd.Series(people, dtype=str), prefix="worker")
    order = sorted({*people})
    assert list(hidden) == [f"worker_{order.index(p) + 1:03d}" for p in people]


# --- assessments ----------------------------------------------------------------------

JUDGED = pd.DataFrame(
    [
        ("h1", "zoe@mail.org", "en-de", "B.2", "SYSTEM", "", "1", "7", True),
        ("", "amy@mail.org", "en-de", "A.1+B.2", "REPEAT", "doc", "007", 100, True),
        ("h1", "zoe@mail.org", "en-de", "A.1", "BAD_REF", "", "1", 0.5, False),
    ],
    columns=ASSESSMENTS,
)


def tidied(frame, **options):
    return assessments.tidy_assessments(frame, HERE, **options)


def refused_assessments(frame):
    with pytest.raises(DataError) as refused:
        tidied(frame)
    return str(refused.value)


def test_assessments_hide_the_workers_and_keep_the_rest():
    tidy = tidied(JUDGED)
    assert list(tidy.columns) == ASSESSMENTS
    assert tidy["worker"].tolist() == ["worker_0002", "worker_0001", "worker_0002"]
    assert (
        tidy["score"].tolist() == [7.0, 100.0, 0.5]
        and tidy["score"].dtype == np.float64
    )
    assert (
        tidy["accepted"].tolist() == [True, True, False]
        and tidy["accepted"].dtype == bool
    )
    same = ["hit", "language_pair", "system", "item", "document", "segment"]
    assert tidy[same].astype(str).equals(JUDGED[same].astype(str))
    assert tidy["system"].cat.categories.tolist() == ["A.1", "A.1+B.2", "B.2"]
    assert assessments.tidy_assessments(JUDGED, "here.csv").equals(tidy)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("score", "101", "score is '101'; expected a number from 0 to 100"),
        ("score", -0.1, "score is -0.1; expected a number from 0 to 100"),
        ("score", float("nan"), "score is nan; expected a number from 0 to 100"),
        ("score", "", "score is ''; expected a number from 0 to 100"),
        ("score", "inf", "score is 'inf'; expected a number from 0 to 100"),
        (
            "item",
            "REFF",
            "item is 'REFF'; expected one of SYSTEM, REPEAT, REF, BAD_REF",
        ),
        ("item", None, "item is nan; expected one of SYSTEM, REPEAT, REF, BAD_REF"),
        ("worker", " ", "worker is ' '; expected a name"),
        ("segment", "", "segment is ''; expected a name"),
        ("system", "A+", "system is 'A+'; expected a name, or several joined by '+'"),
        (
            "system",
            "A+B+A",
            "system is 'A+B+A'; expected a name, or several joined by '+'",
        ),
    ],
)
def test_refused_assessments_name_the_line(column, value, message):
    frame = JUDGED.astype(object)
    frame.loc[1, column] = value
    assert refused_assessments(frame) == f"here.csv, line 3: {message}"


def test_assessments_that_cannot_be_ranked():
    assert refused_assessments(JUDGED[:1]) == (
        "here.csv: rates 1 system; expected two or more to rank"
    )
    only = JUDGED.assign(system=["B.2", "C", "A.1"])
    assert refused_assessments(only) == (
        "here.csv: system 'A.1' has quality-control items only; expected SYSTEM or REPEAT items too"
    )
    kept = tidied(only, only_quality_control="keep")
    assert "A.1" in kept["system"].cat.categories


def test_sums_are_those_of_groupby():
    draw = rng(1)
    for size, rows in (
        (3, 500),
        (3, 0),
        (10**6, 40),
    ):  # of a million there are 10^18 combinations
        frame = pd.DataFrame(
            {"a": draw.integers(size, size=rows), "b": draw.integers(size, size=rows)}
        )
        for name in ("c", "d"):
            frame[name] = (
                frame["a"] if size > 3 else pd.Categorical(draw.choice([*"xyz"], rows))
            )
        frame["n"] = draw.integers(10**10, size=rows)
        keys = ["a", "b", "c", "d"]
        expected = frame.groupby(keys, observed=True)["n"].sum().reset_index()
        found = grouping.summed(frame, keys, ["n"])
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
