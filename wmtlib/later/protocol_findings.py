"""How stable is a ranking, by the protocol that made it? What is tested over campaigns.

The measure is Kendall's tau between the rankings of two random halves of a campaign's documents
(segments where documents are not known), each cut at `SIZE` judgements a system, as the protocol
ranks, human translations not among the ranked; the mean over splits is one number a campaign. The
unit of every interval and test is the campaign (a year and language pair), never the split.

The main test, named before any of these numbers was computed, is `MAIN`: campaigns with marked
errors (ESA 2024 and MQM 2021) against direct assessment with document context (SR+DC, 2020-22), the
protocol that they took the place of. Its criterion: one is more stable if Welch's 95 % interval of
the difference of means leaves out 0; the two are alike if the 90 % interval lies within
`EQUIVALENCE` of 0 (two systems that change places among nine are 2/36 of a tau); otherwise the data
cannot tell. `SIZE` is the largest of 50, 100, 200, 400 and 800 that halves of all campaigns of ESA
and MQM hold; it was read off the numbers of judgements. `OTHERS` are corrected together (Holm).
After a first look, in which the main difference was -0.03 (-0.20 to 0.15) with 30 splits of every
campaign, `MORE` was added, and recovered campaigns are taken from 98 % instead of 95 %.

Confounded with the protocol are the year, the language pairs, the number of systems, how far apart
they are, the annotators and the design of the tasks. No regression can part what the noise of a
protocol and the spread of its systems do to tau: both act through their ratio alone.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib.judgements.intervals import clusters_of_ranges, t_half_width
from wmtlib.judgements.kendall import tau
from wmtlib.judgements.multiple_tests import corrected
from wmtlib.later.protocol_campaigns import PROTOCOLS, campaigns
from wmtlib.later.protocol_measures import (
    ALL,
    ROW,
    between_halves,
    halves,
    without_each,
    without_humans,
)
from wmtlib.later.protocols import Judged, Ranked
from wmtlib.releases.sources import Source

SIZE = 100  # judgements a system in each half
SIZES = (50, 100, 200, 400, 800)
HOURS = 1.0  # of annotation a system in each half
EQUIVALENCE = 0.05  # of tau
MARKED = ("ESA", "MQM")
MORE = 5  # times as many splits for these: they have few campaigns, whose means should be firm
# Measure, halves of what, protocols, and the protocols they are held against.
MAIN = ("tau", "document", MARKED, ("SR+DC",))
OTHERS = (
    ("tau", "document", MARKED, ("SR-DC",)),
    ("tau", "document", MARKED, ("RR",)),
    ("tau", "document", ("SR+DC",), ("SR-DC",)),
    ("tau", "document", ("SR-DC",), ("RR",)),
    ("tau", "annotator", MARKED, ("SR+DC",)),
    ("agree", "document", MARKED, ("SR+DC",)),
    ("tau by the hour", "document", ("ESA",), ("SR+DC",)),
    ("tau by the hour", "document", ("ESA",), ("RR",)),
)


def measured(source: Source, *, n_splits: int, seed: int) -> pd.DataFrame:
    """All measures of all campaigns, `MORE` times as many splits for `MARKED` protocols.

    Returns
    -------
    DataFrame
        protocol, campaign, systems (number ranked), scale ("ranks", "raw" or "by annotator"),
        usual (whether the protocol ranks by that scale), and the columns of
        `protocol_measures.ROW`; one row a campaign and measure.
    """
    parts = [part for one in campaigns(source) for part in _of_campaign(one, n_splits, seed)]
    table = pd.concat(parts, ignore_index=True)
    return table.astype({"size": int, "value": float})


def _of_campaign(judged: Judged, n_splits: int, seed: int) -> Iterator[pd.DataFrame]:
    """All measures of one campaign, on the scale of the protocol and on the other one."""
    rng = np.random.default_rng([seed, *map(ord, judged.name)])
    draws = {"n_splits": n_splits * (MORE if judged.protocol in MARKED else 1), "rng": rng}
    about = {"protocol": judged.protocol, "campaign": judged.name, "systems": len(judged.systems)}
    split = between_halves(judged, split="document", sizes=(*SIZES, ALL), tested=(SIZE,), **draws)
    people = between_halves(judged, split="annotator", sizes=(SIZE,), tested=(SIZE,), **draws)
    single = judged if isinstance(judged, Ranked) else judged.by_segment
    segments = between_halves(single, split="document", sizes=(SIZE,), **draws)
    parts = [split, people, segments.assign(split="segment"), _facts(judged, split)]
    parts += [without_each(judged), without_humans(judged)]
    scale = "ranks"
    if not isinstance(judged, Ranked):
        scale = _scale(judged.standardised)
        other = judged.on_other_scale
        found = between_halves(other, split="document", sizes=(SIZE,), **draws)
        rows = [found, without_each(other), without_humans(other)]
        yield pd.concat(rows).assign(**about, scale=_scale(other.standardised), usual=False)
    yield pd.concat(parts).assign(**about, scale=scale, usual=True)


def _scale(standardised: bool) -> str:
    return "by annotator" if standardised else "raw"


def _facts(judged: Judged, split: pd.DataFrame) -> pd.DataFrame:
    """What was judged, by whom and how fast, and tau between halves of `HOURS` a system.

    Tau is interpolated along the logarithm of the number of judgements; no row where that many
    hours are beyond the sizes at hand.
    """
    facts = {
        "judgements a system": judged.size.sum() / len(judged.systems),
        "annotators": len(np.unique(judged.annotator)),
        "documents": len(np.unique(judged.document)),
    }
    if np.isfinite(judged.seconds):
        facts["seconds a judgement"] = judged.seconds
        curve = split[(split["measure"] == "tau") & (split["size"] != ALL)]
        size = 3600 * HOURS / judged.seconds
        if len(curve) and curve["size"].min() <= size <= curve["size"].max():
            facts["tau by the hour"] = np.interp(
                np.log(size), np.log(curve["size"]), curve["value"]
            )
    rows = [(k, "document" if "tau" in k else "", ALL, float(v)) for k, v in facts.items()]
    return pd.DataFrame(rows, columns=ROW)


def values(
    table: pd.DataFrame, measure: str, split: str, protocols: tuple[str, ...] = PROTOCOLS
) -> pd.DataFrame:
    """Rows of one measure on the protocols' usual scales, at `SIZE` where there are sizes."""
    rows = table[table["usual"] & (table["measure"] == measure) & (table["split"] == split)]
    return rows[rows["size"].isin((SIZE, ALL) if "hour" in measure else (SIZE,))].query(
        "protocol in @protocols"
    )


