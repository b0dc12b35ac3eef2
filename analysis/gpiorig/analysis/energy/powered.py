"""A node's power trace with its clock: what measured energies are computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpiorig.analysis.energy.trace_clock import TraceClock
from gpiorig.capture.power.trace import PowerTrace


@dataclass(frozen=True, slots=True, eq=False)
class Powered:
    """The power trace of a node, its clock against the analyzer's, and the limit of that one's rate."""

    trace: PowerTrace
    clock: TraceClock
    clock_ppm: float

    @property
    def sentence(self) -> str:
        """What it is, how it is aligned, and its limits with their source."""
        return f"{self.trace.source}: {self.clock.sentence}; {self.trace.instrument.standing}."


Traces = Mapping[str, Callable[[], Powered]]  # by node; a call reads and aligns it, and raises `QuantityError`
