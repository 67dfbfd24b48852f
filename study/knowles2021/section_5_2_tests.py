"""Section 5.2 (Knowles 2021), tested: on other campaigns, and against random removals.

Our findings are not in the scoreboard: the paper makes no claim about these campaigns.
The unit of every interval is the language pair of a campaign. One test is the primary
one, `PRIMARY`; the other tests of its family are corrected together (Holm). All of them
were known when the primary one was named.

Confounded: the SR-DC campaigns are nearly all WMT17, the SR+DC campaigns WMT21 and
WMT22. Style, year, test sets, crowd and the number of systems go together, and no
analysis can part them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from study.campaigns import Release
from study.data.assessment_catalogue import pairs_at_hand
from study.data.sources import Source
from study.knowles2021 import PAPER_LINES, TWO_STYLES
from study.knowles2021.section_3 import order_and_means, quick_order
from study.knowles2021.section_5_2 import (
    Study,
    difference_of_shares,
    removal_values,
)
from study.knowles2021.tables import STEPS
from study.scoreboard.verdicts import Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import RATED_ITEMS, Campaign
from wmtlib.core.corrections import corrected
from wmtlib.core.ranking import reversed_pairs
from wmtlib.removals import CHANGES, differences

PRIMARY = ("remove humans", "rank")
KINDS = (*STEPS, "divide humans")
COLUMNS = ("campaign", "language_pair", "style")  # of a release
# Two removals do alike if they differ by less than one pair of neighbours per language
# pair.
EQUIVALENCE = 1.0
# How judgements are left out at random (as judged: humans in document runs, references
# one by one), and from what: the workers' scales, or altogether. The first is primary.
RANDOM = (
    ("as judged", "from the scales"),
    ("document runs", "from the scales"),
    ("single judgements", "from the scales"),
    ("single judgements", "altogether"),
)


# --- other campaigns ------------------------------------------------------------------


def out_of_sample(battery: pd.DataFrame) -> pd.DataFrame:
    """Keep perturbations that touched judgements of campaigns new to the paper.

    Parameters
    ----------
    battery : DataFrame
        Rows of `section_5_2.perturb` with the columns paper and style; other kinds than
        `KINDS`, and campaigns of mixed style, are left out.

    Returns
    -------
    DataFrame
        With the column step: the kind, or "divide 2" and so on.
    """
    rows = battery[~battery["paper"] & battery["style"].isin(TWO_STYLES)]
    rows = rows[rows["kind"].isin(KINDS) & (rows["judgements"] > 0)]
    is_divided = rows["kind"] == "divide humans"
    return rows.assign(step=rows["kind"].mask(is_divided, "divide " + rows["what"]))


def style_tests(battery: pd.DataFrame) -> pd.DataFrame:
    """Test whether more rankings change in SR+DC than in SR-DC (Fisher, two-sided).

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
        own p is kept).
    """
    by_step = battery.groupby(["step", "style"], sort=False)[CHANGES]
    changed, pairs = (
        numbers.stack()
        .unstack("style", fill_value=0, sort=False)
        .reindex(columns=TWO_STYLES, fill_value=0)
        for numbers in (by_step.sum(), by_step.count())
    )
    unchanged = pairs - changed
    low, difference, high = difference_of_shares(
        changed["SR+DC"], pairs["SR+DC"], changed["SR-DC"], pairs["SR-DC"]
    )
    table = changed.astype(str) + "/" + pairs.astype(str)
    p = [
        stats.fisher_exact(both).pvalue
        for both in zip(changed.to_numpy(), unchanged.to_numpy(), strict=True)
    ]
    table = table.assign(difference=difference, low=low, high=high, p=p)
    table["primary"] = table.index == PRIMARY
    table = table.rename_axis(index=["step", "change"], columns=None)
    return _with_holm(table.reset_index())


def parts_removed(releases: Iterable[Release]) -> pd.DataFrame:
    """Count the pairs in which a kind of human items changes the others' order.

    Each kind is left out of the workers' scales by itself: references, human
    translations, and these with their quality control.

    Returns
    -------
    DataFrame
        Indexed by style and "left out of the scales": changed (language pairs) and
        pairs (number of those that have such items).
    """
    rows = []
    for release in releases:
        coded = release.coded
        human = coded.is_system(release.humans)
        kinds = {
            "references": coded.is_item("REF"),
            "human translations": coded.rows_of(human, items=(), paired=False),
            "human translations and their quality control": coded.rows_of(
                human, items=(), paired=True
            ),
        }
        order = quick_order(coded)
        full = order(coded.score < 0, human)
        for kind, left_out in kinds.items():
            if left_out.any():
                is_changed = (order(left_out, human) != full).any()
                rows.append((release.style, kind, is_changed))
    names = ["style", "left out of the scales"]
    table = pd.DataFrame(rows, columns=[*names, "changed"])
    return table.groupby(names, sort=False)["changed"].agg(changed="sum", pairs="size")


# --- is it that fewer data are left? --------------------------------------------------


def random_rows(
    runs: np.ndarray,
    *,
    in_runs: int,
    one_by_one: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Choose judgements at random, again and again.

    Parameters
    ----------
    runs : ndarray of int, (judgements,)
        Of `document_runs`.
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
    length = np.bincount(runs)
    for _ in range(n_resamples):
        order = rng.permutation(len(length)) if in_runs else np.arange(0)
        total = np.cumsum(np.append(0, length[order]))
        chosen = np.zeros(len(length), dtype=bool)
        chosen[order[: np.argmin(np.abs(total - in_runs))]] = True
        rows = chosen[runs]
        rows[rng.choice(np.flatnonzero(~rows), one_by_one, replace=False)] = True
        yield rows


def document_runs(campaign: Campaign) -> np.ndarray:
    """Give every judgement the number of its document run, (judgements,) of int.

    A run is what one worker judged of one document by one system in one HIT, repeats
    included: what goes when a system goes. A judgement whose document is not known, and
    one of quality control, is a run of its own.
    """
    size = len(campaign.score)
    system = np.full(size, -1)
    system[campaign.credit] = campaign.credit_system  # of a joint row: one of them
    document = campaign.documents[campaign.place]
    in_run = (document != "") & campaign.is_item(*RATED_ITEMS) & (system >= 0)
    columns = {
        "alone": np.where(in_run, 0, np.arange(size) + 1),
        "worker": campaign.worker,
        "hit": campaign.hit,
        "system": system,
        "document": document,
    }
    return pd.DataFrame(columns).groupby([*columns]).ngroup().to_numpy()


def random_reversals(
    releases: Iterable[Release], *, n_resamples: int, seed: Sequence[int]
) -> dict[str, pd.DataFrame]:
    """Count pairs that the removal of humans and references reverses, and at random.

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
        "observed": campaign, language_pair, style, reversed (pairs of systems); for
        each of `RANDOM`, in words: (language pairs, n_resamples) of the same.
    """
    observed = []
    drawn: dict[str, list[list[int]]] = {", ".join(words): [] for words in RANDOM}
    for release in releases:
        coded = release.coded
        human = coded.is_system(release.humans)
        removed = coded.rows_of(human, items=("REF",), paired=True)
        if not removed.any():
            continue
        runs = document_runs(coded)
        order = quick_order(coded)
        full = order(coded.score < 0, human)
        size = removed.sum()
        references = (removed & coded.is_item("REF")).sum()
        moved = reversed_pairs(full, order(removed, human))
        observed.append({**release.about(*COLUMNS), "reversed": moved})
        singles = {"as judged": references, "document runs": 0}
        for k, (how, where) in enumerate(RANDOM):
            one_by_one = singles.get(how, size)
            moves = []
            for left_out in random_rows(
                runs,
                in_runs=size - one_by_one,
                one_by_one=one_by_one,
                n_resamples=n_resamples,
                rng=generator_of(release, *seed, k),
            ):
                if where == "altogether":
                    after, _ = order_and_means(coded.select(~left_out), human)
                else:
                    after = order(left_out, human)
                moves.append(reversed_pairs(full, after))
            drawn[f"{how}, {where}"].append(moves)
    tables = {k: pd.DataFrame(moved).add_prefix("draw ") for k, moved in drawn.items()}
    return {"observed": pd.DataFrame(observed), **tables}


def generator_of(release: Release, *seed: int) -> np.random.Generator:
    """Make the random numbers of one release."""
    name = release.campaign + release.language_pair
    return np.random.default_rng([*seed, *map(ord, name)])


def changed_at_random(
    releases: Iterable[Release], *, n_resamples: int, seed: Sequence[int]
) -> pd.DataFrame:
    """Count language pairs that removals change, and random removals as large.

    Removed are the human systems and references, the best and the worst system; at
    random as many judgements each time, in whole runs, from the workers' scales. A pair
    changes if one of the three removals changes it.

    Returns
    -------
    DataFrame
        Columns rank and cluster: number of pairs that change; the first row of the real
        removals, the others of one random draw each.
    """
    rows = []
    for pair, release in enumerate(releases):
        coded = release.coded
        runs = document_runs(coded)
        full = rank_campaign(coded, **PAPER_LINES)
        best, *_, worst = full.names
        rng = generator_of(release, *seed)
        for names, items in ((release.humans, ["REF"]), ([best], []), ([worst], [])):
            removed = coded.is_system(names)
            observed = coded.rows_of(removed, items=items, paired=True)
            random = random_rows(
                runs,
                in_runs=observed.sum(),
                one_by_one=0,
                n_resamples=n_resamples,
                rng=rng,
            )
            for draw, left_out in enumerate([observed, *random]):
                after = rank_campaign(
                    coded, scales_from=~left_out, unranked=removed, **PAPER_LINES
                )
                rows.append({"pair": pair, "draw": draw, **differences(full, after)})
    table = pd.DataFrame(rows).groupby(["pair", "draw"])[["rank", "cluster"]].any()
    return table.groupby("draw").sum()


def outlier_values(changed: pd.DataFrame, *, pairs: int) -> Values:
    """Collect facts of the abstract's claim, from `changed_at_random`."""
    facts = {
        "changed": changed.loc[0],
        "random": changed[1:].mean(),
        "p": (changed >= changed.loc[0]).mean(),  # the real removals count, too
        "pairs": pairs,
    }
    return {"K-A-01": facts}


