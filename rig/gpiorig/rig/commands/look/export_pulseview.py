"""`gpiorig export --pulseview`: a packet, or a window, of a recording for PulseView, with decoders and markers set."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.capture import log
from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.arguments import overwriting
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoder_folder, pulseview_slices
from gpiorig.rig.export.pulseview_slices import Slice
from gpiorig.rig.progress import stage
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

MARGIN_S = Fraction(100, 10**6)


def run(options: argparse.Namespace) -> int:
    """Cut, write, perhaps show."""
    opened = open_recording(Given.of(options).open(options.source))
    edges, bench = opened.recording.edges(), opened.known_bench
    timelines = analyse(opened).timelines if opened.answered else None
    cut = _cut(options, edges, timelines)
    if not edges.start <= cut.start < cut.end <= edges.end:
        raise RigError(
            f"{options.source}: no samples {cut.start} to {cut.end}; the recording has {edges.start} to {edges.end}."
        )
    roles = None if timelines is None else (timelines.initiator, timelines.responder)
    absent = () if timelines is None else timelines.absent
    target = options.output or Path("window.sr" if options.packet is None else f"packet-{options.packet}.sr")
    if target.exists() and not target.is_file():
        raise RigError(f"{target}: the output must be a file that ends in .sr.")
    for path in (target, target.with_suffix(".pvs")):
        overwriting.check_file(path, force=options.force)
    with stage("writing"):
        session = pulseview_slices.write(
            target, edges, bench, roles, cut, absent, virtual=opened.recording.info.virtual
        )
    print(f"{target}, {session.name}: samples {cut.start} to {cut.end} of {options.source}")
    standing.announced(options.source)
    if options.open:
        return _show(target)
    print(f"look at it: pulseview -D -c -i {target}")
    return 0


def _cut(options: argparse.Namespace, edges: Edges, timelines: Timelines | None) -> Slice:
    margin = int((MARGIN_S if options.margin is None else options.margin) * edges.samplerate_hz)
    if options.packet is not None:
        if timelines is None:
            raise RigError(f"{options.source}: it has no round trips; choose a window with --around.")
        row = pulseview_slices.packet_row(timelines, options.packet)
        within = (edges.start, edges.end)
        return pulseview_slices.for_packet(
            timelines, row, margin=margin, within=within, cursors=options.cursors, zoom=options.zoom
        )
    if options.around is not None:
        at = options.around.at(edges.samplerate_hz)
        start, end = max(edges.start, at - margin), min(edges.end, at + margin)
        return pulseview_slices.Slice(start=start, end=end, markers=((f"sample {at}", at),))
    return pulseview_slices.Slice(start=options.begin.at(edges.samplerate_hz), end=options.end.at(edges.samplerate_hz))


def _show(target: Path) -> int:
    """Run PulseView on a file, with our decoders; its exit status."""
    program = shutil.which("pulseview")
    if program is None:
        raise RigError("PulseView is not installed; on Debian: apt-get install pulseview.")
    # -D: no search for devices; -c: no sessions of the last time.
    command = [program, "-D", "-c", "-i", str(target)]
    log.runs(command)
    done = subprocess.run(command, env=os.environ | {"SIGROKDECODE_DIR": str(decoder_folder.source())}, check=False)
    return 0 if done.returncode == 0 else 1
