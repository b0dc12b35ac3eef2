"""`gpiorig merge`: recordings of several analyzers as one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

EPILOG = """\
examples:
  gpiorig merge left right -o both
  gpiorig merge left right -o both --sync pps --json

All analyzers must have seen the same sync line (docs/reference/sync-line.md), named by --sync. The one with
the highest samplerate is the reference: the result counts in its samples, covers the time that all of them cover, and
carries for each other one how well it fits. Serial records come along. What is ambiguous is refused.
`gpiorig run` does this without a call of `merge` on a bench with several analyzers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a merge."""
    parser.add_argument("recordings", type=Path, nargs="+", metavar="RUN", help="two or more recording folders")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="recording folder, a new one")
    parser.add_argument("--sync", default="sync", metavar="NAME", help="channel of the sync line (default: sync)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Merge, and say how well the parts fit."""
    import msgspec

    from gpiorig.capture.recording.recording import Recording
    from gpiorig.rig.errors import RigError
    from gpiorig.rig.recordings import merge

    if len(options.recordings) < 2:
        raise RigError("one recording is nothing to merge: name two or more.")
    parts = [Recording.open(folder) for folder in options.recordings]
    merged = merge.merge_folders(parts, options.output, sync=options.sync)
    if options.json:
        print(json.dumps(msgspec.to_builtins(merged.info.alignments)))
        return 0
    print(f"{merged.folder}: {', '.join(name for name in merged.info.channels if name)}")
    for note in merged.info.alignments:
        print(
            f"  {note.analyzer}: {note.rate_ppb / 1e3:+.3f} ppm against the reference, {note.pulses} sync pulses, "
            f"residuals {note.residual_std_ns:.1f} ns (std), {note.residual_max_ns:.1f} ns (largest); "
            f"an interval across the two is uncertain by {note.uncertainty_ns:.1f} ns (1 sigma)"
        )
    return 0
