"""Lost samples: what is known of a loss, and how a recording is read with its losses put in as gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import MAX_SAMPLES, NO_LEVELS, NO_SAMPLES, Block, joined

Samples = Annotated[int, msgspec.Meta(ge=0, le=MAX_SAMPLES)]


class Loss(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Samples that were lost.

    Attributes
    ----------
    start, end
        The loss is in [start, end), in sample numbers of the segment files.
    samples
        How many were lost; 0 when unknown.
    uncertainty
        How far `samples` may be off, in samples.
    found_by
        What found it, as text.
    modulo
        The number may be larger by any multiple of this; 0: it is absolute.
    in_files
        The segment files have the gap already, from `start` to `end`. If not, reading the recording puts it in, and
        counts the samples after it on by `samples`.
    """

    start: Samples
    end: Samples
    samples: Samples
    uncertainty: Samples
    found_by: str
    modulo: Samples = 0
    in_files: bool = False


def disjoint(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Sort losses; of those that overlap one is kept, with the narrower place and, where they agree, the surer size."""
    separate: list[Loss] = []
    for loss in sorted(losses, key=lambda loss: (loss.start, loss.end)):
        if separate and _overlap(separate[-1], loss):
            separate[-1] = _both(*sorted((separate[-1], loss), key=lambda loss: loss.end - loss.start))
        else:
            separate.append(loss)
    return tuple(separate)


def _overlap(earlier: Loss, later: Loss) -> bool:
    """Whether two losses may be the same; one whose place is a sample is in an interval that ends or begins there."""
    is_place = earlier.start == earlier.end or later.start == later.end
    if is_place and not (earlier.in_files or later.in_files):
        return later.start <= earlier.end
    return later.start < earlier.end


def _both(narrow: Loss, wide: Loss) -> Loss:
    agree = abs(narrow.samples - wide.samples) <= narrow.uncertainty + wide.uncertainty
    if wide.in_files or wide.modulo or not wide.samples or wide.uncertainty >= narrow.uncertainty or not agree:
        return narrow
    found_by = f"{narrow.found_by}; its size: {wide.found_by}"
    return msgspec.structs.replace(narrow, samples=wide.samples, uncertainty=wide.uncertainty, found_by=found_by)


def impossible(losses: Sequence[Loss]) -> str:
    """Return what keeps these from being the losses of a recording, or ""."""
    for loss in losses:
        if loss.end < loss.start:
            return f"a loss ends at sample {loss.end}, before its start at {loss.start}"
    for first, second in pairwise(losses):
        if second.start < first.end:
            return f"losses at samples {first.start} and {second.start} overlap, or are not in order"
    if losses and losses[-1].end + sum(loss.samples for loss in losses) > MAX_SAMPLES:
        return "more samples are lost than sample numbers can count"
    return ""


def describe(loss: Loss, *, samplerate_hz: float) -> str:
    """Return a loss as one line of text."""
    where = f"{loss.start / samplerate_hz:.6f} s (samples {loss.start} to {loss.end})"
    if not loss.samples:
        return f"an unknown number of samples was lost at {where}: {loss.found_by}"
    more = f", or any multiple of {loss.modulo} more" if loss.modulo else ""
    return f"{loss.samples} ± {loss.uncertainty} samples were lost at {where}{more}: {loss.found_by}"


def passed(losses: Sequence[Loss], start: int) -> tuple[int, list[Loss]]:
    """Return by how much a sample is counted on, and the losses that are not before it.

    Parameters
    ----------
    losses
        As of `put_in`.
    start
        A sample, counted as `put_in` counts them.
    """
    shift, missing = 0, [loss for loss in losses if not loss.in_files]
    while missing and start >= missing[0].end + shift + missing[0].samples:
        shift += missing.pop(0).samples
    return shift, missing


def put_in(blocks: Iterable[Block], losses: Sequence[Loss], *, shift: int = 0) -> Iterator[Block]:
    """Read blocks of segment files with losses as gaps.

    What is between `start` and `end` of a loss is dropped, since it is unknown on which side of the loss it was, and
    what follows is counted on by `samples`. A loss where the files end is a gap after them.

    Parameters
    ----------
    blocks
        As `SegmentReader` gives them.
    losses
        Disjoint, in order, in sample numbers of the files; those that are gaps in the files are omitted.
    shift
        By how much the samples are counted on for losses before the blocks.
    """
    return joined(_put_in(blocks, [loss for loss in losses if not loss.in_files], shift))


def _put_in(blocks: Iterable[Block], todo: list[Loss], shift: int) -> Iterator[Block]:
    level, inside, known_end = np.uint64(0), False, 0
    for block in blocks:
        known_end = block.end
        samples, levels, gaps = block.samples, block.levels, block.gaps
        while todo and todo[0].start < block.end:
            loss = todo[0]
            if not inside:
                cut = int(np.searchsorted(samples, loss.start))
                if cut:
                    level = levels[cut - 1]
                yield _shifted(samples[:cut], levels[:cut], loss.start, _within(gaps, end=loss.start), shift)
                samples, levels, inside = samples[cut:], levels[cut:], True
            cut = int(np.searchsorted(samples, loss.end, side="right"))
            if cut:
                level = levels[cut - 1]
            samples, levels = samples[cut:], levels[cut:]
            gaps = _within(gaps, start=loss.end)
            if block.end <= loss.end:
                break
            gap = np.array([[loss.start + shift, loss.end + shift + loss.samples]], dtype=np.int64)
            shift += loss.samples
            yield Block(NO_SAMPLES, NO_LEVELS, loss.end + shift, gap)
            samples, levels = np.append(loss.end, samples), np.append(level, levels)
            todo, inside = todo[1:], False
        if not inside:
            if levels.size:
                level = levels[-1]
            yield _shifted(samples, levels, block.end, gaps, shift)
    if todo and (inside or todo[0].start == known_end):  # nothing comes after it
        loss = todo[0]
        gap = np.array([[loss.start + shift, loss.end + shift + loss.samples]], dtype=np.int64)
        yield Block(NO_SAMPLES, NO_LEVELS, int(gap[0, 1]), gap)


def _within(gaps: NDArray[np.int64], *, start: int | None = None, end: int | None = None) -> NDArray[np.int64]:
    """The parts of gaps that are in [start, end)."""
    parts = np.clip(gaps, start, end)
    return parts[parts[:, 0] < parts[:, 1]]


def _shifted(
    samples: NDArray[np.int64], levels: NDArray[np.uint64], end: int, gaps: NDArray[np.int64], shift: int
) -> Block:
    return Block(samples + shift, levels, end + shift, gaps + shift)
