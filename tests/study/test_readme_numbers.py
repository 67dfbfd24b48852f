"""The numbers of README, of docs/findings.md and of the paper are those of results/,
each of them; `make check` runs this file, too.
"""

import re
import textwrap
from pathlib import Path

import pandas as pd
import pytest

from study.scoreboard import published, scoreboard
from study.statistics import t_half_width

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
PAPER = " ".join(
    (ROOT / "docs" / "paper" / "paper.md").read_text(encoding="utf-8").split()
)
DETAILS = " ".join((ROOT / "docs" / "findings.md").read_text(encoding="utf-8").split())
SECTION = README.partition("## What came out")[2].partition(" ## ")[0].strip()
CAME_OUT = SECTION.rpartition("| ")[2]
BEYOND = README.partition("them all: ")[2].partition(" ## ")[0].strip()
CLAIMS = {
    "findings": DETAILS,
    "README": f"{CAME_OUT} {BEYOND}",
    "paper": PAPER[PAPER.index("# Research impact") : PAPER.index("# AI usage")],
}
# Numbers that name something or state a level, and are no results.
NAMES = re.compile(
    r"\(20\d\d\)|-20\d\d\b|WMT\d\d(-\d\d)?|\(\d\d\)|\b(Table|Equation) \d|hopkins2013"
    r"|\b(95|5|1) %|\|[-|]*|\[\d\d\]\([^)]*\)|\(\d\d, \d\d\)"
    r"|document is worth 2,|of 2010-11"
)


def results(name):
    return pd.read_csv(ROOT / "results" / f"{name}.csv", keep_default_na=False)


def came_out():
    """README's paragraph below its table, as the results give it."""
    board = results("scoreboard")
    counted = board["status"].value_counts()
    claims = board[board["criterion"] != ""]["status"].value_counts()
    consistent = counted["consistent"] - claims["consistent"]
    windows, by_chance = base_rate(board)
    return (
        f"{consistent} more numbers, of Knowles (2021), are consistent with what is"
        f" public: {windows} of them are counts, of which chance would make"
        f" {by_chance:.0f} consistent. Of the claims {claims['holds']} hold,"
        f" {claims['holds-at-hand']} more on public data,"
        f" {claims['consistent']} are consistent with recovered judgements,"
        f" {claims['holds-partly']} hold in part, {claims['does-not-hold']} do not."
        " See [each item](docs/map.md), [what differs, and why](docs/differences.md),"
        " [each value](results/scoreboard.csv)."
    )


def printed():
    """README's table: the first of docs/map.md, which its own tests hold."""
    return published.printed_items().replace("](", "](notebooks/")


def test_the_table_of_what_is_printed_is_that_of_the_map():
    assert " ".join(printed().split()) in README


def test_the_first_screen_says_what_a_right_run_prints_last():
    assert f"**{scoreboard.came_out(results('scoreboard'))}**" in README


def base_rate(board):
    """How many counts are consistent, and how many counts drawn at random would be."""
    reasons = board.loc[board["status"] == "consistent", "reason"]
    possible = reasons.str.extract(r"(\d+) of (\d+) possible counts").dropna()
    possible = possible.astype(int)
    return len(possible), (possible[0] / possible[1]).sum()


