"""A window of a recording for PulseView: a small .sr file, and a session with decoders, colours, markers, cursors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.analysis.figures import packet
from gpiorig.analysis.packets.timelines import LOST, NONE, Timelines
from gpiorig.analysis.traces import pulseview_session
from gpiorig.analysis.traces.pulseview_session import Session, Signal, Stack
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.formats.sr import write_sr
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoder_stacks, pulseview_window

TYPICAL, FASTEST, SLOWEST = "typical", "fastest", "slowest"
ZOOMS = {"sending": "sending", "responder": "at the responder", "receiving": "receiving"}  # of packetview.zooms
# Milestones that are worth a marker, and its text, the ones to keep first: markers that overlap hide each other.
_MARKED = {
    "request.app.tx": "send",
    "reply.app.rx": "answer",
    "reply.app.tx": "reply",
    "request.air.start": "request on air",
    "reply.air.start": "reply on air",
    "request.irq": "irq",
    "reply.irq": "irq",
}
_OTHER_COLOUR = "#555555"
_MIN_UART_EDGES = 20  # about five characters
# Pixels of PulseView 0.4.2 with Debian's default font.
_CHARACTER, _LABEL_ENDS = 8, 18  # of a label: a character, and what is around its text
_TITLES = 220  # free before the window: there PulseView writes the titles of annotation rows
_RIGHT = 10  # free after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What to cut out and what to point at; all are sample numbers of the recording.

    Parameters
    ----------
    start, end
        The window: first sample, and one past the last.
    markers
        Text and instant of each marker.
    cursors
        The interval whose length is shown; None for none.
    shown
        The interval to show at first; None: all of it.
    lost_at
        When the packet has been without an answer long enough that the decoder may call it lost; None: it has one.
    """

    start: int
    end: int
    markers: tuple[tuple[str, int], ...] = ()
    cursors: tuple[int, int] | None = None
    shown: tuple[int, int] | None = None
    lost_at: int | None = None


