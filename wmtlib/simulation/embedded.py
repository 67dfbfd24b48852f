"""Small seeded campaigns that stand in where the released judgements are not at hand."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.simulation.designs import Design
from wmtlib.simulation.hit_designs import PROTOCOLS
from wmtlib.simulation.simulate import campaign

# Names under which small seeded campaigns stand in for released ones.
CAMPAIGNS = {f"simulated-{p.lower().replace(' ', '-')}": p for p in PROTOCOLS}
SEED = 2021
EMBEDDED = Design(systems=6, documents=40, judgements=4000, workers=20)


def embedded_campaign(campaign_name: str, language_pair: str) -> pd.DataFrame:
    """A small seeded campaign for when no raw data are at hand: assessments in the tidy form.

    Parameters
    ----------
    campaign_name : str
        One of `CAMPAIGNS`: `simulated-sr-dc`, `simulated-sr+dc` (with a human system), ...
    language_pair : str
        Two made-up codes, `qa-qb` to `qa-qz`; each pair is a campaign of its own.

    Raises
    ------
    DataError
        No such campaign, or no such pair.
    """
    if (protocol := CAMPAIGNS.get(campaign_name)) is None:
        known = ", ".join(CAMPAIGNS)
        raise DataError(f"no simulated campaign {campaign_name!r}; expected one of {known}")
    if re.fullmatch("qa-q[b-z]", language_pair) is None:
        raise DataError(f"no simulated pair {language_pair!r}; expected qa-qb, qa-qc, ... qa-qz")
    human = protocol.startswith("SR+DC")
    design = replace(EMBEDDED, protocol=protocol, human=human, language_pair=language_pair)
    return campaign(design, np.random.default_rng([SEED, ord(language_pair[-1])])).assessments
