"""The options of `gpiorig bench`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import counts, overwriting, times
from gpiorig.rig.commands.bench import bench_plan_options
from gpiorig.rig.experiments.packet_count import MAX_PACKETS

EPILOG = """\
examples:
  gpiorig bench list                          benches and experiments that come with gpiorig, by name
  gpiorig bench plan 2xnrf52840dk             what to buy for two boards: analyzers, what they resolve, the wiring
  gpiorig bench scan -o bench.toml            what is connected, as a bench file to edit
  gpiorig bench check demo                    one of them
  gpiorig bench check bench.toml              is the file consistent? lines, pins, images, channels and rates
  gpiorig bench check bench.toml --live       and are its analyzers and ports there? (asks sigrok-cli, opens ports)
  gpiorig bench verify bench.toml             have each board show its lines; writes bench.certificate.json
  gpiorig bench certify bench.toml -o boards  compare with the virtual twin: rows of each board on its strobe, and
                                              packets of the radio; boards.zip is what to send in
  gpiorig bench certify bench.toml -o lines --part lines --no-flash
                                              of boards that hold the image of certify: one lead each is enough
  gpiorig bench virtual bench.toml            serve its virtual bench in real time until Ctrl-C; prints where its
                                              analyzers and serial ports are, for PulseView and terminals
  gpiorig bench virtual bench.toml --bench-file served.toml
                                              used as a real bench while it is served: gpiorig run served.toml …
  gpiorig bench virtual bench.toml --json     for programs: the first line of output is the ends as JSON; ends
                                              with standard input; at the pace of the file

exit status: 0 done, 1 something on the bench is wrong or differs, 2 wrong use or a file that cannot be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="list|plan|scan|check|verify|certify|virtual")
    listed = verbs.add_parser(
        "list",
        help="what comes with gpiorig",
        description="List the benches and experiments that come with gpiorig; their names serve in place of paths.",
    )
    listed.add_argument("--json", action="store_true", help="print names, files and descriptions as one JSON object")
    plan = verbs.add_parser(
        "plan",
        help="what a bench takes",
        description="Plan a bench: channels, rate, ± of a delay, the analyzers that do it, its file, its wiring.",
    )
    bench_plan_options.add_arguments(plan)
    scan = verbs.add_parser(
        "scan",
        help="find what is connected",
        description="Find analyzers, ports, boards and debug adapters; print a bench file that is ready to edit.",
    )
    scan.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the bench file there")
    overwriting.add_force(scan)
    scan.add_argument(
        "--port",
        action="append",
        default=[],
        metavar="PORT",
        help="ask at this port, too: one without an adapter on the USB, as that of a served virtual bench",
    )
    scan.add_argument(
        "--analyzer",
        action="append",
        default=[],
        metavar="DRIVER",
        help="ask for this analyzer, too: sigrok's driver and connection, as of a BeagleLogic on the network",
    )
    scan.add_argument(
        "--json", action="store_true", help="print what was found, and the bench file, as one JSON object"
    )
    check = verbs.add_parser(
        "check", help="check a bench file", description="Check a bench file, and what can be known of its bench."
    )
    check.add_argument("bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig")
    check.add_argument(
        "--live",
        action="store_true",
        help="look at this machine, ask sigrok-cli for the analyzers, and open the serial ports",
    )
    check.add_argument("--json", action="store_true", help="print the bench and what was found as one JSON object")
    verify = verbs.add_parser(
        "verify",
        help="have each board prove its wiring",
        description="Have each board in turn prove its wiring; writes a certificate, which `gpiorig run` asks for.",
    )
    verify.add_argument("bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig")
    verify.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="certificate (default: next to the bench file)"
    )
    verify.add_argument(
        "--reset",
        choices=("prove", "adapter", "hand"),
        default="prove",
        help="a command of the firmware; a reset by the debug adapter, or DTR and RTS; a person (default: prove)",
    )
    verify.add_argument(
        "--valid",
        type=times.duration,
        default="168h",
        metavar="TIME",
        help="how long the certificate is valid (default: 168h)",
    )
    verify.add_argument(
        "--duration",
        type=times.duration,
        default="10s",
        metavar="TIME",
        help="least length of the capture, for its rate (default: 10s)",
    )
    verify.add_argument("--keep", type=Path, metavar="DIR", help="keep the recording there")
    verify.add_argument("--json", action="store_true", help="print the certificate as one JSON object")
    certify = verbs.add_parser(
        "certify",
        help="compare a bench with its virtual twin",
        description="Flash, record and compare a bench with its virtual twin, row by row; fit the model to its boards.",
    )
    certify.add_argument("bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig")
    certify.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="a new folder; DIR.zip is what to send in"
    )
    certify.add_argument(
        "--part", choices=("lines", "radio"), help="only the rows of the lines, or only the packets (default: both)"
    )
    certify.add_argument("--no-flash", action="store_true", help="the boards hold the image of the one part already")
    certify.add_argument(
        "--duration",
        type=times.positive,
        default="60s",
        metavar="TIME",
        help="how long the lines are recorded (default: 60s; 10m shows how a DCO wanders)",
    )
    certify.add_argument(
        "--packets", type=counts.count(1, MAX_PACKETS), default=200, metavar="N", help="packets of the radio (200)"
    )
    certify.add_argument("--json", action="store_true", help="print rows, causes and files as one JSON object")
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
    pace = "how fast virtual time runs (default: real-time; with --json alone that of the file)"
    virtual.add_argument("--pace", choices=("fast", "real-time"), help=pace)
    virtual.add_argument(
        "--bench-file",
        type=Path,
        metavar="FILE",
        help="write the bench file with which it is used as a real bench: drivers, ports, debug adapters",
    )
    virtual.add_argument("--json", action="store_true", help="print the ends, or an error, as a line of JSON")
    for verb in (listed, scan, check, verify, certify, virtual):
        verb.epilog = EPILOG
