"""A progress bar for long work on a capture."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpiorig.capture.waveform import Block, Waveform


def watched(waveform: Waveform, what: str) -> Waveform:
    """Return a waveform that shows, on a terminal, how many rows of it were read and how far they reach."""

    def read() -> Iterator[Block]:
        from tqdm import tqdm

        with tqdm(desc=what, unit=" edges", unit_scale=True, disable=None, leave=False) as bar:
            for block in waveform.read():
                bar.update(block.samples.size)
                bar.set_postfix_str(f"{float(block.end / waveform.samplerate_hz):.3f} s", refresh=False)
                yield block

    return dataclasses.replace(waveform, read=read)
