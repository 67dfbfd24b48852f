"""Single judgements from published segment means (direct assessment, WMT18 and WMT20).

These campaigns released, per system and segment, the mean raw score, the mean z-score and the
number of judgements, but not who judged. The judgements are whole numbers 0..100. A worker's
z-score is (score - mean) / sd (Knowles 2021, Eq. 1), with a mean and an sd that were *printed with
seven significant digits and used as printed*. So every judgement is a point on a straight line
whose two parameters are seven-digit decimals, while z is known to fifteen digits. `splitting`
finds who judged what, `settling` the means of workers who are known only together, `lattice` and
`sums` do the arithmetic, `lines` has what one worker's two numbers say.

What is proven
    By arithmetic, from those two premises, and as far as anything else was tried:

    - A segment judged once is a point on its worker's line. Two unrelated points share a
      seven-digit line with a probability of about 1e-13; each further point multiplies that by
      1e-11.
    - A segment of two workers of known lines splits into the only scores that fit. About 1e5
      segments are tried on WMT18 and 20, against all pairs of workers; 0.15 of them would fit some
      pair by chance (0.1 of these in German-English of 2018, which has 325 workers).
    - A run of two to five unknown workers splits by integer relations; all sds come out with seven
      digits, or the run is left. Segments that join a group later fit by chance 0.03 times in all.
    - Every mean of a segment that is kept is derived again from its judgements.

    "The only way" is always the only one among those that are tried: one worker, two of known
    lines (up to twice each), groups of up to five found in runs, a pair and one more. Segments of
    six workers, and functionals beyond `COEFFICIENTS`, are not tried. Blind splitting gets harder
    with each worker: of random runs of four about half are split, of five few (WMT20 has none).

What is inference
    - Numbers of items. Where workers are known only together, their means follow if they scored as
      many items as most workers whose number is certain (200 on Appraise). That they fit the
      group's sum to twelve digits bears it out: for all groups of WMT20 together 0.002 such fits
      are expected by chance. But the limits of the constants, and so which choice is left, take
      that number as given. All rows called `relative` depend on it, and of the rows called
      `proven` some 14 000 (English-Czech 5727, -German 2137, -Japanese 2091, -Polish 1303,
      -Inuktitut 1050, -Chinese 986, -Russian 922): there it means proven if the number is right.
    - `unseen`. mean and sd often allow several numbers of items; the likeliest is taken, and
      `certain` says where there was no choice.
    - Joint outputs (`joint`). Equal means of several systems on one segment are taken for one
      judgement. It is likely, given the digits, but nothing proves it. The same holds for a
      reference that counts several times.
    - REPEAT. Two scores of one worker for one segment are known by their sum; each row has half.

What cannot be told is left out: `Recovery.segments` says `proven`, `relative`, `ambiguous` or
`unknown`. The work is limited by counts (`MOST_TRIALS`, `offsets.MOST_CHOICES`), never by time:
the same input gives the same result.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import JOINT
from wmtlib.judgements.errors import DataError
from wmtlib.recovery import attribution, offsets
from wmtlib.recovery.attribution import LENGTHS
from wmtlib.recovery.completion import completion, reference_bounds
from wmtlib.recovery.integer_splits import MOST_TRIALS
from wmtlib.recovery.lattice_reduction import COEFFICIENTS, split_run
from wmtlib.recovery.worker_scale import DIGITS, LARGEST_SD, ROUNDING, TOP, item_counts

__all__ = [
    "COEFFICIENTS",
    "DIGITS",
    "LARGEST_SD",
    "LENGTHS",
    "MOST_TRIALS",
    "RECOVERED",
    "ROUNDING",
    "SEGMENT_MEANS",
    "STATUS",
    "TOP",
    "Recovery",
    "completion",
    "item_counts",
    "recover",
    "reference_bounds",
    "split_run",
]

SEGMENT_MEANS = ["system", "document", "segment", "raw", "z", "judgements"]
STATUS = ["proven", "relative", "ambiguous", "unknown"]
RECOVERED = STATUS[:2]


@dataclass(frozen=True)
class Recovery:
    """What a pair's segment means prove about its single judgements.

    Attributes
    ----------
    assessments : DataFrame
        One row per recovered judgement, the tidy frame of `zscores`: hit (""), worker
        (pseudonym), language_pair, system, item (SYSTEM; REPEAT for a worker's second score of
        the same segment; REF for the systems named as references), document, segment, score,
        accepted.
        Rows keep the order of the segments. Two scores that one worker gave to the same segment
        are known by their sum only: both rows carry half of it.
    unseen : DataFrame, index worker
        judgements, total, squares: count, sum and sum of squares of what the worker scored beyond
        `assessments`, from the printed mean and sd; certain says whether only one count fits.
        Workers without a feasible count are missing. `squares` includes what the halves above
        leave out.
    lines : DataFrame, index worker
        mean, sd (NaN mean: only the sd is known), points (judgements recovered), candidates
        (tuple of the numbers of items that mean and sd allow), items (the one chosen, 0 if none).
    constants : DataFrame
        group, choice, worker, shift: all that may be added to everything that these workers scored
        (unseen items and the mean too), one `choice` for each `group`; choice 0 is what the other
        tables hold.
    segments : DataFrame
        The input with `status` and `workers` (how many were found).

        - proven: the scores are the only ones that fit, of all that are tried; for some workers
          who are known only together, given their number of items (see the module).
        - relative: proven up to a constant for each worker. The workers' z-scores, recomputed
          without any items whatever, are proven; raw scores are those of choice 0.
        - ambiguous: several ways to split, or a constant without the workers' means; left out.
        - unknown: left out.
    language_pair : str
    """

    assessments: pd.DataFrame = field(repr=False)
    unseen: pd.DataFrame = field(repr=False)
    lines: pd.DataFrame = field(repr=False)
    constants: pd.DataFrame = field(repr=False)
    segments: pd.DataFrame = field(repr=False)
    language_pair: str

    @property
    def partial(self) -> pd.DataFrame:
        """Segments that are not recovered; nothing but their published means is known."""
        return self.segments[~self.segments["status"].isin(RECOVERED)]

    def shifted(self, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Assessments and unseen with constants drawn evenly from those that are possible.

        Only what divides raw scores (Knowles 2021, Figure 1) depends on them: removing judgements
        does not, since a constant added to all that a worker scored leaves z-scores as they are.
        """
        shift = pd.Series(0.0, index=self.lines.index)
        for _, group in self.constants.groupby("group"):
            chosen = group[group["choice"] == rng.integers(group["choice"].max() + 1)]
            shift[chosen["worker"]] = chosen["shift"].to_numpy()
        score = self.assessments["score"] + self.assessments["worker"].map(shift)
        n, t, s = (self.unseen[c] for c in ("judgements", "total", "squares"))
        q = shift[self.unseen.index]
        unseen = self.unseen.assign(total=t + n * q, squares=s + 2 * q * t + n * q * q)
        return self.assessments.assign(score=score), unseen

    def shares(self) -> pd.DataFrame:
        """Per system: segments and judgements, and the share of each in every status.

        Returns
        -------
        DataFrame, index system
            segments, judgements (counts), then `segments_<status>` and `judgements_<status>`,
            shares from 0 to 1.
        """
        return _shares(self.segments, self.segments["system"]).sort_index()

    def total_shares(self) -> pd.Series:
        """The same over all systems."""
        return _shares(self.segments, np.zeros(len(self.segments), dtype=int)).loc[0]


