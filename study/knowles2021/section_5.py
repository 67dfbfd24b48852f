"""Section 5: z-scores in practice (Knowles 2021): what moves the z-score of a score."""

import numpy as np
import pandas as pd

TOY_HITS = ((25, 50, 50, 75), (0, 25, 50, 75), (25, 50, 75, 100))  # section 5


def toy_scores() -> pd.Series:
    """Compute the z-score of 50 in each of the three HITs of section 5's example."""
    z = {
        ", ".join(map(str, hit)): (50 - np.mean(hit)) / np.std(hit, ddof=1)
        for hit in TOY_HITS
    }
    return pd.Series(z, name="z-score of 50").rename_axis("scores of the HIT")
