"""What libsigrok's drivers take: channels and samplerates, as far as they can be known without the analyzer.

Tables and limits are those of libsigrok 0.5.2, src/hardware/DRIVER/api.c and protocol.c; a connected analyzer reports
it itself (`gpiorig bench check --live`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, MAX_VIRTUAL_HZ

VERSION = "libsigrok 0.5.2"

_NUMBERS = tuple(str(number) for number in range(16))


@dataclass(frozen=True, slots=True)
class Driver:
    """What a driver takes.

    Parameters
    ----------
    channels
        Its channel names, in its order.
    rates_hz
        Its samplerates, in rising order.
    wide_from, wide_most_hz
        With the channel at this place or one after it, it takes this rate at most.
    most_product_hz
        Rate times channels is this at most.
    """

    channels: tuple[str, ...]
    rates_hz: Sequence[int]
    wide_from: int | None = None
    wide_most_hz: int = 0
    most_product_hz: int | None = None

    def refusal(self, channels: Sequence[str], rate_hz: int) -> str | None:
        """Why it would not take these channels at this rate, and what it would take; None: it takes them."""
        unknown = [name for name in channels if name not in self.channels]
        if unknown:
            return f"has no channel {', '.join(unknown)}; it has {', '.join(self.channels)}"
        if rate_hz not in self.rates_hz:
            return f"does not take {rate_hz} Hz; {self._near(rate_hz)}"
        most_hz = self._most_hz(channels)
        if rate_hz > most_hz:
            return f"takes {most_hz} Hz at most with {', '.join(channels)}; the bench wants {rate_hz} Hz"
        return None

    def _most_hz(self, channels: Sequence[str]) -> int:
        limits = [self.rates_hz[-1]]
        if self.wide_from is not None and any(self.channels.index(name) >= self.wide_from for name in channels):
            limits.append(self.wide_most_hz)
        if self.most_product_hz is not None and channels:
            limits.append(max(rate for rate in self.rates_hz if rate * len(channels) <= self.most_product_hz))
        return min(limits)

    def _near(self, rate_hz: int) -> str:
        if isinstance(self.rates_hz, range):
            return f"it takes {self.rates_hz[0]} to {self.rates_hz[-1]} Hz"
        below = [rate for rate in self.rates_hz if rate < rate_hz][-1:]
        above = [rate for rate in self.rates_hz if rate > rate_hz][:1]
        return f"the nearest that it takes are {' and '.join(f'{rate} Hz' for rate in below + above)}"


def _khz(*rates: int) -> tuple[int, ...]:
    return tuple(rate * 1_000 for rate in rates)


KNOWN = {
    "beaglelogic": Driver(BEAGLELOGIC_CHANNELS, range(10, MAX_VIRTUAL_HZ + 1)),
    # The models with 8 channels have D0 to D7; 16 bits are sent as soon as one of D8 to D15 is asked for.
    "fx2lafw": Driver(
        tuple(f"D{number}" for number in range(16)),
        _khz(20, 25, 50, 100, 200, 250, 500, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 48_000),
        wide_from=8,
        wide_most_hz=12_000_000,
    ),
    "dreamsourcelab-dslogic": Driver(
        _NUMBERS,
        _khz(10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 25_000, 50_000, 100_000, 200_000, 400_000),
    ),
    "saleae-logic16": Driver(
        _NUMBERS,
        _khz(500, 1000, 2000, 4000, 5000, 8000, 10_000, 12_500, 16_000, 20_000)
        + _khz(25_000, 32_000, 40_000, 50_000, 80_000, 100_000),
        most_product_hz=300_000_000,
    ),
}


def known(driver: str) -> Driver | None:
    """What is known of a driver as the bench file names it, such as ``fx2lafw:conn=1.12``."""
    return KNOWN.get(driver.partition(":")[0])