def order_changes(table: pd.DataFrame) -> pd.DataFrame:
    """Shares of orders that change, by protocol and scale: means over campaigns.

    Returns
    -------
    DataFrame, indexed by protocol and scale
        left out: one system; then humans removed, / 1.25 and so on, and of how many campaigns
        (human).
    """
    rows = table[table["measure"].str.startswith("order changes, ")]
    step = rows["measure"].str.removeprefix("order changes, ").rename("step")
    grouped = rows["value"].groupby([rows["protocol"], rows["scale"], step], sort=False)
    shares, number = grouped.mean().unstack(), grouped.size().unstack()
    found = shares.rename(columns={"one left out": "left out"})
    if "humans removed" in shares:
        found["human"] = number["humans removed"].fillna(0).astype(int)
    return found.reindex(PROTOCOLS, level="protocol")


def curves(table: pd.DataFrame) -> pd.DataFrame:
    """Tau between halves of the documents by judgements a system, as `learning_curves` draws it."""
    usual = table[table["usual"]]
    rows = usual[(usual["measure"] == "tau") & (usual["split"] == "document")]
    times = usual[usual["measure"] == "seconds a judgement"].set_index("campaign")["value"]
    return rows[rows["size"] != ALL].assign(seconds=rows["campaign"].map(times))


def noise(table: pd.DataFrame) -> pd.DataFrame:
    """Tau and signal-to-noise ratio at `SIZE`: protocol, campaign, ratio, tau."""
    rows = [values(table, measure, "document") for measure in ("signal to noise", "tau")]
    columns = ["protocol", "campaign", "value"]
    both = rows[0][columns].merge(rows[1][columns], on=columns[:2], suffixes=("_ratio", "_tau"))
    return both.rename(columns={"value_ratio": "ratio", "value_tau": "tau"})


def same_systems(pair: Sequence[Judged], *, n_splits: int, seed: int) -> pd.DataFrame:
    """Tau between halves of campaigns of the same systems: a row a protocol, a column a size."""
    rows = {}
    for judged in pair:
        rng = np.random.default_rng(seed)
        draws = {"split": "document", "sizes": SIZES, "n_splits": n_splits, "rng": rng}
        found = between_halves(judged, **draws).query("measure == 'tau'")
        rows[judged.protocol] = found.set_index("size")["value"]
    return pd.DataFrame(rows).T


