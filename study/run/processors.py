"""Parts of a processor that decide how NumPy adds up, and what another one has written.

`make processors` runs the notebooks with the kernels that OpenBLAS and NumPy have for
an older processor, and compares every file with those of the usual run.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np

PATTERNS = ("notebooks/[0-9]*.ipynb", "results/**/[!.]*.*", "figures/**/[!.]*.*")


def features() -> list[str]:
    """List what this processor has beyond what NumPy needs: what can be disabled."""
    found: list[str] = np.show_config("dicts")["SIMD Extensions"].get("found", [])
    return found


def kernel() -> str:
    """Name the kernel that NumPy's OpenBLAS takes, such as "Haswell".

    Its oldest one, which `OPENBLAS_CORETYPE=Prescott` chooses, is called "Katmai".
    """
    from numpy.linalg import _umath_linalg

    library = ctypes.CDLL(_umath_linalg.__file__)
    for name in ("scipy_openblas_get_corename64_", "openblas_get_corename"):
        try:
            corename = getattr(library, name)
        except AttributeError:
            continue
        corename.restype = ctypes.c_char_p
        return str(corename().decode())
    return "unknown: this NumPy has no OpenBLAS"


def written_files(folder: Path) -> set[Path]:
    """List the files that a run has left in a folder, relative to it."""
    paths = [path for pattern in PATTERNS for path in folder.glob(pattern)]
    return {path.relative_to(folder) for path in paths}


def different_files(usual: Path, other: Path) -> list[str]:
    """List the files of two runs that are missing in one, or differ by a byte."""
    lines = []
    for name in sorted(written_files(usual) | written_files(other)):
        if not (usual / name).exists():
            lines.append(f"{name} is in {other} alone")
        elif not (other / name).exists():
            lines.append(f"{name} is missing in {other}")
        elif (usual / name).read_bytes() != (other / name).read_bytes():
            lines.append(f"{name} differs from {other / name}")
    return lines


def compare_runs(usual: Path, other: Path) -> int:
    """Print the files that differ between two runs; return 0 if none does."""
    lines = different_files(usual, other)
    for line in lines:
        print(line, file=sys.stderr)
    print(f"Kernel {kernel()}: {len(written_files(other))} files, {len(lines)} differ")
    return int(bool(lines))
