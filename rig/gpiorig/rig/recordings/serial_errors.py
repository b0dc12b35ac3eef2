"""How late lines are stamped at the host: quantiles of the errors, for `--audit`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.rig.plain_json import Result

QUANTILES = {"min": 0.0, "median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


class LineErrors(Result, frozen=True, kw_only=True):
    """How much later the lines of a node are at the host; quantiles by name."""

    lines: int
    error_ns: dict[str, int]


class HostErrors(Result, frozen=True, kw_only=True):
    """The errors of timestamps at the host against the pins, `zero` is what they count from (`--audit`)."""

    nodes: dict[str, LineErrors]
    zero: str
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]


class AggregatorErrors(LineErrors, frozen=True, kw_only=True):
    """The errors of the timestamps of IoT-LAB's aggregator, which takes `line_cost_ns` for a line (`--audit`)."""

    line_cost_ns: int
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]


def quantiles(errors_ns: NDArray[np.int64]) -> dict[str, Any]:
    """The fields of `LineErrors`."""
    quantiles_ns = np.quantile(errors_ns, list(QUANTILES.values()), method="lower").tolist() if errors_ns.size else []
    return {"lines": errors_ns.size, "error_ns": dict(zip(QUANTILES, quantiles_ns, strict=False))}
