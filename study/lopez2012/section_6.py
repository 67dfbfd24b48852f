"""Section 6: Discussion (Lopez 2012): sources of error and uncertainty."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy
from scipy import stats
from scipy.special import comb

from study.lopez2012 import Analysis, section_2
from study.lopez2012.section_2 import PAIR
from study.scoreboard.verdicts import Values
from wmtlib.agreement import judges
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import REFERENCE, comparisons, to_table

DEALS, SEED = 999, 2012  # of documents to samples, section 6
FEWEST_SENTENCES = 20  # for a correlation of two systems
CORRECTIONS = ("benjamini-hochberg", "holm")  # for many tests
NO_SITES = "syscomb|tunable"  # tasks whose systems are not of one site each


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Test wins against losses: exact two-sided binomial p, both equally likely.

    NaN where there is neither a win nor a loss.

    >>> sign_test(np.array([5, 3]), np.array([0, 3])).tolist()
    [0.0625, 1.0]
    """
    total = np.add(wins, losses)
    fewer = np.minimum(wins, losses).astype(float)
    p = np.minimum(1.0, 2 * scipy.special.bdtr(fewer, total.astype(int), 0.5))
    return np.where(total > 0, p, np.nan)


def sign_tests(analysis: Analysis) -> pd.DataFrame:
    """Test every pair of systems that WMT11 compared by a sign test (section 6).

    The reference is one of the systems.

    Returns
    -------
    DataFrame
        label, system_1, system_2, wins_1, wins_2, ties; p, and p corrected for the
        number of pairs by each of `CORRECTIONS`.
    """
    wmt11 = analysis.tasks.index[analysis.tasks["campaign"] == "wmt11"]
    pairs = [to_table(analysis.counts[t]).assign(label=t) for t in wmt11]
    table = pd.concat(pairs, ignore_index=True)
    p = sign_test(table["wins_1"], table["wins_2"])
    return table.assign(p=p, **{name: corrected(p, name) for name in CORRECTIONS})


