"""Comparisons of two systems, however they are laid out: checked and counted."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib.checks import clean, of_repeats
from wmtlib.counts import FIRST, SECOND, TIE, UNRANKED
from wmtlib.errors import first_row, join_names, setting, short_repr, warning, ways
from wmtlib.ranking import TOLERANCE
from wmtlib.reading.cells import (
    FLAGS,
    are_set,
    ask_about_direction,
    check_cells,
    cleaned,
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.reading.columns import MATRIX, OF_COMPARISONS, Options
from wmtlib.reading.judgements import (
    SIDES,
    Judgements,
    count_comparisons,
    of_comparisons,
    summed,
)
from wmtlib.reading.outcomes import SKIPPED, preferences_of
from wmtlib.reading.ranking_layouts import pseudonyms
from wmtlib.reading.tables import KNOWN, Table, as_text

BOTH_WAYS = (
    "pairs of systems are in both directions with the same numbers, which count"
    " twice; if they are the same comparisons, keep one row for each pair"
)
FEW = 12  # different comparisons; of fewer nothing is said if all are equally often
WINS = {"wins_a": FIRST, "wins_b": SECOND, "ties": TIE}


def read_comparisons(table: Table, options: Options, task: str | None) -> Judgements:
    """Check and count the comparisons of one task."""
    if table.layout == "winners":
        systems = {"winner": "a", "loser": "b"}
        used = {systems.get(role, role): name for role, name in table.used.items()}
        table = replace(table, used=used)
    units = [unit for unit in OF_COMPARISONS if unit in table.used]
    frame, warnings, reading = _laid_out(table, options)
    frame, about_names = split_joint_names(frame, options, table.origin)
    task, frame = of_task(frame, task, table.origin)
    # A row of the file is several where it holds numbers of wins.
    rows = int(frame.drop_duplicates("place")["n"].sum())
    frame = frame.rename(columns=dict(zip("ab", SIDES, strict=True)))
    keys = [role for role in (*SIDES, "preference", "outcome", *units) if role in frame]
    frame = summed(frame, keys, ["n", "count"])
    warnings += about_names
    if table.layout not in ("wins", MATRIX.name):
        warnings += _repeats(frame["n"], units)
    frame = frame[(frame["count"] > 0) & (frame["preference"] != SKIPPED)]
    if frame.empty:
        raise table.origin.refuse(
            "holds no comparisons: all are skipped or count 0 times"
        )
    comparisons = count_comparisons(frame, units)
    if "judge_group" in units and (comparisons["judge_group"] == "").any():
        comparisons, line = _deal_unknown(comparisons, units)
        warnings.append(line)
    people = {}
    if "judge" in units:
        judges = comparisons["judge"].cat
        hidden = [*pseudonyms(judges.categories)]
        comparisons = comparisons.assign(judge=judges.rename_categories(hidden))
        people = dict(zip(hidden, judges.categories, strict=True))
    return of_comparisons(
        comparisons,
        kind="pairwise",
        rows=rows,
        task=task,
        people=people,
        reading=reading,
        warnings=tuple(warnings),
    )


# --- layouts --------------------------------------------------------------------------


def _laid_out(table: Table, options: Options) -> tuple[pd.DataFrame, list[str], str]:
    """Return systems, preference, units, and count; warnings, and a remark.

    A row is several comparisons if it counts so often.
    """
    if table.layout == MATRIX.name:
        reading = "a square matrix: wins of the row's system over the column's"
        return *_of_matrix(table, options), reading
    frame, warnings = select_rows(table, options, grouped=True)
    times = whole_numbers(frame["count"]) if "count" in frame else 1
    frame["count"] = frame["n"] * times
    reading = ""
    is_tied = are_set(frame, FLAGS)
    if table.layout == "outcomes":
        if is_tied.any():
            outcome = frame["outcome"].astype(object).mask(is_tied, "tie")
            frame["outcome"] = as_text(outcome)
        is_swapped = are_set(frame, ["swapped"])
        if is_swapped.any():
            sides = frame[["a", "b"]].astype(object)
            frame["a"] = as_text(sides["a"].mask(is_swapped, sides["b"]))
            frame["b"] = as_text(sides["b"].mask(is_swapped, sides["a"]))
        chosen = options.outcomes
        names = (table.used["a"], table.used["outcome"])
        is_own = names == ("system_1", "preference")  # of this package
        if is_own and "0" in frame["outcome"].cat.categories:
            chosen = {"0": "tie", **chosen}
        frame["preference"], doubts, reading = preferences_of(frame, chosen, table)
        warnings += doubts
    elif table.layout == "wins":
        warnings += _both_ways(table, frame, options)
        frame = _of_wins(frame)
    elif table.layout == "winners":
        frame["preference"] = np.where(is_tied, TIE, FIRST)
    else:
        frame["preference"] = _of_numbers(table, frame, options)
    return frame, warnings, reading


def _of_wins(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for the wins of each system of a row, and one for their ties."""
    parts = []
    for role in frame.columns.intersection([*WINS]):
        number = frame["n"] * whole_numbers(frame[role])
        parts.append(frame.assign(preference=WINS[role], count=number))
    return pd.concat(parts, ignore_index=True)


