"""What the radio's lines state of each frame: rows of a sender and a receiver, by edges alone."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.certify.row_values import COVERAGE, Missing, Value, resolved

FRAME, SLEEP = "tap.frame_timestamp", "tap.slp_tr"
ENDS = {"tap.irq": 1, "tap.tx_active": 0}  # what shows the end of a frame that was sent, and its level then
NEED = f"{FRAME} and {' or '.join(ENDS)}"
START = "radio.start"
LONGEST_S = 0.005  # a frame of 127 bytes takes 4.3 ms (IEEE 802.15.4-2006, 6.5.1)
SAME_S = 100e-6  # the SFDs of sender and receiver, which a CC2420 shows at both, are closer than any two frames
NEAR_S = 250e-6  # of the upper median, one of them: what is farther is another kind of frame, as an acknowledgement

TEXTS = {
    "radio.air": "frame timestamp line of the receiver, high",
    "radio.end": "receiver's start of frame to the end of the sender's, by its interrupt or transmit indicator",
    "radio.lag": "sender's start of frame to the receiver's",
    START: "sender's SLP_TR to the receiver's start of frame",
}


def nodes(bench: Bench) -> list[str]:
    """The nodes whose radio lines are wired."""
    return [
        name for name, node in bench.nodes.items() if FRAME in node.lines and ENDS.keys() & node.lines and node.has_bus
    ]


def values(edges: Edges, bench: Bench, *, samplerate_hz: float) -> dict[str, dict[str, Value | Missing]]:
    """By ``SENDER > RECEIVER`` the value of each row, in us; a row with `.spread` is the standard deviation."""
    named = nodes(bench)
    return {
        f"{sender} > {receiver}": _pair(edges, sender, receiver, samplerate_hz)
        for sender, receiver in permutations(named, 2)
    }


def _pair(edges: Edges, sender: str, receiver: str, samplerate_hz: float) -> dict[str, Value | Missing]:
    starts, ends = _edges(edges, f"{receiver}.{FRAME}", 1), _edges(edges, f"{receiver}.{FRAME}", 0)
    sent = _edges(edges, f"{sender}.{FRAME}", 1)
    line = next(line for line in ENDS if f"{sender}.{line}" in edges.channels)
    samples = {
        "radio.air": _until(starts, ends),
        "radio.end": _until(starts, _edges(edges, f"{sender}.{line}", ENDS[line])),
        "radio.lag": _until(sent, starts),
    }
    samples["radio.lag"] = samples["radio.lag"][samples["radio.lag"] < SAME_S]
    if not len(samples["radio.lag"]):
        del samples["radio.lag"]
    if f"{sender}.{SLEEP}" in edges.channels and len(pulses := _edges(edges, f"{sender}.{SLEEP}", 1)):
        samples[START] = _until(pulses, starts)  # of frames that the firmware fires by this line
    rows: dict[str, Value | Missing] = {}
    for key, spans in samples.items():
        near = spans[np.abs(spans - np.sort(spans)[len(spans) // 2]) < NEAR_S] if len(spans) else spans
        if len(near) < 2:
            rows[key] = Missing(reason="no such pair of edges: no frame went that way, or a lead is off")
            continue
        mean = resolved(near * 1e6, resolution=1e6 / samplerate_hz)
        rows[key] = mean
        error = COVERAGE * mean.spread / np.sqrt(2 * (len(near) - 1))  # of a standard deviation (JCGM 100:2008, E.4.3)
        rows[f"{key}.spread"] = Value(
            value=mean.spread, uncertainty=float(error + 1e6 / samplerate_hz), repeats=len(near), spread=0.0
        )
    return rows


def _edges(edges: Edges, channel: str, level: int) -> NDArray[np.float64]:
    """Instants of the rising or falling edges of a channel, in s."""
    samples, levels = edges.channel(channel)
    instants: NDArray[np.float64] = samples[levels == level] / float(edges.samplerate_hz)
    return instants


def _until(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """From each start to the next end, where that comes within a frame and before the next start."""
    if not len(starts) or not len(ends):
        return np.empty(0)
    places = np.searchsorted(ends, starts)
    inside = places < len(ends)
    spans = ends[places[inside]] - starts[inside]
    limits = np.append(np.diff(starts), np.inf)[inside]
    spans_s: NDArray[np.float64] = spans[(spans < LONGEST_S) & (spans < limits)]
    return spans_s
