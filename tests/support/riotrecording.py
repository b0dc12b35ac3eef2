"""A stored recording of RIOT on two virtual nRF52840-DK, with its truth: tests have no RIOT to build.

RIOT 2026.07 (50ae2eba8f), the application of firmware-gpio-probes/riot with `BOARD=nrf52840dk`, 40 packets of
experiments/pingpong.toml on tests/data/nrf52840dk_bench.toml with `baudrate = 115_200` and `truth`; then
`PYTHONPATH=tests/support python tests/support/riotrecording.py RECORDING TRUTH` writes the archive.
"""

from __future__ import annotations

import io
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.vbench.boards import truth

ARCHIVE = Path(__file__).parent.parent / "data" / "riot_nrf52840dk.tar.xz"
KEPT = ("recording.toml", "log.txt", "edges", "serial")
NODES = ("initiator", "responder")


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Of each round trip in the order of `ids`.

    Parameters
    ----------
    ids
        int64[k].
    starts
        int64[k], ps: the call of the application.
    steps
        int64[k] by name, ps: every step of the path, by the edges before any analyzer.
    frames
        int64[n, 2] by node, ps: first and last bit on the air.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    steps: dict[str, NDArray[np.int64]]
    frames: dict[str, NDArray[np.int64]]


def unpacked(folder: Path) -> tuple[Recording, Truth]:
    """The recording and its truth."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    steps = {name: column.to_numpy() for name, column in _columns(folder / "steps.parquet")}
    frames = {name: column.to_numpy().reshape(-1, 2) for name, column in _columns(folder / "frames.parquet")}
    recording = Recording.open(folder / "recording")
    frames = {name: rows[rows[:, 1] > 0] for name, rows in frames.items()}
    return recording, Truth(steps.pop("id"), steps.pop("start"), steps, frames)


def _columns(path: Path) -> list[tuple[str, pa.ChunkedArray]]:
    table = pq.read_table(path)
    return list(zip(table.column_names, table.columns, strict=True))


def store(folder: Path, true_edges: Path) -> None:
    """Write the archive of a recording and the truth of its bench."""
    from truthbench import true_route

    recording = Recording.open(folder)
    route = true_route(true_edges, recording)
    steps = {"id": route.ids.astype(np.int64), "start": route.starts}
    steps |= {step.name: route.steps.column(column) for column, step in enumerate(route.steps.steps)}
    frames = truth.frames(true_edges, benches.loads(recording.info.bench))
    most = max(map(len, frames.values()))  # columns of a table are of one length
    padded = {name: np.pad(rows, ((0, most - len(rows)), (0, 0))).ravel() for name, rows in frames.items()}
    with tarfile.open(ARCHIVE, "w:xz") as archive:
        for name in KEPT:
            archive.add(folder / name, f"recording/{name}")
        for name, columns in (("steps", steps), ("frames", padded)):
            file = io.BytesIO()
            pq.write_table(pa.table(columns), file, compression="none")
            entry = tarfile.TarInfo(f"{name}.parquet")
            entry.size = file.tell()
            file.seek(0)
            archive.addfile(entry, file)


if __name__ == "__main__":
    store(*map(Path, sys.argv[1:]))
