"""How exact instruments are that record power, each limit with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """How exact an instrument is; all limits are half widths of what is possible.

    Attributes
    ----------
    name
        Its name.
    gain
        Relative error of the power.
    offset_a, offset_v
        Errors of current and voltage that are there at 0, in A and V.
    filter_samples
        A sample is the mean of at least the period that it stands for; a filter spreads it over this many.
    lag_samples
        A sample may show what was this many periods earlier or later than the pins of the same row.
    averages
        Whether a sample is a mean over its period; otherwise it is what was there at an instant.
    source
        Where the limits of gain and offset are from; "" where they have no document that could be read.
    """

    name: str
    gain: float
    offset_a: float
    offset_v: float = 0.0
    filter_samples: int = 1
    lag_samples: float = 1.0
    averages: bool = True
    source: str = ""

    @property
    def standing(self) -> str:
        """Its limits as text, with their source."""
        limits = f"±({self.gain:.3g} of the power, {self.offset_a:.3g} A, {self.offset_v:.3g} V)"
        return f"{self.name}, {limits}: {self.source or 'unwitnessed'}"