def beyond():
    """README's list "Beyond the papers", as the results give it, a line each."""
    stay = results("honest-line-changes").groupby("protocol")[["pairs_stay", "pairs"]]
    stay = stay.sum().loc["DA SR+DC"]
    weights = results("lopez2012-violated-weight").set_index("label")
    orders = weights.loc[results("lopez2012-table-1")["label"], "optimal_orders"].max()
    totals = results("cycles-totals").set_index(["tasks", "unit"])
    paper = totals.loc[("Lopez's 25", "ranking")]
    order = results("hopkins2013-distances").set_index("tracks_of").loc["all tracks"]
    humans = results("knowles2021-out-of-sample").set_index(["step", "change"])
    humans = humans.loc[("remove humans", "rank")].str.replace("/", " of ")
    tests = results("how-few-tests").set_index("test")
    few, warned = tests.loc["main"], tests.loc["second"]
    rivals = results("honest-line-rivals").set_index("unit")["stay"]
    lines = results("second-campaign-each").query(
        "test == 'own rule' and item == 'lines'"
    )
    again = 100 * lines["again"].sum() / lines["printed"].sum()
    return [
        f"- 62: of {stay.pairs} differences printed for whole documents"
        f" {stay.pairs_stay} stay if what was handed out is counted (by linear"
        f" models {rivals['document']} to {rivals['hit']}).",
        f"- 12, 13: up to {orders} orders fit equally well. That A beats B, B beats C"
        f" and C beats A is no paradox: {paper.observed:.0f} judgements contradict the"
        f" best orders of experts' tasks, and chance gives {paper.expected:.0f}"
        f" ({paper.low:.0f} to {paper.high:.0f}; p {paper.p:.2f}).",
        "- 23: scores predict new judgements better than a bare order does, by"
        f" {order.difference:.3f} of perplexity ({order.low:.3f} to {order.high:.3f}).",
        "- 67: without the human items the order of the others changes in"
        f" {humans['SR+DC']} campaigns of whole documents, and in {humans['SR-DC']} of"
        " single sentences.",
        f"- 61, 63: in {few['count']} of {few.tasks} tasks removing the most damaging"
        " 1 % of the rankings changes the winner (a bootstrap warns in"
        f" {warned['count']} of these {warned.tasks}); of the lines that half a"
        f" campaign prints, the other half prints {again:.0f} % again.",
        printed_ranks()[-1],
    ]


def test_what_came_out_is_what_the_results_give():
    assert came_out() == CAME_OUT
    assert " ".join(beyond()) == BEYOND


def caveats():
    """What the README says of the verdicts."""
    claims = results("scoreboard").query("criterion != ''")
    known = claims["known"] == "yes"
    read = claims["reason"].str.contains("open to reading")
    arithmetic = (claims["status"] == "arithmetic") & (claims["paper"] == "knowles2021")
    tested = claims[claims["all_tests"] != ""]
    checked = tested[tested["status"] != "not-checkable"]
    others = (checked["status"] != checked["all_tests"]).sum()
    return [
        f"The criteria of {known.sum()} of {len(claims)} claims",
        f"({arithmetic.sum()} of them, of Knowles, are arithmetic)",
        f"and {read.sum()} verdicts",
        f"{len(tested)} claims rest on p-values",
        f"with the level divided by {len(tested)}, for all of them together, {others}",
    ]


