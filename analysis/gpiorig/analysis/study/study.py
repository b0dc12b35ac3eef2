"""A study: everything the analysis says about one recording, route by route, and about its clocks."""

from __future__ import annotations

from dataclasses import dataclass

from gpiorig.analysis.attribution.findings import Attribution
from gpiorig.analysis.audit.audit import Audit
from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.delays.jitter import Jitter
from gpiorig.analysis.delays.probe_costs import ProbeCosts
from gpiorig.analysis.delays.radio_parts import RadioParts
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy


@dataclass(frozen=True, slots=True, eq=False)
class RouteStudy:
    """What is said about one route.

    Parameters
    ----------
    route
        Its packets and their steps.
    jitter
        Of the whole delay, by every definition.
    budget
        Shares of the steps.
    uncertainties
        One per step, then one of the whole delay.
    attributions
        One per step, then one of the whole delay.
    layers, occupancy
        None where the recording cannot tell.
    costs
        What the probes cost each step of each packet; None without a calibration burst.
    parts, part_uncertainties
        The radio waits among the steps, divided; one uncertainty per wait and part.
    """

    route: Route
    jitter: tuple[Jitter, ...]
    budget: Budget
    uncertainties: tuple[DelayUncertainty, ...]
    attributions: tuple[Attribution, ...]
    layers: LayerTimes | None
    occupancy: Occupancy | None
    costs: ProbeCosts | None = None
    parts: tuple[RadioParts, ...] = ()
    part_uncertainties: tuple[DelayUncertainty, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """All of it.

    Parameters
    ----------
    routes
        In the order of `Analysis.routes`; empty when no packet has all its milestones.
    audit
        None where there is neither a node's log nor a serial record.
    """

    routes: tuple[RouteStudy, ...]
    audit: Audit | None
