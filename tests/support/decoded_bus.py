"""A whole capture decoded by the kernel of the symbol bus, at once or as its blocks come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpiorig.capture.buses.symbol_bus import BusDecoder, BusFrames, BusLines, joined
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Waveform


def decode(edges: Edges, lines: BusLines, *, codes: Iterable[int] | None = None) -> BusFrames:
    decoder = BusDecoder(lines, codes=codes)
    parts = []
    for rows in edges.intervals():
        parts.append(decoder.feed(edges.samples[rows], edges.levels[rows]))
        parts.append(decoder.finish())
    return joined(parts)


def stream(waveform: Waveform, lines: BusLines, *, codes: Iterable[int] | None = None) -> Iterator[BusFrames]:
    """Yield what each block of a capture ends."""
    decoder = BusDecoder(lines, codes=codes)
    for block in waveform.read():
        at = 0
        for cut in np.searchsorted(block.samples, block.gaps[:, 1]).tolist():
            yield decoder.feed(block.samples[at:cut], block.levels[at:cut])
            yield decoder.finish()
            at = cut
        yield decoder.feed(block.samples[at:], block.levels[at:])
    yield decoder.finish()
