"""Accuracy of single values: by how much one may be off because of what it was measured with (k = 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gpiorig.analysis.delays.instruments import Instruments, Pin
from gpiorig.analysis.delays.uncertainty import DelayUncertainty, for_delay
from gpiorig.analysis.evaluation.evaluation import Evaluation
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.series import Series

# Each value of these is the time between two edges.
OF_TWO_EDGES = frozenset(
    {
        Kind.DELAY,
        Kind.BETWEEN,
        Kind.INTERVAL,
        Kind.INTERVAL_ERROR,
        Kind.GAP,
        Kind.GAP_ERROR,
        Kind.SPREAD,
        Kind.LAG,
        Kind.SPAN,
        Kind.RUN,
        Kind.WAIT,
    }
)
Expanded = Callable[[Series, float], float]


def of_recording(evaluation: Evaluation, instruments: Instruments) -> Expanded:
    """The function that gives the expanded uncertainty of a value of a series, in its unit; 0 where none is known.

    A delay has that of the report. Any other time between two edges counts as one between two channels, of different
    analyzers where there are some. Sums of times, such as the time of a thread within a step, and what nodes and host
    measured have none here.
    """
    delays = _delays(evaluation)

    def expanded(series: Series, value: float) -> float:
        quantity = series.quantity
        if quantity.kind not in OF_TWO_EDGES or quantity.clock:
            return series.doubt
        uncertainty = delays.get(quantity.text) or between_channels(value, instruments)
        return float(uncertainty.expanded_of(np.asarray(value)))

    return expanded


def between_channels(delay_ns: float, instruments: Instruments) -> DelayUncertainty:
    """Uncertainty of a delay between edges of two channels, on different analyzers where there are some."""
    channels = [*instruments.others][:1] or [" "]
    return for_delay("", delay_ns, start=Pin(""), end=Pin(channels[0]), instruments=instruments)


def _delays(evaluation: Evaluation) -> Mapping[str, DelayUncertainty]:
    """Uncertainties by the names that delays have: of the total and the steps of the first route with packets."""
    routes = [route for route in evaluation.routes if len(route.route)] or list(evaluation.routes)
    if not routes:
        return {}
    *steps, total = routes[0].uncertainties
    return {step.name: step for step in steps} | dict.fromkeys((RTT, ONE_WAY), total)
