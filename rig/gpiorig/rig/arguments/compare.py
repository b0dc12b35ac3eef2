"""The options of `gpiorig compare`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import overwriting, reading_options, repeated_options

EPILOG = """\
examples:
  gpiorig compare base new                                     shows which steps changed, and by how much
  gpiorig compare base new --threshold 'rtt.p99 +5 %'          ends with status 1 if p99 grew by more
  gpiorig compare base new --threshold '*.median +10 us' --threshold 'loss +1 %'
  gpiorig compare base new --quantity 'mac.tx -> mac.rx' --threshold 'p99(span of udp.checksum) +5 %'
  gpiorig compare base new --any-change                        ends with status 1 if anything changed
  gpiorig compare base new --json -o changes.csv

A threshold is exceeded by a change beyond it that chance does not explain. Status 1: one is, or a run has
too few packets to tell. Without --threshold those of the new run's experiment file count
(`thresholds = ["rtt.p99 +5 %"]`), or else those of the base's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a comparison."""
    parser.add_argument("base", type=Path, metavar="BASE", help="recording folder to compare with")
    parser.add_argument("new", type=Path, metavar="NEW", help="recording folder")
    change = "largest change, such as 'rtt.p99 +5 %%', 'isr.median +-2 us'"
    repeated_options.add(parser, "--threshold", "thresholds", "CHANGE", change)
    repeated_options.add_quantities(parser, "compare this too")
    parser.add_argument("--any-change", action="store_true", help="any significant change ends with status 1, too")
    parser.add_argument("--fresh", action="store_true", help="analyse the recordings, whatever tables they have")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write all changes as .csv or .parquet")
    overwriting.add_force(parser)
    reading_options.add_described(parser)
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
