"""Campaigns and language pairs of direct assessment, and their public data.

A question names a set of language pairs and what it needs of each, such as "SR-DC 2018,
human removable". Which pairs are at hand (`pairs_at_hand`) follows from the catalogue
alone: what is public of each pair, and the share of each system's judgements that is
recovered from segment means. No result is looked at.
"""

import os
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from study.data import sources
from study.data.sources import DATA, RELATIVE_CAMPAIGNS, Source
from study.data.storage import atomic_files, file_sha256
from wmtlib.core.errors import DataError, unknown

# Paths of the files from which assessments are loaded.
TO_LOAD = r"good-stnd|trk-mean-sd|seg-scores|ad-latest|ad-good-raw|\.sgm$"
# Recovered judgements are used for all of a language pair if the least share over
# systems, `RecoveredJudgements.share`, is at least this. What is missing is not missing
# at random: it is whole documents and HITs, so it can be of one system. In cs-en of
# WMT20, 94 % of all judgements are recovered and 84 % of those of one system; the
# mean z-score of another is off by 0.03. So *every* system counts, references included.
# The rule looks at no ranking, and at no result.
SOUND_SHARE = 0.95
ONLY_SIMULATED = "the embedded data hold simulated campaigns only"


@cache
def catalogue() -> pd.DataFrame:
    """Return every language pair, one a row. Read once: copy it before a change.

    Returns
    -------
    DataFrame
        campaign, language_pair, year, style ("SR-DC", "SR+DC" or "mixed"), interface;
        paper, whether it is one of the 46 of Knowles (2021); level, which is what
        public repositories hold: "item" (single judgements), "segment" (means) or
        "none"; recovered, the share of judgements that `recovery` proves from segment
        means, of the system of which it proves least, as text, "" where it was not
        tried; reason, why not more is public. And of what is public, yes or no:
        has_hit_ids (at least half of the single judgements have one), has_documents (of
        segments), has_references (the number of REF items: the system HUMAN of the
        segment means in SR-DC), human_removable (human systems and REF items can be
        told from the rest; Appraise has no REF items), has_official_means (of systems).
        archive_folder: where the single judgements are in the archive of the campaign,
        see `unpack_archive`.
    """
    return pd.read_csv(
        DATA / "assessed.csv",
        keep_default_na=False,
        true_values=["yes"],
        false_values=["no"],
    )


def all_campaigns() -> list[str]:
    """Return the names of all campaigns of the study, for `sources.resolve`."""
    return [*RELATIVE_CAMPAIGNS, *assessment_campaigns()]


def assessment_campaigns() -> list[str]:
    """Return the names of the campaigns of direct assessment."""
    return list(catalogue()["campaign"].unique())


@cache
def entry(campaign: str, language_pair: str) -> Any:
    """Return the row of the catalogue for a language pair, as a named tuple.

    Raises
    ------
    DataError
        The campaign or the language pair is unknown.
    """
    rows = catalogue().query("campaign == @campaign")
    if rows.empty:
        raise unknown("campaign of assessments", campaign, assessment_campaigns())
    row = rows[rows["language_pair"] == language_pair]
    if row.empty:
        raise unknown(f"task of {campaign}", language_pair, rows["language_pair"])
    return next(row.itertuples())


def availability(source: str | Source = "auto") -> pd.DataFrame:
    """Return every language pair of direct assessment and its data in the source.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded" or a `Source`
        "auto" is the mirror if `$WMTLIB_DATA` is set, else the download. Nothing is
        downloaded to find out; files in a mirror are looked for, not verified.

    Returns
    -------
    DataFrame
        campaign, language_pair, style, interface, paper: as in `catalogue`; status:
        "present" (single judgements), "partial" (segment means only) or "absent";
        reason, in words, if it is not "present".
    """
    table = catalogue()
    statuses = [status(row, source) for row in table.itertuples()]
    columns = ["campaign", "language_pair", "style", "interface", "paper"]
    return table[columns].join(pd.DataFrame(statuses, columns=["status", "reason"]))


def status(row: Any, source: str | Source) -> tuple[str, str]:
    """Return status and reason of a row of the catalogue; see `availability`."""
    route = sources.requested_route(source)
    mirror = sources.mirror_folder()
    if route == "embedded":
        return "absent", ONLY_SIMULATED
    if sources.find_archive(row.campaign):
        return "present", ""
    if row.level == "none":
        return "absent", f"{row.reason}; {archive_advice(row.campaign)}"
    if route == "mirror" or (route == "auto" and mirror):
        for file in sources.public_files(row.campaign, row.language_pair, TO_LOAD):
            path = (mirror or Path()) / file.repository / file.path
            if not path.is_file():
                return "absent", f"no such file in the mirror: {path}"
    if row.level == "item":
        return "present", ""
    return "partial", row.reason


