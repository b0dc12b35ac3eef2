"""The ends of a virtual bench for a run: the part `served` of the virtual bench (gpiorig.rig.run.endpoints)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.rig.run.endpoints import Endpoints
from gpiorig.vbench.serving.process import VirtualBenchProcess

PATIENCE_S = 1.0  # a virtual bench that has failed takes a moment to end


@contextmanager
def served(bench_file: Path, *, firmware: dict[str, Path]) -> Iterator[Endpoints]:
    """The ends of the bench of a file, which is started with these images and ended afterwards."""
    with VirtualBenchProcess(bench_file, firmware=firmware) as process:
        serial = process.endpoints["serial"]
        yield Endpoints(
            drivers={name: str(driver) for name, driver in process.endpoints["analyzers"].items()},
            ports={name: str(end["path"]) for name, end in serial.items()},
            stamps={name: Path(end["stamps"]) for name, end in serial.items() if end["stamps"]},
            check=lambda: process.check(patience_s=PATIENCE_S),
            settle=process.settle,
            remarks=process.remarks,
        )
