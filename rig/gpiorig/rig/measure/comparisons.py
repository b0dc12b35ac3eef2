"""Delays against another number or against a nominal value, as JSON and as text."""

from __future__ import annotations

from typing import Any

from gpiorig.analysis.number_text import count_text, plus_minus, round_time_text, signed_text, time_text, uncertain_text
from gpiorig.rig.plain_json import Number, Result

ENDS = ("intercept", "slope")


class FitNumbers(Result, frozen=True, kw_only=True):
    """A line of delays over another number, from its least to its largest value, with the parts of uncertainties."""

    n: int
    least: Number
    largest: Number
    intercept_ns: Number
    slope_ns: Number
    intercept_scatter_ns: Number
    slope_scatter_ns: Number
    intercept_step_ns: Number
    slope_step_ns: Number
    step_ns: Number
    residual_std_ns: Number
    intercept_uncertainty_ns: Number
    slope_uncertainty_ns: Number


def fit_text(numbers: dict[str, Any] | None) -> str:
    """A fit in one sentence, from its JSON."""
    if numbers is None:
        return "against: no line, which needs three delays and two values of it"
    scatter = time_text(numbers["residual_std_ns"])
    intercept, slope = (uncertain_text(numbers[f"{name}_ns"], numbers[f"{name}_uncertainty_ns"]) for name in ENDS)
    parts = f"residuals {time_text(numbers['slope_scatter_ns'])}"
    if numbers["step_ns"]:
        parts += f", timestamps in steps of {time_text(numbers['step_ns'])} {time_text(numbers['slope_step_ns'])}"
    else:
        parts += "; the step of the timestamps is not known"
    return (
        f"against {numbers['least']:g} to {numbers['largest']:g}: {intercept} + {slope} per unit "
        f"(least squares, k = 2; of the slope: {parts}); residual standard deviation {scatter}"
    )


class DeviationNumbers(Result, frozen=True, kw_only=True):
    """The deviation of a mean period from a nominal one in ppm, and the parts of its uncertainty (k = 2)."""

    nominal_ns: float
    ppm: Number
    ends_ppm: Number
    scatter_ppm: Number
    clock_ppm: Number
    runs: int
    uncertainty_ppm: Number


def deviation_text(numbers: dict[str, Any] | None, *, clock: str) -> str:
    """A deviation in one sentence, from its JSON; `clock` names that of the times."""
    if numbers is None:
        return "no period to compare"
    parts = [f"ends ± {numbers['ends_ppm']:.2g}"]
    parts += [f"scatter ± {numbers['scatter_ppm']:.2g}"] if numbers["scatter_ppm"] is not None else []
    limit, expanded = numbers["clock_ppm"], numbers["uncertainty_ppm"]
    parts.append(f"{clock} ± {limit:.3g}")
    mean = plus_minus(numbers["ppm"], expanded, sign="+") if expanded else signed_text(numbers["ppm"], ".3f")
    parts.append(count_text(numbers["runs"], "run"))
    return f"mean {mean} ppm from {round_time_text(numbers['nominal_ns'])} (k = 2; {', '.join(parts)})"
