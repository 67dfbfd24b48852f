"""Single judgements recovered from published segment means of WMT18 and WMT20.

A worker's z-score is (score - mean) / sd (Knowles 2021, Eq. 1). The scores are whole
numbers from 0 to 100; the mean and the sd were *printed with seven significant digits
and used as printed*. All results follow from these two premises. `STEPS` are the
algorithm: each takes what is known (`knowledge`) and returns more. `attribution` finds
who judged which segment, `offsets` finds the means of workers who are known only
together, `integer_splits` does the arithmetic, and `worker_scale` derives from a mean
and an sd what one worker can have scored. Where a share of
`assessment_catalogue.SOUND_SHARE` is recovered, the result is used for all judgements
of a language pair.

What is proven
    By arithmetic, as far as other splits were tried:

    - A segment judged once lies on its worker's scale. Two unrelated judgements share a
      scale of seven digits with a probability of about 1e-13; each further one
      multiplies that by 1e-11.
    - A segment of two workers of known scale splits into the only scores that fit.
      About 1e5 segments of WMT18 and WMT20 are tried against all pairs of workers; 0.15
      of them would fit some pair by chance (0.1 of these in German-English of 2018,
      which has 325 workers).
    - A run of segments by two to five unknown workers splits by integer relations. All
      sds must have seven digits, or the run stays open. Segments that join a group
      later fit by chance 0.03 times in all.
    - A segment of three workers of known scale splits into the only scores that fit:
      4e5 sets of workers at most are tried, about 1e-4 of which fit by chance.
    - Every mean of a segment that is kept is derived again from its judgements.

    "The only split" always means the only one of those that are tried: one worker; two
    of known scale (up to twice each); groups of up to five found in runs; the workers
    of a run, up to twice each; any three. Segments of six workers, and coefficients
    beyond `integer_splits.COEFFICIENTS`, are not tried. What share of random runs is
    split, see `attribution.RUN_LENGTHS`. Most of what stays open is runs of four in
    English-Chinese.

    The public single judgements of WMT21 and WMT22 (thirteen language pairs, 244 000
    judgements), averaged in the same way, are recovered to 98 % without one error:
    those called proven, and up to the offset of each worker those called relative.

What is inferred
    - Numbers of items. Where workers are known only together, their means follow if
      they scored nearly as many items as each other (see `offsets`; three workers also
      the usual number, 200 on Appraise). The means then fit the group's level to twelve
      digits; by chance 0.01 such fits are expected in all groups of WMT20 together. But
      the limits of the offsets, and so which choice is left, take those numbers as
      given. All rows with status `relative` depend on it, and about 18 000 of the
      `proven` rows (most of them English-Czech 5727, -Japanese 3324, -Chinese 2472,
      -German 2217, -Inuktitut 1509, -Polish 1425): they are proven if the numbers are
      right.
    - `remaining_items`. The mean and the sd often allow several numbers of items; the
      likeliest is taken.
    - Joint outputs (`joint`). Equal means of several systems on one segment are taken
      for one judgement. The digits make that likely, but nothing proves it. The same
      holds for a reference that counts several times.
    - REPEAT. Two scores of one worker for one segment are known by their sum; each row
      has half.

The rest is left out: a status says `proven`, `relative`, `ambiguous` or `unknown` for
each segment. The work is limited by counts (`MOST_TRIPLES`, `MOST_CHOICES`), never by
time: the same input gives the same result.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from study.data.printed_digits import Array
from study.recovery import attribution, offsets
from study.recovery.knowledge import Knowledge, nothing_found
from study.recovery.worker_scale import Z_ERROR
from wmtlib.core.assessments import ASSESSMENTS, HIGHEST_SCORE, JOINT

SEGMENT_MEANS = ["system", "document", "segment", "raw", "z", "judgements"]
RECOVERED = ("proven", "relative")  # statuses of segments whose judgements are known
USUAL_RATIO = 1.4  # all items of a worker to those that are known, if none is certain


def certify(known: Knowledge) -> Knowledge:
    """Keep the splits that give the published means again, in the order of the rows."""
    segments = known.segments
    row, worker, times, total = known.splits.to_numpy().T
    # Sums of scores and of z-scores of every row, derived from its split.
    z = (total - times * known.mean[worker]) / known.sd[worker]
    y = np.bincount(row, z, len(segments.n))
    totals = np.bincount(row, total, len(segments.n))
    slack = 2 * Z_ERROR * segments.n * np.maximum(1, np.abs(segments.z))
    fits = ~(np.abs(y - segments.y) > slack) & (totals == segments.total)
    fits[row[(total < 0) | (total > HIGHEST_SCORE * times)]] = False
    splits = known.splits[fits[row]]
    splits = splits.sort_values("row", kind="stable", ignore_index=True)
    return replace(known, splits=splits)


# --- the steps, in their order --------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step of the recovery; no step changes the knowledge that it takes.

    Attributes
    ----------
    run : function from Knowledge to Knowledge
    needs, finds : str
        Attributes of `Knowledge` that it uses, besides the segments, and those that are
        others afterwards.
    """

    run: Callable[[Knowledge], Knowledge]
    needs: str
    finds: str


