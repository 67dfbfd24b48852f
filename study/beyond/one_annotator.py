"""One annotator for all systems of a document, in one HIT, or several. Notebook 64.

Riley et al. (2024) let one rater judge all systems of a document. What that buys is
read off pairs of sittings of one document, of two systems: by one annotator in one HIT
or in two, or by two annotators. The variance of the difference of two systems on a
document is the mean square of

    d = mean over shared segments of (z - system's mean) - (z' - other system's mean),

so in one HIT 1 - (mean d^2 in one HIT) / (mean d^2 of two annotators) of the documents
are not needed. Both means give each document the same weight: the number of its pairs
in one HIT.

The criterion is in the notebook. It was written before any pair was computed here; two
HITs of one annotator were added after that.
"""

from collections.abc import Iterable

import pandas as pd

from study.beyond.honest_line import TestedCampaign
from study.statistics import less_system_means
from wmtlib.zscores import scores_of, usable_cells

UNITS = ["document", "worker"]
SITTINGS = ["document", "system", "worker", "hit", "system_2", "worker_2", "hit_2"]
TWO = "two annotators"


def system_differences(campaigns: Iterable[TestedCampaign]) -> pd.DataFrame:
    """Compute d of pairs of sittings of a document, where campaigns name HITs.

    Judgements of an output that two systems have in common are left out.

    Returns
    -------
    DataFrame
        document, worker, other (worker; -1: the same), d, by ("one HIT", "two HITs" of
        one annotator or `TWO`). Those of two campaigns have different numbers.
    """
    parts = []
    following = pd.Series(0, UNITS)
    for campaign in campaigns:
        values = campaign.values
        if "hit" not in values:
            continue
        cells = usable_cells(campaign.coded, scores_of(campaign.coded, "z"))
        common = pd.Series(cells.judgement).duplicated(keep=False)
        y = less_system_means(values, "z")
        rows = values.assign(y=y, **(values[UNITS] + following))[~common]
        following = rows[UNITS].max() + 1
        pairs = rows.merge(rows, on=["document", "segment"], suffixes=("", "_2"))
        pairs = pairs[pairs["system"] < pairs["system_2"]]
        d = pairs.assign(d=pairs["y"] - pairs["y_2"]).groupby(SITTINGS)["d"].mean()
        parts.append(d.reset_index())
    found = pd.concat(parts, ignore_index=True)
    one_hit = found["hit"] == found["hit_2"]
    by = one_hit.map({True: "one HIT", False: "two HITs"})
    apart = found["worker"] != found["worker_2"]
    other = found["worker_2"].where(apart, -1)
    return found[[*UNITS, "d"]].assign(other=other, by=by.mask(apart, TWO))