# --- the archives of WMT18, 19 and 20, for users who have them ------------------------
#
# They hold the single judgements, and no public repository holds them. Their files are
# kept in the user's cache, with the SHA-256 of the archive, which is part of the hash
# of the data.

LATEST = "ad-latest.csv"  # all judgements
GOOD = "ad-good-raw-redup.csv"  # the accepted ones
ARCHIVES = {  # by campaign, the folder that an archive holds
    "wmt18": "newstest2018-humaneval",
    "wmt19": "newstest2019-humaneval",
    "wmt20": "newstest2020-humaneval",
}


def archive_advice(campaign: str) -> str:
    """Return the command that reads the archive of a campaign."""
    command = f"python -m study data --from {ARCHIVES[campaign]}.tar.gz"
    return f"with the archive at hand: {command}"


def archived_files(row: Any) -> dict[str, Path]:
    """Return the paths in the cache of the two files of a language pair."""
    folder = sources.archive_folder(row.campaign)
    return {
        file: folder / _flat_name(f"{row.archive_folder}/{file}")
        for file in (LATEST, GOOD)
    }


def _flat_name(path: str) -> str:
    """Return the name of a file of an archive in the cache, without folders."""
    return path.replace("/", "+")


def archived_table(name: str) -> Path | None:
    """Return the file that a row of Table 1 of Knowles (2021) counts, if at hand.

    Parameters
    ----------
    name : str
        Of the row, such as "mturk-sntlevel-newstest2019".
    """
    kind, _, year = name.rpartition("newstest20")
    folder = sources.archive_folder(f"wmt{year}")
    return next(folder.glob(f"{kind or 'analysis'}*{GOOD}"), None)


def unpack_archive(path: str | Path) -> tuple[str, str]:
    """Keep the files of an archive that are needed in the cache, all or none.

    The files get their folder's name into their own, so that an archive cannot write
    anywhere else.

    Parameters
    ----------
    path : path of a .tar.gz
        The archive of WMT18, 19 or 20; the campaign is known by the folder in it.

    Returns
    -------
    (campaign, SHA-256 of the archive)

    Raises
    ------
    DataError
        The archive cannot be read, is damaged, belongs to none of the three campaigns
        or lacks a file; or the cache cannot be written.
    """
    try:
        sha256 = file_sha256(path)
        with tarfile.open(path, "r:gz") as tar:
            members = {
                os.path.normpath(member.name): member
                for member in tar
                if member.isfile() and member.name.endswith((LATEST, GOOD))
            }
            folders = {name.partition("/")[0] for name in members}
            campaigns = [name for name, top in ARCHIVES.items() if top in folders]
            if not campaigns:
                expected = ", ".join(ARCHIVES.values())
                raise DataError(f"{path}: holds none of the folders {expected}")
            campaign = campaigns[0]
            top = f"{ARCHIVES[campaign]}/"
            rows = catalogue().query("campaign == @campaign")
            for folder, file in product(
                rows["archive_folder"].unique(), (LATEST, GOOD)
            ):
                if f"{top}{folder}/{file}" not in members:
                    raise DataError(f"{path}: lacks {top}{folder}/{file}")
            with atomic_files(sources.archive_folder(campaign)) as cache:
                for name, member in members.items():
                    content = tar.extractfile(member)
                    if content and name.startswith(top):
                        target = cache / _flat_name(name.removeprefix(top))
                        target.write_bytes(content.read())
                (cache / "sha256").write_text(sha256, "ascii")
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise DataError(f"{path}: cannot be unpacked ({error})") from None
    return campaign, sha256


# --- which language pairs can answer a question ---------------------------------------

CHOICES = {  # of a set of language pairs
    "SR-DC": "style == 'SR-DC'",
    "SR+DC": "style == 'SR+DC'",
    "MTurk": "interface == 'mturk'",
    "Appraise": "interface == 'appraise'",
    "paper": "paper",
    "new": "not paper",
    "any": "campaign != ''",
    **{str(year): f"year == {year}" for year in range(2017, 2023)},
}
# Needs that recovered judgements can meet.
JUDGED = ("outputs", "outputs and documents", "human removable")


