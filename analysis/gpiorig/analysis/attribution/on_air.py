"""On the air: what met each packet while its sender's radio waited to send, as far as the recording shows it.

A frame time stamp line shows every frame that its radio hears, also those for others. Three things are told from the
lines and from the ends of transmissions, none from how long the wait was:

- when the first frame of others was on the air, counted from the beginning of the wait;
- whether the packet's own frame was on the air before: the receiver's line shows one as long as the frame that was
  read, and no other node's transmission ended with it;
- whether another node began and ended a transmission within the wait that the receiver, which hears that node
  otherwise, did not hear: a collision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution.covariates import begins
from gpiorig.analysis.events.completions import FRAME_TIMESTAMP
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.receptions import APART_NS
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.radio.air_frames import OCTET_NS, pulses

Samples = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

TAP = FRAME_TIMESTAMP.removesuffix(".enter")
NEVER = np.inf
# From the end of a frame to its sender's software that tells it: 54 symbols of macAckWaitDuration at 16 us (IEEE
# 802.15.4-2006, table 86, 2450 MHz) and 0.2 ms for interrupt and driver.
TOLD_WITHIN_NS = 54 * 16_000 + 200_000
DISTINCT = 0.01  # share of other frames that may be as long as the packet's own, or its length tells nothing
HEARD = 0.8  # share of a node's transmissions that a line must show for its silence to tell anything


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """What met the packets of a route in one wait for the radio.

    Parameters
    ----------
    others
        float64[k], samples from the beginning of the wait to the first frame of others on the air; 0 for one that is
        there already, inf where none is before the wait ends.
    repeated
        bool[k], the packet's own frame was on the air before, or collided.
    starts, ends
        int64[f], frames of others over the whole recording, merged where they overlap.
    span
        int64, samples of the recording.
    """

    others: Floats
    repeated: Flags
    starts: Samples
    ends: Samples
    span: int

    def __len__(self) -> int:
        return len(self.others)

    def chance(self, window: float) -> float:
        """Probability that a frame of others is on the air within a window of so many samples, at any time."""
        if not len(self.starts):
            return 0.0
        apart = self.starts[1:] - self.ends[:-1]
        covered = float(np.sum(self.ends - self.starts)) + float(np.minimum(apart, window).sum()) + window
        return min(1.0, covered / max(self.span, 1))


def of_route(events: Events, route: Route) -> dict[str, Wait]:
    """What met the packets in each wait for the radio, by the name of the step; none without a line that shows frames.

    Parameters
    ----------
    events
        Of the whole recording.
    route
        Its waits end with the first bit on the air, which the receiver's frame time stamp line gives.
    """
    lines = {name: pulses(events, TAP, node=name) for name in events.node_names}
    lines = {name: (rises[falls >= 0], falls[falls >= 0]) for name, (rises, falls) in lines.items()}
    begun = begins(route)
    found = {}
    for column, step in enumerate(route.steps.steps):
        if step.kind is Kind.RADIO_WAIT and column + 1 < len(route.steps.steps):
            receiver = route.steps.steps[column + 1].node.split(" > ")[-1]
            window = begun[:, column], begun[:, column] + route.steps.samples[:, column]
            if len(route) and len(lines[receiver][0]):
                found[step.name] = _wait(events, lines, *window, sender=step.node, receiver=receiver)
    return found


def of_packets(waits: Mapping[str, Wait], rows: Samples) -> dict[str, Wait]:
    """The same of some of the packets."""
    return {name: replace(each, others=each.others[rows], repeated=each.repeated[rows]) for name, each in waits.items()}


def _wait(
    events: Events,
    lines: Mapping[str, tuple[Samples, Samples]],
    begin: Samples,
    end: Samples,
    *,
    sender: str,
    receiver: str,
) -> Wait:
    rises, falls = lines[receiver]
    octet = int(Fraction(OCTET_NS, NS_PER_S) * events.samplerate_hz)
    told = int(Fraction(TOLD_WITHIN_NS, NS_PER_S) * events.samplerate_hz)
    of = np.minimum(np.searchsorted(rises, end), len(rises) - 1)  # the frame that was read
    header, length = int(np.median(rises[of] - end)), falls[of] - rises[of]
    ended = {name: events.of("radio.tx_complete", node=name) for name in events.node_names if name != sender}
    ended = {name: ends for name, ends in ended.items() if len(ends)}
    foreign, unheard = np.zeros(len(rises), dtype=np.bool_), []
    for name, ends in ended.items():
        pulse = _pulses_of(ends, falls, told=told, apart=int(Fraction(APART_NS, NS_PER_S) * events.samplerate_hz))
        if name == receiver or np.mean(pulse >= 0) < HEARD:
            continue
        heard = pulse[pulse >= 0]
        foreign[heard] = True
        lasted = int(np.median(falls[heard] - rises[heard])) + header
        unheard.append(np.stack([ends[pulse < 0] - lasted, ends[pulse < 0]]))
    own = _own(begin, end, falls - rises, rises, falls, length, of, foreign, tolerance=octet // 2)
    collided = np.zeros(len(begin), dtype=np.bool_)
    for went, over in unheard:
        packet = np.searchsorted(begin, went, side="right") - 1
        inside = (packet >= 0) & (over <= end[np.maximum(packet, 0)])
        collided[packet[inside]] = True
    parts = [_merged(each, header) for name, each in lines.items() if name not in (sender, receiver)]
    rest = np.ones(len(rises), dtype=np.bool_)
    rest[of] = rest[own] = False
    parts.append((rises[rest] - header, falls[rest]))
    starts, stops = _union(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))
    # What another node's line shows of the packet's own frame is not of others.
    starts, stops = _without(starts, stops, rises[of] - header, falls[of], tolerance=octet)
    starts, stops = _without(starts, stops, rises[own] - header, falls[own], tolerance=octet)
    first = np.searchsorted(stops, begin, side="right")
    start = np.append(starts, np.iinfo(np.int64).max)[first]
    others = np.where(start < end, np.maximum(start - begin, 0).astype(np.float64), NEVER)
    repeated = collided.copy()
    repeated |= _within(falls[own], begin, end)
    return Wait(others=others, repeated=repeated, starts=starts, ends=stops, span=events.end - events.start)


def _pulses_of(ends: Samples, falls: Samples, *, told: int, apart: int) -> Samples:
    """int64[e], the pulse of each transmission that ended, -1 where the line has none.

    It fell a certain time before the end was told, the same for all: that of the median, to `apart`.
    """
    place = np.searchsorted(falls, ends, side="right") - 1
    late = ends - np.append(falls, 0)[place]
    near = (place >= 0) & (late <= told)
    if not near.any():
        return np.full(len(ends), -1, dtype=np.int64)
    same = near & (np.abs(late - np.median(late[near])) <= apart)
    return np.where(same, place, -1)


def _own(
    begin: Samples,
    end: Samples,
    lengths: Samples,
    rises: Samples,
    falls: Samples,
    length: Samples,
    of: Samples,
    foreign: Flags,
    *,
    tolerance: int,
) -> Samples:
    """Pulses of the receiver's line within a wait that are as long as its frame, and no other node's."""
    packet = np.searchsorted(begin, rises, side="right") - 1
    inside = (packet >= 0) & (falls <= end[np.maximum(packet, 0)])
    alike = np.abs(lengths - length[np.maximum(packet, 0)]) <= tolerance
    read = np.zeros(len(rises), dtype=np.bool_)
    read[of] = True
    elsewhere = ~inside & ~read & ~foreign
    if np.count_nonzero(elsewhere & alike) > DISTINCT * max(1, int(np.count_nonzero(elsewhere))):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(inside & alike & ~read & ~foreign)


def _within(instants: Samples, low: Samples, high: Samples) -> Flags:
    """bool[q], whether any of the sorted instants lies from `low` to `high`."""
    found: Flags = np.searchsorted(instants, high, side="right") > np.searchsorted(instants, low)
    return found


def _merged(line: tuple[Samples, Samples], header: int) -> tuple[Samples, Samples]:
    return line[0] - header, line[1]


def _union(starts: Samples, stops: Samples) -> tuple[Samples, Samples]:
    """Intervals without overlap, in order."""
    order = np.argsort(starts, kind="stable")
    starts, stops = starts[order], np.maximum.accumulate(stops[order])
    first = np.append(True, starts[1:] > stops[:-1])[: len(starts)]
    return starts[first], stops[np.append(first[1:], True)[: len(stops)]]


def _without(
    starts: Samples, stops: Samples, low: Samples, high: Samples, *, tolerance: int
) -> tuple[Samples, Samples]:
    """The intervals that are not one of others, to a tolerance at either end."""
    if not len(low):
        return starts, stops
    order = np.argsort(low)
    place = np.clip(np.searchsorted(low[order], starts + tolerance, side="right") - 1, 0, None)
    same = np.abs(low[order][place] - starts) <= tolerance
    same &= np.abs(high[order][place] - stops) <= tolerance
    return starts[~same], stops[~same]
