"""`gpiorig export`: a recording, or a window of it, as a sigrok .sr file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.rig.errors import RigError

if TYPE_CHECKING:
    from gpiorig.capture.recording import Recording

EPILOG = """\
examples:
  gpiorig export run1 -o run1.sr              the whole recording
  gpiorig export run1 -o p12.sr --packet 12   the round trip of the packet with id 12, and 100 us around it
  gpiorig export run1 -o w.sr --from-sample 240000 --to-sample 480000

Then, with the decoder of this project (Debian's PulseView 0.4.2 does the same):
  SIGROKDECODE_DIR=decoders sigrok-cli -i p12.sr -A gpio_probe \\
      -P gpio_probe:strobe=initiator.strobe:d0=initiator.d0:d1=initiator.d1:width=2"""

_AROUND_S = 100e-6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an export."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.sr")
    parser.add_argument(
        "--packet", type=int, metavar="ID", help="only the round trip of this packet (the first of that id)"
    )
    parser.add_argument("--from-sample", type=int, metavar="N", help="first sample")
    parser.add_argument("--to-sample", type=int, metavar="N", help="one past the last sample")


def run(options: argparse.Namespace) -> int:
    """Cut the window and write it."""
    from gpiorig.capture.formats.sr import write_sr
    from gpiorig.capture.recording import Recording

    target = options.output
    if target.suffix != ".sr" or (target.exists() and not target.is_file()):
        raise RigError(f"{target}: the output must be a file that ends in .sr.")
    recording = Recording.open(options.recording)
    edges = recording.edges()
    start = edges.start if options.from_sample is None else options.from_sample
    end = edges.end if options.to_sample is None else options.to_sample
    if options.packet is not None:
        if options.from_sample is not None or options.to_sample is not None:
            raise RigError("--packet and --from-sample/--to-sample say two things; give one of them.")
        start, end = _round_trip(recording, options.packet)
        around = int(_AROUND_S * edges.samplerate_hz)
        start, end = max(edges.start, start - around), min(edges.end, end + around)
    if not edges.start <= start < end <= edges.end:
        raise RigError(
            f"{options.recording}: no samples {start} to {end}; the recording has {edges.start} to {edges.end}."
        )
    write_sr(options.output, edges.window(start, end))
    print(f"{options.output}: samples {start} to {end} of {options.recording}")
    return 0


def _round_trip(recording: Recording, packet: int) -> tuple[int, int]:
    from gpiorig.rig import pipeline

    lines = pipeline.analyse(recording).timelines
    rows = (lines.ids == packet) & lines.timelined
    if not rows.any():
        raise RigError(f"{recording.folder}: no timeline of a packet with id {packet}; see packets.csv in its report.")
    row = int(rows.argmax())
    return int(lines.samples[row, 0]), int(lines.samples[row, -1]) + 1