def effects():
    """Counts and effects, as the README and the paper say them."""
    paired = results("hopkins2013-paired").set_index(["method", "other"])
    ties = paired.loc[("irt-gaussian-deterministic", "bradley-terry")]
    distances = results("hopkins2013-distances").set_index("tracks_of")
    every = distances.loc["all tracks"]
    alone = distances.loc["without the reference"]
    again = results("knowles2021-replication")
    agree = again[again["order"] & (again["lines_apart"] == 0)]["from"].value_counts()
    edges = results("lopez2012-table-3")["reversed_in"].value_counts()
    chance = results("knowles2021-chance").query("random.str.startswith('document')")
    [runs] = chance.query("style == 'SR+DC'").itertuples()
    humans = results("knowles2021-out-of-sample").set_index(["step", "change"])
    humans = humans.loc[("remove humans", "rank")]
    few = results("how-few-tests").set_index("test").loc["main"]
    unsure = results("how-few-tests").set_index("test").loc["second"]
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
    official = results("wmt16-official")
    assert official["trueskill_skills"].max() < 0.01
    campaigns = results("honest-line-changes").groupby("protocol")
    honest = campaigns[["pairs_stay", "pairs"]].sum()
    campaigns = campaigns.size()
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
    rivals = results("honest-line-rivals").set_index("unit")["stay"]
    return [
        *votes(),
        f"keep {rivals['document']} to {rivals['hit']} of these",
        f"call {whole.min()} to {whole.max()} of 100",
        f"call **{whole.min()} to {whole.max()} of 100 pairs of equal systems"
        " different**",
        f"calls {by_unit.min()} to {most} ({hit} in the",
        stay["DA SR+DC"],
        f"in {campaigns['DA SR+DC']} campaigns with documents",
        f"Of {campaigns['DA SR-DC']} campaigns of single sentences (WMT17-18)"
        f" {stay['DA SR-DC']} stay, and in MQM {stay['MQM']}",
        f"{edges['all']} of its {edges.sum()} violated edges",
        f"the other {edges['some']} by some",
        f"over {ties.tracks:.0f} tracks",
        f"{ties.difference:.4f}, 95 % interval {ties.low:.4f} to {ties.high:.4f}",
        f"scores by {every.difference:.3f} ({every.low:.3f} to {every.high:.3f})",
        f"left out by {alone.difference:.3f} ({alone.low:.3f} to {alone.high:.3f})",
        f"{agree.sum()} of its 46",
        f"({agree['judgements']} from judgements, {agree['segment means']} from",
        humans["SR+DC"].replace("/", " of "),
        humans["SR-DC"].replace("/", " of "),
        f"{humans.difference:.2f}, {humans.low:.2f} to {humans.high:.2f}",
        f"({runs.expected:.0f} expected, {runs.observed:.0f} found; a language pair's"
        f" difference is {runs.least:.2f} to {runs.most:.2f}, within one pair of"
        " systems, our bound for doing alike, at 90 %)",
        f"{few['count']} of {few.tasks} tasks",
        f"in {unsure['count']} of these {unsure.tasks} a bootstrap warns",
        f"{crowd.sum()} of {len(crowd)} of the crowd's,"
        f" {news.sum()} of {len(news)} of news,",
        f"{other.sum()} of {len(other)} of Haitian Creole and Urdu,",
        f"none of {len(small)} of combinations and IT",
        f"by {order.difference:.3f} ({order.low:.3f} to {order.high:.3f})",
        f"{official['trueskill_order'].sum()} of {len(official)} orders (all at once in"
        f" {official['repeat_order'].prod():.0%}".replace("%", " %"),
        f"{official['trueskill_ranges'].sum()} of {official['systems'].sum()}"
        " rank ranges",
        "every mean skill within 0.01",
        *alone_in_67(),
        *alike(),
        *cycles(),
        *second_campaign(),
        *printed_ranks(),
    ]


def votes():
    """How often tests of votes call equal systems apart, by what makes votes alike."""
    size = results("honest-line-size").set_index(["protocol", "rule"])
    size = 100 * size[["rejected", "rejected_low", "rejected_high"]].astype(float)
    kinds = ("RR WMT10-12", "RR WMT16", "votes llmfao")
    signs = [size.loc[(f"{kind} (by both)", "sign test")] for kind in kinds]
    first, *others = (size.loc[(f"{kind} (by sentence)", "judges")] for kind in kinds)
    of_votes = size[size.index.get_level_values("protocol").str.contains("RR|votes")]
    most = of_votes.groupby("rule")["rejected"].max()
    return [
        f"the sign test of single votes calls {signs[0].rejected:.0f} (WMT10-12) and"
        f" {signs[1].rejected:.0f} (WMT16)",
        f"it calls {first.rejected:.1f} ({first.rejected_low:.1f} to"
        f" {first.rejected_high:.1f}) of 100 equal pairs different in WMT10-12,"
        f" {others[0].rejected:.1f} in WMT16 and {others[1].rejected:.1f} in the arena"
        f" llmfao (13 prompts); the test by judges and sentences calls"
        f" {most['unit']:.0f} at most, the sets of `wmtlib rank` {most['sets']:.0f} at"
        " most",
    ]


