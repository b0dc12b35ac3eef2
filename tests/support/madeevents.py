"""Events of a recording that never was, from rows that a test has made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from gpiorig.analysis.events.events import DamagedFrames, Events
from gpiorig.analysis.events.table import BY_NAME

FIRST_OF_LINES = 128  # codes from here on are edges of a line, not frames of a symbol bus
SYMBOLS = 13  # of a damaged frame


def events_of_rows(
    rows: Iterable[tuple[int, int, str, int | None]],
    names: Sequence[str],
    *,
    end: int,
    rate_hz: int | Fraction = 24_000_000,
    gaps: Iterable[tuple[int, int]] = (),
    damaged: Iterable[tuple[int, int]] = (),
) -> Events:
    """Events from rows, in the order of their samples and nodes.

    Parameters
    ----------
    rows
        Sample, node as a place in `names`, event, and its id; None or -1: none came with it.
    names
        Of the nodes.
    end
        One past the last sample; the first is 0.
    rate_hz
        Samples per second.
    gaps
        Lost samples, from and to.
    damaged
        Sample and node of each damaged frame.
    """
    codes = [(at, node, BY_NAME[event].code, -1 if id_ is None else id_) for at, node, event, id_ in rows]
    codes.sort(key=lambda row: row[:2])
    table = np.array(codes, dtype=np.int64).reshape(-1, 4)
    broken = np.array(sorted(damaged), dtype=np.int64).reshape(-1, 2)
    frames = np.concatenate([table[table[:, 2] < FIRST_OF_LINES, 1], broken[:, 1]])
    return Events(
        samples=table[:, 0],
        nodes=table[:, 1].astype(np.uint16),
        codes=table[:, 2].astype(np.uint8),
        ids=table[:, 3].astype(np.int32),
        node_names=tuple(names),
        samplerate_hz=Fraction(rate_hz),
        damaged=DamagedFrames(
            samples=broken[:, 0],
            nodes=broken[:, 1].astype(np.uint16),
            symbols=np.full(len(broken), SYMBOLS, dtype=np.int32),
        ),
        frames_seen=np.bincount(frames, minlength=len(names)),
        gaps=np.array(list(gaps), dtype=np.int64).reshape(-1, 2),
        start=0,
        end=end,
    )