def _both_ways(table: Table, frame: pd.DataFrame, options: Options) -> list[str]:
    """Warn of pairs in both directions with the same numbers; refuse shares."""
    pairs = frame[["a", "b"]].astype(object)
    if pairs.duplicated().any():
        return []
    numbers = frame[frame.columns.intersection([*WINS])].apply(whole_numbers)
    _ask_about_wins(table, options, numbers.sum(axis=1), "row")
    pairs = pairs.join(numbers)
    both = pairs.merge(pairs, left_on=["a", "b"], right_on=["b", "a"])
    if len(both) and (both["wins_a_x"] == both["wins_b_y"]).all():
        return [warning("counted_twice", f"{len(both) // 2} {BOTH_WAYS}")]
    return []


def _of_numbers(table: Table, frame: pd.DataFrame, options: Options) -> np.ndarray:
    """Compare the scores of two systems, or their ranks; nearly equal ones tie."""
    is_ranked = table.layout == "ranked pairs"
    roles = ["rank_b", "rank_a"] if is_ranked else ["score_a", "score_b"]  # 1 is good
    numbers = frame[roles].astype(object).apply(pd.to_numeric, errors="coerce")
    if (row := first_row(numbers.isna().any(axis=1))) is not None:
        fault = f"scores are {join_names(frame.iloc[row][roles])}; expected two numbers"
        raise table.origin.refuse(fault, row=frame["place"].iloc[row])
    if not is_ranked:
        scores = numbers.melt(ignore_index=False).reset_index(names="row")
        names = [table.used[role] for role in roles]
        values = scores["value"]
        ask_about_direction(table.origin, names, values, scores["row"], options)
    first, second = (numbers[role] for role in roles)
    last_bits = 2 * np.spacing(numbers.abs().to_numpy().max())
    is_level = np.isclose(first, second, rtol=TOLERANCE, atol=last_bits)
    ahead = (first - second).mask(is_level, 0)
    if options.lower_is_better:
        ahead = -ahead
    is_unranked = is_ranked & (numbers == UNRANKED).any(axis=1)
    return np.select([is_unranked, ahead > 0, ahead < 0], [SKIPPED, FIRST, SECOND], TIE)


def _ask_about_wins(
    table: Table, options: Options, total: pd.Series, unit: str, fault: str = ""
) -> None:
    """Refuse what may be no numbers of wins, until the user says it.

    There is a fault, or the sums of all pairs are the same, as of shares, or are 100
    but for rounding.
    """
    total = total[total > 0]
    same = 100 if (total - 100).abs().max() <= 1 else total.max()
    if len(total) >= 3 and (total - same).abs().max() <= (same == 100) and same > 1:
        fault = f"every {unit} adds up to {same:g}, as shares do; expected"
        fault = f"{fault} numbers of wins"
    if fault and options.kind is None:
        wins = setting("kind", "pairwise")
        raise table.origin.refuse(fault, ways({"if they are": wins}))


