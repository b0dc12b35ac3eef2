"""A comparison in sentences."""

from __future__ import annotations

import dataclasses
import math

from gpiorig.analysis.comparing.assertions import interval_text
from gpiorig.analysis.comparing.compare import Change, Comparison
from gpiorig.analysis.comparing.thresholds import Outcome
from gpiorig.analysis.inference.intervals import Interval
from gpiorig.analysis.quantity import count_text, share_text, time_text

LISTED = 12  # changed delays, and delays that only one run has, that are written out


def sentences(found: Comparison, *, resolution_ns: float) -> list[str]:
    """What changed, the largest change first, and what did not.

    Parameters
    ----------
    found
        The comparison.
    resolution_ns
        How far equal delays may seem apart; the uncertainty of changes that chance hardly moves.
    """
    changed = found.changed
    compared = count_text(len(found.changes), "delay")
    lines = [f"{len(changed)} of {compared} changed." if changed else f"None of {compared} changed."]
    lines += [_change(each, resolution_ns) for each in changed[:LISTED]]
    if len(changed) > LISTED:
        lines.append(f"And {len(changed) - LISTED} more, by less.")
    lines += _unchanged(found, resolution_ns)
    for names, run in ((found.only_base, "base"), (found.only_new, "new run")):
        if names:
            more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            lines.append(f"Only the {run} has {', '.join(names[:LISTED])}{more}.")
    lines.append(
        f"Lost: {interval_text(found.base_loss, share=True)} before, {interval_text(found.new_loss, share=True)} now; "
        f"p = {found.p_loss:.2g} if losses are independent."
    )
    return lines


def outcome_sentence(found: Outcome) -> str:
    """Whether a threshold is exceeded, with the change that was found."""
    worst = found.exceeded or tuple(
        sorted(found.changes, key=lambda name: -abs(_or_zero(found.changes[name].value)))[:1]
    )
    share = found.threshold.relative or not found.threshold.statistic
    said = "; ".join(f"{name} {_signed(found.changes[name], share=share)}" for name in worst)
    return f"{found.threshold.text}: {'exceeded' if found.exceeded else 'kept'}: {said}"


def _change(each: Change, resolution_ns: float) -> str:
    """One delay that changed: by its median, else its mean, else by whatever quantile moved."""
    for change, where in ((each.median_ns, ""), (each.mean_ns, " in the mean")):
        if change.low > 0 or change.high < 0:
            direction = "slower" if change.value > 0 else "faster"
            before = time_text(each.base_median_ns, digits=4)
            return f"{each.name} got {direction}{where} by {_size(change, resolution_ns)}; its median was {before}."
    spread = each.spread.value
    ratio = "" if math.isnan(spread) else f", its standard deviation is {spread:.3g} times as large"
    return f"{each.name} has another distribution: a quantile moved by {time_text(each.moved_ns)}{ratio}."


def _unchanged(found: Comparison, resolution_ns: float) -> list[str]:
    """How far those may have moved that did not change."""
    bounds = {each.name: _bound(each.median_ns) for each in found.changes if not each.changed}
    known = {name: bound for name, bound in bounds.items() if not math.isnan(bound)}
    if not bounds:
        return []
    if not known:
        return [f"{count_text(len(bounds), 'delay')} cannot be told apart, with too few packets."]
    widest = max(known, key=lambda name: known[name])
    within = sum(bound <= resolution_ns for bound in known.values())
    return [
        f"{count_text(len(bounds), 'delay')} did not change as far as can be told: the median of {within} by no more "
        f"than {time_text(resolution_ns)}, of {widest} by no more than {time_text(known[widest])}."
    ]


def _bound(change: Interval) -> float:
    """The largest change within the interval; the value itself where there is none."""
    ends = [abs(end) for end in (change.value, change.low, change.high) if not math.isnan(end)]
    return max(ends, default=math.nan)


def _size(change: Interval, resolution_ns: float) -> str:
    """A change without its sign; what chance makes less of than the analyzer resolves has that for an uncertainty."""
    if change.high - change.low < resolution_ns:
        return (
            f"{time_text(abs(change.value), digits=4)}, as well as the analyzer resolves (± {time_text(resolution_ns)})"
        )
    if change.value < 0:
        change = dataclasses.replace(change, value=-change.value, low=-change.high, high=-change.low)
    return interval_text(change)


def _signed(change: Interval, *, share: bool) -> str:
    def text(value: float) -> str:
        if math.isnan(value):
            return "open"
        sign = "+" if value > 0 else "-" if value < 0 else ""
        return sign + (share_text(abs(value)) if share else time_text(abs(value), digits=4))

    if math.isnan(change.low) and math.isnan(change.high):
        return f"{text(change.value)} ({change.note})" if change.note else text(change.value)
    return f"{text(change.value)} ({100 * change.confidence:g} % interval {text(change.low)} to {text(change.high)})"


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value
