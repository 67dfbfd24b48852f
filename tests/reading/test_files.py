"""Files elsewhere: a web server and a stand-in for S3 on this machine.

The packages that speak to buckets take seconds to load.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from user_files import HEADER, ROWS, VOTES, parquet

from examples import data_error, message_of
from wmtlib import cli
from wmtlib.reading.read import read, read_tasks


class Store(BaseHTTPRequestHandler):
    """Files by name; the first part is a bucket, of which lists are given as by S3."""

    files, asked = {}, []

    def log_message(self, *_):
        """Nothing."""

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")

    def do_GET(self):
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        address = urlsplit(self.path)
        name = unquote(address.path).strip("/")
        query = parse_qs(address.query)
        if name.startswith("private"):
            self.answer(403)
        elif "list-type" in query:
            rows = self.listed(name, query.get("prefix", [""])[0], "delimiter" in query)
            body = f"<ListBucketResult>{''.join(rows)}</ListBucketResult>"
            self.answer(200, body.encode())
        else:
            self.answer(200 if name in self.files else 404, self.files.get(name, b""))

    do_HEAD = do_GET

    def listed(self, bucket, prefix, is_flat):
        start = f"{bucket}/{prefix}"
        keys = [key.partition("/")[2] for key in self.files if key.startswith(start)]
        below = {key for key in keys if "/" in key[len(prefix) :] and is_flat}
        for key in {*keys} - below:
            yield f"<Contents><Key>{key}</Key><Size>1</Size></Contents>"
        for name in sorted({key[len(prefix) :].partition("/")[0] for key in below}):
            folder = f"{prefix}{name}/"
            yield f"<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """The address of a server on this machine, which fsspec takes for S3."""
    part = parquet(tmp_path / "x.parquet", HEADER, ROWS).read_bytes()
    tables = ["x", "out/part-0", "out/part-1", "tasks/lp=de-en/x", "tasks/lp=cs-en/x"]
    files = {f"b/{name}.parquet": part for name in tables}
    files["b/votes.csv"] = VOTES
    files["b/out/_SUCCESS"] = b""
    monkeypatch.setattr(Store, "files", files)
    monkeypatch.setattr(Store, "asked", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "name")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    yield address
    server.shutdown()
    server.server_close()


def test_a_file_on_the_web_is_the_same_file(store, tmp_path):
    (path := tmp_path / "votes.csv").write_bytes(VOTES)
    here = read(path)
    there = read(f"{store}/b/votes.csv")
    assert there.sha256 == here.sha256 and there.comparisons.equals(here.comparisons)
    assert read(f"{store}/b/x.parquet").comparisons.equals(here.comparisons)


@pytest.mark.slow
@pytest.mark.parametrize(
    "address, rows",
    [
        ("votes.csv", 5),
        ("out/part-*.parquet", 10),
        ("out", 10),
    ],
)
def test_files_in_a_bucket(store, address, rows):
    assert read(f"s3://b/{address}").rows == rows


@pytest.mark.slow
def test_folders_with_an_equality_sign_are_tasks_elsewhere_too(store):
    assert [one.task for one in read_tasks("s3://b/tasks")] == ["cs-en", "de-en"]


def test_credentials_of_addresses_are_sent_and_never_shown(store, capsys):
    address = store.replace("//", "//ann:s3cret@") + "/b/votes.csv?sig=a%2Fb%3D"
    assert cli.main(["rank", address, "--min", "1", "--json"]) == 0
    answer = capsys.readouterr()
    assert json.loads(answer.out)["file"] == "votes.csv"
    assert [path for path, _ in Store.asked] == ["/b/votes.csv?sig=a%2Fb%3D"]
    assert Store.asked[0][1].startswith("Basic ")
    assert cli.main(["rank", address.replace("votes", "none")]) == 2
    assert cli.main(["rank", address.replace("/b/", "/private/")]) == 2
    refused = capsys.readouterr()
    shown = answer.out + answer.err + refused.out + refused.err
    assert f"{store}/b/none.csv: no such file" in shown
    assert not [word for word in ("ann:", "s3cret", "sig=", "a%2Fb") if word in shown]


@pytest.mark.parametrize(
    "address, fault",
    [
        ("{}/none.csv", "no such file"),
        pytest.param("s3://b/none-*.csv", "no such file", marks=pytest.mark.slow),
        ("{}/private/votes.csv", "cannot be copied (403, message='Forbidden'"),
        pytest.param(
            "s3://private/votes.csv",
            "cannot be copied (Forbidden); check the address, the network, and who",
            marks=pytest.mark.slow,
        ),
        (
            "http://127.0.0.1:9/votes.csv",
            "cannot be copied (Connect call failed ('127.0.0.1', 9))",
        ),
        (
            "http://[127.0.0.1/votes.csv",
            "cannot be copied (Invalid IPv6 URL); check the address",
        ),
    ],
)
def test_copies_refuses_in_one_line_with_the_address(store, address, fault):
    address = address.format(store)
    message = message_of(read, address)
    assert message.startswith(f"{address}: {fault}") and "\n" not in message


@pytest.mark.parametrize("address", ["https://host/votes.csv", "gs://b/x.csv"])
def test_copies_without_fsspec_names_the_packages(monkeypatch, address):
    for name in ("fsspec", "fsspec.implementations.http", "aiohttp"):
        monkeypatch.setitem(sys.modules, name, None)
    with data_error(
        r"is elsewhere; to read it: pip install fsspec aiohttp s3fs gcsfs$"
    ):
        read(address)


@pytest.mark.slow
def test_copies_refuses_a_private_bucket_of_google(store, monkeypatch, capfd):
    """Without credentials gcsfs comes down to this, after asking Google's machines."""
    from fsspec import config

    monkeypatch.setitem(config.conf, "gs", {"token": "anon"})
    monkeypatch.setenv(
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false"
    )  # it asks by another protocol
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", store)
    monkeypatch.setattr(Store, "do_GET", lambda request: request.answer(403))
    assert cli.main(["rank", "gs://b/votes.csv"]) == 2
    out, err = capfd.readouterr()
    # gRPC has its own lines.
    (line,) = (line for line in err.splitlines() if line.startswith("wmtlib"))
    fault = "wmtlib: gs://b/votes.csv: cannot be copied (Forbidden"
    assert out == "" and line.startswith(fault)
