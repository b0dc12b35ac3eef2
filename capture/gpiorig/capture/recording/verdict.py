"""The verdict on a recording: complete, or incomplete and why. One rule, however the recording came to be.

Complete means: no gap, no loss, no interruption, nothing else that whoever made it calls a problem, and for every
interval of time a bound states what loss would have been found. All but the problems is read from the files and the
description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from gpiorig.capture.edges import bounds as edge_bounds
from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.losses import Loss, describe, disjoint
from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording.segment_reader import SegmentReader

MAX_LOSSES = 1000  # in recording.toml
MAX_NAMED = 5  # losses, and gaps, that the reason names
RESUMED = "before it was resumed: "
MORE = re.compile(r"and \d+ more (?:losses|gaps)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is in the description of a finished recording.

    Attributes
    ----------
    state, reason
        Whether it is complete, and why it is not.
    losses, bounds
        As in `RecordingInfo`.
    """

    state: Literal["complete", "incomplete"]
    reason: str
    losses: tuple[Loss, ...]
    bounds: tuple[Bound, ...]


def verdict(
    edges_folder: Path,
    *,
    samplerate_hz: Fraction,
    earlier: str,
    problems: Iterable[str],
    losses: Iterable[Loss],
    bounds: Iterable[Bound],
    unchecked: str = "",
    groups: int = 0,
) -> Verdict:
    """Judge a recording whose files are written; bounds are cut at their end.

    Parameters
    ----------
    edges_folder
        Its segment files.
    samplerate_hz
        Samples per second.
    earlier
        Why it was incomplete before it was resumed; "" where it was not.
    problems
        What whoever made it knows to be wrong, other than losses and gaps.
    losses, bounds
        All of the recording, those from before it was resumed included, in any order.
    unchecked
        Why nothing was there to look for losses, where no bound states more.
    groups
        As of `Waveform`.
    """
    rate_hz = float(samplerate_hz)
    disjoint_losses = disjoint(losses)
    files = _Files(edges_folder)
    reasons = list(problems)
    stated_losses = disjoint_losses[:MAX_LOSSES]
    if len(stated_losses) < len(disjoint_losses):
        reasons.append(f"samples were lost {len(disjoint_losses)} times; the first {MAX_LOSSES} are put in as gaps")
    reasons += _named([describe(loss, samplerate_hz=rate_hz) for loss in stated_losses], "losses")
    reasons += _named(list(_unexplained(_lossy(files.gaps, groups), stated_losses, rate_hz)), "gaps")
    reasons = [*_earlier(earlier, reasons), *reasons]
    given = [*bounds, *(edge_bounds.unchecked(files.end, unchecked) if unchecked else ())]
    within = [structs.replace(bound, end=min(bound.end, files.end)) for bound in given if bound.start < files.end]
    stated = edge_bounds.tightest(within)
    if not reasons:
        reasons += files.problems
        if interval := edge_bounds.uncovered(stated, files.end):
            reasons.append(f"nothing states what would have been found in samples {interval[0]} to {interval[1]}")
    return Verdict(
        state="incomplete" if reasons else "complete", reason="; ".join(reasons), losses=stated_losses, bounds=stated
    )


class _Files:
    """What the segment files hold: gaps, end, and what is wrong with them."""

    def __init__(self, folder: Path) -> None:
        reader = SegmentReader(folder)
        gaps = [no_gaps()]
        self.problems: list[str] = []
        try:
            gaps += [block.gaps for block in reader if block.gaps.size]
        except FormatError as error:
            self.problems.append(str(error))
        if reader.torn:
            self.problems.append(f"{reader.torn}: the last block was cut short")
        elif not reader.closed and reader.blocks and not self.problems:
            self.problems.append(f"{folder}: the capture was not closed in order")
        self.gaps: NDArray[np.int64] = np.concatenate(gaps)
        self.end = reader.watermark


def _earlier(reason: str, stated: Sequence[str]) -> list[str]:
    """Why it was incomplete before it was resumed; its losses are among what is stated anyway."""
    parts = [part for part in reason.removeprefix(RESUMED).split("; ") if part and part not in stated]
    parts = [part for part in parts if not MORE.fullmatch(part)]
    return [RESUMED + "; ".join(parts)] if parts else []


def _named(sentences: Sequence[str], kind: str) -> list[str]:
    more = len(sentences) - MAX_NAMED  # as `MORE`
    return [*sentences[:MAX_NAMED], *([f"and {more} more {kind}"] if more > 0 else [])]


def _lossy(gaps: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """The gaps that do not separate groups; all where more of them have one sample than groups can have between."""
    is_single = gaps[:, 1] - gaps[:, 0] == 1
    return gaps[~is_single] if np.count_nonzero(is_single) < groups else gaps


def _unexplained(gaps: NDArray[np.int64], losses: Sequence[Loss], rate_hz: float) -> Iterator[str]:
    """The gaps of the files that no loss accounts for."""
    explained: list[list[int]] = []
    for loss in losses:
        if loss.in_files and explained and explained[-1][1] == loss.start:
            explained[-1][1] = loss.end
        elif loss.in_files:
            explained.append([loss.start, loss.end])
    for start, end in gaps.tolist():
        if not any(first <= start and end <= last for first, last in explained):
            yield f"{end - start} samples are missing at {start / rate_hz:.6f} s (samples {start} to {end}): a gap"
