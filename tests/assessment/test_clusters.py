"""Significance lines: by hand, and WMT's own tables."""

import numpy as np
import pandas as pd
import pytest
from assessed import assessments
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import cluster_lines as clusters
from wmtlib import zscores
from wmtlib.cluster_lines import ALPHA, RULES, cluster_table, p_values
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.study.releases import assessment_releases
from wmtlib.zscores import encode

P = st.lists(st.sampled_from([0.001, 0.02, 0.04, 0.2, 0.6]), min_size=25, max_size=25)


def lines(order, p, rule, **more):
    return cluster_table([*order], p, rule=rule, **more)["line"].tolist()


def matrix(rows):
    names = [*"ABCDE"[: len(rows)]]
    return pd.DataFrame(rows, index=names, columns=names, dtype=float)


#              A     B     C     D       one-sided: p.loc[a, b] is small if a is better
ONE_SIDED = matrix([
    [1.00, 0.30, 0.01, 0.00],
    [0.70, 1.00, 0.20, 0.00],
    [0.99, 0.04, 1.00, 0.00],  # C, below B by its mean, is better than B by its ranks
    [1.00, 1.00, 1.00, 1.00],
])  # fmt: skip


def test_lines_by_hand():
    assert lines("ABCD", ONE_SIDED, "footnote-4") == [False, False, True, False]
    # C beats two systems and only one stands below it.
    assert lines("ABCD", ONE_SIDED, "official") == [False] * 4
    table = cluster_table([*"ABCD"], ONE_SIDED, rule="footnote-4")
    assert table["wins"].tolist() == [2, 1, 2, 0]
    assert table["cluster"].tolist() == [1, 1, 1, 2]


def test_a_line_needs_every_system_below():
    p = matrix([[1, 0.01, 0.2], [0.01, 1, 0.01], [0.2, 0.01, 1]])
    for rule in RULES:
        assert lines("ABC", p, rule) == [False, True, False]
        assert lines("AB", p, rule) == [True, False]
        assert lines("A", p, rule) == [False]
    assert cluster_table([*"ABC"], p, rule="official")["wins"].tolist() == [1, 1, 0]


@given(P, st.floats(0, 0.45), st.floats(0, 0.45))
def test_a_greater_alpha_never_removes_a_line(values, one, other):
    p = matrix(np.reshape(values, (5, 5)))
    low, high = (lines("ABCDE", p, "footnote-4", alpha=a) for a in sorted((one, other)))
    assert all(a <= b for a, b in zip(low, high, strict=True)) and not high[-1]


@given(P)
def test_without_direction_the_two_rules_draw_the_same_lines(values):
    p = np.reshape(values, (5, 5))
    p = matrix(np.minimum(p, p.T))
    assert lines("ABCDE", p, "footnote-4") == lines("ABCDE", p, "official")


def test_an_unknown_rule_or_system_is_refused():
    with pytest.raises(DataError, match="rule is 'mine'; expected footnote-4, official"):
        lines("AB", ONE_SIDED, "mine")
    with pytest.raises(DataError, match="p-values lack 'E'"):
        lines("AE", ONE_SIDED, "official")


def test_clusters_of_a_campaign():
    rng = np.random.default_rng(3)
    rows = [
        ("h", f"w{k % 7}", system, "SYSTEM", "", str(k), score)
        for system, mean in [("A", 40), ("B", 75), ("C", 74), ("H", 95)]
        for k, score in enumerate(rng.normal(mean, 3, 60).round())
    ]
    campaign = encode(assessments(rows))
    found = clusters.rank_campaign(campaign, test="legacy", rule="footnote-4")
    assert found.names[0] == "H" and found.names[-1] == "A"
    assert found.lines.tolist() == [True, False, True, False]
    table = found.ranking.table
    assert table["system"].tolist() == found.names and table["rank"].tolist() == [1, 2, 3, 4]
    assert table["cluster"].tolist() == [1, 2, 2, 3]
    assert table["wins"].tolist() == [3, 1, 1, 0]
    scores = rank_systems(campaign).column("score")
    assert found.ranking.column("score").to_dict() == scores.to_dict()
    without_h = campaign.is_system(["H"])
    fewer = clusters.rank_campaign(campaign, test="legacy", rule="official", unranked=without_h)
    assert fewer.ranking.table["cluster"].tolist() == [1, 1, 2]
    assert np.isnan(fewer.score[-1]) and (fewer.p[-1] == 1).all()
    with pytest.raises(DataError, match=r"1 system\(s\) to rank; expected two or more"):
        clusters.rank_campaign(
            campaign, test="legacy", rule="official", unranked=campaign.is_system("ABH")
        )


# --- WMT's own tables ---------------------------------------------------------------------------

