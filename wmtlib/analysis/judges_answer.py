"""How far each judge can be relied on, and what the ranking owes to each: `wmtlib judges`."""

import numpy as np
import pandas as pd

from wmtlib.analysis import answer_data, answer_inputs
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.drawings import Drawing
from wmtlib.analysis.judges import RESAMPLES, JudgeReport, agreement, judges
from wmtlib.yours.read import Judgements

LISTED = 25  # judges; of more the least reliable are shown, and all are in files and JSON
RELIABILITY = {
    "judge": "share of decided comparisons that favour the system which all other judges rank"
    " higher; expected: what the others' strengths make likely for these pairs",
    "worker": "correlation of z-scores with the others' mean of the same output; expected: the"
    " median judge",
}


def answer_judges(
    judgements: Judgements,
    *,
    reference: str | None = None,
    seed: int = 0,
    progress: Progress = lambda step, share=0.0: None,
) -> Answer:
    """Judge the judges; `seed` is of the intervals of agreement.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    kind, reference = answer_inputs.kind_and_reference(judgements, reference)
    unit = "judge" if kind == "counts" else "worker"
    frame = judgements.comparisons if kind == "counts" else judgements.assessments
    if unit not in judgements.units or frame[unit].nunique() < 2:
        message = f"tells no {unit}s apart; expected two or more, to hold against each other"
        raise answer_inputs.refusal(judgements, message)
    progress("ranking without each judge")
    data = answer_inputs.method_data(judgements, ["judge", "ranking"])
    found, agreed = judges(data, reference=reference), None
    if kind == "assessments" or "segment" in judgements.units:
        progress("drawing segments")
        data = answer_inputs.method_data(judgements, ["judge", "segment"])
        rng = np.random.default_rng(seed)
        agreed = agreement(data, n_resamples=RESAMPLES, rng=rng)
    method = found.ranking.method
    about = answer_inputs.about(
        judgements,
        "judges",
        answer_inputs.describe_reference(reference, [method], kind),
        reference=reference,
        method=method,
        resamples=None if agreed is None else RESAMPLES,
        seed=seed,
    )
    content = {
        "reference": reference,
        "seed": seed,
        "method": method,
        "fewest": found.fewest,
        "agreement": agreed,
        "judges": found.table,
    }
    title = f"{len(found.table)} judges: how far do they agree?"
    sections = [_agreement_section(agreed, unit), _judges_section(found, unit)]
    return answer_data.answer(judgements, title, about, sections, content)


def _agreement_section(agreed: pd.DataFrame | None, unit: str) -> AnswerSection:
    """Kappa and alpha, or why they cannot be told."""
    if agreed is None:
        text = "Cannot be told: the file names no segments, so nobody is known to judge the same."
        return AnswerSection("Agreement", text)
    if agreed.empty:
        text = f"Cannot be told: no two {unit}s judged the same outputs."
        return AnswerSection("Agreement", text)
    text = (
        "0: as by chance, 1: always. alpha: Krippendorff's, between judges"
        + (" (interval data, z-scores)." if unit == "worker" else " (nominal data).")
        + f" low, high: 95 %, {RESAMPLES} resamples of segments."
    )
    if unit == "judge":
        text += (
            " inter: share of pairs of judgements of the same two outputs, by different judges,"
            " that agree; intra: by one judge; kappa: beyond chance, as WMT defines it."
        )
    return AnswerSection("Agreement", text, (), {"Agreement": agreed})


def _judges_section(found: JudgeReport, unit: str) -> AnswerSection:
    """A row a judge, and how to read it."""
    table, method = found.table, found.ranking.method
    told = int(table["reliability"].notna().sum())
    checked = "decided comparisons" if unit == "judge" else "outputs that others scored too"
    if told:
        text = (
            f"{int(table['doubtful'].sum())} of {told} judges agree less with the others than"
            " expected (doubtful: the whole 95 % interval is below; by chance one in 40 is)."
            f" reliability: {RELIABILITY[unit]}."
        )
    else:
        text = f"Reliability cannot be told: no judge has {found.fewest} {checked}."
    if 0 < told < len(table):
        text += f" Of {len(table) - told} with fewer than {found.fewest} {checked} nothing is said."
    moved, first = int((table["reversed"] > 0).sum()), int((table["first"] != "").sum())
    text += (
        f" Leaving out one judge changes the order by {method} in {moved} of {len(table)} cases"
        f" (reversed: pairs of systems), and who is first in {first}."
    )
    shown = table.head(LISTED).drop(columns=["low", "high"])
    ends = table[["low", "high"]].head(LISTED).to_numpy()
    intervals = ["" if np.isnan(low) else f"{low:.2f}–{high:.2f}" for low, high in ends]
    shown.insert(4, "interval", intervals)
    name = "Judges" if len(table) <= LISTED else f"The {LISTED} least reliable judges"
    details = {"Every judge": table}
    drawn = table[table["reliability"].notna()].head(LISTED)
    caption = (
        f"Reliability of {'the least reliable' if len(drawn) < told else 'the'} judges with 95 %"
        " intervals. Blue: what is expected; orange: doubtful."
    )
    size = (7, 1.2 + 0.22 * len(drawn))
    drawings = [Drawing("reliabilities", {"frame": drawn}, size, caption)] if told else []
    return AnswerSection(f"Judges, by {method}", text, (), {name: shown}, details, drawings)
