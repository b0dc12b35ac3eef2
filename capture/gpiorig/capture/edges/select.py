"""A part of a capture, while it is read: some of its time, some of its channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError


def window(waveform: Waveform, start: int, end: int) -> Waveform:
    """Return the part in [start, end) samples, clipped to the capture; sample numbers stay what they are.

    Raises
    ------
    CaptureError
        The window is empty; while reading, too, when the capture has nothing there.
    """
    if start >= end:
        raise CaptureError(f"the window from sample {start} to {end} is empty", remedy="end it after its start")
    return replace(waveform, read=lambda: _cut(waveform, start, end))


def _cut(waveform: Waveform, start: int, end: int) -> Iterator[Block]:
    held: np.uint64 | None = None  # the levels at `start`, as far as they are known
    begun, first_sample, block_end = False, 0, 0
    for number, block in enumerate(waveform.read()):
        samples, levels, gaps = block.samples, block.levels, block.gaps
        if not number and samples.size:
            first_sample = int(samples[0])
        before = int(np.searchsorted(samples, start, side="right"))
        if before:
            held = levels[before - 1]
        covering = gaps[(gaps[:, 0] <= start) & (gaps[:, 1] > start)]
        if covering.size:
            held = None
        block_end = block.end
        if block_end <= start:
            continue
        after = int(np.searchsorted(samples, end))
        samples, levels = samples[before:after], levels[before:after]
        if not begun and held is not None:
            samples = np.concatenate([[np.int64(start)], samples])
            levels = np.concatenate([[held], levels])
        begun = begun or bool(samples.size)
        gaps = gaps[(gaps[:, 0] > start) & (gaps[:, 0] < end)] if held is None else np.clip(gaps, start, end)
        gaps = gaps[gaps[:, 0] < gaps[:, 1]]
        held = None
        if begun:
            yield Block(samples, levels, min(block_end, end), np.minimum(gaps, end))
        if block_end >= end:
            break
    if not begun:
        raise CaptureError(
            "the window holds no samples",
            remedy=f"the capture has samples {first_sample} to {block_end}, less what was lost",
        )


def channels(waveform: Waveform, names: Sequence[str]) -> Waveform:
    """Return only some channels, as bits in the order of `names`.

    Parameters
    ----------
    waveform
        The capture.
    names
        Channel names, or shell patterns such as "initiator.*", each of which must match.

    Raises
    ------
    CaptureError
        A name is of no channel.
    """
    bits = _bits(waveform.channels, names)
    selected = tuple(waveform.channels[bit] for bit in bits)
    return replace(waveform, channels=selected, read=lambda: _pick(waveform, bits))


def _bits(channels: tuple[str, ...], names: Sequence[str]) -> list[int]:
    bits: list[int] = []
    for name in names:
        exact = [channels.index(name)] if name and name in channels else []
        matches = exact or [bit for bit, channel in enumerate(channels) if channel and fnmatchcase(channel, name)]
        if not matches:
            there = ", ".join(filter(None, channels)) or "none"
            raise CaptureError(f"no channel {name!r} in this capture", remedy=f"available channels: {there}")
        bits += [bit for bit in matches if bit not in bits]
    if not bits:
        raise CaptureError("no channel is chosen", remedy="name one at least")
    return bits


def _pick(waveform: Waveform, bits: list[int]) -> Iterator[Block]:
    previous: np.uint64 | None = None
    resumed = np.empty(0, dtype=np.int64)  # gap ends that no row was seen at so far
    for block in waveform.read():
        picked = _gathered(block.levels, bits)
        changed = np.ones(picked.size, dtype=bool)
        changed[1:] = picked[1:] != picked[:-1]
        if picked.size and previous is not None:
            changed[0] = picked[0] != previous
        resumed = np.concatenate([resumed, block.gaps[:, 1]])
        changed |= np.isin(block.samples, resumed)
        resumed = resumed[resumed >= block.end]
        previous = picked[-1] if picked.size else previous
        yield Block(block.samples[changed], picked[changed], block.end, block.gaps)


def _gathered(levels: NDArray[np.uint64], bits: list[int]) -> NDArray[np.uint64]:
    """Bit k of the result is bit `bits[k]` of the levels."""
    picked = np.zeros_like(levels)
    for place, bit in enumerate(bits):
        picked |= ((levels >> np.uint64(bit)) & np.uint64(1)) << np.uint64(place)
    return picked