WMT18 = "jjzha/translationese/newstest2018-humaneval/analysis"
WMT20 = "WMT-Metrics-task/wmt20-metrics/manual-evaluation/DA"
WMT21 = "wmt-conference/wmt21-news-systems/humaneval/newstest2021-toen"
FACEBOOK = "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021"
PAIRS18 = "cs-en de-en en-cs en-de en-et en-fi en-ru en-tr en-zh et-en fi-en ru-en tr-en zh-en"
PAIRS20 = (
    "cs-en de-en en-cs en-de en-iu en-ja en-pl en-ru en-ta en-zh "
    "iu-en ja-en km-en pl-en ps-en ru-en ta-en zh-en"
)
PAIRS21 = "cs-en de-en ha-en is-en ja-en ru-en zh-en"
OFFICIAL = [
    *((WMT18, pair) for pair in PAIRS18.split()),
    *((WMT21, pair) for pair in PAIRS21.split()),
    *((FACEBOOK, pair) for pair in ["bn-hi", "hi-bn", "xh-zu", "zu-xh"]),
]
NOT_PRINTED = 0.12  # where the row's system is not significantly better


def segment_scores(folder, pair):
    path = folder / f"ad-seg-scores-{pair}.csv"
    table = pd.read_csv(path, sep=r"\s+", dtype={"SYS": str, "SID": str}, keep_default_na=False)
    return table.rename(columns={"SYS": "system", "Z.SCR": "z"}).astype({"z": float})


def square(path):
    """A printed matrix: systems in the header, and at the head of every row."""
    head, *body = (row.split() for row in path.read_text().splitlines() if row.strip())
    names = [row[0] for row in body]
    assert names == head
    return names, [row[1:] for row in body]


@pytest.mark.realdata
@pytest.mark.parametrize("pair", PAIRS20.split())
def test_every_p_that_wmt20_printed_is_the_one_sided_one(pair, mirror):
    source, target = pair.split("-")
    names, rows = square(mirror / WMT20 / f"adwilcox-{source}{target}.csv")
    printed = pd.DataFrame(rows, index=names, columns=names).astype(float)
    scores = segment_scores(mirror / WMT20, pair)
    short = [n.removeprefix(f"newstest2020.{pair}.").removesuffix(".sgm") for n in names]
    p = p_values(scores, test="one-sided").loc[short, short].to_numpy()
    shown = printed.to_numpy() != NOT_PRINTED
    assert shown.any() and not np.tril(shown).any()
    assert p[shown] == pytest.approx(printed.to_numpy()[shown], rel=2e-13, abs=1e-300)
    assert (np.triu(p < ALPHA, 1) == shown).all()


def official(folder, pair):
    """Order, wins and lines that `clusters.csv` shows; tables follow one another in the file."""
    rows = [row.split() for row in (folder / "clusters.csv").read_text().splitlines()[1:]]
    first = 0
    systems = set(segments_of(folder, pair)["system"])
    while first < len(rows):
        table = rows[first : first + int(rows[first][3])]
        names = [row[7] for row in table]
        # WMT18 calls both Estonian tables en-et; names (with a number each) tell them apart.
        right = {table[0][1], table[0][0]} == {*pair.split("-")} and set(names) <= systems
        if right and (folder.name == "analysis" or "-".join(table[0][:2]) == pair):
            below = [row[6] == "True" for row in table]
            return names, [int(row[2]) for row in table], [*below[:-1], False]
        first += len(table)
    raise AssertionError(pair)


def segments_of(folder, pair):
    if folder.name.startswith("facebook"):
        table = assessment_releases.load_assessments("facebook21", pair, source="mirror")
        return zscores.segment_means(encode(table))
    return segment_scores(folder, pair)


@pytest.mark.realdata
@pytest.mark.parametrize(("folder", "pair"), OFFICIAL)
def test_official_wins_stars_and_lines_come_out(folder, pair, mirror):
    folder = mirror / folder
    p = p_values(segments_of(folder, pair), test="one-sided")
    order, wins, official_lines = official(folder, pair)
    table = cluster_table(order, p, rule="official")
    assert table["wins"].tolist() == wins
    assert table["line"].tolist() == official_lines
    names, rows = square(folder / f"ad-DA-diff-wilcoxon-rs-{pair.replace('-', '')}.csv")
    stars = [[cell.count("*") for cell in row] for row in rows]
    found = sum(
        (p.loc[names, names].to_numpy() < alpha).astype(int) for alpha in (0.05, 0.01, 0.001)
    )
    assert found.tolist() == stars


@pytest.mark.realdata
@pytest.mark.parametrize(("folder", "pair"), [(WMT21, "de-en"), (FACEBOOK, "hi-bn")])
def test_footnote_4_draws_one_line_more_where_a_lower_system_beats_a_higher_one(
    folder, pair, mirror
):
    p = p_values(segments_of(mirror / folder, pair), test="one-sided")
    order, _, official_lines = official(mirror / folder, pair)
    assert sum(lines(order, p, "footnote-4")) == sum(official_lines) + 1
