"""Lines without packets of the reference firmware: the ticker, and what the ping-pong prints when it sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from modebench import Mode, record

from gpiorig.analysis.audit.results import Audit, Comparison
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks, report

PACKETS = 12
pytestmark = pytest.mark.slow


def run(folder: Path, board: str = "iotlab-m3", kernel: Any = "events", **settings: Any) -> Mode:
    """No event is lost or damaged, and no line is unknown."""
    experiment = Experiment(
        name="lines",
        initiator="initiator",
        responder="responder",
        packets=PACKETS,
        kernel=kernel,
        settings=Settings(**settings),
    )
    mode = record(folder, {"initiator": board, "responder": board}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    assert not any(log.malformed for log in mode.found.logs.values())
    return mode


def audited(mode: Mode) -> Audit:
    """The clocks of the recording against its pins."""
    audit = report.report_data(open_recording(mode.recording), mode.found).evaluation.audit
    assert audit is not None
    return audit


def compared(audit: Audit, quantity: str) -> dict[str, Comparison]:
    """The comparison of a quantity by each clock that measures it."""
    return {row.clock: row for row in audit.comparisons if row.quantity == quantity}


@pytest.mark.parametrize(("board", "kernel"), [("iotlab-m3", "events"), ("telosb", "threads")])
def test_the_ticker_prints_at_each_interval(tmp_path: Path, board: str, kernel: str) -> None:
    """As many lines as asked for, an interval apart on the pins, and nothing on the air."""
    mode = run(tmp_path, board, kernel, app="ticker", interval_us=50_000)
    log, events = mode.log("initiator"), mode.found.events
    assert list(range(1, PACKETS + 1)) == log.sequences.tolist()
    assert (PACKETS, 0, 0) == tuple(log.done[key] for key in ("sent", "received", "lost"))
    intervals_us = np.diff(events.instants("app.tx.enter", node="initiator")) / float(events.samplerate_hz) * 1e6
    assert np.abs(intervals_us - 50_000).max() < (400 if board == "telosb" else 4)
    assert 0 == len(events.instants("driver.exec.enter", node="initiator"))
    clocks = compared(audited(mode), "interval between send calls, initiator")
    assert {"node", "host"} <= clocks.keys()
    assert PACKETS - 1 == clocks["host"].n


@pytest.mark.parametrize("kernel", ["events", "threads"])
def test_the_sleeper_adds_its_work_to_each_interval(tmp_path: Path, kernel: str) -> None:
    """From the start of a line to that of the next are the interval and the time between entry and exit."""
    mode = run(tmp_path, "iotlab-m3", kernel, app="sleeper", interval_us=50_000)
    starts, ends = (
        mode.found.events.instants(f"app.tx.{side}", node="initiator") / float(mode.found.events.samplerate_hz) * 1e6
        for side in ("enter", "exit")
    )
    assert list(range(1, PACKETS + 1)) == mode.log("initiator").sequences.tolist()
    sleeps_us = starts[1:] - ends[:-1]
    assert np.abs(sleeps_us - 50_000).max() < 50
    assert (np.diff(starts) > 50_000 + (ends - starts)[:-1] - 10).all()


@pytest.mark.parametrize("kernel", ["events", "threads"])
def test_a_round_trip_by_the_hosts_timestamps(tmp_path: Path, kernel: str) -> None:
    """With a line at sending and one at the reply the host has both; without, it has none."""
    given = {"app": "pingpong", "interval_us": 50_000, "timeout_us": 40_000}
    mode = run(tmp_path / "with", kernel=kernel, announce=True, **given)
    log = mode.log("initiator")
    assert log.sequences.tolist() == log.announced.sequences.tolist()
    assert log.sent_us.tolist() == log.announced.sent_us.tolist()
    assert 0 == len(mode.log("responder").announced.lines)
    clocks = compared(audited(mode), "round trip, initiator")
    assert {"node", "host", "serial_aggregator"} <= clocks.keys()
    assert PACKETS == clocks["host"].n
    assert np.abs(clocks["host"].errors_ns).max() < 17e6  # the adapter's timer of 16 ms, and the way of a line

    usual = run(tmp_path / "usual", kernel=kernel, **given)
    assert 0 == len(usual.log("initiator").announced.lines)
    assert "host" not in compared(audited(usual), "round trip, initiator")
