"""Quantities to compare: intervals, round trips, delays from node to node, spreads of receptions, by every clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.inputs import Clock
from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.node_times import NodeTimes
from gpiorig.analysis.audit.packet_lines import node_interval_ns, pin_interval_ns
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import MISSING

NAN = float("nan")
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """One quantity by the pins and by the other clocks.

    Parameters
    ----------
    name
        Its kind and its nodes.
    pins_ns
        float64[n].
    clocks
        float64[n] for each clock; NaN where the clock does not measure it.
    missing
        Occasions that the pins show and the lines do not.
    """

    name: str
    pins_ns: Values
    clocks: dict[Clock, Values]
    missing: int = 0


def from_node(times: NodeTimes, events: Events) -> Iterator[Quantity]:
    """Intervals between send calls and between receptions, and from one to the other, at one node."""
    packets, log = times.packets, times.packets.log
    boots = events.instants("rig.boot", node=packets.node)
    for name, samples, timestamps, seen in (
        ("interval between send calls", packets.sent, log.sent_us, packets.calls),
        ("interval between receptions", packets.received, log.received_us, packets.arrivals),
    ):
        unseen = (timestamps != MISSING) & (samples == NONE)
        a, b = _successive(samples, unseen, seen.samples, boots)
        if len(a):
            yield Quantity(
                f"{name}, {packets.node}",
                pin_interval_ns(samples[a], samples[b], events),
                {
                    "node": node_interval_ns(timestamps[a], timestamps[b]),
                    **_by_host((times, samples, a), (times, samples, b)),
                },
                missing=int(np.count_nonzero(np.diff(np.searchsorted(boots, seen.samples)) == 0)) - len(a),
            )
    sends, receptions = np.flatnonzero(packets.sent != NONE), np.flatnonzero(packets.received != NONE)
    if not len(sends) or not len(receptions):
        return
    asks = packets.sent[sends].min() < packets.received[receptions].min()
    name = "round trip" if asks else "turn-around"
    call, arrival = (packets.sent, log.sent_us, packets.calls), (packets.received, log.received_us, packets.arrivals)
    (first, first_us, firsts), (second, second_us, seconds) = (call, arrival) if asks else (arrival, call)
    a, b = _paired(log.sequences, first, log.sequences, second)
    if len(a):
        on_pins, _ = _paired(firsts.ids, firsts.samples, seconds.ids, seconds.samples)
        yield Quantity(
            f"{name}, {packets.node}",
            pin_interval_ns(first[a], second[b], events),
            {"node": node_interval_ns(first_us[a], second_us[b]), **_by_host((times, first, a), (times, second, b))},
            missing=len(on_pins) - len(a),
        )


def _successive(
    samples: NDArray[np.int64], unseen: NDArray[np.bool_], on_pins: NDArray[np.int64], boots: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of events that follow each other on the pins and in the log, in one boot of the node.

    Events with a missing line between them, or with a line that is not on the pins, are not successive.
    """
    rows = np.flatnonzero(samples != NONE)
    rows = rows[np.argsort(samples[rows], kind="stable")]
    passed = np.cumsum(unseen)[rows]
    places, boot = (np.searchsorted(among, samples[rows]) for among in (on_pins, boots))
    follow = (np.diff(places) == 1) & (np.diff(passed) == 0) & (np.diff(boot) == 0)
    return rows[:-1][follow], rows[1:][follow]


def between_nodes(nodes: Sequence[NodeTimes], events: Events) -> Iterator[Quantity]:
    """Delays from the send call at a node to the reception at another, and the spread of several receptions."""
    receivers: dict[str, list[Reception]] = {}
    for to in nodes:
        claims = [(sender, *_paired_nodes(sender, to)) for sender in nodes if sender is not to]
        # Where two nodes use the same number at the same time, neither is paired.
        claimed = (
            np.bincount(np.concatenate([b for _, _, b in claims]), minlength=len(to.packets.log.lines))
            if claims
            else ()
        )
        for sender, a, b in claims:
            sole = np.asarray(claimed)[b] == 1
            if not sole.any():
                continue
            a, b = a[sole], b[sole]
            calls, arrivals = sender.packets.calls, to.packets.arrivals
            on_pins, _ = _paired(calls.ids, calls.samples, arrivals.ids, arrivals.samples)
            yield Quantity(
                f"send call to reception, {sender.packets.node} to {to.packets.node}",
                pin_interval_ns(sender.packets.sent[a], to.packets.received[b], events),
                {
                    "node": _difference(sender.sent_ns[a], to.received_ns[b]),
                    **_by_host((sender, sender.packets.sent, a), (to, to.packets.received, b)),
                },
                missing=len(on_pins) - len(a),
            )
            row_of = np.full(len(sender.packets.log.lines), NONE, dtype=np.int64)
            row_of[a] = b
            receivers.setdefault(sender.packets.node, []).append(Reception(to, row_of, on_pins))
    for sender in nodes:
        receptions = receivers.get(sender.packets.node, [])
        if len(receptions) > 1:
            yield from _spread(sender, receptions, events)


