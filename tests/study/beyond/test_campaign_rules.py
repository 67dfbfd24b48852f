"""The rules by which campaigns of WMT drew their lines, by hand."""

import itertools

import numpy as np

from examples import assessments, data_error, judged_in_blocks
from study.beyond.campaign_rules import (
    CAMPAIGN_RULES,
    LineRule,
    lines_by_rule,
    ruled_lines,
)
from wmtlib.core.assessments import encode

#               A     B     C     D      one-sided: A > C, D; B > D; nothing else
PAIRS = np.array([
    [np.nan, 0.20, 0.01, 0.01],
    [0.80, np.nan, 0.30, 0.04],
    [0.99, 0.70, np.nan, 0.60],
    [0.99, 0.96, 0.40, np.nan],
])  # fmt: skip


def test_ruled_lines_by_hand():
    def drawn(lines, sides=1, p=PAIRS):
        return ruled_lines(p, LineRule("z", "t", sides, "none", lines))

    better, lines = drawn("across")
    assert np.argwhere(better).tolist() == [[0, 2], [0, 3], [1, 3]]
    assert lines.tolist() == [False] * 4
    # Ranks by wins and losses: A 1-2, B 1-3, C 2-4, D 3-4.
    assert drawn("losses")[1].tolist() == [False] * 4
    # Two-sided B is no longer better than D: 0.04 is above half of 5 %.
    assert np.argwhere(drawn("across", sides=2)[0]).tolist() == [[0, 2], [0, 3]]
    apart = PAIRS.copy()
    apart[:2, 2:] = 0.01
    apart[2:, :2] = 0.99
    for name in ("across", "losses", "first loss"):
        assert drawn(name, p=apart)[1].tolist() == [False, True, False, False]
    # C, which stands third, is better than A: in the order found nothing sees it.
    backward = apart.copy()
    backward[0, 2], backward[2, 0] = 0.99, 0.01
    assert (
        drawn("losses", p=backward)[0][2, 0]
        and not drawn("first loss", p=backward)[0][2, 0]
    )


def test_ruled_lines_by_first_loss_reach_it():
    # A is better than C alone; B and D are level with all: A 1-2, B 1-4, C 2-4, D 1-4.
    p = np.full((4, 4), 0.5)
    p[0, 2], p[2, 0] = 0.01, 0.99
    rule = LineRule("raw", "signed-rank", 1, "none", "first loss")
    assert ruled_lines(p, rule)[1].tolist() == [False] * 4
    p[0, 1:], p[1:, 0] = 0.01, 0.99
    assert ruled_lines(p, rule)[1].tolist() == [True, False, False, False]


def test_lines_by_rule_of_each_campaign():
    rows = []
    for d, name, k in itertools.product(range(12), "ABC", range(3)):
        score = 40 + 25 * (name != "C") + (7 * d + 3 * k + 5 * "ABC".index(name)) % 11
        where = f"test-en-{'news' if d % 2 else 'social'}_{d}", f"{d}.{k}"
        rows.append(("", f"w{d % 4}", name, "SYSTEM", *where, score))
    campaign = encode(assessments(rows))
    for rule in CAMPAIGN_RULES:
        table = lines_by_rule(campaign, rule)
        assert (
            sorted(table["system"][:2]) == ["A", "B"]
            and table["cluster"].tolist()[-1] == 2
        )
        without = lines_by_rule(campaign, rule, reference="A")
        scores = table.set_index("system")["score"]
        assert (
            without.set_index("system")["score"].to_dict()
            == scores[["B", "C"]].to_dict()
        )
    with data_error("no rule 'wmt99'; there are wmt17"):
        lines_by_rule(campaign, "wmt99")
    with data_error("wmt24 weighs domains alike"):
        lines_by_rule(judged_in_blocks(True), "wmt24")


def two_systems(places, first, second):
    """A campaign of one worker's scores of two systems, by document and segment."""
    rows = []
    for name, scores in (("A", first), ("B", second)):
        for (document, segment), score in zip(places, scores, strict=True):
            rows.append(("", "w", name, "SYSTEM", document, segment, score))
    return encode(assessments(rows))


def test_ruled_lines_of_wmt26_are_two_sided():
    # Differences 0, 2, 2, 4 of four segments: t = 6 ** 0.5, p = .046 one-sided.
    # Differences 1, 1, 3, 3: t = 12 ** 0.5, p = .020.
    places = [("d", f"{k}") for k in range(4)]
    second = [50, 60, 70, 80]
    for differences, clusters in [([0, 2, 2, 4], [1, 1]), ([1, 1, 3, 3], [1, 2])]:
        campaign = two_systems(places, np.add(second, differences), second)
        assert lines_by_rule(campaign, "wmt26")["cluster"].tolist() == clusters


def test_lines_by_rule_of_wmt24_weigh_unequal_domains_alike():
    # A has 80 in four segments of news and 50 in one of social, B has 70 in all.
    places = [("test-en-news_1", f"{k}") for k in range(4)]
    places.append(("test-en-social_1", "4"))
    campaign = two_systems(places, [81, 79, 80, 80, 50], [71, 69, 70, 70, 70])
    table = lines_by_rule(campaign, "wmt24")
    assert table.set_index("system")["score"].to_dict() == {"B": 70, "A": 65}
    assert table["system"].tolist() == ["B", "A"]
