"""Are rankings of SR+DC less stable in campaigns that Knowles (2021) did not use? Our findings.

They stand beside the scoreboard: the paper makes no claim about these campaigns. The
unit of every interval is the language pair of a campaign. One test is the primary one,
`PRIMARY`; the other tests of its family are corrected together (Holm). All of them were
known when the primary one was named.

Confounded: the SR-DC campaigns are nearly all WMT17, the SR+DC campaigns WMT21 and
WMT22. Style, year, test sets, crowd and the number of systems go together, and no
analysis can part them.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib.assessments import Campaign
from wmtlib.cluster_lines import system_order
from wmtlib.corrections import corrected
from wmtlib.ranking import reversed_pairs
from wmtlib.stability import CHANGES
from wmtlib.study.papers.knowles2021_stability import (
    REMOVALS,
    TWO_STYLES,
    difference_of_shares,
)
from wmtlib.study.releases.coded_campaigns import Release
from wmtlib.zscores import standardised

PRIMARY = ("remove humans", "rank")
KINDS = (*REMOVALS, "divide humans")
ABOUT = ("campaign", "language_pair", "style")
# Two removals do alike if they differ by less than one pair of neighbours per language
# pair.
EQUIVALENCE = 1.0
# What is left out at random: in whole document runs or one by one (None: as it was
# judged, humans in runs and references one by one), and whether from the workers'
# scales only. The first is the primary one.
RANDOM = {
    "as judged, from the scales": (None, True),
    "document runs, from the scales": (True, True),
    "single judgements, from the scales": (False, True),
    "single judgements, altogether": (False, False),
}


# --- Section 5.2 on other campaigns ---------------------------------------------------


def out_of_sample(battery: pd.DataFrame) -> pd.DataFrame:
    """Perturbations of campaigns that the paper did not use, where judgements were at stake.

    Parameters
    ----------
    battery : DataFrame
        Rows of `stability.perturb` with the columns paper and style; other kinds than
        `KINDS`, and campaigns of mixed style, are left out.

    Returns
    -------
    DataFrame
        With the column step: the kind, or "divide 2" and so on.
    """
    rows = battery[~battery["paper"] & battery["style"].isin(TWO_STYLES)]
    rows = rows[rows["kind"].isin(KINDS) & (rows["judgements"] > 0)]
    divided = rows["kind"] == "divide humans"
    return rows.assign(
        step=rows["kind"].mask(divided, "divide " + rows["what"].astype(str))
    )


def style_tests(battery: pd.DataFrame) -> pd.DataFrame:
    """Do more rankings change in SR+DC than in SR-DC? Fisher's exact tests, two-sided.

    Parameters
    ----------
    battery : DataFrame
        As `out_of_sample` gives.

    Returns
    -------
    DataFrame
        One row for each step and change: step, change, SR-DC and SR+DC ("k/n" language
        pairs), difference (of the shares) with low and high (95 %, Newcombe 1998), p,
        primary (bool) and holm (p corrected for all tests but the primary one, whose
        own p stands there).
    """
    rows = []
    for step in battery["step"].unique():
        table = battery[battery["step"] == step].groupby("style")
        for change in CHANGES:
            counts = (
                table[change].agg(["sum", "size"]).reindex(TWO_STYLES, fill_value=0)
            )
            (k, n), (m, o) = counts.astype(int).to_numpy().tolist()
            low, difference, high = difference_of_shares(m, o, k, n)
            p = float(stats.fisher_exact([[k, n - k], [m, o - m]]).pvalue)
            rows.append(
                {
                    "step": step,
                    "change": change,
                    "SR-DC": f"{k}/{n}",
                    "SR+DC": f"{m}/{o}",
                }
                | {"difference": difference, "low": low, "high": high, "p": p}
                | {"primary": (step, change) == PRIMARY}
            )
    return _with_holm(pd.DataFrame(rows))


# --- Is it that fewer data are left? --------------------------------------------------


def random_rows(
    campaign: Campaign,
    *,
    in_runs: int,
    one_by_one: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Choose judgements at random, again and again.

    Parameters
    ----------
    in_runs : int
        Judgements that are chosen as whole document runs, as near to this number as
        runs allow.
    one_by_one : int
        Judgements that are chosen singly, among the others.
    n_resamples : int
    rng : Generator

    Yields
    ------
    ndarray of bool, (judgements,)
    """
    runs = document_runs(campaign)
    length = np.bincount(runs)
    for _ in range(n_resamples):
        order = rng.permutation(len(length)) if in_runs else np.arange(0)
        total = np.cumsum(np.concatenate([[0], length[order]]))
        chosen = np.zeros(len(length), dtype=bool)
        chosen[order[: np.argmin(np.abs(total - in_runs))]] = True
        rows = chosen[runs]
        rows[rng.choice(np.flatnonzero(~rows), one_by_one, replace=False)] = True
        yield rows


