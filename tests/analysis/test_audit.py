"""The three-clock audit of a recording of the virtual bench. Its numbers test the rig; they measure no hardware."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest
from commandline import Demo

from gpiorig.analysis.audit import stages
from gpiorig.analysis.audit.auditor import audit
from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings import serial_pins
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import audit_inputs, report
from gpiorig.rig.results.analyse import analyse

PACKETS = 60


@pytest.fixture(scope="module")
def recorded(demo: Demo) -> tuple[Recording, Events, Mapping[str, NodeLog]]:
    recording = Recording.open(demo.folder)
    analysis = analyse(open_recording(recording))
    return recording, analysis.events, analysis.logs


@pytest.fixture(scope="module")
def audited(recorded: tuple[Recording, Events, Mapping[str, NodeLog]]) -> Audit:
    return audit_of(*recorded)


def audit_of(recording: Recording, events: Events, logs: Mapping[str, NodeLog]) -> Audit:
    opened = open_recording(recording)
    records = audit_inputs.node_records(opened, logs)
    assert records is not None
    return audit(events, records)


@pytest.mark.slow
def test_every_line_is_found_on_the_pins(audited: Audit) -> None:
    assert not any(count for matching in audited.matchings for count in matching.unmatched.values())
    packets = [matching.matched for matching in audited.matchings if matching.what.startswith("packet lines")]
    assert [PACKETS, PACKETS] == packets


def test_node_stamps_are_right_to_their_step(audited: Audit) -> None:
    """A truncated microsecond at either end, and the node's clock, 15 ppm fast of the analyzer's: 0.1 us in 7 ms."""
    (one,) = (
        comparison
        for comparison in audited.comparisons
        if (comparison.quantity, comparison.clock) == ("round trip, initiator", "node")
    )
    assert PACKETS == one.n
    assert np.abs(one.errors_ns).max() <= 1000 + 150


def test_the_clocks_are_those_of_the_bench(audited: Audit) -> None:
    """12 and -7 ppm against true time, of which the analyzer is 3 ppm slow."""
    fits = {fit.clock: fit.segments[0].ppm for fit in audited.fits}
    for node, ppm in (("initiator", 15.0), ("responder", -4.0)):
        ppm_interval = fits[f"node {node}"]
        assert ppm_interval.low - 0.2 <= ppm <= ppm_interval.high + 0.2


def test_the_delay_to_the_host_is_that_of_another_program(
    audited: Audit, recorded: tuple[Recording, Events, Mapping[str, NodeLog]]
) -> None:
    """`gpiorig serial --pins --audit` pairs the lines in its own way, and rounds down to ns."""
    recording, _, _ = recorded
    for node in recording.nodes:
        other = serial_pins.latencies_ns(recording, node, baudrate=None)
        (delay,) = (stage.delay for stage in audited.stages if (stage.node, stage.name) == (node, stages.TO_HOST))
        assert len(other) == delay.n
        expected = (delay.min_ns, delay.median_ns, delay.max_ns)
        assert np.quantile(other, [0, 0.5, 1]).tolist() == pytest.approx(expected, abs=1)


@pytest.mark.slow
def test_swapped_logs_are_flagged(recorded: tuple[Recording, Events, Mapping[str, NodeLog]]) -> None:
    """And are failed checks of the report."""
    recording, events, logs = recorded
    one, other = logs
    swapped = {
        one: dataclasses.replace(logs[other], node=one),
        other: dataclasses.replace(logs[one], node=other),
    }
    findings = audit_of(recording, events, swapped)
    opened = open_recording(recording)
    data = report.report_data(opened, dataclasses.replace(analyse(opened), logs=swapped))
    assert findings.foreign == data.notes[-2:]
    assert 2 == sum("this log is not of this recording" in note for note in findings.foreign)
    assert () == findings.comparisons
