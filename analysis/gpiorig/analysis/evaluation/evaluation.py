"""The evaluation of a recording: all results of the analysis of one recording, by route, and those about its clocks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpiorig.analysis.attribution.findings import Attribution
from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.delays.jitter import Jitter
from gpiorig.analysis.delays.numbers import RouteNumbers
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.delays.radio_parts import RadioParts
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy
from gpiorig.analysis.statistics.summary import Summary


@dataclass(frozen=True, slots=True, eq=False)
class RouteEvaluation:
    """Results about one route.

    Parameters
    ----------
    route
        Its packets and their steps.
    numbers
        Statistics of its delays: every sentence, figure and table reads these.
    jitter
        Jitter of the total delay, by every definition.
    budget
        Shares of the steps.
    uncertainties
        One per step, then one of the total delay.
    attributions
        One per step, then one of the total delay.
    layers
        Times in the layers of each packet; None where no layer has both its enter and its exit.
    occupancy
        Activities that ran during the steps.
    costs
        Cost of the probes in each step of each packet; None without a calibration burst.
    parts, part_uncertainties
        The radio waits among the steps, divided; one uncertainty per wait and part.
    """

    route: Route
    numbers: RouteNumbers
    jitter: tuple[Jitter, ...]
    budget: Budget
    uncertainties: tuple[DelayUncertainty, ...]
    attributions: tuple[Attribution, ...]
    layers: LayerTimes | None
    occupancy: Occupancy
    costs: ProbeCosts | None = None
    parts: tuple[RadioParts, ...] = ()
    part_uncertainties: tuple[DelayUncertainty, ...] = ()

    @property
    def expanded_ns(self) -> float:
        """Expanded uncertainty (k = 2) of one total delay; NaN if it is not known."""
        return self.uncertainties[-1].expanded_ns if self.uncertainties else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Results about one recording.

    Parameters
    ----------
    routes
        Evaluations of the routes with complete packets, in the order of `Analysis.routes`.
    audit
        None without a node's log and a serial record.
    delays
        Statistics of longer parts of round trips, by name (`numbers.round_trips`).
    """

    routes: tuple[RouteEvaluation, ...]
    audit: Audit | None
    delays: Mapping[str, Summary] = field(default_factory=dict)