def _shares(segments: pd.DataFrame, key: pd.Series | np.ndarray) -> pd.DataFrame:
    """Counts, and shares of every status, by key."""
    n = segments["judgements"]
    columns = {"segments": n.groupby(key).size(), "judgements": n.groupby(key).sum()}
    for status in STATUS:
        hit = segments["status"] == status
        columns[f"segments_{status}"] = hit.groupby(key).mean()
        columns[f"judgements_{status}"] = (n * hit).groupby(key).sum() / columns["judgements"]
    return pd.DataFrame(columns)


def recover(
    segments: pd.DataFrame,
    *,
    language_pair: str,
    joint: bool,
    references: Collection[str] = (),
) -> Recovery:
    """Recover single judgements from segment means (Knowles 2021, section 3 and Eq. 1).

    Parameters
    ----------
    segments : DataFrame
        Columns `SEGMENT_MEANS`; one row per system and segment: mean raw score, mean z-score (all
        the printed digits, parsed as they stand) and number of judgements; document "" if unknown.
    language_pair : str
        Written into the assessments.
    joint : bool
        Whether the campaign showed identical outputs of several systems once (SR-DC on Mechanical
        Turk did). Then rows of one segment whose means and count all agree become one judgement,
        its systems joined by `+`; references stay apart. That they agree makes it likely that
        they are one, it is no proof; the workers' numbers of items (`lines`) bear it out. And a
        reference paired with a joint output counts once for each of its systems in the release:
        a reference that one worker scored n times, with a whole mean, becomes one judgement.
    references : names of systems
        Those that are references shown for quality control; their judgements get item REF.

    Raises
    ------
    DataError
        A missing column or value, no row, a system and segment twice, a count below one, or a mean
        that no whole numbers 0..100 have.
    """
    segments = _checked(segments)
    number, single = _single(segments, frozenset(references), joint)
    ledger = attribution.Ledger(single)
    attribution.alone(ledger)
    attribution.known_pairs(ledger)
    for workers in LENGTHS:
        attribution.blind(ledger, workers)
        offsets.settle(ledger)
    offsets.settle(ledger)
    offsets.choose(ledger)
    offsets.settle(ledger)
    attribution.known_pairs(ledger)
    attribution.teams_together(ledger)
    attribution.repeated(ledger)
    found = offsets.finish(ledger)
    judged = _judgements(found, single, frozenset(references), joint)
    return _result(ledger, found, judged, single, segments, number, language_pair)


