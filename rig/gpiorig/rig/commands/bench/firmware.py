"""The options of `gpiorig firmware`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from gpiorig.rig.arguments import counts, reading_options
from gpiorig.rig.experiments.packet_count import MAX_PACKETS
from gpiorig.rig.experiments.probe_kinds import IMAGE_FORM, Probes

EPILOG = """\
examples:
  gpiorig firmware check bin/iotlab-m3/app.elf --os riot
                                              is every hook in the image? names what is lost
  gpiorig firmware check iotlab-m3 --os reference
                                              of a reference image that comes with gpiorig, by name
  gpiorig firmware list                       which these are
  gpiorig firmware memory app.elf             its bytes in flash memory and in RAM, by part of the network stack
  gpiorig firmware check app.elf --os riot --os-version 2026.07 --json
  gpiorig firmware selftest run1 --os reference
                                              does every ping-pong of a recording show every event?
  gpiorig firmware table --os riot --radio at86rf231 > gpiorig_expected.h
                                              the same expectation as a C table, for gpiorig_selftest_end()
  gpiorig firmware cost bench.toml pingpong -o effect
                                              on a virtual bench: records the experiment with all four kinds of
                                              probes, on the same seeds, and compares
  gpiorig firmware cost bench.toml pingpong -o effect --only doubled
                                              on boards: flash the image with these probes before each, `normal`, too
  gpiorig firmware cost bench.toml pingpong -o effect --json
                                              what is recorded is not recorded again

  gpiorig firmware cost bench.toml pingpong -o effect --image off=off/app.elf --image normal=normal/app.elf
                 --image doubled=doubled/app.elf
                                              images of one's own firmware, for all nodes or for one of them; the
                                              unprobed image's own timestamps are the truth of the round trip

For the cost both nodes need the radio's lines wired: tap.frame_timestamp, better tap.irq and tap.select, too
(docs/guide/probe-effect.md).
check wants an image linked with -Wl,--emit-relocs, better compiled with -g (docs/guide/firmware-check.md)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="check|memory|selftest|table|list|cost")
    check = verbs.add_parser("check", help="are all hooks in an image?", description="Check the hooks of an image.")
    check.add_argument("elf", type=Path, metavar="ELF", help="image, or name of one that comes with gpiorig")
    check.add_argument("--probes", default="normal", choices=("normal", "empty", "doubled"), help="variant it must be")
    memory = verbs.add_parser(
        "memory",
        help="bytes of an image in flash memory and in RAM",
        description="Print the bytes of an image in flash memory and in RAM, by part; the image needs no probes.",
    )
    memory.add_argument("elf", type=Path, metavar="ELF", help="image, or name of one that comes with gpiorig")
    selftest = verbs.add_parser(
        "selftest",
        help="are all events in a recording?",
        description="Count the events of every ping-pong of a recording in which nothing was lost.",
    )
    selftest.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    reading_options.add_described(selftest)
    table = verbs.add_parser(
        "table", help="the events of a ping-pong as C", description="Print the events of one ping-pong as C tables."
    )
    table.add_argument("--radio", default="", help="the node's radio, as in its board file")
    listed = verbs.add_parser(
        "list", help="the images that come with gpiorig", description="List the images of the reference firmware."
    )
    cost = verbs.add_parser(
        "cost", help="what do the probes cost?", description="Measure the cost of the probes, step by step."
    )
    _add_cost(cost)
    for verb in (check, selftest, table):
        verb.add_argument(
            "--os", required=True, dest="system", metavar="OS", help="riot, contiki-ng, freertos, openwsn, reference"
        )
        verb.add_argument("--os-version", metavar="V", help="needed where there are several hook files of the OS")
        verb.add_argument(
            "--hooks", type=Path, metavar="FILE.toml", help="hook file in place of the one of OS and version"
        )
    for verb in (check, memory, selftest, listed):
        verb.add_argument("--json", action="store_true", help="print what was found as one JSON object")
    for verb in (check, memory, selftest, table, listed, cost):
        verb.epilog = EPILOG


def _add_cost(parser: argparse.ArgumentParser) -> None:
    """The options of the meter."""
    parser.add_argument("bench", type=Path, metavar="BENCH", help="bench file, or name of one that comes with gpiorig")
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="experiment file, or name of one")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the recordings")
    parser.add_argument(
        "--packets",
        type=counts.count(1, MAX_PACKETS),
        metavar="N",
        help="number of packets, in place of the experiment's",
    )
    parser.add_argument(
        "--image",
        action="append",
        default=[],
        metavar=IMAGE_FORM,
        help="image of one's own firmware with these probes, of all nodes or of one; on a virtual bench; repeatable",
    )
    parser.add_argument("--only", choices=get_args(Probes), help="record this one only")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
