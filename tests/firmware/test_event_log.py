"""The event log against the pins: a virtual board sends packets that get no reply, and then its log."""

from __future__ import annotations

import re
from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import ROOT, gpiorig
from images import build
from numpy.typing import NDArray
from oneboard import SAMPLERATE_HZ, Run, run

from gpiorig.analysis.logs.event_log import EventLog

pytestmark = pytest.mark.slow  # builds images

PACKETS = 3
TICK_US = 1.0
EXPERIMENT = """
name = "log"
initiator = "initiator"
responder = "responder"
packets = 3
[nodes.responder]
log = true
"""


def logged(
    board: str, *commands: str, records: int, kernel: str = "events", words: tuple[str, ...] = ()
) -> tuple[Run, EventLog]:
    """A run of an image that has a log, which it is asked for at the end."""
    image = build(board, f"LOG={records}", f"KERNEL={kernel}", *words)
    seen = run(board, image.read_bytes(), *commands, "log")
    assert () == seen.log.malformed
    assert seen.log.event_log is not None, seen.printed
    return seen, seen.log.event_log


def late_us(seen: Run, log: EventLog) -> NDArray[np.float64]:
    """How long after the node read its timer each event showed, but for an offset and the node's clock error."""
    pins_us = seen.frames.samples * 1e6 / SAMPLERATE_HZ
    ticks = log.ticks.astype(np.float64)
    drift = np.polyfit(ticks, pins_us, 1)
    return pins_us - np.polyval(drift, ticks)


# `price_us`: a record and its reading of the timer (docs/guide/probe-cost.md, log only), within which the first edge
# comes.
@pytest.mark.parametrize(
    ("board", "kernel", "records", "price_us"),
    [
        ("iotlab-m3", "events", 512, 1.5),
        ("iotlab-m3", "threads", 256, 1.5),
        ("nucleo-l476rg-at86rf231", "events", 512, 1.1),
        ("telosb", "events", 256, 61.5),
    ],
)
def test_log_and_pins_tell_the_same(board: str, kernel: str, records: int, price_us: float) -> None:
    """The same events with the same ids in the same order, at the same times but for a tick and a record's price."""
    seen, log = logged(board, f"start {PACKETS}", records=records, kernel=kernel)

    assert 0 == len(seen.frames.damaged_samples)
    assert (0, 0) == (log.lost, log.missing)
    assert "ok log lost=0\n" in seen.printed
    assert seen.frames.codes.tolist() == log.codes.tolist()
    assert seen.frames.ids.tolist() == log.ids.tolist()
    assert PACKETS * 10 < len(log)
    assert np.ptp(late_us(seen, log)) <= TICK_US + price_us


def test_events_beyond_the_ring_are_counted() -> None:
    """The oldest stay; how many are lost is what the pins showed and the log lacks."""
    seen, log = logged("iotlab-m3", f"start {PACKETS}", records=64)

    assert 64 == len(log)
    assert seen.frames.codes[:64].tolist() == log.codes.tolist()
    assert len(seen.frames.codes) - 64 == log.lost
    assert f"ok log lost={log.lost}\n" in seen.printed


@pytest.mark.parametrize(("kernel", "records", "packets"), [("events", 64, PACKETS), ("threads", 256, 10 * PACKETS)])
def test_the_log_is_sent_while_idle(kernel: str, records: int, packets: int) -> None:
    """Then a ring that is much too short for all of it loses nothing."""
    seen, log = logged("iotlab-m3", "log", "set log 1", f"start {packets}", records=records, kernel=kernel)

    assert len(log) > records
    assert 0 == log.lost
    assert seen.frames.codes.tolist() == log.codes.tolist()
    assert seen.frames.ids.tolist() == log.ids.tolist()


def test_the_log_alone() -> None:
    """Without pins: the same events, and no edge."""
    seen, log = logged("iotlab-m3", f"start {PACKETS}", records=512, words=("DEFINES=-DGPIORIG_PINS=0",))

    assert 0 == len(seen.frames.codes) + len(seen.frames.damaged_samples)
    assert (0, 0) == (log.lost, log.missing)
    assert PACKETS * 10 < len(log)


def test_heartbeats_count() -> None:
    """Every 10 ms from the setting on, without drift: each is due one period after the last one was."""
    _, log = logged("iotlab-m3", "set heartbeat_us 10000", "set heartbeat_us 0", records=512)

    beats = np.flatnonzero(log.codes == 5)
    assert list(range(len(beats))) == log.ids[beats].tolist()
    assert 19 <= len(beats) <= 21  # 200 ms
    assert (np.abs(np.diff(log.ticks[beats]) - 10_000) <= 2).all()


def test_an_overflow_fails_the_check_and_names_the_node(tmp_path: Path) -> None:
    """A ring of 16 is full before the processor is idle for the first time in a round trip."""
    image = build("iotlab-m3", "LOG=16")
    bench = (ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml").read_text()
    bench = bench.replace("[nodes.responder]\n", f'[nodes.responder]\nfirmware = "{image}"\n')
    done = gpiorig("report", directbench.record(tmp_path / "bench", bench, EXPERIMENT).folder)

    assert 1 == done.status
    assert re.search(r"Node responder lost \d+ events of its event log: its ring was full", done.stderr), done.stderr
