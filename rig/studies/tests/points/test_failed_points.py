"""Points of a study that fail: checks and assertions, recordings that end early, firmware that refuses, a full disk."""

from __future__ import annotations

from pathlib import Path

import keptpoints as kept
import pytest

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import FirmwareError
from gpiorig.studies.plans import runner
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import analysed, states, work

pytestmark = pytest.mark.usefixtures("by_hand")


def test_checks_and_assertions_fail_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers stay, the study continues, `retry` records it again; one that is not asserted does not count."""

    def broken(*arguments: object) -> analysed.Numbers:
        right = kept.numbers(*arguments)  # type: ignore[arg-type]
        return analysed.Numbers(right.table, ("A check.",), {"rtt.max < 1 s": "No."}, right.reasons, None)

    sought = kept.sought(tmp_path)
    monkeypatch.setattr(analysed, "numbers", broken)
    runner.run(Plan.of([sought]), Options())

    results = states.results_of(sought.study, sought.conditions, sought.output)
    assert [("failed", "A check. No.")] * 4 == [(point.state, point.reason) for point in results.points]
    assert all(point.table is not None for point in results.points)
    runner.run(Plan.of([sought]), Options(), ended=lambda outcome: pytest.fail("not without retry"))
    monkeypatch.setattr(analysed, "numbers", kept.numbers)
    runner.run(Plan.of([sought]), Options(retry=True))
    assert {"done": 4} == kept.counts(sought)


def test_a_recording_is_tried_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the point failed, with the reason; the others are recorded, or it stops there."""
    tries = []

    def fails(*arguments: object, **options: object) -> Recording:
        tries.append(options["output"])
        if arguments[1].settings.payload == 20:
            raise CaptureError("is dead", where="analyzer", remedy="wake it")
        return kept.record(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "record", fails)
    sought = kept.sought(tmp_path)

    ending = runner.run(Plan.of([sought]), Options(stop_on_failure=True))
    assert (True, 2, "failed") == (ending.stopped, len(tries), kept.state_of(sought)[0])
    assert "(2 attempts)" in kept.state_of(sought)[1]
    runner.run(Plan.of([sought]), Options())
    assert {"failed": 2, "done": 2} == kept.counts(sought)
    assert 2 + 1 + 2 + 1 == len(tries)


def test_a_firmware_refuses_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of another kernel does: it is not tried again until `retry`, and does not count as failed."""

    def refuses(*arguments: object, **options: object) -> Recording:
        raise FirmwareError("node initiator refuses `set queue 8`")

    monkeypatch.setattr(work, "record", refuses)
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())

    assert ("refused", "node initiator refuses `set queue 8`") == kept.state_of(sought)
    runner.run(Plan.of([sought]), Options(), ended=lambda outcome: pytest.fail("not without retry"))
    monkeypatch.setattr(work, "record", kept.record)
    runner.run(Plan.of([sought]), Options(retry=True))
    assert {"done": 4} == kept.counts(sought)


def test_a_fault_of_one_point_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a full disk: it is reported, and the point is tried once in a run."""

    def full(*arguments: object, **options: object) -> Recording:
        raise OSError(28, "No space left on device", "edges")

    monkeypatch.setattr(work, "record", full)
    ending = runner.run(Plan.of([kept.sought(tmp_path)]), Options())

    assert ["edges: No space left on device"] * 4 == list(ending.errors.values())
