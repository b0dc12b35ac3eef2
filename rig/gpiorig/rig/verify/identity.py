"""Which board is at a port: the adapter of the port, and what the board answers to `identify`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.bench import virtual_ids
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.host import ports

ANSWER_S = 2.0
QUESTIONS = 5
SILENT = 2  # questions without a first answer: a board that boots loses one
NO_UID = re.compile(r"(ff)+|(00)+|")  # of a board without a number, or whose DS2411 does not answer


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """A board as its port, its adapter and its firmware name it; "" where it has no such name."""

    port: str
    adapter: str = ""
    uid: str = ""
    board: str = ""
    firmware: str = ""
    kernel: str = ""
    probes: str = ""
    table: str = ""
    answers: int = 0

    @property
    def is_virtual(self) -> bool | None:
        """Whether the board is virtual; None: its answer does not tell."""
        return virtual_ids.of_answer({"uid": self.uid, "firmware": self.firmware})


def ask(port: SerialPort, *, adapter: str = "") -> Identity:
    """Ask a board for its name several times; an identity without answers is that of a silent one."""
    first = next((text for _ in range(SILENT) if (text := _answer(port))), "")
    if not first:
        return Identity(port=str(port.device), adapter=adapter)
    answers = Counter([first, *(_answer(port) for _ in range(QUESTIONS - 1))])
    del answers[""]
    text, count = answers.most_common(1)[0]
    fields = dict(word.partition("=")[::2] for word in text.split())
    known = {key: fields.get(key, "") for key in ("uid", "board", "firmware", "kernel", "probes", "table")}
    return Identity(port=str(port.device), adapter=adapter, answers=count, **known)


def _answer(port: SerialPort) -> str:
    """The answer to `identify`; empty if there was none."""
    port.write_line("identify")
    try:
        return port.wait_line(lambda text: text.startswith(("ok identify", "error")), deadline_s=ANSWER_S).text
    except SerialPortError:
        return ""


def adapter(port: str, *, sys: Path | None = None) -> str:
    """USB path and serial number of the adapter of a port, such as `usb:1-2.3 FT1ABCD`; "" of any other port."""
    device = ports.adapter(port, sys)
    return "" if device is None else f"usb:{device.path} {device.serial or ''}".rstrip()


def findings(bench: Bench, identities: Mapping[str, Identity], before: Mapping[str, Identity]) -> Iterator[Finding]:
    """The verdicts on the identities, also against those of the certificate before."""
    owners: dict[str, str] = {}
    for name, identity in identities.items():
        about = f"nodes.{name}.identity"
        if not identity.answers:
            continue
        kind = bench.nodes[name].board_name
        if identity.board not in ("", kind):
            yield Finding(
                f"nodes.{name}.board", "wrong", f"the board states that it is a {identity.board}, not a {kind}"
            )
        if identity.table and identity.table != TABLE_CRC32:
            what = (
                f"its image has the event table {identity.table}, this gpiorig {TABLE_CRC32}: build and flash it again"
            )
            yield Finding(f"nodes.{name}.firmware", "wrong", what)
        if identity.answers < QUESTIONS:
            what = f"{identity.answers} of {QUESTIONS} answers came undamaged: cable, baudrate, ground"
            yield Finding(f"nodes.{name}.serial", "wrong", what)
        if NO_UID.fullmatch(identity.uid):
            what = f"{identity.port}; the board states no number of its own, so only port and pins identify it"
            yield Finding(about, "unknown", what)
            continue
        if (owner := owners.setdefault(identity.uid, name)) != name:
            yield Finding(about, "wrong", f"the same board, uid {identity.uid}, answers on the port of {owner} too")
            continue
        yield _since(name, identity, before)


def _since(name: str, identity: Identity, before: Mapping[str, Identity]) -> Finding:
    """The verdict on a board against the certificate before."""
    about = f"nodes.{name}.identity"
    place = f"{identity.port}{f' ({identity.adapter})' if identity.adapter else ''}, uid {identity.uid}"
    former = {known.uid: node for node, known in before.items()}
    if former.get(identity.uid, name) != name:
        what = f"{place}: this board was {former[identity.uid]} at the verification before; ports or boards are swapped"
        return Finding(about, "wrong", what)
    if name in before and before[name].uid != identity.uid:
        return Finding(about, "unknown", f"{place}: another board than at the verification before, {before[name].uid}")
    return Finding(about, "right", place)
