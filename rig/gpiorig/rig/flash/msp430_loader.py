"""The bootstrap loader of an MSP430 by python-msp430-tools, as a program: a request on standard input, steps as JSON.

The request is a `Request` as JSON. Each line of output is a `Step`. Loader and commands: SLAU319.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
from serial import rfc2217, serial_for_url

Parts = tuple[tuple[int, bytes], ...]

_BAUD = 38_400  # what python-msp430-tools uses for this board
_ERASED_VECTORS = b"\xff" * 32
_VECTORS = 0xFFE0
_ERASE_ANSWERS = 6  # times a second that the answer to a mass erasure may take, as in python-msp430-tools
_CONTROL_DELAY_S = 0.01  # after each command to the switch, as there
_POLL_S = 0.001


class Request(msgspec.Struct):
    """What to do with the board on a port; with `console_baud` it is reset, and nothing else."""

    port: str
    device_id: int = 0
    parts: Parts = ()
    only_different: bool = False
    console_baud: int | None = None


class Step(msgspec.Struct, omit_defaults=True):
    """A line of output: what is done now, or the end: `error`, or the device with what was read back."""

    now: str | None = None
    error: str | None = None
    wrong_device: bool = False
    device_id: int | None = None
    same: bool = False
    read: Parts = ()


def _tell(step: Step) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(step) + b"\n")
    sys.stdout.buffer.flush()


def _flash(target: Any, request: Request, errors: tuple[type[Exception], ...]) -> Step:
    """Compare, or erase, write and read; the board is reset afterwards."""
    _tell(Step(now="enter the bootstrap loader"))
    target.open(request.port)
    target.control_delay = _CONTROL_DELAY_S
    target.set_TEST(True)
    target.set_RST(True)
    target.start_bsl()
    try:
        target.check_extended()
        if target.device_id != request.device_id:
            return Step(wrong_device=True, device_id=target.device_id)
        if request.only_different and _unlocked(target, _vectors(request.parts), errors):
            target.set_baudrate(_BAUD)
            if (read := _read(target, request.parts)) == request.parts:
                return Step(device_id=target.device_id, same=True, read=read)
        _tell(Step(now="erase"))
        target.extra_timeout = _ERASE_ANSWERS
        target.mass_erase()
        target.extra_timeout = None
        target.BSL_TXPWORD(_ERASED_VECTORS)
        if target.serial.baudrate != _BAUD:
            target.set_baudrate(_BAUD)
        _tell(Step(now=f"write {sum(len(data) for _, data in request.parts)} bytes"))
        for address, data in request.parts:
            target.memory_write(address, data + b"\xff" * (len(data) % 2))
        return Step(device_id=target.device_id, read=_read(target, request.parts))
    finally:
        target.reset()
        target.close()


def _reset(target: Any, port: str, baudrate: int) -> Step:
    """Reset the board; its port has the settings of the console."""
    _tell(Step(now="reset"))
    target.serial = serial_for_url(port, baudrate=baudrate)
    target.control_delay = _CONTROL_DELAY_S
    try:
        target.reset()
    finally:
        target.close()
    return Step()


def _vectors(parts: Parts) -> bytes:
    """The password of a board with the image: its interrupt vectors."""
    vectors = bytearray(_ERASED_VECTORS)
    for address, data in parts:
        for at in range(max(address, _VECTORS), min(address + len(data), _VECTORS + len(vectors))):
            vectors[at - _VECTORS] = data[at - address]
    return bytes(vectors)


def _unlocked(target: Any, password: bytes, errors: tuple[type[Exception], ...]) -> bool:
    try:
        target.BSL_TXPWORD(password)
    except errors:
        return False  # another image
    return True


def _read(target: Any, parts: Parts) -> Parts:
    _tell(Step(now=f"read {sum(len(data) for _, data in parts)} bytes"))
    return tuple((address, target.memory_read(address, len(data))) for address, data in parts)


def main(words: Sequence[str] = ()) -> int:
    """Carry out the request."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    try:
        from msp430.bsl.bsl import BSLException
        from msp430.bsl.target.telosb import TelosBTarget
    except ImportError:
        _tell(Step(error="python-msp430-tools is not installed. Run `pip install python-msp430-tools`."))
        return 1
    # pyserial asks every 50 ms whether a line's change is confirmed; the entry changes lines some 500 times.
    quick: Any = rfc2217
    quick.time = SimpleNamespace(time=time.time, sleep=lambda s: time.sleep(min(s, _POLL_S)))
    try:
        target = TelosBTarget()
        baudrate = request.console_baud
        _tell(_reset(target, request.port, baudrate) if baudrate else _flash(target, request, (BSLException,)))
    except (BSLException, OSError, ValueError) as error:
        _tell(Step(error=str(error) or type(error).__name__))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
