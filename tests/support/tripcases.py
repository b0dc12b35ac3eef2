"""Round trips of synthetic events, for tests: paired as those of a recording are."""

from __future__ import annotations

from collections.abc import Mapping

from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets.round_trips import RoundTrips

HEADER_NS = 192_000
ENDS = ("initiator", "responder")


def analysed(
    events: Events,
    logs: Mapping[str, NodeLog] | None = None,
    *,
    header_ns: int | Mapping[str, int] | None = HEADER_NS,
    ends: tuple[str, str] | None = ENDS,
) -> Analysis:
    """The analysis of events in which the first of two nodes sends what the second answers."""
    if isinstance(header_ns, int):
        header_ns = dict.fromkeys(events.node_names, header_ns)
    destinations = {ends[0]: (ends[1],), ends[1]: (ends[0],)} if ends else {}
    return analysis.analyse(events, logs or {}, header_ns=header_ns or {}, destinations=destinations, ends=ends)


def trips(events: Events, **options: object) -> RoundTrips:
    """Their round trips."""
    round_trips = analysed(events, **options).round_trips  # type: ignore[arg-type]
    assert round_trips is not None
    return round_trips
