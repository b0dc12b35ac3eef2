"""Completion in real shells: what zsh and fish offer after a few letters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from depth import DEEP

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not DEEP, reason="deep")]
BIN = Path(sys.executable).parent  # where gpiorig is


def asked(shell: str, script: str, place: Path) -> str:
    """What a shell prints for a script, in an empty home."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(place), "TERM": "dumb", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [shell, "-c", script], capture_output=True, text=True, env=environment, cwd=place, timeout=60, check=False
    )
    return done.stdout + done.stderr


def test_fish(tmp_path: Path) -> None:
    """Commands after `rep`, options after `report --f`."""
    script = "gpiorig --completion fish | source; complete -C 'gpiorig rep'; complete -C 'gpiorig report run --fig'"
    offered = asked("fish", script, tmp_path)
    assert "report" in offered
    assert "--figures" in offered


def test_zsh(tmp_path: Path) -> None:
    """A real line editor, in a terminal of its own, completes the word on TAB."""
    script = r"""
    zmodload zsh/zpty
    builtin zpty shell zsh -f -i
    send() { builtin zpty -w shell "$1"; sleep "$2" }
    send 'PS1="> "; autoload -Uz compinit; compinit -u -D; eval "$(gpiorig --completion zsh)"' 4
    builtin zpty -w -n shell $'gpiorig firmw\t'
    sleep 4
    local line
    while builtin zpty -r -t shell line; do print -r -- "$line"; done
    """
    offered = asked("zsh", script, tmp_path)
    assert "gpiorig firmware" in offered.replace("\x08", "")
