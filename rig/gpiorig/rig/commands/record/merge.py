"""The options of `gpiorig merge`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.recording import new_folder
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig merge left right -o both
  gpiorig merge left right -o both --sync pps --json
  gpiorig merge left right -o both --sync-delay right=250+-5
                                              50 m of cable to the analyzer of `right`, 0 to that of `left`
  gpiorig merge left right -o both --frames left=a.tap.frame_timestamp --frames right=b.tap.frame_timestamp
                                              no cable: a receiver on each received the same frames

All analyzers must have seen the same sync line (docs/reference/sync-line.md), named by --sync, or have a receiver
that received the same frames, named by --frames. The one with
the highest samplerate is the reference: the result counts in its samples, covers the time that all of them cover, and
carries for each other one how well it fits. Serial records come along. What is ambiguous is refused.
`gpiorig run` does this without a call of `merge` on a bench with several analyzers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a merge."""
    parser.add_argument("recordings", type=Path, nargs="+", metavar="RUN", help="two or more recording folders")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="recording folder, a new one")
    parser.add_argument("--sync", default="sync", metavar="NAME", help="channel of the sync line (default: sync)")
    parser.add_argument(
        "--frames",
        action="append",
        default=[],
        metavar="RUN=CHANNEL",
        help="in place of a sync line: the line of a radio receiver, for each recording",
    )
    parser.add_argument(
        "--sync-delay",
        action="append",
        default=[],
        metavar="RUN=NS+-LIMIT",
        help="how long the sync line takes to the analyzer of this recording, and what that may be off by, in ns",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse a single recording, and a folder that cannot be a new one.

    Raises
    ------
    RigError, RecordingError
        One of these.
    """
    if len(options.recordings) < 2:
        raise RigError("one recording is nothing to merge: name two or more.")
    new_folder.check(options.output)