def one_split(judged: Judged, *, rng: np.random.Generator) -> tuple[pd.DataFrame, float]:
    """Scores and places of all systems in two halves of `SIZE` judgements a system, and tau."""
    pair = halves(judged, split="document", sizes=(SIZE,), n_splits=1, rng=rng)[SIZE]
    scores = [judged.scores(half)[0] for half in pair]
    table = pd.DataFrame({"one half": scores[0], "other half": scores[1]}, judged.systems)
    places = table.rank(ascending=False).astype(int).add_suffix(", place")
    return table.join(places).sort_values("one half, place"), float(tau(*scores))


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """The main test and the others: differences of means over campaigns.

    Returns
    -------
    DataFrame
        measure, split, protocols, against, campaigns ("6 : 21"), means of both, difference with
        low and high (95 %, Welch), least and most (90 %), alike (whether these lie within
        `EQUIVALENCE`), p, main (bool), holm (over the others). Empty without data of MAIN.
    """
    rows = []
    for one in (MAIN, *OTHERS):
        measure, split, *sides = one
        samples = [values(table, measure, split, side)["value"].to_numpy() for side in sides]
        if min(map(len, samples)) < 2:
            continue
        test = stats.ttest_ind(*samples, equal_var=False)
        wide, narrow = (test.confidence_interval(level) for level in (0.95, 0.9))
        first, second = (float(s.mean()) for s in samples)
        rows.append(
            {"measure": measure, "split": split}
            | {"protocols": " ".join(sides[0]), "against": " ".join(sides[1])}
            | {"campaigns": f"{len(samples[0])} : {len(samples[1])}"}
            | {"mean": first, "mean against": second, "difference": first - second}
            | {"low": wide.low, "high": wide.high, "least": narrow.low, "most": narrow.high}
            | {"alike": bool(max(-narrow.low, narrow.high) < EQUIVALENCE)}
            | {"p": test.pvalue, "main": one == MAIN}
        )
    found = pd.DataFrame(rows)
    if found.empty:
        return found
    others = corrected(found["p"].mask(found["main"]).to_numpy(), "holm")
    return found.assign(holm=np.where(found["main"], found["p"], others))


def scales(table: pd.DataFrame, split: str = "document") -> pd.DataFrame:
    """Tau on raw scores and standardised by annotator, the same campaigns: paired differences.

    Returns
    -------
    DataFrame, indexed by protocol
        campaigns, raw, by annotator (means), difference with low and high (95 %, t). Exploratory.
    """
    rows = table[(table["measure"] == "tau") & (table["split"] == split) & (table["size"] == SIZE)]
    wide = rows.pivot_table(index=["protocol", "campaign"], columns="scale", values="value")
    wide = wide[["raw", "by annotator"]].dropna()
    wide["difference"] = wide["by annotator"] - wide["raw"]
    grouped = wide.groupby("protocol")
    number, means = grouped.size(), grouped.mean()
    half = grouped["difference"].apply(t_half_width)
    ends = {"low": means["difference"] - half, "high": means["difference"] + half}
    found = means.assign(**ends)
    found.insert(0, "campaigns", number)
    return found.reindex([p for p in PROTOCOLS if p in found.index])


def by_protocol(table: pd.DataFrame, wanted: dict[str, tuple[str, str]]) -> pd.DataFrame:
    """Means over the campaigns of each protocol, with 95 % t intervals as text.

    Parameters
    ----------
    wanted : mapping
        From the name of a column to measure and split.
    """
    columns = {}
    for name, (measure, split) in wanted.items():
        rows = table[table["usual"] & (table["measure"] == measure) & (table["split"] == split)]
        sized = rows["size"].isin((SIZE,)) if (rows["size"] == SIZE).any() else rows["size"] == ALL
        columns[name] = rows[sized].groupby("protocol")["value"].apply(_mean_with_interval)
    present = [p for p in PROTOCOLS if p in set(table["protocol"])]
    return pd.DataFrame(columns).reindex(present).fillna("")


def _mean_with_interval(found: pd.Series) -> str:
    """ "0.65 ± 0.03": mean and half the 95 % t interval; of two campaigns the mean alone."""
    if len(found) < 3:
        return f"{found.mean():.2f}"
    return f"{found.mean():.2f} ± {t_half_width(found):.2f}"


def rank_ranges(judged: Judged) -> pd.DataFrame:
    """Rank ranges and clusters by the rule of WMT24.

    Wins and losses are significant pairs. A system's ranks go from 1 + losses to the number of
    systems less wins; a cluster ends where no later system's range begins before it is over.

    Returns
    -------
    DataFrame
        system, score, wins, losses, best, worst, cluster; best score first.
    """
    score = judged.scores(judged.everything)[0]
    ahead = judged.ahead(judged.everything)[0]
    wins, losses = (ahead > 0).sum(axis=1), (ahead < 0).sum(axis=1)
    table = pd.DataFrame(
        {"system": judged.systems, "score": score, "wins": wins, "losses": losses}
        | {"best": 1 + losses, "worst": len(score) - wins}
    ).sort_values("score", ascending=False, ignore_index=True)
    cluster = clusters_of_ranges(table["best"].to_numpy(), table["worst"].to_numpy())
    return table.assign(cluster=cluster)
