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


# RocketLogger: 0.03 % + 4 nA in the low range, 0.09 % + 3 uA in the high one, 0.02 % + 13 uV (Sigrist et al.,
# "Measurement and Validation of Energy Harvesting IoT Devices", DATE 2017; recalled, not read). The limits of the high
# range are taken for both. Its converter is an ADS131E08, whose sinc filter spreads a step over three samples.
ROCKETLOGGER = Instrument(
    name="RocketLogger", gain=0.0011, offset_a=3e-6, offset_v=13e-6, filter_samples=3, lag_samples=3.0
)
# Nordic's listing of the PPK2 has "better than ±20 %" (as quoted by others, not read); 0.2 uA is its least current.
PPK2 = Instrument(name="PPK2", gain=0.2, offset_a=0.2e-6)
# Of a JS110 in its 2 A range ±(0.3 % + 1.5 mA), by its user's guide, page 12, as its maker explains in the forum; lower
# ranges have lower offsets, and the file does not state which was in use: a hundredth is taken, of the 18 mA range.
JOULESCOPE = Instrument(
    name="Joulescope",
    gain=0.003,
    offset_a=15e-6,
    averages=False,
)
# Whatever sigrok reads: of an oscilloscope with a shunt 3 % and half a percent of 10 mA are a guess.
SIGROK = Instrument(name="analog channels of sigrok", gain=0.03, offset_a=50e-6, averages=False)