def document_runs(campaign: Campaign) -> np.ndarray:
    """Document run of every judgement, (judgements,) of int.

    A run is what one worker judged of one document by one system in one HIT, repeats
    included: what goes when a system goes. A judgement whose document is not known, and
    one of quality control, is a run of its own.
    """
    size = len(campaign.score)
    system = np.full(size, -1)
    system[campaign.credit] = (
        campaign.credit_system
    )  # of a joint row: one of its systems
    document = np.unique(campaign.documents, return_inverse=True)[1][campaign.place]
    known = (campaign.documents != "")[campaign.place]
    alone = ~(known & campaign.is_item("SYSTEM", "REPEAT") & (system >= 0))
    runs = np.where(alone, np.arange(size), -1) + 1
    for column in (campaign.worker, campaign.hit, system + 1, document):
        runs = np.unique(runs * (column.max() + 1) + column, return_inverse=True)[
            1
        ].ravel()
    return runs


def random_reversals(
    releases: Iterable[Release], *, n_resamples: int, seed: Sequence[int]
) -> dict[str, pd.DataFrame]:
    """Pairs of systems reversed by removing humans and references, and by random removals.

    The removal of humans and references takes nothing from the systems that are
    compared: the judgements are missing from the workers' means and standard deviations
    only.

    The graded form of the paper's question "how much is due to fewer data" (section 5).
    Of every campaign, as many judgements are left out at random as the removal takes.

    Parameters
    ----------
    releases : releases with human systems or references
    n_resamples : int
        Random removals of each kind.
    seed : sequence of int

    Returns
    -------
    dict of DataFrame
        "observed": campaign, language_pair, style, removed (judgements), references (of
        them), reversed (pairs of systems); each name in `RANDOM`: (language pairs,
        n_resamples) of the same.
    """
    observed, drawn = [], {name: [] for name in RANDOM}
    for r in releases:
        coded, human = r.coded, r.coded.is_system(r.humans)
        rows = coded.rows_of(human, items=("REF",), paired=True)
        if not rows.any():
            continue
        total, references = int(rows.sum()), int((rows & coded.is_item("REF")).sum())
        full = system_order(coded, unranked=human)
        without = system_order(coded, scales_from=~rows, unranked=human)
        row = r.about(*ABOUT) | {"removed": total, "references": references}
        observed.append(row | {"reversed": int(reversed_pairs(full, without))})
        for k, (name, (runs, only_scales)) in enumerate(RANDOM.items()):
            rng = np.random.default_rng(
                [*seed, k, *map(ord, r.campaign + r.language_pair)]
            )
            single = references if runs is None else 0 if runs else total
            number = {
                "in_runs": total - single,
                "one_by_one": single,
                "n_resamples": n_resamples,
            }
            moved = []
            for gone in random_rows(coded, rng=rng, **number):
                if (
                    only_scales
                ):  # the judgements are still averaged, as where humans are removed
                    after = system_order(coded, scales_from=~gone, unranked=human)
                else:
                    after = system_order(coded.select(~gone), unranked=human)
                moved.append(int(reversed_pairs(full, after)))
            drawn[name].append(moved)
    return {"observed": pd.DataFrame(observed)} | {
        k: pd.DataFrame(v) for k, v in drawn.items()
    }


