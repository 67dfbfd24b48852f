"""The organisers' archives: checked, recorded at first use, copied whole or not at all."""

import io
import tarfile

import pytest

from wmtlib.judgements.errors import DataError
from wmtlib.releases import archives
from wmtlib.releases.archives import GOOD, LATEST

FOLDERS = {
    "wmt18": ["analysis"],
    "wmt19": [
        "appraise-doclevel-humaneval-newstest2019/analysis",
        "mturk-sntlevel-humaneval-newstest2019/analysis",
        "mturk-doclevel-humaneval-newstest2019/analysis",
    ],
    "wmt20": [
        "appraise-doclevel-humaneval-newstest2020",
        "mturk-doclevel-humaneval-newstest2020",
        "mturk-sntlevel-humaneval-newstest2020/analysis",
    ],
}


def contents(campaign, text="content"):
    top = archives.ARCHIVES[campaign].name
    return {
        f"{top}/{folder}/{file}": f"{text} of {folder} {file}".encode()
        for folder in FOLDERS[campaign]
        for file in (LATEST, GOOD)
    }


def packed(path, files):
    """Write a .tar.gz; a value that is no bytes is (type, target)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            if isinstance(data, bytes):
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
            else:
                member.type, member.linkname = data
                tar.addfile(member)
    return path


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """An empty mirror."""
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))
    return tmp_path / "mirror"


def refusal(function, *arguments):
    with pytest.raises(DataError) as refused:
        function(*arguments)
    assert str(refused.value).isprintable()
    return str(refused.value)


def in_cache():
    return sorted(p.name for p in archives.cache().rglob("*"))


@pytest.mark.parametrize("campaign", FOLDERS)
@pytest.mark.parametrize("prefix", ["", "./"])
@pytest.mark.parametrize("unpacked", [False, True])
def test_every_interface_of_every_release_is_found(mirror, campaign, prefix, unpacked):
    archive = archives.ARCHIVES[campaign]
    files = contents(campaign)
    if unpacked:
        for name, data in files.items():
            path = mirror / "archives" / name
            path.parent.mkdir(parents=True) if not path.parent.exists() else None
            path.write_bytes(data)
    else:
        packed(mirror / "archives" / archive.file, {prefix + n: d for n, d in files.items()})
    found = archives.find(campaign)
    assert found.path.name == (archive.name if unpacked else archive.file)
    for style, interface in archive.folders:
        read = archives.read(found, style, interface)
        kind = {"SR+DC": "doclevel", "SR-DC": "sntlevel"}[style]
        if campaign != "wmt18":
            assert f"{interface}-{kind}".encode() in read[LATEST]
        assert read[LATEST].endswith(LATEST.encode()) and read[GOOD].endswith(GOOD.encode())


def test_nothing_is_found_where_nothing_is(mirror, monkeypatch):
    assert archives.find("wmt18") is None and archives.find("wmt22") is None
    monkeypatch.delenv("WMTLIB_DATA")
    assert archives.find("wmt19") is None
    assert in_cache() == []


def test_first_use_is_recorded_and_another_copy_is_refused(mirror):
    path = packed(mirror / "archives" / "newstest2018-humaneval.tar.gz", contents("wmt18"))
    first, second = archives.find("wmt18"), archives.find("wmt18")
    assert first == second
    assert "first use" in first.notice and first.sha256 in first.notice
    assert "the same as at first use" in second.notice
    record = archives.cache() / "newstest2018-humaneval.tar.gz.sha256"
    text = record.read_text()
    assert text.startswith("# No checksum of this release was published;")
    assert text.endswith(f"\n{first.sha256}  newstest2018-humaneval.tar.gz\n")
    packed(path, contents("wmt18", "altered"))
    message = refusal(archives.find, "wmt18")
    assert message.startswith(f"{path}: SHA-256 ") and f"delete {record}" in message
    other = packed(mirror / "other.tar.gz", contents("wmt18", "another"))
    assert refusal(archives.adopt, other).startswith(f"{other}: SHA-256 ")
    record.unlink()
    assert archives.find("wmt18").sha256 != first.sha256


@pytest.mark.parametrize("campaign", FOLDERS)
def test_an_archive_of_any_name_is_adopted(tmp_path, campaign):
    path = packed(tmp_path / "download.tgz", contents(campaign))
    adopted = archives.adopt(path)
    name = archives.ARCHIVES[campaign].file
    assert in_cache() == [name, f"{name}.sha256"]
    assert adopted.path.read_bytes() == path.read_bytes()
    assert archives.find(campaign) == archives.adopt(str(path)) == adopted


def test_what_is_no_release_is_refused_and_leaves_nothing(tmp_path):
    good = contents("wmt19")
    whole = packed(tmp_path / "whole.tar.gz", good).read_bytes()
    first = next(iter(good))
    cases = {
        "nothing": (None, "no such file; expected one of newstest2018-humaneval.tar.gz, newstest"),
        "empty": (b"", "is no whole .tar.gz"),
        "text": (b"HITId WorkerId\n", "is no whole .tar.gz"),
        "cut": (whole[:-9], "is no whole .tar.gz"),
        "damaged": (whole[:-6] + b"\0" + whole[-5:], "is no whole .tar.gz"),
        "other": ({"other/x": b"1"}, "holds none of the releases; expected one of newstest2018"),
        "two": (good | contents("wmt18"), "holds none of the releases"),
        "missing": ({n: d for n, d in good.items() if n != first}, f"lacks {first}"),
        "absolute": (good | {"/etc/x": b"1"}, "member '/etc/x' leads out of its folder"),
        "above": (good | {f"{first}/../../../x": b"1"}, "leads out of its folder"),
        "link": (good | {f"{first}2": (tarfile.SYMTYPE, "/etc/passwd")}, "leads out of its folder"),
        "device": (good | {f"{first}2": (tarfile.CHRTYPE, "")}, "leads out of its folder"),
    }
    for name, (data, message) in cases.items():
        path = tmp_path / f"{name}.tar.gz"
        if isinstance(data, dict):
            packed(path, data)
        elif data is not None:
            path.write_bytes(data)
        refused = refusal(archives.adopt, path)
        assert refused.startswith(f"{path}: ") and message in refused, name
        assert in_cache() == [], name


def test_an_archive_damaged_later_is_refused(mirror):
    path = packed(mirror / "archives" / "newstest2018-humaneval.tar.gz", contents("wmt18"))
    path.write_bytes(path.read_bytes()[:60])
    found = archives.find("wmt18")
    assert "is no whole .tar.gz" in refusal(archives.read, found, "SR-DC", "2018")
    path.unlink()
    packed(path, {"newstest2018-humaneval/README": b"1"})
    (archives.cache() / f"{path.name}.sha256").unlink()
    message = refusal(archives.read, archives.find("wmt18"), "SR-DC", "2018")
    assert message == f"{path}: lacks newstest2018-humaneval/analysis/ad-latest.csv"


def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path, monkeypatch):
    path = packed(tmp_path / "a.tar.gz", contents("wmt18"))

    def full_disk(source, target):
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archives.shutil, "copyfile", full_disk)
    assert "cannot be written (No space left on device)" in refusal(archives.adopt, path)
    assert in_cache() == []


def test_a_record_that_cannot_be_written_or_read_is_said(mirror, monkeypatch, tmp_path):
    packed(mirror / "archives" / "newstest2018-humaneval.tar.gz", contents("wmt18"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("WMTLIB_CACHE", str(tmp_path / "file"))
    assert "newstest2018-humaneval.tar.gz.sha256: cannot be" in refusal(archives.find, "wmt18")