def alike():
    """Shares of the variance of a document's segments, and the worth of plans."""
    values = results("alike-components").set_index(["effect", "value"])["DA SR+DC"]
    plans = results("alike-plans").set_index(["protocol", "plan"]).loc["DA SR+DC"]
    ends = ["worth", "low", "high"]
    same_hit = results("alike-same-hit").set_index("sittings in")[ends]
    who = results("alike-who").set_index("statistic").loc["share of the 20 largest"]
    one = results("alike-one").set_index(["protocol", "by"])

    def share(effect):
        seen, low, high = 100 * values[effect].astype(float)[["seen", "low", "high"]]
        return f"{seen:.0f} % ({low:.0f} to {high:.0f})"

    def worth(row):
        seen, low, high = row[ends].astype(float)
        return f"{seen:.2f} ({low:.2f} to {high:.2f})"

    def fewer(protocol):
        seen, low, high = 100 * one.loc[(protocol, "one HIT"), ["fewer", "low", "high"]]
        return f"{seen:.0f} %", f"{low:.0f} to {high:.0f}"

    alone, several = (
        same_hit.loc[f"the same, {of}"]
        for of in ("annotators of 1 HIT", "of 4 or more")
    )
    least = same_hit.loc["the same, without the 20 largest"]
    documents, sentences = fewer("DA SR+DC"), fewer("DA SR-DC")
    return [
        f"({float(values['pairs', 'seen']):.0f} pairs)",
        f"{share('share of the occasion')} of what segments share",
        f"{share('part of the HIT')} of that to the whole HIT",
        "where a document by another annotator is worth 2",
        "annotator on the same document is worth"
        f" {worth(plans.loc['same document, second annotator'])}",
        "document in the same HIT is worth"
        f" {worth(plans.loc['second document, same HIT'])}:"
        f" {alone['worth']:.2f} with annotators of one HIT, {worth(several)} with those"
        " of four or more",
        f"20 of 1649 annotators give {100 * who['real']:.0f} % of the covariance of a"
        " HIT (normal HITs that vary alike in a campaign would give them"
        f" {100 * who['equal by campaign']:.0f} %, and above"
        f" {100 * who['equal by campaign, 97.5 %']:.0f} % in one of 40 such worlds)",
        f"Without the twenty it is {worth(least)}",
        f"in one HIT needs {documents[0]} ({documents[1]}) fewer documents than two"
        f" annotators (in single sentences {sentences[0]}, {sentences[1]})",
    ]


def cycles():
    """Violated weight beside that of systems with a true order."""
    totals = results("cycles-totals").set_index(["tasks", "unit"])
    paper, every = totals.loc[("Lopez's 25", "ranking")], totals.loc["all tasks"]
    with_cycle = totals.loc[("Lopez's 25, tasks with a cycle", "ranking")]
    of_rankings, of_sentences = every.loc["ranking"], every.loc["segment"]
    task = results("cycles").set_index("task").loc["2010 French-English"]
    return [
        f"({with_cycle.observed:.0f} of 25 tasks have one, {with_cycle.expected:.1f}"
        f" are expected, {with_cycle.low:.0f} to {with_cycle.high:.0f};"
        f" {paper.observed:.0f} judgements are violated against {in_words(paper)})",
        f"of 2010 {task.observed} judgements are violated, where chance gives"
        f" {task.expected:.0f} ({task.low:.0f} to {task.high:.0f})",
        "Cycles of 0.2 log-odds",
        f"all 62 tasks, did find more than chance: {of_rankings.observed:.0f} are"
        f" violated against {of_rankings.expected:.0f} ({of_rankings.low:.0f} to"
        f" {of_rankings.high:.0f}, p {of_rankings.p:.2f})",
        f"({of_sentences.expected:.0f}, {of_sentences.low:.0f} to"
        f" {of_sentences.high:.0f}, p {of_sentences.p:.2f})",
    ]


def in_words(row):
    return f"{row.expected:.0f}, {row.low:.0f} to {row.high:.0f}"


