"""A comparison in sentences."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from gpiorig.analysis.compare.against_model import Row
from gpiorig.analysis.compare.against_model import sentences as model_sentences
from gpiorig.analysis.compare.assertions import LISTED, interval_text, with_ends
from gpiorig.analysis.compare.comparison import Change, Comparison
from gpiorig.analysis.compare.thresholds import Outcome
from gpiorig.analysis.number_text import MINUS, count_text, resolved_text, time_text
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.statistics.intervals import Interval


def sentences(comparison: Comparison, *, against_model: Sequence[Row] = ()) -> list[str]:
    """Sentences on the changed delays, the largest change first, and on the unchanged ones.

    Of a measured run and one of a virtual bench, whose rows are given, on what the model has right and wrong.
    """
    if not comparison.new_complete:
        return [
            "No packet of the new run is complete on the pins, so its delays are unknown.",
            _lost(comparison),
        ]
    lines = model_sentences(against_model) if against_model else _changes(comparison)
    for names, run in ((comparison.only_base, "base"), (comparison.only_new, "new run")):
        if names:
            more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            lines.append(f"Only the {run} has {', '.join(names[:LISTED])}{more}.")
    return [*lines, _lost(comparison)]


def _changes(comparison: Comparison) -> list[str]:
    changed, resolution_ns = comparison.changed, comparison.resolution_ns
    compared = count_text(len(comparison.changes), "delay")
    lines = [f"{len(changed)} of {compared} changed." if changed else f"None of {compared} changed."]
    lines += [_change(change, resolution_ns) for change in changed[:LISTED]]
    if len(changed) > LISTED:
        lines.append(f"And {len(changed) - LISTED} more, by less.")
    return lines + _unchanged(comparison, resolution_ns)


def outcome_sentence(judged: Outcome, *, resolution_ns: float) -> str:
    """The outcome of a threshold with the changes that exceed it; without one, with the change nearest to it."""
    nearest = max(judged.changes, key=lambda name: judged.threshold.side(_or_zero(judged.changes[name].value)))
    share = judged.threshold.relative or not judged.threshold.statistic
    shown = judged.exceeded or judged.unknown or judged.doubtful or (nearest,)
    texts = [
        f"{name} {signed_text(judged.changes[name], share=share, resolution_ns=resolution_ns)}"
        for name in shown[:LISTED]
    ]
    texts += [f"and {len(shown) - LISTED} more"] if len(shown) > LISTED else []
    outcome = "exceeded" if judged.exceeded else "cannot be judged" if judged.unknown else "kept"
    doubt = ""
    if outcome == "kept" and judged.doubtful:
        doubt = "; beyond the threshold, but chance or the sampling may explain it"
    return f"{judged.threshold.text}: {outcome}: {'; '.join(texts)}{doubt}"


def _lost(comparison: Comparison) -> str:
    if any(comparison.cuts):
        named = zip(("base", "new run"), comparison.cuts, strict=True)
        why = " and ".join(f"the recording of the {name} is {cut}" for name, cut in named if cut)
        return f"Lost packets cannot be compared: {why}."
    before, now = (interval_text(loss, Unit.SHARE) for loss in (comparison.base_loss, comparison.new_loss))
    sentence = f"Lost: {before} before, {now} now; p = {comparison.p_loss:.2g} if losses are independent"
    return f"{sentence}: the loss changed." if comparison.loss_changed else f"{sentence}."


def total_sentence(comparison: Comparison, *, noun: str, opening: str, place: str = "") -> str:
    """What was changed and what it did to the total delay, and how many delays changed: one sentence.

    Parameters
    ----------
    comparison
        With a complete packet in both runs: its first delay is the total.
    noun
        Name of the total delay.
    opening
        What was changed, a few words.
    place
        Where the change of the mean arises, a clause; for a total that changed in its median or mean.
    """
    total, resolution_ns = comparison.changes[0], comparison.resolution_ns
    lost = "; the loss changed, too" if comparison.loss_changed else ""
    count = f"{len(comparison.changed)} of {count_text(len(comparison.changes), 'delay')} changed{lost}"
    shifted = shift(total, resolution_ns)
    if total.changed and shifted is not None:
        change, where = shifted
        medians = f"{time_text(total.base_median_ns, digits=4)} to {time_text(total.new_median_ns, digits=4)}"
        of = f"mean {noun} (median {medians})" if where else f"median {noun} ({medians})"
        return f"{opening}: {signed_time(change.value)} in the {of}{place}; {count}."
    if total.changed:
        moved = f"a quantile of it moves by {time_text(total.moved_ns)}, its median does not measurably"
        return f"{opening}: another distribution of the {noun}, {moved}; {count}."
    bound = _bound(total.median_ns)
    known = "too few packets to tell by how much" if math.isnan(bound) else (
        f"its median by no more than {time_text(max(bound, resolution_ns))}"
    )  # fmt: skip
    return f"{opening}: the {noun} does not change measurably ({known}); {count}."


def signed_time(ns: float) -> str:
    """A difference with its sign: ``+1.00 ms``."""
    return f"{'+' if ns > 0 else ''}{time_text(ns)}"


def shift(change: Change, resolution_ns: float) -> tuple[Interval, str] | None:
    """By how much a delay moved, and by which statistic: its median, else its mean; None for neither."""
    for interval, where in ((change.median_ns, ""), (change.mean_ns, " in the mean")):
        if (interval.low > 0 or interval.high < 0) and abs(interval.value) > resolution_ns:
            return interval, where
    return None


def _change(one_change: Change, resolution_ns: float) -> str:
    """A sentence on one changed delay: by its median, else its mean, else the quantile that moved."""
    shifted = shift(one_change, resolution_ns)
    if shifted is not None:
        change, where = shifted
        direction = "slower" if change.value > 0 else "faster"
        before = time_text(one_change.base_median_ns, digits=4)
        return f"{one_change.name} got {direction}{where} by {_size(change, resolution_ns)}; its median was {before}."
    spread = one_change.spread.value
    ratio = "" if math.isnan(spread) else f", its standard deviation is {spread:.3g} times as large"
    return f"{one_change.name} has another distribution: a quantile moved by {time_text(one_change.moved_ns)}{ratio}."


def _unchanged(comparison: Comparison, resolution_ns: float) -> list[str]:
    """A sentence on the largest moves that the unchanged delays may have made."""
    bounds = {change.name: _bound(change.median_ns) for change in comparison.changes if not change.changed}
    known = {name: bound for name, bound in bounds.items() if not math.isnan(bound)}
    if not bounds:
        return []
    if not known:
        return [f"{count_text(len(bounds), 'delay')} cannot be distinguished: too few packets."]
    widest = max(known, key=lambda name: known[name])
    within = sum(bound <= resolution_ns for bound in known.values())
    parts = [f"of {within} by no more than {time_text(resolution_ns)}"] if within else []
    if within < len(known):
        parts.append(f"of {widest} by no more than {time_text(known[widest])}")
    unknown = f"; of {len(bounds) - len(known)} it is unknown (too few packets)" if len(known) < len(bounds) else ""
    sentence = f"{count_text(len(bounds), 'delay')} did not change measurably"
    return [f"{sentence}: the median {', '.join(parts)}{unknown}."]


def _bound(change: Interval) -> float:
    """The largest change within the interval; NaN without an interval."""
    return max(abs(change.value), abs(change.low), abs(change.high)) if not math.isnan(change.low) else math.nan


def _size(change: Interval, resolution_ns: float) -> str:
    """A change without its sign; its uncertainty is at least the resolution of the analyzer."""
    if change.high - change.low < resolution_ns:
        size = resolved_text(abs(change.value), resolution_ns)
        return f"{size}, to the resolution of the analyzer (± {time_text(resolution_ns)})"
    if change.value < 0:
        change = dataclasses.replace(change, value=-change.value, low=-change.high, high=-change.low)
    return interval_text(change)


def signed_text(change: Interval, *, share: bool, resolution_ns: float) -> str:
    """A change with its sign and its interval, or with the resolution of the analyzer where that is larger."""

    def text(value: float) -> str:
        if math.isinf(value):
            return "from 0 up"
        percent = 100 * abs(value)
        digits = f"{percent:.3g}" if percent < 999.5 else f"{percent:.0f}"
        size = f"{digits} %" if share else resolved_text(abs(value), max(change.half_width, resolution_ns))
        return ("+" if value > 0 else MINUS if value < 0 else "") + size

    if not share and change.high - change.low < resolution_ns:
        return f"{text(change.value)} (± {time_text(resolution_ns)})"
    return with_ends(change, text)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value
