"""Statistics of the longer parts of round trips: each direction, the turn-around, the variation between packets."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.delays import calibration
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.timelines import LOST, Timelines
from gpiorig.analysis.statistics.summary import Summary, ipdv, summarize

ROUND_TRIP = "round trip"
_PARTS = {
    "request, app to app": ("request.app.tx", "request.app.rx"),
    "turn-around": ("request.app.rx", "reply.app.tx"),
    "reply, app to app": ("reply.app.tx", "reply.app.rx"),
}


def round_trips(lines: Timelines, events: Events) -> dict[str, Summary]:
    """Summaries of round trip, directions, turn-around, IPDV and calibration bursts, by name.

    Those of the round trip count every packet that made one, also where a milestone in between is unknown.

    Parameters
    ----------
    lines
        Milestones of every packet.
    events
        Of the same recording, for the calibration bursts.
    """
    rate = lines.samplerate_hz
    lost = int(np.count_nonzero(lines.status == LOST))
    rows = {ROUND_TRIP: summarize(lines.rtt[lines.timelined], samplerate_hz=rate, lost=lost)}
    names = {milestone.name for milestone in lines.milestones}
    usable = lines.timelined | (lines.status == LOST)
    for name, ends in _PARTS.items():
        if names.issuperset(ends):
            start, end = (lines.column(milestone)[usable] for milestone in ends)
            known = (start >= 0) & (end >= 0)
            missing = int(np.count_nonzero((start >= 0) & (end < 0)))
            rows[name] = summarize((end - start)[known], samplerate_hz=rate, lost=missing)
    rows["round trip minus the one before (IPDV)"] = summarize(ipdv(lines.rtt), samplerate_hz=rate)
    for node in events.node_names:
        cost = calibration.probe_cost(events, node=node)
        if len(cost):
            rows[f"one event with an id, {node} (calibration)"] = summarize(cost, samplerate_hz=rate)
    return rows
