"""Samples that were lost, by the numbered pulses of a sync line (`sync_line` decodes them)."""

from __future__ import annotations

import numpy as np

from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import sync_line
from gpiorig.capture.sync.heartbeat import MIN_JUMP, SPREADS, Heartbeat, edges_of, spread_of


def read(waveform: Waveform, channel: str) -> Heartbeat:
    """Look for lost blocks by the numbers of the pulses of a sync line; arguments and errors of `heartbeat.read`."""
    edges = edges_of(waveform, channel)
    pulses = sync_line.read(edges, channel)
    per_ns = float(waveform.samplerate_hz) / 1e9
    intervals, steps = np.diff(pulses.samples), np.diff(pulses.positions)
    crosses_gap = np.zeros(len(intervals), dtype=bool)
    for start, end in edges.gaps:
        crosses_gap |= (pulses.samples[:-1] <= start) & (pulses.samples[1:] >= end)
    complete = (steps == 1) & ~crosses_gap
    single = intervals[complete & (np.abs(intervals - sync_line.PERIOD_NS * per_ns) < sync_line.JITTER_NS * per_ns)]
    if single.size == 0:
        raise CaptureError(f"channel {channel}: no two sync pulses in a row", remedy="check the wire")
    period = float(single.mean())
    limit = max(MIN_JUMP, int(np.ceil(SPREADS * spread_of(single - period))))
    excess = steps * period - intervals
    losses = [
        Loss(
            start=int(pulses.samples[at]) + 1,
            end=int(pulses.samples[at + 1]),
            samples=round(float(excess[at])),
            # the period is known to a share of its spread; over many periods that adds up
            uncertainty=limit + int(np.ceil(steps[at] * spread_of(single - period) / np.sqrt(single.size))),
            found_by=f"sync line {channel}",
        )
        for at in np.flatnonzero((excess > limit) & ~crosses_gap)
    ]
    return Heartbeat(
        channel=channel,
        rises=len(pulses.samples),
        period_samples=period,
        limit_samples=limit + 1,
        glitches=pulses.damaged,
        missing=int((steps[excess <= limit] - 1).sum()),
        losses=tuple(losses),
        start=int(pulses.samples[0]),
        end=int(pulses.samples[-1]),
        is_coded=True,
    )
