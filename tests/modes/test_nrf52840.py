"""The reference firmware on virtual nRF52840-DK: two of them, one with an IoT-LAB M3, and other modes of the MAC."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import ROOT
from modebench import assert_frames_complete

from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments.images import reference_image
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

BENCH = (ROOT / "tests/data/nrf52840dk_bench.toml").read_text()
M3 = BENCH.replace('[nodes.responder]\nboard = "nrf52840dk"', '[nodes.responder]\nboard = "iotlab-m3"')
M3 = M3.replace('"tap.tx_active" = "P8_28"\n', "")  # it has no such line
PACKETS = 40
US, MS = 10**6, 10**9  # picoseconds
FRAME_TIMESTAMP, TX_ACTIVE, READY, CCA_IDLE, CCA_BUSY = range(32 + 11, 32 + 16)  # P1.11 to P1.15
MAC_PING = ((0, "peer 2"), (1, "address 2"), (0, "app macping"), (1, "app macping"))


@pytest.mark.parametrize(
    ("bench", "mode"),
    [(BENCH, "pingpong"), (M3, "pingpong"), (BENCH, "busy"), (BENCH, "macping"), (BENCH, "nocsma")],
    ids=["pair", "with an M3", "busy", "macping", "without CSMA"],
)
def test_no_packet_and_no_frame_is_lost(tmp_path: Path, bench: str, mode: str) -> None:
    """Every request has its reply and its timeline, and every frame of the symbol buses arrives complete."""
    experiment = experiments.load(ROOT / f"experiments/{mode}.toml", benches.loads(bench), packets=PACKETS)
    result = analyse(open_recording(directbench.record(tmp_path / "bench", bench, experiment)))
    assert PACKETS == len(result.timelines.rtt)
    assert_frames_complete(result)


@dataclass(frozen=True, slots=True, eq=False)
class Air:
    """What was on the air and on the pins: frames as `VirtualBoards.frames`, edges as its `edges`, instants in ps."""

    frames: np.ndarray
    edges: tuple[np.ndarray, ...]

    def at(self, board: int, pin: int, level: int) -> np.ndarray:
        """int64[n], the edges of a pin to a level."""
        times, on, pins, levels = self.edges
        return times[(on == board) & (pins == pin) & (levels == level)].astype(np.int64)

    def spans(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64[n] each, first and last bit of some frames, by bool[all]."""
        return self.frames["start_ps"][rows].astype(np.int64), self.frames["end_ps"][rows].astype(np.int64)


def run(count: int, settings: tuple[tuple[int, str], ...], starts: tuple[tuple[int, int], ...], ms: int) -> Air:
    """So many boards with the reference firmware, set up by (board, setting), then started by (board, packets)."""
    boards = VirtualBoards(seed=1)
    image = reference_image("nrf52840dk").read_bytes()
    for _ in range(count):
        boards.add_board("nrf52840dk", image, VirtualNode())
    boards.keep_edges()
    boards.keep_frames()
    boards.pass_time(50 * MS)
    for board, line in settings:
        boards.uart_feed(board, 1, f"set {line}\n".encode())
        boards.pass_time(boards.now_ps + 10 * MS)
    for board, packets in starts:
        boards.uart_feed(board, 1, f"start {packets}\n".encode())
    boards.pass_time(boards.now_ps + ms * MS)
    frames, parts = boards.frames(), []
    while len((part := boards.edges())[0]):
        parts.append(part)
    boards.close()
    return Air(frames, tuple(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def test_taps_tell_when_the_radio_is_on_the_air() -> None:
    """tap.tx_active rises 1 us less 62.5 ns before the first bit; tap.frame_timestamp 192 us later at both ends.

    The sender's radio and PPI share a clock, so its edges are exact; the receiver sees the length field 23 us late, at
    the next edge of its own clock. No instruction of either processor is in between.
    """
    air = run(2, MAC_PING, ((0, 5),), 2000)
    least_ps = 62_500 + 10_000 + 23 * US  # the PPI, the way, the receiver's delay
    assert 20 == len(air.frames)  # five requests and replies, each acknowledged
    starts, ends = air.spans(np.ones(20, dtype=bool))
    for board in range(2):
        own = air.frames["board"] == board
        assert np.array_equal(starts[own] - US + 62_500, air.at(board, TX_ACTIVE, 1))
        assert np.array_equal(ends[own] + 62_500, air.at(board, TX_ACTIVE, 0))
        clear, sending = air.at(board, CCA_IDLE, 1), air.at(board, TX_ACTIVE, 1)
        assert 5 == len(clear)
        assert np.all(np.isin(clear + 20 * US, sending))  # ramped up 20 us after the assessment
        assert len(air.at(board, READY, 1)) - len(air.at(board, READY, 0)) in (0, 1)
        rises = air.at(board, FRAME_TIMESTAMP, 1)
        lag = rises - starts - 192 * US
        assert set(lag[own]) == {62_500 - US}
        assert np.all((lag[~own] >= least_ps) & (lag[~own] < least_ps + 62_500))


def test_lines_tell_what_an_assessment_of_the_channel_found() -> None:
    """Next to a sender without CSMA: of the 128 us before each edge, less 62.5 ns, whether a frame of others was there.

    A frame that had begun 2.3 us before the end of an assessment is found; one that began less than 1 us before it may
    not be. Of those found idle no other met any. The line of a busy channel falls when the radio is ready again, to
    receive or to send.
    """
    settings = (*MAC_PING, (2, "address 3"), (2, "app interferer"), (2, "interval_us 2990"), (2, "payload 64"))
    air = run(3, settings, ((2, 900), (0, 100)), 2800)
    shortest = []
    for board in range(2):
        starts, ends = air.spans(air.frames["board"] != board)
        busy, idle = air.at(board, CCA_BUSY, 1), air.at(board, CCA_IDLE, 1)
        assert len(busy) >= 5 and len(idle) >= 50
        for rises, is_busy in ((busy, True), (idle, False)):
            over = rises - 62_500
            met = np.minimum(ends, over[:, None]) - np.maximum(starts, over[:, None] - 128 * US)
            longest = met.max(axis=1)
            clear = (longest <= 0) | (longest > US)
            assert np.array_equal(longest[clear] > 0, np.full(np.count_nonzero(clear), is_busy))
            assert np.count_nonzero(~clear) <= 1
            shortest += [longest.min()] * is_busy
        ready = np.sort(np.concatenate([air.at(board, READY, 1), air.at(board, TX_ACTIVE, 1)]))
        falls = air.at(board, CCA_BUSY, 0)
        assert len(busy) - len(falls) in (0, 1)
        assert np.array_equal(falls, ready[np.searchsorted(ready, busy[: len(falls)])])
    assert 0 < min(shortest) < 3 * US
