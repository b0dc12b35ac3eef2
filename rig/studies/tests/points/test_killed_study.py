"""A study that is killed at any change of a file, and is called again."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import keptpoints as kept
import pytest
from payloadstudy import study_tables

from gpiorig.studies.plans import runner
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options

pytestmark = pytest.mark.usefixtures("by_hand")


class Killed(BaseException):
    """The process ends here."""


class Moments:
    """Ends the program at the n-th change of the file system, and refuses every later one, as `kill -9` does."""

    EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "open")

    def __init__(self) -> None:
        self.left: int | None = None  # changes that are allowed; None: all
        self.ended = False  # whether the last block was
        sys.addaudithook(self._hook)  # for the life of the process

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.left is None or event not in self.EVENTS:
            return
        if event == "open" and not (isinstance(arguments[1], str) and set(arguments[1]) & set("wxa+")):
            return
        if self.left == 0:
            raise Killed
        self.left -= 1

    @contextlib.contextmanager
    def after(self, changes: int) -> Iterator[None]:
        """End the program in this block after some changes; an end is swallowed."""
        self.left = changes
        try:
            yield
        except Killed:
            pass
        finally:
            self.ended, self.left = self.left == 0, None


@pytest.fixture(scope="module")
def moments() -> Moments:
    """One hook for all tests of this module."""
    return Moments()


@pytest.mark.slow
def test_killed_at_every_moment(tmp_path: Path, moments: Moments) -> None:
    """Whatever change of a file is the last one, a second call ends with the same tables, byte for byte."""
    sought = kept.sought(tmp_path, kept.STUDY.replace("[20, 60]", "[20]"))
    runner.run(Plan.of([sought]), Options())
    expected, changes = study_tables(sought.output), 0
    moments.ended = True
    while moments.ended:
        shutil.rmtree(sought.output)
        with moments.after(changes):
            runner.run(Plan.of([sought]), Options())
        runner.run(Plan.of([sought]), Options())
        assert expected == study_tables(sought.output), f"killed after {changes} changes"
        changes += 1
    assert changes > 30, "the moments of two points"


def test_a_resumed_study_records_what_is_missing_only(tmp_path: Path, moments: Moments) -> None:
    """Points that were done before the kill are not touched."""
    sought = kept.sought(tmp_path)
    with moments.after(45):
        runner.run(Plan.of([sought]), Options())
    done = [point for point in sought.points(range(2)) if sought.state(point)[0] == "done"]
    assert done
    worked = []
    runner.run(Plan.of([sought]), Options(), ended=lambda outcome: worked.append(outcome.item.point.digest))
    assert 4 - len(done) == len(worked)
    assert not {point.digest for point in done} & set(worked)
