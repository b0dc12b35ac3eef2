"""The reference firmware on virtual nRF52840-DK: two of them, one with an IoT-LAB M3, and other modes of the MAC."""

from __future__ import annotations

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
FRAME_TIMESTAMP, TX_ACTIVE, READY, CCA_IDLE = 32 + 11, 32 + 12, 32 + 13, 32 + 14  # P1.11 to P1.14


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


def test_taps_tell_when_the_radio_is_on_the_air() -> None:
    """tap.tx_active rises 1 us less 62.5 ns before the first bit; tap.frame_timestamp 192 us later at both ends.

    The sender's radio and PPI share a clock, so its edges are exact; the receiver sees the length field 23 us late, at
    the next edge of its own clock. No instruction of either processor is in between.
    """
    boards = VirtualBoards(seed=1)
    image = reference_image("nrf52840dk").read_bytes()
    for _ in range(2):
        boards.add_board("nrf52840dk", image, VirtualNode())
    boards.keep_edges()
    boards.keep_frames()
    boards.pass_time(50 * MS)
    for board, line in ((0, "set peer 2"), (1, "set address 2"), (0, "set app macping"), (1, "set app macping")):
        boards.uart_feed(board, 1, f"{line}\n".encode())
        boards.pass_time(boards.now_ps + 10 * MS)
    boards.uart_feed(0, 1, b"start 5\n")
    boards.pass_time(boards.now_ps + 2000 * MS)
    frames = boards.frames()
    times, on, pins, levels = boards.edges()
    boards.close()

    def edges(board: int, pin: int, level: int) -> np.ndarray:
        return times[(on == board) & (pins == pin) & (levels == level)].astype(np.int64)

    least_ps = 62_500 + 10_000 + 23 * US  # the PPI, the way, the receiver's delay
    assert 20 == len(frames)  # five requests and replies, each acknowledged
    starts = frames["start_ps"].astype(np.int64)
    lengths = (frames["end_ps"] - frames["start_ps"]).astype(np.int64)
    for board in range(2):
        own = frames["board"] == board
        assert np.array_equal(starts[own] - US + 62_500, edges(board, TX_ACTIVE, 1))
        assert np.array_equal((starts + lengths)[own] + 62_500, edges(board, TX_ACTIVE, 0))
        clear, sending = edges(board, CCA_IDLE, 1), edges(board, TX_ACTIVE, 1)
        assert 5 == len(clear)
        assert np.all(np.isin(clear + 20 * US, sending))  # ramped up 20 us after the assessment
        assert len(edges(board, READY, 1)) - len(edges(board, READY, 0)) in (0, 1)
        rises = edges(board, FRAME_TIMESTAMP, 1)
        lag = rises - starts - 192 * US
        assert set(lag[own]) == {62_500 - US}
        assert np.all((lag[~own] >= least_ps) & (lag[~own] < least_ps + 62_500))
