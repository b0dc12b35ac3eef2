"""Components of the uncertainty of a delay, by their sources (GUM, JCGM 100:2008)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gpiorig.analysis.delays.instruments import Analyzer, Instruments, Pin, is_air
from gpiorig.analysis.packets.path import Milestone

COVERAGE_FACTOR = 2
APERTURES = 1.5  # in ±, of the 2 in a delay: COVERED then holds for every delay where a sample is 4 apertures or more
COVERED = 0.95  # of the packets, at least, are within ±, whatever their delay
SAMPLING = "sample quantisation"
_PPM = 1e-6


@dataclass(frozen=True, slots=True)
class Component:
    """One source of uncertainty of a delay.

    Parameters
    ----------
    name
        Such as ``sample quantisation``, ``skew between channels``, ``analyzer's clock``.
    standard_ns
        Standard uncertainty of one delay, in ns.
    evaluation
        GUM 4.2 and 4.3: ``A`` from repeated observations, ``B`` from other knowledge.
    source
        Where the number comes from.
    relative
        Of a component that grows with the delay: standard uncertainty per delay; `standard_ns` is that of the median.
    beyond_ns
        Such a component grows with what was measured, which is so much more than the delay.
    is_constant
        The error is the same in every packet.
    unwitnessed
        What in it no independent source confirms.
    """

    name: str
    standard_ns: float
    evaluation: Literal["A", "B"]
    source: str
    relative: float = 0.0
    beyond_ns: float = 0.0
    is_constant: bool = False
    unwitnessed: str = ""


def combined(components: tuple[Component, ...]) -> float:
    """Combined standard uncertainty in ns: sqrt(sum of u^2) of independent components, GUM 5.1.2.

    Those that are constant are added to that: a run has one clock, and two of its channels one skew. With the root sum
    a clock near its limit leaves some steps with less than 95 % of their packets.
    """
    independent = math.sqrt(sum(component.standard_ns**2 for component in components if not component.is_constant))
    return independent + sum(component.standard_ns for component in components if component.is_constant)


def quantised(step_ns: float) -> float:
    """Standard uncertainty of a delay whose two ends were put on steps: k = 2 makes 0.95 of one step of it.

    A delay of n + c steps is shown as n or n + 1 of them: the error is -c with the probability 1 - c, and 1 - c with c.
    That is within ± 0.95 for at least 95 % of the instants at which the delay may begin, whatever c is; for less, a c
    can be found of which fewer are. Where the delays have any c, the error is triangular, and it holds for 99.75 %.
    """
    return COVERED * step_ns / COVERAGE_FACTOR


def rectangular(half_width: float) -> float:
    """Standard uncertainty of what lies anywhere within a half width: a / sqrt(3), GUM 4.3.7."""
    return half_width / math.sqrt(3)


def pin_components(
    delay_ns: float, start: Pin, end: Pin, instruments: Instruments, beyond_ns: float = 0.0
) -> tuple[Component, ...]:
    """Of the edges at both ends of a delay, and of the clock between them; they are `beyond_ns` further apart."""
    reference = instruments.reference
    start_analyzer, end_analyzer = (instruments.others.get(pin.channel) for pin in (start, end))
    analyzers = [aligned[0] if aligned else reference for aligned in (start_analyzer, end_analyzer)]
    components: list[Component] = []
    if analyzers[0] is analyzers[1]:
        components.append(_sampling(analyzers[0]))
    else:
        components.append(_alignment(start_analyzer, end_analyzer))
    rounded = sum(aligned is not None for aligned in (start_analyzer, end_analyzer))
    if rounded:
        grid_ns = reference.period_ns * math.sqrt(rounded / 12)
        components.append(
            Component("rounding to the reference's samples", grid_ns, "B", "GUM F.2.2.1; docs/reference/sync-line.md")
        )
    components += _skew(start, end, analyzers)
    part = rectangular(reference.clock_ppm) * _PPM
    clock_ns = 0.0 if math.isnan(delay_ns) else part * abs(delay_ns + beyond_ns)
    source = reference.source("clock_ppm")
    components.append(Component("analyzer's clock", clock_ns, "B", source, part, beyond_ns, is_constant=True))
    return tuple(components)


def _sampling(analyzer: Analyzer) -> Component:
    """Both ends shown by the next sample of one clock, or by its neighbour within the aperture, and then rounded.

    Over delays of any length the error of sampling is triangular, T / sqrt(6). That of one step of firmware, which is
    n + c periods long in packet after packet, is -c T or (1 - c) T, with the chances 1 - c and c (J. Kalisz, Metrologia
    41, 2004, section 2): with k = 2 a triangle would cover as few as 82 % of the packets of some steps. See
    `quantised`. A step of n periods is a period too long or too short in a / T of the packets, whose ends are in the
    aperture.
    """
    sampling_ns = quantised(analyzer.period_ns) + APERTURES * analyzer.aperture_ns / COVERAGE_FACTOR
    standard_ns = math.hypot(sampling_ns, quantised(analyzer.rounding_ns))
    source = f"an edge is shown by the next sample, or its neighbour within {analyzer.aperture_ns:g} ns "
    source += f"({analyzer.source('aperture_ns')})"
    source += f"; times are rounded to {analyzer.rounding_ns:g} ns" if analyzer.rounding_ns else ""
    return Component(SAMPLING, standard_ns, "B", source)


def _alignment(start: tuple[Analyzer, float] | None, end: tuple[Analyzer, float] | None) -> Component:
    """Between two analyzers; each of those that were aligned to the reference has its own uncertainty."""
    standard_ns = math.hypot(*(aligned[1] for aligned in (start, end) if aligned))
    return Component(
        "alignment of analyzers, sampling included",
        standard_ns,
        "A",
        "residuals of the sync pulses, limits of the line's delay",
    )


def _skew(start: Pin, end: Pin, analyzers: Sequence[Analyzer]) -> list[Component]:
    """Of channels and of edges; the same edge of the same channel is as late at both ends."""
    name = "skew between channels"
    if analyzers[0] is not analyzers[1]:
        # Each of the two is that between a channel and its analyzer's sync channel.
        skew_ns = math.hypot(*(rectangular(analyzer.skew_ns) for analyzer in analyzers))
    elif start.channel == end.channel and start.edge == end.edge and start.edge:
        return []
    else:
        skew_ns = rectangular(analyzers[0].skew_ns)
        name = "skew between edges" if start.channel == end.channel else name
    return [Component(name, skew_ns, "B", analyzers[0].source("skew_ns"), is_constant=True)]


def constant_components(
    start: Milestone, end: Milestone, at: Sequence[str], instruments: Instruments
) -> tuple[Component, ...]:
    """The components of the constant that is subtracted from the frame timestamp to get the first bit on the air."""
    components = []
    for node in (node for milestone, node in zip((start, end), at, strict=True) if is_air(milestone)):
        radio = instruments.node(node)
        width_ns, rounding_ns = radio.mark_uncertainty_ns, instruments.mark_rounding_ns(node)
        source, unwitnessed = radio.mark_source or "unknown", radio.mark_unwitnessed
        components.append(
            Component("first bit on the air", rectangular(width_ns), "B", source, unwitnessed=unwitnessed)
        )
        if rounding_ns:
            components.append(
                Component("first bit on the air, rounded to a sample", rounding_ns, "B", "the rounding itself")
            )
    return tuple(components)
