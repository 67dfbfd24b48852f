"""The page to mail in a real browser: it sorts, and asks nothing of the network.

Chromium runs headless, is told what to do by a script at the end of the page, and
prints the document that comes of it.
"""

import functools
import http.server
import json
import re
import shutil
import subprocess
import threading

import pandas as pd
import pytest

from wmtlib.files.read import read
from wmtlib.report.answers import answer_ranking

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
SYSTEMS = [f"system-{k:02d}" for k in range(16)]
FIRST_THING = """<script>
window.errors = [];
addEventListener("error", event => errors.push(event.message), true);
console.error = (...words) => errors.push(words.join(" "));
</script>"""
STEPS = """<script>
const table = document.querySelector("table");
const body = table.tBodies[0];
const heads = [...table.tHead.rows[0].cells];
const column = heads.findIndex(head => head.textContent === "system");
const systems = () => [...body.rows].map(row => row.cells[column].textContent);
heads[column].querySelector("button").click();
const ascending = systems().join();
heads[column].querySelector("button").click();
const pictures = [...document.querySelectorAll("img")];
setTimeout(() => {
  const result = {
    ascending, descending: systems().join(),
    wide: document.documentElement.scrollWidth > innerWidth,
    pictures: pictures.length, errors,
    nameless: pictures.filter(picture => !picture.alt).length,
  };
  document.body.append(Object.assign(document.createElement("output"),
    {textContent: `<<${JSON.stringify(result)}>>`}));
}, 100);
</script>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page of sixteen systems that the few votes do not tell apart."""
    pairs = [(a, b) for k, a in enumerate(SYSTEMS) for b in SYSTEMS[k + 1 :]]
    votes = pd.DataFrame([*pairs, *((b, a) for a, b in pairs)], columns=["a", "b"])
    votes = votes.assign(outcome="a", judge=[f"j{k % 9}" for k in range(len(votes))])
    path = tmp_path_factory.mktemp("page")
    answer = answer_ranking(read(votes), ["expected-wins", "soccer"])
    answer.save(path / "index.html")
    page = (path / "index.html").read_text("utf-8")
    page = page.replace("<head>", f"<head>{FIRST_THING}")
    page = page.replace("</body>", f"{STEPS}</body>")
    (path / "index.html").write_text(page, "utf-8")
    return path


@pytest.fixture
def address(folder):
    """Where the page is served, and what was asked of the server."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_request(self, *_):
            asked.append(self.path)

    serve = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/index.html", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("width", [1440, 500])  # Chromium opens no narrower window
def test_page_works_and_loads_nothing_else(address, width, tmp_path):
    url, asked = address
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}",
        f"--window-size={width},900",
        "--virtual-time-budget=5000",
        # Any other host is refused, and would be an error of the page.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--dump-dom",
    ]
    done = subprocess.run(
        [CHROMIUM, *options, url], capture_output=True, text=True, timeout=120
    )
    [result] = re.findall("&lt;&lt;(.*?)&gt;&gt;", done.stdout)
    expected = {
        "ascending": ",".join(SYSTEMS),
        "descending": ",".join(reversed(SYSTEMS)),
        "wide": False,
        "pictures": 2,
        "nameless": 0,
        "errors": [],
    }
    assert json.loads(result) == expected
    assert asked == ["/index.html"]
