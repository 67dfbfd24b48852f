"""How far each judge can be relied on, and what the ranking owes to each: `wmtlib judges`."""

from wmtlib.analysis import answer_data, answer_inputs
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.judges import JudgeReport, judges
from wmtlib.files.user_judgements import Judgements

LISTED = 25  # judges; of more the least reliable are shown, and all are in files and JSON


def answer_judges(
    judgements: Judgements,
    *,
    reference: str | None = None,
    seed: int = 0,
    progress: Progress = lambda step: None,
) -> Answer:
    """Judge the judges; nothing is drawn at random, so `seed` does nothing.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    answer_inputs.require_choice_of_reference(judgements, reference)
    kind, reference = answer_inputs.method_kind(judgements), reference or None
    unit = "judge" if kind == "counts" else "worker"
    if unit not in judgements.units:
        message = f"names no {unit}s, or one alone; judges need two to be held against each other"
        raise answer_inputs.refusal(judgements, message)
    progress("ranking without each judge")
    found = judges(answer_inputs.method_data(judgements, ["judge", "ranking"]), reference=reference)
    method = found.ranking.method
    about = answer_inputs.about(
        judgements,
        "judges",
        answer_inputs.describe_reference(reference, [method], kind),
        reference=reference,
        method=method,
    )
    content = {
        "reference": reference,
        "seed": seed,
        "method": method,
        "fewest": found.fewest,
        "judges": found.table,
    }
    title = f"{len(found.table)} judges: whom can one rely on?"
    sections = [_section(found, unit)]
    return answer_data.answer(judgements, title, about, sections, content)


def _section(found: JudgeReport, unit: str) -> AnswerSection:
    """A row a judge, and how to read it."""
    table, method = found.table, found.ranking.method
    told = int(table["reliability"].notna().sum())
    checked = "decided comparisons" if unit == "judge" else "outputs that others scored too"
    if told:
        text = (
            f"{int(table['doubtful'].sum())} of {told} judges agree less with the others than"
            " expected (doubtful: the whole 95 % interval is below; by chance one in 40 is)."
        )
    else:
        text = f"Reliability cannot be told: no judge has {found.fewest} {checked}."
    if unit == "judge":
        text += (
            " reliability: share of the decided comparisons that favour the system which all other"
            " judges together rank higher; expected: what their strengths make likely for these"
            " pairs."
        )
    else:
        text += (
            " reliability: correlation of z-scores with the others' mean of the same output;"
            " expected: the median judge."
        )
    if 0 < told < len(table):
        text += f" Of {len(table) - told} with fewer than {found.fewest} {checked} nothing is said."
    moved, first = int((table["reversed"] > 0).sum()), int((table["first"] != "").sum())
    text += (
        f" Leaving out one judge changes the order by {method} in {moved} of {len(table)} cases"
        f" (reversed: pairs of systems), and who is first in {first}."
    )
    details = {"Judges": table}
    tables = {"Least reliable": table.head(LISTED)} if len(table) > LISTED else details
    return AnswerSection(f"Judges, by {method}", text, (), tables, details)
