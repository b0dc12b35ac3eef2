"""The options of `gpiorig probes`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from gpiorig.rig.experiments.probe_kinds import Probes
from gpiorig.rig.probes.variant_images import FORM

EPILOG = """\
examples:
  gpiorig probes bench.toml pingpong -o effect
                                              on a virtual bench: records the experiment with all four kinds of
                                              probes, on the same seeds, and compares
  gpiorig probes bench.toml pingpong -o effect --only normal
  gpiorig probes bench.toml pingpong -o effect --only doubled
                                              on boards: flash the image with these probes before each
  gpiorig probes bench.toml pingpong -o effect --json
                                              what is recorded is not recorded again

  gpiorig probes bench.toml pingpong -o effect --image off=off/app.elf --image normal=normal/app.elf
                 --image doubled=doubled/app.elf
                                              images of one's own firmware, for all nodes or for one of them; the
                                              unprobed image's own timestamps are the truth of the round trip

Both nodes need the radio's lines wired: tap.frame_timestamp, better tap.irq and tap.select, too
(docs/guide/probe-effect.md)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the meter."""
    parser.add_argument("bench", type=Path, metavar="BENCH", help="bench file, or name of one that comes with gpiorig")
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="experiment file, or name of one")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the recordings")
    parser.add_argument("--packets", type=int, metavar="N", help="number of packets, in place of the experiment's")
    parser.add_argument(
        "--image",
        action="append",
        default=[],
        metavar=FORM,
        help="image of one's own firmware with these probes, of all nodes or of one; on a virtual bench; repeatable",
    )
    parser.add_argument("--only", choices=get_args(Probes), help="record this one only")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
