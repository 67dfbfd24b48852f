"""Hopkins & May (2013): values beside the printed ones, and facts about its claims.

The criteria of the claims are in data/published/hopkins2013.csv, as words and as
tests over the facts that the functions here compute. Claims about Figures 2 to 5 are
read where the curves end, at 3200 comparisons, and "close", "nearly" or "similar" mean
perplexities within 1 % of each other, unless a claim says otherwise.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.stats.contingency import expected_freq

from study import hopkins2013
from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013 import SIZES, YEARS, Track, Tracks
from study.lopez2012 import tables
from study.run import keep
from study.scoreboard.published import by_id
from study.scoreboard.verdicts import Values
from wmtlib import irt, models, scorers
from wmtlib.agreement import measures, tallies
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import REFERENCE, both_ways, comparisons, rows_of, tally
from wmtlib.files.forms import count
from wmtlib.methods import rank, title
from wmtlib.models import PreferenceModel

SMALLEST = SIZES[0]
LARGEST = SIZES[-1]
TRIO = (
    ("online-B", "cu-bojar"),
    ("online-B", "cu-marecek"),
    ("cu-bojar", "cu-marecek"),
)
STRATA = (1, 7, 10)  # students after which a stratum ends
IRT_TITLES = [*map(title, hopkins2013.IRT)]
AVERAGED_TITLES = [*map(title, hopkins2013.AVERAGED)]
GAUSSIAN_TITLE, CATEGORICAL_TITLE = IRT_TITLES
ARITHMETIC_TITLE, GEOMETRIC_TITLE = AVERAGED_TITLES
DEALS = 99  # of rankings to judges
RADII = (0.2, 0.3, 0.4, 0.5)
VARIED: dict[str, tuple[Any, Any]] = {
    "gaussian": (irt.fit_gaussian, irt.GaussianSettings()),
    "categorical": (irt.fit_categorical, irt.CategoricalSettings()),
}
TEN = 10  # runs of the criterion of H-7-04
RUNS = 30
LONG = "long run"
NEAR = 0.2  # per cent of a long run's perplexity


def arithmetic() -> Values:
    """Compute what the paper's sections 1 to 7 compute without judgements."""
    table_2 = comparisons(hopkins2013.fictional_ranking())
    columns = table_2[["system_1", "system_2", "preference"]].astype(str)
    rows = columns.agg(" ".join, axis=1)
    # Wins and ties of A, and of B, against each other; then half of B's comparisons are
    # ties with its copy.
    unbeaten = Fraction(1, 3) + Fraction(1, 3)
    duplicated = (unbeaten + 1) / 2
    gold = ["terrific", "close1", "close2", "close3"]
    first = tables.spearman(["terrific", "close3", "close1", "close2"], gold)
    second = tables.spearman(["close1", "terrific", "close2", "close3"], gold)
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


