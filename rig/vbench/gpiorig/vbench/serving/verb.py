"""`gpiorig bench virtual`: the part `serve` of the virtual bench (gpiorig.rig.commands.bench.bench_work)."""

from __future__ import annotations

import argparse

import msgspec

from gpiorig.rig import names
from gpiorig.rig.bench import benches, checks
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import images
from gpiorig.vbench.description import section
from gpiorig.vbench.serving import real_bench
from gpiorig.vbench.serving.server import main


def serve(options: argparse.Namespace) -> int:
    """Serve the bench until standard input ends, or until Ctrl-C."""
    file = names.bench(options.bench)
    bench = benches.load(file)
    if bench.virtual is None:
        raise BenchError(f"{file}: a bench without a [virtual] section cannot be served; it is a real one.")
    if options.bench_file and options.pace == "fast":
        raise BenchError(
            "--bench-file: a bench that is used as a real one keeps the host's time: at the fast pace its analyzers "
            "are silent while its boards sleep. Omit --pace fast."
        )
    # A program that is given the ends as JSON drives the bench; a person, or a bench file, has the host's time.
    own_pace = section.of(bench).pace
    pace = options.pace or (own_pace if options.json and not options.bench_file else "real-time")
    bench = msgspec.structs.replace(bench, virtual={**bench.virtual, "pace": pace})
    bench = checks.check(bench, what=f"bench file {file}, --pace {pace}")
    firmware = images.images(bench, bench_file=file) | images.given(options.firmware, bench)
    written = options.bench_file
    return main(
        bench,
        firmware,
        as_json=options.json,
        on_start=lambda ends: real_bench.write(written, bench, file, ends) if written else None,
    )
