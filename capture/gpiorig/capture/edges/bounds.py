"""Bounds of losses: how many samples can be missing in an interval of a recording without having been found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import msgspec

from gpiorig.capture.edges.losses import Samples
from gpiorig.capture.units import suited

MAX_NAMED = 5  # intervals in a sentence
FEW_SAMPLES = 100  # below this a limit is stated as a number of samples, else as a time


class Bound(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of losses in an interval of a recording.

    Attributes
    ----------
    start, end
        The interval [start, end), in sample numbers of the segment files.
    limit_samples
        A loss of this many samples or more would have been found there; unset: no size of loss would have been.
    found_by
        By what; where `limit_samples` is unset, "none: " and why.
    """

    start: Samples
    end: Samples
    limit_samples: Samples | msgspec.UnsetType = msgspec.UNSET
    found_by: str

    @property
    def is_checked(self) -> bool:
        """Whether a loss of some size would have been found."""
        return self.limit_samples is not msgspec.UNSET

    def shows(self, samples: int) -> bool:
        """Whether a loss of this size would have been found."""
        return self.limit_samples is not msgspec.UNSET and samples >= self.limit_samples

    def __lt__(self, other: Bound) -> bool:
        """Whether this bound states more than another one: it would have found smaller losses."""
        if self.limit_samples is msgspec.UNSET:
            return False
        return other.limit_samples is msgspec.UNSET or self.limit_samples < other.limit_samples


def unchecked(end: int, why: str) -> tuple[Bound, ...]:
    """The bounds of samples [0, end) that nothing was there to check, and why; none where end is 0."""
    return (Bound(start=0, end=end, found_by=f"none: {why}"),) if end else ()


def tightest(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """For each interval the bound that states most, in order; adjoining intervals of one limit and source are one."""
    return _chosen(bounds, min)


def loosest(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """As `tightest`, but the bound that states least: of recordings that were made into one."""
    return _chosen(bounds, max)


def _chosen(bounds: Iterable[Bound], choose: Callable[[Sequence[Bound]], Bound]) -> tuple[Bound, ...]:
    bounds = sorted(bounds, key=lambda bound: bound.start)
    cuts = sorted({cut for bound in bounds for cut in (bound.start, bound.end)})
    intervals: list[Bound] = []
    valid: list[Bound] = []
    ahead = iter([*bounds, None])
    following = next(ahead)
    for start, end in pairwise(cuts):
        while following is not None and following.start <= start:
            valid.append(following)
            following = next(ahead)
        valid = [bound for bound in valid if bound.end > start]
        if not valid:
            continue
        best = msgspec.structs.replace(choose(valid), start=start, end=end)
        if intervals and msgspec.structs.replace(intervals[-1], start=start, end=end) == best:
            if intervals[-1].end == start:
                best = msgspec.structs.replace(best, start=intervals.pop().start)
        intervals.append(best)
    return tuple(intervals)


def shown(bounds: Iterable[Bound], start: int, end: int, *, samples: int) -> bool:
    """Whether a loss of this size would have been found anywhere in [start, end)."""
    there = [bound for bound in bounds if bound.start < end and start < bound.end]
    return all(bound.shows(samples) for bound in there) and uncovered(there, end, reached=start) is None


def uncovered(bounds: Iterable[Bound], end: int, *, reached: int = 0) -> tuple[int, int] | None:
    """Return the first interval from sample `reached` to `end` for which no bound is stated, or None."""
    for bound in sorted(bounds, key=lambda bound: bound.start):
        if bound.start > reached:
            return reached, min(bound.start, end)
        reached = max(reached, bound.end)
    return (reached, end) if reached < end else None


def sentence(bounds: Sequence[Bound], samplerate_hz: Fraction) -> str:
    """Return the bounds as text without a full stop; "" without any, and of many the first ones."""
    parts: list[str] = []
    previous: Bound | None = None
    for bound in bounds[:MAX_NAMED]:
        interval = f"from {float(bound.start / samplerate_hz):.6g} s to {float(bound.end / samplerate_hz):.6g} s"
        if bound.is_checked:
            size = f"{_size(bound, samplerate_hz)}{'' if previous and previous.is_checked else ' or more'}"
            opening = "of" if previous and previous.is_checked else "a loss of"
            verb = "" if previous and previous.is_checked else " would have been found"
            by = "" if previous and previous.found_by == bound.found_by else f" (by {bound.found_by})"
            parts.append(f"{opening} {size}{verb} {interval}{by}")
        else:
            parts.append(f"no loss would have been found {interval} ({bound.found_by.removeprefix('none: ')})")
        previous = bound
    if len(bounds) > MAX_NAMED:
        parts.append(f"and so on in {len(bounds) - MAX_NAMED} more intervals")
    return ", ".join(parts)


def _size(bound: Bound, samplerate_hz: Fraction) -> str:
    """The limit as a number of samples or as a time."""
    assert bound.limit_samples is not msgspec.UNSET
    if bound.limit_samples < FEW_SAMPLES:
        return f"{bound.limit_samples} sample{'' if bound.limit_samples == 1 else 's'}"
    size_ns = float(bound.limit_samples / samplerate_hz * 10**9)
    scale, unit = suited(size_ns)
    return f"{size_ns / scale:.3g} {unit}"
