"""Votes on language models: llmfao, a small public arena.

Dmitry Ustalov's crowd compared the answers of 59 language models to 13 prompts, two at
a time (8931 votes of 124 judges; CC BY 4.0).
"""

import pandas as pd

from study.data import sources
from study.data.sources import Source
from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.files.judgements import pseudonyms

LLMFAO = "llmfao"
OUTCOMES = {"left": FIRST, "right": SECOND, "tie": TIE}


def load_llmfao(*, source: str | Source = "auto") -> pd.DataFrame:
    """Load the votes of llmfao, one row each; what was shown left is first.

    Returns
    -------
    DataFrame
        segment (the prompt), judge (by number), system_1, system_2, preference; as of
        `ranking_releases.load_comparisons`.

    Raises
    ------
    DataUnavailable
        The source does not have the votes.
    """
    files = sources.public_files(LLMFAO)
    (path,) = sources.local_files(files, source, "no votes are embedded").values()
    votes = pd.read_csv(path)
    names = pd.CategoricalDtype(sorted({*votes["left"], *votes["right"]}))
    return pd.DataFrame(
        {
            "segment": votes["prompt"].astype("int32"),
            "judge": pseudonyms(votes["worker"]),
            "system_1": votes["left"].astype(names),
            "system_2": votes["right"].astype(names),
            "preference": votes["winner"].map(OUTCOMES).astype("int8"),
        }
    )
