"""What holds for everything that a reader gives, whatever its input was."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from gpiorig.capture import formats
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError, Error
from gpiorig.capture.frames.frames import Frames
from gpiorig.capture.text.node_lines import NodeLines

OURS = Error
MAX_MESSAGE = 2000  # characters of an error: a line that people read


class Broken(AssertionError):
    """An invariant does not hold."""


def hold(fact: bool, what: str) -> None:
    """As `assert`, but not omitted by -O."""
    if not fact:
        raise Broken(what)


def clear(error: Exception) -> None:
    """One of our errors is one line that people read."""
    text = str(error)
    hold("\n" not in text.strip() and 0 < len(text) <= MAX_MESSAGE, f"not one line of text: {text[:300]!r}")


def edges_of(waveform: Waveform) -> Edges:
    """Read a waveform, and check that its blocks are in order, and are those of a capture."""
    last, end, blocks = None, None, list(waveform.read())
    for block in blocks:
        samples = block.samples
        hold(samples.dtype == np.int64 and block.levels.dtype == np.uint64, "samples int64, levels uint64")
        hold(samples.shape == block.levels.shape and samples.ndim == 1, "samples and levels have the same shape")
        if samples.size:
            hold(bool(np.all(samples[1:] > samples[:-1])), "samples increase within a block")
            hold(last is None or samples[0] > last, "samples increase from block to block")
            last = samples[-1]
            hold(last <= block.end, "samples are not beyond the end of their block")
        hold(end is None or block.end >= end, "the end of a block never decreases")
        end = block.end
    try:
        return waveform.edges()
    except CaptureError as error:
        raise Broken(f"edges() does not take what read() gives: {error}") from error


def equal(one: Edges, other: Edges) -> bool:
    """Whether two captures are the same."""
    return (
        one.samplerate_hz == other.samplerate_hz
        and (one.start, one.end) == (other.start, other.end)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("samples", "levels", "gaps"))
    )


def read(format_: str, path: Path, options: ReadOptions) -> Edges | None:
    """Read a file by a format's module, twice; None for what holds no edges. Raises one of our errors."""
    content = formats.module(format_).read(path, options)
    match content:
        case Waveform():
            try:
                once = edges_of(content)
            finally:
                remarks = list(content.remarks)
            again = edges_of(content)
            hold(equal(once, again), "two readings are equal")
            hold(remarks == content.remarks, "two readings remark the same")
            return once
        case NodeLines():
            lines = content.all()
            sizes = {len(lines.stamps_ns), len(lines.nodes), len(lines.texts), len(lines.kinds)}
            hold(len(sizes) == 1, "a stamp, node, text and kind for each line")
            hold(lines.texts == content.all().texts, "two readings are equal")
            content.summary()
        case Frames():
            hold(list(content.read()) == list(content.read()), "two readings are equal")
            content.summary()
    return None


def rewritten(format_: str, edges: Waveform, path: Path) -> None:
    """Written as a format and read again it is the same, unless the writer refuses it or reports what it rounded."""
    module = formats.module(format_)
    try:
        if module.write(path, edges):
            return
    except CaptureError as error:
        clear(error)
        return
    if format_ == "vcd" and any(re.search(r"\s|\$end", name) for name in edges.channels):
        return  # names that VCD cannot hold are written with _
    whole, back = edges.edges(), edges_of(module.read(path, ReadOptions()))
    same = (whole.channels == back.channels and equal(whole, back)) or _as_good(whole, back)
    hold(same, f"{format_}: written and read again it is another capture")


def _as_good(one: Edges, other: Edges) -> bool:
    """Whether the levels at all instants are the same, channel by channel, at whatever rate."""
    ratio = other.samplerate_hz / one.samplerate_hz
    if ratio.denominator != 1 or not set(filter(None, one.channels)) <= set(other.channels):
        return False
    for name in filter(None, one.channels):
        (at, levels), (other_at, other_levels) = one.channel(name), other.channel(name)
        if not np.array_equal(levels, other_levels) or not np.array_equal(at * int(ratio), other_at):
            return False
    return np.array_equal(one.gaps * int(ratio), other.gaps)
