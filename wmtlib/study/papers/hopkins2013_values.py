"""Hopkins & May (2013): values beside the printed ones, and facts about its claims.

The criteria of the claims stand in data/published/hopkins2013.csv, as words and as
tests over the facts that the functions here compute. Claims about Figures 2 to 5 are
read where the curves end, at 3200 comparisons, and "close", "nearly" or "similar" mean
perplexities within 1 % of each other, unless a claim says otherwise.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib import irt, mfas, models, scorers
from wmtlib.agreement import measures, tallies
from wmtlib.corrections import corrected
from wmtlib.counts import REFERENCE, both_ways, comparisons, tally
from wmtlib.intake import count
from wmtlib.methods import rank, title
from wmtlib.models import PreferenceModel
from wmtlib.study.papers import hopkins2013
from wmtlib.study.papers.hopkins2013 import IRT, SIZES, YEARS, Track, Trainings
from wmtlib.study.published import by_id
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source
from wmtlib.study.running import keep
from wmtlib.study.verdicts import Values

SMALLEST = SIZES[0]
LARGEST = SIZES[-1]
TRIO = (
    ("online-B", "cu-bojar"),
    ("online-B", "cu-marecek"),
    ("cu-bojar", "cu-marecek"),
)
STRATA = (1, 7, 10)  # students after which a stratum ends
RELATIVE = "ability less the mean, slowest system"
OFFSET = "common offset"
DEALS = 99  # of rankings to judges
RADII = (0.2, 0.3, 0.4, 0.5)
VARIED = {
    "gaussian": (irt.fit_gaussian, irt.GaussianSettings()),
    "categorical": (irt.fit_categorical, irt.CategoricalSettings()),
}
TEN = 10  # runs of the criterion


def arithmetic() -> Values:
    """Sections 1 to 7: what the paper computes without judgements."""
    table_2 = comparisons(hopkins2013.fictional_ranking())
    columns = table_2[["system_1", "system_2", "preference"]].astype(str)
    rows = columns.agg(" ".join, axis=1)
    # Wins and ties of A, and of B, against each other; then half of B's comparisons are
    # ties with its copy.
    unbeaten = Fraction(1, 3) + Fraction(1, 3)
    duplicated = (unbeaten + 1) / 2
    gold = ["terrific", "close1", "close2", "close3"]
    first = mfas.spearman(["terrific", "close3", "close1", "close2"], gold)
    second = mfas.spearman(["close1", "terrific", "close2", "close3"], gold)
    uniform = models.uniform(table_2, systems=hopkins2013.TABLE_1)
    three = round(models.perplexity(uniform, table_2), 9)
    defaults = signature(irt.fit_gaussian_each).parameters
    return {
        "H-1-04": len(table_2),
        "H-T2-01": ", ".join(rows),
        "H-2-01": str(unbeaten),
        "H-2-02": str((unbeaten + unbeaten) / 2),
        "H-2-03": str(duplicated),
        "H-3-01": "the second" if second > first else "the first",
        "H-5.1-01": three,
        "H-N10-01": defaults["iterations"].default,
        "H-N10-02": defaults["burn_in"].default,
        "H-8-10": hopkins2013.TRIALS,
        "H-F1-01": round(-0.3 - 0.12, 2),
        "H-F1-02": round(0.2 + 0.15, 2),
        "H-F2-01": three,
    }


# --- sections 1 to 7: what the judgements themselves say about the text ---------------


def of_tracks(
    tracks: Mapping[str, Sequence[Track]], *, source: Source, seed: int, trials: int
) -> Values:
    """Sections 1 to 4, 6, 7, Table 3, and section 8's agreement.

    Parameters
    ----------
    tracks : mapping of campaign to its tracks
        Of `YEARS` and "wmt10-crowd".
    source : Source
        Where they came from; single rankings are left out where it has counts only.
    seed, trials : int
        For what is averaged over training sets drawn at random.
    """
    every = [track for year in YEARS for track in tracks[year]]
    present = {
        year: [REFERENCE in track.systems for track in tracks[year]] for year in YEARS
    }
    depends_on = [[track.described for track in every], seed, trials]
    arguments = every, seed, trials
    drawn = keep.result("training-sets", depends_on, _of_training_sets, *arguments)
    values: Values = by_id(
        "hopkins2013", "table-3", hopkins2013.dataset_sizes(tracks), " "
    )
    values |= {
        "H-1-01": _language_pairs(source),
        "H-1-03": {"tied": [(t.whole()["preference"] == 0).any() for t in every]},
        "H-1-05": {"size": pd.Series([len(track.whole()) for track in every])},
        "H-1-06": {"crowd": sum(len(track.train) for track in tracks["wmt10-crowd"])},
        "H-2-04": {"orders": _english_german(source)},
        "H-2-05": {"ratio": pd.concat([*map(_error_by_opponents, every)])},
        "H-6.1-01": {"infinite": drawn.to_dict("list")},
        "H-6.2-01": {"rho": [_like_bojar(track) for track in every]},
        "H-7-01": _met_reference(tracks),
        "H-7-02": {"present": present},
        "H-7-03": {"spread": drawn["spread"].tolist()},
    }
    if source.kind == "raw":
        values |= _of_rankings(tracks, every, source, seed)
    return values


def _of_training_sets(tracks: Sequence[Track], seed: int, trials: int) -> pd.DataFrame:
    """What is averaged over training sets drawn at random, a row for each size.

    Returns
    -------
    DataFrame
        Of each year, the share (in %) of tracks and trials in which Independent Pairs
        without a prior gives no chance to what the test set shows. And spread: how far
        the mean strength of those met is from that of all others.
    """

    rows = []
    for number, track in enumerate(tracks):
        # Of "impossible", tracks are numbered, for their seeds, within each year.
        number_in_year = number % len(hopkins2013.TRACK_PAIRS)
        counts = count(track.whole())
        scores = scorers.bojar(counts.wins.to_numpy(), counts.ties.to_numpy())
        others = (scores.sum() - scores) / (len(scores) - 1)
        for size, trial in product(SIZES, range(trials)):
            drawn = []
            for k in (number_in_year, number):
                rng = np.random.default_rng([seed, k, trial])
                train = hopkins2013.draw_training_set(track.train, size, rng)
                drawn.append(both_ways(tally(train, track.systems)))
            impossible = ((drawn[0] == 0) & (track.tested > 0)).any()
            met = drawn[1].sum(axis=2)
            total = met.sum(axis=1)
            seen = total > 0
            spread = ((met @ scores)[seen] / total[seen] - others[seen]).std()
            rows.append((track.campaign, size, impossible, spread))
    table = pd.DataFrame(rows, columns=["year", "size", "impossible", "spread"])
    by_year = 100 * table.pivot_table("impossible", "size", "year")
    return by_year.assign(spread=table.groupby("size")["spread"].mean())


def _language_pairs(source: Source) -> Values:
    """Language pairs of each year: missing ones of the eight, and all in words."""
    tasks = ranking_releases.tasks(source)
    groups = r"-(individual|syscomb|tunable)$"
    pairs = tasks["task"].str.replace(groups, "", regex=True).groupby(tasks["campaign"])
    usual = set(hopkins2013.TRACK_PAIRS.values())
    missing = {}
    shown = []
    for year in YEARS:
        names = {*pairs.get_group(year)}
        missing[year] = sorted(usual - names)
        line = f"{year.upper()} {len(names)}"
        if others := sorted(names - usual):
            line += f" (also {', '.join(others)})"
        shown.append(line)
    return {"missing": missing, "shown": ", ".join(shown)}


def _english_german(source: Source) -> int:
    """How many different orders BOJAR, MFAS and Expected Wins give."""
    counts = ranking_releases.load_counts("wmt12", "en-de", source=source)
    return len(
        {tuple(rank(counts, m).order) for m in ("bojar", "mfas", "expected-wins")}
    )


def _like_bojar(track: Track) -> float:
    """Spearman's correlation of Q(1|s) / (Q(1|s) + Q(2|s)), alpha = 1, with BOJAR."""
    _, wins, losses = both_ways(tally(track.train, track.systems)).sum(axis=1).T
    ability = (1 + wins) / (2 + wins + losses)
    return stats.spearmanr(ability, wins / (wins + losses)).statistic


