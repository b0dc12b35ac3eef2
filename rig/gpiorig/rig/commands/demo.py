"""`gpiorig demo`: the whole rig on two virtual boards."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

EPILOG = """\
examples:
  gpiorig demo                                1000 round trips, recording and report in ./demo
  gpiorig demo --no-backoff -o calm --json    without the radio's random backoff; numbers as JSON
  gpiorig demo --seed 2 --packets 200 -o two

The boards, the radios, the air and the analyzer are virtual: they test the rig and are not a measurement of
hardware. sigrok-cli, the serial ports, decoding and analysis are the real ones."""

DEFAULT_PACKETS = 1000
DEFAULT_OUTPUT = Path("demo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the demo."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="recording folder, a new one; without -o ./demo, replaced",
    )
    parser.add_argument("--packets", type=int, default=DEFAULT_PACKETS, metavar="N", help="round trips (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of everything random (1)")
    parser.add_argument("--no-backoff", action="store_true", help="disable the radio's random CSMA/CA backoff")
    parser.add_argument("--force", action="store_true", help="delete a recording that is in DIR")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Record, analyse, report."""
    from gpiorig.capture.recording.recording import DESCRIPTION
    from gpiorig.capture.sigrok.analyzer import find_sigrok
    from gpiorig.rig.commands.report import analyse_and_print
    from gpiorig.rig.experiments import images as firmware
    from gpiorig.rig.experiments.demo import demo_bench, demo_experiment
    from gpiorig.rig.run.record import record

    output = options.output or DEFAULT_OUTPUT
    experiment = demo_experiment(packets=options.packets, seed=options.seed, backoff=not options.no_backoff)
    with demo_bench(seed=options.seed) as (bench, bench_file):
        images = firmware.images(bench, experiment, bench_file=bench_file)
        find_sigrok()
        for image in images.values():
            firmware.sha256(image)
        if (options.force or options.output is None) and (output / DESCRIPTION).exists():
            _delete(output, force=options.force)
        recording = record(bench, experiment, bench_file=bench_file, output=output, firmware=images)
    return analyse_and_print(recording, as_json=options.json)


def _delete(folder: Path, *, force: bool) -> None:
    """Delete a recording that can be made again: a finished one of a virtual bench, with nothing else in its folder."""
    from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, REPORT, SERIAL, Recording
    from gpiorig.rig.errors import RigError

    info = Recording.open(folder).info
    if not info.virtual:
        raise RigError(f"{folder} holds a recording of real boards, which is not replaced; choose another folder.")
    if info.state == "capturing" and not force:
        raise RigError(
            f"{folder} contains a recording that is running or was interrupted; choose another folder, or give --force."
        )
    known = {DESCRIPTION, EDGES, REPORT, SERIAL}
    others = [path.name for path in folder.iterdir() if path.name not in known and path.suffix != ".parquet"]
    if others:
        raise RigError(f"{folder} holds {', '.join(sorted(others))} in addition to a recording; choose another folder.")
    shutil.rmtree(folder)
