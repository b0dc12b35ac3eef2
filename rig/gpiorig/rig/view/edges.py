"""Windows of a recording's edges, for the script of a page."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.report.served_blocks import EdgesPanel
from gpiorig.capture.edges import overview, select
from gpiorig.capture.edges.overview import Bins, Changes
from gpiorig.capture.edges.waveform import Waveform, waveform_of
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.view.answers import NoAnswerError

HELD_BYTES = 512 << 20  # of segment files, up to which all edges stay in memory; of more, each window reads the files
MAX_CHANGES = 4000  # rows of edges, up to which a window has every change
MAX_BINS = 4096


class EdgeWindows:
    """The edges of a recording.

    Parameters
    ----------
    recording
        The recording.
    """

    def __init__(self, recording: Recording) -> None:
        self._samplerate_hz = recording.info.samplerate_hz
        self._waveform: Waveform = recording.waveform()
        size = sum(path.stat().st_size for path in recording.edges_folder.glob("*"))
        if size <= HELD_BYTES:
            self._waveform = waveform_of(self._waveform.edges())
        start: int | None = None
        self._end = 0
        for block in self._waveform.read():
            if start is None and block.samples.size:
                start = int(block.samples[0])
            self._end = block.end
        self._start = self._end if start is None else start

    @property
    def panel(self) -> EdgesPanel:
        """The panel of a page that shows them."""
        period = NS_PER_S / self._samplerate_hz
        return EdgesPanel(*(float(length * period) for length in (self._start, self._end, 1)))

    def window(self, from_ns: float, to_ns: float, *, bins: int) -> dict[str, Any]:
        """The edges of all channels between two instants, as the page draws them.

        `start` and `end` are the window in samples. With `exact`, each channel has its `level` at `start` and `edges`,
        the samples since `start` at which it changes; otherwise `bins`, a character for each: ``0``, ``1``, or ``x``
        where it has both levels. `changes` counts the rows of edges, `gaps` are the lost ranges of samples.

        Raises
        ------
        NoAnswerError
            The recording has nothing there.
        """
        start, end = max(self._sample(from_ns), self._start), min(self._sample(to_ns) + 1, self._end)
        if start >= end:
            first_ns, last_ns = (float(sample * NS_PER_S / self._samplerate_hz) for sample in (self._start, self._end))
            reason = (
                f"no edges from {from_ns:.0f} to {to_ns:.0f} ns; the recording has {first_ns:.0f} to {last_ns:.0f} ns."
            )
            raise NoAnswerError(HTTPStatus.NOT_FOUND, reason)
        blocks = select.window(self._waveform, start, end).read()
        bins = min(max(bins, 1), MAX_BINS, end - start)
        shown = overview.of(blocks, start=start, end=end, bins=bins, most=MAX_CHANGES)
        channels = [(bit, name) for bit, name in enumerate(self._waveform.channels) if name]
        described = _exact(shown, channels, start) if isinstance(shown, Changes) else _binned(shown, channels)
        return {"start": start, "end": end, **described, "gaps": shown.gaps.tolist()}

    def _sample(self, ns: float) -> int:
        return int(ns * self._samplerate_hz / NS_PER_S)


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


def _binned(shown: Bins, channels: list[tuple[int, str]]) -> dict[str, Any]:
    letters = np.frombuffer(b"01x", dtype=np.uint8)
    texts = []
    for bit, _ in channels:
        lowest, highest = _bit(shown.lowest, bit), _bit(shown.highest, bit)
        texts.append(letters[np.where(lowest == highest, lowest, 2)].tobytes().decode("ascii"))
    return {
        "exact": False,
        "changes": shown.changes,
        "bins": len(shown.lowest),
        "channels": [{"name": name, "bins": text} for (_, name), text in zip(channels, texts, strict=True)],
    }


def _bit(levels: NDArray[np.uint64], bit: int) -> NDArray[np.int64]:
    return (levels >> np.uint64(bit) & np.uint64(1)).astype(np.int64)
