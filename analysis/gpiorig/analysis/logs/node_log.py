"""The firmware's own log: packets sent, received and lost, with the timestamps of its own timer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs import event_log as eventlog
from gpiorig.analysis.logs.event_log import EventLog

MISSING = -1
DIGITS = 10  # of 32 bits
_OUTCOMES = {"ok", "lost", "no_ack", "busy", "queue", "timeout", "too_long", "no_route"}
_TEXT = {"ready", "ok", "print"}  # lines that the analysis does not need
_DIALOGUE = {"set", "identify"}  # answers that count nothing
_BITS = {"seq": 16, **dict.fromkeys(("tx_us", "rx_us", "due_us", "departed_us"), 32)}  # numbers of a packet line


@dataclass(frozen=True, slots=True, eq=False)
class Announcements:
    """The ``sent`` lines of a node, which it prints when it sends (setting `announce`).

    Parameters
    ----------
    sequences
        int32[a], packet numbers, in the order of the log.
    sent_us
        int64[a], the timestamp of the send call, that of the packet's own line too.
    lines
        int64[a], number of each line in the text.
    """

    sequences: NDArray[np.int32]
    sent_us: NDArray[np.int64]
    lines: NDArray[np.int64]


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
        int64[k], when a packet of a train was to leave, and when it left, as `sent_us`; -1 if the line has none.
    outcomes
        ``ok`` for each line, or why the packet is lost or was not sent: ``timeout``, ``no_ack``, ``busy``, ``queue``
        (a queue was full, or there was no buffer), ``too_long``, ``no_route``.
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
    announced
        The lines that were printed when packets were sent.
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
    announced: Announcements
    lines: NDArray[np.int64]
    boot_lines: NDArray[np.int64]

    @property
    def sent(self) -> int:
        """Packets sent, by the firmware's count; without a ``done`` line, by its lines."""
        return self.done.get("sent", len(self.sequences))


@dataclass(frozen=True, slots=True)
class _Packet:
    """A packet line: the numbers of `_BITS`, -1 for one that it does not have, its outcome, and whether it is lost."""

    numbers: dict[str, int]
    outcome: str
    lost: bool


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
    announced: list[tuple[int, int, int]] = []
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
            counts = {key: _integer(digits) for key, digits in fields.items()}
            answers[answered] = {key: count for key, count in counts.items() if count is not None}
        packet = _packet(fields) if word == "packet" else None
        numbers = _numbers(fields) if word == "done" or line.startswith("ok report ") else None
        if word == "packet" and packet is not None:
            packets.append(packet)
            packet_lines.append(number)
        elif word == "sent" and (sent := _announcement(fields)) is not None:
            announced.append((*sent, number))
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
        sequences=np.array([packet.numbers["seq"] for packet in packets], dtype=np.int32),
        sent_us=_column(packets, "tx_us"),
        received_us=_column(packets, "rx_us"),
        due_us=_column(packets, "due_us"),
        departed_us=_column(packets, "departed_us"),
        outcomes=tuple(packet.outcome for packet in packets),
        lost=np.array([packet.lost for packet in packets], dtype=bool),
        boots=len(boot_lines),
        done=done,
        answers=answers,
        identity=identity,
        errors=tuple(errors),
        malformed=tuple(malformed),
        event_log=eventlog.parse(event_lines) if event_lines else None,
        announced=Announcements(
            sequences=np.array([sequence for sequence, _, _ in announced], dtype=np.int32),
            sent_us=np.array([sent_us for _, sent_us, _ in announced], dtype=np.int64),
            lines=np.array([number for _, _, number in announced], dtype=np.int64),
        ),
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


def _packet(fields: dict[str, str] | None) -> _Packet | None:
    """A packet line; None if something is missing or out of range."""
    if fields is None or not {"seq", "status"} <= fields.keys():
        return None
    status = fields["status"]
    lost = status == "lost"
    if status not in _OUTCOMES or lost != ("reason" in fields) or not fields.keys() & {"tx_us", "rx_us"}:
        return None
    numbers = _in_range(fields)
    return None if numbers is None else _Packet(numbers, fields["reason"] if lost else status, lost)


def _announcement(fields: dict[str, str] | None) -> tuple[int, int] | None:
    """Sequence number and timestamp of a ``sent`` line; None if something is missing or out of range."""
    if fields is None or fields.keys() != {"seq", "tx_us"}:
        return None
    numbers = _in_range(fields)
    return None if numbers is None else (numbers["seq"], numbers["tx_us"])


def _in_range(fields: dict[str, str]) -> dict[str, int] | None:
    """The numbers of `_BITS`, -1 for one that is not there; None if one is out of range."""
    numbers = {}
    for key, bits in _BITS.items():
        value = _integer(fields[key]) if key in fields else MISSING
        if value is None or value >= 1 << bits:
            return None
        numbers[key] = value
    return numbers


def _column(packets: Sequence[_Packet], key: str) -> NDArray[np.int64]:
    return np.array([packet.numbers[key] for packet in packets], dtype=np.int64)
