"""The summary of an analysis: numbers for `--json`, and sentences."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.packets import accounting, delivery
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.node_accounts import NodeAccount
from gpiorig.analysis.packets.reordering import Reordering
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.packets.transmissions import NO_ACK
from gpiorig.analysis.report import Tally
from gpiorig.analysis.statistics.summary import Summary, summarize
from gpiorig.analysis.study.analysis import Analysis
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.plain_json import without_nan

_NS_PER_MS, _NS_PER_US = 1e6, 1e3
COUNTS = ("sent", "received", "lost", "dropped", "exhausted", "uart_dropped", "errors")
STATISTICS = {name: name for name in ("min", "p5", "median", "p95", "p99", "max")} | {
    "p2p": "peak_to_peak",
    "iqr": "iqr",
    "std": "std",
}
UNREAD_ON_A_BUS = f"{delivery.STATUS[delivery.NOT_RECEIVED]} with a symbol bus"
REPETITIONS = (
    ("transmission", "repeated a frame"),
    ("frame", "came again that had been read before"),
    ("transmission", "got no acknowledgement although a node read the frame"),
)


def numbers(analysis: Analysis, recording: Recording) -> dict[str, Any]:
    """The headline numbers, for `--json`: one layout for all packets; times of routes in ms, of steps in us."""
    accounts = {account.node: account for account in analysis.accounts}
    content = {
        "app": str(recording.info.parameters.get("app", "")),
        "events": len(analysis.events),
        "damaged": len(analysis.events.damaged),
        "nodes": {
            node: {
                "frames": analysis.events.frames(node) if node in analysis.events.node_names else 0,
                **log.done,
                "packet_lines": len(log.sequences),
                **(_account_numbers(accounts[node]) if node in accounts else {}),
            }
            for node, log in analysis.logs.items()
        },
        **_packet_numbers(analysis),
        "routes": [_route_numbers(route, _summary(analysis, route)) for route in analysis.routes],
        "reordering": [{**dataclasses.asdict(pair), "ratio": pair.ratio} for pair in analysis.reordering],
        **(_hop_numbers(analysis.hops) if analysis.hops is not None else {}),
        "recording": str(recording.folder),
        "seed": recording.info.parameters.get("bench_seed"),
    }
    return {key: without_nan(value) for key, value in content.items()}


def _packet_numbers(analysis: Analysis) -> dict[str, int]:
    """Packets of all routes; of round trips as the firmware counted them, if there is a log."""
    account = analysis.account
    if account is not None:
        lost = sum(account.lost.values())
        return {"packets_sent": account.total, "packets_timelined": account.arrived, "lost": lost}
    lines, routes = analysis.timelines, analysis.routes
    known = sum(map(len, routes)) if lines is None else int(np.count_nonzero(lines.timelined))
    sent = sum(len(route) + route.lost + route.partial for route in routes)
    return {"packets_sent": sent, "packets_timelined": known, "lost": sum(route.lost for route in routes)}


def _hop_numbers(hops: Hops) -> dict[str, Any]:
    called = hops.packets.called
    status = Counter(hops.packets.status[called].tolist())
    retried, twice, unheard = _repetitions(hops)
    return {
        "packets": {
            "sent": int(np.count_nonzero(called)),
            "without_a_call": int(np.count_nonzero(~called)),
            "status": {delivery.STATUS[key]: n for key, n in sorted(status.items())},
        },
        "retries": retried,
        "duplicates": twice,
        "read_again": {
            name: int(hops.visits.again[hops.visits.nodes == node].sum())
            for node, name in enumerate(hops.events.node_names)
        },
        "read_without_acknowledgement": unheard,
        "accounting": dataclasses.asdict(accounting.account(hops)),
        "notes": accounting.notes(hops),
    }


def _account_numbers(account: NodeAccount) -> dict[str, Any]:
    return {
        "seen_sent": account.seen_sent,
        "seen_received": account.seen_received,
        "outcomes": [
            {"logged": logged, "seen": seen, "packets": n} for (logged, seen), n in sorted(account.outcomes.items())
        ],
    }


def _summary(analysis: Analysis, route: Route) -> Summary:
    """Statistics of the complete delay; of round trips all that have one, also where a step is not known."""
    lines = analysis.timelines
    totals = route.totals if lines is None or route.name != ROUND_TRIP else lines.rtt[lines.timelined]
    return summarize(totals, samplerate_hz=route.steps.samplerate_hz, lost=route.lost)


def _route_numbers(route: Route, delay: Summary) -> dict[str, Any]:
    rate = route.steps.samplerate_hz
    steps = [summarize(column, samplerate_hz=rate, lost=route.lost) for column in route.steps.samples.T]
    return {
        "route": route.name,
        "packets": len(route),
        "lost": route.lost,
        "partial": route.partial,
        "delay_ms": {name: getattr(delay, f"{field}_ns") / _NS_PER_MS for name, field in STATISTICS.items()},
        "steps": [
            {
                "name": step.name,
                "node": step.node,
                "median_us": summary.median_ns / _NS_PER_US,
                "p2p_us": summary.peak_to_peak_ns / _NS_PER_US,
            }
            for step, summary in zip(route.steps.steps, steps, strict=True)
        ],
    }


def _totals(route: Route) -> NDArray[np.float64]:
    """float64[k], delays in s."""
    seconds: NDArray[np.float64] = route.totals / float(route.steps.samplerate_hz)
    return seconds


def _repetitions(hops: Hops) -> tuple[int, int, int]:
    """Transmissions that repeat a frame, frames read twice, and transmissions read but not acknowledged."""
    sent, stays = hops.transmissions, hops.visits
    with_id = sent.ids >= 0
    retried = int(np.count_nonzero(with_id)) - len(np.unique(sent.frames[with_id]))
    read = np.zeros(len(sent), dtype=bool)
    read[hops.receptions.transmissions[hops.receptions.transmissions >= 0]] = True
    unheard = int(np.count_nonzero(read & (sent.outcomes == NO_ACK)))
    return retried, int(np.count_nonzero(stays.repeated)), unheard


def sentences(analysis: Analysis, recording: Recording) -> list[str]:
    """What each node counted, and what became of its packets."""
    events = analysis.events
    name = recording.info.parameters.get("app") or recording.folder.resolve().name
    lines = [f"{name}: {count_text(len(events), 'event')}, {count_text(len(events.damaged), 'damaged frame')}."]
    probed = [node for node in analysis.logs if f"{node}.strobe" in recording.info.channels]
    for node, log in analysis.logs.items():
        counts = ", ".join(f"{key} {log.done[key]}" for key in COUNTS if key in log.done)
        frames = f"{count_text(events.frames(node), 'frame')} seen" if node in probed else "no symbol bus"
        lines.append(f"{node}: {counts or 'no counts'}; {frames}.")
    if analysis.hops is None:
        return [*lines, analysis.no_packets_sentence]
    all_probed = len(probed) == len(analysis.logs)
    return lines + _packet_lines(analysis.hops, analysis.routes, analysis.reordering, all_probed=all_probed)


def _packet_lines(
    hops: Hops, routes: Sequence[Route], reordered: Sequence[Reordering], *, all_probed: bool
) -> list[str]:
    """Packets sent, received, lost, repeated and reordered; and what is not known.

    Where nodes have no symbol bus, a packet that no other one read is not lost: they may have read it.
    """
    fates = delivery.STATUS if all_probed else delivery.STATUS | {delivery.NOT_RECEIVED: UNREAD_ON_A_BUS}
    origins = np.unique(hops.packets.origins[hops.packets.accounted]).tolist()
    lines = [_fates(hops, origin, fates) for origin in origins]
    if all_probed:
        lines += _losses(hops)
    lines += [_delay(route) for route in routes if len(route)]
    lines += [
        f"{pair.reordered} of {pair.arrived} packets from {pair.origin} to {pair.destination} came after one that was "
        f"sent later (RFC 4737), {count_text(pair.largest_extent, 'place')} at most."
        for pair in reordered
        if pair.reordered
    ]
    counts = zip(_repetitions(hops), REPETITIONS, strict=True)
    repeated = [f"{count_text(n, noun)} {what}" for n, (noun, what) in counts if n]
    lines.append("; ".join(repeated) + "." if repeated else "No frame was repeated or read twice.")
    if bare := int(np.count_nonzero(~hops.packets.accounted)):
        lines.append(f"{count_text(bare, 'packet')} without a send call, such as the beacons of a MAC.")
    return lines + accounting.notes(hops)


def _fates(hops: Hops, origin: int, fates: Mapping[int, str]) -> str:
    packets = hops.packets
    status = packets.status[packets.accounted & (packets.origins == origin)]
    parts = ", ".join(f"{n} {fates[key]}" for key, n in sorted(Counter(status.tolist()).items()))
    return f"{hops.events.node_names[origin]} sent {count_text(len(status), 'packet')}: {parts}."


def _losses(hops: Hops) -> list[str]:
    """Where lost packets were last seen, most first."""
    packets, events = hops.packets, hops.events
    at = packets.last_events[packets.accounted & packets.lost]
    places = Counter(zip(events.nodes[at].tolist(), events.codes[at].tolist(), strict=True))
    return [
        f"{count_text(n, 'lost packet')} last seen at {events.node_names[node]}, {BY_CODE[code].name}."
        for (node, code), n in places.most_common()
    ]


def _delay(route: Route) -> str:
    ns = _totals(route) * NS_PER_S
    rest = [f"{n} {what}" for n, what in ((route.lost, "lost"), (route.partial, "without all milestones")) if n]
    return (
        f"{route.name}: {count_text(len(route), 'packet')}, {time_text(float(np.median(ns)))} in the median, "
        f"{time_text(float(np.ptp(ns)))} peak to peak" + "".join(f", {part}" for part in rest) + "."
    )


def tallies(hops: Hops) -> tuple[Tally, ...]:
    """The accounting of the hops as counts for the health of a recording."""
    account = accounting.account(hops)

    def tally(title: str, all_of_them: int, *parts: dict[str, int]) -> Tally:
        rows = [("all", str(all_of_them)), *((name, str(n)) for part in parts for name, n in part.items())]
        return Tally(title, tuple(rows))

    return (
        tally("packets", account.packets, account.kinds),
        tally("transmissions", account.transmissions, account.outcomes),
        tally("receptions", account.receptions, account.origins),
        tally("frames received and not read", account.overheard, account.whose),
        tally("events that are of packets", account.events, {"of a packet": account.attributed}, account.unattributed),
    )
