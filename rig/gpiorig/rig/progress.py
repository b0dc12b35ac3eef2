"""Progress of long work, on a terminal and from the first second on; with `-v` each stage and its time."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from gpiorig.rig.verbosity import SHOWN, note

if TYPE_CHECKING:
    from tqdm import tqdm

    from gpiorig.capture.edges.waveform import Block, Waveform

DELAY_S = 1.0  # what is done sooner shows no bar
T = TypeVar("T")


@contextmanager
def bar(
    what: str, *, total: float | None = None, unit: str = "", hidden: bool = False, **more: Any
) -> Iterator[tqdm[Any]]:
    """A bar for work whose progress the caller counts: `update`.

    Parameters
    ----------
    what
        What is being done.
    total
        The number of units; None: unknown.
    unit
        What is counted.
    hidden
        Show no bar.
    more
        Other arguments of `tqdm`.
    """
    from tqdm import tqdm

    shown: dict[str, Any] = {"unit": f" {unit}", "unit_scale": True, "leave": False, "delay": DELAY_S} | more
    began_s = time.monotonic()
    with tqdm(total=total, desc=what, disable=True if hidden or SHOWN.quiet else None, **shown) as drawn:
        yield drawn
    if SHOWN.verbose:
        note(f"{what}: {time.monotonic() - began_s:.2f} s")


def iterate(items: Iterable[T], what: str, *, unit: str) -> Iterator[T]:
    """The items, with a bar."""
    total = len(items) if isinstance(items, Sized) else None
    with bar(what, total=total, unit=unit) as drawn:
        for item in items:
            yield item
            drawn.update()


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Work of which only the time is known: its name and the seconds so far."""
    ended = threading.Event()
    with bar(what, bar_format="{desc}: {elapsed}") as drawn:

        def refresh() -> None:
            while not ended.wait(DELAY_S):
                drawn.refresh()

        thread = threading.Thread(target=refresh, daemon=True)
        if not drawn.disable:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if thread.is_alive():
                thread.join()


def watched(waveform: Waveform, what: str) -> Waveform:
    """Return a waveform that shows, on a terminal, how many rows of it were read and how far they reach."""
    if SHOWN.quiet or not (SHOWN.verbose or sys.stderr.isatty()):
        return waveform

    def read() -> Iterator[Block]:
        with bar(what, unit="edges") as drawn:
            for block in waveform.read():
                drawn.update(block.samples.size)
                drawn.set_postfix_str(f"{float(block.end / waveform.samplerate_hz):.3f} s", refresh=False)
                yield block

    return dataclasses.replace(waveform, read=read)


@contextmanager
def counted(total: int, what: str, *, unit: str = "events") -> Iterator[Callable[[int], object]]:
    """Show, on a terminal, how much of something is done; gives the function to call with each increment.

    ``with counted(len(events), "packets") as done: analysis.analyse(events, ..., progress=done)``
    """
    with bar(what, total=total, unit=unit) as drawn:
        yield drawn.update
