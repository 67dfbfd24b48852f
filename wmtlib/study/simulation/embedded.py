"""Small seeded campaigns that stand in where the released judgements are not at hand."""

import re

import numpy as np
import pandas as pd

from wmtlib.errors import DataError
from wmtlib.study.simulation.designs import calibrated
from wmtlib.study.simulation.hit_designs import PROTOCOLS, RUNS
from wmtlib.study.simulation.simulate import campaign

CAMPAIGNS = {f"simulated-{p.lower().replace(' ', '-')}": p for p in PROTOCOLS}
SEED = 2021
SIZE = {"systems": 6, "documents": 40, "judgements": 4000, "workers": 20}
HUMAN_QUALITY = 10.0  # points above the average system


def embedded_campaign(name: str, language_pair: str) -> pd.DataFrame:
    """Assessments of a small seeded campaign, as `tidy_assessments` gives them.

    Parameters
    ----------
    name : str
        One of `CAMPAIGNS`: `simulated-sr-dc`, `simulated-sr+dc` (with a human system), ...
    language_pair : str
        Two made-up codes, `qa-qb` to `qa-qz`; each pair is a campaign of its own.

    Raises
    ------
    DataError
        No such campaign, or no such pair.
    """
    if (protocol := CAMPAIGNS.get(name)) is None:
        known = ", ".join(CAMPAIGNS)
        raise DataError(f"no simulated campaign {name!r}; expected one of {known}")
    if re.fullmatch("qa-q[b-z]", language_pair) is None:
        raise DataError(f"no simulated pair {language_pair!r}; expected qa-qb, qa-qc, ... qa-qz")
    documents = protocol in RUNS  # with document context, and then with a human system
    design = calibrated(
        "SR+DC" if documents else "SR-DC",
        protocol=protocol,
        human_quality=HUMAN_QUALITY if documents else None,
        language_pair=language_pair,
        **SIZE,
    )
    return campaign(design, np.random.default_rng([SEED, ord(language_pair[-1])])).assessments