def second_campaign():
    """Shares of what one half of a campaign prints and the other half, too.

    `share` counts lines, winners or pairs, and `rate` is the mean over campaigns.
    """
    rows = results("second-campaign").set_index(["protocol", "test", "item"])
    rows = rows.apply(pd.to_numeric)
    percent = ["share", "share_low", "share_high", "rate", "low", "high"]
    rows[percent] *= 100
    own = rows.xs("own rule", level="test")
    lines, winners = own.loc[("all", "lines")], own.loc[("all", "winner")]
    order = own.loc[("DA SR+DC", "order")]
    tested = rows.loc[("DA SR+DC", "unit test", "order")]
    each = campaigns_divided()
    few = each.query("test == 'own rule' and item == 'lines'").groupby("campaign")
    few = few[["printed", "again"]].sum().query("printed <= 2").sum()
    assert few["again"] == 0
    both = rows.loc[("all", "both halves", "pairs")]
    other = rows.loc[("all", "other division", "pairs")]
    return [
        f"{lines.share:.0f} % ({lines.share_low:.0f} to {lines.share_high:.0f};"
        f" {lines.again:.0f} of {lines.printed:.0f} lines) again:"
        f" {own.loc[('DA SR-DC', 'lines'), 'share']:.0f} % for single sentences,"
        f" {own.loc[('DA SR+DC', 'lines'), 'share']:.0f} % for whole documents",
        f"none of {few['printed']:.0f} lines",
        f"rates of {lines.campaigns:.0f} campaigns, where each counts alike, is"
        f" {lines.rate:.0f} % ({lines.low:.0f} to {lines.high:.0f})",
        f"of winners {winners.share:.0f} % ({winners.share_low:.0f} to"
        f" {winners.share_high:.0f})",
        f"{order.share:.0f} % ({order.share_low:.0f} to {order.share_high:.0f}) keep"
        " their order",
        f"{tested.again:.0f} of {tested.printed:.0f}, in the {tested.campaigns:.0f}"
        f" campaigns of {order.campaigns:.0f} where",
        "*Print lines with p by units below .005,",
        f"show {both.share:.0f} % as many pairs ({both.share_low:.0f} to"
        f" {both.share_high:.0f})",
        f"another division shows {other.share:.0f} % ({other.share_low:.0f} to"
        f" {other.share_high:.0f}) of these again",
        *soft_accuracy(rows, each),
    ]


def campaigns_divided():
    """What each campaign's halves print, with the campaign's language pair and year."""
    each = results("second-campaign-each")
    each["campaign"] = each["label"].str.split().str[:2].str.join(" ")
    return each


def soft_accuracy(rows, each):
    """Agreement of two halves of the annotators, and p-values that move by units."""
    rate = each.assign(rate=each["again"] / each["printed"])
    keys = ["protocol", "test", "campaign"]
    rate = rate.pivot_table("rate", keys, "item").loc["DA SR+DC", "segments"]
    more = 100 * (rate["SPA"] - rate["undecided"])
    mean, half = more.mean(), t_half_width(more)

    def share(*row):
        return "{rate:.0f} % ({low:.0f} to {high:.0f})".format(**rows.loc[row])

    moved = [share(name, "unit test", "moved") for name in ("DA SR+DC", "ESA", "RR")]
    return [
        "a metric that says 1/2 of every pair",
        f"each with half of the data, is {share('DA SR+DC', 'segments', 'SPA')}:"
        f" {mean:.0f} points ({mean - half:.0f} to {mean + half:.0f}) more than",
        f"For single sentences it is {share('DA SR-DC', 'segments', 'SPA')}",
        f"by more than .1 for {moved[0]} of the pairs, in ESA for {moved[1]}, in"
        f" relative rankings for {moved[2]}",
    ]


