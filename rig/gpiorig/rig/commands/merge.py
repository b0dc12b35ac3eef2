"""`gpiorig merge`: recordings of several analyzers as one."""

from __future__ import annotations

import argparse
import json

import msgspec

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import merge


def run(options: argparse.Namespace) -> int:
    """Merge, and print how well the parts fit."""
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
