"""The README's numbers are those of results/; `make check` runs this file, too."""

from pathlib import Path

import pandas as pd

from wmtlib.study import scoreboard

ROOT = Path(__file__).parents[1]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
TITLES = {
    "lopez2012": "Lopez (2012)",
    "hopkins2013": "Hopkins and May (2013)",
    "knowles2021": "Knowles (2021)",
}
RAO_KUPPER = ("rao-kupper", "irt-gaussian-deterministic")


def results(name):
    return pd.read_csv(ROOT / "results" / f"{name}.csv", keep_default_na=False)


def scores(board):
    """The README's table of how the published values came out, without its head."""
    lines = []
    for paper, title in TITLES.items():
        counted = scoreboard.summary(board[board["paper"] == paper])
        cells = {
            kind: ", ".join(
                f"{row.rows} {row.status}" for row in rows.itertuples() if row.rows
            )
            for kind, rows in counted.groupby("kind")
        }
        arithmetic = cells["arithmetic"].removesuffix(" arithmetic")
        lines.append(
            f"| {title} | {cells['numbers']} | {arithmetic} | {cells['claims']} |"
        )
    return lines


def test_the_scores_are_those_of_the_scoreboard():
    assert [line for line in scores(results("scoreboard")) if line not in README] == []


def test_the_caveats_of_the_verdicts_are_counted():
    claims = results("scoreboard").query("criterion != ''")
    known = claims["known"] == "yes"
    read = claims["reason"].str.contains("open to reading")
    assert f"The criteria of {known.sum()} of {len(claims)} claims" in README
    assert f"and {read.sum()} verdicts" in README
    tested = claims[claims["all_tests"] != ""]
    checked = tested[tested["status"] != "not-checkable"]
    others = (checked["status"] != checked["all_tests"]).sum()
    assert f"{len(tested)} claims rest on p-values" in README
    assert f"for all of them together, {others} verdicts" in README


def test_counts_and_effects_are_those_of_the_results():
    paired = results("hopkins2013-paired").set_index(["method", "other"])
    ties = paired.loc[("irt-gaussian-deterministic", "bradley-terry")]
    margins = paired.loc[RAO_KUPPER]
    distances = results("hopkins2013-distances").set_index("tracks_of")
    every = distances.loc["all tracks"]
    alone = distances.loc["without the reference"]
    again = results("knowles2021-replication")
    humans = results("knowles2021-out-of-sample").set_index(["step", "change"])
    humans = humans.loc[("remove humans", "rank")]
    few = results("how-few-tests").set_index("test").loc["main"]
    tasks = results("how-few").query("unit == 'ranking'")
    decided = tasks["units_high"] <= 0.01 * tasks["units"]
    crowd = decided[tasks["campaign"] == "wmt10-crowd"]
    small = decided[
        tasks["label"].str.endswith("syscomb") | (tasks["campaign"] == "wmt16-it")
    ]
    rest = decided.drop([*crowd.index, *small.index])
    other = rest[tasks["label"].str.contains("Haitian|Urdu")[rest.index]]
    news = rest.drop(other.index)
    assert not small.any()
    later = results("wmt16-which-model").set_index(["tracks of", "method"])
    later = later.loc["WMT16"]
    order = later.loc["mfas"]
    fitted = later.loc["irt-gaussian-fitted"]
    kupper = later.loc["rao-kupper"]
    official = results("wmt16-official")
    assert official["trueskill_skills"].max() < 0.01
    honest = (
        results("honest-line-changes")
        .groupby("protocol")[["pairs_stay", "pairs"]]
        .sum()
    )
    stay = {
        name: f"{row.pairs_stay} of {row.pairs} pairs"
        for name, row in honest.iterrows()
    }
    size = (
        results("honest-line-size")
        .query("block != 'worker' and among == 'all'")
        .set_index(["protocol", "rule"])
    )
    size = (100 * size["rejected"]).round().astype(int)
    by_unit = size.xs("unit", level="rule")
    hit = size[("DA by HIT", "unit")]
    most = by_unit.drop("DA by HIT").max()
    whole = size.loc[["DA SR+DC", "DA mixed", "ESA", "MQM"]].drop(
        ["unit", "first unit"], level=1
    )
    ends = ("seen", "low", "high")
    components = results("honest-line-components").set_index(["effect", "value"])
    components = components["DA SR+DC"]
    share = 100 * components["share of the sitting"].astype(float).loc[[*ends]]
    plans = results("honest-line-plans").set_index(["protocol", "plan"])
    second = plans.loc[("DA SR+DC", "second worker, same document")]
    second = second[["worth", "low", "high"]].astype(float)
    rivals = results("honest-line-rivals").set_index("unit")["stay"]
    expected = [
        f"({float(components['pairs', 'seen']):.0f} times)",
        f"{share['seen']:.0f} % ({share['low']:.0f} to {share['high']:.0f})",
        f"{second.worth:.2f} ({second.low:.2f} to {second.high:.2f}) where a second",
        f"{rivals['document']} to {rivals['worker']} by linear models",
        f"call {whole.min()} to {whole.max()} of 100",
        f"calls {by_unit.min()} to {most}, as it must there ({hit} in the",
        stay["DA SR+DC"],
        stay["DA SR-DC"],
        f"{ties.difference:.4f}, 95 % interval {ties.low:.4f} to {ties.high:.4f}",
        f"scores by {every.difference:.3f} ({every.low:.3f} to {every.high:.3f})",
        f"left out by {alone.difference:.3f} ({alone.low:.3f} to {alone.high:.3f})",
        f"{(again['order'] & (again['lines_apart'] == 0)).sum()} of its 46",
        humans["SR+DC"].replace("/", " of "),
        humans["SR-DC"].replace("/", " of "),
        f"{humans.difference:.2f}, {humans.low:.2f} to {humans.high:.2f}",
        f"{few['count']} of {few.tasks} tasks",
        f"{crowd.sum()} of {len(crowd)} of the crowd's,"
        f" {news.sum()} of {len(news)} of news,",
        f"{other.sum()} of {len(other)} of Haitian Creole and Urdu,",
        f"none of {len(small)} of combinations and IT",
        f"by {-margins.difference:.4f}, {-margins.high:.4f} to {-margins.low:.4f}",
        f"p {margins.p_holm:.3f} after Holm's correction",
        f"by {order.difference:.3f} ({order.low:.3f} to {order.high:.3f})",
        f"by {-fitted.difference:.4f}, {-fitted.high:.4f} to {-fitted.low:.4f}",
        f"({-kupper.difference:.4f}, {-kupper.high:.4f} to {-kupper.low:.4f})",
        f"{official['trueskill_order'].sum()} of {len(official)} orders (all at once in"
        f" {official['repeat_order'].prod():.0%}".replace("%", " %"),
        f"{official['trueskill_ranges'].sum()} of {official['systems'].sum()}"
        " rank ranges",
    ]
    assert [number for number in expected if number not in README] == []


if __name__ == "__main__":
    print("\n".join(scores(results("scoreboard"))))