def _of_matrix(table: Table, options: Options) -> tuple[pd.DataFrame, list[str]]:
    """Return the cells beside the diagonal, and a warning of wins on it."""
    first, *others = table.header
    columns = {f"wins over {name}": name for name in others}
    wins, warnings = cleaned(table.select(columns | {"a": first}))
    frame = wins.melt(["a", "n", "place"], var_name="b", value_name="wins")
    frame["b"] = frame["b"].str.removeprefix("wins over ").map(clean)
    is_diagonal = frame["a"].astype(object) == frame["b"]
    diagonal = pd.to_numeric(frame["wins"][is_diagonal], errors="coerce")
    if diagonal.any():
        fault = f"the diagonal holds {diagonal.max():g}"
        warnings.append(f"{fault}: no system wins over itself, it is left out")
    frame = frame[~is_diagonal].sort_values("place", kind="stable")
    frame["wins"] = frame["wins"].str.strip().replace("", "0")  # an empty cell
    for role in ("a", "b", "wins"):
        frame[role] = as_text(frame[role])
    check_cells(table, frame)
    frame["count"] = whole_numbers(frame["wins"])
    cells = frame.pivot(index="a", columns="b", values="count")
    names = [*map(clean, others)]
    _check_systems(cells.loc[names, names], table, options)
    return frame.assign(preference=FIRST), warnings


def _check_systems(cells: pd.DataFrame, table: Table, options: Options) -> None:
    """Refuse cells that are no numbers of wins, and sums and averages as systems.

    These are known by their values: with two other systems they may be so by chance,
    and the name has to say it too.
    """
    wins = cells.fillna(0)
    is_varied = cells.stack().nunique() > 1
    total = wins.sum()
    for name in cells:
        row = wins.loc[name].drop(name)
        sums = total.drop(name) - row  # of the cells of the others
        means = (sums / max(len(cells) - 2, 1)).round()
        for what, summary in (("sums", sums), ("means", means)):
            if not np.array_equal(row, summary):
                continue
            others = cells.drop(index=name, columns=name)
            is_certain = len(others) > 2 and is_varied and others.stack().nunique() > 1
            if is_certain or name.casefold() in KNOWN["totals"]:
                fault = (
                    f"row and column {short_repr(name)} are the {what} of the others"
                )
                raise table.origin.refuse(f"{fault}; expected systems: leave it out")
    fault = ""
    if cells.equals(cells.T):
        fault = "the two cells of every pair are equal, as numbers of comparisons are"
    elif not (np.triu(wins).any() and np.tril(wins).any()):
        fault = "one side of the diagonal is empty; expected wins in both directions"
    if len(cells) < 3:
        fault = ""
    both = (cells + cells.T).stack()
    _ask_about_wins(table, options, both, "pair of cells", fault)


# --- counted --------------------------------------------------------------------------


def _repeats(numbers: pd.Series, units: Sequence[str]) -> list[str]:
    """Warn of a file that holds everything several times, or judgements several times.

    `numbers` says how often each different row is in the file.
    """
    times = int(np.gcd.reduce(numbers))
    if times > 1 and len(numbers) >= FEW:
        fault = f"every row is there {times} times, or a multiple of {times}; each"
        fault = f"{fault} counts; if the file was put together from copies, remove them"
        return [warning("repeated_rows", fault)]
    rows = int(numbers.sum())
    repeats = rows - len(numbers) if {"judge", "segment"} <= {*units} else 0
    same = "judge, segment, systems and outcome"
    return of_repeats(repeats, rows, "comparisons", same)


def _deal_unknown(
    comparisons: pd.DataFrame, units: list[str]
) -> tuple[pd.DataFrame, str]:
    """Deal comparisons without a judge to the groups of judges at random; warn of it.

    Each counts as that of one more judge, who could be in any group: where people came
    once, the standard errors are those by comparison. Left together, as a group of
    their own, they would count as one judge: a sample would hold all of them, several
    times over, or none.
    """
    is_unknown = comparisons["judge_group"] == ""
    unknown = comparisons[is_unknown].sort_values([*comparisons.columns[:-1]])
    groups = comparisons["judge_group"].cat.categories.drop("")
    line = (
        f"{unknown['count'].sum()} of {comparisons['count'].sum()} comparisons have no"
        " judge"
    )
    if groups.empty:
        comparisons = comparisons.drop(columns="judge_group")
        return comparisons, f"{line}: there are no groups of judges"
    shares = np.full(len(groups), 1 / len(groups))
    times = np.random.default_rng(0).multinomial(unknown["count"], shares)
    row, number = np.nonzero(times)
    dealt = unknown.iloc[row]
    dealt = dealt.assign(judge_group=groups[number], count=times[row, number])
    line += (
        " and are dealt to groups at random; if few people gave them, intervals are too"
        " narrow"
    )
    dealt = pd.concat([comparisons[~is_unknown], dealt])
    return count_comparisons(dealt, units), line
