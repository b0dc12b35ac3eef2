"""`gpiorig demo`: the complete rig on two virtual boards."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, REPORT, SERIAL, Recording
from gpiorig.capture.sigrok.analyzer import find_sigrok
from gpiorig.rig import virtual_parts
from gpiorig.rig.commands.report import analyse_and_print
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import images as firmware
from gpiorig.rig.experiments.demo import demo_bench, demo_experiment
from gpiorig.rig.results.headline import Numbers
from gpiorig.rig.run.record import record

RESULTS = {"demo": (Numbers,)}
DEFAULT_OUTPUT = Path("demo")


def run(options: argparse.Namespace) -> int:
    """Record, analyse, report."""
    virtual_parts.require("gpiorig demo")
    output = options.output or DEFAULT_OUTPUT
    experiment = demo_experiment(packets=options.packets, seed=options.seed, backoff=not options.no_backoff)
    with demo_bench(seed=options.seed) as (bench, bench_file):
        images = firmware.images(bench, experiment, bench_file=bench_file)
        find_sigrok()
        for image in images.values():
            firmware.sha256(image)
        if (output / DESCRIPTION).exists():
            if not options.force:
                raise RigError(f"{output} holds a recording; give --force to replace it, or -o with another folder.")
            _delete(output)
        recording = record(bench, experiment, bench_file=bench_file, output=output, firmware=images)
    return analyse_and_print(recording, as_json=options.json, opened=options.open)


def _delete(folder: Path) -> None:
    """Delete a recording that can be made again: one of a virtual bench, with nothing else in its folder."""
    info = Recording.open(folder).info
    if not info.virtual:
        raise RigError(
            f"{folder} holds a recording that is not known to be of virtual boards, and is not replaced; choose "
            "another folder."
        )
    known = {DESCRIPTION, EDGES, REPORT, SERIAL}
    others = [path.name for path in folder.iterdir() if path.name not in known and path.suffix != ".parquet"]
    if others:
        raise RigError(f"{folder} holds {', '.join(sorted(others))} in addition to a recording; choose another folder.")
    shutil.rmtree(folder)
