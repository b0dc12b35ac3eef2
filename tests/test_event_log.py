"""The event log against the pins: a virtual board sends packets that nobody answers, and then its log."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT
from numpy.typing import NDArray

from gpiorig.analysis import log
from gpiorig.analysis.eventlog import EventLog
from gpiorig.capture.linecode import BusDecoder, BusFrames, BusLines, joined
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.rig import boards
from gpiorig.rig.bench_ends import VirtualAnalyzer
from gpiorig.rig.bench_world import VirtualNode
from gpiorig.rig.virtual.vboards import VirtualBoards

pytestmark = pytest.mark.slow  # builds images

PS_PER_S = 10**12
SAMPLERATE_HZ = 24_000_000
PACKETS = 3
TICK_US = 1.0


@dataclass(frozen=True, slots=True)
class Run:
    """What was seen of a run: frames on the pins, the log, and what else the board said."""

    frames: BusFrames
    event_log: EventLog
    said: str


def run(folder: Path, board: str, *commands: str, records: int, kernel: str = "events", defines: str = "") -> Run:
    """Give the commands, 200 ms apart, then `log`, with time to send it."""
    make = ["make", "-s", "-C", ROOT / "firmware-gpio-probes", f"BOARD={board}", f"BUILD={folder}"]
    make += [f"KERNEL={kernel}", f"LOG={records}", f"DEFINES={defines}"]
    subprocess.run(make, check=True, capture_output=True)
    image = (folder / (board if kernel == "events" else f"{board}-{kernel}") / "reference.elf").read_bytes()
    facts = boards.load(board)
    lines = ["strobe", *(f"d{line}" for line in range(facts.bus_width))]
    world = VirtualBoards(seed=1)
    try:
        node = world.add_board(board, image, VirtualNode())
        analyzer = world.add_analyzer(samplerate_hz=SAMPLERATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=0)
        for channel, line in enumerate(lines):
            world.probe(analyzer, channel, node, facts.pins[line])
        extractor, block, said, edges = EdgeExtractor(unitsize=1), bytearray(1 << 20), b"", []

        def advance(seconds: float) -> None:
            nonlocal said
            world.pass_time(world.now_ps + int(seconds * PS_PER_S))
            said += world.uart_read(node, 0)[1]
            while count := world.samples(analyzer, block):
                edges.append(extractor.feed(block[:count]))

        advance(0.6)  # a TelosB takes 0.3 s to tune its clock
        for command in (*commands, "log"):
            world.uart_feed(node, 0, f"{command}\n".encode())
            advance(0.2)
        advance(0.3)
    finally:
        world.close()
    gap = facts.frame_gap_ns * SAMPLERATE_HZ // 10**9
    decoder = BusDecoder(BusLines(strobe=0, data=tuple(range(1, len(lines))), frame_gap_samples=gap))
    frames = joined([*(decoder.feed(*rows) for rows in edges), decoder.finish()])
    text = said.decode("ascii")
    parsed = log.parse(text, node="n")
    assert () == parsed.malformed
    assert parsed.event_log is not None, text
    return Run(frames, parsed.event_log, text)


def late_us(seen: Run) -> NDArray[np.float64]:
    """How long after the node read its timer each event showed, but for an offset and the node's clock error."""
    pins_us = seen.frames.samples * 1e6 / SAMPLERATE_HZ
    ticks = seen.event_log.ticks.astype(np.float64)
    drift = np.polyfit(ticks, pins_us, 1)
    return pins_us - np.polyval(drift, ticks)


# `price_us`: a record and its reading of the timer (docs/probe-cost.md, log only); the first strobe edge comes within it.
@pytest.mark.parametrize(
    ("board", "kernel", "records", "price_us"),
    [
        ("iotlab-m3", "events", 512, 1.5),
        ("iotlab-m3", "threads", 512, 1.5),
        ("nucleo-l476rg-at86rf231", "events", 512, 1.1),
        ("telosb", "events", 256, 61.5),
    ],
)
def test_log_and_pins_tell_the_same(tmp_path: Path, board: str, kernel: str, records: int, price_us: float) -> None:
    """The same events with the same ids in the same order, at the same times but for a tick and a record's price."""
    seen = run(tmp_path, board, f"start {PACKETS}", records=records, kernel=kernel)

    assert 0 == len(seen.frames.damaged_samples)
    assert (0, 0) == (seen.event_log.lost, seen.event_log.missing)
    assert "ok log lost=0\n" in seen.said
    assert seen.frames.codes.tolist() == seen.event_log.codes.tolist()
    assert seen.frames.ids.tolist() == seen.event_log.ids.tolist()
    assert PACKETS * 10 < len(seen.event_log)
    assert np.ptp(late_us(seen)) <= TICK_US + price_us


def test_events_beyond_the_ring_are_counted(tmp_path: Path) -> None:
    """The oldest stay; how many are lost is what the pins showed and the log lacks."""
    seen = run(tmp_path, "iotlab-m3", f"start {PACKETS}", records=64)

    assert 64 == len(seen.event_log)
    assert seen.frames.codes[:64].tolist() == seen.event_log.codes.tolist()
    assert len(seen.frames.codes) - 64 == seen.event_log.lost
    assert f"ok log lost={seen.event_log.lost}\n" in seen.said


@pytest.mark.parametrize("kernel", ["events", "threads"])
def test_the_log_is_sent_while_idle(tmp_path: Path, kernel: str) -> None:
    """Then a ring that is much too short for all of it loses nothing."""
    seen = run(tmp_path, "iotlab-m3", "log", "set log 1", f"start {PACKETS}", records=64, kernel=kernel)

    assert len(seen.event_log) > 64
    assert 0 == seen.event_log.lost
    assert seen.frames.codes.tolist() == seen.event_log.codes.tolist()
    assert seen.frames.ids.tolist() == seen.event_log.ids.tolist()


def test_the_log_alone(tmp_path: Path) -> None:
    """Without pins: the same events, and no edge."""
    defines = "-DGPIORIG_PINS=0"
    seen = run(tmp_path, "iotlab-m3", f"start {PACKETS}", records=512, defines=defines)

    assert 0 == len(seen.frames.codes) + len(seen.frames.damaged_samples)
    assert (0, 0) == (seen.event_log.lost, seen.event_log.missing)
    assert PACKETS * 10 < len(seen.event_log)


def test_heartbeats_count(tmp_path: Path) -> None:
    """Every 10 ms from the setting on, without drift: each is due one period after the last one was."""
    seen = run(tmp_path, "iotlab-m3", "set heartbeat_us 10000", "set heartbeat_us 0", records=512)

    beats = np.flatnonzero(seen.event_log.codes == 5)
    assert list(range(len(beats))) == seen.event_log.ids[beats].tolist()
    assert 19 <= len(beats) <= 21  # 200 ms
    assert (np.abs(np.diff(seen.event_log.ticks[beats]) - 10_000) <= 2).all()
