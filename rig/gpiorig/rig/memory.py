"""Memory that is free goes back to the system at once."""

from __future__ import annotations

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc
_LARGE = 4 << 20
_SPARE = 32 << 20


def give_back() -> None:
    """Keep large arrays out of the heap, where what lives longer would keep their place from being given back.

    mallopt(3): once one was freed, glibc puts arrays of up to 32 MiB into the heap, unless a threshold is set. With
    one, it gives the end of the heap back for every array that is freed there, and each page costs a fault when it is
    needed again: an analysis in windows took half a million faults more. So a spare part stays. Does nothing with
    another C library.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_TRIM_THRESHOLD, _SPARE)
