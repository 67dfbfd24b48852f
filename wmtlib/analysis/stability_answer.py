"""What leaving out each system does to the ranking of the others: `wmtlib stability`."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from wmtlib.analysis import answer_data, answer_inputs, leave_one_out
from wmtlib.analysis.answer_inputs import method_data
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.leave_one_out import LeaveOneOut
from wmtlib.yours.read import Judgements


def answer_stability(
    judgements: Judgements,
    method_names: Sequence[str] = (),
    *,
    reference: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = lambda step, share=0.0: None,
) -> Answer:
    """Rank the others without each system; parameters as in `ranking_answer.answer_ranking`."""
    kind, reference = answer_inputs.kind_and_reference(judgements, reference)
    usual = answer_inputs.USUAL_METHODS[kind][:1]
    names = answer_inputs.chosen_methods(method_names, usual, kind)
    data = method_data(judgements, answer_inputs.units_needed(names))

    def apply(name: str) -> LeaveOneOut:
        told = partial(progress, f"leaving out each system, {name}")
        told(0.0)
        options = {"rng": np.random.default_rng(seed), "time_limit": time_limit, "progress": told}
        return leave_one_out.leave_one_out(data, name, reference=reference, **options)

    warnings: list[str] = []
    found = [*answer_inputs.apply_methods(names, method_names, apply, warnings)]
    sections = [_stability_section(result) for result in found]
    if warnings:
        text = "Methods that cannot be applied here."
        sections.append(AnswerSection("Left out", text, warnings))
    applied = [result.ranking.method for result in found]
    about = answer_inputs.about(
        judgements,
        "stability",
        answer_inputs.describe_reference(reference, applied, kind),
        reference=reference,
        methods=",".join(applied),
        time_limit=time_limit,
        seed=seed,
    )
    title = "Would the ranking be another without one of the systems?"
    content = {
        "reference": reference,
        "seed": seed,
        "methods": [
            {
                "method": result.ranking.method,
                "removed": result.table,
                "systems": result.systems,
                "neighbours": result.neighbours,
            }
            for result in found
        ],
    }
    return answer_data.answer(judgements, title, about, sections, content)


def _stability_section(found: LeaveOneOut) -> AnswerSection:
    """What leaving out each system does under one method."""
    changed = int(found.table["changed"].sum())
    text = (
        f"Leaving out a system changes the order of the others in {changed} of"
        f" {len(found.table)} cases."
    )
    if len(moved := found.systems.query("moved > 0")):
        text += f" Most often reversed with others: {moved['system'].iloc[0]}."
    return AnswerSection(
        f"Leaving out ({found.ranking.method})",
        text,
        warnings=[found.note] if found.note else [],
        tables={"Left out": found.table, "Fragile systems": found.systems},
        details={"Neighbours": found.neighbours},
    )