def packet_row(timelines: Timelines, wanted: str) -> int:
    """Row of a packet by its id (the first of that id), or ``typical``, ``fastest``, ``slowest``.

    Raises
    ------
    RigError
        There is no such packet.
    """
    if wanted in (TYPICAL, FASTEST, SLOWEST):
        rtt = timelines.rtt
        rows = rtt.argsort(kind="stable")[int((rtt == NONE).sum()) :]
        if not len(rows):
            raise RigError("no packet of this recording has a round trip; choose a window with --from and --to.")
        typical = packet.typical(timelines)
        known = {FASTEST: int(rows[0]), SLOWEST: int(rows[-1])}
        return known.get(wanted, typical if typical >= 0 else int(rows[len(rows) // 2]))
    number = int(wanted) if wanted.isascii() and wanted.isdigit() else NONE
    matches = np.flatnonzero(timelines.ids == number)
    if not len(matches):
        raise RigError(f"there is no packet {wanted}; give typical, fastest, slowest, or an id of round_trips.parquet.")
    return int(matches[0])


def for_packet(
    timelines: Timelines,
    row: int,
    *,
    margin: int,
    within: tuple[int, int],
    cursors: bool = False,
    zoom: str | None = None,
) -> Slice:
    """Return the slice of a packet: from its first milestone to its last, and a margin on both sides.

    A lost packet's continues to the next send call, so that it shows what came of it.

    Parameters
    ----------
    timelines, row
        The packet.
    margin
        Samples before and after it.
    within
        First sample of the recording, and one past its last.
    cursors
        Cursors on the round trip in place of markers: PulseView draws cursors over markers.
    zoom
        The interval to show at first, a key of `ZOOMS`; None: all of it.
    """
    known = [
        (milestone.name, int(sample))
        for milestone, sample in zip(timelines.milestones, timelines.samples[row], strict=True)
        if sample != NONE
    ]
    first, last = int(timelines.samples[row, 0]), max(sample for _, sample in known)
    lost = bool(timelines.status[row] == LOST)
    lost_at = None
    if lost:
        following = timelines.samples[row + 1 :, 0]
        last = max(last, int(following[0]) if len(following) else last)
        lost_at = last
    return Slice(
        start=max(within[0], first - margin),
        end=min(within[1], last + margin),
        markers=tuple((text, dict(known)[name]) for name, text in _MARKED.items() if name in dict(known)),
        cursors=(first, last) if cursors and not lost else None,
        shown=None if zoom is None else _zoomed(timelines, row, zoom),
        lost_at=lost_at,
    )


def _zoomed(timelines: Timelines, row: int, zoom: str) -> tuple[int, int]:
    windows = dict(packet.zooms(timelines, row))
    if ZOOMS[zoom] not in windows:
        raise RigError(f"the milestones of packet {timelines.ids[row]} do not tell when it was {ZOOMS[zoom]}.")
    return windows[ZOOMS[zoom]]


def write(
    path: Path,
    edges: Edges,
    bench: Bench,
    roles: tuple[str, str] | None,
    cut: Slice,
    absent: Sequence[str],
    *,
    virtual: bool | None,
) -> Path:
    """Write the .sr file, and the .pvs file next to it, whose path is returned.

    Parameters
    ----------
    path
        The .sr file.
    edges
        The capture; only the window is used.
    bench
        The node whose lines are its channels.
    roles
        The initiator and the responder; None: no timeline.
    cut
        What to cut out.
    absent
        Milestones that the report omits.
    virtual
        As of a waveform.
    """
    part = edges.window(cut.start, cut.end)
    write_sr(path, part, virtual=virtual)
    rate = part.samplerate_hz

    def seconds(sample: int) -> Fraction:
        return (sample - part.start) / rate

    lost_after_ms = None
    if cut.lost_at is not None and cut.markers:
        lost_after_ms = max(1, int((cut.lost_at - cut.markers[0][1]) * 1000 / rate))
    shown: list[Stack | None] = []
    if roles is not None:
        shown.append(decoder_stacks.timeline(bench, *roles, absent=absent, lost_after_ms=lost_after_ms))
    for name in bench.nodes:
        shown += [
            None if name in (roles or ()) else decoder_stacks.probe(bench, name),
            decoder_stacks.radio(bench, name) if _is_used(part, name) else None,
            decoder_stacks.uart(bench, name) if _says_something(part, name) else None,
        ]
    first, last = (seconds(sample) for sample in cut.shown or (part.start, part.end))
    signals = _signals(part, bench)
    width = pulseview_window.traces_width([signal.name for signal in signals if signal.shown])
    pixel = (last - first) / (width - _TITLES - _RIGHT)
    markers = [] if cut.cursors is not None else [(text, seconds(at)) for text, at in cut.markers]
    session = Session(
        signals=signals,
        stacks=tuple(stack for stack in shown if stack is not None),
        markers=_apart(markers, pixel),
        cursors=None if cut.cursors is None else (seconds(cut.cursors[0]), seconds(cut.cursors[1])),
        window=(first - _TITLES * pixel, last + _RIGHT * pixel),
        width=width,
    )
    session_path = path.with_suffix(".pvs")
    pulseview_session.write(session_path, session)
    return session_path


def _apart(markers: Sequence[tuple[str, Fraction]], pixel: Fraction) -> tuple[tuple[str, Fraction], ...]:
    """The markers whose labels do not overlap, in the order of their times; an earlier one goes before a later one."""
    chosen: list[tuple[str, Fraction]] = []
    for text, at in markers:
        wide = [(len(text) + len(other)) * _CHARACTER / 2 + _LABEL_ENDS for other, _ in chosen]
        if all(abs(at - place) >= pixels * pixel for pixels, (_, place) in zip(wide, chosen, strict=True)):
            chosen.append((text, at))
    return tuple(sorted(chosen, key=lambda marker: marker[1]))


def _signals(edges: Edges, bench: Bench) -> tuple[Signal, ...]:
    """All channels in the colours of their nodes, in the order of the bench; shown are those that tell something.

    Data and SPI lines are unreadable to the eye, a line of the radio but its interrupt is a row of the decoder, too.
    """
    signals = []
    for channel in filter(None, edges.channels):
        node, _, line = channel.partition(".")
        known = node in bench.nodes
        data = known and line in bench.nodes[node].data_lines
        twice = line.startswith("tap.") and line != "tap.irq"
        silent = line == "uart_tx" and not _says_something(edges, node)
        quiet = data or twice or silent or line.startswith("spi_") or not len(edges.channel(channel)[0])
        colour = decoder_stacks.colour(bench, node) if known else _OTHER_COLOUR
        signals.append(Signal(name=channel, colour=colour, shown=not quiet))
    return tuple(signals)


def _is_used(edges: Edges, node: str) -> bool:
    """Whether a node's radio is accessed."""
    name = decoder_stacks.recorded(node, "tap.select")
    return name in edges.channels and len(edges.channel(name)[0]) > 1


def _says_something(edges: Edges, node: str) -> bool:
    """Whether there is a line of text on a node's serial output, not the edge of one."""
    name = decoder_stacks.recorded(node, "uart_tx")
    return name in edges.channels and len(edges.channel(name)[0]) >= _MIN_UART_EDGES
