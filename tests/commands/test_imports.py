"""What a command imports before it does anything: a user waits for it, at every call."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

IMPORTED = """
import json, sys
from gpiorig.rig import cli
for part in ("arguments", "commands"):
    cli.module(part, sys.argv[1])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize(
    ("command", "spared"),
    [
        ("bench", ("scipy", "pyarrow", "matplotlib")),  # `gpiorig run` starts one for each virtual bench
        ("capture", ("scipy", "pyarrow", "matplotlib")),
        ("decode", ("scipy", "matplotlib")),
        ("serial", ("scipy", "matplotlib")),
    ],
)
def test_packages_that_take_long_are_spared(command: str, spared: tuple[str, ...]) -> None:
    """They are imported by the commands that analyse only."""
    words = [sys.executable, "-c", IMPORTED, command]
    imported = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert {"gpiorig", "numpy"} <= set(imported)
    assert [] == [name for name in spared if name in imported]
