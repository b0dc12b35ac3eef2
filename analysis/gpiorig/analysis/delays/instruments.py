"""What is known of the instruments of a recording: the analyzers' clocks and inputs, the nodes' lines and radios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Milestone, Source
from gpiorig.analysis.packets.steps import Step

# Half widths where neither the bench file nor a data sheet has a value; docs/guide/uncertainty.md gives the reasons.
CLOCK_PPM, SKEW_NS, APERTURE_NS = 100.0, 5.0, 2.0
ASSUMED = "assumed (docs/guide/uncertainty.md)"

# Half width of the clock's error in ppm by sigrok's driver, with its source.
CLOCKS = {
    "beaglelogic": (50.0, "assumed: the 24 MHz crystal of a BeagleBone, of unknown class"),
    "fx2lafw": (100.0, "24 MHz, ±100 ppm, is what Cypress asks of the crystal (CY7C68013A, 38-08032, Clock Frequency)"),
    "saleae": (50.0, "assumed: ordinary crystal"),  # of whatever model
    "saleae-logic16": (50.0, "assumed: ordinary crystal"),
    "saleae-logic-pro": (50.0, "assumed: ordinary crystal"),
}


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How exact a logic analyzer is; all limits are half widths of what is possible.

    Parameters
    ----------
    period_ns
        Its sample period.
    clock_ppm
        Its clock is off by at most so much.
    skew_ns
        Two of its channels, or a rising and a falling edge, see what happens at once at most so much apart.
    aperture_ns
        An edge as near as this to a sampling instant may be shown by it or not.
    sources
        Where these three come from, by their names.
    rounding_ns
        Its edges' instants were rounded to multiples of this after they were sampled; 0: they were not.
    """

    period_ns: float
    clock_ppm: float = CLOCK_PPM
    skew_ns: float = SKEW_NS
    aperture_ns: float = APERTURE_NS
    sources: Mapping[str, str] = field(default_factory=dict)
    rounding_ns: float = 0.0

    def source(self, name: str) -> str:
        """Where a limit comes from."""
        return self.sources.get(name, ASSUMED)


def by_driver(
    driver: str,
    *,
    samplerate_hz: Fraction | int,
    clock_ppm: float | None = None,
    skew_ns: float | None = None,
    aperture_ns: float | None = None,
) -> Analyzer:
    """An analyzer by sigrok's driver, such as ``fx2lafw:conn=1.12``; given values replace those of its class."""
    class_ppm, source = CLOCKS.get(driver.partition(":")[0], (CLOCK_PPM, ASSUMED))
    given = {"clock_ppm": clock_ppm, "skew_ns": skew_ns, "aperture_ns": aperture_ns}
    known = {name: limit for name, limit in given.items() if limit is not None}
    limits = {"clock_ppm": class_ppm, "skew_ns": SKEW_NS, "aperture_ns": APERTURE_NS} | known
    return Analyzer(
        period_ns=float(Fraction(NS_PER_S) / samplerate_hz),
        **limits,
        sources={"clock_ppm": source} | dict.fromkeys(known, "bench file"),
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a timing model whose value on silicon is not known.

    Parameters
    ----------
    name
        Board and setting, such as ``iotlab-m3 refill``: all nodes with this board share it.
    lowest, highest
        By name of a step, or else by its kind (`Kind.value`): the share by which a step gets longer
        with the least and the greatest value.
    """

    name: str
    lowest: Mapping[str, float] = field(default_factory=dict)
    highest: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of a node's lines and of its radio.

    Parameters
    ----------
    lines
        Points with a line of their own, such as ``tap.irq``; the events of all others are on the symbol bus.
    bus_width, symbol_ns, frame_gap_ns
        Of its symbol bus: data lines, the least that a symbol lasts, the least pause after a frame.
    mark_ns
        From the first bit on the air to the rise of its frame timestamp line.
    mark_uncertainty_ns, mark_source, mark_unwitnessed
        Half width of that constant, where both come from, and what of it has no witness, with its half width.
    busy_ns, poll_ns
        From its radio's interrupt at the end of a reception until the radio accepts the command to send (0: at once),
        and how often the driver asks.
    waits_in_software
        Whether the driver, not the radio, waits before the air: then what the processor does meanwhile may delay it.
    model
        Of a virtual board: the settings of its timing model that are in doubt.
    """

    lines: frozenset[str] = frozenset()
    bus_width: int = 2
    symbol_ns: int = 0
    frame_gap_ns: int = 0
    mark_ns: int = 0
    mark_uncertainty_ns: float = 0.0
    mark_source: str = ""
    mark_unwitnessed: str = ""
    busy_ns: int = 0
    poll_ns: int = 0
    waits_in_software: bool = False
    model: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Pin:
    """Where the end of a delay is seen.

    Parameters
    ----------
    channel
        ``node.line``.
    edge
        ``rise`` or ``fall``; ``first`` for the first edge of a frame, where that is always the same; empty where it may
        be either.
    """

    channel: str
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Instruments:
    """All of a recording.

    Parameters
    ----------
    reference
        The analyzer in whose samples the recording counts.
    others
        Of channels that come from another analyzer: that one, and the standard uncertainty of an interval between an
        edge of it and one of the reference, in ns.
    nodes
        By name.
    """

    reference: Analyzer
    others: Mapping[str, tuple[Analyzer, float]] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def node(self, name: str) -> Node:
        """One of the nodes; one of which nothing is known if the recording does not contain it."""
        return self.nodes.get(name, Node())

    def pin(self, milestone: Milestone, node: str) -> Pin:
        """Where a milestone at a node is seen."""
        point, _, kind = milestone.event.rpartition(".")
        known = self.node(node)
        if point.startswith("tap.") or point in known.lines:
            return Pin(f"{node}.{point}", "rise" if kind == "enter" else "fall")
        # A frame toggles the strobe once per symbol: an odd number of times on four lines (3 or 7), even on 1, 2 and 8.
        alternates = known.bus_width == 4
        return Pin(f"{node}.strobe", "" if alternates else "first")

    def on_bus(self, milestone: Milestone, node: str) -> bool:
        """Whether a milestone is an event on a symbol bus."""
        return self.pin(milestone, node).channel.endswith(".strobe")

    def mark_rounding_ns(self, node: str) -> float:
        """Error of the constant before the frame timestamp from rounding to a sample."""
        samples = self.node(node).mark_ns / self.reference.period_ns
        return abs(samples - round(samples)) * self.reference.period_ns


def is_air(milestone: Milestone) -> bool:
    """Whether a milestone is computed from a frame timestamp."""
    return milestone.source is Source.AIR


def seen_at(steps: Sequence[Step]) -> list[tuple[str, str]]:
    """Nodes on whose lines start and end of each step are seen; the first bit on the air is seen at the receiver."""
    instants_on = []
    for index, step in enumerate(steps):
        here, there = step.nodes[0], step.nodes[-1]
        if is_air(step.start):
            here = there
        elif is_air(step.end) and index + 1 < len(steps):
            there = steps[index + 1].nodes[-1]
        instants_on.append((here, there))
    return instants_on
