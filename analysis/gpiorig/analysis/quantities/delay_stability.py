"""Stability of the delays of packets over the observation interval: MTIE, TDEV and MAVAR.

The phase x of the definitions is the delay of each packet (or its interval, span, wait, …), at the instants at which
they begin, on an even grid of their median distance tau0. A point without a packet nearby is a gap: a window of MTIE
leaves it out, a difference with one is not used. ITU-T G.810 (08/1996), appendix II: MTIE(n tau0) in II.5, TDEV in
II.3; MAVAR is the square of MADEV in II.2, and so 3 (TDEV / tau)^2. Delays have no frequency offset; none is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.clocks import stability
from gpiorig.analysis.clocks.stability import NS_PER_S, Grid, Stability
from gpiorig.analysis.columns import COUNT, NUMBER, TEXT, Schema
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Series

TABLE = "delay_stability"
MIN_VALUES = 8  # as for clocks: fewer have no second differences worth a number
MTIE, TDEV, MAVAR = "mtie", "tdev", "mavar"
_STATISTIC = re.compile(rf"({MTIE}|{TDEV}|{MAVAR})([1-9]\d*)")
Floats = NDArray[np.float64]


def is_statistic(name: str) -> bool:
    """Whether it is the name of one: ``mtie8`` is MTIE over 8 steps of the grid, of 9 packets."""
    return _STATISTIC.fullmatch(name) is not None


def has_unit(name: str) -> bool:
    """Whether its value is in the unit of the delays; MAVAR has no unit."""
    return not name.startswith(MAVAR)


def statistic(name: str, times_ns: Floats, starts_ns: Floats) -> float:
    """The value of ``mtie8``, ``tdev8`` in ns, of ``mavar8`` without a unit; NaN where the record is too short.

    Parameters
    ----------
    name
        The statistic.
    times_ns, starts_ns
        float64[k], the delays and when each began, in any order.
    """
    match = _STATISTIC.fullmatch(name)
    if match is None:
        raise QuantityError(f"statistic `{name}` is unknown; write it like `{MTIE}8`, `{TDEV}8` or `{MAVAR}8`.")
    grid = _grid(times_ns, starts_ns)
    steps = np.array([int(match[2])], dtype=np.int64)
    if len(times_ns) < MIN_VALUES or steps[0] >= len(grid.phase_ns):
        return stability.NAN
    tau0_s = grid.tau0_ns / NS_PER_S
    if match[1] == MTIE:
        return float(stability.mtie(grid.phase_ns, tau0_s, steps)[0])
    if match[1] == TDEV:
        return float(stability.tdev(grid.phase_ns, tau0_s, steps)[0])
    return float(stability.mdev(grid.phase_ns / NS_PER_S, tau0_s, steps)[0] ** 2)


def of_series(series: Iterable[Series], samplerate_hz: Fraction) -> tuple[Stability, ...]:
    """The stability of each series of times with enough values, at octaves of the grid's step."""
    ns_per_sample = np.float64(NS_PER_S / samplerate_hz)
    return tuple(
        stability.stability(times.name, _grid(times.values * np.float64(times.scale), times.starts * ns_per_sample))
        for times in series
        if times.quantity.kind.unit is Unit.TIME and not times.quantity.kind.single and len(times.values) >= MIN_VALUES
    )


_ROWS: Schema = {
    "quantity": (TEXT, lambda row: row[0].clock),
    "tau_s": (NUMBER, lambda row: row[0].taus_s[row[1]]),
    "mtie_ns": (NUMBER, lambda row: row[0].mtie_ns[row[1]]),
    "tdev_ns": (NUMBER, lambda row: row[0].tdev_ns[row[1]]),
    MAVAR: (NUMBER, lambda row: mavars(row[0])[row[1]]),
    "n": (COUNT, lambda row: row[0].n),
    "missing": (COUNT, lambda row: row[0].missing),
}


def table(delays: Iterable[Stability]) -> pa.Table:
    """One row for each observation interval of each quantity at a node."""
    rows = [(delay, place) for delay in delays for place in range(len(delay.taus_s))]
    return columns.of_rows(rows, _ROWS, nan_is_null=True)


def mavars(delay: Stability) -> Floats:
    """float64[t], MAVAR at each averaging time."""
    return np.asarray(3 * (delay.tdev_ns / NS_PER_S / delay.taus_s) ** 2)


def _grid(times_ns: Floats, starts_ns: Floats) -> Grid:
    instants, rows = np.unique(np.rint(starts_ns.astype(np.float64)).astype(np.int64), return_index=True)
    phase: Floats = times_ns[rows].astype(np.float64)
    return stability.to_grid(instants, phase - (phase[0] if len(phase) else 0))
