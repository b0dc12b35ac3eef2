"""Recording with a progress bar: what the commands call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import progress
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import runner


class Direct(Protocol):
    """The part `direct` of the virtual bench: it records without sigrok-cli and ports."""

    @property
    def run(self) -> Callable[..., Recording]:
        """As `runner.run`, but for `flashed`."""

    def refuse_real_ends(self, bench: Bench) -> None:
        """Raise `BenchError` for a bench whose ends take part in what happens."""


def direct(bench: Bench) -> Direct:
    """The part; raises `BenchError` if it is not installed."""
    part: Direct = VBENCH.load("direct", needed_by=f"bench {bench.name}")
    return part


def record(
    bench: Bench,
    experiment: Experiment,
    *,
    bench_file: Path,
    output: Path,
    firmware: dict[str, Path],
    directly: bool = False,
    flashed: bool = False,
    note: str = "",
) -> Recording:
    """As `Direct.run`, or `runner.run` with `flashed`, with a progress bar that is off without a terminal."""
    run = direct(bench).run if directly else partial(runner.run, flashed=flashed)
    with progress.bar("recording", total=experiment.packets, unit="packets") as bar:
        return run(
            bench,
            experiment,
            bench_file=bench_file,
            output=output,
            firmware=firmware,
            note=note,
            progress=lambda packets: bar.update(packets - bar.n),
        )
