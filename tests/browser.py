"""A headless Chromium, spoken to by its DevTools protocol.

Every message is a number, a method and its parameters; an answer has the same number,
and what happens meanwhile comes as events.
"""

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome")
LAST_SECONDS = 120  # for a page to load


def executable():
    """Path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A tab; `events` are those since it was last sent somewhere."""

    def __init__(self, socket):
        self.socket = socket
        self.number = 0
        self.events = []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        """The result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        """Go to an address and wait until the page and all it needs has loaded."""
        self.events = []
        self.send("Page.navigate", url="about:blank")  # else an anchor loads nothing
        self.wait("about:blank")
        self.events = []
        self.send("Page.navigate", url=url)
        self.wait(url)

    def wait(self, url):
        """Wait for the page to load."""
        start = time.monotonic()
        while not self.of("Page.loadEventFired"):
            assert time.monotonic() - start < LAST_SECONDS, f"{url} does not load"
            self.events.append(json.loads(self.socket.recv()))

    def of(self, *methods):
        """The parameters of the events of some kinds."""
        return [e["params"] for e in self.events if e.get("method") in methods]

    def run(self, script):
        """The value of an expression of JavaScript; promises are waited for."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def size(self, width, *, is_telephone):
        """Take a screen of so many pixels; a telephone's bars are drawn over a page."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=is_telephone,
        )

    def scheme(self, name):
        """Ask for the colours "light" or "dark"."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def requests(self):
        """The addresses that the page asked for."""
        return [e["request"]["url"] for e in self.of("Network.requestWillBeSent")]

    def faults(self):
        """Errors on the console, and requests that failed."""
        faults = [str(e) for e in self.of("Runtime.exceptionThrown")]
        faults += [str(e) for e in self.of("Network.loadingFailed")]
        entries = [e["entry"] for e in self.of("Log.entryAdded")]
        faults += [e["text"] for e in entries if e["level"] == "error"]
        calls = self.of("Runtime.consoleAPICalled")
        return faults + [str(c["args"]) for c in calls if c["type"] == "error"]


@contextmanager
def chromium(profile):
    """A `Page` of a browser that has its profile in a folder, and ends afterwards."""
    command = [
        executable(),
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0",
        "--remote-allow-origins=*",
        f"--user-data-dir={profile}",
    ]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdout=quiet, stderr=quiet, env=dict(os.environ)
    )
    try:
        port = profile / "DevToolsActivePort"
        start = time.monotonic()
        while not (port.exists() and len(port.read_text().splitlines()) == 2):
            assert time.monotonic() - start < LAST_SECONDS, "the browser does not start"
            time.sleep(0.05)
        number, path = port.read_text().splitlines()
        socket = websocket.create_connection(
            f"ws://127.0.0.1:{number}{path}", timeout=LAST_SECONDS
        )
        yield Page(socket)
        socket.close()
    finally:
        process.terminate()
        process.wait()
