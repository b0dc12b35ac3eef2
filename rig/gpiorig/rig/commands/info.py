"""`gpiorig info`: what is in a recording or a .sr file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpiorig.capture.edges import Edges

EPILOG = """\
examples:
  gpiorig info run1
  gpiorig info capture.sr --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an inspection."""
    parser.add_argument("file", type=Path, metavar="FILE|RUN", help="a .sr file or a recording folder")
    parser.add_argument("--samplerate", metavar="RATE", help="of a .sr file that names none, such as 24MHz")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Read and describe."""
    from gpiorig.capture.formats.sr import parse_samplerate, read_sr
    from gpiorig.capture.recording import Recording

    if options.file.is_file():
        given = None if options.samplerate is None else parse_samplerate(options.samplerate)
        edges = read_sr(options.file, samplerate_hz=given)
    else:
        edges = Recording.open(options.file).edges()
    found = describe(edges)
    if options.json:
        print(json.dumps(found))
        return 0
    print(
        f"{options.file}: {found['samples']} samples at {found['samplerate_hz'] / 1e6:g} MHz, "
        f"{found['duration_s']:.6f} s, {len(edges.gaps)} gaps"
    )
    for channel in found["channels"]:
        first, last = channel["first_edge"], channel["last_edge"]
        span = f"samples {first} to {last}" if channel["edges"] else "constant"
        level = "high" if channel["initial_level"] else "low"
        print(f"  {channel['name']}: {channel['edges']} edges, {span}, starts {level}")
    return 0


def describe(edges: Edges) -> dict[str, Any]:
    """Samplerate, length and the edges of each named channel; edges are sample numbers."""
    samples = edges.end - edges.start
    channels = []
    for name in filter(None, edges.channels):
        at, _ = edges.channel(name)
        channels.append(
            {
                "name": name,
                "edges": len(at),
                "first_edge": int(at[0]) if len(at) else None,
                "last_edge": int(at[-1]) if len(at) else None,
                "initial_level": edges.initial_level(name),
            }
        )
    rate = edges.samplerate_hz
    return {
        "samplerate_hz": int(rate) if rate.denominator == 1 else float(rate),
        "samples": samples,
        "duration_s": float(samples / rate),
        "start": edges.start,
        "channels": channels,
    }
