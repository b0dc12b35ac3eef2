"""Recordings of virtual boards for tests, made in this process (`gpiorig.vbench.serving.direct`).

A test of sigrok-cli, the analyzer, the supervisor or real ports goes through the real parts.
"""

from __future__ import annotations

from pathlib import Path

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.vbench.serving import direct


def record(folder: Path, bench: str, experiment: Experiment | str, *, packets: int | None = None) -> Recording:
    """Record an experiment on the bench of this text into `folder / "run"`; both may be the text of their file."""
    folder.mkdir(exist_ok=True)
    bench_file, experiment_file = folder / "bench.toml", folder / "experiment.toml"
    bench_file.write_text(bench)
    loaded = benches.load(bench_file)
    if isinstance(experiment, str):
        experiment_file.write_text(experiment)
        experiment = experiments.load(experiment_file, loaded, packets=packets)
    else:
        experiments.check(experiment, loaded, what=experiment.name)
    firmware = images.images(loaded, experiment, bench_file=bench_file)
    return direct.run(loaded, experiment, bench_file=bench_file, output=folder / "run", firmware=firmware)
