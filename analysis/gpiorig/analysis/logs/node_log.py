"""The firmware's own log: packets sent, received and lost, with the timestamps of its own timer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs import event_log as eventlog
from gpiorig.analysis.logs.event_log import EventLog

MISSING = -1
DIGITS = 10  # of 32 bits
_OUTCOMES = {"ok", "lost", "no_ack", "busy", "queue", "timeout", "too_long"}
_TEXT = {"ready", "ok", "print"}  # lines that the analysis does not need
_DIALOGUE = {"set", "identify"}  # answers that count nothing


@dataclass(frozen=True, slots=True, eq=False)
class NodeLog:
    """The log of one node.

    Parameters
    ----------
    node
        Name of the node.
    sequences
        int32[k], one per ``packet`` line, in the order of the log.
    sent_us, received_us
        int64[k], the node's 32-bit timer of 1 MHz as logged, not unwrapped; -1 if the line has none.
    due_us, departed_us
        int64[k], by the same timer, when the packet was to leave and when it left; -1 if the line has none.
    outcomes
        ``ok`` for each line, or why the packet is lost or was not sent: ``timeout``, ``no_ack``, ``busy``, ``queue``
        (a queue was full, or there was no buffer), ``too_long``.
    lost
        bool[k], whether the line reports a lost packet.
    boots
        Number of ``boot`` lines: more than one means that the node was reset.
    done
        Numbers of the last ``done`` (or ``ok report``) line: sent, received, lost, probes; empty if there was none.
    answers
        Numbers that the node counted, by the word of its last answer: ``report`` (or the ``done`` line), ``mac``, ….
    identity
        Fields of the last ``ok identify`` line.
    errors
        Texts of ``error`` lines.
    malformed
        Other lines, unchanged.
    event_log
        Event log since the node's last reset, if it sent one.
    lines
        int64[k], number of each ``packet`` line in the text, 0 the first: its place in `SerialRecord.lines`.
    boot_lines
        int64[boots], numbers of the ``boot`` lines.
    """

    node: str
    sequences: NDArray[np.int32]
    sent_us: NDArray[np.int64]
    received_us: NDArray[np.int64]
    due_us: NDArray[np.int64]
    departed_us: NDArray[np.int64]
    outcomes: tuple[str, ...]
    lost: NDArray[np.bool_]
    boots: int
    done: dict[str, int]
    answers: dict[str, dict[str, int]]
    identity: dict[str, str]
    errors: tuple[str, ...]
    malformed: tuple[str, ...]
    event_log: EventLog | None
    lines: NDArray[np.int64]
    boot_lines: NDArray[np.int64]

    @property
    def sent(self) -> int:
        """Packets sent, by the firmware's count; without a ``done`` line, by its lines."""
        return self.done.get("sent", len(self.sequences))


def parse(text: bytes | str, *, node: str) -> NodeLog:
    """Read the log of one node; a line that is not understood is counted in `NodeLog.malformed`, never guessed from.

    A last line without its end is malformed too: it may be cut.
    """
    if isinstance(text, bytes):
        text = text.decode("ascii", errors="replace")
    *lines, rest = text.replace("\r", "").split("\n")
    packets: list[_Packet] = []
    malformed, errors, event_lines = [], [], []
    done: dict[str, int] = {}
    answers: dict[str, dict[str, int]] = {}
    identity: dict[str, str] = {}
    packet_lines: list[int] = []
    boot_lines: list[int] = []
    for number, line in enumerate(lines):
        word, _, tail = line.partition(" ")
        if word == "error":
            errors.append(tail)
            continue
        if eventlog.is_log_line(line):
            event_lines.append(line)
            continue
        fields = _fields(tail.split()[1:] if word == "ok" else tail.split())
        answered = tail.partition(" ")[0] if word == "ok" else ""
        if fields and answered and answered not in _DIALOGUE:
            answers[answered] = {
                key: value for key, digits in fields.items() if (value := _integer(digits)) is not None
            }
        packet = _packet(fields) if word == "packet" else None
        numbers = _numbers(fields) if word == "done" or line.startswith("ok report ") else None
        if word == "packet" and packet is not None:
            packets.append(packet)
            packet_lines.append(number)
        elif numbers is not None:
            done = answers["report"] = numbers
        elif line.startswith("ok identify ") and fields:
            identity = fields
        elif word == "boot" and fields is not None:
            boot_lines.append(number)
            event_lines = []
        elif line and not (word in _TEXT and fields is not None):
            malformed.append(line)
    if rest:
        malformed.append(rest)
    return NodeLog(
        node=node,
        sequences=np.array([packet.sequence for packet in packets], dtype=np.int32),
        sent_us=np.array([packet.sent_us for packet in packets], dtype=np.int64),
        received_us=np.array([packet.received_us for packet in packets], dtype=np.int64),
        due_us=np.array([packet.due_us for packet in packets], dtype=np.int64),
        departed_us=np.array([packet.departed_us for packet in packets], dtype=np.int64),
        outcomes=tuple(packet.outcome for packet in packets),
        lost=np.array([packet.lost for packet in packets], dtype=bool),
        boots=len(boot_lines),
        done=done,
        answers=answers,
        identity=identity,
        errors=tuple(errors),
        malformed=tuple(malformed),
        event_log=eventlog.parse(event_lines) if event_lines else None,
        lines=np.array(packet_lines, dtype=np.int64),
        boot_lines=np.array(boot_lines, dtype=np.int64),
    )


def _fields(words: Iterable[str]) -> dict[str, str] | None:
    """Fields of key=value words; None if a word is not such a pair or a key comes twice."""
    fields: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value) or key in fields:
            return None
        fields[key] = value
    return fields


def _integer(text: str) -> int | None:
    """The number of ASCII digits; None for other text, and for more digits than the node's counters have."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else None


def _numbers(fields: dict[str, str] | None) -> dict[str, int] | None:
    if not fields or not {"sent", "received", "lost", "probes"} <= fields.keys():
        return None
    numbers = {key: _integer(value) for key, value in fields.items()}
    return None if None in numbers.values() else {key: value for key, value in numbers.items() if value is not None}


class _Packet(NamedTuple):
    """One ``packet`` line."""

    sequence: int
    sent_us: int
    received_us: int
    due_us: int
    departed_us: int
    outcome: str
    lost: bool


def _packet(fields: dict[str, str] | None) -> _Packet | None:
    """A ``packet`` line; None if something is missing or out of range."""
    if fields is None or not {"seq", "status"} <= fields.keys():
        return None
    status = fields["status"]
    lost = status == "lost"
    if status not in _OUTCOMES or lost != ("reason" in fields) or not fields.keys() & {"tx_us", "rx_us"}:
        return None
    numbers = []
    for key, bits in (("seq", 16), *((key, 32) for key in ("tx_us", "rx_us", "due_us", "departed_us"))):
        value = _integer(fields[key]) if key in fields else MISSING
        if value is None or value >= 1 << bits:
            return None
        numbers.append(value)
    sequence, sent, received, due, departed = numbers
    return _Packet(sequence, sent, received, due, departed, fields["reason"] if lost else status, lost)
