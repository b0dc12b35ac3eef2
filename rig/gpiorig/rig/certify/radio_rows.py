"""What the radio's lines state of each frame: rows of a sender and a receiver, by edges alone."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import Node
from gpiorig.rig.certify.row_values import COVERAGE, Missing, Value, resolved

FRAME, SLEEP, INTERRUPT, SELECT = "tap.frame_timestamp", "tap.slp_tr", "tap.irq", "tap.select"
ENDS = {"tap.irq": 1, "tap.tx_active": 0}  # what shows the end of a frame that was sent, and its level then
NEED = f"{FRAME} and {' or '.join(ENDS)} (of a radio without that line {INTERRUPT} and {SELECT})"
START = "radio.start"
LONGEST_S = 0.005  # a frame of 127 bytes takes 4.3 ms (IEEE 802.15.4-2006, 6.5.1)
SAME_S = 100e-6  # the SFDs of sender and receiver, which a CC2420 shows at both, are closer than any two frames
TICK_S = 16e-6  # what an MRF24J40, which has no such line, does begins on a tick of its own (docs/evidence/silicon.md)
NEAR_S = 250e-6  # of the upper median, one of them: what is farther is another kind of frame, as an acknowledgement

NO_PAIR = Missing(reason="no such pair of edges: no frame went that way, or a lead is off")
TEXTS = {
    "radio.air": "frame timestamp line of the receiver, high",
    "radio.end": "receiver's start of frame to the end of the sender's, by its interrupt or transmit indicator",
    "radio.lag": "sender's start of frame to the receiver's",
    START: "sender's SLP_TR to the receiver's start of frame",
    "radio.sent": "end of the sender's command to the receiver's interrupt, without the wait for the sender's tick",
    "radio.acknowledged": "receiver's interrupt to the sender's, without the wait for the receiver's tick",
}


def nodes(bench: Bench) -> list[str]:
    """The nodes whose radio lines are wired."""
    return [name for name, node in bench.nodes.items() if node.has_bus and _shows_frames(node)]


def _shows_frames(node: Node) -> bool:
    if FRAME in node.described_board.pins:
        return FRAME in node.lines and bool(ENDS.keys() & node.lines)
    return {INTERRUPT, SELECT} <= node.lines.keys()


def values(edges: Edges, bench: Bench, *, samplerate_hz: float) -> dict[str, dict[str, Value | Missing]]:
    """By ``SENDER > RECEIVER`` the value of each row, in us; a row with `.spread` is the standard deviation."""
    rows: dict[str, dict[str, Value | Missing]] = {}
    for sender, receiver in permutations(nodes(bench), 2):
        pair = _framed if f"{receiver}.{FRAME}" in edges.channels else _ticked
        rows[f"{sender} > {receiver}"] = pair(edges, sender, receiver, samplerate_hz)
    return rows


def _framed(edges: Edges, sender: str, receiver: str, samplerate_hz: float) -> dict[str, Value | Missing]:
    """The rows of a receiver that shows when a frame starts."""
    starts, ends = _edges(edges, f"{receiver}.{FRAME}", 1), _edges(edges, f"{receiver}.{FRAME}", 0)
    line = next(line for line in ENDS if f"{sender}.{line}" in edges.channels)
    samples = {
        "radio.air": _until(starts, ends),
        "radio.end": _until(starts, _edges(edges, f"{sender}.{line}", ENDS[line])),
    }
    if f"{sender}.{FRAME}" in edges.channels:
        lags = _until(_edges(edges, f"{sender}.{FRAME}", 1), starts)
        if len(lags := lags[lags < SAME_S]):
            samples["radio.lag"] = lags
    if f"{sender}.{SLEEP}" in edges.channels and len(pulses := _edges(edges, f"{sender}.{SLEEP}", 1)):
        samples[START] = _until(pulses, starts)  # of frames that the firmware fires by this line
    rows: dict[str, Value | Missing] = {}
    for key, spans in samples.items():
        near = _near(spans)
        if len(near) < 2:
            rows[key] = NO_PAIR
            continue
        mean = resolved(near * 1e6, resolution=1e6 / samplerate_hz)
        rows[key] = mean
        error = COVERAGE * mean.spread / np.sqrt(2 * (len(near) - 1))  # of a standard deviation (JCGM 100:2008, E.4.3)
        rows[f"{key}.spread"] = Value(
            value=mean.spread, uncertainty=float(error + 1e6 / samplerate_hz), repeats=len(near), spread=0.0
        )
    return rows


def _ticked(edges: Edges, sender: str, receiver: str, samplerate_hz: float) -> dict[str, Value | Missing]:
    """The rows of a receiver whose interrupt alone shows a frame, by the frames that it acknowledged."""
    received, sent = (_edges(edges, f"{node}.{INTERRUPT}", 1) for node in (receiver, sender))
    acknowledged, ends = _followed(received, sent)
    samples = {"radio.acknowledged": ends - acknowledged}
    if f"{sender}.{SELECT}" in edges.channels and f"{sender}.{FRAME}" not in edges.channels:
        samples["radio.sent"] = _until(_edges(edges, f"{sender}.{SELECT}", 1), acknowledged)
    return {key: _without_tick(_near(spans), resolution_s=1 / samplerate_hz) for key, spans in samples.items()}


def _without_tick(spans: NDArray[np.float64], *, resolution_s: float) -> Value | Missing:
    """What of the spans is not the wait for a tick, whatever its phases were: it takes up to `TICK_S`."""
    if len(spans) < 2:
        return NO_PAIR
    lowest_s, highest_s = float(spans.max()) - TICK_S, float(spans.min())
    if lowest_s - highest_s > 2 * resolution_s:
        span_us = (spans.max() - spans.min()) * 1e6
        return Missing(reason=f"it varies by {span_us:.2f} us, more than a tick of {TICK_S * 1e6:g} us can make")
    return Value(
        value=(lowest_s + highest_s) / 2 * 1e6,
        uncertainty=((highest_s - lowest_s) / 2 + resolution_s) * 1e6,
        repeats=len(spans),
        spread=float(spans.std(ddof=1)) * 1e6,
    )


def _near(spans: NDArray[np.float64]) -> NDArray[np.float64]:
    """Those of the most common kind of frame."""
    return spans[np.abs(spans - np.sort(spans)[len(spans) // 2]) < NEAR_S] if len(spans) else spans


def _edges(edges: Edges, channel: str, level: int) -> NDArray[np.float64]:
    """Instants of the rising or falling edges of a channel, in s."""
    samples, levels = edges.channel(channel)
    instants: NDArray[np.float64] = samples[levels == level] / float(edges.samplerate_hz)
    return instants


def _until(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """From each start to the next end, where that comes within a frame and before the next start."""
    followed, following = _followed(starts, ends)
    return following - followed


def _followed(
    starts: NDArray[np.float64], ends: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The starts that an end follows within a frame and before the next start, and these ends."""
    if not len(starts) or not len(ends):
        return np.empty(0), np.empty(0)
    places = np.searchsorted(ends, starts)
    inside = places < len(ends)
    begun, ended = starts[inside], ends[places[inside]]
    limits = np.append(np.diff(starts), np.inf)[inside]
    near = (ended - begun < LONGEST_S) & (ended - begun < limits)
    return begun[near], ended[near]