def of_tracks(tracks: Tracks, *, source: Source, seed: int, trials: int) -> Values:
    """Compute values of sections 1 to 4, 6, 7, Table 3, and section 8's agreement.

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
    facts = pd.DataFrame([*map(_of_track, every)])
    by_year = facts.groupby("year")
    depends_on = [[track.described for track in every], seed, trials]
    arguments = every, seed, trials
    drawn = keep.result("training-sets", depends_on, _of_training_sets, *arguments)
    english_german = ranking_releases.load_counts("wmt12", "en-de", source=source)
    methods = ("bojar", "mfas", "expected-wins")
    values: Values = {
        **by_id("hopkins2013", "table-3", hopkins2013.dataset_sizes(tracks), " "),
        **_language_pairs(source),
        **facts[["tied", "size", "rho"]],
        "crowd": sum(len(track.train) for track in tracks["wmt10-crowd"]),
        "orders": len({tuple(rank(english_german, name).order) for name in methods}),
        "ratio": pd.concat([*facts["ratio"]]),
        "infinite": drawn.to_dict("list"),
        **by_year[["won", "lost"]].sum(),
        "present": by_year["present"].agg(list),
        "H-7-03": {"spread": drawn["spread"].tolist()},
    }
    if source.kind == "raw":
        values |= _of_rankings(tracks, every, source, seed)
    return values


def _of_track(track: Track) -> Values:
    """Compute facts of a track.

    tied: are there ties? won, lost: comparisons of the reference. ratio, by system: how
    far BOJAR is from its mean over opponents, in standard errors. rho: Spearman's
    correlation of Q(1|s) / (Q(1|s) + Q(2|s)), alpha = 1, with BOJAR, in training.
    """
    whole = track.whole()
    wins = rows_of(whole, track.systems).counted.wins
    decided = wins + wins.T
    number = decided.sum(axis=1)
    bojar = wins.sum(axis=1) / number
    by_opponent = (wins / decided.where(decided > 0)).mean(axis=1)
    _, won, lost = both_ways(tally(track.train, track.systems)).sum(axis=1).T
    is_reference = wins.index == REFERENCE
    return {
        "year": track.campaign,
        "tied": (whole["preference"] == 0).any(),
        "size": len(whole),
        "present": REFERENCE in track.systems,
        "won": wins.to_numpy()[is_reference].sum(),
        "lost": wins.T.to_numpy()[is_reference].sum(),
        "ratio": (bojar - by_opponent).abs() / np.sqrt(bojar * (1 - bojar) / number),
        "rho": stats.spearmanr((1 + won) / (2 + won + lost), won / (won + lost))[0],
    }


def _of_training_sets(tracks: Sequence[Track], seed: int, trials: int) -> pd.DataFrame:
    """Average over training sets drawn at random, a row for each size.

    Returns
    -------
    DataFrame
        Of each year, the share (in %) of tracks and trials in which Independent Pairs
        without a prior gives no chance to what the test set shows. And spread: how far
        the mean strength of those met is from that of all others.
    """
    rows = []
    for number, track in enumerate(tracks):
        counts = count(track.whole())
        scores = scorers.bojar(counts.wins.to_numpy(), counts.ties.to_numpy())
        others = (scores.sum() - scores) / (len(scores) - 1)
        for size, trial in product(SIZES, range(trials)):
            drawn = []
            # For "impossible", tracks are numbered within each year.
            for k in (number % len(hopkins2013.TRACK_PAIRS), number):
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
    """List language pairs of each year: missing ones of the eight, and all in words."""
    tasks = ranking_releases.tasks(source)
    groups = r"-(individual|syscomb|tunable)$"
    pairs = tasks["task"].str.replace(groups, "", regex=True)
    pairs_of = pairs.groupby(tasks["campaign"]).agg(set)
    usual = {*hopkins2013.TRACK_PAIRS.values()}
    shown = []
    for year in YEARS:
        line = f"{year.upper()} {len(pairs_of[year])}"
        if others := sorted(pairs_of[year] - usual):
            line += f" (also {', '.join(others)})"
        shown.append(line)
    missing = {year: sorted(usual - pairs_of[year]) for year in YEARS}
    return {"missing": missing, "shown": ", ".join(shown)}


def dealt_at_random(
    judges: np.ndarray, units: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> bool:
    """Test if judges and units (segments, ...) go together no more than at random.

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
        # Less the number of outputs, which is the same for all tables.
        return (table**2 / expected_freq(table)).sum()

    observed = chi_square(judges)
    return observed <= max(chi_square(rng.permutation(judges)) for _ in range(DEALS))


