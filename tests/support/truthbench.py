"""Recordings of the virtual bench and their truth: errors of the steps of every packet, and the stated uncertainty."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
from images import build
from numpy.typing import NDArray
from tripcases import analysed

from gpiorig.analysis.delays import uncertainty
from gpiorig.analysis.delays.instruments import Analyzer, Instruments
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.events import events
from gpiorig.analysis.packets.routes import Route
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches, boards
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.recordings import opened
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.vbench.boards import truth

SYNC = BEAGLELOGIC_CHANNELS[-1]

# What the analysis assumes of a BeagleLogic; each analyzer here is drawn from it, evenly and once.
CLOCK_PPB, SKEW_PS, APERTURE_PS = 50_000, 5_000, 2_000
PHASE_PS = 10**8


def bench_text(nodes: Mapping[str, str], rates_hz: Mapping[str, int], *, seed: int, true_edges: Path) -> str:
    """A virtual bench of nodes, name to board, whose lines are spread over analyzers in turn, name to samplerate."""
    drawn = random.Random(seed)
    several = len(rates_hz) > 1
    text = ['name = "truth"']
    for name, rate_hz in rates_hz.items():
        text += [f"[analyzers.{name}]", f"samplerate_hz = {rate_hz}", *([f'sync = "{SYNC}"'] if several else [])]
    channels = {name: iter(BEAGLELOGIC_CHANNELS) for name in rates_hz}
    for number, (name, board) in enumerate(nodes.items()):
        analyzer = list(rates_hz)[number % len(rates_hz)]
        text += [f"[nodes.{name}]", f'board = "{board}"', *_longer_hold(board, rates_hz[analyzer])]
        text += [f"[nodes.{name}.lines]"]
        end = "tap.irq" if "tap.irq" in boards.load(board).pins else "tap.tx_active"
        for line in ("strobe", *boards.load(board).data_lines, end, "tap.frame_timestamp"):
            text.append(f'"{line}" = "{analyzer}:{next(channels[analyzer])}"')
    text += ["[virtual]", f"seed = {seed}", f'truth = "{true_edges}"', "[virtual.sync]", "clock_ppb = 4_000"]
    for name in rates_hz:
        text += _drawn_analyzer(name, drawn)
    for name in nodes:
        text += [f"[virtual.nodes.{name}]", f"clock_ppb = {drawn.randint(-20_000, 20_000)}"]
    for sender, receiver in permutations(nodes, 2):
        text += ["[[virtual.links]]", f'from = "{sender}"', f'to = "{receiver}"', "delay_ps = 10_000"]
    return "\n".join(text) + "\n"


def _longer_hold(board: str, rate_hz: int) -> list[str]:
    """An image whose symbols last three samples, where those of the board's do not."""
    hold_ns = -(-3 * 10**9 // rate_hz)
    if boards.load(board).symbol_ns >= hold_ns:
        return []
    image = build(board, f"DEFINES=-DGPIORIG_HOLD_NS={hold_ns}")
    return [f'firmware = "{image}"', f"symbol_ns = {hold_ns}"]


def _drawn_analyzer(name: str, drawn: random.Random) -> list[str]:
    """Clock, phase, thresholds and aperture."""
    clock = f"clock_ppb = {drawn.randint(-CLOCK_PPB, CLOCK_PPB)}"
    text = [f"[virtual.analyzers.{name}]", clock, f"phase_ps = {drawn.randint(0, PHASE_PS)}"]
    text += [f"window_ps = {APERTURE_PS}", f"[virtual.analyzers.{name}.thresholds]"]
    for channel in BEAGLELOGIC_CHANNELS:
        rise, fall = (drawn.randint(0, SKEW_PS) for _ in range(2))
        text.append(f"{channel} = {{ rise_ps = {rise}, fall_ps = {fall} }}")
    return text


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Errors and stated uncertainties (k = 2) of the steps of every packet, the total last: float64[k, s + 1], ns."""

    stated: tuple[DelayUncertainty, ...]
    errors_ns: NDArray[np.float64]
    expanded_ns: NDArray[np.float64]

    @property
    def within(self) -> NDArray[np.float64]:
        """float64[s + 1], share of the packets whose error is within what was stated."""
        share: NDArray[np.float64] = np.mean(np.abs(self.errors_ns) <= self.expanded_ns, axis=0)
        return share

    @property
    def used(self) -> NDArray[np.float64]:
        """float64[s + 1], largest error as a share of what was stated: small where the statement is too wide."""
        share: NDArray[np.float64] = np.max(np.abs(self.errors_ns) / self.expanded_ns, axis=0)
        return share

    def says(self) -> str:
        """The numbers in a line."""
        used = np.mean(np.abs(self.errors_ns) / self.expanded_ns)
        return (
            f"{len(self.errors_ns)} packets, {self.errors_ns.shape[1]} delays: {self.within.mean():.4f} within, worst "
            f"step {self.within.min():.3f}, mean |error| / U {used:.3f}"
        )


def true_route(true_edges: Path, recording: Recording) -> Route:
    """The round trips as they were, in ps."""
    bench = benches.loads(recording.info.bench)
    return route_of(truth.read(true_edges, bench), bench, recording.info.parameters)


def route_of(edges: Edges, bench: Bench, parameters: Mapping[str, object]) -> Route:
    """The round trips of edges: the same stages as for any recording, whatever the samplerate."""
    roles = {role: str(parameters[role]) for role in ("initiator", "responder")}
    stage = events.from_edges(edges, opened.wiring(bench))
    header_ns = opened.headers_ns(bench, parameters)
    return analysed(stage, header_ns=header_ns, ends=(roles["initiator"], roles["responder"])).routes[0]


def coverage(recording: Recording, true: Route) -> Coverage:
    """Compare a recording with its truth, packet by packet."""
    bench = benches.loads(recording.info.bench)
    seen = route_of(recording.edges(), bench, recording.info.parameters)
    assert [step.name for step in true.steps.steps] == [step.name for step in seen.steps.steps]
    ids, here, there = np.intersect1d(seen.ids, true.ids, return_indices=True)
    assert len(ids) == len(seen)
    known = open_recording(recording).instruments
    # The truth takes the same constant off the frame time stamp, so that its uncertainty must not hide anything.
    exact = {name: dataclasses.replace(node, mark_uncertainty_ns=0.0) for name, node in known.nodes.items()}
    return _compared(seen, durations_ns(true)[there], here, dataclasses.replace(known, nodes=exact))


def sampled(true: Route, rate_hz: int, *, phase: float) -> Coverage:
    """The round trips as an ideal analyzer of any samplerate would show them: each instant by the next sample."""
    period_ps = 10**12 / rate_hz
    at = np.column_stack([true.starts, true.starts[:, None] + np.cumsum(true.steps.samples, axis=1)])
    samples = np.ceil(at / period_ps - phase).astype(np.int64)
    steps = dataclasses.replace(true.steps, samples=np.diff(samples, axis=1), samplerate_hz=Fraction(rate_hz))
    seen = dataclasses.replace(true, steps=steps, starts=samples[:, 0])
    ideal = Analyzer(period_ns=1e9 / rate_hz, clock_ppm=0.0, skew_ns=0.0, aperture_ns=0.0)
    return _compared(seen, durations_ns(true), np.arange(len(true)), Instruments(ideal))


def durations_ns(route: Route) -> NDArray[np.float64]:
    """float64[k, s + 1], of every step, the total last."""
    samples = np.column_stack([route.steps.samples, route.totals])
    return samples * float(10**9 / route.steps.samplerate_hz)


def _compared(seen: Route, true_ns: NDArray[np.float64], rows: NDArray[np.int64], known: Instruments) -> Coverage:
    measured_ns = durations_ns(seen)[rows]
    stated = uncertainty.for_steps(seen.steps, known, total=seen.name)
    columns = [value.expanded_of(measured_ns[:, i]) for i, value in enumerate(stated)]
    return Coverage(stated, measured_ns - true_ns, np.column_stack(columns))
