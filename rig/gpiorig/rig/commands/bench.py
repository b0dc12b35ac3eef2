"""`gpiorig bench`: list the benches that come with gpiorig, check a bench file, or serve a virtual bench."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import get_args

import msgspec

from gpiorig.rig import names, resources
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.virtual import Pace
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.images import images

EPILOG = """\
examples:
  gpiorig bench list                          benches and experiments that come with gpiorig, by name
  gpiorig bench check demo                    one of them
  gpiorig bench check bench.toml              is the file consistent? lines, pins, images, channels and rates
  gpiorig bench check bench.toml --live       and are its analyzers and ports there? (asks sigrok-cli, opens ports)
  gpiorig bench virtual bench.toml            serve its virtual bench until Ctrl-C; prints where its
                                              analyzers and serial ports are
  gpiorig bench virtual bench.toml --pace real-time
                                              interactive: attach PulseView and a terminal, and detach them
  gpiorig bench virtual bench.toml --json     for programs: the first line of output is the ends as JSON; ends
                                              with standard input

exit status: 0 done, 1 something on the bench is wrong, 2 wrong use or a file that cannot be."""

_WORDS = {"right": "ok", "wrong": "WRONG", "unknown": "not known"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="list|check|virtual")
    known = verbs.add_parser(
        "list",
        help="what comes with gpiorig",
        description="List the benches and experiments that come with gpiorig; their names serve in place of paths.",
    )
    known.add_argument("--json", action="store_true", help="print names, files and descriptions as one JSON object")
    check = verbs.add_parser(
        "check", help="check a bench file", description="Check a bench file, and what can be known of its bench."
    )
    check.add_argument("bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig")
    check.add_argument(
        "--live", action="store_true", help="ask sigrok-cli for the analyzers, and open the serial ports"
    )
    check.add_argument("--json", action="store_true", help="print the bench and what was found as one JSON object")
    virtual = verbs.add_parser(
        "virtual",
        help="serve a virtual bench",
        description="Serve a virtual bench until standard input ends, or until Ctrl-C.",
    )
    virtual.add_argument("bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig")
    virtual.add_argument(
        "--firmware",
        action="append",
        default=[],
        metavar="NODE=ELF",
        help="image of a node, in place of its own",
    )
    virtual.add_argument("--pace", choices=get_args(Pace), help="how fast virtual time runs, in place of the file's")
    virtual.add_argument("--json", action="store_true", help="print the ends, or an error, as a line of JSON")
    for verb in (known, check, virtual):
        verb.epilog, verb.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


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
    """Say what was looked at and what was found; 1 if something is wrong."""
    from gpiorig.rig.run import bench_findings as findings

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
    from gpiorig.rig.virtual.server import main

    if bench.virtual is None:
        raise BenchError(f"{file}: a bench without a [virtual] section cannot be served; it is a real one.")
    given: dict[str, Path] = {}
    for item in options.firmware:
        node, equals, path = item.partition("=")
        if not equals or node not in bench.nodes:
            raise BenchError(f"--firmware {item}: give NODE=ELF with one of {', '.join(bench.nodes)}.")
        given[node] = Path(path)
    if options.pace:
        bench = msgspec.structs.replace(bench, virtual=msgspec.structs.replace(bench.virtual, pace=options.pace))
    return main(bench, images(bench, bench_file=file) | given, as_json=options.json)
