"""Progress bars for long work on a capture and on its events."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpiorig.capture.edges.waveform import Block, Waveform


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


@contextmanager
def counted(total: int, what: str, *, unit: str = "events") -> Iterator[Callable[[int], object]]:
    """Show, on a terminal, how much of something is done; gives the function to call with each increment.

    ``with counted(len(events), "packets") as done: analysis.analyse(events, ..., progress=done)``
    """
    from tqdm import tqdm

    with tqdm(total=total, desc=what, unit=f" {unit}", unit_scale=True, disable=None, leave=False) as bar:
        yield bar.update
