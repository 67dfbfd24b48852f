"""The campaigns whose stability is compared, from the releases: loaders of `protocols.Judged`.

Relative ranking: the news tasks of WMT10-12 (experts) and WMT16. Direct assessment: every campaign
of one style whose judgements are released, or recovered to 98 % and in the official order; of SR+DC
those with known documents, whose outputs were judged together. ESA: WMT24. MQM: WMT21.
"""

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.encoding import encode
from wmtlib.judgements import counting
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.later.protocols import Judged, ranked_campaign
from wmtlib.later.scored_protocols import STANDARDISED, Scored, scored_campaign
from wmtlib.releases import (
    assessment_releases,
    coded_campaigns,
    later_assessments,
    ranking_releases,
    wmt16,
)
from wmtlib.releases.assessment_catalogue import catalogue
from wmtlib.releases.ranking_xml import JOINS
from wmtlib.releases.sources import Source

PROTOCOLS = ("RR", "SR-DC", "SR+DC", "ESA", "MQM")
ESA_PAIRS = ("en-cs", "en-hi", "en-ja", "en-zh")
ESA_HUMANS = ("refA",)
MQM_PAIRS = ("en-de", "zh-en")
BEST = 25  # MQM score of a segment without errors: 5 errors, each major, are 25 points
MAJOR, MINOR = 5, 1  # points of an error; the file does not tell categories
KNOWN = 0.98  # share of judgements from which a recovered campaign is taken
LONGEST = 0.95  # durations above this quantile are set to it: the annotator was away


def campaigns(source: Source) -> Iterator[Judged]:
    """All campaigns of the source, protocol by protocol, scored as the protocol does it."""
    if source.kind == "embedded":
        yield from _from_counts()
        yield from _assessed(source, coded_campaigns.simulated())
        return
    yield from _rankings(source)
    yield from _assessed(source, _assessed_pairs())
    for pair in ESA_PAIRS:
        yield esa(pair, source=source)
    for pair in MQM_PAIRS:
        yield mqm(pair, source=source)


def example(source: Source, language_pair: str, *, humans: Collection[str] = ESA_HUMANS) -> Judged:
    """One campaign: a language pair of WMT24, or a simulated one in its place."""
    if source.kind == "embedded":
        return next(_assessed(source, coded_campaigns.simulated()[-1:]))
    return esa(language_pair, source=source, humans=humans)


def esa(language_pair: str, *, source: Source, humans: Collection[str] = ESA_HUMANS) -> Scored:
    """A language pair of WMT24; a system's score is the mean over domains of its mean scores."""
    frame = later_assessments.load_esa(language_pair, source=source)
    coded = encode(frame)
    domain = frame.drop_duplicates("document").set_index("document")["domain"].astype(str)
    gaps = frame.sort_values(["worker", "end"]).groupby("worker", observed=True)["end"].diff()
    about = {"protocol": "ESA", "name": f"wmt24 {language_pair}"}
    domains = domain[coded.documents].to_numpy()
    seconds = seconds_each(gaps.dropna().to_numpy(), int(gaps.notna().sum()))
    return scored_campaign(coded, humans=humans, domains=domains, seconds=seconds, **about)


def mqm(language_pair: str, *, source: Source) -> Scored:
    """A language pair of WMT21's MQM; human references are not ranked.

    Where the file lacks the rater, one unknown rater stands for each document.
    """
    coded = encode(_mqm_assessments(language_pair, source))
    humans = [name for name in coded.systems if name.startswith("ref.")]
    about = {"protocol": "MQM", "name": f"wmt21 {language_pair}"}
    return scored_campaign(coded, humans=humans, **about)


def _mqm_assessments(language_pair: str, source: Source) -> pd.DataFrame:
    """MQM's marks as scores, in the form of direct assessments."""
    frame = later_assessments.load_mqm(language_pair, source=source)
    rater = frame["rater"].astype(object)
    points = BEST - MAJOR * frame["major"] - MINOR * frame["minor"]
    return frame.assign(
        worker=rater.where(rater.notna(), "unknown, " + frame["document"].astype(str)),
        segment=frame["document"].astype(str) + " " + frame["segment"].astype(str),
        score=points.astype(float),
        **{"hit": "", "language_pair": language_pair, "item": "SYSTEM", "accepted": True},
    )


