"""Uncertainty of delays between timestamps that software took, by their step and their clock; not how late they are."""

from __future__ import annotations

import msgspec

from gpiorig.analysis.delays.components import COVERAGE_FACTOR, quantised, rectangular
from gpiorig.analysis.delays.instruments import ASSUMED, CLOCK_PPM
from gpiorig.analysis.number_text import round_time_text
from gpiorig.capture.edges.time_step import TimestampStep

ORIGINS = {"timestamps": "as they show", "format": "the unit of the file", None: ""}


def expanded_ns(step_ns: float, longest_ns: float) -> float:
    """Expanded uncertainty (k = 2) of the longest of some delays, both of whose ends were put on steps.

    Parameters
    ----------
    step_ns
        Step of the timestamps.
    longest_ns
        That delay; its clock is as far off as that of a recorder of which nothing is known.
    """
    return COVERAGE_FACTOR * (quantised(step_ns) + rectangular(CLOCK_PPM) * 1e-6 * abs(longest_ns))


class TimestampNumbers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What timestamps rest on: their step and what states it, null where that is not known; the limit of the clock."""

    step_ns: float | None
    step_origin: str | None
    clock_ppm: float = CLOCK_PPM
    clock_origin: str = ASSUMED

    @property
    def text(self) -> str:
        """The same as a line of text."""
        step = "in steps that are not known"
        if self.step_ns:
            step = f"in steps of {round_time_text(self.step_ns)}, {ORIGINS[self.step_origin]}"
        return f"timestamps {step}; their clock ±{self.clock_ppm:g} ppm, {self.clock_origin}"


def numbers(step: TimestampStep) -> TimestampNumbers:
    """The field `timestamps` of a command's object."""
    return TimestampNumbers(step_ns=step.step_ns or None, step_origin=step.origin if step.step_ns else None)
