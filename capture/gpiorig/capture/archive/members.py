"""Members of a zip archive that hold samples: straight into edges, and edges straight into deflated members."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.extractor import ALL_CHANNELS
from gpiorig.capture.errors import CaptureError

MAX_UNITSIZE = 8
MAX_METHOD = 0xFFFF
SPAN_WORDS = 4  # of 64 bits in member::Span
MAX_POSITION = 1 << 62  # samples and bytes: sums of two fit into 64 bits
MAX_SAMPLES = 1 << 36  # of a member: the room for its deflated data is allocated at once
HEADER_BYTES = 1024  # more than the head of a deflated block has
# Why a call returned: capture/native/src/member.rs
NEEDS_INPUT, NEEDS_ROOM, COMPLETE, MALFORMED, TOO_LONG = range(5)


class MemberHead(ctypes.Structure):
    """`member::Head` of the native crate."""

    _fields_ = (
        ("position", c_int64),
        ("level", c_uint64),
        ("mask", c_uint64),
        ("bytes", c_uint64),
        ("expected", c_uint64),
        ("unit", c_uint32),
        ("started", c_uint32),
        ("crc", c_uint32),
        ("status", c_uint32),
        ("method", c_uint32),
        ("done", c_uint32),
    )


class MemberReader:
    """Turns members, one after the other, into the edges of the one stream of samples that they make.

    Parameters
    ----------
    unitsize
        Bytes per sample, 1 to 8.
    used
        Mask of the channels in use; others make no edges and read 0.

    Attributes
    ----------
    head
        What is known of the stream and of the member that is read: number of the next sample, levels of the last one,
        bytes and CRC of the member so far, and why `feed` returned.
    """

    def __init__(self, *, unitsize: int, used: int) -> None:
        native.number(unitsize, name="a unitsize of", low=1, high=MAX_UNITSIZE)
        native.number(used, name="a mask of channels of", low=0, high=ALL_CHANNELS)
        create = native.kernel("gpiorig_member_create", c_void_p, c_size_t, c_uint32, c_uint64)
        self._restart = native.kernel("gpiorig_member_restart", c_void_p, c_int64)
        self._begin = native.kernel("gpiorig_member_begin", c_void_p, c_uint32, c_uint64)
        self._feed = native.kernel(
            "gpiorig_member_feed", c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, POINTER(c_size_t)
        )
        self._feed_all = native.kernel(
            "gpiorig_member_feed_all",
            *(c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t),
        )
        size = native.kernel("gpiorig_member_reader_bytes")()
        self._memory = np.zeros((size + 7) // 8, dtype=np.uint64)
        self._address = self._memory.ctypes.data
        native.checked(create(self._address, self._memory.nbytes, unitsize, used))
        self.head = MemberHead.from_buffer(self._memory.data)
        self._consumed = c_size_t()
        self._consumed_reference = ctypes.byref(self._consumed)

    def restart(self, position: int) -> None:
        """Begin again: the next byte is the first of the sample with this number."""
        native.number(position, name="a sample number of", low=-MAX_POSITION, high=MAX_POSITION)
        native.checked(self._restart(self._address, position))

    def begin(self, *, method: int, size: int) -> None:
        """Begin a member of `size` bytes (when inflated)."""
        native.number(method, name="a compression method of", low=0, high=MAX_METHOD)
        native.number(size, name="a size of", low=0, high=MAX_POSITION)
        native.checked(self._begin(self._address, method, size))

    def feed(
        self, data: native.Buffer, start: int, end: int, samples: native.Buffer, levels: native.Buffer, filled: int = 0
    ) -> tuple[int, int]:
        """Read more of the member, until the input is used up, the output is full or the member is over.

        Parameters
        ----------
        data, start, end
            uint8, and the part of it to be read; what is not used has to come again, with more after it.
        samples, levels
            int64 and uint64, equally long: where the edges go.
        filled
            Elements of them that are kept.

        Returns
        -------
        tuple
            Edges written, and bytes used.
        """
        _check_widths(data, samples, levels)
        room = samples.size - filled
        count = self._feed(
            self._address,
            data.address(start, end - start),
            end - start,
            samples.address(filled, room),
            levels.address(filled, room),
            room,
            self._consumed_reference,
        )
        if count < 0:
            native.checked(count)
        return count, self._consumed.value

    def feed_all(
        self,
        data: native.Buffer,
        spans: native.Buffer,
        count: int,
        samples: native.Buffer,
        levels: native.Buffer,
        filled: int,
    ) -> int:
        """Read members that are in memory, until the output is full or one is damaged; returns the edges written.

        `head.done` is the number of those that are read, with the size and the CRC that they should have: set it to 0
        before other members come. `head.status` is `COMPLETE` when that are all, or when the next one has another size
        or CRC.

        Parameters
        ----------
        data
            uint8.
        spans
            uint64, for each member: start and end in `data`, size, CRC and method (upper half).
        count
            How many there are.
        samples, levels, filled
            As of `feed`.
        """
        _check_widths(data, samples, levels)
        if spans.width != 8:
            raise CaptureError("the members are in a buffer of another type")
        room = samples.size - filled
        return native.checked(
            self._feed_all(
                self._address,
                data.address(0, data.size),
                data.size,
                spans.address(0, SPAN_WORDS * count),
                count,
                samples.address(filled, room),
                levels.address(filled, room),
                room,
            )
        )


def _check_widths(data: native.Buffer, samples: native.Buffer, levels: native.Buffer) -> None:
    if (data.width, samples.width, levels.width) != (1, 8, 8):
        raise CaptureError("bytes, samples or levels are in buffers of other types")


class MemberDeflater:
    """Deflates samples that are given as edges.

    Parameters
    ----------
    unitsize
        Bytes per sample, 1 to 8.
    """

    def __init__(self, *, unitsize: int) -> None:
        native.number(unitsize, name="a unitsize of", low=1, high=MAX_UNITSIZE)
        self._deflate = native.kernel(
            "gpiorig_deflate_rows",
            *(c_void_p, c_void_p, c_size_t, c_int64, c_int64, c_uint32, c_void_p, c_size_t, POINTER(c_uint32)),
        )
        self._unitsize = unitsize
        self._output = np.empty(0, dtype=np.uint8)

    def deflate(
        self, samples: NDArray[np.int64], levels: NDArray[np.uint64], start: int, end: int
    ) -> tuple[memoryview, int]:
        """Deflate the samples from `start` to `end`.

        Parameters
        ----------
        samples
            int64, shape (n,): edges before `end`; the first one gives the levels at `start`, all others come after it.
        levels
            uint64, shape (n,): levels from there on.
        start, end
            First sample, and one past the last.

        Returns
        -------
        tuple
            The deflated samples, valid until the next call, and the CRC-32 of the samples.
        """
        samples = native.column(samples, np.int64, name="samples")
        levels = native.column(levels, np.uint64, name="levels", count=samples.size)
        for place in (start, end):
            native.number(place, name="a sample number of", low=-MAX_POSITION, high=MAX_POSITION)
        is_led = samples.size > 0 and samples[0] <= start and samples[-1] < end
        if not is_led or np.any(samples[1:] <= np.maximum(samples[:-1], start)):
            raise CaptureError(
                f"samples are not those of a member from {start} to {end}",
                remedy="give increasing ones: the first not after its start, all others after that and before its end",
            )
        size = native.number(end - start, name="samples of a member:", low=1, high=MAX_SAMPLES) * self._unitsize
        # A literal has at most 15 bits, a match of three bytes or more 22; each change has two short matches next to
        # it.
        needed = HEADER_BYTES + min(3 * size, 9 * samples.size * self._unitsize + size // 64)
        if self._output.size < needed:
            self._output = np.empty(needed, dtype=np.uint8)
        crc = c_uint32()
        length = native.checked(
            self._deflate(
                samples.ctypes.data,
                levels.ctypes.data,
                samples.size,
                start,
                end,
                self._unitsize,
                self._output.ctypes.data,
                self._output.size,
                ctypes.byref(crc),
            )
        )
        return self._output.data[:length], crc.value
