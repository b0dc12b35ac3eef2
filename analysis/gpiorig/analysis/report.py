"""The report: one self-contained page that begins with the conclusion and ends with where the numbers come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis import calibration, figures, lattice, plates, style
from gpiorig.analysis.accounting import Reconciliation
from gpiorig.analysis.log import NodeLog
from gpiorig.analysis.packets import Packets
from gpiorig.analysis.quantity import NS_PER_S, count_text, digits_for, share_text, time_text
from gpiorig.analysis.statistics import Summary, ipdv, resolved, summarize, variance_shares
from gpiorig.analysis.timelines import LOST, PARTIAL, STATUS, Steps, Timelines, steps_add_up

TEMPLATE = "report.html.jinja"
LISTED = 12  # packets of each kind that the report lists
_CAPTIONS = {
    "rtt": "Round-trip times, from the send call of the initiator to the reply in its application. Line: share of "
    "packets at or below (right scale).",
    "where": "What the mean round trip consists of, and which share each part has in its variance: "
    "cov(part, RTT) / var(RTT). The shares add up to 100 %; that of a part that is short where others are long is "
    "negative, and not drawn. They are estimates from these packets, without an interval.",
    "packet": "The packet whose round-trip time is the median, on both nodes and on the air. Boxes run from the enter "
    "to the exit of a point, blue for the request, green for the reply.",
    "steps": "Every step of the path. Thin line: smallest to largest; bar: 5 to 95 %; box: quartiles; mark: median.",
}


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """What a report is made of.

    Parameters
    ----------
    title
        Name of the experiment.
    virtual
        Whether the recording is from a virtual bench.
    packets, timelines, steps
        The stages.
    reconciliation
        The initiator's log against the timelines, if there is a log.
    logs
        Logs by name of the node.
    provenance
        Where the numbers come from, in the order to print: seed, samplerate, firmware, versions.
    notes
        Further remarks, one sentence each.
    """

    title: str
    virtual: bool
    packets: Packets
    timelines: Timelines
    steps: Steps
    reconciliation: Reconciliation | None = None
    logs: Mapping[str, NodeLog] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def write_report(path: Path, data: ReportData, *, drawn: Mapping[str, Figure] | None = None) -> None:
    """Write the page; it needs no other file.

    Parameters
    ----------
    path
        The page.
    data
        What it says.
    drawn
        The figures of `plates.everything`, if the caller has drawn them already.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"time": time_text, "share": share_text}
    if drawn is None:
        drawn = plates.everything(data.packets, data.timelines, data.steps, virtual=data.virtual)
    page = environment.get_template(TEMPLATE).render(
        data=data,
        summary=summary_lines(data),
        headline=_headline(data),
        figures=[(name, _inline_svg(style.svg(figure), name), _CAPTIONS[name]) for name, figure in drawn.items()],
        delays=delay_summaries(data),
        step_rows=_step_rows(data),
        losses=losses(data),
        excluded=_excluded(data.timelines),
        add_up=steps_add_up(data.timelines, data.steps),
    )
    path.write_text(page, encoding="utf-8")


def delay_summaries(data: ReportData) -> dict[str, Summary]:
    """The delays of whole stretches: round trip, each direction, turn-around, and the variation between packets."""
    lines, rate = data.timelines, data.timelines.samplerate_hz
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
    for node in data.packets.events.node_names:
        cost = calibration.probe_cost(data.packets.events, node=node)
        if len(cost):
            rows[f"one event with an id, {node} (calibration)"] = summarize(cost, samplerate_hz=rate)
    return rows


def summary_lines(data: ReportData) -> list[str]:
    """The conclusion in five lines or fewer."""
    lines, steps = data.timelines, data.steps
    period_ns = float(NS_PER_S / lines.samplerate_hz)
    rtt = summarize(lines.rtt[lines.timelined], samplerate_hz=lines.samplerate_hz)
    if not rtt.n:
        return ["No packet made a round trip that the pins show.", _accounting_line(data)]
    digits = digits_for(rtt.median_ns, spread_ns=rtt.peak_to_peak_ns, resolution_ns=period_ns)
    median, least, most, p95 = (
        time_text(ns, digits=digits) for ns in (rtt.median_ns, rtt.min_ns, rtt.max_ns, rtt.p95_ns)
    )
    text = [
        f"The round trip takes {median} in the median, {least} at least and {most} at most; "
        f"{share_text(0.95)} of the {rtt.n} round trips need {p95} or less."
    ]
    if len(steps.rows):
        text += [figures.where_conclusion(steps) + ".", figures.steps_conclusion(steps) + "."]
    found = lattice.find(lines.rtt[lines.timelined])
    if found is not None:
        text.append(
            f"The round-trip times lie on {found.levels} levels {time_text(found.spacing_samples * period_ns)} apart, "
            f"each {time_text(found.width_samples * period_ns)} wide at most."
        )
    text.append(_accounting_line(data))
    return text


