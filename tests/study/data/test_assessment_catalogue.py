"""The catalogue of assessments: which pairs answer a question, and the archives."""

import hashlib
import io
import tarfile

import pytest

from examples import message_of
from study import campaigns
from study.data import assessment_catalogue, sources
from study.data.assessment_catalogue import (
    ARCHIVES,
    SOUND_SHARE,
    archived_files,
    catalogue,
    entry,
    pairs_at_hand,
    pairs_of,
    unpack_archive,
)
from study.data.sources import Source, find_archive

# Availability follows from the catalogue: nothing is fetched.
RAW = Source("download", "00000000")


def at_hand(question):
    found = pairs_at_hand(question, RAW)
    return found.pairs, found.absent


def test_the_catalogue_names_every_pair_once_in_order_of_the_years():
    table = assessment_catalogue.availability("embedded")
    assert not table.duplicated(["campaign", "language_pair"]).any()
    first = assessment_catalogue.assessment_campaigns()[:3]
    assert first == ["wmt17", "wmt18", "wmt19"]


def test_pairs_of_chooses_pairs_of_the_paper_by_default():
    sizes = {
        "SR-DC 2018": 13,
        "any 2018": 14,
        "SR-DC": 21,
        "SR+DC": 25,
        "paper": 46,
        "SR+DC 2020 MTurk": 7,
        "SR+DC 2019 Appraise": 8,
        "new SR-DC": 16,
        "wmt20/en-de": 1,
    }
    assert {words: len(pairs_of(words)) for words in sizes} == sizes


@pytest.mark.parametrize(
    "question, fault",
    [
        ("SR-DC 1999, assessments", "1999"),
        ("SR-DC 2018, dreams", "dreams"),
        ("wmt20/xx-yy, outputs", "unknown language pair"),
        ("SR-DC 2018 Appraise, outputs", "no language pair"),
    ],
)
def test_an_unknown_set_or_need_is_refused(question, fault):
    with pytest.raises((KeyError, ValueError), match=fault):
        pairs_at_hand(question, RAW)


def test_human_systems_and_references_can_be_removed_where_both_are_known():
    pairs, absent = at_hand("SR+DC, human removable")
    assert "wmt20 en-de" in pairs  # Appraise shows no REF items (Table 1)
    assert not [pair for pair in pairs if pair.endswith("-en")]
    # Neither a human system nor REF is at hand.
    for name in ("cs-en", "ja-en", "pl-en", "ta-en"):
        assert "REF" in absent[f"wmt20 {name}"]
    pairs, absent = at_hand("new SR+DC, human removable")
    assert "facebook21 xh-zu" not in pairs
    assert "neither a human" in absent["facebook21 xh-zu"]
    assert "facebook21 xh-zu" in at_hand("new SR+DC, assessments")[0]


def test_a_recovered_pair_needs_the_sound_share():
    shares = (
        catalogue().query("campaign == 'wmt20'").set_index("language_pair")["recovered"]
    )
    pairs, absent = at_hand("2020, outputs")
    sound = {
        f"wmt20 {pair}" for pair, share in shares.items() if float(share) >= SOUND_SHARE
    }
    assert set(pairs) == sound and len(pairs) + len(absent) == 18
    # So that a row can say what it rests on.
    assert set(pairs_at_hand("2020, outputs", RAW).recovered) == sound
    assert "less than 95% of the judgements" in absent["wmt20 cs-en"]


def test_official_means_are_those_of_the_registry():
    for row in catalogue().itertuples():
        files = sources.public_files(
            row.campaign, row.language_pair, "ad-sys-(?:ranking|scores)"
        )
        assert row.has_official_means == bool(files)


@pytest.mark.realdata
@pytest.mark.parametrize("pair", ["en-de", "en-iu", "km-en", "ta-en"])
def test_the_catalogue_s_shares_are_those_of_the_recovered_judgements(mirror, pair):
    source = sources.resolve("mirror", ["wmt20"])
    share = campaigns.load_release("wmt20", pair, source=source).share
    assert f"{share:.4f}" == entry("wmt20", pair).recovered


# --- archives -------------------------------------------------------------------------


def interfaces(campaign):
    """A language pair of each interface of a campaign."""
    rows = catalogue().query("campaign == @campaign").drop_duplicates("archive_folder")
    return list(rows.itertuples())


def contents(campaign, text="content"):
    """The files of an archive."""
    files = {}
    for row in interfaces(campaign):
        for file, path in archived_files(row).items():
            name = f"{ARCHIVES[campaign]}/{row.archive_folder}/{file}"
            files[name] = f"{text} {file} {path.name}".encode()
    return files


def packed(path, files):
    """Write a .tar.gz; a value of None is a link to /etc/passwd."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            if data is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                member.size = len(data)
            tar.addfile(member, io.BytesIO(data or b""))
    return path


@pytest.mark.parametrize("campaign", ARCHIVES)
def test_every_interface_of_an_archive_can_be_read(tmp_path, campaign):
    assert len(interfaces(campaign)) == (1 if campaign == "wmt18" else 3)
    for prefix, text in [
        ("", "first"),
        ("./", "other"),
    ]:  # a copy takes the place of the first
        files = {prefix + name: data for name, data in contents(campaign, text).items()}
        path = packed(tmp_path / "download.tgz", files | {"../outside": b"x"})
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        assert find_archive(campaign) != sha256
        assert unpack_archive(path) == (campaign, sha256)
        assert find_archive(campaign) == sha256
        for row in interfaces(campaign):
            for file, kept in archived_files(row).items():
                assert kept.read_text() == f"{text} {file} {kept.name}"
    assert not list(tmp_path.rglob("outside"))
    # All single judgements are at hand.
    found = pairs_at_hand(f"20{campaign[3:]}, human removable", RAW)
    assert not found.absent and not found.recovered


def test_a_file_that_is_not_such_an_archive_is_refused_and_nothing_is_kept(tmp_path):
    good = contents("wmt19")
    whole = packed(tmp_path / "whole", good).read_bytes()
    first = next(iter(good))
    cases = {
        "nothing": (None, "cannot be unpacked"),
        "empty": (b"", "cannot be unpacked"),
        "text": (b"HITId WorkerId\n", "cannot be unpacked"),
        "cut": (whole[: len(whole) // 2], "cannot be unpacked"),
        "other": (
            {"other/x": b"1"},
            "holds none of the folders newstest2018-humaneval, ",
        ),
        "missing": ({n: d for n, d in good.items() if n != first}, f"lacks {first}"),
        "link": (good | {first: None}, f"lacks {first}"),
    }
    for name, (data, message) in cases.items():
        path = tmp_path / name
        if isinstance(data, dict):
            packed(path, data)
        elif data is not None:
            path.write_bytes(data)
        assert message_of(unpack_archive, path).startswith(f"{path}: {message}"), name
        assert find_archive("wmt19") is None
        assert not sources.archive_folder("wmt19").exists()
