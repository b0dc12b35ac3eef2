"""The user's home: commands that look change nothing in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commandline import Demo, gpiorig

LOOKING = (
    *("--help", "doctor", "bench list", "bench check demo", "bench scan --json", "decode --list", "decode --path"),
    *("firmware list", "--completion bash", "info RUN", "packets RUN", "view RUN --follow", "serial RUN"),
    *("measure RUN --period tap.irq --per node", "clocks RUN", "compare RUN RUN", "report RUN -o OUT"),
    *(
        "decode --wiring RUN",
        "export RUN -o OUT.sr --from 0s --to 9999sa",
        "store add RUN -s OUT.store",
        "store ls -s OUT.store",
    ),
)


def test_commands_that_look_leave_the_home_unchanged(
    tmp_path: Path, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do the programs that they start.

    What matplotlib keeps in ~/.cache/matplotlib, once, is not seen here: the tests have imported it before.
    """
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    folder, place = tmp_path / "run", tmp_path / "out"
    shutil.copytree(demo.folder, folder)
    for command in LOOKING:
        words = [word.replace("RUN", str(folder)).replace("OUT", str(place)) for word in command.split()]
        done = gpiorig(*words)

        assert [] == list(home.rglob("*")), command
        assert done.status in (0, 1), (command, done.stderr)
