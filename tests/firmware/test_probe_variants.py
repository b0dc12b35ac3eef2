"""The variants of the probe library in the reference firmware, and three span lines in the place of the bus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from images import build
from oneboard import Run, run

from gpiorig.rig.experiments.images import reference_image

pytestmark = pytest.mark.slow  # builds images

M3 = "iotlab-m3"
CALIBRATE = 2
CALIBRATION_EVENTS = 32  # main.c


def shown_by(image: Path) -> Run:
    return run(M3, image.read_bytes(), "identify", "start 3", "report")


@pytest.fixture(scope="module")
def normal() -> Run:
    return shown_by(reference_image(M3))


def cost(seen: Run) -> float:
    """Samples from one event of the calibration burst to the next."""
    burst = seen.frames.samples[seen.frames.codes == CALIBRATE]
    assert CALIBRATION_EVENTS == len(burst)
    return float(np.median(np.diff(burst)))


def test_normal_says_so(normal: Run) -> None:
    assert "normal" == normal.log.identity["probes"]
    assert len(normal.frames.codes) == normal.log.done["probes"]


def test_doubled_shows_every_event_once_at_twice_the_cost(normal: Run) -> None:
    """The same events with the same ids; the board counts what it showed."""
    doubled = shown_by(build(M3, "PROBES=doubled"))
    assert "doubled" == doubled.log.identity["probes"]
    assert 0 == len(doubled.frames.damaged_samples)
    assert normal.frames.codes.tolist() == doubled.frames.codes.tolist()
    assert normal.frames.ids.tolist() == doubled.frames.ids.tolist()
    assert len(doubled.frames.codes) == doubled.log.done["probes"]
    # The loop's own instructions are not doubled, and where the stores go is an argument, not a constant.
    assert cost(doubled) == pytest.approx(2 * cost(normal), rel=0.05)


def test_empty_runs_and_shows_nothing() -> None:
    """It claims no frames either."""
    empty = shown_by(build(M3, "PROBES=empty"))
    assert "empty" == empty.log.identity["probes"]
    assert 0 == len(empty.frames.codes) + len(empty.frames.damaged_samples)
    assert 3 == empty.log.done["sent"]
    assert 0 == empty.log.done["probes"]


def test_three_span_lines_without_a_bus() -> None:
    """The connector's pins of an IoT-LAB M3: radio interrupts, the send call, and a heartbeat of 10 ms."""
    lines = {"SPAN_ISR_RADIO": "A(3)", "SPAN_APP_TX": "B(9)", "HEARTBEAT_LINE": "C(11)"}
    defines = " ".join(f"-DGPIORIG_{name}='GPIORIG_PIN_{pin}'" for name, pin in lines.items())
    image = build(M3, "WIDTH=0", f"DEFINES={defines}").read_bytes()
    seen = run(M3, image, "set heartbeat_us 10000", "start 3", "report", pins=("PA3", "PB9", "PC11"))

    samples, levels = seen.levels
    rises = [int(np.sum(np.diff(levels >> np.uint64(line) & np.uint64(1)).astype(np.int8) == 1)) for line in range(3)]
    beats = samples[1:][np.diff(levels >> np.uint64(2)) != 0]
    assert 3 == rises[1]
    assert rises[0] >= 3  # the end of each transmission
    assert np.diff(beats) == pytest.approx(240_000, abs=24 * 5)  # an interrupt may keep one waiting
    assert 0 == seen.log.done["probes"]
