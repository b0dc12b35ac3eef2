"""Does every ping-pong of a recording show every event that it should? What no static check sees, this does."""

from __future__ import annotations

import dataclasses
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.number_text import count_text as events_text
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.timelines import LOST, UNKNOWN
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.node_settings import FIRMWARES
from gpiorig.rig.plain_json import Result
from gpiorig.rig.probes.hook_files import Count, Counts, HookFile, Role, SelfTest, count_text, fits
from gpiorig.rig.recordings.opened import Opened, open_recording
from gpiorig.rig.results.analyse import analyse

_LAST_BUS_CODE = 127
# The firmwares whose `defaults`, which an experiment begins with, turn groups off (firmware-gpio-probes/settings.toml).
SWITCHED = {"reference", "riot"}


class EventNumbers(Result, frozen=True, kw_only=True):
    """How often an event of a node is in a ping-pong: expected, at least and at most; `wrong` ping-pongs."""

    node: str
    role: str
    event: str
    expected: str
    least: int
    most: int
    wrong: int
    asked: bool
    good: bool


class SelfTestNumbers(Result, frozen=True, kw_only=True):
    """The events of the ping-pongs of a recording, with its state."""

    packets: int
    tested: int
    good: bool
    events: tuple[EventNumbers, ...]
    state: str | None = None
    remarks: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """How often a node emitted one event.

    Parameters
    ----------
    node, role, event
        Which.
    expected
        In each ping-pong.
    least, most
        In the ping-pongs that were looked at; 0 if there are none.
    wrong
        Ping-pongs in which it was not as often as expected.
    total
        In the complete recording.
    asked
        Whether it is expected of this image: not that of a group which is off, and never shows.
    """

    node: str
    role: Role
    event: str
    expected: Count
    least: int
    most: int
    wrong: int
    total: int
    asked: bool

    def failure(self, tested: int) -> str:
        """What is wrong, in a sentence; empty if nothing is."""
        if not self.asked or (not self.wrong and (tested or self.total or fits(self.expected, 0))):
            return ""
        place = f"node {self.node} ({self.role})"
        remedy = (
            "Was its probe compiled out or masked, or did a hook get lost? Run `gpiorig firmware check` on its image."
        )
        if not self.total:
            return f"{place} never emitted {self.event}, expected {count_text(self.expected)} a ping-pong. {remedy}"
        times = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        return (
            f"{place} emitted {self.event} {times} times a ping-pong, expected {count_text(self.expected)}: wrong in "
            f"{self.wrong} of {tested}. {remedy if not self.most else 'Look at one of them with `gpiorig export`.'}"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class SelfTestResult:
    """What a recording shows.

    Parameters
    ----------
    packets, tested
        Ping-pongs in it, and those without a loss, a repetition or another packet, which were looked at.
    seen
        Every expected event.
    """

    packets: int
    tested: int
    seen: tuple[Seen, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """What is wrong, a sentence each."""
        failures = tuple(text for seen in self.seen if (text := seen.failure(self.tested)))
        if not self.tested and not failures:
            return (
                "no ping-pong without a loss, a repetition or another packet is in it. Record one on a quiet channel.",
            )
        return failures

    def summary(self) -> str:
        """The result in a few lines."""
        asked = [seen for seen in self.seen if seen.asked]
        good = sum(not seen.failure(self.tested) for seen in asked)
        nodes = " and ".join(dict.fromkeys(f"{seen.node} ({seen.role})" for seen in self.seen))
        lines = [
            f"{self.tested} of {self.packets} ping-pongs looked at: not the last, none that lost or repeated a frame "
            "or had another packet in it",
            f"{good} of {len(asked)} expected events are as they should be at {nodes}",
        ]
        if groups := sorted({_group(seen.event) for seen in self.seen if not seen.asked}):
            count = len(self.seen) - len(asked)
            settings = ", ".join(f"events_{group}" for group in groups)
            lines.append(f"{events_text(count, 'more event')} of groups that are off ({settings})")
        return "\n".join(lines)

    def numbers(self) -> SelfTestNumbers:
        """For ``--json``."""
        events = tuple(
            EventNumbers.of(seen, expected=count_text(seen.expected), good=not seen.failure(self.tested))
            for seen in self.seen
        )
        return SelfTestNumbers.of(self, good=not self.failures, events=events)


def test(recording: Recording, expected: SelfTest) -> SelfTestResult:
    """Count the events of every ping-pong that the nodes' own logs call good."""
    opened = open_recording(recording)
    if opened.ends is None:
        raise BenchError(
            f"{recording.folder}: no initiator and responder with a symbol bus each, whose ping-pongs are tested; give "
            "--initiator and --responder, or record them with `gpiorig run`."
        )
    analysis = analyse(opened)
    starts, clean = _ping_pongs(analysis)
    seen: list[Seen] = []
    for role, node in zip(get_args(Role), opened.ends, strict=True):
        counts = expected.expected(role, radio=opened.boards[node].radio.name)
        off = _groups_off(opened, analysis, node, {_group(name) for name in counts})
        seen += _count(analysis.events, role, node, counts, starts=starts, clean=clean, off=off)
    return SelfTestResult(len(starts), int(np.count_nonzero(clean)), tuple(seen))


def _ping_pongs(analysis: Analysis) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each begins; and which are clean.

    A ping-pong ends where the next begins, so the last one has no end and is excluded.
    """
    trips = analysis.round_trips
    if trips is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    lines, log = trips.timelines, analysis.logs[trips.timelines.initiator]
    good = ~np.isin(lines.status, (LOST, *UNKNOWN))
    if len(log.sequences):  # what the application logs does not depend on the probes
        good = np.isin(lines.ids, log.sequences[~log.lost]) & ~np.isin(lines.status, UNKNOWN)
    repeated = ((trips.transmissions > 1) | (trips.receptions > 1) | (trips.no_ack + trips.busy > 0)).any(axis=1)
    starts = lines.samples[:, 0]
    clean = good & ~repeated & ~_shared(analysis, trips, starts)
    clean[-1:] = False
    return starts, clean


def _shared(analysis: Analysis, trips: RoundTrips, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ping-pongs share their time: with events of another packet, such as neighbor discovery or a late reply.

    Both share: the one that such an event falls into, and the one that lacks it.
    """
    packets = analysis.packet_of
    within = np.searchsorted(starts, analysis.events.samples, side="right") - 1
    strange = np.flatnonzero((packets >= 0) & (within >= 0))
    strange = strange[packets[strange] != trips.requests[within[strange]]]
    shared = np.isin(trips.requests, packets[strange])
    shared[within[strange]] = True
    return shared


def _group(event: str) -> str:
    """The group that an event is turned off with: the first part of its name (firmware-gpio-probes/events.toml)."""
    return event.partition(".")[0]


def _groups_off(opened: Opened, analysis: Analysis, node: str, groups: set[str]) -> set[str]:
    """The groups that the experiment left, or turned, off at a node; of a recording without one that is not known."""
    info, firmware = opened.recording.info, analysis.logs[node].identity.get("firmware", "")
    if not info.experiment:
        return set()
    defaults = {group: firmware not in SWITCHED for group in groups if f"events_{group}" in FIRMWARES}
    given = {group: info.parameters.get(f"events_{group}", on) for group, on in defaults.items()}
    return {group for group, on in given.items() if not info.parameters.get(f"{node}.events_{group}", on)}


def _count(
    events: Events,
    role: Role,
    node: str,
    expected: Counts,
    *,
    starts: NDArray[np.int64],
    clean: NDArray[np.bool_],
    off: set[str],
) -> list[Seen]:
    of_the_node = events.nodes == events.node(node)
    rows = []
    for name, count in expected.items():
        samples = events.samples[of_the_node & (events.codes == BY_NAME[name].code)]
        within = np.searchsorted(starts, samples, side="right") - 1
        within = within[within >= 0]  # a group is on until the settings come
        counts = np.bincount(within, minlength=len(starts))[clean]
        rows.append(
            Seen(
                node=node,
                role=role,
                event=name,
                expected=count,
                least=int(counts.min(initial=np.iinfo(np.int64).max)) if len(counts) else 0,
                most=int(counts.max(initial=0)),
                wrong=sum(not fits(count, int(n)) for n in counts),
                total=len(samples),
                asked=len(within) > 0 or _group(name) not in off,
            )
        )
    return rows


def c_tables(expected: HookFile, *, radio: str) -> str:
    """The events of one ping-pong as C, for `gpiorig_selftest_end` of the probe library."""
    lines = [
        f"/* Events of one ping-pong: {expected.os} {expected.version} {radio}".rstrip(),
        " * Generated by `gpiorig firmware table`; do not edit. */",
        "#include <stdint.h>",
        "",
        '#include "gpiorig/events.h"',
    ]
    for role in get_args(Role):
        counts = expected.selftest.expected(role, radio=radio)
        names = [name for name, count in counts.items() if not fits(count, 0) and BY_NAME[name].code <= _LAST_BUS_CODE]
        lines += ["", f"static const uint8_t gpiorig_expected_{role}[] = {{"]
        lines += [f"    GPIORIG_{name.upper().replace('.', '_')}," for name in names]
        lines.append("};")
    return "\n".join(lines) + "\n"
