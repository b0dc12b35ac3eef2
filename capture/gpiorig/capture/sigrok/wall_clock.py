"""Sample count against the host's clock: how fast the analyzer really samples, and whether a block was lost.

A block of samples arrives late, never early. So of all blocks of a second the least late one counts, and a loss shows
as a delay below which the capture never gets again: a step. A clock that runs a little fast or slow makes a slope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.losses import Loss

WINDOW_NS = 1_000_000_000
MAX_WINDOWS = 1 << 15  # of 1 s: 9 h; then windows become twice as long
FEWEST_WINDOWS = 8  # with less, a step cannot be distinguished from a late block
CONFIRM = 3  # windows at the end of the capture that count as one: a step there has nothing after it
LAG = 30  # windows over which the slope is taken
FLOOR_NS = (
    1_000_000  # no step below this counts, however regular the blocks came (unverified: scheduling of a busy host)
)
SPREADS = 4  # a step has to be this many times the spread of the delays


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCheck:
    """Check of a capture by the host's clock.

    Attributes
    ----------
    windows
        Seconds (or longer windows) that were looked at.
    rate_ppm
        How much faster than it should the analyzer sampled, by the host's clock; None: too short to tell.
    rate_uncertainty_ppm
        Uncertainty of that.
    drift_ppm_per_minute
        How much faster it became: the rate of the second half minus that of the first; None: too short to tell, or
        samples were lost.
    drift_uncertainty_ppm_per_minute
        Uncertainty of that.
    limit_samples
        The smallest loss that would have been found; None: too short to find any.
    losses
        Losses that were found, in sample numbers of this clock.
    """

    windows: int
    rate_ppm: float | None
    rate_uncertainty_ppm: float | None
    limit_samples: int | None
    losses: tuple[Loss, ...]
    drift_ppm_per_minute: float | None = None
    drift_uncertainty_ppm_per_minute: float | None = None


class WallClock:
    """Collects when samples came, in memory that does not grow.

    Parameters
    ----------
    samplerate_hz
        Samples per second.
    """

    def __init__(self, samplerate_hz: float) -> None:
        self._ns_per_sample = 1e9 / samplerate_hz
        self._window_ns = WINDOW_NS
        self._rows: list[tuple[int, int, float]] = []  # (time, samples, delay) of the least delay in each window
        self._window = -1
        self._start_ns = 0

    def note(self, samples: int, now_ns: int) -> None:
        """Take notice that there were this many samples at a time.

        Parameters
        ----------
        samples
            Number of the next sample.
        now_ns
            Monotonic time.
        """
        if not self._rows:
            self._start_ns = now_ns
        delay_ns = now_ns - self._start_ns - samples * self._ns_per_sample
        window = (now_ns - self._start_ns) // self._window_ns
        if window != self._window:
            self._window = window
            self._rows.append((now_ns, samples, delay_ns))
            if len(self._rows) > MAX_WINDOWS:
                pairs = zip(self._rows[::2], self._rows[1::2], strict=False)
                self._rows = [min(pair, key=lambda row: row[2]) for pair in pairs]
                self._window_ns *= 2
                self._window = -1
        elif delay_ns < self._rows[-1][2]:
            self._rows[-1] = (now_ns, samples, delay_ns)

    def sample_at(self, now_ns: int, *, windows: int = CONFIRM) -> int:
        """Return the sample that is taken at a time, by the least late block of the last windows; 0 without any."""
        if not self._rows:
            return 0
        time_ns, samples, _ = min(self._rows[-windows:], key=lambda row: row[2])
        return samples + round((now_ns - time_ns) / self._ns_per_sample)

    def check(self) -> ClockCheck:
        """Look for steps."""
        windows = len(self._rows)
        if windows < FEWEST_WINDOWS:
            return ClockCheck(windows=windows, rate_ppm=None, rate_uncertainty_ppm=None, limit_samples=None, losses=())
        times_ns, samples, delays_ns = (np.array(column) for column in zip(*self._rows, strict=True))
        lag = int(np.clip(windows // 8, 1, LAG))
        slope = _slope(times_ns, delays_ns, lag)
        level = delays_ns - slope * (times_ns - times_ns[0])
        floor = _floor(level)
        spread_ns = float(np.quantile(level - floor, 0.9))
        limit_ns = max(SPREADS * spread_ns, FLOOR_NS)
        losses: list[Loss] = []
        last = 0
        for at in (np.flatnonzero(np.diff(floor) > limit_ns / 2) + 1).tolist():
            before = float(level[max(last, at - CONFIRM) : at].min())
            if floor[at] - before > limit_ns:
                last = at
                losses.append(
                    Loss(
                        start=int(samples[at - 1]),
                        end=int(samples[at]),
                        samples=round((floor[at] - before) / self._ns_per_sample),
                        uncertainty=round(limit_ns / 2 / self._ns_per_sample) + 1,
                        found_by="the host's clock",
                    )
                )
        limit = round(limit_ns / self._ns_per_sample) + 1
        uncertain_ppm = 1e6 * 2 * spread_ns / (lag * self._window_ns)
        drift, drift_uncertainty = (None, None) if losses else self._drift(times_ns, delays_ns)
        return ClockCheck(
            windows=windows,
            rate_ppm=-slope * 1e6,
            rate_uncertainty_ppm=uncertain_ppm,
            limit_samples=limit,
            losses=tuple(losses),
            drift_ppm_per_minute=drift,
            drift_uncertainty_ppm_per_minute=drift_uncertainty,
        )

    def _drift(self, times_ns: NDArray[np.int64], delays_ns: NDArray[np.float64]) -> tuple[float | None, float | None]:
        """The change of the rate from the first half to the second, in ppm per minute, and its uncertainty.

        A constant drift makes a parabola of the delays; the uncertainty is that of the distances from it.
        """
        half = len(times_ns) // 2
        if half < FEWEST_WINDOWS:
            return None, None
        lag = half // 2
        first, second = (_slope(times_ns[part], delays_ns[part], lag) for part in (slice(half), slice(-half, None)))
        seconds = (times_ns - times_ns[0]) / 1e9
        level = delays_ns - np.polyval(np.polyfit(seconds, delays_ns, 2), seconds)
        spread_ns = float(np.quantile(level, 0.9) - level.min())
        minutes = float(times_ns[-half:].mean() - times_ns[:half].mean()) / 60e9
        uncertain_ppm = 1e6 * 2 * spread_ns / (lag * self._window_ns) * 2**0.5
        return 1e6 * (first - second) / minutes, uncertain_ppm / minutes


def _slope(times_ns: NDArray[np.int64], delays_ns: NDArray[np.float64], lag: int) -> float:
    """Growth of the delay per time: the median over pairs, which a few steps do not move."""
    return float(np.median((delays_ns[lag:] - delays_ns[:-lag]) / (times_ns[lag:] - times_ns[:-lag])))


def _floor(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each window the least delay that comes from there on."""
    level = level.copy()
    level[-CONFIRM:] = level[-CONFIRM:].min()
    return np.minimum.accumulate(level[::-1])[::-1]
