"""Direct assessments as they were released, read into one table.

WMT18-20 were released as raw scores (`ad-latest.csv`: all judgements; `ad-good-raw-redup.csv`: the
accepted ones), and so was Facebook's campaign of 2021. Of WMT17, 18, 21 and 22 the public files
hold z-scores, from which `standardised` recovers the scores.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError, DataUnavailable, Origin
from wmtlib.releases import archives, official_tables, text_tables
from wmtlib.releases.documents import (
    documents_by_number,
    documents_from_names,
    documents_from_runs,
    documents_from_source,
)
from wmtlib.releases.official_tables import Opener
from wmtlib.releases.raw_scores import recover_from_scales
from wmtlib.releases.raw_scores_from_means import recover_from_segments
from wmtlib.releases.raw_scores_proof import Standardised
from wmtlib.releases.released_judgements import match, of_pair, read_released, tidy

# --- a language pair -----------------------------------------------------------------------------


NEEDED = r"good-stnd|trk-mean-sd|seg-scores|ad-latest|ad-good-raw|\.sgm$"  # to load assessments


def catalogue(path: Path) -> pd.DataFrame:
    """Every language pair: campaign, language_pair, style, interface, paper, level, reason.

    `level` is what public repositories hold: "item" (single judgements), "segment" (means) or
    "none"; `reason` says why not more.
    """
    table = pd.read_csv(path, keep_default_na=False)
    return table.assign(paper=table["paper"] == "yes")


def described(path: Path, campaign: str, language_pair: str) -> Any:
    """The catalogue's row of a language pair.

    Raises
    ------
    DataError
        There is none.
    """
    table = catalogue(path)
    if (rows := table[table["campaign"] == campaign]).empty:
        known = ", ".join(table["campaign"].unique())
        raise DataError(f"no campaign {campaign!r} of direct assessment; known are {known}")
    if (one := rows[rows["language_pair"] == language_pair]).empty:
        known = ", ".join(rows["language_pair"])
        raise DataError(f"no language pair {language_pair!r} in {campaign}; there are {known}")
    return next(one.itertuples())


def standardised(language_pair: str, open_file: Opener) -> Standardised:
    """Read the z-scores of a language pair and recover the scores."""
    if (opened := next(filter(None, map(open_file, _code(language_pair))), None)) is None:
        raise DataUnavailable(f"{language_pair}: no z-scores are public")
    data, origin = opened
    released = of_pair(read_released(data, origin), language_pair, origin)
    z = text_tables.numbers(released["score"], "score", origin)
    scales = segments = None
    if opened := open_file(f"ad-seg-scores-{language_pair}.csv"):
        segments = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    if opened := open_file(_code(language_pair)[0].replace("good-stnd.csv", "trk-mean-sd.txt")):
        scales = official_tables.read_scales(*opened)
        recovery = recover_from_scales(z, released["WorkerId"], scales, origin)
    else:
        recovery = recover_from_segments(released, z, segments, origin)
    return Standardised(released, z, scales, segments, recovery)


def load(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Assessments of a language pair from what public repositories hold."""
    if campaign == "facebook21":
        return from_raw(*_both(open_file), language_pair, open_file)
    read = standardised(language_pair, open_file)
    origin = Origin(f"{campaign} {language_pair}")
    document = _documents(read.released, language_pair, open_file, origin)
    scores = read.recovery.scores
    return tidy(read.released, language_pair, origin, document=document, score=scores)


def segment_means(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Official segment means of a language pair; see `assessment_releases.load_segment_means`."""
    if (opened := open_file(f"ad-seg-scores-{language_pair}.csv")) is None:
        raise DataUnavailable(f"{campaign} {language_pair}: no segment means are public")
    means = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    sid = means["segment"].astype("category")
    document = _documents(pd.DataFrame({"sid": sid}), language_pair, open_file, opened[1])
    if (document == "").all() and (opened := open_file(_code(language_pair)[1])):
        released = of_pair(read_released(*opened), language_pair, opened[1])
        by_run = documents_from_runs(released, opened[1])
        known = dict(zip(released["sid"], by_run, strict=True))
        document = sid.map(known).astype(object).fillna("").to_numpy()
    return means.assign(document=document)[
        ["system", "document", "segment", "raw", "z", "judgements"]
    ]


def _code(language_pair: str) -> tuple[str, str]:
    """Names of the files of z-scores: one row per judgement, or one row per system."""
    code = language_pair.replace("-", "")
    return f"ad-{code}-good-stnd.csv", f"ad-{code}-good-stnd-redup.csv"


def _both(open_file: Opener) -> tuple[tuple[pd.DataFrame, Origin], ...]:
    opened = [open_file(name) for name in (archives.LATEST, archives.GOOD)]
    return tuple((read_released(data, origin), origin) for data, origin in opened)


def from_raw(
    latest: tuple[pd.DataFrame, Origin],
    good: tuple[pd.DataFrame, Origin],
    language_pair: str,
    open_file: Opener,
) -> pd.DataFrame:
    """Assessments of a language pair from all judgements and the accepted ones; see `match`.

    Parameters
    ----------
    latest, good : pair of DataFrame and Origin
        Columns `RELEASED`, all language pairs.
    """
    all_rows, accepted = (of_pair(f, language_pair, o) for f, o in (latest, good))
    matching = match(all_rows, accepted, good[1])
    lines = [*all_rows.index + 2, *[0] * matching.appended]
    origin = Origin(latest[1].name, lines)
    document = _documents(matching.released, language_pair, open_file, origin)
    return tidy(
        matching.released,
        language_pair,
        origin,
        document=document,
        accepted=matching.accepted,
    )


def from_archive(archive: archives.Archive, row: Any, open_file: Opener) -> pd.DataFrame:
    """Assessments of a language pair (a row of the `catalogue`) from its campaign's archive."""
    latest, good = _of_archive(archive, row.style, row.interface)
    return from_raw(latest, good, row.language_pair, open_file)


@lru_cache(maxsize=2)  # an archive holds many language pairs
def _of_archive(
    archive: archives.Archive, style: str, interface: str
) -> tuple[tuple[pd.DataFrame, Origin], ...]:
    def open_file(name: str) -> tuple[bytes, Origin]:
        return archive.read(style, interface, name), Origin(f"{archive.campaign}: {name}")

    return _both(open_file)


def _documents(
    released: pd.DataFrame, language_pair: str, open_file: Opener, origin: Origin
) -> np.ndarray:
    """Document of each row: from the names of segments, the test set, or the runs; else ""."""
    named = documents_from_names(released["sid"])
    if (named != "").all():
        return named
    source, _, target = language_pair.partition("-")
    for year in ("2017", "2018"):
        if opened := open_file(f"newstest{year}-{source}{target}-src.{source}.sgm"):
            test_set = documents_from_source(*opened)
            return documents_by_number(released["sid"], test_set, origin)
    try:
        return documents_from_runs(released, origin) if "rid" in released else named
    except DataError:
        return named