def printed_ranks():
    """How often printed ranges of ranks hold, in 100 systems or tables."""
    table = results("printed-ranks").set_index("rule")
    causes = results("printed-ranks-causes").query("rule == 'WMT13'")
    alone = causes.set_index("level_0")["one"].astype(float)
    alone = (100 * alone).round().astype(int)
    said = (ROOT / "notebooks" / "66-printed-ranks.ipynb").read_text("utf-8")
    assert "In the data .73 of WMT13's ranges hold the rank" in said
    percent = (100 * table.drop(columns=["tasks", "ranks"]).astype(float)).round()
    percent = percent.astype(int)
    wmt13, arena, anchor, sets = (
        percent.loc[rule]
        for rule in ("WMT13", "arena", "arena, anchor", "sets at once")
    )
    assert sets["all"] == 100
    width = table["ranks"].astype(float)
    ratio = width["sets at once"] / width["WMT13"]
    tasks = table.loc["WMT13", "tasks"]
    return [
        f"In worlds that are calibrated to {tasks} tasks, a 95 %",
        f"would give in {wmt13['one']} of 100 cases ({wmt13['one_low']} to"
        f" {wmt13['one_high']}), and all ranges of a table hold at once in"
        f" {wmt13['all']} ({wmt13['all_low']} to {wmt13['all_high']}); for the rank on"
        f" the same sentences it holds in {wmt13['here']}. It would be"
        f" {alone['neither alike']} of 100 if neither votes on a sentence nor votes of"
        f" a judge were alike ({alone['sentences not alike']} if those on a sentence"
        f" were not, {alone['judges not alike']} if those of a judge were not)",
        "as WMT13 printed it",
        f"hold for {arena['one']} of 100 systems ({anchor['one']} with an anchor), and"
        f" all at once in {arena['all']} ({anchor['all']}) of 100 tables",
        f"in all {10 * int(tasks)} worlds, at {ratio:.1f} times the width"
        f" ({width['sets at once']:.1f} ranks for {width['WMT13']:.1f})",
        "systems of WMT10, 73 of 100 of WMT13's ranges",
        "as in WMT16",
        f"- 66: a 95 % range of ranks as WMT13 printed it holds for {wmt13['one']} of"
        f" 100 systems ({wmt13['one_low']} to {wmt13['one_high']}) and {wmt13['all']}"
        " of 100 tables, for other sentences and judges, in simulations calibrated to"
        f" {tasks} tasks.",
    ]


def alone_in_67():
    """What notebook 67 counts by kinds of human items, from no table of results/."""
    said = (ROOT / "notebooks" / "67-humans-or-chance.ipynb").read_text("utf-8")
    assert "change the order in all 11 SR+DC pairs that have any" in said
    assert "Human translations alone change it in 3 of 6" in said
    return ["references alone change 11 of 11, human translations alone 3 of 6"]


def test_what_the_results_give_is_what_the_texts_say():
    texts = README + DETAILS
    said = effects()
    assert [number for number in said if number not in texts] == []


@pytest.mark.parametrize("text", CLAIMS)
def test_there_is_no_number_that_no_result_gives(text):
    given = [came_out(), *beyond(), *caveats(), *effects()]
    rest = CLAIMS[text]
    for phrase in sorted(given, key=len, reverse=True):
        rest = rest.replace(phrase, "")
    rest = NAMES.sub("", rest)
    assert re.findall(r"\S*\d\S*", rest) == []


def write_sections():
    """Write the table and both sections into README."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    points = "\n".join(wrapped(line) for line in beyond())
    text = re.sub(r"(^\|.*\n)+", printed(), text, count=1, flags=re.M)
    # Each is the last block of its section.
    parts = {"## Beyond": wrapped(came_out()), "## Rank": points}
    for heading, written in parts.items():
        before, _, after = text.partition(f"\n\n{heading}")
        section = before.rpartition("\n\n")[0]
        text = f"{section}\n\n{written}\n\n{heading}{after}"
    path.write_text(text, "utf-8")


def wrapped(line):
    """A paragraph or a point of a list at README's width."""
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line,
        118,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    write_sections()
