"""Does `wmtlib plan` keep its promises? WMT's campaigns, planned from half of their judges.

Campaigns are all tasks of relative rankings of WMT10 (experts and crowd), WMT11, WMT12 and WMT16,
and all language pairs of direct assessment whose single judgements are released, with at least
`JUDGES` judges. The unit is what the command takes: the judge, or worker. Judges are split in two
halves at random, `SPLITS` times; `analysis.plan` sees the first half, and `more` is the number of
judgements in the second. A pair of neighbours of the first half is *apart in the whole* by the same
test on all judgements. The human reference of WMT10 and WMT11 is left out.

`JUDGES`, `SPLITS`, `PROMISED`, `BOUND` and `CRITERIA` were written before any of it was computed.
After the results were seen, the verdicts of "naive" were worded like those of the main question
("(holds)"; "does not hold" where it had read "open"), and a half that cannot be planned from is
left out. Intervals: campaigns are resampled, with all their pairs and splits, 95 % unless said
otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.analysis import bootstrap
from wmtlib.analysis.plan import chance_apart, error_covariance, plan
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements import counting
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.releases import assessment_catalogue, coded_campaigns, ranking_releases
from wmtlib.releases.sources import RELATIVE_CAMPAIGNS, Source
from wmtlib.yours.layouts import counted_by

JUDGES = 10  # a campaign of fewer gives no halves that can be resampled
SPLITS = 3  # random halves of every campaign
PROMISED = 0.8
BOUND = 0.05  # a chance that is off by less is right for all purposes of planning
CRITERIA = {
    "main": (
        "Of the pairs of neighbours that are given a chance of at least 80 %, the share that is"
        " apart in the whole. Holds if the whole interval is at 0.8 or above, does not hold if all"
        " of it is below; otherwise open."
    ),
    "calibration": (
        "Over all pairs: mean chance less share apart. Right if the 90 % interval lies within"
        " 0.05 of zero, wrong if the 95 % interval leaves out zero, otherwise open; if both, it is"
        " off by little."
    ),
    "open pairs": "The same over the pairs that are not apart in the first half.",
    "naive": (
        "Over the pairs that are not apart in the first half: mean chance if the difference found"
        " were the true one, less the share apart. It promises too much if the 95 % interval is"
        " above zero (holds)."
    ),
    "file order": (
        "The main question with the judges in the order of the file instead of at random: those"
        " who come first until they hold half of the judgements. The same criterion."
    ),
}
RESAMPLES = 300  # of judges, for every error
DRAWS = 2000  # of campaigns
BINS = (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1)  # of chances, in figures


@dataclass(frozen=True, eq=False)
class Judged:
    """A campaign, as `analysis.plan` takes it.

    Attributes
    ----------
    name, protocol : str
        "RR" or "DA".
    data : comparisons frame with a column judge, or Campaign
    judge : ndarray of int, (rows or judgements,)
        Number of each judge, in the order of first appearance in the file.
    """

    name: str
    protocol: str
    data: pd.DataFrame | Campaign
    judge: np.ndarray

    @property
    def unit(self) -> str:
        """How `analysis.plan` calls the judges."""
        return "judge" if self.protocol == "RR" else "worker"

    def part(self, chosen: np.ndarray) -> pd.DataFrame | Campaign:
        """The judgements of some judges, (judges,) of bool."""
        rows = chosen[self.judge]
        return self.data[rows] if self.protocol == "RR" else self.data.select(rows)


def campaigns(source: Source) -> list[Judged]:
    """All campaigns of at least `JUDGES` judges; simulated ones where there are no raw files."""
    found, pairs = [], coded_campaigns.simulated()
    if source.kind == "raw":
        names = (*RELATIVE_CAMPAIGNS, "wmt16")
        tasks = ranking_releases.tasks(source, names)
        for name, task in zip(tasks["campaign"], tasks["task"], strict=True):
            rows = ranking_releases.load_comparisons(name, task, source=source)
            rows = counting.without(rows, REFERENCE)
            place = dict(zip(rows["judge"].unique(), range(len(rows)), strict=False))
            rows = counted_by(rows, ["judge"])
            found.append(
                Judged(f"{name} {task}", "RR", rows, rows["judge"].map(place).to_numpy(int))
            )
        table = assessment_catalogue.catalogue().query("level == 'item'")
        pairs = zip(table["campaign"], table["language_pair"], strict=True)
    for one in coded_campaigns.load_all(source, pairs):
        name = f"{one.campaign} {one.language_pair}"
        found.append(Judged(name, "DA", one.coded, pd.factorize(one.coded.worker)[0]))
    return [one for one in found if one.judge.max() + 1 >= JUDGES]


def halves(one: Judged, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The judges of each first half, (judges,) of bool: at random, and in the order of the file."""
    size = one.judge.max() + 1
    found = {f"random {k + 1}": rng.permutation(size) < size // 2 for k in range(SPLITS)}
    weight = one.data["count"] if one.protocol == "RR" else None
    judgements = np.cumsum(np.bincount(one.judge, weight))
    return found | {"file order": judgements <= max(judgements[-1] / 2, judgements[1])}


def checked(one: Judged, *, seed: int) -> pd.DataFrame:
    """The chances that plans from halves of a campaign's judges give, and what became of them.

    A half that cannot be planned from is left out: of the simulated campaigns some, of WMT's none.

    Returns
    -------
    DataFrame
        A row a split and pair of neighbours of the first half: campaign, protocol, split, above,
        below, before (apart in the first half), chance, naive (the chance if the difference found
        were the true one), after (apart in the whole).
    """
    rng = np.random.default_rng([63, seed])
    options = {"unit": one.unit, "n_resamples": RESAMPLES, "rng": rng}
    method = "bradley-terry" if one.protocol == "RR" else "z-score"
    whole = bootstrap.bootstrap(one.data, method, **options)
    place = pd.Series(range(len(whole.ranking.order)), whole.ranking.order)
    score, covariance = whole.ranking.table["score"].to_numpy(), error_covariance(whole)
    judgements, tables = _size(one.data), []
    for split, chosen in halves(one, rng).items():
        half = one.part(chosen)
        more = judgements - _size(half)
        try:
            found = plan(half, more=more, **options)
        except DataError:  # a resample of few workers has lost a system
            continue
        table = found.table
        growth = more / found.judgements
        later = (growth, found.n_units * (1 + growth))
        known = (table["difference"].to_numpy(), table["error"].to_numpy())
        naive = chance_apart(*known, known[0], 0 * known[0], *later)
        a, b = (place[table[side]].to_numpy() for side in ("above", "below"))
        apart = score[a] - score[b]
        variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
        after = chance_apart(apart, np.sqrt(variance), apart, 0 * apart, 0.0, whole.n_units) > 0
        columns = {"before": table["apart"], "chance": table["then"], "naive": naive}
        about = {"campaign": one.name, "protocol": one.protocol, "split": split}
        tables.append(table[["above", "below"]].assign(**about, **columns, after=after))
    return pd.concat([pd.DataFrame(), *tables], ignore_index=True)


def _size(data: pd.DataFrame | Campaign) -> int:
    """Judgements: comparisons, or scores of systems."""
    return len(data.cells.judgement) if isinstance(data, Campaign) else int(data["count"].sum())


def findings(table: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """The answers to `CRITERIA`, over all campaigns.

    Parameters
    ----------
    table : DataFrame
        What `checked` gives, of all campaigns.
    seed : int
        Of the resamples of campaigns.

    Returns
    -------
    DataFrame
        By question: campaigns, pairs, chance (mean), apart (share), value (the share, or mean
        chance less share), low and high (95 %), low90 and high90, verdict.
    """
    drawn_at_random = table["split"] != "file order"
    promised = table["chance"] >= PROMISED
    open_pairs = drawn_at_random & ~table["before"]
    asked = {
        "main": (drawn_at_random & promised, "chance"),
        "calibration": (drawn_at_random, "chance"),
        "open pairs": (open_pairs, "chance"),
        "naive": (open_pairs, "naive"),
        "file order": (~drawn_at_random & promised, "chance"),
    }
    rows = []
    for question, (chosen, column) in asked.items():
        share = question in ("main", "file order")
        rows.append(answer(table[chosen], column, share=share, seed=seed))
        rows[-1] |= {"verdict": _verdict(question, rows[-1])}
    return pd.DataFrame(rows, index=pd.Index([*asked], name="question"))


def answer(rows: pd.DataFrame, column: str, *, share: bool, seed: int) -> dict[str, float]:
    """A share, or a mean chance less a share, with its intervals over campaigns."""
    if rows.empty:  # of a few simulated campaigns
        nothing = ("chance", "apart", "value", "low", "high", "low90", "high90")
        return {"campaigns": 0, "pairs": 0} | dict.fromkeys(nothing, np.nan)
    groups = rows.groupby("campaign")
    sums = np.stack([groups.size(), groups[column].sum(), groups["after"].sum()], axis=1)
    draws = np.random.default_rng([64, seed]).multinomial(
        len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS
    )
    samples = np.vstack([sums.sum(axis=0), draws @ sums])
    value = (samples[:, 2] - (0 if share else samples[:, 1])) / samples[:, 0]
    value = value if share else -value
    low, high, low90, high90 = np.quantile(value[1:], [0.025, 0.975, 0.05, 0.95])
    pairs, chances, apart = samples[0]
    return {
        "campaigns": len(sums),
        "pairs": int(pairs),
        "chance": chances / pairs,
        "apart": apart / pairs,
        **{"value": value[0], "low": low, "high": high, "low90": low90, "high90": high90},
    }


def _verdict(question: str, found: Mapping[str, float]) -> str:
    """What `CRITERIA` says of an answer."""
    low, high = found["low"], found["high"]
    if question in ("main", "file order"):
        return "holds" if low >= PROMISED else "does not hold" if high < PROMISED else "open"
    if question == "naive":
        return "holds" if low > 0 else "does not hold" if high < 0 else "open"
    right = found["low90"] >= -BOUND and found["high90"] <= BOUND
    wrong = low > 0 or high < 0
    return {(1, 0): "right", (0, 1): "wrong", (1, 1): "off by little"}.get((right, wrong), "open")


def open_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """The rows about pairs that are not apart in a random first half."""
    return table[(table["split"] != "file order") & ~table["before"]]


def calibration(table: pd.DataFrame, *, column: str, seed: int) -> pd.DataFrame:
    """Share apart in the whole of the pairs that were given about the same chance.

    Parameters
    ----------
    table : DataFrame
        Rows of what `checked` gives.
    column : "chance" or "naive"

    Returns
    -------
    DataFrame
        By `BINS` of the chance: pairs, chance (mean), apart (share), low, high (95 %).
    """
    place = np.digitize(table[column], BINS[1:-1])
    rows = {k: answer(part, column, share=True, seed=seed) for k, part in table.groupby(place)}
    return pd.DataFrame(rows).T[["pairs", "chance", "apart", "low", "high"]]
