"""How many more judgements set neighbours apart, and which to collect: `wmtlib plan`."""

from functools import partial

import numpy as np

from wmtlib.analysis import answer_data, answer_inputs, unit_warnings
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.drawings import Drawing
from wmtlib.analysis.plan import MOST, Plan, plan
from wmtlib.analysis.plan_defaults import CHANCE, MORE, RESAMPLES
from wmtlib.yours.read import Judgements

LISTED = 3  # pairs to judge next
DRAWN = 40  # pairs in the figure


def answer_plan(
    judgements: Judgements,
    *,
    reference: str | None = None,
    unit: str | None = None,
    more: int = MORE,
    chance: float = CHANCE,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = lambda step, share=0.0: None,
) -> Answer:
    """Plan more judgements: parameters as in `plan.plan` and `ranking_answer.answer_ranking`."""
    kind, reference = answer_inputs.kind_and_reference(judgements, reference)
    unit = unit or answer_inputs.default_unit(judgements)
    answer_inputs.require_unit(judgements, unit)
    settings = {"more": more, "chance": chance, "n_resamples": n_resamples}
    found = plan(
        answer_inputs.method_data(judgements, [unit]),
        unit=unit,
        rng=np.random.default_rng(seed),
        reference=reference,
        progress=partial(progress, f"ranking {n_resamples} resamples by {unit}"),
        **settings,
    )
    method = found.ranking.method
    about = answer_inputs.about(
        judgements,
        "plan",
        answer_inputs.describe_reference(reference, [method], kind),
        reference=reference,
        method=method,
        unit=unit,
        seed=seed,
        **settings,
    )
    content = {"reference": reference, "seed": seed, "unit": unit, **settings}
    content |= {
        "method": method,
        "judgements": found.judgements,
        "design_effect": found.design_effect,
        "neighbours": found.table,
    }
    title = "How many more judgements would set neighbours apart?"
    return answer_data.answer(judgements, title, about, [_section(found, judgements)], content)


def _section(found: Plan, judgements: Judgements) -> AnswerSection:
    """The neighbours, and how to read what is said of them."""
    table, unit = found.table, found.unit
    what = "scores" if judgements.kind == "assessments" else "comparisons"
    apart = int(table["apart"].sum())
    text = (
        f"{apart} of {len(table)} pairs of neighbours are apart now. {_next(found)} needed: {what}"
        f" more, spread over pairs as the {found.judgements} at hand, until the chance to be apart"
        f" is {found.chance:.0%} (blank: more than {MOST} times those at hand); then: the chance"
        f" after {found.more} more; alone: the same if all {found.more} are of this pair. Apart:"
        f" the difference is significant (t test, two-sided 5 %, error resampled by {unit}, not"
        f" corrected for the number of pairs). Taken for granted: further {unit}s judge like those"
        f" at hand. The true difference is not known; the chances average over it. On WMT's"
        " campaigns half of the pairs that were open and given 60 % or more came apart: plan for"
        " more, and look again on the way."
    )
    if judgements.kind == "rankings" and "ranking" in judgements.units:
        each = judgements.counts.comparisons / judgements.comparisons["ranking"].nunique()
        text += f" One ranking gives {each:.1f} comparisons."
    if found.design_effect >= 1.05:  # 1.0 would be nothing to tell
        text += (
            f" {found.design_effect:.1f} comparisons of this file tell as much as one that has"
            " nothing in common with others."
        )
    warnings = [*found.warnings, *unit_warnings.warnings_for(judgements.units, unit)]
    title = f"Neighbours by {found.ranking.method}, errors by {unit}"
    details = {"Posterior": table[["above", "below", "expected", "deviation"]]}
    shown = table[["above", "below", "apart", "needed", "then", "alone", "difference", "error"]]
    drawn = table[~table["apart"]].head(DRAWN)
    caption = (
        f"Pairs that are not apart: the chance that they are after {found.more} more {what}, spread"
        f" over pairs (dots) or all of this pair (diamonds). Dashed: {found.chance:.0%}; on the"
        " right, how many more it takes, spread over pairs."
    )
    given, size = {"frame": drawn, "chance": found.chance}, (7, 1.2 + 0.27 * len(drawn))
    drawings = [Drawing("chances", given, size, caption)] if len(drawn) else []
    return AnswerSection(title, text, warnings, {"Neighbours": shown}, details, drawings)


def _next(found: Plan) -> str:
    """The pairs that are not apart and gain most from judgements of their own."""
    open_pairs = found.table[~found.table["apart"]]
    if open_pairs.empty:
        return "All are apart: no pair needs more."
    best = open_pairs.sort_values("alone", ascending=False, kind="stable").head(LISTED)
    rows = zip(best["above"], best["below"], best["alone"], strict=True)
    pairs = "; ".join(f"{above} and {below} ({chance:.2f})" for above, below, chance in rows)
    return f"Judge next, for most gain per judgement (alone): {pairs}."
