"""Break the package in many ways, and see which notebook cell and which unit test notice.

Not part of the gate. `python tests/breakages.py` needs the raw files; with numbers after it, such
as `3 7`, it tries some of them. Each has a new copy of the committed files, broken before any
of its modules is compiled. Prints a Markdown table; fails if a breakage goes unnoticed.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 600  # seconds after which a run that a breakage keeps from ending is stopped
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Breakage:
    """A wrong line: `old` stands once in `module` and becomes `new`."""

    what: str
    module: str
    old: str
    new: str
    notebook: str
    tests: str


BREAKAGES = [
    Breakage(
        "Equation 2 counts losses",
        "scorers.py",
        "return _share(win, win + tie + loss)",
        "return _share(loss, win + tie + loss)",
        "10-tournaments",
        "tests/test_scorers.py",
    ),
    Breakage(
        "a tie is counted as a win of the first system",
        "counts.py",
        "np.add.at(seen, (first, second, preference), times)",
        "np.add.at(seen, (first, second, np.maximum(preference, 1)), times)",
        "10-tournaments",
        "tests/test_counts.py",
    ),
    Breakage(
        "one edge is lost before the feedback arc set is sought",
        "mfas.py",
        "margin = counts - counts.T\n",
        "margin = counts - counts.T\n    margin[0, -1] = margin[-1, 0] = 0\n",
        "10-tournaments",
        "tests/test_mfas.py",
    ),
    Breakage(
        "a worker's standard deviation is divided by n, not n - 1",
        "zscores.py",
        "(draws * (draws * (number - 1) / number))",
        "(draws * draws)",
        "30-rankings",
        "tests/test_zscores.py",
    ),
    Breakage(
        "the one-sided test looks at the wrong tail",
        "cluster_lines.py",
        '"two-sided" else u)',
        '"two-sided" else u.T)',
        "30-rankings",
        "tests/test_cluster_lines.py",
    ),
    Breakage(
        "a line needs one system fewer to be beaten",
        "cluster_lines.py",
        "lines = beaten == np.arange(len(better))[::-1]",
        "lines = beaten >= np.arange(len(better))[::-1] - 1",
        "30-rankings",
        "tests/test_cluster_lines.py",
    ),
    Breakage(
        "human scores are divided twice",
        "zscores.py",
        "self.score / divisor,",
        "self.score / divisor**2,",
        "31-stability",
        "tests/test_zscores.py",
    ),
    Breakage(
        "references stay when they should be removed",
        "zscores.py",
        "return rows | self.is_item(*items)",
        "return rows",
        "31-stability",
        "tests/test_zscores.py",
    ),
    Breakage(
        "an edge of one judgement is never violated",
        "mfas.py",
        "np.tril(margin > 0)",
        "np.tril(margin > 1)",
        "10-tournaments",
        "tests/test_mfas.py",
    ),
    Breakage(
        "segments on the edge are missing in the test set",
        "study/releases/ranking_releases.py",
        "return per_segment <= np.sort",
        "return per_segment < np.sort",
        "20-perplexity",
        "tests/study/releases/test_ranking_releases.py",
    ),
    Breakage(
        "perplexity has the wrong base",
        "models.py",
        "np.exp2(np.average",
        "np.exp(np.average",
        "20-perplexity",
        "tests/test_models.py",
    ),
    Breakage(
        "the item-response sampler forgets that a difference has two noises",
        "irt.py",
        "math.sqrt(2) * settings.sigma_obs, settings",
        "settings.sigma_obs, settings",
        "21-abilities",
        "tests/test_irt.py",
    ),
]

MORE = [  # what, module, right line, wrong line, module of tests: for unit tests alone
    (
        "the bound of a node is one too high",
        "_mfas_search.py",
        "bound, step = target + 1, 2 * step",
        "bound, step = target + 2, 2 * step",
        "mfas_search",
    ),
    (
        "direct wins are not checked to be enough",
        "fewest.py",
        "if gap >= below or self.direct(a, b).sum() >= gap:",
        "if True:",
        "fewest",
    ),
    (
        "Equation 3 counts ties as losses",
        "scorers.py",
        "return _share(win, win + loss)",
        "return _share(win, win + _ + loss)",
        "scorers",
    ),
    (
        "the prediction of TrueSkill ignores its doubt",
        "trueskill.py",
        "2 * BETA**2 + np.add.outer(variance, variance)",
        "2 * BETA**2 + 0 * np.add.outer(variance, variance)",
        "trueskill",
    ),
    (
        "all models draw the same random numbers",
        "ranking.py",
        "METHODS[name].stream if name in METHODS else 0]",
        "0]",
        "ranking",
    ),
    (
        "strengths of resamples are about the mean of all systems",
        "bradley_terry.py",
        "mean = (strength * met).sum(axis=1) / np.maximum(met.sum(axis=1), 1)",
        "mean = strength.mean(axis=1)",
        "bradley_terry",
    ),
    (
        "the level of significance is not strict",
        "cluster_lines.py",
        "to_numpy() < alpha",
        "to_numpy() <= alpha",
        "cluster_lines",
    ),
    (
        "the variance over rankings is divided by R",
        "agreement.py",
        "surplus.var()",
        "surplus.var(ddof=0)",
        "agreement",
    ),
    (
        "only the fourth may enter the first three",
        "fewest.py",
        "for other in order[TOP:] for",
        "for other in order[TOP : TOP + 1] for",
        "fewest",
    ),
    (
        "a tie is another order",
        "resampling.py",
        "(~(value[:, :-1] < value[:, 1:]))",
        "(value[:, :-1] > value[:, 1:])",
        "resampling",
    ),
    (
        "a system that a sample lacks shifts the others",
        "resampling.py",
        "np.where(known, value > value[:, [k]], place < place[k])",
        "np.where(known, value > value[:, [k]], False)",
        "resampling",
    ),
    (
        "units are drawn in the order of their names",
        "bradley_terry.py",
        "times[:, self.place] @",
        "times @",
        "resampling",
    ),
    (
        "blocks of resamples share a stream",
        "counts.py",
        "zip(starts, rng.spawn(len(starts)), strict=True)",
        "zip(starts, [rng] * len(starts), strict=True)",
        "bradley_terry",
    ),
]
BREAKAGES += [
    Breakage(what, module, old, new, "", f"tests/test_{test}.py")
    for what, module, old, new, test in MORE
]


def checkout(folder: Path) -> None:
    """Unpack the files of the last commit."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    packed = folder.with_suffix(".tar")
    packed.write_bytes(archive.stdout)
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")


def first_failure(folder: Path, target: str) -> str:
    """The first test that fails there, as pytest names it; empty if all pass, or none ends."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "CI": "1"}
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    try:
        run = subprocess.run([*command, target], timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired:
        return ""
    found = FAILED.search(run.stdout)
    return found.group(1) if found else ""


def main(chosen: list[int]) -> int:
    print("| broken | notebook cell | unit test |\n|---|---|---|")
    unnoticed = 0
    for number, breakage in enumerate(BREAKAGES, start=1):
        if chosen and number not in chosen:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "copy"
            checkout(folder)
            module = folder / "wmtlib" / breakage.module
            text = module.read_text()
            if text.count(breakage.old) != 1:
                raise SystemExit(f"{breakage.module}: expected once: {breakage.old}")
            module.write_text(text.replace(breakage.old, breakage.new))
            name = breakage.notebook
            cell = first_failure(folder, f"notebooks/{name}.ipynb") if name else "-"
            test = first_failure(folder, breakage.tests)
        unnoticed += not (cell and test)
        print(f"| {breakage.what} | {cell or 'NONE'} | {test or 'NONE'} |", flush=True)
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]]))
