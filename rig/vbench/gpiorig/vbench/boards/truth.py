"""The truth of a virtual bench in picoseconds: every edge of its wired pins, and every frame on the air.

Edges are those before any analyzer samples them; frames are all that a board sent, received or not, with their bytes
and with the boards whose link (`loss_ppm`) lost them: `losses`.

For tests of what the analysis reports; nothing else reads it. A bench file asks for it with
`[virtual] truth = "FILE"`; the frames are in `FILE.air`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.rig.bench.bench import Bench
from gpiorig.vbench.boards.vboards import FRAME, VirtualBoards
from gpiorig.vbench.description import section

PS_HZ = Fraction(10**12)
_EDGE = np.dtype([("t_ps", "<i8"), ("channel", "<u2"), ("level", "u1")])


def wires(bench: Bench) -> dict[str, tuple[int, str]]:
    """Board number and pin of each channel, `node.line`, in the order of the file."""
    virtual = section.of(bench)
    return {
        f"{name}.{line}": (number, section.pins(name, node, virtual)[line])
        for number, (name, node) in enumerate(bench.nodes.items())
        for line in node.lines
    }


class Truth:
    """Writes the edges; `bench` is what `read` needs to know them again."""

    def __init__(self, path: Path, bench: Bench, boards: VirtualBoards) -> None:
        self._boards = boards
        self._channels = {
            (board, boards.pin_number(board, pin)): i for i, (board, pin) in enumerate(wires(bench).values())
        }
        self._file: BinaryIO = path.open("wb")
        self._air: BinaryIO = _air_file(path).open("wb")
        boards.keep_edges()
        boards.keep_frames()

    def write(self) -> None:
        """Write what has happened since the last call."""
        self._write_frames()
        while True:
            t_ps, board, pin, level = self._boards.edges()
            if not t_ps.size:
                return
            keys = zip(board.tolist(), pin.tolist(), strict=True)
            channels = np.array([self._channels.get(key, -1) for key in keys])
            wired = channels >= 0
            rows = np.zeros(np.count_nonzero(wired), dtype=_EDGE)
            rows["t_ps"], rows["channel"], rows["level"] = t_ps[wired], channels[wired], level[wired]
            self._file.write(rows.tobytes())

    def _write_frames(self) -> None:
        while len(rows := self._boards.frames()):
            self._air.write(rows.tobytes())

    def close(self) -> None:
        """Write the rest."""
        self.write()
        self._file.close()
        self._air.close()


def read(path: Path, bench: Bench) -> Edges:
    """The edges of a truth file, as a capture at 1 THz; time begins when the boards left reset, all lines low."""
    rows: NDArray[np.void] = np.fromfile(path, dtype=_EDGE)
    channels = tuple(wires(bench))
    instants, places = np.unique(np.append(0, rows["t_ps"]), return_inverse=True)
    levels = np.zeros(instants.size, dtype=np.uint64)
    for channel in range(len(channels)):
        rows_of_channel = np.flatnonzero(rows["channel"] == channel)
        latest = np.full(instants.size, -1, dtype=np.int64)
        latest[places[1:][rows_of_channel]] = rows_of_channel
        latest = np.maximum.accumulate(latest)
        level = np.append(rows["level"], 0)[latest]  # none yet: the low level at the end
        levels |= level.astype(np.uint64) << np.uint64(channel)
    return Edges(
        samples=instants,
        levels=levels,
        samplerate_hz=PS_HZ,
        channels=channels,
        start=0,
        end=int(instants[-1]) + 1,
        gaps=no_gaps(),
    )


def frames(path: Path, bench: Bench) -> dict[str, NDArray[np.int64]]:
    """Frames that each node put on the air, by its name: int64[n, 2], first and last bit in ps, in time order."""
    rows = _air_rows(path)
    ends = np.stack([rows["start_ps"], rows["end_ps"]], axis=1).astype(np.int64)
    return {name: ends[rows["board"] == number] for number, name in enumerate(bench.nodes)}


@dataclass(frozen=True, slots=True)
class FrameOnAir:
    """A frame that a node put on the air: first and last bit in ps, its PSDU, and the nodes that a link lost it to."""

    node: str
    start_ps: int
    end_ps: int
    psdu: bytes
    lost_at: tuple[str, ...]


def losses(path: Path, bench: Bench) -> list[FrameOnAir]:
    """Every frame on the air in time order, and where the loss model lost it; a collision is not a loss of a link."""
    names = list(bench.nodes)
    return [
        FrameOnAir(
            node=names[row["board"]],
            start_ps=int(row["start_ps"]),
            end_ps=int(row["end_ps"]),
            psdu=row["psdu"][1 : 1 + row["psdu"][0]].tobytes(),
            lost_at=tuple(name for number, name in enumerate(names) if int(row["lost"]) >> number & 1),
        )
        for row in _air_rows(path)
    ]


def _air_rows(path: Path) -> NDArray[np.void]:
    rows: NDArray[np.void] = np.fromfile(_air_file(path), dtype=FRAME)
    return rows[np.argsort(rows["start_ps"], kind="stable")]


def _air_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.air")
