"""The programs of tests/, which are started without pytest, find the modules that they import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
MAIN = 'if __name__ == "__main__":'
LOAD = """
import runpy, sys
for path in sys.argv[1:]:
    sys.path.insert(0, path.rpartition("/")[0])
    runpy.run_path(path, run_name="loaded")
    del sys.path[0]
"""


def test_every_program_of_tests_finds_its_imports() -> None:
    """`make bench` and the studies run on an installation alone: pytest's own paths are not there."""
    programs = [
        path for part in ("speed", "studies") for path in (TESTS / part).glob("*.py") if MAIN in path.read_text()
    ]
    loaded = subprocess.run([sys.executable, "-c", LOAD, *programs], capture_output=True, text=True, check=False)

    assert len(programs) > 10
    assert (loaded.returncode, loaded.stderr) == (0, "")