BY_KNOWN_WORKERS = Step(
    attribution.split_by_known_workers,
    needs="mean sd taken",
    finds="splits taken ambiguous",
)
MEANS = Step(
    offsets.find_means,
    needs="mean sd groups splits",
    finds="mean groups item_counts",
)
STEPS = (
    Step(attribution.split_single, needs="", finds="mean sd splits taken ambiguous"),
    BY_KNOWN_WORKERS,
    *(
        Step(
            partial(attribution.split_unknown_groups, workers=number),
            needs="sd taken",
            finds="mean sd groups taken",
        )
        for number in attribution.RUN_LENGTHS
    ),
    MEANS,
    Step(offsets.choose_offsets, needs="mean groups", finds="mean groups"),
    # Offsets that were chosen give means, which may fix those of other groups; and all
    # workers of known mean may explain segments that were open before.
    MEANS,
    BY_KNOWN_WORKERS,
    Step(attribution.split_groups, needs="groups", finds="splits taken ambiguous"),
    Step(
        attribution.split_by_teams,
        needs="mean sd groups splits taken",
        finds="splits taken ambiguous",
    ),
    Step(
        offsets.narrow_offsets,
        needs="mean sd groups splits item_counts",
        finds="mean groups splits",
    ),
    Step(certify, needs="mean sd splits", finds="splits"),
)


# --- recovered judgements -------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class RecoveredJudgements:
    """Single judgements of one language pair that its segment means prove.

    Attributes
    ----------
    assessments : DataFrame
        Direct assessments, one row per recovered judgement, in the order of the
        segments: hit (""), worker (pseudonym), language_pair, system, item (SYSTEM;
        REPEAT for a worker's second score of the same segment; REF for the systems
        named as references), document, segment, score, accepted. Two scores that one
        worker gave to the same segment are known by their sum only: both rows carry
        half of it.
    remaining_items : DataFrame, index worker
        judgements, total, squares: count, sum and sum of squares of the scores that a
        worker gave beyond `assessments`, from the printed mean and sd. Workers without
        a possible count are missing. `squares` includes what the halves above leave
        out.
    workers : DataFrame, index worker
        mean, sd (NaN mean: only the sd is known).
    segments : DataFrame
        The input with `status`:

        - proven: the scores are the only ones that fit, of all that are tried; for some
          workers who are known only together, given their number of items (see the
          module).
        - relative: proven up to an offset for each worker, of which one possible choice
          is taken. The workers' z-scores are proven, whatever items are left out of
          their scale.
        - ambiguous: several splits fit, or an offset without the workers' means; left
          out.
        - unknown: left out.
    """

    assessments: pd.DataFrame
    remaining_items: pd.DataFrame
    workers: pd.DataFrame
    segments: pd.DataFrame

    @property
    def share(self) -> float:
        """Compute the least share, over systems, of judgements that are recovered."""
        n = self.segments["judgements"]
        is_recovered = self.segments["status"].isin(RECOVERED)
        system = self.segments["system"]
        recovered = n.where(is_recovered, 0).groupby(system).sum()
        return float((recovered / n.groupby(system).sum()).min())


def recover(
    segments: pd.DataFrame,
    *,
    language_pair: str,
    joint: bool,
    references: Collection[str] = (),
) -> RecoveredJudgements:
    """Recover single judgements from segment means (Knowles 2021, section 3 and Eq. 1).

    Parameters
    ----------
    segments : DataFrame
        Columns `SEGMENT_MEANS`; one row per system and segment: mean raw score, mean
        z-score (all the printed digits) and number of judgements; document "" if
        unknown.
    language_pair : str
        Written into the assessments.
    joint : bool
        Whether the campaign showed identical outputs of several systems once (SR-DC on
        Mechanical Turk did). Then rows of one segment with the same means and count
        become one judgement, its systems joined by `+`; references stay apart. Equal
        means make it likely that they are one judgement but do not prove it; the
        workers' numbers of items support it. And a reference paired with a joint output
        counts once for each of its systems in the release: a reference that one worker
        scored n times, with a whole mean, becomes one judgement.
    references : names of systems
        Systems that are references shown for quality control; their judgements get item
        REF.
    """
    segments = segments[SEGMENT_MEANS].reset_index(drop=True)
    alone = segments["system"].isin(references) | (not joint)
    place, joined = join_outputs(segments, alone)
    known = nothing_found(joined)
    for step in STEPS:
        known = step.run(known)
    is_reference = joined["system"].isin(references).to_numpy()
    judged = single_judgements(known.splits, is_reference, joint)
    workers = judged["worker"].unique().tolist()
    names = {w: f"worker_{k:04d}" for k, w in enumerate(workers, start=1)}
    assessments = joined.iloc[judged["row"]].reset_index(drop=True)
    assessments = assessments.assign(
        hit="",
        worker=judged["worker"].map(names),
        language_pair=language_pair,
        item=judged["item"],
        score=judged["score"],
        accepted=True,
    )
    scales = pd.DataFrame({"mean": known.mean, "sd": known.sd}).loc[workers]
    scales.index = pd.Index(names.values(), name="worker")
    return RecoveredJudgements(
        assessments=assessments[ASSESSMENTS],
        remaining_items=remaining_items(known, judged, names),
        workers=scales,
        segments=segments.assign(status=statuses(known)[place]),
    )


