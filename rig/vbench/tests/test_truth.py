"""The truth file of a virtual bench."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from gpiorig.rig.bench import benches
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.vbench.boards import truth
from gpiorig.vbench.boards.vboards import FRAME, VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

DEMO = benches.loads((files("gpiorig.vbench") / "benches" / "demo.toml").read_text())


PINS = {"PB9": 0x19, "PB5": 0x15}


class Played(VirtualBoards):
    """Boards that play given edges, in two blocks: instant, board, pin, level."""

    def __init__(self, *blocks: list[tuple[int, int, int, int]]) -> None:
        self._blocks = [*blocks, []]
        self._frames = np.zeros(2, dtype=FRAME)
        self._frames[0] = (200, 250, 0, 0b10, [3, 0x41, 0x88, 7, *[0] * 124])
        self._frames[1] = (100, 130, 1, 0, [2, 0x02, 0x00, *[0] * 125])
        self.kept = False

    def pin_number(self, board: int, pin: str) -> int:
        return PINS.get(pin, 0x7F)

    def keep_edges(self) -> None:
        self.kept = True

    def keep_frames(self) -> None:
        """Every frame is played."""

    def frames(self):
        played, self._frames = self._frames, self._frames[:0]
        return played

    def edges(self):
        columns = np.array(self._blocks.pop(0), dtype=np.int64).reshape(-1, 4).T
        return tuple(column.astype(kind) for column, kind in zip(columns, ("u8", "u2", "u2", "u1"), strict=True))


def test_edges_are_read_as_they_were(tmp_path: Path) -> None:
    """Those of wired pins, in ps: several at once are one row, all lines begin low."""
    strobe, d0, other = PINS["PB9"], PINS["PB5"], 0
    boards = Played([(10, 0, strobe, 1), (10, 0, d0, 1), (15, 0, other, 1)], [(30, 1, strobe, 1), (40, 0, strobe, 0)])
    written = truth.Truth(tmp_path / "truth", DEMO, boards)
    written.write()
    boards._blocks = [[], *boards._blocks]
    written.close()
    edges = truth.read(tmp_path / "truth", DEMO)

    assert boards.kept
    assert Fraction(10**12) == edges.samplerate_hz
    assert [0, 10, 30, 40] == edges.samples.tolist()
    assert ([10, 40], [1, 0]) == tuple(part.tolist() for part in edges.channel("initiator.strobe"))
    assert ([10], [1]) == tuple(part.tolist() for part in edges.channel("initiator.d0"))
    assert ([30], [1]) == tuple(part.tolist() for part in edges.channel("responder.strobe"))


def test_frames_on_the_air_are_read_by_node(tmp_path: Path) -> None:
    """First and last bit, of the node that sent them."""
    written = truth.Truth(tmp_path / "truth", DEMO, Played())
    written.close()
    assert {"initiator": [[200, 250]], "responder": [[100, 130]]} == {
        name: rows.tolist() for name, rows in truth.frames(tmp_path / "truth", DEMO).items()
    }


def test_losses_name_the_nodes_that_a_link_lost_a_frame_to(tmp_path: Path) -> None:
    """In time order, with the bytes of the frame."""
    truth.Truth(tmp_path / "truth", DEMO, Played()).close()
    acknowledgement, data = truth.losses(tmp_path / "truth", DEMO)
    assert ("responder", 100, 130, b"\x02\x00", ()) == dataclasses.astuple(acknowledgement)
    assert ("initiator", 200, 250, b"\x41\x88\x07", ("responder",)) == dataclasses.astuple(data)


def test_a_bench_that_does_nothing_has_a_truth_too(tmp_path: Path) -> None:
    """All lines low."""
    (tmp_path / "truth").write_bytes(b"")

    edges = truth.read(tmp_path / "truth", DEMO)
    assert ([0], [0]) == (edges.samples.tolist(), edges.levels.tolist())


@pytest.mark.parametrize(
    ("board", "name", "number"),
    [("iotlab-m3", "PA0", 0), ("iotlab-m3", "PC13", 0x2D), ("telosb", "P1.7", 0x17), ("nrf52840dk", "P1.10", 42)],
)
def test_pins_have_the_numbers_of_their_board(board: str, name: str, number: int) -> None:
    """Port << 4 | bit, port A = 0, P1 = 1 (rig/vbench/vboards/src/trace.rs); of an nRF52840 32 of a port."""
    with closing(VirtualBoards(seed=1)) as boards:
        index = boards.add_board(board, b"", VirtualNode())
        assert number == boards.pin_number(index, name)


def test_what_is_no_pin_is_refused() -> None:
    """With an example."""
    with (
        closing(VirtualBoards(seed=1)) as boards,
        pytest.raises(VirtualBenchError, match="is not a pin, write it as PB"),
    ):
        boards.pin_number(boards.add_board("iotlab-m3", b"", VirtualNode()), "B9")
