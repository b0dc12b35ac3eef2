"""`gpiorig bench`: check a bench file, or serve a virtual bench."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import get_args

import msgspec

from gpiorig.rig import bench as benches
from gpiorig.rig.bench_virtual import Pace
from gpiorig.rig.errors import BenchError
from gpiorig.rig.firmware import images

EPILOG = """\
examples:
  gpiorig bench check bench.toml              is the file right? prints nodes, lines and channels
  gpiorig bench virtual bench.toml            serve its virtual bench until Ctrl-C; prints where its
                                              analyzers and serial ports are
  gpiorig bench virtual bench.toml --pace real-time
                                              for people: attach PulseView and a terminal, and detach them
  gpiorig bench virtual bench.toml --json     for programs: the first line of output is the ends as JSON; ends
                                              with standard input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of both verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="check|virtual")
    check = verbs.add_parser("check", help="check a bench file", description="Check a bench file.")
    check.add_argument("bench", type=Path, metavar="BENCH.toml")
    check.add_argument("--json", action="store_true", help="print the checked bench as one JSON object")
    virtual = verbs.add_parser(
        "virtual",
        help="serve a virtual bench",
        description="Serve a virtual bench until standard input ends, or until Ctrl-C.",
    )
    virtual.add_argument("bench", type=Path, metavar="BENCH.toml")
    virtual.add_argument(
        "--firmware",
        action="append",
        default=[],
        metavar="NODE=ELF",
        help="image of a node, in place of its own",
    )
    virtual.add_argument("--pace", choices=get_args(Pace), help="how fast virtual time goes, in place of the file's")
    virtual.add_argument("--json", action="store_true", help="print the ends, or an error, as a line of JSON")
    for verb in (check, virtual):
        verb.epilog, verb.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


def run(options: argparse.Namespace) -> int:
    """Check or serve."""
    bench = benches.load(options.bench)
    if options.verb == "virtual":
        return _serve(bench, options)
    if options.json:
        print(json.dumps(msgspec.to_builtins(bench)))
        return 0
    print(f"{options.bench}: {bench.name}: {'virtual' if bench.virtual else 'real'} bench, as it should be")
    for name, node in bench.nodes.items():
        lines = ", ".join(f"{line} on {channel}" for line, channel in node.lines.items())
        print(f"  {name} ({node.board}): {lines}")
    return 0


def _serve(bench: benches.Bench, options: argparse.Namespace) -> int:
    from gpiorig.rig.virtual.server import main

    if bench.virtual is None:
        raise BenchError(f"{options.bench}: a bench without a [virtual] section cannot be served; it is a real one.")
    given: dict[str, Path] = {}
    for item in options.firmware:
        node, equals, path = item.partition("=")
        if not equals or node not in bench.nodes:
            raise BenchError(f"--firmware {item}: give NODE=ELF with one of {', '.join(bench.nodes)}.")
        given[node] = Path(path)
    if options.pace:
        bench = msgspec.structs.replace(bench, virtual=msgspec.structs.replace(bench.virtual, pace=options.pace))
    return main(bench, images(bench, bench_file=options.bench) | given, as_json=options.json)
