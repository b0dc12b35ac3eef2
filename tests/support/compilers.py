"""A plugin of pytest: compilers of boards go through ccache, where it is installed; most images share their sources.

ccache keeps objects, of one source each; what it returns has the bytes and the warnings of a compilation. A test of
compilation itself sets `WITHOUT_CACHE`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "build" / "ccache"
COMPILERS = ("arm-none-eabi-gcc", "clang-16", "gcc", "cc")
WITHOUT_CACHE = {"CCACHE_DISABLE": "1"}


def pytest_configure(config: pytest.Config) -> None:
    """Put the names of the compilers in front of all others; workers inherit that."""
    ccache = shutil.which("ccache")
    if ccache is None or hasattr(config, "workerinput"):
        return
    names = FOLDER / "bin"
    names.mkdir(parents=True, exist_ok=True)
    for compiler in COMPILERS:
        with contextlib.suppress(FileExistsError):
            (names / compiler).symlink_to(ccache)
    os.environ["PATH"] = f"{names}{os.pathsep}{os.environ['PATH']}"
    os.environ |= {"CCACHE_DIR": str(FOLDER), "CCACHE_MAXSIZE": "300M"}


def link(
    command: Sequence[str | Path], sources: Iterable[Path], image: Path, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Make an image of sources, with an object of each; return the command that failed, or else the linker's."""
    with tempfile.TemporaryDirectory() as folder:
        objects = [(source, Path(folder, f"{number}.o")) for number, source in enumerate(sources)]
        commands = [["-c", "-o", made, source] for source, made in objects]
        for words in (*commands, ["-o", image, *(made for _, made in objects)]):
            done = subprocess.run([*command, *words], cwd=cwd, capture_output=True, text=True, check=False)
            if done.returncode:
                break
    return done
