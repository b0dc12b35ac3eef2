"""Thresholds: how much a run may differ from another one, such as ``rtt.p99 +5 %``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpiorig.analysis.comparing import assertions, compare
from gpiorig.analysis.comparing.assertions import AMOUNT, PERCENT, QUANTITY
from gpiorig.analysis.comparing.delays import LOSS, Delays
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.inference.intervals import CONFIDENCE, NAN, Interval

EXAMPLE = "`rtt.p99 +5 %`, `isr.median +-2 us` or `loss +1 %`"
_THRESHOLD = re.compile(rf"\s*{QUANTITY}\s*(?P<sign>\+-|±|\+|-)\s*{AMOUNT}\s*")


@dataclass(frozen=True, slots=True)
class Threshold:
    """The largest change.

    Parameters
    ----------
    text
        As it was written.
    quantity, statistic
        As of `assertions.Assertion`.
    up, down
        Whether it limits growth, and decrease.
    limit
        In ns; a share of the base's value where `relative`; of the loss, a difference of shares.
    relative
        Whether the unit is percent of the base's value.
    """

    text: str
    quantity: str
    statistic: str
    up: bool
    down: bool
    limit: float
    relative: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a comparison says of a threshold.

    Parameters
    ----------
    threshold
        The threshold.
    exceeded
        Names of the delays that changed by more, where chance alone does not explain a change in that direction.
    changes
        By name of the delay: its change, in ns or as a share.
    """

    threshold: Threshold
    exceeded: tuple[str, ...]
    changes: dict[str, Interval]


def parse(text: str) -> Threshold:
    """One threshold: quantity.statistic, sign, amount and unit.

    Raises
    ------
    QuantityError
        It cannot be understood; the message says which part, and what would be valid.
    """
    match = _THRESHOLD.fullmatch(text)
    where = f"threshold `{text}`"
    if not match:
        raise QuantityError(f"{where}: not understood; write it like {EXAMPLE}.")
    quantity, statistic = assertions.what(match, where)
    share = quantity == LOSS or match["unit"] == PERCENT
    sign = match["sign"]
    return Threshold(
        text=text.strip(),
        quantity=quantity,
        statistic=statistic,
        up=sign != "-",
        down=sign != "+",
        limit=assertions.amount(match, where, share=share),
        relative=share and quantity != LOSS,
    )


def judge(threshold: Threshold, base: Delays, new: Delays, found: compare.Comparison) -> Outcome:
    """Whether a comparison exceeds a threshold.

    It does where the change that was found is beyond the limit and its interval lies on that side of no change; where
    there is no interval, as of extremes, the change alone decides. A threshold for several delays takes those only
    that have changed at `LEVEL` after the correction for their number.

    Raises
    ------
    QuantityError
        A run has no such delay.
    """
    if threshold.quantity == LOSS:
        value = found.new_loss.value - found.base_loss.value
        change = Interval(value, NAN, NAN, "Fisher's exact test", note=f"p = {found.p_loss:.2g}")
        sure = found.p_loss < 1 - CONFIDENCE
        return Outcome(threshold, (LOSS,) if sure and _beyond(threshold, change) else (), {LOSS: change})
    shared = [name for name in base.named(threshold.quantity) if name in new.named(threshold.quantity)]
    changes = {
        name: compare.difference(
            base.values[name] * base.period_ns,
            new.values[name] * new.period_ns,
            threshold.statistic,
            combine=compare.less_relative if threshold.relative else compare.less,
        )
        for name in shared
    }
    significant = {each.name for each in found.changes if each.changed}
    exceeded = tuple(
        name
        for name, change in changes.items()
        if _beyond(threshold, change) and (len(shared) == 1 or name in significant)
    )
    return Outcome(threshold, exceeded, changes)


def _beyond(threshold: Threshold, change: Interval) -> bool:
    """Whether a change is beyond a limit, and its interval on the same side of 0."""
    grown = change.value > threshold.limit and not change.low <= 0
    shrunk = change.value < -threshold.limit and not change.high >= 0
    return (threshold.up and grown) or (threshold.down and shrunk)
