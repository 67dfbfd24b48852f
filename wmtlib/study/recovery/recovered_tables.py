"""The results as tables: splits that give the published means again, judgements, scales."""

import numpy as np
import pandas as pd

from wmtlib.counts import ASSESSMENTS, HIGHEST_SCORE
from wmtlib.study.recovery.item_counts import choose_again
from wmtlib.study.recovery.state import State
from wmtlib.study.recovery.worker_scale import ROUNDING

ItemCount = tuple[int, int, int]  # number of items, sum and sum of squares of their scores


def certified_splits(state: State) -> pd.DataFrame:
    """All splits that give the published means again.

    Returns
    -------
    DataFrame
        row, worker, times (how often the worker judged the row), total (sum of those scores), in
        the order of the rows.
    """
    splits = choose_again(state, state.splits())
    row, worker, times, total = (splits[c].to_numpy() for c in splits)
    # Sums of scores and of z-scores of every row, derived from its split.
    z = (total - times * np.array(state.mean)[worker]) / np.array(state.sd)[worker]
    y, whole = (np.bincount(row, x, len(state.n)) for x in (z, total))
    slack = 2 * ROUNDING * state.n * np.maximum(1, np.abs(state.z))
    fits = ~(np.abs(y - state.y) > slack) & (whole == state.total)
    fits[row[(total < 0) | (total > HIGHEST_SCORE * times)]] = False
    state.ambiguous.update(row[~fits[row]].tolist())
    return splits[fits[row]].sort_values("row", kind="stable", ignore_index=True)


def single_judgements(splits: pd.DataFrame, is_reference: np.ndarray, joint: bool) -> pd.DataFrame:
    """One row per judgement: row, worker, score, item.

    Two scores of one worker for one segment have half of their sum each. Where joint outputs were
    judged once (`joint`), a reference counts once for each of the systems it was paired with: what
    one worker scored several times, with a whole mean, is one judgement.

    Parameters
    ----------
    splits : DataFrame
        As `certified_splits` gives.
    is_reference : array of bool
        Whether each row of the segment means is a reference.
    joint : bool
    """
    row, worker, times, total = (splits[c].to_numpy() for c in splits)
    reference = is_reference[row]
    # A reference that one worker scored n times: one judgement, if the scores can be equal.
    once = reference & (total % times == 0) & joint
    total, times = np.where(once, total // times, total), np.where(once, 1, times)
    # One entry per judgement; the second one of the same split is a repetition.
    split = np.repeat(np.arange(len(row)), times)
    repeated = np.append(False, split[1:] == split[:-1])[: len(split)]
    item = np.where(reference[split], "REF", np.where(repeated, "REPEAT", "SYSTEM"))
    judged = pd.DataFrame({"row": row, "worker": worker, "score": total / times}).iloc[split]
    return judged.assign(item=item.astype(object)).reset_index(drop=True)


def assessments_table(
    judged: pd.DataFrame, segments: pd.DataFrame, names: dict[int, str], language_pair: str
) -> pd.DataFrame:
    """Judgements as direct assessments; `names` are the workers' pseudonyms."""
    rows = segments.iloc[judged["row"]].reset_index(drop=True)
    return rows.assign(
        hit="",
        worker=judged["worker"].map(names),
        language_pair=language_pair,
        item=judged["item"],
        score=judged["score"],
        accepted=True,
    )[ASSESSMENTS]


def statuses(state: State, splits: pd.DataFrame) -> np.ndarray:
    """Status of every row."""
    row = splits["row"].to_numpy()
    chosen = [
        w
        for group in state.groups
        if group.choices is not None
        for w, offsets in zip(group.workers, group.choices.T, strict=True)
        if np.ptp(offsets)
    ]
    status = np.full(len(state.n), "unknown", dtype=object)
    status[sorted(state.ambiguous)] = "ambiguous"
    status[row] = "proven"
    status[row[splits["worker"].isin(chosen)]] = "relative"
    return status


def worker_tables(
    state: State, judged: pd.DataFrame, names: dict[int, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean and sd of the workers, and the scores they gave beyond `judged`; see `recover`."""
    times = np.ones(len(judged), dtype=np.int64)
    known, counts = state.items_of_workers(judged["worker"], times, judged["score"])
    counts = {w: counts[w] for w in names if counts.get(w)}
    scales = pd.DataFrame(
        [(state.mean[w], state.sd[w]) for w in names],
        index=pd.Index(names.values(), name="worker"),
        columns=["mean", "sd"],
    )
    chosen = _likeliest(counts, known[0]).items()
    remaining = pd.DataFrame(
        [(names[w], *(count - known[:, w]), len(counts[w]) == 1) for w, count in chosen],
        columns=["worker", "judgements", "total", "squares", "certain"],
    )
    return scales, remaining.set_index("worker").astype({"judgements": np.int64})


def _likeliest(counts: dict[int, list[ItemCount]], known: np.ndarray) -> dict[int, ItemCount]:
    """Of several possible numbers of items, the one most like the workers with only one.

    The known judgements of a worker are most likely the usual share of all items; where one number
    of items is common among the workers with only one, numbers that are not its multiples count as
    less likely (by a third).
    """
    certain = {w: c[0][0] for w, c in counts.items() if len({n for n, _, _ in c}) == 1}
    numbers = [*certain.values()]
    common = max(numbers, key=lambda n: (numbers.count(n), -n), default=1)
    common = common if numbers.count(common) >= max(3, len(numbers) // 3) else 1
    shares = [n / known[w] for w, n in certain.items() if known[w]]
    usual = float(np.median(shares)) if shares else 1.4

    def unlike(count: ItemCount, w: int) -> float:
        return abs(np.log(count[0] / (usual * max(known[w], 1)))) + 0.3 * (count[0] % common != 0)

    return {w: min(c, key=lambda one: unlike(one, w)) for w, c in counts.items()}
