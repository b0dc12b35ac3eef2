"""What the edges of a verification state: the proofs of all boards, the verdicts on lines and bursts."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

import numpy as np

from gpiorig.analysis.events import events
from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.recordings.opened import wiring
from gpiorig.rig.verify import calibration, noise, other_lines, proof
from gpiorig.rig.verify import wiring as wires
from gpiorig.rig.verify.calibration import Calibration
from gpiorig.rig.verify.proof import Proof, Samples

Window = tuple[int, int]  # first sample, and one past the last


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts, and the numbers of each board's burst."""

    findings: list[Finding]
    calibrations: dict[str, Calibration]


def judge(
    bench: Bench, edges: Edges, asked: Mapping[str, Window], silent: Set[str], *, noisy: Set[str] = frozenset()
) -> Judgement:
    """Judge the lines of a bench.

    Parameters
    ----------
    bench
        The bench.
    edges
        What its analyzers saw.
    asked
        When each node was asked for its proof, in that order.
    silent
        Nodes that do not answer on their port.
    noisy
        Analyzers that make edges themselves, which are looked at before leads and grounds.
    """
    lines = changes(edges)
    rate_hz = float(edges.samplerate_hz)
    buses = {name: [f"{name}.{line}" for line in wires.bus(bench, name)] for name in bench.nodes}
    floating: dict[str, int] = {}
    for channels in buses.values():
        floating |= proof.noisy({channel: lines[channel] for channel in channels}, samplerate_hz=rate_hz)
    used = [channel for channels in buses.values() for channel in channels]
    gaps = {name: bench.nodes[name].gap_ns * rate_hz / 1e9 for name in asked}
    quiet = [lines[channel] for channel in used if channel not in floating]
    windows, proofs = {}, {}
    spans = _moved(asked, quiet, gap=max(gaps.values(), default=0.0))
    for name, (start, end) in spans.items():
        windows[name] = {channel: _within(lines[channel], start, end) for channel in used}
        driven = {channel: samples for channel, samples in windows[name].items() if channel not in floating}
        proofs[name] = proof.find(driven, frame_gap=gaps[name], high=high(edges, start))
    answered = frozenset(name for name in asked if name not in silent or proofs[name])
    seen = wires.Seen(windows, high(edges, edges.start), floating, proofs, answered)
    findings = [finding for name in asked for finding in wires.findings(bench, name, seen)]
    answered_in = asked if spans == dict(asked) else {}  # bursts that were moved do not show when a board answered
    periods = sorted(asked.values())
    resting = {
        channel: noise.rest_edges_s(samples, periods, end=edges.end, rate_hz=rate_hz)
        for channel, samples in lines.items()
    }
    for name in asked:
        findings += other_lines.findings(bench, name, lines, answered_in, silent, resting)
    calibrations = _calibrations(bench, edges, windows, proofs)
    for name, numbers in calibrations.items():
        width = len(buses[name]) - 1
        findings += calibration.findings(name, numbers, width=width, rate_hz=_rate_hz(bench, name))
    return Judgement([_blamed(bench, finding, noisy) for finding in findings], calibrations)


def _blamed(bench: Bench, finding: Finding, noisy: Set[str]) -> Finding:
    """A finding on lines of a noisy analyzer, which is named as what may be wrong with them."""
    _, node, *_ = finding.about.split(".")
    analyzers = {bench.place(channel)[0] for channel in bench.nodes[node].lines.values()} & noisy
    if finding.verdict != "wrong" or not analyzers:
        return finding
    return replace(finding, what=f"{finding.what}; first look at analyzers.{', '.join(sorted(analyzers))}: it is noisy")


def _calibrations(
    bench: Bench, edges: Edges, windows: Mapping[str, Mapping[str, Samples]], proofs: Mapping[str, Proof | None]
) -> dict[str, Calibration]:
    """The numbers of each board whose strobe is where the bench file has it."""
    stage = events.from_edges(edges, wiring(bench))
    return {
        name: calibration.measure(name, shown, windows[name], stage, own_rate_hz=_rate_hz(bench, name))
        for name, shown in proofs.items()
        if shown is not None and f"{name}.strobe" in shown.strobes
    }


def _rate_hz(bench: Bench, name: str) -> int:
    """Samples per second of the analyzer that a node's strobe is on; others are merged at the rate of the fastest."""
    return bench.analyzers[bench.place(bench.nodes[name].lines["strobe"])[0]].samplerate_hz


def _moved(asked: Mapping[str, Window], quiet: list[Samples], *, gap: float) -> dict[str, Window]:
    """The windows, or where samples came later than the answers the bursts in their order, if all are there."""
    every = np.unique(np.concatenate([np.empty(0, np.int64), *quiet]))
    first = min((start for start, _ in asked.values()), default=0)
    bursts = [run for run in proof.runs(every, gap * proof.RUN_GAPS) if run[0] >= first]
    hit = [any(start <= burst[0] < end for burst in bursts) for start, end in asked.values()]
    if all(hit) or len(bursts) != len(asked):
        return dict(asked)
    return dict(zip(asked, bursts, strict=True))


def _within(samples: Samples, start: int, end: int) -> Samples:
    return samples[(samples >= start) & (samples < end)]


def high(edges: Edges, sample: int) -> frozenset[str]:
    """The channels that are high at a sample."""
    place = int(np.searchsorted(edges.samples, sample, side="right")) - 1
    levels = int(edges.levels[max(place, 0)]) if len(edges.levels) else 0
    return frozenset(channel for bit, channel in enumerate(edges.channels) if levels >> bit & 1)


def changes(edges: Edges) -> dict[str, Samples]:
    """The edges of each channel."""
    differ = edges.levels[1:] ^ edges.levels[:-1]
    return {
        channel: edges.samples[1:][differ >> np.uint64(bit) & np.uint64(1) == 1]
        for bit, channel in enumerate(edges.channels)
        if channel
    }
