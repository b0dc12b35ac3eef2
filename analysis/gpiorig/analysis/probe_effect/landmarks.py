"""Landmarks of a ping-pong that need no probe: edges of the radio's own lines, with any firmware.

They cut the round trip where the radio's frame timestamp, its interrupt and its SPI select line change. Of a node's
accesses over SPI the two longest are the frame that is read and the frame that is written; the longest pause between
these is the stack, up and down. So the steps are the same with any probes, and with none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events

Samples = NDArray[np.int64]

MARK, IRQ, SELECT = "tap.frame_timestamp", "tap.irq", "tap.select"
# One frame rises at both nodes within the flight time and the receiver's delay, far less than the time to the next.
TOGETHER_NS = 50_000
# Acknowledgements are shorter: their marks are not those of data.
SHORT = 0.5

# Instants, and the step that ends with each; the node is that of the step.
LANDMARKS = (
    ("request.spi.first", "", ""),
    ("request.spi.last", "request: driver prepares, loads, starts", "initiator"),
    ("request.mark", "request: radio wait and preamble", ""),
    ("request.irq", "request: rest of the frame", ""),
    ("request.read.first", "request: interrupt to first SPI access", "responder"),
    ("request.read.last", "request: driver reads the frame", "responder"),
    ("reply.spi.first", "turn-around: stack and application", "responder"),
    ("reply.spi.last", "reply: driver prepares, loads, starts", "responder"),
    ("reply.mark", "reply: radio wait and preamble", ""),
    ("reply.irq", "reply: rest of the frame", ""),
    ("reply.read.first", "reply: interrupt to first SPI access", "initiator"),
    ("reply.read.last", "reply: driver reads the frame", "initiator"),
)
NAMES = tuple(name for name, _, _ in LANDMARKS)


@dataclass(frozen=True, slots=True, eq=False)
class Exchanges:
    """The ping-pongs that the radio's lines show.

    Parameters
    ----------
    names
        The visible landmarks among `NAMES`.
    samples
        int64[p, len(names)], in time order; rows of `clean` only.
    clean
        bool[all]: for every ping-pong on the air, whether it has one request and one reply and all landmarks.
    """

    names: tuple[str, ...]
    samples: Samples
    clean: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Node:
    """Lines of one node: rises of its marks with the length of each, interrupts, accesses (first and last sample)."""

    marks: Samples
    lengths: Samples
    interrupts: Samples
    begins: Samples
    ends: Samples


def find(events: Events, *, initiator: str, responder: str, interval_ns: int) -> Exchanges:
    """Find the landmarks of every ping-pong.

    Parameters
    ----------
    events
        Events with the taps of both nodes: `MARK`; `IRQ` and `SELECT` where there are such.
    initiator, responder
        Names of the nodes.
    interval_ns
        From one ping-pong to the next: two frames that are farther apart than half of it are of two ping-pongs.

    Raises
    ------
    EventError
        A node has no marks.
    """
    asks, answers = _node(events, initiator), _node(events, responder)
    longest = max(int(asks.lengths.max()), int(answers.lengths.max()))
    data_marks = [node.marks[node.lengths >= SHORT * longest] for node in (asks, answers)]
    apart = int(interval_ns / 2 * events.samplerate_hz / 1_000_000_000)
    together = int(TOGETHER_NS * events.samplerate_hz / 1_000_000_000)
    starts = np.sort(np.concatenate(data_marks))
    bounds = [*starts[:1], *starts[1:][np.diff(starts) > apart], events.end]
    rows, clean = [], []
    before = events.start
    for start, end in pairwise(int(bound) for bound in bounds):
        request = _mark(data_marks[1], start, end, together, is_reply=False)
        reply = _mark(data_marks[0], start, end, together, is_reply=True)
        frames = 1 + int(np.count_nonzero(np.diff(_inside(starts, start, end)) > together))
        row = _row(asks, answers, request, reply, window=(before, end), apart=apart) if frames == 2 else None
        rows.append(row)
        clean.append(row is not None)
        before = reply if reply >= 0 else start
    instants = np.array([row for row in rows if row is not None], dtype=np.int64).reshape(-1, len(NAMES))
    present: NDArray[np.bool_] = np.all(instants >= 0, axis=0) & (len(instants) > 0)
    names = tuple(name for name, is_present in zip(NAMES, present, strict=True) if is_present)
    return Exchanges(names=names, samples=instants[:, present], clean=np.array(clean, dtype=bool))


def _node(events: Events, name: str) -> _Node:
    rises, falls = events.instants(f"{MARK}.enter", node=name), events.instants(f"{MARK}.exit", node=name)
    after = np.searchsorted(falls, rises)
    complete = after < len(falls)
    if not complete.any():
        raise EventError(
            f"node `{name}`: its line {MARK} shows no frame. Wire the radio's frame timestamp line on both nodes "
            "and name it in the bench file: without probes nothing else shows when a frame came."
        )
    selected, released = events.instants(f"{SELECT}.exit", node=name), events.instants(f"{SELECT}.enter", node=name)
    closed = np.searchsorted(released, selected)
    ended = closed < len(released)
    return _Node(
        marks=rises[complete],
        lengths=falls[after[complete]] - rises[complete],
        interrupts=events.instants(f"{IRQ}.enter", node=name),
        begins=selected[ended],
        ends=released[closed[ended]],
    )


def _inside(instants: Samples, start: int, end: int) -> Samples:
    """The increasing instants that are in [start, end)."""
    start_row, end_row = np.searchsorted(instants, (start, end))
    return instants[start_row:end_row]


def _mark(marks: Samples, start: int, end: int, together: int, *, is_reply: bool) -> int:
    """The mark of the first, or the last, frame of a ping-pong at a node; -1 if it has none."""
    inside = _inside(marks, start, end)
    if not len(inside):
        return -1
    mark = int(inside[-1 if is_reply else 0])
    # A radio that marks the frames it sends as well has marked the other frame too.
    is_late = mark - start > together
    return mark if is_late == is_reply else -1


def _row(
    asks: _Node, answers: _Node, request: int, reply: int, *, window: tuple[int, int], apart: int
) -> list[int] | None:
    """The landmarks of one ping-pong, -1 for those without a line; None if one that should be there is missing."""
    if request < 0 or reply < 0:
        return None
    row = dict.fromkeys(NAMES, -1) | {"request.mark": request, "reply.mark": reply}
    irqs = [_next(answers.interrupts, request), _next(asks.interrupts, reply)]
    if all(irq >= 0 for irq in irqs):
        row |= {"request.irq": irqs[0], "reply.irq": irqs[1]}
    if len(asks.begins) and len(answers.begins):
        sent = _burst_before(asks, window[0], request, apart=apart)
        turned = _turned(answers, max(request, row["request.irq"]), reply)
        read = _read(asks, max(reply, row["reply.irq"]), window[1], apart=apart)
        if sent is None or turned is None or read is None:
            return None
        row |= dict(zip(("request.spi.first", "request.spi.last"), sent, strict=True))
        row |= dict(
            zip(("request.read.first", "request.read.last", "reply.spi.first", "reply.spi.last"), turned, strict=True)
        )
        row |= dict(zip(("reply.read.first", "reply.read.last"), read, strict=True))
    present = [sample for sample in row.values() if sample >= 0]
    return list(row.values()) if present == sorted(present) else None


def _next(instants: Samples, after: int) -> int:
    at = int(np.searchsorted(instants, after))
    return int(instants[at]) if at < len(instants) else -1


def _between(node: _Node, after: int, before: int) -> tuple[Samples, Samples]:
    """Accesses that are completely between two instants."""
    inside = slice(np.searchsorted(node.begins, after), np.searchsorted(node.ends, before, side="right"))
    return node.begins[inside], node.ends[inside]


def _burst_before(node: _Node, since: int, before: int, *, apart: int) -> tuple[int, int] | None:
    """First and last sample of the accesses that led to a frame: those after the pause between two ping-pongs."""
    begins, ends = _between(node, since, before)
    if not len(begins):
        return None
    pauses = np.flatnonzero(begins[1:] - ends[:-1] > apart)
    row = int(pauses[-1]) + 1 if len(pauses) else 0
    return int(begins[row]), int(ends[-1])


def _turned(node: _Node, after: int, before: int) -> tuple[int, int, int, int] | None:
    """First access, last before and first after the stack's pause, last sample of the last."""
    begins, ends = _between(node, after, before)
    if len(begins) < 2:
        return None
    read, written = sorted(np.argsort(ends - begins)[-2:].tolist())
    pause = read + int(np.argmax(begins[read + 1 : written + 1] - ends[read:written]))
    return int(begins[0]), int(ends[pause]), int(begins[pause + 1]), int(ends[-1])


def _read(node: _Node, after: int, before: int, *, apart: int) -> tuple[int, int] | None:
    """First access after an instant, and the end of the longest before the next pause: the frame that is read."""
    begins, ends = _between(node, after, before)
    if not len(begins):
        return None
    pauses = np.flatnonzero(begins[1:] - ends[:-1] > apart)
    burst = int(pauses[0]) + 1 if len(pauses) else len(begins)
    return int(begins[0]), int(ends[int(np.argmax((ends - begins)[:burst]))])
