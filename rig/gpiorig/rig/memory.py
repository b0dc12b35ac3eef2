"""Memory that is free goes back to the system at once."""

from __future__ import annotations

import ctypes

_M_MMAP_THRESHOLD = -3  # malloc.h of glibc
_LARGE = 4 << 20


def give_back() -> None:
    """Keep large arrays out of the heap, where what lives longer would keep their place from being given back.

    mallopt(3): once one was freed, glibc puts arrays of up to 32 MiB into the heap, unless a threshold is set. Does
    nothing with another C library.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
