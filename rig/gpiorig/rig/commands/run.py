"""`gpiorig run`: an experiment on a bench."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig run demo pingpong -o run1           a bench and an experiment that come with gpiorig, by name
  gpiorig run bench.toml pingpong -o run2 --packets 100 --no-report
  gpiorig run bench.toml experiment.toml -o run3

`gpiorig bench list` prints the names. Of a name that is also a file here, the file is taken.
The recording folder holds edges and serial bytes as they came; `gpiorig report` analyses it again at any time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a run."""
    parser.add_argument("bench", type=Path, metavar="BENCH", help="bench file, or name of one that comes with gpiorig")
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="experiment file, or name of one")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="recording folder, a new one")
    parser.add_argument("--packets", type=int, metavar="N", help="number of packets, in place of the experiment's")
    parser.add_argument("--no-report", action="store_true", help="record only")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Record, then report."""
    from gpiorig.rig import names
    from gpiorig.rig.bench import bench as benches
    from gpiorig.rig.commands.report import analyse_and_print
    from gpiorig.rig.experiments import experiment as experiments
    from gpiorig.rig.experiments import images
    from gpiorig.rig.run.record import record

    bench_file = names.bench(options.bench)
    experiment_file = names.experiment(options.experiment)
    bench = benches.load(bench_file)
    experiment = experiments.load(experiment_file, bench, packets=options.packets)
    recording = record(
        bench,
        experiment,
        bench_file=bench_file,
        output=options.output,
        firmware=images.images(bench, experiment, bench_file=bench_file),
    )
    if options.no_report:
        print(recording.folder)
        return 0
    return analyse_and_print(recording, as_json=options.json)
