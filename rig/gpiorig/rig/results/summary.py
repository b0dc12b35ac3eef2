"""What hops have shown: as numbers for `--json`, and in sentences."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import accounting, journeys
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.reordering import Reordering
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.transmissions import NO_ACK
from gpiorig.analysis.quantity import NS_PER_S, count_text, time_text
from gpiorig.analysis.report import Tally

_MS_PER_S = 1000
REPETITIONS = (
    ("transmission", "repeated a frame"),
    ("frame", "came again that had been read before"),
    ("transmission", "got no acknowledgement although a node read the frame"),
)


def numbers(hops: Hops, routes: Sequence[Route], reordered: Sequence[Reordering]) -> dict[str, Any]:
    """Packets by status, routes with median and peak-to-peak delay in ms, and the accounting."""
    called = hops.journeys.called
    status = Counter(hops.journeys.status[called].tolist())
    retried, twice, unheard = _repetitions(hops)
    return {
        "packets": {
            "sent": int(np.count_nonzero(called)),
            "without_a_call": int(np.count_nonzero(~called)),
            "status": {journeys.STATUS[key]: n for key, n in sorted(status.items())},
        },
        "retries": retried,
        "duplicates": twice,
        "read_without_acknowledgement": unheard,
        "routes": [_route_numbers(route) for route in routes],
        "reordering": [{**dataclasses.asdict(each), "ratio": each.ratio} for each in reordered],
        "accounting": dataclasses.asdict(accounting.account(hops)),
        "notes": accounting.notes(hops),
    }


def _route_numbers(route: Route) -> dict[str, Any]:
    ms = _totals(route) * _MS_PER_S
    return {
        "route": route.name,
        "packets": len(route),
        "lost": route.lost,
        "partial": route.partial,
        "median_ms": float(np.median(ms)) if len(ms) else None,
        "p2p_ms": float(np.ptp(ms)) if len(ms) else None,
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


def sentences(hops: Hops, routes: Sequence[Route], reordered: Sequence[Reordering]) -> list[str]:
    """What was sent, received by whom, lost where, repeated and reordered; and what is not known."""
    found = [_fates(hops, origin) for origin in np.unique(hops.journeys.origins[hops.journeys.called]).tolist()]
    found += _losses(hops)
    found += [_delay(route) for route in routes if len(route)]
    found += [
        f"{each.reordered} of {each.arrived} packets from {each.origin} to {each.destination} came after one that was "
        f"sent later (RFC 4737), {count_text(each.largest_extent, 'place')} at most."
        for each in reordered
        if each.reordered
    ]
    counts = zip(_repetitions(hops), REPETITIONS, strict=True)
    said = [f"{count_text(n, noun)} {what}" for n, (noun, what) in counts if n]
    found.append("; ".join(said) + "." if said else "No frame was repeated or read twice.")
    if bare := int(np.count_nonzero(~hops.journeys.called)):
        found.append(f"{count_text(bare, 'packet')} without a send call, such as the beacons of a MAC.")
    return found + accounting.notes(hops)


def _fates(hops: Hops, origin: int) -> str:
    travels = hops.journeys
    theirs = travels.called & (travels.origins == origin)
    counted = Counter(travels.status[theirs].tolist())
    parts = ", ".join(f"{n} {journeys.STATUS[key]}" for key, n in sorted(counted.items()))
    return f"{hops.events.node_names[origin]} sent {count_text(int(np.count_nonzero(theirs)), 'packet')}: {parts}."


def _losses(hops: Hops) -> list[str]:
    """Where lost packets were last seen, most first."""
    travels, events = hops.journeys, hops.events
    at = travels.last_events[travels.called & travels.lost]
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
        f"{time_text(float(np.ptp(ns)))} peak to peak" + "".join(f", {each}" for each in rest) + "."
    )


def tallies(hops: Hops) -> tuple[Tally, ...]:
    """The accounting of the hops as counts for the health of a recording."""
    found = accounting.account(hops)

    def tally(title: str, all_of_them: int, *parts: dict[str, int]) -> Tally:
        rows = [("all", str(all_of_them)), *((name, str(n)) for part in parts for name, n in part.items())]
        return Tally(title, tuple(rows))

    return (
        tally("packets", found.packets, found.kinds),
        tally("transmissions", found.transmissions, found.outcomes),
        tally("receptions", found.receptions, found.origins),
        tally("frames heard and not read", found.overheard, found.whose),
        tally("events that are of packets", found.events, {"of a packet": found.attributed}, found.unattributed),
    )
