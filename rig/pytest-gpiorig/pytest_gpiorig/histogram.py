"""Distributions as text."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

BINS, WIDTH = 12, 40


def lines(values: NDArray[np.int64], limit: float, text: Callable[[float], str], limit_text: str) -> list[str]:
    """A histogram, a line for each bin, with the place of a limit.

    Parameters
    ----------
    values
        int64[n], n > 0, such as samples.
    limit
        In their unit.
    text, limit_text
        A value as text; the limit as it was written.
    """
    low, high = int(values.min()), int(values.max())
    width = max(1, math.ceil((high - low + 1) / BINS))
    starts = range(low, high + 1, width)
    counts = np.bincount((values - low) // width, minlength=len(starts))
    names = [text(start) for start in starts]
    pad, mark = max(map(len, names)), f"-- {limit_text}"
    rows = [mark] if limit < low else []
    for start, name, count in zip(starts, names, counts.tolist(), strict=True):
        bar = "#" * math.ceil(WIDTH * count / counts.max())
        rows.append(f"{name:>{pad}} | {bar:{WIDTH}} {count}")
        rows += [mark] if start <= limit < start + width else []
    return [*rows, *([mark] if limit >= starts[-1] + width else [])]
