"""What is there is replaced with `--force` only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.arguments.parser import leaves
from gpiorig.rig.cli import options_of

VCD = "$timescale 1 us $end\n$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n#9\n0!\n#14\n1!\n"
# What is kept up to date in place, or is a folder that must be new.
NOT_FILES = {
    "batch",
    "bench certify",
    "bench verify",
    "capture",
    "firmware cost",
    "import",
    "merge",
    "report",
    "run",
    "serial",
    "study",
}


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "capture.vcd"
    path.write_text(VCD)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("export", "capture.vcd", "-o", "old.csv", "--samplerate", "1MHz"),
        ("measure", "capture.vcd", "--period", "a:rise", "-o", "old.csv"),
        ("measure", "capture.vcd", "--period", "a:rise", "--figure", "old.png"),
    ],
)
def test_a_file_is_replaced_with_force(
    words: tuple[str, ...], capture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it one line that names it, and the file is as before."""
    monkeypatch.chdir(tmp_path)
    old = Path(next(filter(re.compile("old").match, words)))
    old.write_text("of yesterday")
    refused = gpiorig(*words)

    assert (2, "") == (refused.status, refused.stdout)
    assert f"{old}: is there; give --force to replace it, or another name." in refused.stderr
    assert "of yesterday" == old.read_text()
    assert 0 == gpiorig(*words, "--force").status
    assert old.read_bytes() != b"of yesterday"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_that_writes_a_file_has_it(command: str) -> None:
    """`-o FILE`, `--figure` or `--bundle` goes with `--force`."""
    for leaf in leaves(options_of(command)):
        writes = {"--output", "--figure", "--bundle"} & leaf._option_string_actions.keys()
        name = leaf.prog.removeprefix("gpiorig ")
        expected = bool(writes) and not {name, name.split()[0]} & NOT_FILES
        assert expected == ("--force" in leaf._option_string_actions), name
