"""A virtual Bus Pirate on the debug connector of a board that has serial wire alone: a pty that OpenOCD opens.

OpenOCD 0.12 has no simulated adapter with SWD, but it has this one, whose wire is a serial port: its binary mode and in
it the raw-wire mode (Dangerous Prototypes, "Bitbang" and "Raw-wire (binary)"), as far as OpenOCD's driver uses them.
Time passes in the virtual world with every clock (1 us) and with the host's clock between two messages.
"""

from __future__ import annotations

import os
import pty
import select
import tty
from collections.abc import Iterator

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.ends.pace import HostClock

_BLOCK_BYTES = 1 << 12
# OpenOCD waits for the answer to every few bytes. Up to this number of messages is served at a stretch, as long as each
# comes within this time after the answer to the one before; then it is the turn of others.
_ROUNDS = 1000
_NEXT_S = 0.0005

_BITBANG, _RAW_WIRE = b"BBIO1", b"RAW1"
_TO_BITBANG, _TO_RAW_WIRE, _TO_TERMINAL = 0x00, 0x05, 0x0F
_READ_BYTE, _READ_BIT = 0x06, 0x07
_WRITE_BYTES, _CLOCKS, _PINS = 0x10, 0x20, 0x40  # upper half of a command; the lower one counts from 1, or has pins
_RESET_PIN = 0x02  # AUX, which OpenOCD has the reset line on
_DONE = b"\x01"
# What `VirtualBoards.debug` takes: SWCLK low and high with SWDIO low or high, and a question for the level of SWDIO.
_CLOCK_LOW, _CLOCK_HIGH = b"df", b"eg"
_BYTES = tuple(b"".join(_CLOCK_HIGH if value >> bit & 1 else _CLOCK_LOW for bit in range(8)) for value in range(256))
_BIT = b"dfc"
_RESET, _NO_RESET = b"s", b"r"


class BusPirate:
    """The debug adapter of one board. Nothing here blocks for longer than OpenOCD takes for its next message."""

    def __init__(self, boards: VirtualBoards, board: int) -> None:
        self._boards, self._board = boards, board
        self._host_clock = HostClock()
        self._raw_wire, self._reset = False, False
        self._data = self._pending = b""
        # The slave end is held open, so that the master does not see a hang-up while no reader is there.
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)

    @property
    def endpoint(self) -> dict[str, str]:
        """Where the host finds it: OpenOCD's commands, and `debug` of a bench file."""
        commands = f"adapter driver buspirate; buspirate port {self.path}; transport select swd"
        return {"openocd": commands, "url": f"buspirate://{self.path}"}

    @property
    def has_pending(self) -> bool:
        """True while answers wait for the client."""
        return bool(self._pending)

    def receive(self, *, time_passes: bool) -> None:
        """Carry out what OpenOCD sent, once it has its answers to what it sent before.

        `time_passes`: the virtual world advances with the host's clock between messages, as nothing else drives it.
        """
        for _ in range(_ROUNDS):
            try:
                if not self._pending:
                    self._data += os.read(self.master, _BLOCK_BYTES)
                    pause_ps = self._host_clock.pause_ps()
                    self._pending = self._answer(pause_ps if time_passes else 0)
                self._pending = self._pending[os.write(self.master, self._pending) :]
            except BlockingIOError:
                return
            select.select([self.master], [], [], _NEXT_S)

    def _answer(self, pause_ps: int) -> bytes:
        """Answers to the commands that are complete, in their order; what they do on the wires happens at once."""
        answers, wires = [], bytearray()
        while self._data:
            command = self._data[0]
            length = 2 + (command & 0xF) if self._raw_wire and command & 0xF0 == _WRITE_BYTES else 1
            if len(self._data) < length:
                break
            operands, self._data = self._data[1:length], self._data[length:]
            answers.append(self._mode(command) if not self._raw_wire or not command else self._wire(command, wires))
            wires += b"".join(_BYTES[value] for value in operands)
        with self._host_clock.stopped():
            levels = iter(self._boards.debug(self._board, bytes(wires), pause_ps=pause_ps))
        return b"".join(answer if isinstance(answer, bytes) else _number(levels, answer) for answer in answers)

    def _mode(self, command: int) -> bytes:
        """A command outside of the raw-wire mode, or one that leaves it."""
        self._raw_wire = command == _TO_RAW_WIRE
        if command == _TO_BITBANG:
            return _BITBANG
        return _RAW_WIRE if self._raw_wire else _DONE if command == _TO_TERMINAL else b""

    def _wire(self, command: int, wires: bytearray) -> bytes | int:
        """A command of the raw-wire mode: its answer, or of how many bits on the wire that consists."""
        if command in (_READ_BIT, _READ_BYTE):
            bits = 1 if command == _READ_BIT else 8
            wires += bits * _BIT
            return bits
        if command & 0xF0 == _WRITE_BYTES:
            return _DONE * (2 + (command & 0xF))
        if command & 0xF0 == _CLOCKS:
            wires += _CLOCK_LOW * (1 + (command & 0xF))
        elif command & 0xF0 == _PINS and self._reset != (not command & _RESET_PIN):
            self._reset = not self._reset
            wires += _RESET if self._reset else _NO_RESET
        return _DONE

    def close(self) -> None:
        """Free the pty."""
        os.close(self.master)
        os.close(self._slave)


def _number(levels: Iterator[int], bits: int) -> bytes:
    """The next levels as a number, the lowest bit first."""
    return bytes([sum((next(levels) & 1) << bit for bit in range(bits))])