def among_machines(tests: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Select sign tests of some tasks that are not of the reference."""
    with_reference = (tests[["system_1", "system_2"]] == REFERENCE).any(axis=1)
    return tests[tests["label"].isin(labels) & ~with_reference]


def repeats_by_chance(assessments: pd.DataFrame, screens: pd.DataFrame) -> float:
    """Count the assessments that would repeat an earlier one if sets were random.

    One of N possible sets is none of k earlier ones of the sentence, and of the same
    size, with a chance of (1 - 1/N)^k.
    """
    pool = assessments.groupby("label", observed=True)["system"].nunique()
    sets = comb(screens["label"].map(pool).astype(int), screens["outputs"])
    alike = screens.groupby(["label", "segment", "outputs"], observed=True)
    return (1 - (1 - 1 / sets) ** alike.cumcount()).sum()


def sentences_of_improvement(sentences: pd.DataFrame) -> pd.DataFrame:
    """Count comparisons and sentences of improvement of each pair of systems.

    These are the sentences on which the system that is ahead over all sentences is
    ahead, too. Indexed by label, system and other (later by name); columns met and
    improved.
    """
    total = sentences["lead"].groupby(PAIR).transform("sum")
    sentences = sentences.assign(improved=sentences["lead"] * np.sign(total) > 0)
    once = sentences.query("system < other")
    return once.groupby(PAIR)[["met", "improved"]].sum()


def covariance(sentences: pd.DataFrame) -> pd.DataFrame:
    """Correlate systems over sentences, by whether their names show one site.

    The outcomes of both on a sentence are against third systems only: in a comparison
    of the two, what one wins the other loses. Systems named "online-", combinations and
    the tunable metrics task (one decoder) are left out.

    Parameters
    ----------
    sentences : DataFrame
        Of `section_2.pair_sentences`: each pair from the side of each.

    Returns
    -------
    DataFrame
        One row a pair of systems that both met third systems on at least
        `FEWEST_SENTENCES` sentences, in tasks with such a pair of one site: label, site
        (do their names begin alike?), correlation of their outcomes over sentences.
    """
    sentence = ["label", "segment"]
    of_pair = sentences[~sentences.index.get_level_values(0).str.contains(NO_SITES)]
    of_system = of_pair.groupby([*sentence, "system"]).sum().reset_index()
    chosen = of_system[~of_system["system"].str.contains("online|combo")]
    pairs = chosen.merge(chosen, on=sentence, suffixes=("_1", "_2"))
    pairs = pairs[pairs["system_1"] < pairs["system_2"]]
    pairs = pairs.join(of_pair, on=["label", "system_1", "system_2", "segment"])
    pairs = pairs.fillna({"met": 0, "lead": 0})
    pairs = pairs[(pairs["met_1"] > pairs["met"]) & (pairs["met_2"] > pairs["met"])]
    pairs["lead_1"] -= pairs["lead"]
    pairs["lead_2"] += pairs["lead"]
    rows = []
    for (label, one, other), leads in pairs.groupby(["label", "system_1", "system_2"]):
        if len(leads) >= FEWEST_SENTENCES:
            site = one.split("-")[0] == other.split("-")[0]
            rows.append((label, site, leads["lead_1"].corr(leads["lead_2"])))
    table = pd.DataFrame(rows, columns=["label", "site", "correlation"])
    return table[table.groupby("label")["site"].transform("any")]


def document_effects(
    sides: pd.DataFrame, samples: pd.Series, documents: pd.Series
) -> pd.Series:
    """Test if systems are better or worse on some documents: a p-value for each task.

    The statistic is the variance of a system's outcomes (won less lost) between
    documents. Under the null hypothesis the documents are dealt to the samples of three
    sentences at random. All judgements of a sample, by whatever judge, go to one
    document.

    Parameters
    ----------
    sides : DataFrame
        Of `section_2.sides`.
    samples : Series
        Sample of each ranking, of those whose documents are known; see
        `section_2.screens`.
    documents : Series
        Of each segment; see `ranking_releases.load_documents`.
    """
    sides = sides.join(samples, on="ranking", how="inner")
    p = {}
    for label, rows in sides.groupby("label"):
        mean = rows.groupby("system")["outcome"].transform("mean")
        rows = rows.assign(outcome=rows["outcome"] - mean)
        outcomes = rows.pivot_table(
            "outcome", "sample", "system", aggfunc=["sum", "size"], fill_value=0
        )
        total = outcomes["sum"].to_numpy()
        size = outcomes["size"].to_numpy()
        document, _ = pd.factorize(outcomes.index.map(documents))
        rng = np.random.default_rng(SEED)
        deals = [rng.permutation(document) for _ in range(DEALS)]
        variances = []
        for deal in [document, *deals]:
            samples_of = np.arange(document.max() + 1)[:, None] == deal
            squares = (samples_of @ total) ** 2
            variances.append((squares / np.maximum(samples_of @ size, 1)).sum())
        p[label] = (np.array(variances) >= variances[0]).mean()
    return pd.Series(p)


def values_of_rankings(assessments: pd.DataFrame, documents: pd.Series) -> Values:
    """Compute values of section 6 that need single rankings."""
    screens = section_2.screens(assessments)
    ranked = screens["ranked"]
    pairs = ranked * (ranked - 1) // 2
    of_wmt10 = screens[screens["label"].astype(str).str.startswith("2010")]
    of_wmt10 = of_wmt10.assign(document=of_wmt10["segment"].map(documents))
    spread = of_wmt10.groupby(["run", "sample"])["document"].nunique()
    compared = comparisons(section_2.ranked_systems(assessments))
    sides = section_2.sides(compared)
    p = document_effects(sides, of_wmt10["sample"], documents)
    sentences = section_2.pair_sentences(sides)
    correlations = covariance(sentences).groupby("site")["correlation"]
    # Each judge beside the others of the task; those with a verdict.
    judged = pd.concat(
        judges(rows.drop(columns="label")).table
        for _, rows in compared.groupby("label", observed=True)
    ).dropna(subset="reliability")
    reversed_order = judged["high"] < 0.5
    improved = sentences_of_improvement(sentences)
    by_task = improved["improved"].groupby("label")
    return {
        "of_three": pairs[ranked >= 3].sum(),
        "comparisons": pairs.sum(),
        "within": (spread == 1).sum(),
        "samples": len(spread),
        "repeats": screens["repeat"].sum(),
        "assessments": len(screens),
        "by_chance": repeats_by_chance(assessments, screens),
        "alike": correlations.get_group(True),
        "others": correlations.get_group(False),
        "L-6-13": {"p": p, "holm": corrected(p, "holm")},
        "doubtful": judged["doubtful"],
        "reversed": reversed_order,
        "p_doubtful": _above_chance(judged["doubtful"]),
        "p_reversed": _above_chance(reversed_order),
        # the most sentences of improvement of a pair by the fewest
        "factor": by_task.max() / by_task.min().clip(lower=1),
        "fewer": improved["improved"] < improved["met"],
    }


def _above_chance(outside: pd.Series) -> float:
    """Compute the binomial p of so many 95 % intervals that end below a true value."""
    return stats.binom.sf(outside.sum() - 1, len(outside), 0.025)
