"""`gpiorig bench`: list the benches that come with gpiorig, check a bench file, or serve a virtual bench."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec

from gpiorig.rig import names, resources
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import images
from gpiorig.rig.run import bench_findings as findings
from gpiorig.rig.virtual import real_bench
from gpiorig.rig.virtual.server import main

_WORDS = {"right": "ok", "wrong": "WRONG", "unknown": "not known"}


def run(options: argparse.Namespace) -> int:
    """List, check or serve."""
    if options.verb == "list":
        return _list(as_json=options.json)
    file = names.bench(options.bench)
    bench = benches.load(file)
    if options.verb == "virtual":
        return _serve(bench, file, options)
    return _check(bench, file, options)


def _check(bench: benches.Bench, file: Path, options: argparse.Namespace) -> int:
    """Print what was checked and the findings; 1 if something is wrong."""
    if options.live and bench.virtual is not None:
        raise BenchError(f"{file}: --live is for boards; the analyzers and ports of a virtual bench come up with it.")
    results = findings.of_file(bench, file) + (findings.live(bench) if options.live else [])
    status = int(any(finding.verdict == "wrong" for finding in results))
    if options.json:
        print(json.dumps(msgspec.to_builtins(bench) | {"findings": msgspec.to_builtins(results), "live": options.live}))
        return status
    print(f"{file}: {bench.name}: {'virtual' if bench.virtual else 'real'} bench; the file is consistent")
    for name, node in bench.nodes.items():
        lines = ", ".join(f"{line} on {channel}" for line, channel in node.lines.items())
        print(f"  {name} ({node.board}): {lines}")
    if results:
        print("looked at:")
    for finding in results:
        print(f"  {_WORDS[finding.verdict]}: {finding.about}: {finding.what}")
    if bench.virtual is None:
        print(
            f"not looked at: {'' if options.live else 'whether analyzers and ports are there (--live), and '}the wiring"
        )
    return status


def _list(*, as_json: bool) -> int:
    kinds = {"benches": resources.benches(), "experiments": resources.experiments()}
    if as_json:
        entries = {
            kind: {name: {"file": str(file), "description": names.summary(file)} for name, file in files.items()}
            for kind, files in kinds.items()
        }
        print(json.dumps(entries))
        return 0
    width = max(len(name) for files in kinds.values() for name in files)
    for kind, files in kinds.items():
        print(f"{kind}:")
        for name, file in files.items():
            print(f"  {name:{width}}  {names.summary(file)}")
    print("gpiorig run BENCH EXPERIMENT -o DIR takes them by these names.")
    return 0


def _serve(bench: benches.Bench, file: Path, options: argparse.Namespace) -> int:
    if bench.virtual is None:
        raise BenchError(f"{file}: a bench without a [virtual] section cannot be served; it is a real one.")
    if options.pace:
        bench = msgspec.structs.replace(bench, virtual=msgspec.structs.replace(bench.virtual, pace=options.pace))
    firmware = images.images(bench, bench_file=file) | images.given(options.firmware, bench)
    written = options.bench_file
    return main(
        bench,
        firmware,
        as_json=options.json,
        on_start=lambda ends: real_bench.write(written, bench, file, ends) if written else None,
    )
