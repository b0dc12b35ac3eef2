"""Findings on a capture that cannot be right."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from gpiorig.analysis.events.events import DamagedFrames, Events
from gpiorig.analysis.logs import node_log
from gpiorig.rig.results import checks


def seen(frames):
    """A recording of one node with the given number of frames, none of them an event."""
    none = np.zeros(0, dtype=np.int64)
    return Events(
        samples=none,
        nodes=none.astype(np.uint16),
        codes=none.astype(np.uint8),
        ids=none.astype(np.int32),
        node_names=("responder",),
        samplerate_hz=Fraction(24_000_000),
        damaged=DamagedFrames(none, none.astype(np.uint16), none.astype(np.int32)),
        frames_seen=np.array([frames], dtype=np.int64),
        gaps=none.reshape(-1, 2),
        start=0,
        end=24_000_000,
    )


@pytest.mark.parametrize(
    ("frames", "probes", "failed"), [(0, "normal", True), (12, "normal", False), (0, "off", False)]
)
def test_a_node_that_the_pins_do_not_show_is_said(frames, probes, failed):
    """The firmware counted frames and not one was seen: a clip is off. Firmware without probes sends none."""
    logs = {
        "responder": dataclasses.replace(
            node_log.parse("done sent=0 received=0 lost=0 probes=8134\n", node="responder"), boots=1
        )
    }
    recording = SimpleNamespace(verify=list, info=SimpleNamespace(parameters={"probes": probes}))
    problems = checks.signal_checks(seen(frames), logs, recording)
    assert failed == any(
        "Node responder sent 8134 frames on its symbol bus, none was seen" in problem for problem in problems
    )
