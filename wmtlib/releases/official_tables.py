"""The organisers' own tables: worker scales, means, rankings, clusters, significance.

All are fields between blanks or tabs, in any mixture; `read_table` reads those and the released
judgements.
"""

import itertools
import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from wmtlib.judgements import errors
from wmtlib.judgements.errors import DataError, DataUnavailable, Origin
from wmtlib.releases.text_tables import numbers, read_table

Opener = Callable[[str], tuple[bytes, Origin] | None]  # content and origin of a file, by its name

SEGMENTS = {"SYS": "system", "SID": "segment", "RAW.SCR": "raw", "Z.SCR": "z", "N": "judgements"}
SYSTEMS = {
    "SYS": "system",
    "RAW.SCR": "raw",
    "Z.SCR": "z",
    "N": "segments",
    "N.ALL": "judgements",
}
CLUSTERS = {
    "SYSTEM": "system",
    "WINS": "wins",
    "TOTAL": "total",
    "CLUSTER_START": "cluster_start",
    "CLUSTER_END": "cluster_end",
    "END_OF_CLUSTER": "end_of_cluster",
}


# --- the tables ----------------------------------------------------------------------------------


def read_scales(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-XXYY-trk-mean-sd.txt`: R's print of worker, mean, standard deviation (or NA).

    Returns
    -------
    DataFrame
        Indexed by the released worker: `mean`, `sd` (NaN for NA), with 7 significant digits.
    """
    errors.require_text(data, 'UTF-8 lines such as [1] "M0106"', origin)
    lines = [(n, s) for n, s in enumerate(data.decode("utf-8-sig").splitlines(), 1) if s.strip()]
    number = r"\[1\] (NA|-?\d+(?:\.\d*)?(?:e[-+]?\d+)?)\s*"
    expected = (('[1] "worker"', r'\[1\] "(.+)"\s*'), ("[1] mean", number), ("[1] sd", number))
    values = []
    for k, (line, text) in enumerate(lines):
        if (found := re.fullmatch(expected[k % 3][1], text)) is None:
            raise origin.refuse_line(line, f"expected {expected[k % 3][0]}")
        values.append(found[1])
    if not values or len(values) % 3:
        raise origin.refuse(None, f"holds {len(values)} lines; expected three for each worker")
    scales = pd.DataFrame(
        {
            "mean": pd.to_numeric(pd.Series(values[1::3]).replace("NA", np.nan)).to_numpy(),
            "sd": pd.to_numeric(pd.Series(values[2::3]).replace("NA", np.nan)).to_numpy(),
        },
        index=pd.Index(values[::3], name="worker"),
    )
    if scales.index.has_duplicates:
        raise origin.refuse(None, "a worker stands there twice; expected each once")
    return scales.astype(np.float64)


def read_means(data: bytes, columns: dict[str, str], origin: Origin) -> pd.DataFrame:
    """Read official means: of segments (columns `SEGMENTS`) or of systems (`SYSTEMS`).

    Returns
    -------
    DataFrame
        The columns renamed and in the order given; names are text, the rest numbers.
    """
    table = read_table(data, list(columns), origin).rename(columns=columns)
    key = [c for c in columns.values() if c in ("system", "segment")]
    if (twice := table.duplicated(key)).any():
        raise origin.refuse(int(np.argmax(twice)), f"the {' and '.join(key)} stood there before")
    return _typed(table, origin, text=key, whole=["judgements", "segments"])


def _typed(
    table: pd.DataFrame, origin: Origin, *, text: list[str], whole: list[str]
) -> pd.DataFrame:
    columns = {}
    for name in table.columns:
        if name in text:
            columns[name] = table[name].astype(str)
        else:
            values = numbers(table[name], name, origin)
            columns[name] = values.astype(np.int64) if name in whole else values
    return pd.DataFrame(columns)


def read_ranking(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-sys-ranking-XX-YY-{z,raw}.csv`: best first; two and three digits.

    Returns
    -------
    DataFrame
        system, raw, z, segments, judgements.
    """
    columns = ["raw", "z", "segments", "judgements", "system"]
    origin = Origin(origin.name, range(1, data.count(b"\n") + 2))  # there is no header
    table = read_table(data, columns, origin, header=False)
    table = table[["system", *columns[:-1]]]
    return _typed(table, origin, text=["system"], whole=["segments", "judgements"])


def read_clusters(data: bytes, language_pair: str, origin: Origin) -> pd.DataFrame:
    """Read one language pair of `clusters.csv`.

    Returns
    -------
    DataFrame
        system, wins (systems significantly worse), total (systems), cluster_start, cluster_end
        (the ranks that the cluster spans), end_of_cluster (whether a line is drawn below).
    """
    table = read_table(data, ["SRC", "TRG", *CLUSTERS], origin)
    source, _, target = language_pair.partition("-")
    rows = table[(table["SRC"] == source) & (table["TRG"] == target)].reset_index(drop=True)
    if rows.empty:
        raise origin.refuse(None, f"no {language_pair}")
    rows = rows[list(CLUSTERS)].rename(columns=CLUSTERS)
    ends = rows["end_of_cluster"].astype(str)
    if not ends.isin(["True", "False"]).all():
        raise origin.refuse(None, "END_OF_CLUSTER is neither True nor False")
    whole = ["wins", "total", "cluster_start", "cluster_end"]
    typed = _typed(rows.drop(columns="end_of_cluster"), origin, text=["system"], whole=whole)
    return typed.assign(end_of_cluster=ends.to_numpy() == "True")


def _read_matrix(data: bytes, origin: Origin) -> pd.DataFrame:
    """A square table of words, named on both sides."""
    errors.require_text(data, "UTF-8 text with fields between blanks", origin)
    rows = [line.split() for line in data.decode("utf-8-sig").splitlines() if line.strip()]
    if not rows:
        raise origin.refuse(None, "is empty; expected a matrix of systems")
    names = rows[0]
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names) + 1:
            what = f"{len(row)} fields; expected a system and {len(names)} values"
            raise origin.refuse_line(line, what)
    if [row[0] for row in rows[1:]] != names or len(set(names)) != len(names):
        raise origin.refuse(None, "expected the same systems in lines and columns, each once")
    return pd.DataFrame([row[1:] for row in rows[1:]], index=names, columns=names)


def read_differences(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-DA-diff-wilcoxon-rs-XXYY.csv`.

    Returns
    -------
    DataFrame
        system_1, system_2, difference (of mean z-scores, first minus second, two digits), stars
        (1, 2, 3 for p < 0.05, 0.01, 0.001 that the first is better), for every ordered pair.
    """
    matrix = _read_matrix(data, origin)
    rows = []
    for one, two in itertools.permutations(matrix.columns, 2):
        text = matrix.loc[one, two]
        if (found := re.fullmatch(r"(-?\d+(?:\.\d+)?)(\*{0,3})", text)) is None:
            raise origin.refuse(None, f"{one} and {two}: {text!r}; expected a number and stars")
        rows.append((one, two, float(found[1]), len(found[2])))
    return pd.DataFrame(rows, columns=["system_1", "system_2", "difference", "stars"])


def read_p_values(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `adwilcox-XXYY.csv`: p that the system of the line is better than that of the column.

    Returns
    -------
    DataFrame, shape (systems, systems)
        0.12 stands for everything that is not significant, the diagonal included. Systems that
        are named by their file (`newstest2020.en-de.OPPO.1535.sgm`) have it taken off.
    """
    try:
        matrix = _read_matrix(data, origin).astype(np.float64)
    except DataError:
        raise
    except ValueError as error:
        raise origin.refuse(None, f"holds what is no number ({error})") from None
    names = [re.sub(r"^newstest\d+\.\w\w-\w\w\.(.+)\.sgm$", r"\1", n) for n in matrix.columns]
    return matrix.set_axis(names, axis=0).set_axis(names, axis=1)


# --- by name -------------------------------------------------------------------------------------


def file_name(language_pair: str, what: str) -> str:
    """Name of the file of an official outcome; see `assessment_releases.load_official`.

    Raises
    ------
    DataError
        There is no such outcome.
    """
    code = language_pair.replace("-", "")
    names = {
        "z": f"ad-sys-ranking-{language_pair}-z.csv",
        "raw": f"ad-sys-ranking-{language_pair}-raw.csv",
        "systems": f"ad-sys-scores-{language_pair}.csv",
        "clusters": "clusters.csv",
        "differences": f"ad-DA-diff-wilcoxon-rs-{code}.csv",
        "p-values": f"adwilcox-{code}.csv",
    }
    if what not in names:
        raise DataError(f"no outcome {what!r}; expected one of {', '.join(names)}")
    return names[what]


def outcome(campaign: str, language_pair: str, what: str, open_file: Opener) -> pd.DataFrame:
    """An official outcome; see `assessment_releases.load_official`."""
    if (opened := open_file(file_name(language_pair, what))) is None:
        raise DataUnavailable(f"{campaign} {language_pair}: no {what!r} is public")
    if what == "clusters":
        return read_clusters(opened[0], language_pair, opened[1])
    if what == "systems":
        return read_means(opened[0], SYSTEMS, opened[1])
    readers = {"differences": read_differences, "p-values": read_p_values}
    return readers.get(what, read_ranking)(*opened)
