"""The decoder gpio_timeline's association of events to packets, fed without sigrok, against that of the analysis."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from commandline import ROOT

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.path import MILESTONES
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.packets.unattributed import REASONS

TAP = "tap.frame_timestamp"
NEVER = 1 << 62  # samples: no packet is lost before the end


def decoder_modules() -> tuple[Any, Any]:
    """The modules `packets` and `completions` of the decoder; sigrok's own module is not there, and not needed."""
    stand_in = types.ModuleType("sigrokdecode")
    stand_in.Decoder = object  # type: ignore[attr-defined]
    known = sys.modules.get("sigrokdecode")
    sys.path.insert(0, str(ROOT / "decoders"))
    sys.modules["sigrokdecode"] = stand_in
    try:
        from gpio_timeline import completions, packets
    finally:
        sys.path.remove(str(ROOT / "decoders"))
        del sys.modules["sigrokdecode"]
        if known is not None:
            sys.modules["sigrokdecode"] = known
    return packets, completions


@dataclass
class Heard:
    """The output of the decoder: of each packet its status, round trip, steps, and what could not be attributed."""

    status: dict[int, int] = field(default_factory=dict)
    rtt: dict[int, int] = field(default_factory=dict)
    steps: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    reasons: list[tuple[int, str]] = field(default_factory=list)

    def timeline(self, packet: Any) -> None:
        """What became of a packet."""
        self._forget(packet.packet.number, packet.status)
        if packet.status in (timelines.COMPLETE, timelines.PARTIAL):
            self.rtt[packet.packet.number] = packet.rtt
        if packet.status == timelines.COMPLETE:
            self.steps[packet.packet.number] = [(name, last - first) for first, last, name, *_ in packet.steps()]

    def withdrawn(self, packet: Any, event: Any, name: str) -> None:
        """A packet is out of order after all."""
        self._forget(packet.number, timelines.ORDER)

    def unattributed(self, event: Any, reason: str) -> None:
        """An event of no packet."""
        self.reasons.append((event.position, reason))

    def _forget(self, number: int, status: int) -> None:
        self.status[number] = status
        self.rtt.pop(number, None)
        self.steps.pop(number, None)


def assert_followed(result: Analysis) -> None:
    """Assert that the decoder comes to the same result as the analysis."""
    assert result.timelines is not None and result.hops is not None
    assert_equal(result.events, result.hops, result.timelines)


def assert_close(lines: Timelines, heard: Heard) -> None:
    """Assert the same round-trip times, and the same packets lost.

    Where events are missing or come twice, the analysis distinguishes more: it knows which frame brought which event.
    """
    assert len(lines) == len(heard.status)
    pairs = [(rtt, heard.rtt[row]) for row, rtt in enumerate(lines.rtt.tolist()) if rtt >= 0 and row in heard.rtt]
    assert all(one == other for one, other in pairs)
    unanswered = (timelines.LOST, timelines.CUT)  # the decoder does not know where the recording ends
    lost = [row for row, status in enumerate(lines.status.tolist()) if status in unanswered]
    assert lost == [row for row, status in sorted(heard.status.items()) if status == timelines.LOST]


def assert_equal(events: Events, hops: Hops, lines: Timelines, *, damaged: bool = False) -> None:
    """Assert the same statuses, round trips, steps and unattributed events; less of damaged events."""
    packets, completions = decoder_modules()
    assert (packets.COMPLETE, packets.PARTIAL, packets.LOST, packets.ORDER) == tuple(list(timelines.STATUS)[:4])
    names = [milestone.name for milestone in MILESTONES]
    absent = frozenset(names.index(name) for name in lines.absent)
    longest = int(Fraction(completions.LONGEST_FRAME_NS, 10**9) * events.samplerate_hz)
    heard = Heard()
    decoder = packets.Packets(heard, list(lines.header_samples), longest, NEVER, absent)
    nodes = [events.node(lines.initiator), events.node(lines.responder)]
    for role, node in enumerate(nodes):  # The analysis knows the entire recording before.
        here = set(events.codes[events.nodes == node].tolist())
        decoder.completions[role].has = here & set(completions.LINKS)
    positions = np.flatnonzero(np.isin(events.nodes, nodes))
    columns = (events.samples, events.nodes, events.codes, events.ids)
    for sample, node, code, id_ in zip(*(column[positions].tolist() for column in columns), strict=True):
        decoder.feed(sample, nodes.index(node), code, None if id_ < 0 else id_)
    decoder.finish()

    if damaged:
        assert_close(lines, heard)
        return
    assert dict(enumerate(lines.status.tolist())) == heard.status
    assert {row: rtt for row, rtt in enumerate(lines.rtt.tolist()) if rtt >= 0} == heard.rtt
    steps = timelines.steps(lines)
    step_names = [step.name for step in steps.steps]
    assert heard.steps == {
        row: list(zip(step_names, durations, strict=True))
        for row, durations in zip(lines.complete.tolist(), steps.samples.tolist(), strict=True)
    }
    left = hops.unattributed
    listed = zip(left.positions.tolist(), left.reasons.tolist(), strict=True)
    reasons = {(at, REASONS[key]) for at, key in listed if events.nodes[at] in nodes}
    further = {(int(positions[at]), reason) for at, reason in heard.reasons} - reasons
    assert len(heard.reasons) == len(reasons) + len(further)
    # A frame that was received and not read is of the packet sent then; the decoder looks at one node at a time.
    assert {TAP} >= {BY_CODE[int(events.codes[at])].name.rpartition(".")[0] for at, _ in further}


def thinned(events: Events, rng: np.random.Generator) -> Events:
    """An interval of the events; some are lost, some come again a while later, with their id, another, or none."""
    first = int(rng.integers(0, max(1, len(events) - 1000)))
    rows = np.arange(first, min(len(events), first + int(rng.choice([30, 300, 2000]))))
    rows = rows[rng.random(len(rows)) >= rng.choice([0, 0.001, 0.01, 0.1])]
    again = rows[rng.random(len(rows)) < rng.choice([0, 0.002, 0.02])]
    ids = events.ids[again].copy()
    other = rng.random(len(again))
    ids[other < 0.3] = -1
    ids[other > 0.8] += 1
    samples = np.concatenate([events.samples[rows], events.samples[again] + rng.integers(1, 200_000, len(again))])
    all_ids = np.concatenate([events.ids[rows], ids])
    order = np.argsort(samples, kind="stable")
    rows = np.concatenate([rows, again])[order]
    return Events(
        samples=samples[order],
        nodes=events.nodes[rows],
        codes=events.codes[rows],
        ids=all_ids[order],
        node_names=events.node_names,
        samplerate_hz=events.samplerate_hz,
        damaged=events.damaged,
        frames_seen=events.frames_seen,
        gaps=np.zeros((0, 2), np.int64),
        start=events.start,
        end=int(samples.max(initial=events.start)) + 1,
    )
