"""Direct assessments of a language pair, read from the files of its release.

WMT18-20 were released as raw scores (`ad-latest.csv`: all judgements; `ad-good-raw-redup.csv`: the
accepted ones), and so was Facebook's campaign of 2021. The public files of WMT17, 18, 21 and 22
hold z-scores, from which `read_z_scores` recovers the scores.
"""

from functools import lru_cache

import pandas as pd

from wmtlib.errors import DataUnavailable, Origin
from wmtlib.study.releases import archives, official_tables, text_tables
from wmtlib.study.releases.documents import documents_from_runs, documents_of
from wmtlib.study.releases.official_tables import Opener
from wmtlib.study.releases.raw_scores import recover_from_scales
from wmtlib.study.releases.raw_scores_from_means import recover_from_means
from wmtlib.study.releases.raw_scores_proof import ZScoreRelease
from wmtlib.study.releases.released_judgements import mark_accepted, of_pair, read_released, tidy

ReleasedTable = tuple[pd.DataFrame, Origin]  # columns `RELEASED`, and the file they come from


def read_standardised(language_pair: str, open_file: Opener) -> ReleasedTable:
    """Read the judgements of a language pair that was released as z-scores, as text."""
    code = language_pair.replace("-", "")
    names = f"ad-{code}-good-stnd.csv", f"ad-{code}-good-stnd-redup.csv"  # in WMT21, 22 the latter
    if (opened := open_file(names[0]) or open_file(names[1])) is None:
        raise DataUnavailable(f"{language_pair}: no z-scores are public")
    data, origin = opened
    return of_pair(read_released(data, origin), language_pair, origin), origin


def read_z_scores(language_pair: str, open_file: Opener) -> ZScoreRelease:
    """Read the z-scores of a language pair and recover the scores."""
    code = language_pair.replace("-", "")
    released, origin = read_standardised(language_pair, open_file)
    z = text_tables.numbers(released["score"], "score", origin)
    scales = segments = None
    if opened := open_file(f"ad-seg-scores-{language_pair}.csv"):
        segments = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    if opened := open_file(f"ad-{code}-trk-mean-sd.txt"):
        scales = official_tables.read_scales(*opened)
        recovered = recover_from_scales(z, released["WorkerId"], scales, origin)
    else:
        recovered = recover_from_means(released, z, segments, origin)
    return ZScoreRelease(released, z, scales, segments, recovered)


def from_z_scores(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Assessments of a language pair from its z-scores; all are accepted."""
    release = read_z_scores(language_pair, open_file)
    origin = Origin(f"{campaign} {language_pair}")
    document = documents_of(release.released, language_pair, open_file, origin)
    scores = release.recovered.scores
    return tidy(release.released, language_pair, origin, document=document, score=scores)


def from_raw_scores(
    latest: ReleasedTable, good: ReleasedTable, language_pair: str, open_file: Opener
):
    """Assessments of a language pair from all judgements and the accepted ones.

    Parameters
    ----------
    latest, good
        All judgements, and the accepted ones, of all language pairs; see `mark_accepted`.
    """
    rows, good_rows = (of_pair(table, language_pair, origin) for table, origin in (latest, good))
    released, accepted = mark_accepted(rows, good_rows, good[1])
    lines = [*rows.index + 2, *[0] * (len(released) - len(rows))]  # the latter are in `good`
    origin = Origin(latest[1].name, lines)
    document = documents_of(released, language_pair, open_file, origin)
    return tidy(released, language_pair, origin, document=document, accepted=accepted)


def read_raw_scores(open_file: Opener) -> tuple[ReleasedTable, ReleasedTable]:
    """All judgements and the accepted ones, of all language pairs in the files."""
    latest, good = (open_file(name) for name in (archives.LATEST, archives.GOOD))
    return (read_released(*latest), latest[1]), (read_released(*good), good[1])


@lru_cache(maxsize=2)  # an archive holds many language pairs
def read_archive(
    archive: archives.Archive, style: str, interface: str
) -> tuple[ReleasedTable, ReleasedTable]:
    """All judgements and the accepted ones of one interface of an archive."""
    return read_raw_scores(
        lambda name: (archive.read(style, interface, name), Origin(f"{archive.campaign}: {name}"))
    )


def official_segment_means(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Official segment means of a language pair; see `assessment_releases.load_segment_means`."""
    if (opened := open_file(f"ad-seg-scores-{language_pair}.csv")) is None:
        raise DataUnavailable(f"{campaign} {language_pair}: no segment means are public")
    means = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    sid = means["segment"].astype("category")
    document = documents_of(pd.DataFrame({"sid": sid}), language_pair, open_file, opened[1])
    code = language_pair.replace("-", "")
    # The means do not tell the runs, the single judgements of the same segments do.
    if (document == "").all() and (opened := open_file(f"ad-{code}-good-stnd-redup.csv")):
        released = of_pair(read_released(*opened), language_pair, opened[1])
        by_run = documents_from_runs(released, opened[1])
        known = dict(zip(released["sid"], by_run, strict=True))
        document = sid.map(known).astype(object).fillna("").to_numpy()
    columns = ["system", "document", "segment", "raw", "z", "judgements"]
    return means.assign(document=document)[columns]