def _single(
    segments: pd.DataFrame, references: frozenset[str], joint: bool
) -> tuple[np.ndarray, pd.DataFrame]:
    """For each row the number of what was judged, and the table of that: joint outputs once."""
    # a reference stands in the same task as the output it is paired with: scored alike, not joint
    apart = segments["system"].where(segments["system"].isin(references) | (not joint), "")
    same = [apart, segments["segment"], segments["raw"], segments["z"], segments["judgements"]]
    number = segments.groupby(same, sort=False).ngroup()
    single = segments[~number.duplicated()].reset_index(drop=True)
    several = number.duplicated(keep=False)
    same = segments["system"][several].groupby(number[several])
    names = same.agg(lambda systems: JOINT.join(sorted(systems)))
    single.loc[names.index, "system"] = names
    return number.to_numpy(), single


def _checked(segments: pd.DataFrame) -> pd.DataFrame:
    """The input, or the reason why it cannot be used."""
    for column in SEGMENT_MEANS:
        if column not in segments:
            raise DataError(f"segment means: column {column!r} is missing")
    segments = segments[SEGMENT_MEANS].reset_index(drop=True)
    if segments.empty:
        raise DataError("segment means: no rows")

    def refuse(bad: pd.Series | np.ndarray, what: str) -> None:
        if len(rows := np.flatnonzero(bad)):
            raise DataError(f"segment means, row {rows[0] + 1}: {what}")

    refuse(segments.isna().any(axis=1), "a value is missing")
    refuse(segments.duplicated(["system", "segment"]), "this system and segment stand there twice")
    n = segments["judgements"].to_numpy(float)
    refuse((n < 1) | (n != np.rint(n)), "judgements is no whole number from 1")
    if not np.isfinite(segments[["raw", "z"]].to_numpy(float)).all():
        raise DataError("segment means: raw and z must be finite")
    total = segments["raw"].to_numpy(float) * n
    fine = (abs(total - np.rint(total)) < 1e-9 * n) & (total > -0.5) & (total < TOP * n + 0.5)
    refuse(~fine, "raw is not the mean of so many whole numbers from 0 to 100")
    return segments


