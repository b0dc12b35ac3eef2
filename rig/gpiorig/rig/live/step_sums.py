"""Where the time of the packets of a capture that runs goes, and where it varies: sums that do not grow with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.numbers import largest_kind
from gpiorig.analysis.number_text import NS_PER_S, number_text, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.report.cause_words import SPENT
from gpiorig.analysis.report.conclusions import MIN_FOR_VARIANCE
from gpiorig.analysis.report.lead import MAX_SHARE
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES


class StepSums:
    """Sums over the packets of the main route; with other steps than before they begin again."""

    def __init__(self) -> None:
        self._first: Route | None = None

    def add(self, route: Route) -> None:
        """Add packets whose every step is known."""
        if not len(route):
            return
        if self._first is None or self._first.steps.steps != route.steps.steps:
            self._first = route.select(np.arange(1))
            self._n, self._low, self._high = 0, int(route.totals[0]), int(route.totals[0])
            # Of each step less that of the first packet, which keeps the products small.
            self._sums = np.zeros(len(route.steps.steps))
            self._products = np.zeros(len(route.steps.steps))  # with the total delay
        steps = (route.steps.samples - self._first.steps.samples).astype(np.float64)
        self._n += len(route)
        self._sums += steps.sum(axis=0)
        self._products += steps.sum(axis=1) @ steps
        self._low, self._high = min(self._low, int(route.totals.min())), max(self._high, int(route.totals.max()))

    @property
    def means(self) -> dict[Kind, float]:
        """Share of each kind of steps in the mean delay."""
        means = self._means()
        return self._by_kind(means / means.sum())

    @property
    def variances(self) -> dict[Kind, float]:
        """Share of each kind in the variance of the delay, from its covariance with it; empty below the resolution."""
        if self._first is None or self._high - self._low <= RESOLUTION_SAMPLES:
            return {}
        shared = self._products - self._sums * self._sums.sum() / self._n
        return self._by_kind(shared / shared.sum())

    @property
    def sentence(self) -> str:
        """Where the time goes and where it varies, of the packets so far; empty without one."""
        if self._first is None:
            return ""
        noun = "round-trip time" if self._first.name == ROUND_TRIP else f"delay {self._first.name}"
        mean_ns = float(self._means().sum() * NS_PER_S / self._first.steps.samplerate_hz)
        kind, share = largest_kind(self.means)
        where = f"{share_text(share)} of the mean {noun} of {time_text(mean_ns)} is spent {SPENT[kind]}"
        jitter = ""
        if self.variances and self._n >= MIN_FOR_VARIANCE:
            kind, share = largest_kind(self.variances)
            jitter = f"; {share_text(min(share, MAX_SHARE))} of its variance arises {SPENT[kind]}"
        return f"Of {number_text(self._n)} packets so far: {where}{jitter}."

    def _means(self) -> NDArray[np.float64]:
        assert self._first is not None
        means: NDArray[np.float64] = self._first.steps.samples[0] + self._sums / self._n
        return means

    def _by_kind(self, shares: NDArray[np.float64]) -> dict[Kind, float]:
        assert self._first is not None
        kinds: dict[Kind, float] = {}
        for step, share in zip(self._first.steps.steps, shares.tolist(), strict=True):
            kinds[step.kind] = kinds.get(step.kind, 0.0) + share
        return kinds
