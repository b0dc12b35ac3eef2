"""Memory of arrays: reused while an analysis works, given back to the system between its stages."""

from __future__ import annotations

import ctypes
import functools

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h of glibc
_MAPPED = 32 << 20  # the largest threshold that glibc takes, HEAP_MAX_SIZE / 2 in malloc/arena.c
_SPARE = 64 << 20


def reuse() -> None:
    """Let arrays of up to 32 MiB take the place of freed ones; nothing with another C library than glibc.

    mallopt(3): otherwise each is mapped, and its pages fault and are zeroed again. Of `hops.build` for a million round
    trips that was 7 of 23 s. `give_back` returns what is free between two stages.
    """
    mallopt = getattr(_c_library(), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED)
        mallopt(_M_TRIM_THRESHOLD, _SPARE)
        mallopt(_M_ARENA_MAX, 1)  # one heap for all threads: each would keep a spare part


def give_back() -> None:
    """Give the pages of mapped arrays and of freed ones back to the system: malloc_trim(3), where that is there."""
    from gpiorig.capture import mapped  # here: a command that only refuses its words has no arrays

    mapped.relieve(beyond=0)
    trim = getattr(_c_library(), "malloc_trim", None)
    if trim is not None:
        trim(0)


@functools.cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
