"""Archives of the organisers: the files needed are kept, all or none, with the archive's hash."""

import hashlib
import io
import tarfile

import pytest
from wmtlib.study.releases.archives import FOLDERS, GOOD, LATEST, NAMES

from wmtlib.errors import DataError
from wmtlib.study.releases import archives


def contents(campaign, text="content"):
    return {
        f"{NAMES[campaign]}/{place}/{file}": f"{text} of {place} {file}".encode()
        for place in FOLDERS[campaign].values()
        for file in (LATEST, GOOD)
    }


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


@pytest.mark.parametrize("campaign", NAMES)
@pytest.mark.parametrize("prefix", ["", "./"])
def test_every_interface_of_an_archive_can_be_read(tmp_path, campaign, prefix):
    files = {prefix + name: data for name, data in contents(campaign).items()}
    path = packed(tmp_path / "download.tgz", files | {"../outside": b"x"})
    assert archives.find(campaign) is None
    archive = archives.unpack(path)
    assert archive == archives.find(campaign)
    assert archive.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    for (style, interface), place in FOLDERS[campaign].items():
        for file in (LATEST, GOOD):
            text = archive.read(style, interface, file)
            assert text == f"content of {place} {file}".encode()
    assert not list(tmp_path.rglob("outside"))


def test_another_copy_takes_the_place_of_the_first(tmp_path):
    first = archives.unpack(packed(tmp_path / "a", contents("wmt18")))
    second = archives.unpack(packed(tmp_path / "a", contents("wmt18", "other")))
    assert archives.find("wmt18") == second != first
    assert second.read("SR-DC", "2018", GOOD).startswith(b"other")


def test_a_file_that_is_not_such_an_archive_is_refused_and_nothing_is_kept(tmp_path):
    good = contents("wmt19")
    whole = packed(tmp_path / "whole", good).read_bytes()
    first = next(iter(good))
    cases = {
        "nothing": (None, "cannot be unpacked"),
        "empty": (b"", "cannot be unpacked"),
        "text": (b"HITId WorkerId\n", "cannot be unpacked"),
        "cut": (whole[: len(whole) // 2], "cannot be unpacked"),
        "other": ({"other/x": b"1"}, "holds none of the folders newstest2018-humaneval, "),
        "missing": ({n: d for n, d in good.items() if n != first}, f"lacks {first}"),
        "link": (good | {first: None}, f"lacks {first}"),
    }
    for name, (data, message) in cases.items():
        path = tmp_path / name
        if isinstance(data, dict):
            packed(path, data)
        elif data is not None:
            path.write_bytes(data)
        with pytest.raises(DataError) as refused:
            archives.unpack(path)
        assert str(refused.value).startswith(f"{path}: {message}"), name
        assert archives.find("wmt19") is None and not archives.folder_of("wmt19").exists()
