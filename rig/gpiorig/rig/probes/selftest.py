"""Does every ping-pong of a recording show every event that it should? What no static check sees, this does."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets.hops import packets_of
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.timelines import GAP, LOST
from gpiorig.analysis.study.analysis import Analysis
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import BenchError
from gpiorig.rig.probes.hook_files import Count, Counts, HookFile, Role, SelfTest, count_text, fits
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

_LAST_BUS_CODE = 127


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
    """

    node: str
    role: Role
    event: str
    expected: Count
    least: int
    most: int
    wrong: int
    total: int

    def failure(self, tested: int) -> str:
        """What is wrong, in a sentence; empty if nothing is."""
        if not self.wrong and (tested or self.total or fits(self.expected, 0)):
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
        good = sum(not seen.failure(self.tested) for seen in self.seen)
        nodes = " and ".join(dict.fromkeys(f"{seen.node} ({seen.role})" for seen in self.seen))
        return (
            f"{self.tested} of {self.packets} ping-pongs looked at: not the last, none that lost or repeated a frame "
            "or had another packet in it\n"
            f"{good} of {len(self.seen)} expected events are as they should be at {nodes}"
        )

    def numbers(self) -> dict[str, Any]:
        """For ``--json``."""
        events = [
            {
                "node": seen.node,
                "role": seen.role,
                "event": seen.event,
                "expected": count_text(seen.expected),
                "least": seen.least,
                "most": seen.most,
                "wrong": seen.wrong,
                "good": not seen.failure(self.tested),
            }
            for seen in self.seen
        ]
        return {"packets": self.packets, "tested": self.tested, "good": not self.failures, "events": events}


def test(recording: Recording, expected: SelfTest) -> SelfTestResult:
    """Count the events of every ping-pong that the nodes' own logs call good."""
    opened = open_recording(recording)
    if opened.ends is None:
        raise BenchError(
            f"{recording.folder}: no initiator and responder, whose ping-pongs are tested; record them with "
            "`gpiorig run`, or with `gpiorig capture --bench` and both roles."
        )
    analysis = analyse(opened)
    starts, clean = _ping_pongs(analysis)
    seen: list[Seen] = []
    for role, node in zip(get_args(Role), opened.ends, strict=True):
        counts = expected.expected(role, radio=opened.boards[node].radio.name)
        seen += _count(analysis.events, role, node, counts, starts=starts, clean=clean)
    return SelfTestResult(len(starts), int(np.count_nonzero(clean)), tuple(seen))


def _ping_pongs(analysis: Analysis) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each begins; and which are clean.

    A ping-pong ends where the next begins, so the last one has no end and is excluded.
    """
    trips = analysis.round_trips
    if trips is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    lines, log = trips.timelines, analysis.logs[trips.timelines.initiator]
    good = ~np.isin(lines.status, (LOST, GAP))
    if len(log.sequences):  # what the application logs does not depend on the probes
        good = np.isin(lines.ids, log.sequences[~log.lost]) & (lines.status != GAP)
    repeated = ((trips.transmissions > 1) | (trips.receptions > 1) | (trips.no_ack + trips.busy > 0)).any(axis=1)
    starts = lines.samples[:, 0]
    clean = good & ~repeated & ~_shared(trips, starts)
    clean[-1:] = False
    return starts, clean


def _shared(trips: RoundTrips, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """During which ping-pongs another packet is sent, such as one of the stack's neighbor discovery."""
    hops = trips.hops
    packets = packets_of(hops.visits.of_transmission, hops.visits)
    others = hops.transmissions.begins[~np.isin(packets, np.concatenate([trips.requests, trips.replies]))]
    within = np.searchsorted(starts, others, side="right") - 1
    return np.bincount(within[within >= 0], minlength=len(starts)) > 0


def _count(
    events: Events, role: Role, node: str, expected: Counts, *, starts: NDArray[np.int64], clean: NDArray[np.bool_]
) -> list[Seen]:
    of_the_node = events.nodes == events.node(node)
    rows = []
    for name, count in expected.items():
        samples = events.samples[of_the_node & (events.codes == BY_NAME[name].code)]
        within = np.searchsorted(starts, samples, side="right") - 1
        counts = np.bincount(within[within >= 0], minlength=len(starts))[clean]
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
