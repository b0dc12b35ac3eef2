"""Lost samples: what is known of a loss, and how a recording is read with its losses put in as gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.waveform import Block


class Loss(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Samples that were lost.

    Attributes
    ----------
    start, end
        The loss lies in [start, end), in sample numbers of the segment files.
    samples
        How many were lost; 0 when nobody knows.
    uncertainty
        How far `samples` may be off, in samples.
    found_by
        What found it, in words.
    modulo
        The number may be larger by any multiple of this; 0: it is absolute.
    in_files
        The segment files have the gap already, from `start` to `end`. If not, reading the recording puts it in, and
        counts the samples after it on by `samples`.
    """

    start: int
    end: int
    samples: int
    uncertainty: int
    found_by: str
    modulo: int = 0
    in_files: bool = False


def disjoint(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Sort losses, and of those that overlap keep the narrower one: it is the better known."""
    kept: list[Loss] = []
    for loss in sorted(losses, key=lambda loss: (loss.start, loss.end)):
        if kept and loss.start < kept[-1].end:
            if loss.end - loss.start < kept[-1].end - kept[-1].start:
                kept[-1] = loss
        else:
            kept.append(loss)
    return tuple(kept)


def put_in(blocks: Iterable[Block], losses: Sequence[Loss]) -> Iterator[Block]:
    """Read blocks of segment files with losses as gaps.

    What lies between `start` and `end` of a loss is dropped, since nobody knows on which side of the loss it was, and
    what follows is counted on by `samples`.

    Parameters
    ----------
    blocks
        As `SegmentReader` gives them.
    losses
        Disjoint, in order, in sample numbers of the files; those that are gaps in the files are left out.
    """
    todo = [loss for loss in losses if not loss.in_files]
    shift, level, inside = 0, np.uint64(0), False
    for block in blocks:
        samples, levels, gaps = block.samples, block.levels, block.gaps
        while todo and todo[0].start < block.end:
            loss = todo[0]
            if not inside:
                cut = int(np.searchsorted(samples, loss.start))
                known = gaps[gaps[:, 0] < loss.start]
                if cut:
                    level = levels[cut - 1]
                yield _shifted(samples[:cut], levels[:cut], loss.start, known, shift)
                samples, levels, gaps, inside = samples[cut:], levels[cut:], gaps[len(known) :], True
            cut = int(np.searchsorted(samples, loss.end, side="right"))
            if cut:
                level = levels[cut - 1]
            samples, levels = samples[cut:], levels[cut:]
            gaps = gaps[gaps[:, 0] >= loss.end]
            if block.end <= loss.end:
                break
            gap = np.array([[loss.start + shift, loss.end + shift + loss.samples]], dtype=np.int64)
            shift += loss.samples
            row = np.array([loss.end], dtype=np.int64)
            yield _shifted(row, np.array([level]), loss.end, np.empty((0, 2), np.int64), shift, put=gap)
            todo, inside = todo[1:], False
        if not inside:
            if levels.size:
                level = levels[-1]
            yield _shifted(samples, levels, block.end, gaps, shift)
    if inside:  # nothing comes after it
        gap = np.array([[loss.start + shift, loss.end + shift + loss.samples]], dtype=np.int64)
        yield Block(samples[:0], levels[:0], loss.end + shift + loss.samples, gap)


def _shifted(
    samples: NDArray[np.int64],
    levels: NDArray[np.uint64],
    end: int,
    gaps: NDArray[np.int64],
    shift: int,
    *,
    put: NDArray[np.int64] | None = None,
) -> Block:
    return Block(samples + shift, levels, end + shift, gaps + shift if put is None else put)
