"""The Rust crate of the virtual boards, by its C interface (rig/vbench/vboards/src/capi.rs)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpiorig.rig.errors import VirtualBenchError

if TYPE_CHECKING:  # recordings are kept where these change (studies.points.versions)
    from gpiorig.vbench.description.ends import VirtualAnalyzer, VirtualSerial, VirtualThreshold
    from gpiorig.vbench.description.world import BrownOut, ClockStep, VirtualInterferer, VirtualLink, VirtualNode

LIBRARY = Path(__file__).with_name("libvboards.so")
PS_PER_US = 1_000_000
_PS_PER_MS = 1000 * PS_PER_US
_UART_BLOCK = 65_536
_CHUNKS = 1024
_FOREVER = 2**64 - 1
_EDGES_BLOCK = 65_536
_FRAMES_BLOCK = 1024
# A frame on the air: first and last bit, the board that sent it, a bit for each board whose link lost it, length and
# bytes of its PSDU.
FRAME = np.dtype(
    [("start_ps", "<u8"), ("end_ps", "<u8"), ("board", "<u2"), ("lost", "<u8"), ("psdu", "u1", 128)],
)


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
        "vb_pin": (i64, [handle, u32, text]),
        "vb_probe": (i64, [handle, u32, u32, u32, text]),
        "vb_samples": (i64, [handle, u32, out, size]),
        "vb_analyzer_stop": (i64, [handle, u32]),
        "vb_edges_enable": (i64, [handle, u32]),
        "vb_edges_read": (i64, [handle, out, out, out, out, size]),
        "vb_analyzer_imperfect": (i64, [handle, u32, u64, i64, u64, u64]),
        "vb_analyzer_threshold": (i64, [handle, u32, u32, u64, u64]),
        "vb_analyzer_fault": (i64, [handle, u32, text, u32, u64, u64, u64, u64, u64]),
        "vb_analyzer_ended": (i64, [handle, u32]),
        "vb_analyzer_edges": (i64, [handle, u32, out, out, size]),
        "vb_analyzer_handed_out": (i64, [handle, u32]),
        "vb_sync_start": (i64, [handle, i64]),
        "vb_probe_sync": (i64, [handle, u32, u32]),
        "vb_host_start": (i64, [handle, u32, u64, u64, u64, u64, u64, u64]),
        "vb_host_plug": (i64, [handle, u32, u64, u32, u32, u64, u32]),
        "vb_host_read": (i64, [handle, u32, out, out, size, out, size]),
        "vb_serial_fault": (i64, [handle, u32, text, u64, u64, u64]),
        "vb_pass": (i64, [handle, u64]),
        "vb_debug_wires": (i64, [handle, u32]),
        "vb_modem": (i64, [handle, u32, u32, u32]),
        "vb_debug": (i64, [handle, u32, text, size, out, size, u64]),
        "vb_clock": (i64, [handle, u64, text, i64, u64, u64]),
        "vb_clock_step": (i64, [handle, u64, i64, u64]),
        "vb_brown_out": (i64, [handle, u32, u64, u64]),
        "vb_timing": (i64, [handle, text, u64]),
        "vb_radio_start": (i64, [handle, text]),
        "vb_build_code": (i64, [handle, text]),
        "vb_link_jitter": (i64, [handle, u32, u32, text, u64]),
        "vb_interferer_add": (
            i64,
            [handle, text, u32, u32, ctypes.c_int32, u64, u64, u64, u64, u64],
        ),
        "vb_interferer_level": (i64, [handle, u32, u32, ctypes.c_int32]),
        "vb_frames_enable": (i64, [handle]),
        "vb_frames_read": (i64, [handle, out, out, out, out, out, size]),
        "vb_log": (i64, [handle, out, size]),
        "vb_last_error": (i64, [handle, out, size]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@dataclass(frozen=True, slots=True)
class AnalyzerFaultCall:
    """A fault of an analyzer as the C interface has it (rig/vbench/vboards/src/capi/analyzer.rs)."""

    kind: str
    channel: int = 0
    a: int = 0
    b: int = 0
    from_us: int = 0
    for_us: int | None = None
    every_us: int = 0


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

    def add_board(self, kind: str, elf: bytes, node: VirtualNode, *, clock_faults: Sequence[ClockStep] = ()) -> int:
        """Index of a new board that runs the image `elf`, with the clock and the radio that `node` describes."""
        drift = node.clock_drift
        kind_of_drift, ppb, span_ps = (drift.kind, drift.ppb, drift.span_ms * _PS_PER_MS) if drift else ("none", 0, 0)
        start_ps = node.starts_us * PS_PER_US
        self._checked(
            self._lib.vb_clock(self._handle, start_ps, kind_of_drift.encode(), ppb, span_ps, node.clock_jitter_ps)
        )
        for fault in clock_faults:
            at_ps, gap_ps = fault.at_us * PS_PER_US, fault.gap_us * PS_PER_US
            self._checked(self._lib.vb_clock_step(self._handle, at_ps, fault.ppb, gap_ps))
        self._checked(self._lib.vb_radio_start(self._handle, node.radio_start.encode()))
        if node.build_code is not None:
            self._checked(self._lib.vb_build_code(self._handle, node.build_code.encode()))
        return self._checked(self._lib.vb_add_board(self._handle, kind.encode(), elf, len(elf), node.clock_ppb))

    def change_timing(self, changes: Mapping[str, int]) -> None:
        """Set what of the timing model is changed in the boards added later: names of `timing.PARAMETERS`, cycles."""
        self._checked(self._lib.vb_timing(self._handle, b"", 0))
        for name, cycles in changes.items():
            self._checked(self._lib.vb_timing(self._handle, name.encode(), cycles))

    def brown_out(self, board: int, fault: BrownOut) -> None:
        """Plan a fault of a board's supply."""
        at_ps, off_ps = fault.at_us * PS_PER_US, fault.off_us * PS_PER_US
        self._checked(self._lib.vb_brown_out(self._handle, board, at_ps, off_ps))

    def set_link(self, sender: int, receiver: int, link: VirtualLink) -> None:
        """Set one direction of the air between two boards."""
        ends = (self._handle, sender, receiver)
        self._checked(self._lib.vb_set_link(*ends, link.delay_ps, link.loss_ppm, link.rssi_dbm))
        self._checked(self._lib.vb_link_jitter(*ends, link.jitter.encode(), link.jitter_ps))

    def add_interferer(self, interferer: VirtualInterferer, index: dict[str, int]) -> None:
        """Add a source of noise; `index` is the board of each node."""
        names = ("from_us", "burst_us", "every_us", "on_us", "off_us")
        times = [getattr(interferer, name) * PS_PER_US for name in names]
        band = (interferer.centre_khz, interferer.width_khz, interferer.level_dbm)
        number = self._checked(self._lib.vb_interferer_add(self._handle, interferer.pattern.encode(), *band, *times))
        for name, level_dbm in interferer.levels_dbm.items():
            self._checked(self._lib.vb_interferer_level(self._handle, number, index[name], level_dbm))

    def run(self, until_ps: int) -> bool:
        """Run to the instant; true if every board sleeps with nothing to come, so that time stands still before it."""
        return self._checked(self._lib.vb_run(self._handle, until_ps)) == 1

    @property
    def now_ps(self) -> int:
        """The virtual instant, in picoseconds since all boards left reset."""
        return int(self._lib.vb_now(self._handle))

    def pass_time(self, until_ps: int) -> None:
        """Run to the instant; time advances even while every board sleeps."""
        self._checked(self._lib.vb_pass(self._handle, until_ps))

    def start_host(self, serial: VirtualSerial, *, modelled_reader: bool) -> None:
        """Connect the host; without a modelled reader, bytes are there as soon as the driver has them."""
        times = (serial.wake_us, serial.wake_tail_us, serial.other_period_us, serial.other_us)
        costs = (serial.read_us, serial.line_us)
        reader_ps = [time_us * PS_PER_US * modelled_reader for time_us in (*times, *costs)]
        self._checked(self._lib.vb_host_start(self._handle, serial.readers == "one", *reader_ps))

    def plug_host(self, board: int, serial: VirtualSerial) -> None:
        """Connect the console of a board to the host."""
        latency_ps, poll_ps = serial.latency_timer_ms * 1000 * PS_PER_US, serial.poll_us * PS_PER_US
        sizes = (serial.packet_bytes, serial.request_packets)
        self._checked(self._lib.vb_host_plug(self._handle, board, latency_ps, *sizes, poll_ps, serial.buffer_bytes))

    def host_read(self, board: int) -> list[tuple[int, bytes]]:
        """What the host's program has got from the board since the last call: (instant in ps, bytes)."""
        stamps, lengths = np.empty(_CHUNKS, dtype=np.uint64), np.empty(_CHUNKS, dtype=np.uint32)
        data = ctypes.create_string_buffer(_UART_BLOCK)
        read = self._lib.vb_host_read
        count = self._checked(
            read(self._handle, board, stamps.ctypes.data, lengths.ctypes.data, _CHUNKS, data, _UART_BLOCK)
        )
        ends = np.cumsum(lengths[:count]).tolist()
        parts = (data.raw[start:end] for start, end in zip([0, *ends], ends, strict=False))
        return list(zip(stamps[:count].tolist(), parts, strict=True))

    def serial_fault(self, board: int, kind: str, *, ppm: int, from_us: int, for_us: int | None) -> None:
        """Add a fault of a board's serial line."""
        span_ps = _FOREVER if for_us is None else for_us * PS_PER_US
        self._checked(self._lib.vb_serial_fault(self._handle, board, kind.encode(), ppm, from_us * PS_PER_US, span_ps))

    def uart_read(self, board: int, usart: int) -> tuple[NDArray[np.uint64], bytes]:
        """What the board has sent since the last call: the end of each byte's stop bit in ps, and the bytes.

        The console's bytes go to the host instead once it is connected.
        """
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

    def start_sync(self, *, clock_ppb: int) -> None:
        """Start the sync line, before the first run."""
        self._checked(self._lib.vb_sync_start(self._handle, clock_ppb))

    def add_analyzer(self, *, samplerate_hz: int, unitsize: int, config: VirtualAnalyzer, key: int) -> int:
        """Index of a new analyzer that samples from now on; `key` selects whose random numbers it has."""
        clock = (config.clock_ppb, config.phase_ps)
        index = self._checked(self._lib.vb_analyzer_add(self._handle, samplerate_hz, 1, unitsize, *clock))
        drift = (config.drift_ppb, config.drift_period_ms)
        self._checked(self._lib.vb_analyzer_imperfect(self._handle, index, key, *drift, config.window_ps))
        return index

    def set_threshold(self, analyzer: int, channel: int, threshold: VirtualThreshold) -> None:
        """Set how late a channel sees edges."""
        delays = (threshold.rise_ps, threshold.fall_ps)
        self._checked(self._lib.vb_analyzer_threshold(self._handle, analyzer, channel, *delays))

    def probe_sync(self, analyzer: int, channel: int) -> None:
        """Put a channel of an analyzer on the sync line."""
        self._checked(self._lib.vb_probe_sync(self._handle, analyzer, channel))

    def analyzer_fault(self, analyzer: int, fault: AnalyzerFaultCall) -> None:
        """Add a fault of an analyzer or its wiring."""
        span_ps = _FOREVER if fault.for_us is None else fault.for_us * PS_PER_US
        times = (fault.from_us * PS_PER_US, span_ps, fault.every_us * PS_PER_US)
        what = (fault.kind.encode(), fault.channel, fault.a, fault.b)
        self._checked(self._lib.vb_analyzer_fault(self._handle, analyzer, *what, *times))

    def ended(self, analyzer: int) -> bool:
        """True once a fault has ended the analyzer and all that it saw before was handed out."""
        return self._checked(self._lib.vb_analyzer_ended(self._handle, analyzer)) == 1

    def probe(self, analyzer: int, channel: int, board: int, pin: str) -> None:
        """Put a channel of an analyzer on a pin, such as `PB9`."""
        self._checked(self._lib.vb_probe(self._handle, analyzer, channel, board, pin.encode()))

    def pin_number(self, board: int, pin: str) -> int:
        """Number of a pin in `edges`, of a name such as `PB9`, `P6.2`, and `P1.10` of an nRF52840."""
        return self._checked(self._lib.vb_pin(self._handle, board, pin.encode()))

    def samples(self, analyzer: int, buffer: bytearray) -> int:
        """Fill the buffer with the analyzer's next samples up to now; returns the number of bytes."""
        view = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        return self._checked(self._lib.vb_samples(self._handle, analyzer, ctypes.addressof(view), len(buffer)))

    def analyzer_edges(self, analyzer: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The analyzer's next edges up to now, in place of `samples`: sample numbers, and levels from there on.

        They are what `capture.edges.extractor.EdgeExtractor` makes of the samples.
        """
        parts = []
        while True:
            samples, levels = np.empty(_EDGES_BLOCK, dtype=np.int64), np.empty(_EDGES_BLOCK, dtype=np.uint64)
            into = (samples.ctypes.data, levels.ctypes.data)
            count = self._checked(self._lib.vb_analyzer_edges(self._handle, analyzer, *into, _EDGES_BLOCK))
            parts.append((samples[:count], levels[:count]))
            if count < _EDGES_BLOCK:
                break
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def handed_out(self, analyzer: int) -> int:
        """How many samples the analyzer has handed out, as samples or as edges."""
        return self._checked(self._lib.vb_analyzer_handed_out(self._handle, analyzer))

    def stop_analyzer(self, analyzer: int) -> None:
        """End an analyzer's capture: nothing more is kept for it."""
        self._checked(self._lib.vb_analyzer_stop(self._handle, analyzer))

    def keep_edges(self) -> None:
        """Keep every edge of the boards' pins from now on, for `edges`."""
        self._checked(self._lib.vb_edges_enable(self._handle, 1))

    def edges(self) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint8]]:
        """The next edges that were kept: instant in ps, board, pin (port << 4 | bit), level; empty without any."""
        t_ps = np.empty(_EDGES_BLOCK, dtype=np.uint64)
        board, pin = (np.empty(_EDGES_BLOCK, dtype=np.uint16) for _ in range(2))
        level = np.empty(_EDGES_BLOCK, dtype=np.uint8)
        into = (array.ctypes.data for array in (t_ps, board, pin, level))
        count = self._checked(self._lib.vb_edges_read(self._handle, *into, _EDGES_BLOCK))
        return t_ps[:count], board[:count], pin[:count], level[:count]

    def keep_frames(self) -> None:
        """Keep every frame that boards put on the air from now on, for `frames`."""
        self._checked(self._lib.vb_frames_enable(self._handle))

    def frames(self) -> NDArray[np.void]:
        """The next frames that are over, as rows of `FRAME`; empty without any."""
        columns = {name: np.empty(_FRAMES_BLOCK, dtype=FRAME[name]) for name in FRAME.names or ()}
        into = (column.ctypes.data for column in columns.values())
        count = self._checked(self._lib.vb_frames_read(self._handle, *into, _FRAMES_BLOCK))
        rows = np.empty(count, dtype=FRAME)
        for name, column in columns.items():
            rows[name] = column[:count]
        return rows

    def debug(self, board: int, data: bytes, *, pause_ps: int) -> bytes:
        """Hand bytes of OpenOCD's `remote_bitbang` to the board's debug connector after a pause; returns levels."""
        levels = ctypes.create_string_buffer(len(data))
        count = self._lib.vb_debug(self._handle, board, data, len(data), levels, len(data), pause_ps)
        return levels.raw[: self._checked(count)]

    def debug_transport(self, board: int) -> str | None:
        """OpenOCD's name of how the board's debug port is reached, jtag or swd; None: the board has none."""
        return (None, "jtag", "swd")[self._checked(self._lib.vb_debug_wires(self._handle, board))]

    @property
    def log(self) -> str:
        """What the boards did that the models do not cover, such as accesses to unmodelled registers."""
        return self._text(self._lib.vb_log)

    def _text(self, function: Callable[[int | None, ctypes.Array[ctypes.c_char] | None, int], int]) -> str:
        size = max(function(self._handle, None, 0), 0) + 1
        buffer = ctypes.create_string_buffer(size)
        function(self._handle, buffer, size)
        return buffer.value.decode(errors="replace")

    def _checked(self, result: int) -> int:
        if result < 0:
            raise VirtualBenchError(f"virtual bench: {self._text(self._lib.vb_last_error)}")
        return result
