"""Choices in the explorer: a language pair or a file, systems to leave out, how to rank."""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path

from wmtlib import scorers
from wmtlib.cluster_lines import RULES, TESTS
from wmtlib.counts import REFERENCE, Counts
from wmtlib.errors import DataError
from wmtlib.files import reader
from wmtlib.study.releases import assessment_catalogue, coded_campaigns, ranking_releases, sources
from wmtlib.study.releases.sources import Source
from wmtlib.zscores import Campaign, encode

SEGMENTS, JUDGEMENTS = WEIGHTINGS = ("segments averaged first", "every judgement alike")
SHARE, P, DIFFERENCE, MET = "share of wins", "p-value", "difference of mean z", "share of HITs met"
SIGNS = ("one-sided", "two-sided")  # the sign tests of relative rankings
HUMANS = "humans"  # among systems to leave out: every human translation


@dataclass(frozen=True, eq=False)
class Subject:
    """One language pair: relative rankings (`Counts`) or direct assessment (`Campaign`).

    Attributes
    ----------
    label : str
    data : Counts or Campaign
    systems, humans : tuple of names, sorted
        Systems that can be left out; the human translations among them.
    scorer : str
        The official one of the year; "" for direct assessment.
    """

    label: str
    data: Counts | Campaign
    systems: tuple[str, ...]
    humans: tuple[str, ...]
    scorer: str

    @property
    def released(self) -> "Choice":
        """Everything in, scored and tested as WMT did."""
        return Choice(scorer=self.scorer, heatmap=SHARE if self.scorer else P)


@dataclass(frozen=True)
class Choice:
    """The systems, judgements and methods that a person chooses.

    Attributes
    ----------
    out : frozenset of names
        Systems as though they had never been judged.
    references : bool
        Whether REF items, or comparisons with the reference, count.
    divisor : float
        Of the scores of human systems and REF items; direct assessment.
    weighting : one of `WEIGHTINGS`; direct assessment
    scorer : one of `scorers.SCORERS`, or "mfas"; relative rankings
    test : one of `rank_sum.TESTS`, or of `SIGNS` for relative rankings
    rule : one of `clusters.RULES`
    heatmap : str
        Values of the heatmap: `SHARE`, `P`, `DIFFERENCE` or `MET`.
    """

    out: frozenset[str] = frozenset()
    references: bool = True
    divisor: float = 1.0
    weighting: str = SEGMENTS
    scorer: str = ""
    test: str = "one-sided"
    rule: str = "official"
    heatmap: str = P


def campaigns_at_hand(source: str | Source) -> dict[str, list[str]]:
    """Language pairs of every campaign at hand: counts, releases and simulated campaigns."""
    tasks = ranking_releases.tasks("embedded")[["campaign", "task"]].to_numpy().tolist()
    table = assessment_catalogue.availability(source).query("status != 'absent'")
    released = table[["campaign", "language_pair"]].to_numpy().tolist()
    found: dict[str, list[str]] = {}
    for campaign, pair in [*tasks, *released, *coded_campaigns.simulated()]:
        found.setdefault(campaign, []).append(pair)
    return found


def load_subject(campaign: str, language_pair: str, *, source: str | Source) -> Subject:
    """Load a language pair, or task of relative rankings; an unknown one raises `DataError`.

    A campaign may be the path of a file of yours, and the language pair one of its tasks or "".
    """
    if not Path(campaign).is_file():
        return _load_released(campaign, language_pair, source=source)
    judged = reader.read(campaign, task=language_pair or None)
    label = f"{Path(campaign).name} {judged.task}".strip()
    if judged.assessments is not None:
        return Subject(label, encode(judged.assessments), judged.systems, (), "")
    names = tuple(name for name in judged.systems if name != REFERENCE)
    return Subject(label, judged.counts, names, (), "expected-wins")


@lru_cache(maxsize=8)
def _load_released(campaign: str, language_pair: str, *, source: str | Source) -> Subject:
    if campaign in sources.RELATIVE_CAMPAIGNS:
        counts = ranking_releases.load_counts(campaign, language_pair, source="embedded")
        names = tuple(name for name in counts.systems if name != REFERENCE)
        official = "expected-wins" if campaign == "wmt12" else "wmt-official"
        return Subject(ranking_releases.label(campaign, language_pair), counts, names, (), official)
    found = coded_campaigns.load_release(campaign, language_pair, source=source)
    return Subject(found.label, found.coded, found.coded.systems, tuple(found.humans), "")


def changed_choice(subject: Subject, **changes: object) -> Choice:
    """The released choice with some changes; refuses what the subject does not have."""
    choice = replace(subject.released, **changes)
    humans = subject.humans if HUMANS in choice.out else ()
    choice = replace(choice, out=frozenset(choice.out) - {HUMANS} | {*humans})
    allowed = options(subject)
    for name in allowed:
        if (value := getattr(choice, name)) not in allowed[name]:
            raise DataError(f"{name} is {value!r}; expected {', '.join(allowed[name])}")
    if unknown := sorted(choice.out - {*subject.systems}):
        raise DataError(f"system is {unknown[0]!r}; expected {', '.join(subject.systems)}")
    if not 1 <= choice.divisor <= 10:
        raise DataError(f"divisor is {choice.divisor!r}; expected a number from 1 to 10")
    return choice


def as_code(campaign: str, language_pair: str, subject: Subject, choice: Choice) -> str:
    """A choice as lines of Python that make it again."""
    changes = {
        field.name: value
        for field in fields(Choice)
        if (value := getattr(choice, field.name)) != getattr(subject.released, field.name)
    }
    if choice.out:
        changes["out"] = sorted(choice.out)
    words = "".join(f", {name}={value!r}" for name, value in changes.items())
    return (
        "from wmtlib.yours.explore import choices, what_if\n"
        f'subject = choices.load_subject({campaign!r}, {language_pair!r}, source="auto")\n'
        f"choice = choices.changed_choice(subject{words})\n"
        "print(what_if.sentence(what_if.compare_with_released(subject, choice)))"
    )


def options(subject: Subject) -> dict[str, tuple[str, ...]]:
    """The names in `Choice` that have a list of values, and the list."""
    if isinstance(subject.data, Counts):
        lists = {"scorer": (*scorers.SCORERS, "mfas"), "test": SIGNS}
        heatmaps: tuple[str, ...] = (SHARE, P)
    else:
        lists = {"test": TESTS, "weighting": WEIGHTINGS}
        heatmaps = (P, DIFFERENCE, MET)
    return {**lists, "rule": RULES, "heatmap": heatmaps}
