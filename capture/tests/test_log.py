"""The log: what is in it, in which order, and how large it becomes."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpiorig.capture import log


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    """The logger is afterwards as it was."""
    logger = logging.getLogger("gpiorig")
    before = logger.handlers, logger.level, logger.propagate
    yield
    logger.handlers, level, logger.propagate = before
    logger.setLevel(level)


def texts(path: Path) -> list[str]:
    """The lines of a log without their times."""
    return [re.sub(r"^\S+Z +[\d.]+ ", "", line) for line in path.read_text().splitlines()]


def test_a_file_begins_with_what_was_before_it(tmp_path: Path) -> None:
    """Also where it is kept in two parts, as of a capture that continues; nothing is in it that came after it."""
    log.begin()
    log.runs(["sigrok-cli", "-d", "a b"])
    with log.writing(tmp_path / log.NAME):
        log.LOG.info("decided")
    log.LOG.info("later")
    with log.writing(tmp_path / "next"):
        pass
    assert ["runs: sigrok-cli -d 'a b'", "decided"] == texts(tmp_path / log.NAME)
    assert ["later"] == texts(tmp_path / "next")

    log.begin()
    with pytest.raises(KeyboardInterrupt), log.writing(tmp_path / log.NAME):
        raise KeyboardInterrupt("by a signal")
    assert "ended by KeyboardInterrupt: by a signal" == texts(tmp_path / log.NAME)[2]


def test_a_full_log_has_its_end_and_counts_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first lines, the number of those that are missing, and the last ones: every line is one of these."""
    monkeypatch.setattr(log, "MAX_BYTES", 4000)
    log.begin()
    with log.writing(tmp_path / log.NAME):
        for number in range(1000):
            log.LOG.info("line %d", number)
    lines = texts(tmp_path / log.NAME)
    place = next(place for place, line in enumerate(lines) if "are missing" in line)

    assert [f"line {number}" for number in range(place)] == lines[:place]
    assert f"... {1000 - place - log.LAST_LINES} lines are missing here: the log was full" == lines[place]
    assert [f"line {number}" for number in range(1000 - log.LAST_LINES, 1000)] == lines[place + 1 :]
    assert (tmp_path / log.NAME).stat().st_size < 4000 + 100 * log.LAST_LINES


def test_what_programs_print_is_bounded_and_cannot_command_a_terminal(tmp_path: Path) -> None:
    """Beginning and end of many lines; control characters are written out; further lines are indented."""
    log.begin()
    with log.writing(tmp_path / log.NAME):
        log.ended("tool", 1, began_s=0.0, messages="\n".join(f"\x1b[2J{number}" for number in range(1000)))
    lines = texts(tmp_path / log.NAME)

    assert lines[0].startswith("tool ends with status 1 after ")
    assert r"    \u001b[2J0" == lines[1]
    assert "    ... 940 lines" == lines[31]
    assert r"    \u001b[2J999" == lines[-1]


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    """A link in a folder of others is not followed; a folder that is gone has no log."""
    (tmp_path / log.NAME).symlink_to(tmp_path / "victim")
    log.begin()
    with log.writing(tmp_path / log.NAME), log.writing(tmp_path / "gone" / log.NAME):
        log.LOG.info("line")

    assert not (tmp_path / "victim").exists()
    assert log.recent().count("no log is kept") == 2


def test_a_program_that_uses_the_package_sees_no_records(caplog: pytest.LogCaptureFixture) -> None:
    """What is logged goes to no handler of the root logger."""
    log.begin()
    log.LOG.info("line")
    assert [] == caplog.records
