"""The demo's bench and experiment, from the files that come with the package."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from gpiorig.rig import bench as benches
from gpiorig.rig import experiment as experiments
from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiment import Experiment, Settings

_SEED_LINE = "\nseed = 1\n"


@contextlib.contextmanager
def demo_bench(*, seed: int) -> Iterator[tuple[Bench, Path]]:
    """The demo's bench with another seed, and a file that holds it."""
    if not 0 <= seed <= 2**62:
        raise BenchError(f"seed is {seed}; it must be 0 to {2**62}.")
    text = (files("gpiorig.rig") / "demo_bench.toml").read_text().replace(_SEED_LINE, f"\nseed = {seed}\n")
    with tempfile.TemporaryDirectory(prefix="gpiorig-demo-") as folder:
        path = Path(folder) / "bench.toml"
        path.write_text(text)
        yield benches.load(path), path


def demo_experiment(*, packets: int, seed: int, backoff: bool) -> Experiment:
    """The demo's ping-pong; `experiments/pingpong.toml` is the same with the seed 1 and 1000 packets."""
    experiment = Experiment(
        name="pingpong",
        initiator="initiator",
        responder="responder",
        packets=packets,
        settings=Settings(backoff=backoff, seed=seed % 2**16),
    )
    bench = benches.loads((files("gpiorig.rig") / "demo_bench.toml").read_text())
    return experiments.check(experiment, bench, what="demo")