@dataclass(frozen=True)
class AtHand:
    """Cases of a question, such as language pairs, that are at hand.

    Attributes
    ----------
    pairs : tuple of str
        Those at hand, such as "wmt18 en-de"; ("",) for a question about one whole.
    absent : mapping of str to str
        The others, and what each lacks.
    recovered : mapping of str to float
        Of those at hand, the ones whose judgements are recovered, and the share that is
        known, of the system of which least is known.
    """

    pairs: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    recovered: Mapping[str, float] = field(default_factory=dict)

    @property
    def lacks(self) -> str:
        """Return each reason of absence, with the cases that share it."""
        cases: dict[str, list[str]] = {}
        for case, reason in self.absent.items():
            cases.setdefault(reason, []).append(case)
        lacks = []
        for reason, names in cases.items():
            lacks.append(f"{_listed(names)}: {reason}" if any(names) else reason)
        return "; ".join(lacks)

    @property
    def quality(self) -> str:
        """Describe the judgements at hand, if they are not single public judgements."""
        if not self.recovered:
            return ""
        least = f"{min(self.recovered.values()):.1%}"
        most = f"{max(self.recovered.values()):.1%}"
        share = least if least == most else f"{least} to {most}"
        pairs = _listed([*self.recovered])
        return (
            f"judgements recovered from means (of each system at least {share}; "
            f"BAD_REF by sums): {pairs}"
        )


def _listed(cases: list[str]) -> str:
    """List cases; a first word that several share is written once."""
    rests: dict[str, list[str]] = {}
    for case in cases:
        first, _, rest = case.partition(" ")
        rests.setdefault(first, []).append(rest)
    groups = [f"{first} {', '.join(rest)}" for first, rest in rests.items()]
    return ", ".join(group.strip() for group in groups)


def pairs_at_hand(question: str, source: Source) -> AtHand:
    """Find the language pairs of a question that are at hand.

    Parameters
    ----------
    question : str
        "SET, NEED". SET is a list of pairs ("wmt20/en-de") or `CHOICES` that all must
        be true of a pair: its style, year and interface ("SR+DC 2020 Appraise"). They
        choose among the paper's 46 pairs, after "new" among the others, and after "any"
        among all; "paper" alone is all 46. NEED is one of `_has`.

    Raises
    ------
    KeyError, ValueError
        An unknown word or need; no such pair.
    """
    chosen, _, need = question.rpartition(", ")
    pairs = []
    absent = {}
    recovered = {}
    for row in pairs_of(chosen).itertuples():
        name = f"{row.campaign} {row.language_pair}"
        word, reason = status(row, source)
        if not _has(row, need, word, source):
            absent[name] = _lacks(row, need, word, source) or reason
            continue
        pairs.append(name)
        if word == "partial" and need in JUDGED:
            recovered[name] = float(row.recovered)
    return AtHand(tuple(pairs), absent, recovered)


@cache
def pairs_of(chosen: str) -> pd.DataFrame:
    """Choose rows of the catalogue for a set of pairs; see `pairs_at_hand`."""
    table = catalogue()
    words = chosen.split()
    if "/" in chosen:
        table = table[(table["campaign"] + "/" + table["language_pair"]).isin(words)]
        if len(table) != len(words):
            raise ValueError(f"an unknown language pair in {chosen!r}")
        return table
    if "new" not in words and "any" not in words:
        words.append("paper")
    table = table.query(" and ".join(CHOICES[word] for word in words))
    if table.empty:
        raise ValueError(f"no language pair in {chosen!r}")
    return table


def _has(row: Any, need: str, word: str, source: Source) -> bool:
    """Return whether the data that a question needs of a pair are at hand.

    `word` is the status of the pair: "present", "partial" or "absent".
    """
    item = word == "present"
    means = word != "absent"
    archived = item and row.level != "item"  # the archive, which holds everything
    outputs = item or (means and float(row.recovered or 0) >= SOUND_SHARE)
    documents = means and (row.has_documents or archived)
    official = row.has_official_means and source.kind == "raw"
    needs = {
        # Single judgements as released, quality control included.
        "assessments": item,
        # Single judgements of systems' outputs, released or recovered.
        "outputs": outputs,
        "human removable": outputs and (row.human_removable or archived),
        # The number of REF items.
        "references": item or (means and row.has_references),
        "segment means": means,
        # Segment means with the names of documents.
        "documents": documents,
        "outputs and documents": outputs and documents,
        # Means of systems, and their names.
        "official means": official,
        "systems": means or official,
        "HIT ids": item and (row.has_hit_ids or archived),
    }
    return needs[need]


def _lacks(row: Any, need: str, word: str, source: Source) -> str:
    """Describe what a pair lacks; "" if the reason is that of its status."""
    if need == "human removable" and row.interface == "facebook":
        return "neither a human system nor references to remove"
    if word == "partial":
        if "documents" in need and not row.has_documents:
            return "the documents of its segments are not public"
        if need == "human removable" and not row.human_removable:
            return "its REF items are not public"
        if need in JUDGED:
            share = f"less than {SOUND_SHARE:.0%}"
            return f"{share} of the judgements of a system are recovered"
    if need in ("official means", "systems") and source.kind == "raw":
        return "no official means are public"
    if need == "HIT ids" and word == "present":
        return "less than 50% of the rows have a HIT id"
    return row.reason if source.kind == "raw" else ""
