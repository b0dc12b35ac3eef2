"""The manual page, and completion in shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import manual
import pytest
from commandline import gpiorig

from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.cli import SHELLS


def test_every_command_is_in_the_page() -> None:
    """In the order of the help."""
    headings = [line for line in manual.page().splitlines() if line.startswith(".SS ")]
    assert [f'.SS "gpiorig {command}"' for command in COMMANDS] == headings


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_page_is_valid() -> None:
    """Groff reads it without a warning."""
    command = ["groff", "-ww", "-man", "-Tutf8", "-k"]
    done = subprocess.run(command, input=manual.page(), capture_output=True, text=True, check=True)
    assert "" == done.stderr
    assert "gpiorig bench verify" in done.stdout


def completed(line: str, tmp_path: Path) -> list[str]:
    """The words for the end of a line, as the script of a shell asks for them."""
    answer = tmp_path / "answer"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    command = [sys.executable, "-c", "from gpiorig.rig.cli import main; main()"]
    subprocess.run(command, env=os.environ | asked, cwd=tmp_path, check=True)
    return [word.strip() for word in answer.read_text().split("\n")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gpiorig rep", ["report"]),
        ("gpiorig report --o", ["--output", "--open"]),
        ("gpiorig bench ver", ["verify"]),
        ("gpiorig bench verify --res", ["--reset"]),
        ("gpiorig export run -o x --table st", ["steps"]),
        ("gpiorig run eight", ["eight-channels"]),
    ],
)
def test_words_are_completed(line: str, expected: list[str], tmp_path: Path) -> None:
    """Commands, verbs, options, values, names of benches."""
    assert expected == completed(line, tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(shell: str) -> None:
    """It names the program, and a shell that is installed reads it."""
    done = gpiorig("--completion", shell)
    assert (0, "") == (done.status, done.stderr)
    assert "gpiorig" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)
