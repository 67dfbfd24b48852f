"""What columns of users' files may be called, the roles that they play, and the layouts of roles.

Names are written in lower case, with underscores between words; see `column_roles.key`.
"""

from itertools import chain
from typing import NamedTuple


def _pairs(*names: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pair.split()) for pair in names)


PAIR_NAMES = _pairs(  # names of the columns of the two systems that are compared
    *("a b", "system_a system_b", "systema systemb", "model_a model_b", "sys_a sys_b"),
    *("system_1 system_2", "system1 system2", "sys_1 sys_2", "sys1 sys2", "left right"),
    *("model_1 model_2", "model1 model2", "left_system right_system", "system1id system2id"),
)
PAIRED = {  # roles that come two by two, and the names of their columns
    ("a", "b"): PAIR_NAMES,
    ("winner", "loser"): _pairs("winner loser"),
    ("wins_a", "wins_b"): _pairs("wins_a wins_b", "wins_1 wins_2", "wins1 wins2", "a_wins b_wins"),
    ("rank_a", "rank_b"): _pairs("system1rank system2rank", "rank_a rank_b", "rank_1 rank_2"),
}
LANGUAGES = _pairs(  # source and target language
    *("src_lang tgt_lang", "source_lang target_lang", "source_language target_language"),
    *("srclang trglang", "srclang tgtlang", "src tgt", "src trg", "source target"),
)
TASK_NAMES: tuple[tuple[str, ...], ...] = (  # the first that a file has is the task
    ("task",),
    ("language_pair", "lang_pair", "langpair", "lp", "translation_direction"),
    ("pair", "direction", "langs", "languages", "language", "lang"),
    ("target_lang", "tgt_lang", "target_language", "tgt", "trg", "target"),
    ("source_lang", "src_lang", "source_language", "src", "source"),
    ("dataset", "domain", "testset", "test_set", "subset"),
)
NEVER_TASKS = (  # they divide a file, too, but are not taken for its tasks
    *("category", "genre", "topic", "criterion", "aspect", "dimension", "campaign", "year", "type"),
)
ONLY_LANGUAGES = {*chain(*LANGUAGES, *TASK_NAMES[2:5])}  # a task only if they hold languages
PEOPLE = ("annotator", "annotator_id", "rater", "rater_id", "user", "user_id")
ALIASES = {
    "outcome": ("outcome", "winner", "verdict", "preference", "result"),
    "count": ("count", "counts", "weight", "weights", "frequency", "votes", "n"),
    "ties": ("ties", "tie", "draws"),
    "judge": ("judge", "judge_id", "judgeid", *PEOPLE, "worker", "worker_id"),
    "worker": ("worker", "worker_id", *PEOPLE, "judge", "judge_id"),
    "segment": ("segment", "segment_id", "sid", "question_id", "prompt_id", "srcindex"),
    "ranking": ("ranking", "ranking_id", "rankingid"),
    "system": ("system", "system_id", "sys", "sys_id", "model"),
    "rank": ("rank",),
    "score": ("score", "raw_score", "rating"),
    "hit": ("hit", "hit_id"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "item": ("item", "item_type"),
    "accepted": ("accepted",),
}
OF_COMPARISONS = ("judge", "segment", "ranking")
UNITS = {  # roles that can be resampled
    "rankings": OF_COMPARISONS,
    "pairwise": OF_COMPARISONS,
    "assessments": ("worker", "hit", "document", "segment"),
}
TASK = ("task", "target")  # with a target, the task is source-target


class Layout(NamedTuple):
    """A way to lay out judgements of a kind: roles that a file must have, and that it may have."""

    kind: str
    needed: tuple[str, ...]
    more: tuple[str, ...]


MORE = (*OF_COMPARISONS, *TASK)
LAYOUTS = {  # the commonest first: of several of one kind that fit a file, it is meant
    "outcomes": Layout("pairwise", ("a", "b", "outcome"), ("count", *MORE)),
    "ranked pairs": Layout("pairwise", ("a", "b", "rank_a", "rank_b"), MORE),
    "wins": Layout("pairwise", ("a", "b", "wins_a", "wins_b"), ("ties", *TASK)),
    "winners": Layout("pairwise", ("winner", "loser"), ("count", *MORE)),
    "rankings": Layout("rankings", ("ranking", "system", "rank"), MORE),
    "assessments": Layout(
        "assessments",
        ("worker", "system", "segment", "score"),
        ("hit", "document", "item", "accepted", *TASK),
    ),
}
