"""The demo's bench and experiment: those that come with the package as `demo` and `pingpong`."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gpiorig.rig import resources
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments.experiment import Experiment

_SEED_LINE = "\nseed = 1\n"


@contextlib.contextmanager
def demo_bench(*, seed: int) -> Iterator[tuple[Bench, Path]]:
    """The demo's bench with another seed, and a file that holds it."""
    if not 0 <= seed <= 2**62:
        raise BenchError(f"seed is {seed}; it must be 0 to {2**62}.")
    text = resources.benches()["demo"].read_text().replace(_SEED_LINE, f"\nseed = {seed}\n")
    with tempfile.TemporaryDirectory(prefix="gpiorig-demo-") as folder:
        path = Path(folder) / "bench.toml"
        path.write_text(text)
        yield benches.load(path), path


def demo_experiment(*, packets: int, seed: int, backoff: bool) -> Experiment:
    """The demo's ping-pong."""
    bench = benches.load(resources.benches()["demo"])
    pingpong = experiments.load(resources.experiments()["pingpong"], bench)
    settings = msgspec.structs.replace(pingpong.settings, backoff=backoff, seed=seed % 2**16)
    return experiments.check(msgspec.structs.replace(pingpong, packets=packets, settings=settings), bench, what="demo")
