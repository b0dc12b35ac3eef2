"""Recording with a progress bar: what the commands call."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import progress
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import runner
from gpiorig.vbench.serving import direct


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
    """As `direct.run`, or `runner.run` with `flashed`, with a progress bar that is off without a terminal."""
    run = direct.run if directly else partial(runner.run, flashed=flashed)
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
