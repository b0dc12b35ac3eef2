"""The help of the command line, and wrong words in it."""

from __future__ import annotations

import json

import pytest
from commandline import gpiorig

from gpiorig.rig import cli
from gpiorig.rig.arguments import COMMANDS, GROUPS
from gpiorig.rig.cli import options_of

TERMINAL_COLUMNS = 80


def test_the_help_shows_each_command_in_its_group() -> None:
    """A line each that fits a terminal."""
    done = gpiorig("--help")
    lines = done.stdout.splitlines()

    assert (0, "") == (done.status, done.stderr)
    assert [f"{group}:" for group in GROUPS] == [line for line in lines if line.removesuffix(":") in GROUPS]
    assert [*COMMANDS] == [line.split()[0] for line in lines if any(line.endswith(f" {s}") for s in COMMANDS.values())]
    assert all(len(line) <= TERMINAL_COLUMNS for line in lines if any(line.endswith(s) for s in COMMANDS.values()))


def test_help_of_a_command() -> None:
    """`help X` is `X --help`."""
    assert gpiorig("report", "--help").stdout == gpiorig("help", "report").stdout == options_of("report").format_help()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("reprot", "gpiorig: error: no command 'reprot' (did you mean 'report'?)"),
        ("help reprot", "no command 'reprot' (did you mean 'report'?)"),
        ("report --ouput run", "gpiorig report: error: unknown option --ouput (did you mean '--output'?)"),
        ("report run --out page", "unknown option --out (did you mean '--output'?)"),
        (
            "bench chek demo",
            "no 'chek' (did you mean 'check'?), choose from list, plan, scan, check, verify, certify, virtual",
        ),
        ("bench check --josn demo", "gpiorig bench check: error: unknown option --josn (did you mean '--json'?)"),
        (
            "export run -o a.csv --table stpes",
            "argument --table: no 'stpes' (did you mean 'steps'?), choose from edges",
        ),
        ("report run --zzz=1", "unknown option --zzz;"),
        ("record", "no command 'record' (did you mean 'capture'?)"),
        ("live run", "no command 'live' (did you mean 'view --follow'?)"),
        ("scan", "no command 'scan' (did you mean 'bench scan'?)"),
        ("packets run --id one", "argument --id: 'one' is not a whole number;"),
        ("measure a.sr --period D0 --samplerate 24", "--samplerate 24: is 24 Hz without a unit; write 24MHz, or 24Hz."),
    ],
)
def test_the_word_that_was_meant(words: str, expected: str) -> None:
    """A mistyped word ends in one line, with the nearest known one."""
    done = gpiorig(*words.split())
    assert (2, "", 1) == (done.status, done.stdout, len(done.stderr.splitlines()))
    assert expected in done.stderr


@pytest.mark.parametrize("words", ["packets run --id one --json", "packets --nothing --json", "info absent --json"])
def test_an_error_is_an_object_of_every_command(words: str) -> None:
    """With --json on stdout, with the text of the line on stderr; also of words that are not understood."""
    done = gpiorig(*words.split())
    error = json.loads(done.stdout)["error"]
    assert (2, {"kind", "text"}) == (done.status, error.keys())
    assert done.stderr.endswith(f": error: {error['text']}\n")


def test_each_suggestion_is_a_command() -> None:
    """Of the words of other tools."""
    for meant in cli.OTHER_WORDS.values():
        if meant != "--version":
            command, *verb = meant.split()
            help_text = gpiorig(command, "--help").stdout
            assert all(word in help_text for word in verb), meant


def test_values_that_look_like_options() -> None:
    """A value after `=`, a word with a space, and what follows `--` are values."""
    assert ["--p99 < 1"] == options_of("report").parse_args(["run", "--assert", "--p99 < 1"]).assertions
    assert "--x" == options_of("store").parse_args(["query", "--", "--x"]).sql
    assert 5 == options_of("demo").parse_args(["--packets=5"]).packets