def against_random(found: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Does the removal of humans and references reverse more than a random removal does?

    Parameters
    ----------
    found : dict
        As `random_reversals` gives.

    Returns
    -------
    DataFrame
        One row for each style and random removal: style, random, pairs (number),
        observed and expected (sums of reversed pairs of systems), difference (mean per
        language pair) with low and high (95 %, t over language pairs), p (one-sided:
        random sums as large as the observed one, which counts too), primary (bool),
        holm (over the others), least and most (90 %: two one-sided tests at 5 %) and
        alike (whether they lie within `EQUIVALENCE` of 0).
    """
    observed, rows = found["observed"], []
    for style in [s for s in TWO_STYLES if (observed["style"] == s).any()]:
        mine = (observed["style"] == style).to_numpy()
        moved = observed.loc[mine, "reversed"].to_numpy()
        for name in RANDOM:
            draws = found[name].to_numpy()[mine]
            sums, excess = draws.sum(axis=0), moved - draws.mean(axis=1)
            mean, error = excess.mean(), excess.std(ddof=1) / np.sqrt(len(excess))
            half = [
                stats.t.ppf(level, len(excess) - 1) * error for level in (0.975, 0.95)
            ]
            rows.append(
                {
                    "style": style,
                    "random": name,
                    "pairs": len(moved),
                    "observed": moved.sum(),
                }
                | {"expected": sums.mean(), "difference": mean}
                | {"low": mean - half[0], "high": mean + half[0]}
                | {"p": (1 + (sums >= moved.sum()).sum()) / (1 + len(sums))}
                | {"primary": (style, name) == ("SR+DC", next(iter(RANDOM)))}
                | {"least": mean - half[1], "most": mean + half[1]}
                | {"alike": bool(abs(mean) + half[1] < EQUIVALENCE)}
            )
    return _with_holm(pd.DataFrame(rows))


# --- Section 6.3: are documents equally hard? -----------------------------------------


def document_variance(
    campaign: Campaign, *, n_resamples: int, rng: np.random.Generator
) -> pd.Series:
    """Are documents equally hard? How much of the variance of z-scores is between documents.

    The paper (section 6.3) looks at means of raw scores, in which a document has the
    worker's leniency too. Here every document run (`document_runs`) has one value, the
    mean z-score less that of the system. Under the null hypothesis a worker's runs are
    dealt to the worker's documents at random.

    Parameters
    ----------
    campaign : Campaign
        With known documents, two or more of which were judged by two systems.
    n_resamples : int
        Of the null hypothesis, and bootstrap samples of documents.
    rng : Generator

    Returns
    -------
    Series
        documents, runs : their numbers; between_documents : variance of the documents'
        means by that of the runs (0..1); by_chance : its mean under the null
        hypothesis; low, high : of their difference (95 %, documents drawn with
        replacement); p : how often it is as large under the null hypothesis, counting
        the observation.
    """
    value, worker, document = _run_values(campaign)
    value = value - value.mean()
    size = np.bincount(document)

    def between(
        values: np.ndarray,
    ) -> np.ndarray:  # sum of squares of every document's mean
        return np.bincount(document, values) ** 2 / size

    squares = np.bincount(document, value**2)
    observed, by_worker = between(value), np.argsort(worker, kind="stable")
    null, dealt = np.empty(n_resamples), np.empty_like(value)
    for k in range(n_resamples):
        dealt[by_worker] = value[np.lexsort((rng.random(len(value)), worker))]
        null[k] = between(dealt).sum() / squares.sum()
    drawn = rng.multinomial(len(size), np.full(len(size), 1 / len(size)), n_resamples)
    share = observed.sum() / squares.sum()
    low, high = (
        np.quantile(drawn @ observed / (drawn @ squares), [0.025, 0.975]) - null.mean()
    )
    row = {"documents": len(size), "runs": len(value), "between_documents": share}
    row |= {"by_chance": null.mean(), "low": low, "high": high}
    return pd.Series(row | {"p": (1 + (null >= share).sum()) / (1 + n_resamples)})


def _run_values(campaign: Campaign) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, worker and document of every document run; see `document_variance`."""
    z, cells = standardised(campaign), campaign.cells
    rows, place = cells.judgement, campaign.place[cells.judgement]
    columns = {
        "run": document_runs(campaign)[rows],
        "system": cells.credit_system,
        "z": z[rows],
    }
    columns |= {"worker": campaign.worker[rows], "document": campaign.documents[place]}
    table = pd.DataFrame(columns).dropna()
    table["value"] = table["z"] - table.groupby("system")["z"].transform("mean")
    runs = (
        table.groupby("run").first().assign(value=table.groupby("run")["value"].mean())
    )
    runs = runs[runs.groupby("document")["system"].transform("nunique") > 1]
    document = np.unique(runs["document"], return_inverse=True)[1].ravel()
    return runs["value"].to_numpy(), runs["worker"].to_numpy(), document


def document_tests(
    releases: Iterable[Release], *, n_resamples: int, seed: Sequence[int]
) -> pd.DataFrame:
    """Are documents equally hard (section 6.3)? One row a campaign of shared documents.

    Campaigns whose documents are not known, or were judged by one system each, are left
    out.

    Parameters
    ----------
    releases : iterable of Release
    n_resamples : int
    seed : sequence of int

    Returns
    -------
    DataFrame
        campaign, language_pair, style, then as `document_variance` gives, and
        holm: p corrected for all campaigns.
    """
    rows = []
    for r in releases:
        cells = r.coded.cells
        systems = (
            pd.Series(cells.system).groupby(r.coded.documents[cells.place]).nunique()
        )
        if (r.coded.documents == "").any() or (systems > 1).sum() < 2:
            continue
        rng = np.random.default_rng([*seed, *map(ord, r.campaign + r.language_pair)])
        found = document_variance(r.coded, n_resamples=n_resamples, rng=rng)
        rows.append(r.about(*ABOUT) | {**found})
    return _with_holm(pd.DataFrame(rows).assign(primary=False)).drop(columns="primary")


def _with_holm(table: pd.DataFrame) -> pd.DataFrame:
    """With the column holm: p corrected for all tests but the primary one, whose p stands."""
    others = corrected(table["p"].mask(table["primary"]).to_numpy(), "holm")
    return table.assign(holm=np.where(table["primary"], table["p"], others))
