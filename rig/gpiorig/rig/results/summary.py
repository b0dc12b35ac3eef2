"""The summary of an analysis in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.packets import accounting, delivery
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.reordering import Reordering
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.report import Tally
from gpiorig.capture.recording.recording import Recording

COUNTS = ("sent", "received", "lost", "dropped", "exhausted", "uart_dropped", "errors")
UNREAD_ON_A_BUS = f"{delivery.STATUS[delivery.NOT_RECEIVED]} with a symbol bus"
REPETITIONS = (
    ("transmission", "repeated a frame"),
    ("frame", "came again that had been read before"),
    ("transmission", "got no acknowledgement although a node read the frame"),
)


def _totals(route: Route) -> NDArray[np.float64]:
    """float64[k], delays in s."""
    seconds: NDArray[np.float64] = route.totals / float(route.steps.samplerate_hz)
    return seconds


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
    counts = zip(accounting.repetitions(hops), REPETITIONS, strict=True)
    repeated = [f"{count_text(n, noun)} {happened}" for n, (noun, happened) in counts if n]
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
    rest = [f"{n} {state}" for n, state in ((route.lost, "lost"), (route.partial, "without all milestones")) if n]
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