# --- which means are one judgement ----------------------------------------------------


def join_outputs(
    segments: pd.DataFrame, alone: pd.Series
) -> tuple[Array, pd.DataFrame]:
    """Join identical outputs of several systems to one row.

    Parameters
    ----------
    segments : DataFrame
        Columns `SEGMENT_MEANS`.
    alone : Series of bool
        Rows that are never joined: references, which are scored like the output they
        are paired with, in the same HIT; all rows where outputs were not shown jointly.

    Returns
    -------
    array of int, DataFrame
        For each row its place in the table; the table, with joint names `A+B`.
    """
    keys = segments[["system", "segment", "raw", "z", "judgements"]]
    keys = keys.assign(system=keys["system"].where(alone, ""))
    place = keys.groupby([*keys], sort=False).ngroup()
    table = segments[~place.duplicated()].reset_index(drop=True)
    names = segments.loc[place.duplicated(keep=False), "system"].sort_values()
    joint = names.groupby(place).agg(JOINT.join)
    table.loc[joint.index, "system"] = joint
    return place.to_numpy(), table


# --- the results as tables ------------------------------------------------------------


def single_judgements(
    splits: pd.DataFrame, is_reference: Array, joint: bool
) -> pd.DataFrame:
    """List single judgements: row, worker, score, item.

    Two scores of one worker for one segment have half of their sum each. Where joint
    outputs were judged once (`joint`), a reference counts once for each of the systems
    it was paired with: what one worker scored several times, with a whole mean, is one
    judgement.

    Parameters
    ----------
    splits : DataFrame
        Of `Knowledge`.
    is_reference : array of bool
        Whether each row of the segment means is a reference.
    joint : bool
    """
    reference = is_reference[splits["row"]]
    # A reference that one worker scored n times: one judgement, if the scores can be
    # equal.
    once = reference & (splits["total"] % splits["times"] == 0) & joint
    judged = pd.DataFrame(
        {
            "row": splits["row"],
            "worker": splits["worker"],
            "score": splits["total"] / splits["times"],
            "item": np.where(reference, "REF", "SYSTEM").astype(object),
        }
    )
    judged = judged.loc[splits.index.repeat(splits["times"].where(~once, 1))]
    # The second judgement of the same split is a repetition.
    repeated = judged.index.duplicated() & (judged["item"] == "SYSTEM")
    item = judged["item"].mask(repeated, "REPEAT")
    return judged.assign(item=item).reset_index(drop=True)


def statuses(known: Knowledge) -> Array:
    """Return the status of every row; see `RecoveredJudgements`."""
    status = np.full(len(known.taken), "unknown", dtype=object)
    # As far as the next lines do not overwrite it.
    status[known.taken | known.ambiguous] = "ambiguous"
    status[known.splits["row"]] = "proven"
    for group in known.groups:
        if group.choices is not None:
            chosen = group.workers[np.ptp(group.choices, axis=0) > 0]
            of_chosen = known.splits["worker"].isin(chosen)
            status[known.splits["row"][of_chosen]] = "relative"
    return status


def remaining_items(
    known: Knowledge, judged: pd.DataFrame, names: dict[int, str]
) -> pd.DataFrame:
    """Sum the scores that workers gave beyond `judged`; see `RecoveredJudgements`.

    Of several possible numbers of items the likeliest is taken: the one nearest to the
    usual ratio of all items of a worker to those that are known. Where one number of
    items is common among the workers with only one, numbers that are not its multiples
    count as less likely (by a third).
    """
    times = np.ones(len(judged), dtype=np.int64)
    possible = known.possible_items(judged["worker"], times, judged["score"])
    possible = possible[possible["worker"].isin(names)]
    ratio = possible["items"] / (possible["items"] - possible["judgements"])
    is_certain = ratio.groupby(possible["worker"]).transform("nunique") == 1
    certain = possible[is_certain].drop_duplicates("worker")
    usual = ratio[certain.index].median() if len(certain) else USUAL_RATIO
    unlike = np.log(ratio / usual).abs()
    numbers = certain["items"].value_counts().sort_index()
    if numbers.max() >= max(3, len(certain) // 3):
        unlike += 0.3 * (possible["items"] % numbers.idxmax() != 0)
    nearest = unlike.groupby(possible["worker"]).idxmin()
    remaining = possible.loc[nearest].set_index("worker").rename(index=names)
    return remaining.drop(columns="items").sort_index()
