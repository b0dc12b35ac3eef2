"""Sample count against the host's clock: how fast the analyzer really samples, and whether a block was lost.

A block of samples arrives late, never early. So of all blocks of a window of time the least late one counts: a loss is
a step of these delays (`loss_by_clock`), and a clock that runs a little fast or slow makes a slope.

The host's clock is CLOCK_MONOTONIC_RAW: NTP slews CLOCK_MONOTONIC by up to 500 ppm (clock_gettime(2), adjtimex(2)).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.sigrok import loss_by_clock
from gpiorig.capture.sigrok.loss_by_clock import CRYSTAL_PPM, Arrivals

WINDOW_NS = 62_500_000
FINE_WINDOWS = 256  # the latest, 16 s
MAX_WINDOWS = 1 << 15  # before these, 34 min; then windows become twice as long
SLOPE_WINDOW_NS = 1_000_000_000
FEWEST_WINDOWS = 8  # of a second; with less, the slope is that of the lateness of the first and the last blocks
LAG = 30  # windows of a second over which the slope is taken
CONFIRM_S = 3.0  # of which one block is taken to be on time
Row = tuple[int, int, float]  # time, samples, delay of the least late block in a window


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCheck:
    """Check of a capture by the host's clock.

    Attributes
    ----------
    windows
        Seconds (or longer windows) that the rate was taken from.
    rate_ppm
        How much faster than it should the analyzer sampled, by the host's clock; None: too short to tell.
    rate_uncertainty_ppm
        Uncertainty of that.
    drift_ppm_per_minute
        How much faster it became: the rate of the second half minus that of the first; None: too short to tell, or
        samples were lost.
    drift_uncertainty_ppm_per_minute
        Uncertainty of that.
    losses
        Losses that were found, in sample numbers of this clock.
    bounds
        For each interval, the smallest loss that would have been found, in the same numbers.
    """

    windows: int
    rate_ppm: float | None
    rate_uncertainty_ppm: float | None
    losses: tuple[Loss, ...]
    bounds: tuple[Bound, ...] = ()
    drift_ppm_per_minute: float | None = None
    drift_uncertainty_ppm_per_minute: float | None = None

    @property
    def is_wrong_rate(self) -> bool:
        """The rate differs from the nominal one by more than a crystal may."""
        if self.rate_ppm is None or self.rate_uncertainty_ppm is None:
            return False
        return abs(self.rate_ppm) - self.rate_uncertainty_ppm > CRYSTAL_PPM


def now_ns() -> int:
    """Return the host's time that samples are compared with."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class WallClock:
    """Collects when samples came, in memory that does not grow.

    Parameters
    ----------
    samplerate_hz
        Samples per second.
    began_ns
        Time (`now_ns`) before which none of them was taken; None: unknown.
    """

    def __init__(self, samplerate_hz: float, *, began_ns: int | None = None) -> None:
        self._ns_per_sample = 1e9 / samplerate_hz
        self._began_ns = began_ns
        self._coarse_ns = WINDOW_NS
        self._coarse: list[Row] = []
        self._fine: deque[Row] = deque()
        self._latest: Row = (0, 0, 0.0)
        self._window = -1
        self._start_ns = 0

    def note(self, samples: int, now_ns: int) -> None:
        """Take notice that there were this many samples at a time.

        Parameters
        ----------
        samples
            Number of the next sample.
        now_ns
            As `now_ns()`.
        """
        if not self._fine:
            self._start_ns = now_ns
        row = self._latest = now_ns, samples, now_ns - self._start_ns - samples * self._ns_per_sample
        window = (now_ns - self._start_ns) // WINDOW_NS
        if window != self._window:
            self._window = window
            self._fine.append(row)
            if len(self._fine) > FINE_WINDOWS:
                self._put_away(self._fine.popleft())
        elif row[2] < self._fine[-1][2]:
            self._fine[-1] = row

    def _put_away(self, row: Row) -> None:
        """Put a window among the older ones, several of which are one."""
        window = (row[0] - self._start_ns) // self._coarse_ns
        if self._coarse and (self._coarse[-1][0] - self._start_ns) // self._coarse_ns == window:
            self._coarse[-1] = min(self._coarse[-1], row, key=lambda one: one[2])
            return
        self._coarse.append(row)
        if len(self._coarse) > MAX_WINDOWS:
            self._coarse_ns *= 2
            rows, self._coarse = self._coarse, []
            for older in rows:
                self._put_away(older)

    def sample_at(self, now_ns: int, *, within_s: float = CONFIRM_S) -> int:
        """Return the sample that is taken at a time, by the least late block of the last seconds; 0 without any."""
        if not self._fine:
            return 0
        time_ns, samples, _ = min(self._since(self._fine[-1][0] - round(within_s * 1e9)), key=lambda row: row[2])
        return samples + round((now_ns - time_ns) / self._ns_per_sample)

    def _since(self, time_ns: int) -> Iterator[Row]:
        for row in reversed([*self._coarse, *self._fine]):  # a copy: another thread takes notice meanwhile
            if row[0] < time_ns:
                return
            yield row

    def is_settled(self, end: int) -> bool:
        """Whether what came by now tells of losses before sample `end` as much as it can."""
        return bool(self._fine) and loss_by_clock.is_settled(self._arrivals(self._rows(), 0.0), end=end)

    def check(self, *, end: int | None = None) -> ClockCheck:
        """Look for losses before sample `end`, by all that came until now; None: before the last one."""
        rows = self._rows()
        if not rows:
            return ClockCheck(windows=0, rate_ppm=None, rate_uncertainty_ppm=None, losses=())
        check = self._rate(rows)
        slope = -(check.rate_ppm or 0.0) * 1e-6 if check.is_wrong_rate else 0.0
        end = rows[-1][1] if end is None else end
        steps = loss_by_clock.steps(self._arrivals(rows, slope), end=end)
        drift, drift_uncertainty = (None, None) if steps.losses else _drift(_seconds(rows))
        return ClockCheck(
            windows=check.windows,
            rate_ppm=check.rate_ppm,
            rate_uncertainty_ppm=check.rate_uncertainty_ppm,
            losses=steps.losses,
            bounds=steps.bounds,
            drift_ppm_per_minute=drift,
            drift_uncertainty_ppm_per_minute=drift_uncertainty,
        )

    def _rows(self) -> list[Row]:
        """The windows, and the last block, which comes after the least late one of the last window."""
        rows = [*self._coarse, *self._fine]
        return [*rows, self._latest] if rows and rows[-1] != self._latest else rows

    def _arrivals(self, rows: list[Row], slope: float) -> Arrivals:
        """The rows without a slope of the delays."""
        times_ns, samples, delays_ns = (np.array(column) for column in zip(*rows, strict=True))
        times_ns = (times_ns - self._start_ns).astype(np.float64)
        return Arrivals(
            times_ns=times_ns,
            delays_ns=delays_ns - slope * times_ns,
            samples=samples.astype(np.int64),
            began_ns=None if self._began_ns is None else float(self._began_ns - self._start_ns),
            ns_per_sample=self._ns_per_sample,
        )

    def _rate(self, rows: list[Row]) -> ClockCheck:
        """The rate alone."""
        times_ns, delays_ns = _seconds(rows)
        windows = len(times_ns)
        if windows < FEWEST_WINDOWS:
            return ClockCheck(windows=windows, rate_ppm=None, rate_uncertainty_ppm=None, losses=())
        lag = int(np.clip(windows // 8, 1, LAG))
        slope = _slope(times_ns, delays_ns, lag)
        level = delays_ns - slope * (times_ns - times_ns[0])
        spread_ns = float(np.quantile(level - np.minimum.accumulate(level[::-1])[::-1], 0.9))
        lag_ns = float(np.median(times_ns[lag:] - times_ns[:-lag]))
        return ClockCheck(
            windows=windows, rate_ppm=-slope * 1e6, rate_uncertainty_ppm=1e6 * 2 * spread_ns / lag_ns, losses=()
        )


def _seconds(rows: list[Row]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times and delays of the least late block of each second."""
    start_ns, best = rows[0][0], dict[int, Row]()
    for row in rows:
        window = (row[0] - start_ns) // SLOPE_WINDOW_NS
        best[window] = min(best.get(window, row), row, key=lambda one: one[2])
    columns = [(row[0] - start_ns, row[2]) for row in best.values()]
    times_ns, delays_ns = (np.array(column, dtype=np.float64) for column in zip(*columns, strict=True))
    return times_ns, delays_ns


def _drift(seconds: tuple[NDArray[np.float64], NDArray[np.float64]]) -> tuple[float | None, float | None]:
    """The change of the rate from the first half to the second, in ppm per minute, and its uncertainty.

    A constant drift makes a parabola of the delays; the uncertainty is that of the distances from it.
    """
    times_ns, delays_ns = seconds
    half = len(times_ns) // 2
    if half < FEWEST_WINDOWS:
        return None, None
    lag = half // 2
    first, second = (_slope(times_ns[part], delays_ns[part], lag) for part in (slice(half), slice(-half, None)))
    level = delays_ns - np.polyval(np.polyfit(times_ns / 1e9, delays_ns, 2), times_ns / 1e9)
    spread_ns = float(np.quantile(level, 0.9) - level.min())
    minutes = float(times_ns[-half:].mean() - times_ns[:half].mean()) / 60e9
    lag_ns = float(np.median(times_ns[lag:half] - times_ns[: half - lag]))
    uncertain_ppm = 1e6 * 2 * spread_ns / lag_ns * 2**0.5
    return 1e6 * (first - second) / minutes, uncertain_ppm / minutes


def _slope(times_ns: NDArray[np.float64], delays_ns: NDArray[np.float64], lag: int) -> float:
    """Growth of the delay per time: the median over pairs, which a few steps do not move."""
    return float(np.median((delays_ns[lag:] - delays_ns[:-lag]) / (times_ns[lag:] - times_ns[:-lag])))
