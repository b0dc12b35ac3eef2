"""`gpiorig demo`: the part `demo` of the virtual bench. Its bench and experiment are `demo` and `pingpong`."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, REPORT, SERIAL, Recording
from gpiorig.capture.sigrok.analyzer import find_sigrok
from gpiorig.rig import resources
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.commands.look.report_work import analyse_and_print
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run.record import record

_SEED_LINE = "\nseed = 1\n"


def run(options: argparse.Namespace) -> int:
    """Record, analyse, report."""
    output = options.output
    experiment = _experiment(packets=options.packets, seed=options.seed, backoff=not options.no_backoff)
    with _bench(seed=options.seed) as (bench, bench_file):
        firmware = images.images(bench, experiment, bench_file=bench_file)
        find_sigrok()
        for image in firmware.values():
            images.sha256(image)
        if (output / DESCRIPTION).exists():
            _delete(output)
        recording = record(bench, experiment, bench_file=bench_file, output=output, firmware=firmware)
    return analyse_and_print(recording, as_json=options.json, opened=options.open)


def _delete(folder: Path) -> None:
    """Delete a recording that can be made again: one of a virtual bench, with nothing else in its folder."""
    info = Recording.open(folder).info
    if not info.virtual:
        raise RigError(
            f"{folder} holds a recording that is not known to be of virtual boards, and is not replaced; choose "
            "another folder."
        )
    recorded = {DESCRIPTION, EDGES, REPORT, SERIAL}
    strange = [path.name for path in folder.iterdir() if path.name not in recorded and path.suffix != ".parquet"]
    if strange:
        raise RigError(
            f"{folder} holds {', '.join(sorted(strange))} in addition to a recording; choose another folder."
        )
    shutil.rmtree(folder)


@contextlib.contextmanager
def _bench(*, seed: int) -> Iterator[tuple[Bench, Path]]:
    """The demo's bench with another seed, and a file that holds it."""
    text = resources.benches()["demo"].read_text().replace(_SEED_LINE, f"\nseed = {seed}\n")
    with tempfile.TemporaryDirectory(prefix="gpiorig-demo-") as folder:
        path = Path(folder) / "bench.toml"
        path.write_text(text)
        yield benches.load(path), path


def _experiment(*, packets: int, seed: int, backoff: bool) -> Experiment:
    """The demo's ping-pong."""
    bench = benches.load(resources.benches()["demo"])
    pingpong = experiments.load(resources.experiments()["pingpong"], bench)
    settings = msgspec.structs.replace(pingpong.settings, backoff=backoff, seed=seed % 2**16)
    return experiments.check(msgspec.structs.replace(pingpong, packets=packets, settings=settings), bench, what="demo")
