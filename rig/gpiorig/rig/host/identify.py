"""Which board answers at a serial port: the reference firmware answers `identify` with its board and its chip's id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.bench import boards, consoles
from gpiorig.rig.host import ports

ANSWER_S = 2.0
_ANSWER = re.compile(r"^ok identify (?P<pairs>.*)$")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a port answered: the pairs of its answer, at this rate; without them the reason."""

    baudrate: int = 0
    pairs: dict[str, str] | None = None
    reason: str = ""

    @property
    def board(self) -> str | None:
        """The board type."""
        return (self.pairs or {}).get("board")


def rates() -> list[int]:
    """The rates of the reference firmware on all boards, the fastest first."""
    return sorted({boards.load(name).baudrate for name in boards.names()}, reverse=True)


def identify(device: str, *, baudrates: Iterable[int] = (), deadline_s: float = ANSWER_S) -> Answer:
    """Ask at each rate until a board answers; a port that another program has open is left alone.

    A board that answers at its own rate too has that one: a port without a UART, as a virtual board's, has any rate.
    """
    if holders := ports.holders(device):
        return Answer(reason=f"in use by {', '.join(holders)}; left alone")
    asked = list(baudrates) or rates()
    for rate in asked:
        try:
            pairs = _ask(device, rate, deadline_s)
            own = _own_rate(pairs or {}, rate)
            is_any_rate = own != rate and own in asked and _ask(device, own, deadline_s) is not None
        except CaptureError as error:
            return Answer(reason=str(error).removeprefix(f"{device}: ").removesuffix("."))
        if pairs is not None:
            return Answer(own if is_any_rate else rate, pairs)
    return Answer(
        reason=f"no answer to `identify` at {', '.join(map(str, asked))} baud; has it the reference firmware?"
    )


def _own_rate(pairs: dict[str, str], otherwise: int) -> int:
    """The rate of the reference firmware on the board that answered."""
    name = pairs.get("board", "")
    return boards.load(name).baudrate if name in boards.names() else otherwise


def _ask(device: str, baudrate: int, deadline_s: float) -> dict[str, str] | None:
    question = consoles.load("reference").hello or ""
    with SerialPort("scan", device, baudrate=baudrate, record=None) as port:
        port.write_line("")  # ends what another rate or program has left in the board's line
        port.write_line(question)
        try:
            line = port.wait_line(lambda text: _ANSWER.match(text) is not None, deadline_s=deadline_s).text
        except SerialPortError:
            port.check()
            return None
    match = _ANSWER.match(line)
    return dict(pair.partition("=")[::2] for pair in match["pairs"].split()) if match else None
