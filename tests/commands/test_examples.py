"""The examples of `gpiorig COMMAND --help` that need a recording work on one of the demo."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from commandline import Demo, gpiorig
from depth import DEEP
from written_calls import calls

from gpiorig.rig import cli
from gpiorig.rig.arguments import COMMANDS

RECORDINGS = {"run1", "run2", "run3", "base", "new"}  # what examples call a recording of a ping-pong
# They start a program, wait, read another file, write bytes, serve, ask.
NOT_HERE = {"--open", "--follow", "--list", "-B", "view", "--bundle", "--power"}
LONG = {"report", "compare"}  # they analyse a recording again and again, and have tests of their own


def from_recordings(command: str) -> list[list[str]]:
    """The examples of a command whose sources are recordings, and nothing else."""
    examples = []
    for words in calls(cli.options_of(command).epilog or ""):
        sources = {word for before, word in itertools.pairwise(words) if before != "-o"}
        if words[0] == command and sources & RECORDINGS and not NOT_HERE & set(words):
            examples.append(words)
    return examples


EXAMPLES = [words for command in COMMANDS for words in from_recordings(command) if DEEP or command not in LONG]


@pytest.fixture(scope="module")
def here(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings of all these names."""
    folder = tmp_path_factory.mktemp("examples")
    for name in RECORDINGS:
        shutil.copytree(demo.folder, folder / name)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_an_example_works(here: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    """It ends with status 0, prints or writes something, and finds what it looks for."""
    monkeypatch.chdir(here)
    done = gpiorig(*words, figures=True)  # `--reproduce` compares those of the recordings
    assert done.status == 0, done.stderr
    assert done.stdout
    assert "no pair" not in done.stdout
