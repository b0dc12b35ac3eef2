"""`gpiorig pulseview`: a packet, or a window, of a recording for PulseView, with decoders and markers set."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.rig.errors import RigError

if TYPE_CHECKING:
    from gpiorig.analysis.packets.timelines import Timelines
    from gpiorig.capture.edges.edges import Edges
    from gpiorig.rig.export.pulseview_slices import Slice

EPILOG = """\
examples:
  gpiorig pulseview run --packet 12 --open    the round trip of the packet with id 12, in PulseView
  gpiorig pulseview run --packet 12 --zoom responder --open
                                              zoomed to what the responder did with it
  gpiorig pulseview run --packet slowest      writes packet-slowest.sr and packet-slowest.pvs; also
                                              typical, fastest
  gpiorig pulseview run --around 1200000 --margin-us 500 -o w.sr
                                              500 us on both sides of a sample
  gpiorig pulseview run --from-sample 240000 --to-sample 480000 -o w.sr

The .sr file has the window's samples, the .pvs file beside it the decoders, colours, markers and zoom; PulseView loads
both with `pulseview -D -c -i w.sr`. It needs our decoders: `gpiorig decoders install` (--open does without)."""

DEFAULT_MARGIN_US = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a slice."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--packet", metavar="ID", help="a packet's round trip: its id, typical, fastest or slowest")
    which.add_argument("--around", type=int, metavar="N", help="what lies around this sample")
    which.add_argument("--from-sample", type=int, metavar="N", help="first sample; with --to-sample")
    parser.add_argument("--zoom", choices=("sending", "responder", "receiving"), help="what of a packet to show first")
    parser.add_argument("--cursors", action="store_true", help="cursors on the round trip in place of markers")
    parser.add_argument("--to-sample", type=int, metavar="N", help="one past the last sample")
    parser.add_argument(
        "--margin-us",
        type=int,
        default=DEFAULT_MARGIN_US,
        metavar="US",
        help=f"time before and after a packet or a sample ({DEFAULT_MARGIN_US})",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.sr", help="in place of packet-ID.sr or window.sr")
    parser.add_argument("--open", action="store_true", help="start PulseView on it, and wait for its end")


def run(options: argparse.Namespace) -> int:
    """Cut, write, perhaps show."""
    from gpiorig.rig.export import pulseview_slices
    from gpiorig.rig.recordings.opened import open_recording
    from gpiorig.rig.results.analyse import analyse

    if (options.to_sample is None) != (options.from_sample is None):
        raise RigError("--from-sample and --to-sample make a window together; give both.")
    opened = open_recording(options.recording)
    edges, bench = opened.recording.edges(), opened.known_bench
    timelines = analyse(opened).timelines if opened.answered else None
    cut = _cut(options, edges, timelines)
    if not edges.start <= cut.start < cut.end <= edges.end:
        raise RigError(
            f"{options.recording}: no samples {cut.start} to {cut.end}; the recording has {edges.start} to {edges.end}."
        )
    roles = None if timelines is None else (timelines.initiator, timelines.responder)
    absent = () if timelines is None else timelines.absent
    target = options.output or Path("window.sr" if options.packet is None else f"packet-{options.packet}.sr")
    if target.suffix != ".sr" or (target.exists() and not target.is_file()):
        raise RigError(f"{target}: the output must be a file that ends in .sr.")
    session = pulseview_slices.write(target, edges, bench, roles, cut, absent)
    print(f"{target}, {session.name}: samples {cut.start} to {cut.end} of {options.recording}")
    if options.open:
        return _show(target)
    print(f"look at it: pulseview -D -c -i {target}")
    return 0


def _cut(options: argparse.Namespace, edges: Edges, timelines: Timelines | None) -> Slice:
    from gpiorig.rig.export import pulseview_slices

    margin = int(options.margin_us * edges.samplerate_hz / 1_000_000)
    if options.packet is not None:
        if timelines is None:
            raise RigError(f"{options.recording}: it has no round trips; choose a window with --around.")
        row = pulseview_slices.packet_row(timelines, options.packet)
        within = (edges.start, edges.end)
        return pulseview_slices.of_packet(
            timelines, row, margin=margin, within=within, cursors=options.cursors, zoom=options.zoom
        )
    if options.around is not None:
        start, end = max(edges.start, options.around - margin), min(edges.end, options.around + margin)
        return pulseview_slices.Slice(start=start, end=end, markers=((f"sample {options.around}", options.around),))
    return pulseview_slices.Slice(start=options.from_sample, end=options.to_sample)


def _show(target: Path) -> int:
    """Run PulseView on a file, with our decoders; its exit status."""
    import os
    import shutil
    import subprocess

    from gpiorig.rig.export import decoder_folder

    program = shutil.which("pulseview")
    if program is None:
        raise RigError("PulseView is not installed; on Debian: apt-get install pulseview.")
    # -D: no search for devices; -c: no sessions of the last time.
    command = [program, "-D", "-c", "-i", str(target)]
    done = subprocess.run(command, env=os.environ | {"SIGROKDECODE_DIR": str(decoder_folder.source())}, check=False)
    return 0 if done.returncode == 0 else 1
