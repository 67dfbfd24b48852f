"""Which preference model predicts the judgements of a file best: `wmtlib compare`."""

from collections.abc import Sequence

import numpy as np

from wmtlib.analysis import answer_data, answer_inputs, cross_validation
from wmtlib.analysis.answer_inputs import method_data, refusal
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.cross_validation import CrossValidation
from wmtlib.analysis.drawings import Drawing
from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.yours.read import Judgements


def answer_models(
    judgements: Judgements,
    model_names: Sequence[str] = (),
    *,
    reference: str | None = None,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress = lambda step, share=0.0: None,
) -> Answer:
    """Held-out perplexity of preference models (Hopkins & May 2013).

    A reference, if one is named, is left out altogether; otherwise every system counts. What is
    held out is by default the largest unit of which the file tells enough apart: judgements that
    share a judge or a ranking are alike, and a model that has seen one of them predicts the others
    too well. For the other parameters see `cross_validation.cross_validate`.

    Raises
    ------
    DataError
        The judgements are assessments, or one line on what else cannot be done.
    """
    if judgements.kind == "assessments":
        raise refusal(judgements, "holds assessments; compare needs comparisons or rankings")
    unit = unit or answer_inputs.default_unit(judgements, at_least=max(folds, 2))
    answer_inputs.require_unit(judgements, unit)
    answer_inputs.require_reference(judgements, reference)
    data, effect = method_data(judgements, ["segment", unit]), ""
    if reference:
        effect = f"{reference} (left out, with all comparisons with it)"
        data = counting.without(data, reference)
        if not counting.counts(data).comparisons:
            raise refusal(judgements, f"no comparisons without {reference!r}")
    elif REFERENCE in judgements.systems:
        effect = f"{REFERENCE} (counts as a system)"
    settings = {"unit": unit, "folds": folds, "repeats": repeats}
    found = cross_validation.cross_validate(
        data,
        [*model_names] or None,
        rng=np.random.default_rng(seed),
        progress=lambda model, share: progress(
            f"predicting {folds} parts from the others by {model}", share
        ),
        **settings,
    )
    about = answer_inputs.about(
        judgements, "compare", effect, reference=reference, **settings, seed=seed
    )
    content = {"reference": reference, "seed": seed, **settings, "models": found.table}
    title = "Which analysis should be trusted here?"
    return answer_data.answer(
        judgements, title, about, [_perplexity_section(found, judgements)], content
    )


def _warning(judgements: Judgements, unit: str) -> list[str]:
    """Why the perplexities are too low: what is held out shares a larger unit with the rest."""
    frame, order = judgements.comparisons, [*answer_inputs.LARGEST_FIRST, COMPARISON]
    larger = [u for u in order[: order.index(unit)] if u in judgements.units]
    shared = [u for u in larger if frame[u].nunique() > 1]
    if shared:
        text = (
            f"others of the same {' or '.join(shared)} were trained on; hold out whole {shared[0]}s"
        )
        return [f"{unit}s were held out, and {text} (--unit {shared[0]})"]
    if unit == COMPARISON:
        text = "the file tells no judges, rankings or segments apart"
        return [f"comparisons were held out one by one: {text}, so perplexities may be too low"]
    return []


def _perplexity_section(found: CrossValidation, judgements: Judgements) -> AnswerSection:
    """Models in the order of how well they predict."""
    best, table = found.table.iloc[0], found.table
    near = table[table["difference"] <= 2 * table["difference_error"]]
    text = (
        f"{best['model']} predicts held-out judgements best: perplexity {best['perplexity']:.3f},"
        " where 3 is knowing nothing and 1 knowing all (one of win, loss, tie)."
    )
    if others := [name for name in near["model"] if name != best["model"]]:
        text += f" Within two standard errors of it: {', '.join(others)}."
    caption = (
        f"Perplexity on held-out {found.unit}s, {found.folds} folds, {found.repeats} repeat(s);"
        " bars: two standard errors."
    )
    return AnswerSection(
        "Held-out perplexity",
        text,
        warnings=[*filter(None, [found.note]), *_warning(judgements, found.unit)],
        tables={"Models": table},
        drawings=[Drawing("perplexities", {"frame": table}, (7, 1.2 + 0.27 * len(table)), caption)],
    )