def against_random(reversals: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Test whether removing humans and references reverses more than random removals.

    Parameters
    ----------
    reversals : dict
        Of `random_reversals`.

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
    observed = reversals["observed"]
    rows = []
    for style in TWO_STYLES:
        in_style = (observed["style"] == style).to_numpy()
        moved = observed.loc[in_style, "reversed"].to_numpy()
        if not moved.size:
            continue
        for k, name in enumerate(map(", ".join, RANDOM)):
            draws = reversals[name].to_numpy()[in_style]
            sums = draws.sum(axis=0)
            excess = moved - draws.mean(axis=1)
            mean = excess.mean()
            error = excess.std(ddof=1) / np.sqrt(len(excess))
            half_95, half_90 = stats.t.ppf([0.975, 0.95], len(excess) - 1) * error
            row = {
                "style": style,
                "random": name,
                "pairs": len(moved),
                "observed": moved.sum(),
                "expected": sums.mean(),
                "difference": mean,
                "low": mean - half_95,
                "high": mean + half_95,
                "p": (1 + (sums >= moved.sum()).sum()) / (1 + len(sums)),
                "primary": style == "SR+DC" and k == 0,
                "least": mean - half_90,
                "most": mean + half_90,
                "alike": abs(mean) + half_90 < EQUIVALENCE,
            }
            rows.append(row)
    return _with_holm(pd.DataFrame(rows))


def beyond_chance(tests: pd.DataFrame) -> dict[str, pd.Series]:
    """Collect facts of K-9-01: difference, low and high of SR+DC in `against_random`.

    Each is indexed by how judgements were left out of the scales at random.
    """
    rows = tests[tests["style"] == "SR+DC"].set_axis([how for how, _ in RANDOM])
    return {**rows[["difference", "low", "high"]][:3]}  # those from the scales


def cause_values(
    study: Study, at_random: pd.DataFrame, tests: pd.DataFrame, *, source: Source
) -> Values:
    """Collect facts of the claims that outliers are the cause (abstract, section 9).

    Parameters
    ----------
    study : Study
    at_random : DataFrame
        Of `changed_at_random`, of the releases of `paper_releases`.
    tests : DataFrame
        Of `against_random`.
    """
    if source.kind != "raw":
        return {}
    computed = removal_values(study.changes.set_index("pair"), source)
    shares: Any = computed["K-9-01"]
    beyond = {"K-9-01": {**shares, **beyond_chance(tests)}}
    pairs = len(paper_releases(study, source))
    return computed | outlier_values(at_random, pairs=pairs) | beyond


def paper_releases(study: Study, source: Source) -> list[Release]:
    """Select the paper's pairs whose judgements are public one by one."""
    pairs = pairs_at_hand("paper, assessments", source).pairs
    return [r for r in study.releases if f"{r.campaign} {r.language_pair}" in pairs]


# --- tables of tests ------------------------------------------------------------------


def as_shown(tests: pd.DataFrame, *, digits: int) -> pd.DataFrame:
    """Write tests for a reader: the difference and its interval, p, and Holm's p.

    Parameters
    ----------
    tests : DataFrame
        Of `style_tests` or `against_random`.
    digits : int
        Decimals of p.
    """

    def text(p: float) -> str:
        least = 10.0**-digits
        return f"< {least}" if p < least else f"{p:.{digits}f}"

    difference = [
        f"{row.difference:+.2f} [{row.low:+.2f}, {row.high:+.2f}]"
        for row in tests.itertuples()
    ]
    return tests.assign(
        difference=difference,
        p=tests["p"].map(text),
        Holm=tests["holm"].map(text).mask(tests["primary"], "main test"),
    )


def _with_holm(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column holm: p, corrected for all tests but the primary one."""
    others = corrected(table["p"].mask(table["primary"]).to_numpy(), "holm")
    return table.assign(holm=np.where(table["primary"], table["p"], others))