def same_systems(source: Source) -> tuple[Scored, Scored]:
    """WMT21 Chinese-English by SR+DC and by MQM: the systems of both, single segments.

    The only campaign at hand that two protocols judged. Of its direct assessment official means
    of segments are public, already standardised: a mean of k judgements stands for k equal ones.
    """
    means = assessment_releases.load_segment_means("wmt21", "zh-en", source=source)
    means = means.loc[means.index.repeat(means["judgements"])]
    assessed = means.assign(system=means["system"].str.replace(r"\.\d+$", "", regex=True))
    assessed = assessed.assign(score=assessed["z"], worker="unknown")
    marked = _mqm_assessments("zh-en", source)
    marked = marked.assign(system=marked["system"].str.removeprefix("hyp."), document="")
    both = sorted(set(assessed["system"]) & set(marked["system"]))
    constant = {"hit": "", "language_pair": "zh-en", "item": "SYSTEM", "accepted": True}
    tables = [t[t["system"].isin(both)].assign(**constant) for t in (assessed, marked)]
    campaigns = [
        scored_campaign(encode(one), protocol=protocol, name="wmt21 zh-en", humans=[])
        for one, protocol in zip(tables, ("SR+DC", "MQM"), strict=True)
    ]
    return campaigns[0].on_other_scale, campaigns[1]


def _rankings(source: Source) -> Iterator[Judged]:
    for campaign in ("wmt10", "wmt11", "wmt12"):
        rankings = ranking_releases.load_rankings(campaign, source=source)
        for task, rows in rankings.groupby("task", observed=True):
            pair, _, group = task.partition("-individual")
            if not group and pair.count("-") == 1:
                yield ranked_campaign(rows, name=f"{campaign} {pair}")
    seconds = wmt16.load_seconds(source=source)
    for task, rows in wmt16.load_rankings("wmt16", source=source).groupby("task", observed=True):
        judgements = int((rows["system"].astype(str).str.count(JOINS) + 1).sum())
        each = seconds_each(seconds.loc[task].to_numpy(), judgements)
        yield ranked_campaign(rows, name=f"wmt16 {task}", seconds=each)


def _from_counts() -> Iterator[Judged]:
    """WMT12 from embedded counts: every comparison by itself, without segments or judges."""
    for task in ranking_releases.tasks("embedded").query("campaign == 'wmt12'")["task"]:
        counts = ranking_releases.load_counts("wmt12", task, source="embedded").without(REFERENCE)
        rows = counting.expand(counts)
        number = np.arange(len(rows))
        first, second = rows["preference"] == counting.SECOND, rows["preference"] == counting.FIRST
        sides = [
            pd.DataFrame({"ranking": number, "system": rows[c].astype(str), "rank": 1 + worse})
            for c, worse in (("system_1", first.astype(int)), ("system_2", second.astype(int)))
        ]
        both = pd.concat(sides).sort_values("ranking", kind="stable", ignore_index=True)
        both = both.assign(task=task, segment=both["ranking"], judge=both["ranking"])
        yield ranked_campaign(both, name=f"wmt12 {task} (counts)")


def _assessed_pairs() -> list[tuple[str, str]]:
    """Language pairs of direct assessment; decided from the catalogue alone."""
    table = catalogue()
    recovered = pd.to_numeric(table["recovered"], errors="coerce").fillna(0) >= KNOWN
    # Of WMT20's crowd only the single sentences do without documents.
    documents = (table["style"] == "SR-DC") | (table["interface"] == "appraise")
    used = (table["level"] == "item") | (recovered & documents)
    used &= table["style"].isin(STANDARDISED)
    return [tuple(p) for p in table.loc[used, ["campaign", "language_pair"]].to_numpy()]


def _assessed(source: Source, pairs: list[tuple[str, str]]) -> Iterator[Judged]:
    for pair in pairs:
        release = coded_campaigns.load_release(*pair, source=source)
        if not release.official_order:
            continue
        seconds = np.nan
        if release.level == "item":
            seconds = assessment_seconds(*pair, release.coded, source)
        yield scored_campaign(
            release.coded,
            protocol=release.style,
            name=release.label,
            humans=release.humans,
            seconds=seconds,
        )


def assessment_seconds(campaign: str, language_pair: str, coded: Campaign, source: Source) -> float:
    """Seconds for one judgement of an output, quality control included; NaN if not recorded.

    Some campaigns recorded the time of a judgement, others that of a HIT, on all of its rows: it
    is shared equally among them.
    """
    times = assessment_releases.load_times(campaign, language_pair, source=source)
    if not (times["seconds"] > 0).any():
        return np.nan
    tasks = times.groupby(["hit", "worker"], observed=True)["seconds"]
    rows, different = tasks.transform("size"), tasks.transform("nunique")
    of_task = (times["hit"] != "") & (different == 1) & (rows > 1)
    seconds = times["seconds"].where(~of_task, times["seconds"] / rows).clip(lower=0)
    return seconds_each(seconds.to_numpy(), int(coded.rated[coded.credit].sum()))


def seconds_each(durations: np.ndarray, judgements: int) -> float:
    """Sum of durations, the longest cut to the `LONGEST` quantile, over a number of judgements.

    >>> seconds_each(np.array([10.0] * 99 + [1e6]), 50)
    20.0
    """
    return float(np.minimum(durations, np.quantile(durations, LONGEST)).sum() / judgements)
