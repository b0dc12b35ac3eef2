"""`gpiorig run`: an experiment on a bench."""

from __future__ import annotations

import argparse
import datetime
import sys

from gpiorig.rig import names, plain_json
from gpiorig.rig.bench import benches
from gpiorig.rig.commands.bench.flash_work import flash_different
from gpiorig.rig.commands.look.report_work import analyse_and_print
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import standing
from gpiorig.rig.results.headline import Numbers
from gpiorig.rig.run import runner
from gpiorig.rig.run.record import record
from gpiorig.rig.verify.certificate import objection


class Recorded(Result, frozen=True, kw_only=True):
    """A recording that is not reported; `reason` is why it is not complete."""

    recording: str
    reason: str
    state: str | None
    remarks: tuple[str, ...]


RESULTS = {"run": (Numbers, Recorded)}


def run(options: argparse.Namespace) -> int:
    """Record, then report."""
    bench_file = names.bench(options.bench)
    experiment_file = names.experiment(options.experiment)
    bench = benches.load(bench_file)
    experiment = experiments.load(experiment_file, bench, packets=options.packets)
    firmware = images.images(bench, experiment, bench_file=bench_file)
    if options.flash:
        runner.check(bench, experiment)
        flash_different(bench, firmware, what=str(bench_file))
    if bench.virtual is None and (why := objection(bench_file, now=datetime.datetime.now(datetime.UTC))):
        print(f"gpiorig run: without a valid certificate: {why}", file=sys.stderr)
    recording = record(
        bench,
        experiment,
        bench_file=bench_file,
        output=options.output,
        firmware=firmware,
        flashed=options.flash,
        note=options.note,
    )
    if options.no_report:
        recorded = standing.of(recording)
        state = Recorded(recording=str(recording.folder), reason=recording.reason, **recorded.as_json())
        if not options.json:
            recorded.announce()
        print(plain_json.text(state) if options.json else recording.folder)
        return int(not recorded.is_complete)
    return analyse_and_print(recording, as_json=options.json)
