"""Uncertainty of every delay: what it consists of, combined by the GUM (JCGM 100:2008), expanded with k = 2."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.delays import model_doubt
from gpiorig.analysis.delays.components import COVERAGE_FACTOR, Component, combined, constant_components, pin_components
from gpiorig.analysis.delays.instruments import Instruments, Pin, is_air, seen_at
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.packets.steps import Steps
from gpiorig.analysis.statistics import tally
from gpiorig.analysis.statistics.summary import Summary, of_ordered

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class DelayUncertainty:
    """How well one delay of one packet is known, as the pins show it and without its probes.

    Parameters
    ----------
    name
        Of the step, or ``round trip``.
    components
        Of the delay as the pins show it.
    probe_events
        Probe events that the node sent within it (median over the packets).
    probe_cost_ns
        What they cost by the calibration burst; to be subtracted for a firmware without probes. NaN without a burst.
    probe_components
        What the subtraction adds to the uncertainty.
    delay_ns
        The delay itself: median over the packets, NaN without any.
    shifts
        What the settings of virtual boards that are in doubt do to it; not part of ±, which is about the pins.
    """

    name: str
    components: tuple[Component, ...]
    probe_events: int
    probe_cost_ns: float
    probe_components: tuple[Component, ...]
    delay_ns: float = NAN
    shifts: tuple[model_doubt.Shift, ...] = ()

    @property
    def expanded_ns(self) -> float:
        """Expanded uncertainty (k = 2) of one delay as the pins show it."""
        return COVERAGE_FACTOR * combined(self.components)

    @property
    def corrected_ns(self) -> float:
        """The median delay without its probes."""
        return self.delay_ns - self.probe_cost_ns

    @property
    def corrected_expanded_ns(self) -> float:
        """Expanded uncertainty (k = 2) of one delay after the cost of its probes was taken off."""
        return COVERAGE_FACTOR * combined((*self.components, *self.probe_components))

    @property
    def model(self) -> model_doubt.Range:
        """By how much hardware may be faster and slower than the model of a virtual bench; 0 where none is in doubt."""
        return model_doubt.combined(self.shifts)

    def expanded_of(self, delays_ns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expanded uncertainty (k = 2) of each of these delays (ns, any shape); the clock's part grows with them."""
        fixed = combined(tuple(component for component in self.components if not component.relative))
        standard = np.full(np.shape(delays_ns), fixed)
        for component in self.components:
            standard += component.relative * np.abs(delays_ns + component.beyond_ns)
        return COVERAGE_FACTOR * standard


def for_delay(name: str, delay_ns: float, *, start: Pin, end: Pin, instruments: Instruments) -> DelayUncertainty:
    """Uncertainty of a delay between edges on two pins, without any probes.

    Parameters
    ----------
    name, delay_ns
        Which delay, and its size (the median).
    start, end
        Where its ends are seen; pins with equal channel and edge cancel each other's skew.
    instruments
        What the recording was made with.
    """
    return DelayUncertainty(name, pin_components(delay_ns, start, end, instruments), 0, NAN, (), delay_ns)


def for_steps(
    steps: Steps,
    instruments: Instruments,
    *,
    total: str,
    costs: ProbeCosts | None = None,
    summaries: Sequence[Summary] | None = None,
) -> tuple[DelayUncertainty, ...]:
    """Uncertainty of every step of a route, and last that of the total delay.

    The total has two ends like any step: what its steps share, such as the sampling of the edge between two of them,
    does not add up in it.

    Parameters
    ----------
    steps
        Of the packets of one route.
    instruments
        What the recording was made with.
    total
        Name of the total delay, ``round trip`` or the route's.
    costs
        Of the probes in each step, and last in the total; None without a calibration burst.
    summaries
        Of each step, and last of the total delay, if they are there already.
    """
    if not steps.steps:  # a route on which nothing arrived
        return (DelayUncertainty(total, (), 0, NAN, ()),)
    nodes = seen_at(steps.steps)
    spans = [(step.name, step.start, step.end, *at) for step, at in zip(steps.steps, nodes, strict=True)]
    spans.append((total, steps.steps[0].start, steps.steps[-1].end, nodes[0][0], nodes[-1][1]))
    uncertainties = []
    if summaries is None:
        delays = itertools.chain(tally.of_columns(steps.samples), [tally.ordered(steps.samples.sum(axis=1))])
        summaries = [of_ordered(by_size, samplerate_hz=steps.samplerate_hz) for by_size in delays]
    medians_ns = [summary.median_ns for summary in summaries]
    shifts = [
        model_doubt.shifts(instruments.node(step.nodes[0]).model, step.name, step.kind.value, median_ns)
        for step, median_ns in zip(steps.steps, medians_ns, strict=False)  # the last is the total
    ]
    shifts.append(model_doubt.summed(shift for step_shifts in shifts for shift in step_shifts))
    for column, (delay_ns, (name, start, end, *at)) in enumerate(zip(medians_ns, spans, strict=True)):
        pins = (instruments.pin(start, at[0]), instruments.pin(end, at[1]))
        marks = [
            instruments.node(node).mark_ns * is_air(milestone) for milestone, node in zip((start, end), at, strict=True)
        ]
        beyond_ns = float(marks[1] - marks[0])
        components = pin_components(delay_ns, *pins, instruments, beyond_ns) + constant_components(
            start, end, at, instruments
        )
        uncertainties.append(replace(_with_costs(name, delay_ns, components, costs, column), shifts=shifts[column]))
    return tuple(uncertainties)


def as_table(routes: Sequence[tuple[str, tuple[DelayUncertainty, ...]]]) -> pa.Table:
    """One row per route, delay and component; standard uncertainties in ns."""
    rows = [
        SimpleNamespace(route=route, delay=delay, of_probes=of_probes, component=component)
        for route, delays in routes
        for delay in delays
        for of_probes, components in ((False, delay.components), (True, delay.probe_components))
        for component in components
    ]
    return columns.of_rows(rows, _SCHEMA)


_SCHEMA: columns.Schema = {
    "route": (columns.TEXT, "route"),
    "delay": (columns.TEXT, "delay.name"),
    "component": (columns.TEXT, "component.name"),
    "of_probes": (columns.FLAG, "of_probes"),
    "evaluation": (columns.TEXT, "component.evaluation"),
    "standard_ns": (columns.NUMBER, "component.standard_ns"),
    "relative": (columns.NUMBER, "component.relative"),
    "source": (columns.TEXT, "component.source"),
}


def _with_costs(
    name: str, delay_ns: float, components: tuple[Component, ...], costs: ProbeCosts | None, column: int
) -> DelayUncertainty:
    if costs is None:
        return DelayUncertainty(name, components, 0, NAN, (), delay_ns)
    probes = tuple(
        Component(part.name, float(part.standard_ns[column]), part.evaluation, part.source)
        for part in costs.parts
        if part.standard_ns[column] > 0
    )
    return DelayUncertainty(name, components, int(costs.events[column]), float(costs.cost_ns[column]), probes, delay_ns)
