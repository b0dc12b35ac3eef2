"""Windows of a capture's edges, for the script of a page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.analysis.number_text import NS_PER_S, count_text, hertz_text, number_text, time_text
from gpiorig.analysis.report.served_blocks import EdgesPanel
from gpiorig.capture.archive.sr_session import read_info
from gpiorig.capture.edges import overview, select
from gpiorig.capture.edges.overview import Bins, Changes
from gpiorig.capture.edges.pyramid import Pyramid
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.formats import sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.view.answers import NoAnswerError
from gpiorig.rig.view.decoded import Decoded

HELD_ROWS = 1 << 22  # of edges, 64 MiB; a capture with more is not held
MAX_CHANGES = 4000  # rows of edges, up to which a window has every change
MAX_BINS = 4096
SOON_S = 0.3  # that a long window waits for the pass over the capture; most are read by then
UNREAD = "?"  # of a bin that the pass has not reached


@dataclass(frozen=True, slots=True)
class Source:
    """A capture that can be read from any sample on.

    Attributes
    ----------
    reading
        The capture from a little before a sample, with the levels there.
    end
        All of its samples are before this one.
    """

    reading: Callable[[int], Waveform]
    end: int


def of_recording(recording: Recording) -> Source:
    """The edges of a recording."""
    return Source(lambda sample: recording.waveform(start=sample), recording.end)


def of_session(path: Path, options: ReadOptions) -> Source:
    """The edges of a .sr file."""
    return Source(lambda sample: sr.read(path, options, start=sample), read_info(path, recover=options.recover).samples)


class EdgeWindows:
    """The edges of a capture, which a thread reads once.

    Few are held. Of many, long windows are of a `Pyramid`, and short ones are read from the files.

    Parameters
    ----------
    source
        The capture.
    stacks
        Decoders to run on it.
    """

    def __init__(self, source: Source, stacks: Sequence[Stack] = ()) -> None:
        self._source, self._waveform = source, source.reading(0)
        self._decoded = Decoded(self._waveform, stacks) if stacks else None
        block = next((block for block in self._waveform.read() if block.samples.size), None)
        self._start = source.end if block is None else int(block.samples[0])
        self._end = source.end
        self._pyramid = Pyramid(self._start, self._end)
        self._held: Waveform | None = None
        self._changing = threading.Lock()
        self._failure: CaptureError | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._collect, daemon=True).start()

    @property
    def panel(self) -> EdgesPanel:
        """The panel of a page that shows them."""
        start_ns, end_ns, period_ns = (float(length * self._period_ns) for length in (self._start, self._end, 1))
        return EdgesPanel(start_ns, end_ns, period_ns)

    @property
    def text(self) -> str:
        """The capture in a line."""
        waveform, samples = self._waveform, self._end - self._start
        rate = hertz_text(float(waveform.samplerate_hz))
        length = time_text(float(samples * self._period_ns), digits=6)
        return f"{count_text(len(self._channels), 'channel')}, {number_text(samples)} samples at {rate}, {length}"

    def window(self, from_ns: float, to_ns: float, *, bins: int) -> dict[str, Any]:
        """The edges of all channels between two instants, as the page draws them.

        `start` and `end` are the window in samples. With `exact`, each channel has its `level` at `start` and `edges`,
        the samples since `start` at which it changes; otherwise `bins`, a character for each: ``0``, ``1``, ``x`` where
        it has both levels, ``?`` where the capture is not read so far; then `read` is where. `changes` counts the rows
        of edges, `gaps` are the lost ranges of samples. With decoders `decoded` is as of `Decoded.window`.

        Raises
        ------
        NoAnswerError
            The capture has nothing there, or cannot be read.
        """
        start, end = max(self._sample(from_ns), self._start), min(self._sample(to_ns) + 1, self._end)
        if start >= end:
            first_ns, last_ns = (float(sample * self._period_ns) for sample in (self._start, self._end))
            reason = (
                f"no edges from {from_ns:.0f} to {to_ns:.0f} ns; the capture has {first_ns:.0f} to {last_ns:.0f} ns."
            )
            raise NoAnswerError(HTTPStatus.NOT_FOUND, reason)
        bins = min(max(bins, 1), MAX_BINS, end - start)
        is_long = self._pyramid.shows(start, end, bins=bins)
        if is_long:  # a short one is read from the files meanwhile
            self._ended.wait(SOON_S)
        window = self._long(start, end, bins) if is_long and self._held is None else None
        if window is None or (window["changes"] <= MAX_CHANGES and "read" not in window):
            window = self._short(start, end, bins)
        if self._decoded is None:
            return window
        return {**window, "decoded": self._decoded.window(window["start"], window["end"], bins=bins)}

    def _short(self, start: int, end: int, bins: int) -> dict[str, Any]:
        try:
            blocks = select.window(self._held or self._source.reading(start), start, end).read()
            shown = overview.of(blocks, start=start, end=end, bins=bins, most=MAX_CHANGES)
        except CaptureError as error:
            raise NoAnswerError(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from error
        described = (
            _exact(shown, self._channels, start) if isinstance(shown, Changes) else _binned(shown, self._channels)
        )
        return {"start": start, "end": end, **described, "gaps": shown.gaps.tolist()}

    def _long(self, start: int, end: int, bins: int) -> dict[str, Any]:
        with self._changing:
            if self._failure is not None and self._pyramid.read < end:
                raise NoAnswerError(HTTPStatus.INTERNAL_SERVER_ERROR, str(self._failure))
            start, end, shown = self._pyramid.window(start, end, bins=bins)
            read = end if self._ended.is_set() else self._pyramid.read
        unread = len(shown.lowest) - max(0, read - start) * len(shown.lowest) // (end - start)
        described = _binned(shown, self._channels, unread=max(0, unread))
        progress = {"read": read} if unread > 0 else {}
        return {"start": start, "end": end, **described, **progress, "gaps": shown.gaps.tolist()}

    def _collect(self) -> None:
        held: list[Block] = []
        rows = 0
        try:
            for block in self._waveform.read():
                with self._changing:
                    self._pyramid.add(block)
                rows += block.samples.size
                held.append(block)
                if rows > HELD_ROWS:
                    held.clear()
        except CaptureError as error:
            self._failure = error
        else:
            if rows <= HELD_ROWS:
                edges = replace(self._waveform, read=lambda: iter(held)).edges()
                self._held = replace(self._waveform, read=waveform_of(edges).read)
        self._ended.set()

    @property
    def _period_ns(self) -> Fraction:
        return NS_PER_S / self._waveform.samplerate_hz

    @property
    def _channels(self) -> list[tuple[int, str]]:
        return [(bit, name) for bit, name in enumerate(self._waveform.channels) if name]

    def _sample(self, ns: float) -> int:
        return int(ns * self._waveform.samplerate_hz / NS_PER_S)


def _exact(shown: Changes, channels: list[tuple[int, str]], start: int) -> dict[str, Any]:
    changed = shown.levels[1:] ^ shown.levels[:-1]
    return {
        "exact": True,
        "changes": len(shown.samples),
        "channels": [
            {
                "name": name,
                "level": int(_bit(shown.levels[:1], bit).sum()),
                "edges": (shown.samples[1:][_bit(changed, bit) == 1] - start).tolist(),
            }
            for bit, name in channels
        ],
    }


def _binned(shown: Bins, channels: list[tuple[int, str]], *, unread: int = 0) -> dict[str, Any]:
    """Bins as text; the last `unread` ones are not known."""
    letters = np.frombuffer(b"01x", dtype=np.uint8)
    texts = []
    for bit, _ in channels:
        lowest, highest = _bit(shown.lowest, bit), _bit(shown.highest, bit)
        text = letters[np.where(lowest == highest, lowest, 2)].tobytes().decode("ascii")
        texts.append(text[: len(text) - unread] + UNREAD * unread)
    return {
        "exact": False,
        "changes": shown.changes,
        "bins": len(shown.lowest),
        "channels": [{"name": name, "bins": text} for (_, name), text in zip(channels, texts, strict=True)],
    }


def _bit(levels: NDArray[np.uint64], bit: int) -> NDArray[np.int64]:
    return (levels >> np.uint64(bit) & np.uint64(1)).astype(np.int64)
