"""A registry of one small file of relative rankings, and a server that serves it."""

import csv
import hashlib
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EMPTY_SLOT = "blank"

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,"
    "system4Number,system4Id,system5Number,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank"
)
FIRST = (
    "French,English,39,doc/1,6,A1SECRET,3,bbn,4,rali,5,lium,6,_ref,7,uedin,2,4,3,1,2"
)
SECOND = (
    "French,English,40,doc/2,7,A2SECRET,3,bbn,1,_ref,0,blank,0,blank,0,blank,"
    "1,-1,-1,-1,-1"
)
THIRD = (
    "English,Czech,1,doc/3,8,A1SECRET,9,sfu,8,uedin,7,cu,0,blank,0,blank,5,5,1,-1,-1"
)
VALID = "\n".join([HEADER, FIRST, SECOND, THIRD, ""]).encode()


def plainly(data):
    """What a file says, by the csv module alone: one tuple per ranked output."""
    outputs = []
    judges = {}
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    for number, row in enumerate(row for row in rows if any(row.values())):
        judge = f"judge_{judges.setdefault(row['judgeId'], len(judges) + 1):03d}"
        pair = f"{row['srclang']},{row['trglang']}"
        outputs += [
            (pair, number, int(row["srcIndex"]), judge, row[f"system{k}Id"], int(rank))
            for k in range(1, 6)
            if row[f"system{k}Id"] != EMPTY_SLOT and (rank := row[f"system{k}rank"])
        ]
    return outputs


def rows_of(frame):
    return list(frame.itertuples(index=False, name=None))


ENTRY = {
    "campaign": "wmt10",
    "group": "",
    "repository": "owner/repository",
    "commit": "0123456789abcdef",
    "path": "raw/small.csv",
    "bytes": len(VALID),
    "sha256": hashlib.sha256(VALID).hexdigest(),
    "url": "http://127.0.0.1:9/small.csv",
}


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `acts`, the last one again and again."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.acts, self.requests, self.closing = [fine], 0, threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/small.csv"

    def handle_error(self, request, client_address):
        """A client that hangs up on a slow answer is what the test is about."""


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests += 1
        self.server.acts[min(self.server.requests, len(self.server.acts)) - 1](self)

    def send(self, body, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *args):
        """Keep the log out of the test output."""


def fine(answer):
    answer.send(VALID, len(VALID))


def other_bytes(answer):
    answer.send(VALID[::-1], len(VALID))


def truncated(answer):
    answer.send(VALID[:100], len(VALID))


def stalled(answer):
    answer.send(VALID[:100], len(VALID))
    answer.server.closing.wait(10)


def broken(answer):
    answer.send_error(500)