@dataclass(frozen=True, slots=True, eq=False)
class Reception:
    """Packets that one node received from another.

    Parameters
    ----------
    to
        The receiver.
    row_of
        int64[k], row of the receiver's line for each of the sender's, -1 for none.
    on_pins
        int64[h], the sender's send calls on the pins that the receiver's pins show received.
    """

    to: NodeTimes
    row_of: NDArray[np.int64]
    on_pins: NDArray[np.int64]


def _spread(sender: NodeTimes, receptions: Sequence[Reception], events: Events) -> Iterator[Quantity]:
    by_all = np.flatnonzero(np.all([receiver.row_of != NONE for receiver in receptions], axis=0))
    if not len(by_all):
        return
    rows = [(receiver.to, receiver.row_of[by_all]) for receiver in receptions]
    samples = np.stack([to.packets.received[b] for to, b in rows])
    shared = [clock for clock in rows[0][0].host if all(clock in to.host for to, _ in rows)]
    yield Quantity(
        f"reception spread over {len(receptions)} nodes, sent by {sender.packets.node}",
        pin_interval_ns(samples.min(axis=0), samples.max(axis=0), events),
        {
            "node": _range(np.stack([to.received_ns[b] for to, b in rows])),
            **{
                clock: _range(np.stack([_printed(to, to.packets.received, b, clock) for to, b in rows]))
                for clock in shared
            },
        },
        missing=len(reduce(np.intersect1d, [receiver.on_pins for receiver in receptions])) - len(by_all),
    )


def _paired(
    ids: NDArray[np.int32], first: NDArray[np.int64], other_ids: NDArray[np.int32], second: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of each first event and of the earliest second event of the same packet number, if before the next first."""
    a, b = np.flatnonzero(first != NONE), np.flatnonzero(second != NONE)
    if not len(a) or not len(b):
        return a[:0], b[:0]
    span = int(max(first[a].max(), second[b].max())) + 1  # 2^16 spans stay below 2^63 up to 68 days at 24 MHz
    keys = ids[a].astype(np.int64) * span + first[a]
    other_keys = other_ids[b].astype(np.int64) * span + second[b]
    order, other_order = np.argsort(keys), np.argsort(other_keys)
    keys, other_keys = keys[order], other_keys[other_order]
    at = np.searchsorted(other_keys, keys, side="right")
    until = np.append(keys[1:], np.iinfo(np.int64).max)
    safe = np.minimum(at, len(other_keys) - 1)
    fits = (at < len(other_keys)) & (other_keys[safe] // span == keys // span) & (other_keys[safe] < until)
    rows, others = a[order][fits], b[other_order][safe[fits]]
    in_time = np.argsort(first[rows], kind="stable")
    return rows[in_time], others[in_time]


def _paired_nodes(sender: NodeTimes, to: NodeTimes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return _paired(sender.packets.log.sequences, sender.packets.sent, to.packets.log.sequences, to.packets.received)


def _by_host(
    first: tuple[NodeTimes, NDArray[np.int64], NDArray[np.int64]],
    second: tuple[NodeTimes, NDArray[np.int64], NDArray[np.int64]],
) -> dict[Clock, Values]:
    """The quantity by the host's clocks: the timestamp of a line belongs only to the event at which it was printed."""
    shared = [clock for clock in first[0].host if clock in second[0].host]
    return {clock: _difference(_printed(*first, clock), _printed(*second, clock)) for clock in shared}


def _printed(times: NodeTimes, samples: NDArray[np.int64], rows: NDArray[np.int64], clock: Clock) -> NDArray[np.int64]:
    """int64[n]: host timestamps of lines that were printed at these events; -1 where a later one has the only line."""
    at_sending = np.where(samples[rows] == times.packets.sent[rows], times.announced[clock][rows], NONE)
    return np.where(samples[rows] == times.packets.reported[rows], times.host[clock][rows], at_sending)


def _difference(first_ns: NDArray[np.int64], second_ns: NDArray[np.int64]) -> Values:
    return np.where((first_ns == NONE) | (second_ns == NONE), NAN, second_ns - first_ns)


def _range(timestamps_ns: NDArray[np.int64]) -> Values:
    return np.where((timestamps_ns == NONE).any(axis=0), NAN, timestamps_ns.max(axis=0) - timestamps_ns.min(axis=0))