def _met_reference(tracks: Mapping[str, Sequence[Track]]) -> Values:
    """Wins and losses of the reference, by year."""
    wins = {
        year: count(pd.concat([track.whole() for track in tracks[year]])).wins
        for year in ("wmt10", "wmt11")
    }
    return {
        "won": {year: table.loc[REFERENCE].sum() for year, table in wins.items()},
        "lost": {year: table[REFERENCE].sum() for year, table in wins.items()},
    }


def _error_by_opponents(track: Track) -> pd.Series:
    """How far BOJAR of a system is from its mean over opponents, in standard errors."""
    wins = count(track.whole()).wins
    decided = wins + wins.T
    number = decided.sum(axis=1)
    bojar = wins.sum(axis=1) / number
    by_opponent = (wins / decided.where(decided > 0)).mean(axis=1)
    return (bojar - by_opponent).abs() / np.sqrt(bojar * (1 - bojar) / number)


def dealt_at_random(
    judges: np.ndarray, units: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> bool:
    """Do judges and units (segments, ...) go together no more than if dealt at random?

    Pearson's chi-square of the table of judges and units is held against `DEALS` tables
    for which the groups (rankings), whole, are dealt to judges at random.

    Parameters
    ----------
    judges : ndarray of int, (groups,)
    units, groups : ndarray of int, (rows,)
        What each output is about, and the group that it is in.
    """
    shape = judges.max() + 1, units.max() + 1

    def chi_square(judges: np.ndarray) -> float:
        table = np.zeros(shape)
        np.add.at(table, (judges[groups], units), 1)
        return stats.chi2_contingency(table, correction=False).statistic

    observed = chi_square(judges)
    return observed <= max(chi_square(rng.permutation(judges)) for _ in range(DEALS))


def _independent_judges(rankings: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Are judges independent of the segments, and of the systems, they saw?

    A row for each task of each year, columns segments and systems.
    """
    rows = []
    for _, ranked in rankings.groupby(["year", "task"], observed=True):
        rng = np.random.default_rng(seed)
        group, _ = pd.factorize(ranked["ranking"])
        _, first = np.unique(group, return_index=True)
        judges, _ = pd.factorize(ranked["judge"].iloc[first])
        segments, _ = pd.factorize(ranked["segment"].iloc[first])
        systems, _ = pd.factorize(ranked["system"])
        of_segments = dealt_at_random(judges, segments, np.arange(len(first)), rng)
        of_systems = dealt_at_random(judges, systems, group, rng)
        rows.append({"segments": of_segments, "systems": of_systems})
    return pd.DataFrame(rows)


def _tuned(tracks: Sequence[Track], seed: int) -> dict[str, np.ndarray]:
    """Mean test perplexities over tracks, with other hyperparameters (footnote 13).

    Returns
    -------
    dict
        tuned: IRT-Gaussian with each of `RADII`; gaussian, categorical: the models as
        printed, then with each value of `VARIED` halved, and doubled.
    """

    def mean(fit: Callable[..., Any], **options: Any) -> float:
        perplexities = []
        for track in tracks:
            rng = np.random.default_rng(seed)
            model = fit(track.train, systems=track.systems, rng=rng, **options)
            perplexities.append(models.perplexity(model, track.test))
        return float(np.mean(perplexities))

    tuned = {"tuned": [mean(irt.fit_gaussian, radius=radius) for radius in RADII]}
    for name, (fit, settings) in VARIED.items():
        tuned[name] = [mean(fit)]
        for (option, value), factor in product(vars(settings).items(), (0.5, 2)):
            varied = type(value)(value * factor)
            tuned[name].append(mean(fit, **{option: varied}))
    return {name: np.array(means) for name, means in tuned.items()}


def judge_agreement(tracks: Mapping[str, Sequence[Track]]) -> pd.DataFrame:
    """How often two judges of the same two outputs agree, by campaign, over all tracks.

    Returns
    -------
    DataFrame
        Index campaign; columns agreement (a share) and pairs (of comparisons).
    """
    sums = {
        campaign: tallies(pd.concat([track.whole() for track in chosen])).iloc[0]
        for campaign, chosen in tracks.items()
    }
    sums = pd.DataFrame(sums).T.rename_axis("campaign")
    return pd.DataFrame(
        {"agreement": measures(sums)["inter"], "pairs": sums["inter_pairs"]}
    )


def effect_of_segments(model: PreferenceModel, test: pd.DataFrame) -> float:
    """Variance of the mean log loss by segments over that of single comparisons."""
    loss = models.log_losses(model, test)
    residual = loss - loss.mean()
    by_segment = pd.Series(residual).groupby(test["segment"].to_numpy()).sum()
    return (by_segment**2).sum() / (residual**2).sum()


def _of_rankings(
    tracks: Mapping[str, Sequence[Track]],
    every: Sequence[Track],
    source: Source,
    seed: int,
) -> Values:
    """What needs single rankings."""
    rates = 100 * judge_agreement(tracks)["agreement"]
    by_track = {track.task: [track] for track in tracks["wmt12"]}
    track_rates = 100 * judge_agreement(by_track)["agreement"]
    span = f"single tracks from {track_rates.min():.1f} to {track_rates.max():.1f} %"
    of_years = {
        year: ranking_releases.load_rankings(year, source=source) for year in YEARS
    }
    rankings = pd.concat(of_years, names=["year"])
    rankings = rankings[rankings["task"].isin([track.task for track in every])]
    depends_on = [source.route, source.sha256, seed]
    independent = keep.result(
        "independent-judges", depends_on, _independent_judges, rankings, seed
    )
    tuned_on = [t for t in tracks["wmt10"] if t.task in hopkins2013.TUNED_ON]
    depends_on = [[track.described for track in tuned_on], seed]
    tuned = keep.result("tuned", depends_on, _tuned, tuned_on, seed)
    train = pd.Series([len(track.train) for track in every])
    # Comparisons of each segment.
    times = [track.whole()["segment"].value_counts() for track in every]
    met = pd.concat(times, keys=range(len(every)))
    few = (met < 10).sum()
    note = f"{few} of {len(met)} segments have fewer: judges left ranks blank"
    # Under independent draws, variance over mean times segments less one is about
    # chi-square.
    of_track = met.groupby(level=0)
    dispersion = of_track.var() / of_track.mean()
    freedom = of_track.size() - 1
    p = stats.chi2.sf(dispersion * freedom, freedom)
    effects = []
    for track in every:
        model = models.independent_students(
            track.train, systems=track.systems, reconstruction="geometric"
        )
        comparisons = (track.test, track.train)
        effects.append([effect_of_segments(model, rows) for rows in comparisons])
    of_test, rest = np.transpose(effects)
    return {
        "H-1-02": {"outputs": rankings.groupby(["year", "ranking"]).size()},
        "H-4-01": {"rate": rates["wmt12"], "note": span},
        "H-4-02": {"dispersion": dispersion, "holm": corrected(p, "holm")},
        "H-4-03": {"fewest": met.min(), "note": note},
        "H-4-04": {
            "effects": of_test,
            "median": np.median(of_test),
            "rest": np.median(rest),
        },
        "H-4-05": {**independent},
        "H-N12-01": {"train": train, "largest": LARGEST},
        "H-N13-01": {"tuned": tuned["tuned"]},
        "H-N13-02": tuned,
        "H-8-01": rates["wmt10"],
        "H-8-02": rates["wmt10-crowd"],
    }


# --- sections 8 and 9: what is said about Figures 2 to 5 ------------------------------


def of_curves(
    measured: pd.DataFrame,
    *,
    no_reference: pd.DataFrame,
    enough: pd.DataFrame,
    everything: pd.DataFrame,
    apart: pd.Series,
) -> Values:
    """Figures 2 to 5 and the conclusion.

    Parameters
    ----------
    measured : DataFrame
        `hopkins2013.grid` of `CURVES` on the tracks of `untuned`, at all sizes.
    no_reference : DataFrame
        The same of `IRT` and `AVERAGED`, at the largest size, on `without_reference`
        tracks.
    enough, everything : DataFrame
        The same of `TRAINED` on the expert tracks, from 1000 comparisons and from all
        there are.
    apart : Series
        Of `hopkins2013.set_apart`.
    """
    means = _means(measured)
    whole = _means(everything).mean().droplevel("size")
    excess = 100 * (_means(enough).droplevel("size", axis=1) / whole - 1)
    crowd = _by_trial(means, _crowd)
    wmt10, wmt11 = (_by_trial(means[year], _best) for year in ("wmt10", "wmt11"))
    return {
        **dict.fromkeys(["H-8-03", "H-8-04"], wmt10),
        **dict.fromkeys(["H-8-05", "H-8-06"], wmt11),
        "H-8-07": _by_trial(means["wmt12"], _alike),
        "H-8-08": _by_trial(_means(no_reference), _references),
        **dict.fromkeys(["H-8-09", "H-F5-01", "H-F5-02", "H-F5-03", "H-9-02"], crowd),
        "H-9-01": _wrong_models(measured),
        "H-9-03": _by_trial(excess, _furthest),
        "H-9-04": {"apart": apart},
    }


def _means(measured: pd.DataFrame) -> pd.DataFrame:
    """Mean perplexity over tracks: rows trials, columns (campaign, model, size)."""
    return measured.pivot_table("perplexity", "trial", ["campaign", "model", "size"])


def _by_trial(
    means: pd.DataFrame, facts: Callable[[pd.Series], dict[str, Any]]
) -> Values:
    """Facts of the mean over trials, and those of single trials."""
    return facts(means.mean()) | {"trials": [facts(row) for _, row in means.iterrows()]}


def _best(mean: pd.Series) -> dict[str, Any]:
    """Perplexities of a year; where the IRT models come within 1 % of their last."""
    level = mean.xs(LARGEST, level="size")
    settled = {}
    for model in IRT:
        line = mean[model].sort_index()
        outside = line.index[line > 1.01 * line[LARGEST]]
        settled[title(model)] = int(line.index[line.index > max(outside, default=0)][0])
    others = level.drop([*IRT])
    return {
        "gaussian": level[hopkins2013.GAUSSIAN],
        "categorical": level[hopkins2013.CATEGORICAL],
        "lowest": level.min(),
        "others": others.min(),
        "best_other": title(others.idxmin()),
        "settled": settled,
    }


def _alike(mean: pd.Series) -> dict[str, Any]:
    """How far apart the IRT and averaged Students models are, in %, at both ends."""
    four = mean.unstack("size").loc[[*IRT, *hopkins2013.AVERAGED]]
    spread = 100 * (four.max() / four.min() - 1)
    level = mean.xs(LARGEST, level="size")
    best = level[[*IRT, hopkins2013.ARITHMETIC]].min()
    printed = 100 * (level[hopkins2013.AS_PRINTED] / best - 1)
    note = (
        "Geometric Students divided by its sum; the formula as printed, which does not"
        f" sum to one, is {printed:.2f} % above the best of the others"
    )
    return {"spread": spread[LARGEST], "at_first": spread[SMALLEST], "note": note}


def _references(mean: pd.Series) -> dict[str, Any]:
    """The better averaged Students model above the better IRT model, in %, by year."""
    level = mean.droplevel("size").unstack("campaign")
    students = level.loc[[*hopkins2013.AVERAGED]].min()
    return {"gap": 100 * (students / level.loc[[*IRT]].min() - 1)}


def _crowd(mean: pd.Series) -> dict[str, Any]:
    """Trained on the crowd instead of the experts, and tested on the experts.

    rise of the perplexity; share of the gain over Adjusted Uniform that is lost;
    IRT-Gaussian on the crowd above Geometric Students on experts, in %, at both ends.
    """
    level = mean.xs(LARGEST, level="size").unstack("campaign")
    rise = level["wmt10-crowd"] - level["wmt10"]
    gain = level.loc["adjusted-uniform", "wmt10"] - level["wmt10"]
    share = rise / gain
    others = [model for model in hopkins2013.TRAINED[1:] if model not in IRT]

    def above_experts(size: int) -> float:
        expert = mean["wmt10", hopkins2013.GEOMETRIC, size]
        return 100 * (mean["wmt10-crowd", hopkins2013.GAUSSIAN, size] / expert - 1)

    return {
        "rise": rise[[*IRT, *others]].rename(index=title),
        "others": rise[others],
        "share": share.rename(index=title),
        "distance": above_experts(LARGEST),
        "at_first": above_experts(SMALLEST),
    }


def _wrong_models(measured: pd.DataFrame) -> Values:
    """Paired over tracks: the model that loses most by training on the crowd."""
    of_wmt10 = measured["campaign"].str.startswith("wmt10")
    last = measured[of_wmt10 & (measured["size"] == LARGEST)]
    level = last.pivot_table("perplexity", "task", ["campaign", "model"])
    others = [
        model for model in hopkins2013.TRAINED[1:] if model != hopkins2013.GAUSSIAN
    ]
    rise = (level["wmt10-crowd"] - level["wmt10"])[others]
    worst = rise.mean().idxmax()
    p = stats.ttest_1samp(rise[worst], 0, alternative="greater").pvalue
    return {"model": title(worst), "rise": rise[worst], "p": min(1, p * len(others))}


def _furthest(mean: pd.Series) -> dict[str, Any]:
    """Excess in the year where it is largest, in %, least first."""
    return {"excess": mean.groupby("model").max().sort_values().rename(index=title)}


# --- Figure 6 and section 7's sentence on Gibbs sampling ------------------------------


def of_trainings(trainings: Trainings, number: int, rng: np.random.Generator) -> Values:
    """Figure 6.

    Parameters
    ----------
    trainings : Trainings
        Many; the first `number` of them are the figure.
    rng : Generator
        Draws other sets of trainings.
    """
    names = trainings.systems
    chances = trainings.above()
    shown = trainings.first(number)
    rows = [names.index(a) for a, _ in TRIO]
    columns = [names.index(b) for _, b in TRIO]
    shares = strata_shares(trainings, number, rng)
    other_sets = chances[_other_sets(trainings, number, rng)]
    elsewhere = other_sets.mean(axis=1)[:, rows, columns]
    undecided = (elsewhere > 1 - hopkins2013.SURE) & (elsewhere < hopkins2013.SURE)
    often = 100 * undecided.all(axis=1).mean()
    usual = shares.drop("all three").nlargest(len(STRATA)).sort_index().index
    of_strata = ", ".join(f"{100 * shares[k]:.0f} % after {k}" for k in STRATA)
    return {
        "H-F6-01": len(names),
        "H-F6-02": {
            "chance": chances[:number].mean(axis=0)[rows, columns],
            "note": f"all three are open in {often:.0f} % of other draws of {number}"
            " trainings",
        },
        "H-F6-03": {
            "highest": trainings.means.idxmax(axis=1) == REFERENCE,
            "above_next": shown.neighbours()["above_next"].iloc[0],
        },
        "H-F6-04": {
            "here": sorted(widest_gaps(shown.means.mean())),
            "usual": [*usual],
            "share_after_student": shares.to_dict(),
            "note": f"{of_strata}; all three at once in {100 * shares['all three']:.0f}"
            f" % of the draws of {number} trainings: a coin decides",
        },
    }


def widest_gaps(means: pd.Series) -> set[int]:
    """After which students, counted from the best, mean abilities have widest gaps."""
    gaps = -np.diff(np.sort(means.to_numpy())[::-1])
    return {int(k) + 1 for k in gaps.argsort()[-len(STRATA) :]}


def _other_sets(
    trainings: Trainings, number: int, rng: np.random.Generator
) -> np.ndarray:
    """Sets of trainings (1000, number) that a figure could have been made of."""
    everyone = len(trainings.draws)
    return np.array([rng.choice(everyone, number, replace=False) for _ in range(1000)])


def strata_shares(
    trainings: Trainings, number: int, rng: np.random.Generator
) -> pd.Series:
    """How often a gap is among the three widest, in Figure 6 from other trainings.

    Parameters
    ----------
    trainings : Trainings
        Many more than `number`.
    number : int
        Trainings that a figure is made of, five in the paper.

    Returns
    -------
    Series
        Index: the student after which the gap is, and "all three" for those of the
        paper at once.
    """
    means = trainings.means
    widest = [
        widest_gaps(means.iloc[chosen].mean())
        for chosen in _other_sets(trainings, number, rng)
    ]
    places = range(1, len(trainings.systems))
    counts = pd.Series([gap for gaps in widest for gap in gaps]).value_counts()
    counts = counts.reindex([*places, "all three"], fill_value=0)
    counts["all three"] = sum(gaps == {*STRATA} for gaps in widest)
    return counts / len(widest)


def of_sampler(times: pd.DataFrame, runs: pd.DataFrame) -> Values:
    """Section 7's sentence on Gibbs sampling.

    Parameters
    ----------
    times : DataFrame
        Autocorrelation times in iterations: a column for each sampler; rows `RELATIVE`,
        `OFFSET`.
    runs : DataFrame
        Perplexities of runs of 200 iterations: a row for each model of `IRT`, a column
        for each run; and "long run".
    """
    off = (runs.drop(columns="long run").div(runs["long run"], axis=0) - 1).abs()
    n_close = (off < 0.002).sum(axis=1).rename(index=title)
    n_runs = off.shape[1]
    sets = n_close.map(lambda n: math.comb(n, TEN) / math.comb(n_runs, TEN))
    notes = [
        f"{name}: {n_close[name]} of {n_runs} runs are within 0.2 % of a long one, so"
        f" {100 * share:.0f} % of the sets of ten are"
        for name, share in sets.items()
    ]
    times = times[["plain", "categorical"]].set_axis(n_close.index, axis=1)
    facts = {
        "sets_of_ten": sets,
        "time_of_abilities": times.loc[RELATIVE],
        "time_of_offset": times.loc[OFFSET],
        "kept": 150,  # footnote 10: 200 iterations less a burn-in of 50
        "note": "; ".join(notes),
    }
    return {"H-7-04": facts}
