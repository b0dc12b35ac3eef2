"""Evaluations made up for the report's tests: their numbers are of the right form, and no more."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
from madeevents import events_of_rows

from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.audit.results import Audit, Comparison, Matching, Stage
from gpiorig.analysis.clocks.clock_fit import ClockFit, Segment
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.delays import numbers
from gpiorig.analysis.delays.budget import Budget, Group
from gpiorig.analysis.delays.components import Component
from gpiorig.analysis.delays.jitter import Jitter
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.evaluation.evaluation import Evaluation, RouteEvaluation
from gpiorig.analysis.packets.path import Kind, Milestone, Source
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy
from gpiorig.analysis.statistics import summary as statistics
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import summarize

RATE = Fraction(24_000_000)
NAN = float("nan")


def events(nodes=("a", "b"), *, gaps=(), end=24_000_000):
    """A recording without an event, with gaps."""
    return events_of_rows((), nodes, end=end, gaps=gaps)


def one_way(nodes=("a", "b"), *, packets=200, seed=1, equal=False, lost=3):
    """A route of packets that go one way through these nodes; `equal` makes all delays alike."""
    rng = np.random.default_rng(seed)
    steps, columns = [], []
    for sender, receiver in itertools.pairwise(nodes):
        for name, kind, node, least, spread in (
            ("app to mac", Kind.SOFTWARE, sender, 5_000, 3),
            ("radio wait: exec done to first bit on air", Kind.RADIO_WAIT, sender, 4_000, 0),
            ("air: first bit to radio interrupt", Kind.AIR, f"{sender} > {receiver}", 40_000, 2),
            ("interrupt: line to ISR", Kind.INTERRUPT, receiver, 20, 9),
        ):
            ends = (Milestone(f"{sender}.{name}.{end}", "app.tx.enter", 0, False, Source.ID) for end in ("a", "b"))
            steps.append(Step(f"{sender} to {receiver}", name, *ends, kind, tuple(node.split(" > "))))
            noise = rng.integers(0, spread + 1, packets)
            wait = 7680 * rng.integers(0, 8, packets) if kind is Kind.RADIO_WAIT else 0
            columns.append(least + (0 * noise if equal else noise + wait))
    samples = np.stack(columns, axis=1).astype(np.int64).reshape(packets, len(steps))
    return Route(
        name=" > ".join(nodes),
        steps=Steps(tuple(steps), np.arange(packets), samples, RATE),
        ids=np.arange(packets, dtype=np.int32),
        starts=np.arange(packets, dtype=np.int64) * 480_000 + 1000,
        lost=lost,
        partial=1,
    )


def about(route, *, findings=True, layers=True, occupancy=True):
    """A possible evaluation of a route."""
    steps, totals = route.steps.steps, route.totals
    good = statistics.resolved(totals)
    budget = _budget(route, good=good)
    rng = np.random.default_rng(2)
    return RouteEvaluation(
        route=route,
        numbers=numbers.numbers(route, budget),
        jitter=_jitter(totals, good=good),
        budget=budget,
        uncertainties=tuple(_uncertainty(name) for name in [*(step.name for step in steps), route.name]),
        attributions=(
            *(_attribution(step, findings=findings and good) for step in steps),
            _total_attribution(findings=findings and good),
        ),
        costs=None,
        layers=_layers(len(route), rng) if layers else None,
        occupancy=_occupancy(route, rng, known=occupancy),
    )


def evaluation(*routes, audited=True, delays=None, **options):
    """An evaluation of those routes that have a packet."""
    evaluated = tuple(about(route, **options) for route in routes if len(route))
    return Evaluation(evaluated, audit() if audited else None, delays or {})


def audit():
    """An audit with something of everything, of a clock that was reset once."""
    rng = np.random.default_rng(3)
    noise = rng.integers(-40, 200, 300)
    summary = summarize(noise, samplerate_hz=RATE)
    taus = 2.0 ** np.arange(6)
    segments = tuple(
        Segment(
            start_ns=start * 1e9,
            end_ns=(start + 9) * 1e9,
            centre_ns=int((start + 4.5) * 1e9),
            origin_clock_ns=0,
            n=400,
            outliers=2,
            offset_ns=_interval(10.0, 2),
            ppm=_interval(12.34, 0.02),
            drift_ppm_per_s=_interval(0.001, 0.01),
            covariance=np.eye(2),
            residual_std_ns=280.0,
        )
        for start in (0, 10)
    )
    return Audit(
        fits=(
            ClockFit("node a", "analyzer la", "least squares without outliers", segments, 1, 1, 1000.0),
            ClockFit("host", "analyzer la", "minimum delay", (), 0, 0, 1.0, "too few timestamps for a line"),
        ),
        comparisons=tuple(
            Comparison(
                "round trip",
                clock,
                300,
                4,
                summary,
                summary,
                summary,
                _interval(500, 40),
                _interval(9000, 700),
                noise * 1e3 / 24,
            )
            for clock in ("node", "host")
        ),
        stages=(Stage("print call to start bit", "a", summary), Stage("adapter", "a", summary)),
        stability=(
            Stability("node a", taus, 1e-9 / taus, 100 / taus, 300 * np.sqrt(taus)),
            Stability("la (hat)", taus, 1e-9 / taus, *np.full((2, 6), NAN), note="variance negative at 6 of 6 (TDEV)"),
        ),
        notes=("Node b has no log.",),
        matchings=(Matching("a", "packet lines", 300, {"no event on the pins": 4}),),
        flags=("a: its clock restarted.",),
    )


def _interval(value, half, note=""):
    return Interval(float(value), float(value - half), float(value + half), "block bootstrap, blocks of 12", note=note)


def _share(share):
    return Interval(share, NAN, NAN, "", note="all equal") if np.isnan(share) else _interval(share, 0.02)


def _budget(route, *, good):
    steps, samples = route.steps.steps, route.steps.samples
    shares = [np.cov(column, route.totals)[0, 1] / route.totals.var(ddof=1) if good else NAN for column in samples.T]

    def groups(keys):
        members = {one: [i for i, other in enumerate(keys) if other == one] for one in keys}
        sums = [(one, columns, _share(sum(shares[i] for i in columns))) for one, columns in members.items()]
        times = [_share(samples[:, columns].mean(axis=0).sum() / route.totals.mean()) for _, columns, _ in sums]
        return tuple(
            Group(one, tuple(columns), time, share, share)
            for time, (one, columns, share) in zip(times, sums, strict=True)
        )

    return Budget(
        steps=steps,
        time=tuple(_share(share) for share in samples.mean(axis=0) / route.totals.mean()) if len(route) else (),
        variance=tuple(_share(share) for share in shares),
        tail=tuple(_share(share) for share in shares),
        tail_packets=max(1, len(route) // 100),
        packets=len(route),
        note="" if good else "all delays are equal within the resolution",
        by_kind=groups([step.kind for step in steps]),
        by_node=groups([step.node for step in steps]),
    )


def _jitter(totals, *, good):
    p2p = float(np.ptp(totals)) * 1e9 / float(RATE)
    note = "" if good else "all values are equal"
    spread = _interval(p2p, 1000, note) if good else Interval(p2p, NAN, NAN, "", note=note)
    return (
        Jitter("peak-to-peak", "ITU-T G.810", spread),
        Jitter("IPDV, median of magnitudes", "RFC 3393, 2.7", _interval(p2p / 3, 900, note)),
    )


def _uncertainty(name):
    return DelayUncertainty(
        name=name,
        components=(
            Component("sample quantisation", 17.0, "B", "uniform over one sample at each end"),
            Component("skew between channels", 5.0, "B", "data sheet of the analyzer"),
        ),
        probe_events=2,
        probe_cost_ns=7000.0,
        probe_components=(Component("spread of the calibration burst", 28.0, "A", "31 events"),),
    )


def _attribution(step, *, findings):
    if not findings or step.kind is not Kind.RADIO_WAIT:
        return Attribution(step.name, (), 6, 0.05, f"{step.name}: nothing was found")
    lattice = Finding("lattice", "a lattice of 320 µs", 1e-12, 0.999, {"period_ns": _interval(320_000, 3), "levels": 8})
    beat = Finding("beat", "a beat with 1 kHz", 1e-3, 0.1, {"period_ns": 1e6})
    sentence = (
        f"{step.name} lies on a lattice of 320.000 ± 0.003 µs with 8 levels, which explains 99.9 % of its variance."
    )
    return Attribution(step.name, (lattice, beat), 6, 0.05, sentence)


def _total_attribution(*, findings):
    change = Finding("change", "a change", 1e-3, 0.05, {"changes": 1, "at_1_s": 1.5})
    return Attribution("total", (change,) if findings else (), 7, 0.05, "the total delay changes once")


def _layers(n, rng):
    layers = (("a", "app", "tx"), ("a", "mac", "tx"), ("b", "mac", "rx"))
    own = rng.integers(100, 200, (n, 3))
    return LayerTimes(layers, own, own + rng.integers(0, 9000, (n, 3)))


def _occupancy(route, rng, *, known):
    n, s = route.steps.samples.shape
    known = (np.arange(s) % 2 == 0) & known
    preempted = np.where(known, rng.integers(0, 300, (n, s)), 0)
    return Occupancy(
        occupants=tuple(f"{route.steps.steps[0].node}: {name}" for name in ("isr.uart", "task 9", "sleep")),
        mean_samples=np.stack([preempted.mean(axis=0), preempted.mean(axis=0) / 3, np.full(s, 100.0)], axis=1),
        preempted_samples=preempted,
        known=known,
    )