def losses(data: ReportData) -> list[tuple[str, str]]:
    """What was lost or could not be used, each with its count: also when it is zero."""
    events, packets = data.packets.events, data.packets
    gap_samples = int(np.diff(events.gaps, axis=1).sum())
    lost_time = f" ({time_text(gap_samples * float(NS_PER_S / events.samplerate_hz))})" if gap_samples else ""
    rows = [
        ("gaps in the capture", f"{len(events.gaps)}{lost_time}"),
        ("damaged frames on the symbol buses", f"{len(events.damaged)}"),
        ("events that could not be given to a packet", f"{len(packets.unattributed)}"),
        *((f"    {reason}", f"{n}") for reason, n in packets.unattributed.counts().items()),
        ("retries in software; duplicates received", f"{packets.retries}; {packets.duplicates}"),
    ]
    for direction, name in enumerate(("requests", "replies")):
        no_ack, busy = packets.no_ack[:, direction].sum(), packets.busy[:, direction].sum()
        rows.append((f"{name} without acknowledgement; without a free channel", f"{no_ack}; {busy}"))
    for name, log in data.logs.items():
        rows.append(
            (f"log of {name}: boots; errors; malformed lines", f"{log.boots}; {len(log.errors)}; {len(log.malformed)}")
        )
        if log.done.get("uart_dropped"):
            rows.append((f"log lines that {name} dropped", f"{log.done['uart_dropped']}"))
        if "probes" in log.done:
            seen, sent = events.frames(name), log.done["probes"]
            rows.append((f"frames of {name}: counted by the firmware; seen on the pins", f"{sent}; {seen}"))
    return rows


def _headline(data: ReportData) -> list[tuple[str, str]]:
    """The numbers on top."""
    lines, steps = data.timelines, data.steps
    rtt = summarize(lines.rtt[lines.timelined], samplerate_hz=lines.samplerate_hz)
    sent = data.reconciliation.sent if data.reconciliation else len(lines)
    numbers = [
        ("median round trip", time_text(rtt.median_ns)),
        ("peak-to-peak jitter", time_text(rtt.peak_to_peak_ns)),
        ("99 % of the round trips within", time_text(rtt.p99_ns)),
        ("packets timelined", f"{rtt.n} of {sent}"),
    ]
    if resolved(lines.rtt[lines.timelined]) and resolved(steps.samples.sum(axis=1)):
        worst, share = figures.largest_kind(steps, variance_shares(steps.samples))
        numbers.append((f"of the RTT's variance: {worst.value}", share_text(share)))
    return numbers


def _accounting_line(data: ReportData) -> str:
    """Whether every packet is accounted for, in a sentence."""
    found = data.reconciliation
    if found is None:
        n = int(np.count_nonzero(data.timelines.timelined))
        seen = count_text(len(data.timelines), "send call")
        return f"{seen} seen on the pins, {n} timelined; there is no log to compare."
    lost = ", ".join(f"{n} {reason}" for reason, n in found.lost.items()) or "none"
    if found.unaccounted:
        reasons = "; ".join(f"{n}: {reason}" for reason, n in found.not_timelined.items())
        balance = f"{found.unaccounted} not accounted for ({reasons})"
    else:
        balance = "every packet is accounted for"
    return (
        f"The firmware sent {count_text(found.sent, 'packet')}: {found.timelined} timelined, lost: {lost}; {balance}."
    )


def _step_rows(data: ReportData) -> list[tuple[str, str, Summary, int, float, float]]:
    """Name, node, statistics, probe events within, share in the mean and in the variance of every step."""
    steps, lost = data.steps, int(np.count_nonzero(data.timelines.status == LOST))
    probes = calibration.events_within(data.packets.events, data.timelines, steps)
    shares = figures.resolved_shares(steps)
    total = float(steps.samples.sum()) or float("nan")
    return [
        (
            step.name,
            step.node,
            summarize(steps.samples[:, column], samplerate_hz=steps.samplerate_hz, lost=lost),
            int(probes[column]),
            float(steps.samples[:, column].sum()) / total,
            float(shares[column]),
        )
        for column, step in enumerate(steps.steps)
    ]


def _excluded(lines: Timelines) -> list[tuple[str, int, list[tuple[int, str]]]]:
    """For every reason: how many packets, and the first of them with the detail."""
    groups = []
    for key in range(PARTIAL, max(STATUS) + 1):
        rows = np.flatnonzero(lines.status == key)
        if len(rows):
            listed = [(int(lines.ids[row]), lines.detail(int(row))) for row in rows[:LISTED]]
            groups.append((STATUS[key], len(rows), listed))
    return groups


def _inline_svg(text: str, name: str) -> str:
    """The svg element alone, its ids made unique on the page."""
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    return re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1), count=1
    )
