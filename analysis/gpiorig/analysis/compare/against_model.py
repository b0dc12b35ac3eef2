"""A run on hardware against one of a virtual bench: which steps the model has wrong, beyond the ± of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gpiorig.analysis.compare.assertions import LISTED
from gpiorig.analysis.compare.comparison import Change, Comparison
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.delays.model_doubt import Range, range_text, signed
from gpiorig.analysis.number_text import MINUS, count_text, share_text, time_text, uncertain_text

Verdict = Literal["agrees", "differs", "unknown"]


@dataclass(frozen=True, slots=True)
class Row:
    """One delay, measured and of the model; times in ns, uncertainties with k = 2.

    Parameters
    ----------
    name
        Name of the delay.
    measured_ns, measured_expanded_ns
        Median on hardware, and what the instruments leave open.
    model_ns, model_expanded_ns
        The same of the virtual bench, whose analyzer is one, too.
    model
        By how much hardware may be faster and slower than the timing model.
    difference_ns
        Model minus measured.
    low_ns, high_ns
        The interval of the difference: both instruments, the timing model, and the 95 % interval of the medians.
    share
        Size of the difference as a share of the measured total.
    """

    name: str
    measured_ns: float
    measured_expanded_ns: float
    model_ns: float
    model_expanded_ns: float
    model: Range
    difference_ns: float
    low_ns: float
    high_ns: float
    share: float

    @property
    def verdict(self) -> Verdict:
        """Whether 0 lies within the interval of the difference; unknown without one."""
        if math.isnan(self.low_ns + self.high_ns):
            return "unknown"
        return "agrees" if self.low_ns <= 0 <= self.high_ns else "differs"

    @property
    def beyond_ns(self) -> float:
        """How far the difference is from agreement, with its sign; 0 where it agrees."""
        return 0.0 if self.verdict != "differs" else min(self.low_ns, self.high_ns, key=abs)

    @property
    def verdict_text(self) -> str:
        """The verdict with its size."""
        if self.verdict == "agrees":
            return "agrees within ± and its doubt"
        if self.verdict == "unknown":
            return "unknown: too few packets"
        return f"differs by {time_text(abs(self.beyond_ns))} beyond them, the model is {_direction(self.difference_ns)}"


def rows(base: Delays, new: Delays, comparison: Comparison) -> tuple[Row, ...]:
    """The delays of a pair of which one is virtual: the total, then those that differ, the largest share first.

    Quantities other than steps are not among them: their ends are not known to the instruments.
    """
    virtual_is_new = new.virtual
    measured, virtual = (base, new) if virtual_is_new else (new, base)
    total_ns = comparison.changes[0].base_median_ns if virtual_is_new else comparison.changes[0].new_median_ns
    total, *steps = (
        _row(change, measured, virtual, virtual_is_new=virtual_is_new, total_ns=total_ns)
        for change in comparison.changes
        if change.name in measured.accuracies and change.name in virtual.accuracies
    )
    order = ("differs", "unknown", "agrees")
    return (total, *sorted(steps, key=lambda row: (order.index(row.verdict), -row.share)))


def _row(change: Change, measured: Delays, virtual: Delays, *, virtual_is_new: bool, total_ns: float) -> Row:
    medians = (change.base_median_ns, change.new_median_ns)
    measured_ns, model_ns = medians if virtual_is_new else medians[::-1]
    moved = change.median_ns
    ends = (moved.low, moved.high) if virtual_is_new else (-moved.high, -moved.low)
    difference_ns = model_ns - measured_ns
    of_measured, of_model = measured.accuracies[change.name], virtual.accuracies[change.name]
    expanded, model = (of_measured.expanded_ns, of_model.expanded_ns), of_model.model
    # The model may have to become longer by model.high_ns: then so does the difference.
    down_ns = math.hypot(*expanded, model.low_ns, difference_ns - ends[0])
    up_ns = math.hypot(*expanded, model.high_ns, ends[1] - difference_ns)
    return Row(
        name=change.name,
        measured_ns=measured_ns,
        measured_expanded_ns=expanded[0],
        model_ns=model_ns,
        model_expanded_ns=expanded[1],
        model=model,
        difference_ns=difference_ns,
        low_ns=difference_ns - down_ns,
        high_ns=difference_ns + up_ns,
        share=abs(difference_ns) / total_ns,
    )


def summary(table: Sequence[Row]) -> str:
    """Whether the total agrees, how many steps differ, and which most: one sentence."""
    total, *steps = table
    differing = [row for row in steps if row.verdict == "differs"]
    _, measured, model, doubt, difference, _, verdict = cells(total)
    text = (
        f"Measured {measured}, by the model {model} (its doubt {doubt}): {difference}, {verdict}; {len(differing)} of "
        f"{count_text(len(steps), 'step')} differ beyond them"
    )
    if not differing:
        return f"{text}."
    worst = differing[0]
    return f"{text}, most {worst.name}: {signed(worst.difference_ns)}, {share_text(worst.share)} of the measured total."


def sentences(table: Sequence[Row]) -> list[str]:
    """The summary, and one on each of the steps that differ most."""
    differing = [row for row in table[1:] if row.verdict == "differs"]
    lines = [
        f"{row.name}: measured {measured}, by the model {model} (its doubt {doubt}): {difference}, {share} "
        f"of the total; {verdict}."
        for row in differing[:LISTED]
        for _, measured, model, doubt, difference, share, verdict in (cells(row),)
    ]
    more = len(differing) - LISTED
    return [summary(table), *lines, *([f"And {more} more, by less."] if more > 0 else [])]


def cells(row: Row, *, name: str = "") -> tuple[str, ...]:
    """The cells of `HEADER`."""
    return (
        name or row.name,
        uncertain_text(row.measured_ns, row.measured_expanded_ns),
        uncertain_text(row.model_ns, row.model_expanded_ns),
        range_text(row.model),
        signed(row.difference_ns),
        share_text(row.share),
        row.verdict_text,
    )


HEADER = ("<delay", "measured", "model", "doubt of the model", f"model {MINUS} measured", "of the total", "<verdict")


def _direction(difference_ns: float) -> str:
    return "slower" if difference_ns > 0 else "faster"
