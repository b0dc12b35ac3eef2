"""The Rust crate of the virtual boards, by its C interface (rig/vboards/src/capi.rs)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.rig.errors import VirtualBenchError

LIBRARY = Path(__file__).with_name("libvboards.so")
_UART_BLOCK = 65_536
_TEXT_BLOCK = 65_536


def _library() -> ctypes.CDLL:
    if not LIBRARY.exists():
        raise VirtualBenchError(f"{LIBRARY}: the virtual boards are not built. Run `make native`.")
    library = ctypes.CDLL(str(LIBRARY))
    handle, text, u64, i64 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int64
    u32, size, out = ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p
    signatures: dict[str, tuple[object, list[object]]] = {
        "vb_new": (handle, [u64]),
        "vb_free": (None, [handle]),
        "vb_add_board": (i64, [handle, text, text, size, i64]),
        "vb_set_link": (i64, [handle, u32, u32, u64, u32, ctypes.c_int32]),
        "vb_run": (i64, [handle, u64]),
        "vb_now": (u64, [handle]),
        "vb_uart_read": (i64, [handle, u32, u32, out, out, size]),
        "vb_uart_feed": (i64, [handle, u32, u32, text, size]),
        "vb_analyzer_add": (i64, [handle, u64, u64, u32, i64, u64]),
        "vb_probe": (i64, [handle, u32, u32, u32, text]),
        "vb_samples": (i64, [handle, u32, out, size]),
        "vb_analyzer_stop": (i64, [handle, u32]),
        "vb_modem": (i64, [handle, u32, u32, u32]),
        "vb_jtag": (i64, [handle, u32, text, size, out, size, u64]),
        "vb_log": (i64, [handle, out, size]),
        "vb_last_error": (i64, [handle, out, size]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class VirtualBoards:
    """Boards, the air between them and the analyzers on their pins, on one picosecond clock.

    Deterministic: the same images, seed, settings and inputs give the same edges. Not safe for use by two threads.
    """

    def __init__(self, *, seed: int) -> None:
        self._lib = _library()
        self._handle: int | None = self._lib.vb_new(seed)

    def close(self) -> None:
        """Free everything; the object is of no use afterwards."""
        if self._handle is not None:
            self._lib.vb_free(self._handle)
            self._handle = None

    def add_board(self, kind: str, elf: bytes, *, clock_ppb: int) -> int:
        """Index of a new board that runs the image `elf` on a clock `clock_ppb` fast."""
        return self._checked(self._lib.vb_add_board(self._handle, kind.encode(), elf, len(elf), clock_ppb))

    def set_link(self, sender: int, receiver: int, *, delay_ps: int, loss_ppm: int, rssi_dbm: int) -> None:
        """Set one direction of the air between two boards."""
        self._checked(self._lib.vb_set_link(self._handle, sender, receiver, delay_ps, loss_ppm, rssi_dbm))

    def run(self, until_ps: int) -> bool:
        """Run to the instant; true if every board sleeps with nothing to come, so that time stands still before it."""
        return self._checked(self._lib.vb_run(self._handle, until_ps)) == 1

    @property
    def now_ps(self) -> int:
        """The virtual instant, in picoseconds since all boards left reset."""
        return int(self._lib.vb_now(self._handle))

    def uart_read(self, board: int, usart: int) -> tuple[NDArray[np.uint64], bytes]:
        """What the board has sent since the last call: the end of each byte's stop bit in ps, and the bytes."""
        stamps = np.empty(_UART_BLOCK, dtype=np.uint64)
        data = ctypes.create_string_buffer(_UART_BLOCK)
        count = self._checked(self._lib.vb_uart_read(self._handle, board, usart, stamps.ctypes.data, data, _UART_BLOCK))
        return stamps[:count], data.raw[:count]

    def modem(self, board: int, *, dtr: bool, rts: bool) -> bool:
        """Set the modem lines of a board's serial adapter; false if they lead nowhere."""
        return self._checked(self._lib.vb_modem(self._handle, board, dtr, rts)) == 1

    def uart_feed(self, board: int, usart: int, data: bytes) -> None:
        """Send bytes to the board, from now on and at its baud rate."""
        self._checked(self._lib.vb_uart_feed(self._handle, board, usart, data, len(data)))

    def add_analyzer(self, *, samplerate_hz: int, unitsize: int, clock_ppb: int, phase_ps: int) -> int:
        """Index of a new analyzer that samples from now on."""
        return self._checked(self._lib.vb_analyzer_add(self._handle, samplerate_hz, 1, unitsize, clock_ppb, phase_ps))

    def probe(self, analyzer: int, channel: int, board: int, pin: str) -> None:
        """Put a channel of an analyzer on a pin, such as `PB9`."""
        self._checked(self._lib.vb_probe(self._handle, analyzer, channel, board, pin.encode()))

    def samples(self, analyzer: int, buffer: bytearray) -> int:
        """Fill the buffer with the analyzer's next samples up to now; returns the number of bytes."""
        view = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        return self._checked(self._lib.vb_samples(self._handle, analyzer, ctypes.addressof(view), len(buffer)))

    def stop_analyzer(self, analyzer: int) -> None:
        """End an analyzer's capture: nothing more is kept for it."""
        self._checked(self._lib.vb_analyzer_stop(self._handle, analyzer))

    def jtag(self, board: int, octets: bytes, *, pause_ps: int) -> bytes:
        """Hand octets of OpenOCD's `remote_bitbang` to the board's JTAG connector after a pause; returns TDO levels."""
        levels = ctypes.create_string_buffer(len(octets))
        count = self._lib.vb_jtag(self._handle, board, octets, len(octets), levels, len(octets), pause_ps)
        return levels.raw[: self._checked(count)]

    @property
    def log(self) -> str:
        """What the boards did that the models do not cover, such as accesses to unmodelled registers."""
        return self._text(self._lib.vb_log)

    def _text(self, function: Callable[[int | None, ctypes.Array[ctypes.c_char], int], int]) -> str:
        buffer = ctypes.create_string_buffer(_TEXT_BLOCK)
        function(self._handle, buffer, _TEXT_BLOCK)
        return buffer.value.decode(errors="replace")

    def _checked(self, result: int) -> int:
        if result < 0:
            raise VirtualBenchError(f"virtual bench: {self._text(self._lib.vb_last_error)}")
        return result
