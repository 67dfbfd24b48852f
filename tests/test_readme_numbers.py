"""The README's numbers are those of results/; `make check` runs this file, too."""

from pathlib import Path

import pandas as pd
import pytest

from wmtlib.study import scoreboard, wmt16

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EQUATIONS = ("Eq. 1", "Eq. 2", "Eq. 3")
TITLES = {
    "lopez2012": "Lopez (2012)",
    "hopkins2013": "Hopkins and May (2013)",
    "knowles2021": "Knowles (2021)",
}


def results(name):
    return pd.read_csv(ROOT / "results" / f"{name}.csv", keep_default_na=False)


def scores(board):
    """The README's table of how the published values came out."""
    lines = ["| | numbers | arithmetic | claims |", "|---|---|---|---|"]
    for paper, title in TITLES.items():
        counted = scoreboard.summary(board[board["paper"] == paper])
        cells = {
            kind: ", ".join(f"{row.rows} {row.status}" for row in rows.itertuples() if row.rows)
            for kind, rows in counted.groupby("kind")
        }
        arithmetic = cells["arithmetic"].removesuffix(" arithmetic")
        lines.append(f"| {title} | {cells['numbers']} | {arithmetic} | {cells['claims']} |")
    return "\n".join(lines)


def test_the_scores_are_those_of_the_scoreboard():
    assert scores(results("scoreboard")) in README


def lopez():
    """What the README says of Lopez (2012), from the scoreboard."""
    board = results("scoreboard").query("paper == 'lopez2012'")
    found = dict(zip(board["quantity"], board["reproduced"], strict=True))
    weights = [found[f"violated weight over 25 tasks, {m}"] for m in ("MFAS", *EQUATIONS)]
    yield f"All {len(results('lopez2012-table-1'))} sizes of tasks"
    yield f"({', '.join(weights)})"
    reasons = board.loc[board["quantity"].str.startswith("violated edge "), "reason"]
    every, some = (reasons.str.contains(f"reversed in {k} of the 8") for k in ("all", "some"))
    yield f"one of eight orders that are equally good: {every.sum()} of its {len(reasons)} violated"
    yield f"by all eight, the other {some.sum()} by some"


def hopkins():
    """What the README says of Hopkins and May (2013), from the paired comparisons."""
    paired = results("hopkins2013-paired").set_index(["method", "other"])
    irt = paired.loc[("irt-gaussian-fitted", "bradley-terry")]
    within = f"{irt.difference:.4f}, 95 % interval {irt.low:.4f} to {irt.high:.4f}"
    assert max(-irt.low, irt.high) < 0.003
    measured = results("hopkins2013-which-model").query("size == 3200 & model == 'bradley-terry'")
    about = f"{measured['perplexity'].mean():.1f} ({within} over {irt.tracks:.0f} tracks)"
    yield f"differ by less than 0.003 in a perplexity of about {about}"
    order, places = paired.loc[("mfas", "bojar")], paired.loc[("bojar-places", "bojar")]
    worse = f"{order.tracks - order.better:.0f} of {order.tracks:.0f} tracks"
    yield f"(by {order.difference:.3f}, {order.low:.3f} to {order.high:.3f}, on {worse})"
    yield f"; {places.difference / order.difference:.0%}".replace("%", " % of that is the loss of")


def knowles():
    """What the README says of Knowles (2021), from the replication and the main test."""
    again = results("knowles2021-replication")
    agree = (again["order"] & (again["lines_apart"] == 0)).sum()
    yield f"lines of {agree} of its 46 language pairs"
    tests = results("knowles2021-out-of-sample").set_index(["step", "change"])
    main_test, cluster = (tests.loc[("remove humans", what)] for what in ("rank", "cluster"))
    assert main_test["primary"] and not cluster["holm"] < 0.05
    with_context, without = (main_test[k].replace("/", " of ") for k in ("SR+DC", "SR-DC"))
    yield f"{with_context} document-level campaigns and in {without} from single sentences"
    yield f"(difference {main_test.difference:.2f}, {main_test.low:.2f} to {main_test.high:.2f}"
    campaigns = results("knowles2021-calibration").groupby("style")["campaigns"].first().sum()
    yield f"held against {campaigns} real ones"


def later():
    """What the README says of the campaigns since."""
    few = results("how-few-tests").set_index("test")
    main_test, second = few.loc["main"], few.loc["second"]
    yield f"In {main_test['count']} of {main_test.tasks} tasks of WMT10-16"
    yield f"of the share {main_test.low:.2f} to {main_test.high:.2f}"
    yield f"In {second['count']} of these {second.tasks} tasks a bootstrap"
    official = results("wmt16-official")
    ranges = f"{official['trueskill_ranges'].sum()} of {official['systems'].sum()} rank ranges"
    yield f"{official['trueskill_order'].sum()} of {len(official)} orders and {ranges}"
    methods = pd.read_csv(ROOT / "results" / "wmt16-methods.csv")
    methods = methods[methods["method"] == "expected-wins"]
    news = methods[~methods["task"].str.contains("(IT)", regex=False)]
    apart = wmt16.mean_with_interval((news["distance"] - news["sampling"]).to_numpy())
    yield "({:.3f} of pairs, {:.3f} to {:.3f})".format(*apart)


@pytest.mark.parametrize("found", [lopez, hopkins, knowles, later])
def test_the_numbers_in_the_text_are_those_of_the_results(found):
    text = " ".join(README.split())
    assert [sentence for sentence in found() if sentence not in text] == []


if __name__ == "__main__":
    print(scores(results("scoreboard")))
