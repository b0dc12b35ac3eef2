"""`python core_only.py VERB …`: gpiorig without gpiorig-vbench; the last line of stderr has what was asked of that.

With `--boards` as first word the distribution is there and its parts can be found; loading one fails.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import gpiorig

VBENCH = "gpiorig.vbench"


class NoVirtualBench:
    """A finder that refuses the virtual bench, and remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Refuse a module of the virtual bench; any other is for the next finder."""
        if name == VBENCH or name.startswith(f"{VBENCH}."):
            self.asked.append(name)
            raise ModuleNotFoundError(f"a test refuses {name}")
        return None


def run(*words: str | Path) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run gpiorig without the virtual bench; the process, and which of its modules were asked for."""
    command = [sys.executable, __file__, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done, json.loads(done.stderr.splitlines()[-1])


def main(words: list[str]) -> int:
    """Hide the distribution, and run the command line."""
    finder = NoVirtualBench()
    sys.meta_path.insert(0, finder)
    if words[0] == "--boards":
        words = words[1:]
    else:
        every_group = importlib.metadata.entry_points
        gpiorig.__path__ = [portion for portion in gpiorig.__path__ if not Path(portion, "vbench").exists()]

        def entry_points(**chosen: Any) -> Any:
            return () if chosen.get("group") == "gpiorig.virtual" else every_group(**chosen)

        importlib.metadata.entry_points = entry_points
    from gpiorig.rig import cli

    try:
        status = cli.main(words)
    finally:
        print(json.dumps(finder.asked), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