def _independent_judges(rankings: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Test if judges are independent of the segments, and of the systems, they saw.

    A row for each task of each year, columns segments and systems.
    """
    rows = []
    for _, ranked in rankings.groupby(["year", "task"], observed=True):
        rng = np.random.default_rng(seed)
        group, _ = pd.factorize(ranked["ranking"])
        judges, _ = pd.factorize(ranked.drop_duplicates("ranking")["judge"])
        row = {}
        for unit in ("segment", "system"):
            seen, _ = pd.factorize(ranked[unit])
            row[f"{unit}s"] = dealt_at_random(judges, seen, group, rng)
        rows.append(row)
    return pd.DataFrame(rows)


def _tuned(tracks: Sequence[Track], seed: int) -> dict[str, pd.DataFrame]:
    """Compute mean test perplexities with other hyperparameters (footnote 13).

    Returns
    -------
    dict of DataFrame, each of one column
        tuned: IRT-Gaussian with each of `RADII`; gaussian, categorical: the models as
        printed, then with each value of `VARIED` halved, and doubled.
    """

    @cache
    def mean(name: str, option: str, value: float) -> float:
        perplexities = []
        for track in tracks:
            rng = np.random.default_rng(seed)
            fit = partial(VARIED[name][0], **{option: value})
            model = fit(track.train, systems=track.systems, rng=rng)
            perplexities.append(models.perplexity(model, track.tested))
        return float(np.mean(perplexities))

    tuned = {"tuned": [mean("gaussian", "radius", radius) for radius in RADII]}
    for name, (_, settings) in VARIED.items():
        tuned[name] = [mean(name, "radius", settings.radius)]
        for (option, value), factor in product(vars(settings).items(), (0.5, 2)):
            tuned[name].append(mean(name, option, type(value)(value * factor)))
    return {name: pd.DataFrame({"mean": means}) for name, means in tuned.items()}


def judge_agreement(tracks: Tracks) -> pd.DataFrame:
    """Compute how often two judges of the same outputs agree, by campaign.

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
    """Divide the variance of the mean log loss by segments by that of comparisons."""
    loss = hopkins2013.log_losses(model, test)
    residual = loss - loss.mean()
    by_segment = pd.Series(residual).groupby(test["segment"].to_numpy()).sum()
    return (by_segment**2).sum() / (residual**2).sum()


def _of_rankings(
    tracks: Tracks, every: Sequence[Track], source: Source, seed: int
) -> Values:
    """Compute values that need single rankings."""
    rates = 100 * judge_agreement(tracks)["agreement"]
    by_track = judge_agreement({track.task: [track] for track in tracks["wmt12"]})
    low, high = 100 * by_track["agreement"].agg(["min", "max"])
    of_years = {
        year: ranking_releases.load_rankings(year, source=source) for year in YEARS
    }
    rankings = pd.concat(of_years, names=["year"])
    rankings = rankings[rankings["task"].isin([track.task for track in every])]
    tuned_on = [t for t in tracks["wmt10"] if t.task in hopkins2013.TUNED_ON]
    depends_on = [[track.described for track in tuned_on], seed]
    kept = keep.result("tuned", depends_on, _tuned, tuned_on, seed)
    tuned = {name: table["mean"].to_numpy() for name, table in kept.items()}
    facts = pd.DataFrame([*map(_of_segments, every)])
    note = (
        f"{facts['few'].sum()} of {facts['segments'].sum()} segments have fewer:"
        " judges left ranks blank"
    )
    # Under independent draws, variance over mean times segments less one is about
    # chi-square.
    freedom = facts["segments"] - 1
    p = stats.chi2.sf(facts["dispersion"] * freedom, freedom)
    return {
        "outputs": rankings.groupby(["year", "ranking"]).size(),
        "H-4-01": {
            "rate": rates["wmt12"],
            "note": f"single tracks from {low:.1f} to {high:.1f} %",
        },
        **facts[["train", "dispersion"]],
        "largest": LARGEST,
        "holm": corrected(p, "holm"),
        "H-4-03": {"fewest": facts["fewest"].min(), "note": note},
        "effects": facts["effect"],
        "median": facts["effect"].median(),
        "rest": facts["rest"].median(),
        **_independent_judges(rankings, seed),
        **dict.fromkeys(["H-N13-01", "H-N13-02"], tuned),
        "H-8-01": rates["wmt10"],
        "H-8-02": rates["wmt10-crowd"],
    }


def _of_segments(track: Track) -> Values:
    """Describe how the comparisons of a track are spread over segments.

    train: comparisons for training. few: segments with fewer than ten comparisons.
    fewest: comparisons of the segment that has the fewest. effect, rest:
    `effect_of_segments` of the test set, and of the training set.
    """
    times = track.whole()["segment"].value_counts()
    model = models.independent_students(
        track.train, systems=track.systems, reconstruction="geometric"
    )
    return {
        "train": len(track.train),
        "segments": len(times),
        "fewest": times.min(),
        "few": (times < 10).sum(),
        "dispersion": times.var() / times.mean(),
        "effect": effect_of_segments(model, track.test),
        "rest": effect_of_segments(model, track.train),
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
    """Compute values of Figures 2 to 5 and of the conclusion.

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
    wmt10, wmt11 = (_best_by_trial(means[year]) for year in ("wmt10", "wmt11"))
    return {
        **dict.fromkeys(["H-8-03", "H-8-04"], wmt10),
        **dict.fromkeys(["H-8-05", "H-8-06"], wmt11),
        "H-8-07": _by_trial(means["wmt12"], _alike),
        "H-8-08": _by_trial(_means(no_reference), _references),
        **dict.fromkeys(["H-8-09", "H-F5-01", "H-F5-02", "H-F5-03", "H-9-02"], crowd),
        "H-9-01": _wrong_models(measured),
        # In the year where it is largest, least first.
        "H-9-03": _by_trial(
            excess, lambda mean: {"excess": mean.groupby("model").max().sort_values()}
        ),
        "apart": apart,
    }


def _means(measured: pd.DataFrame, index: str = "trial") -> pd.DataFrame:
    """Average perplexity of each trial, or task: columns (campaign, title, size)."""
    titled = measured.assign(model=measured["model"].map(title))
    return titled.pivot_table("perplexity", index, ["campaign", "model", "size"])


def _by_trial(means: pd.DataFrame, facts: Callable[[pd.Series], Values]) -> Values:
    """Compute facts of the mean over trials, and those of single trials."""
    return facts(means.mean()) | {"trials": [facts(row) for _, row in means.iterrows()]}


def _best_by_trial(means: pd.DataFrame) -> Values:
    """Compute `_best`, and the error over trials of what IRT-Categorical is above."""
    trials = pd.DataFrame([_best(row) for _, row in means.iterrows()])
    error = stats.sem(trials["categorical"] - trials["others"])
    return _by_trial(means, _best) | {"error": error}


def _best(mean: pd.Series) -> Values:
    """Find perplexities of a year, and from which size on IRT models settle."""
    lines = mean.unstack("size")
    level = lines[LARGEST]
    others = level.drop(IRT_TITLES)
    outside = lines.gt(1.01 * level, axis=0)
    settled = {
        model: next(size for size in lines if not outside.loc[model, size:].any())
        for model in IRT_TITLES
    }
    return {
        "gaussian": level[GAUSSIAN_TITLE],
        "categorical": level[CATEGORICAL_TITLE],
        "lowest": level.min(),
        "others": others.min(),
        "best_other": others.idxmin(),
        "settled": settled,
    }


def _alike(mean: pd.Series) -> Values:
    """Compute how far apart IRT and averaged Students models are, in %."""
    lines = mean.unstack("size")
    four = lines.loc[[*IRT_TITLES, *AVERAGED_TITLES]]
    spread = 100 * (four.max() / four.min() - 1)
    best = lines.loc[[*IRT_TITLES, ARITHMETIC_TITLE], LARGEST].min()
    above = 100 * (lines.loc["Geometric Students (as printed)", LARGEST] / best - 1)
    note = (
        "Geometric Students divided by its sum; the formula as printed, which does not"
        f" sum to one, is {above:.2f} % above the best of the others"
    )
    return {"spread": spread[LARGEST], "at_first": spread[SMALLEST], "note": note}


def _references(mean: pd.Series) -> Values:
    """Compare the better averaged Students model with the better IRT model, in %."""
    level = mean.droplevel("size").unstack("campaign")
    best_averaged = level.loc[AVERAGED_TITLES].min()
    best_irt = level.loc[IRT_TITLES].min()
    return {"gap": 100 * (best_averaged / best_irt - 1)}


def _crowd(mean: pd.Series) -> Values:
    """Compare models trained on the crowd with those trained on the experts.

    rise of the perplexity; share of the gain over Adjusted Uniform that is lost;
    IRT-Gaussian on the crowd above Geometric Students on experts, in %, at both ends.
    """
    level = mean.xs(LARGEST, level="size").unstack("campaign")
    rise = level["wmt10-crowd"] - level["wmt10"]
    gain = level.loc["Adjusted Uniform", "wmt10"] - level["wmt10"]
    others = [*map(title, hopkins2013.BASELINES[1:])]
    crowd = mean["wmt10-crowd", GAUSSIAN_TITLE]
    distance = 100 * (crowd / mean["wmt10", GEOMETRIC_TITLE] - 1)
    return {
        "rise": rise[[*IRT_TITLES, *others]],
        "others": rise[others],
        "share": rise / gain,
        "distance": distance[LARGEST],
        "at_first": distance[SMALLEST],
    }


def _wrong_models(measured: pd.DataFrame) -> Values:
    """Find the model that loses most by training on the crowd, paired over tracks."""
    level = _means(measured, "task").xs(LARGEST, axis=1, level="size")
    rise = (level["wmt10-crowd"] - level["wmt10"]).dropna(how="all")
    rise = rise[[*map(title, hopkins2013.TRAINED[1:])]].drop(columns=GAUSSIAN_TITLE)
    worst = rise.mean().idxmax()
    p = stats.ttest_1samp(rise[worst], 0, alternative="greater").pvalue
    return {"model": worst, "rise": rise[worst], "p": min(1, p * rise.shape[1])}


# --- Figure 6 and section 7's sentence on Gibbs sampling ------------------------------


def of_trainings(draws: pd.DataFrame, number: int, rng: np.random.Generator) -> Values:
    """Compute values of Figure 6.

    Parameters
    ----------
    draws : DataFrame
        Of `hopkins2013.train`, from many trainings; the first `number` of them are the
        figure.
    rng : Generator
        Draws other sets of trainings.
    """
    means = draws.groupby("training").mean()
    shown = hopkins2013.ability_table(draws.loc[: number - 1])
    gaps = widest_gaps(shown["mean"].to_numpy())
    shares = strata_shares(means, number, rng)
    usual = shares.drop("all three").nlargest(len(STRATA)).sort_index().index
    of_strata = ", ".join(f"{100 * shares[k]:.0f} % after {k}" for k in STRATA)
    above = pd.DataFrame({pair: draws[pair[0]] > draws[pair[1]] for pair in TRIO})
    chances = above.groupby("training").mean().to_numpy()
    elsewhere = chances[_other_sets(len(means), number, rng)].mean(axis=1)
    undecided = (elsewhere > 1 - hopkins2013.SURE) & (elsewhere < hopkins2013.SURE)
    often = 100 * undecided.all(axis=1).mean()
    return {
        "H-F6-01": len(shown),
        "H-F6-02": {
            "chance": chances[:number].mean(axis=0),
            "note": f"all three are open in {often:.0f} % of other draws of {number}"
            " trainings",
        },
        "H-F6-03": {
            "highest": means.idxmax(axis=1) == REFERENCE,
            "above_next": shown["above_next"].iloc[0],
        },
        "H-F6-04": {
            "here": np.flatnonzero(gaps) + 1,
            "usual": usual,
            "share_after_student": shares,
            "note": f"{of_strata}; all three at once in {100 * shares['all three']:.0f}"
            f" % of the draws of {number} trainings: a coin decides",
        },
    }


def widest_gaps(means: np.ndarray) -> np.ndarray:
    """Find if the gap after each student (last axis) is one of the widest."""
    gaps = -np.diff(np.sort(means)[..., ::-1])
    return gaps.argsort().argsort() >= gaps.shape[-1] - len(STRATA)


def _other_sets(everyone: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """Draw sets of trainings (1000, number) that a figure could have been made of."""
    return np.array([rng.choice(everyone, number, replace=False) for _ in range(1000)])


def strata_shares(
    means: pd.DataFrame, number: int, rng: np.random.Generator
) -> pd.Series:
    """Compute how often a gap is among the three widest, from other trainings.

    Parameters
    ----------
    means : DataFrame
        Mean ability of each system (column) in many more trainings than `number`.
    number : int
        Trainings that a figure is made of, five in the paper.

    Returns
    -------
    Series
        Index: the student after which the gap is, and "all three" for those of the
        paper at once.
    """
    other_means = means.to_numpy()[_other_sets(len(means), number, rng)].mean(axis=1)
    widest = pd.DataFrame(widest_gaps(other_means))
    widest.columns += 1
    widest["all three"] = widest.reindex(columns=STRATA, fill_value=False).all(axis=1)
    return widest.mean()


def sampler_runs(track: Track, size: int, seed: int) -> pd.DataFrame:
    """Compute perplexities of runs as long as the paper's, and of a long one.

    All on the same `size` training comparisons.

    Returns
    -------
    DataFrame
        Index title of each model of `IRT`; columns 0 to 29 (200 iterations, the first
        50 left out) and "long run" (4000, the first 500 left out).
    """
    rng = np.random.default_rng(seed)
    train = hopkins2013.draw_training_set(track.train, size, rng)
    rows = {}
    for model, fit_each in hopkins2013.FIT_EACH.items():
        rngs = [np.random.default_rng([seed, k]) for k in range(RUNS + 1)]
        sets = irt.item_data([train] * RUNS, track.systems)
        fits = fit_each(sets, rngs=rngs[:RUNS])
        alone = irt.item_data([train], track.systems)
        fits += fit_each(alone, rngs=rngs[RUNS:], iterations=4000, burn_in=500)
        rows[title(model)] = [models.perplexity(fit, track.tested) for fit in fits]
    return pd.DataFrame(rows, [*map(str, range(RUNS)), LONG]).T.rename_axis("model")


def of_sampler(runs: pd.DataFrame) -> Values:
    """Compute values of section 7's sentence on Gibbs sampling from `sampler_runs`."""
    off = 100 * (runs.drop(columns=LONG).div(runs[LONG], axis=0) - 1)
    close = (off.abs() < NEAR).sum(axis=1)
    sets = close.map(lambda n: math.comb(n, TEN) / math.comb(RUNS, TEN))
    mean = off.mean(axis=1)
    return {"H-7-04": {"mean": mean, "near": NEAR, "close": close, "sets": sets}}