def _judgements(
    found: pd.DataFrame, single: pd.DataFrame, references: frozenset[str], joint: bool
) -> pd.DataFrame:
    """One row per judgement: row, worker, score, item; what one worker scored twice is halved."""
    row, worker, times, total = (found[c].to_numpy() for c in found)
    is_reference = single["system"].isin(references).to_numpy()[row]
    # counted once for each of the joint outputs
    once = is_reference & (total % times == 0) & joint
    total, times = np.where(once, total // times, total), np.where(once, 1, times)
    of = np.repeat(np.arange(len(row)), times)
    again = np.append(False, of[1:] == of[:-1])[: len(of)]
    item = np.where(is_reference[of], "REF", np.where(again, "REPEAT", "SYSTEM"))
    return pd.DataFrame(
        {
            "row": row[of],
            "worker": worker[of],
            "score": (total / times)[of],
            "item": item.astype(object),
        }
    )


def _result(
    ledger: attribution.Ledger,
    found: pd.DataFrame,
    judged: pd.DataFrame,
    single: pd.DataFrame,
    segments: pd.DataFrame,
    number: np.ndarray,
    language_pair: str,
) -> Recovery:
    """The tables."""
    order = judged["worker"].unique()
    names = {int(w): f"worker_{k:04d}" for k, w in enumerate(order, start=1)}
    taken = single.iloc[judged["row"]].reset_index(drop=True)
    assessments = pd.DataFrame(
        {
            "hit": "",
            "worker": judged["worker"].map(names),
            "language_pair": language_pair,
            "system": taken["system"],
            "item": judged["item"],
            "document": taken["document"],
            "segment": taken["segment"],
            "score": judged["score"],
            "accepted": True,
        }
    )
    status, workers = _status(ledger, found)
    lines, unseen = _worker_tables(ledger, judged, names)
    return Recovery(
        assessments=assessments,
        unseen=unseen,
        lines=lines,
        constants=_constant_table(ledger, names),
        segments=segments.assign(status=status[number], workers=workers[number]),
        language_pair=language_pair,
    )


def _status(ledger: attribution.Ledger, found: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Status of every row, and the number of workers found."""
    row = found["row"].to_numpy()
    status = np.full(len(ledger.n), "unknown", dtype=object)
    status[sorted(ledger.ambiguous)] = "ambiguous"
    status[row] = "proven"
    status[row[found["worker"].isin(ledger.floating())]] = "relative"
    return status, np.bincount(row, minlength=len(ledger.n))


def _constant_table(ledger: attribution.Ledger, names: dict[int, str]) -> pd.DataFrame:
    """The choices that remain, the chosen one first."""
    rows = []
    floating = [g for g in ledger.groups if g.choices is not None and g.workers[0] in names]
    for number, group in enumerate(floating):
        order = np.lexsort([*group.choices.T[::-1], (group.choices != 0).any(axis=1)])
        for choice, shift in enumerate(group.choices[order]):
            for w, q in zip(group.workers, shift, strict=True):
                rows.append((number, choice, names[w], float(q)))
    return pd.DataFrame(rows, columns=["group", "choice", "worker", "shift"])


def _worker_tables(
    ledger: attribution.Ledger, judged: pd.DataFrame, names: dict[int, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lines and unseen, in the order of the pseudonyms."""
    worker, score, size = judged["worker"], judged["score"], len(ledger.sd)
    points = np.bincount(worker, minlength=size)
    total = np.bincount(worker, score, minlength=size)
    squares = np.bincount(worker, score**2, minlength=size)
    counts = {
        w: item_counts(
            ledger.mean[w], ledger.sd[w], judgements=points[w], total=total[w], squares=squares[w]
        )
        for w in names
        if not np.isnan(ledger.mean[w])
    }
    chosen = _chosen(counts, points)
    lines = pd.DataFrame(
        {
            "mean": [ledger.mean[w] for w in names],
            "sd": [ledger.sd[w] for w in names],
            "points": points[[*names]],
            "candidates": [tuple(dict.fromkeys(n for n, *_ in counts.get(w, ()))) for w in names],
            "items": [chosen[w][0] if w in chosen else 0 for w in names],
        },
        index=pd.Index(names.values(), name="worker"),
    )
    unseen = pd.DataFrame(
        [
            (names[w], n - points[w], t - total[w], q - squares[w], len(counts[w]) == 1)
            for w, (n, t, q) in chosen.items()
        ],
        columns=["worker", "judgements", "total", "squares", "certain"],
    ).set_index("worker")
    return lines, unseen


def _chosen(
    counts: dict[int, list[tuple[int, int, int]]], points: np.ndarray
) -> dict[int, tuple[int, int, int]]:
    """Of several possible numbers of items, the one most like the workers of whom it is certain.

    Most like: the number seen is the usual share of it; where one size is common among the certain
    ones, a number that is no multiple of it counts as worse by a third.
    """
    sure = {w: c[0][0] for w, c in counts.items() if len({n for n, *_ in c}) == 1}
    sizes = [*sure.values()]
    common = max(sizes, key=lambda n: (sizes.count(n), -n), default=1)
    common = common if sizes.count(common) >= max(3, len(sizes) // 3) else 1
    shares = [n / points[w] for w, n in sure.items() if points[w]]
    usual = float(np.median(shares)) if shares else 1.4

    def unlike(count: tuple[int, int, int], w: int) -> float:
        return abs(np.log(count[0] / (usual * max(points[w], 1)))) + 0.3 * (count[0] % common != 0)

    return {w: min(c, key=lambda one: unlike(one, w)) for w, c in counts.items() if c}
