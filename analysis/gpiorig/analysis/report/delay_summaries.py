"""The delays of whole stretches of a round trip."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.delays import calibration
from gpiorig.analysis.packets.timelines import LOST
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.statistics.summary import Summary, ipdv, summarize


def delay_summaries(data: ReportData) -> dict[str, Summary]:
    """The delays of whole stretches: round trip, each direction, turn-around, and the variation between packets."""
    lines = data.timelines
    if lines is None:
        return {}
    rate = lines.samplerate_hz
    lost = int(np.count_nonzero(lines.status == LOST))
    rows = {"round trip": summarize(lines.rtt[lines.timelined], samplerate_hz=rate, lost=lost)}
    names = [milestone.name for milestone in lines.milestones]
    stretches = {
        "request, app to app": ("request.app.tx", "request.app.rx"),
        "turn-around": ("request.app.rx", "reply.app.tx"),
        "reply, app to app": ("reply.app.tx", "reply.app.rx"),
    }
    usable = lines.timelined | (lines.status == LOST)
    for name, ends in stretches.items():
        if set(ends) <= set(names):
            start, end = (lines.column(end)[usable] for end in ends)
            known = (start >= 0) & (end >= 0)
            missing = int(np.count_nonzero((start >= 0) & (end < 0)))
            rows[name] = summarize((end - start)[known], samplerate_hz=rate, lost=missing)
    rows["round trip minus the one before (IPDV)"] = summarize(ipdv(lines.rtt), samplerate_hz=rate)
    events = data.analysis.events
    for node in events.node_names:
        cost = calibration.probe_cost(events, node=node)
        if len(cost):
            rows[f"one event with an id, {node} (calibration)"] = summarize(cost, samplerate_hz=rate)
    return rows
