"""Nodes' lines as text or for programs: aligned and coloured, as JSON, or in the format of IoT-LAB's aggregator."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Literal, TextIO

from gpiorig.capture.printable import printable
from gpiorig.capture.serial.aggregator import log_line
from gpiorig.capture.serial.lines import SerialLine
from gpiorig.capture.serial.record import Kind
from gpiorig.rig import plain_json, terminal
from gpiorig.rig.plain_json import Result

Form = Literal["people", "json", "iotlab"]

COLOURS = (36, 33, 35, 32, 34, 31)  # ECMA-48, SGR: cyan, yellow, magenta, green, blue, red
SIGNS = {Kind.RECEIVED: "|", Kind.SENT: "<"}


class LineRow(Result, frozen=True, kw_only=True):
    """A line of a node at the host, or an event of its port."""

    stamp_ns: int
    wall_ns: int
    node: str
    kind: str
    text: str


class PinLineRow(Result, frozen=True, kw_only=True):
    """A line on the TX pin of a node; `errors` of its characters."""

    start_sample: int
    end_sample: int
    node: str
    text: str
    errors: int


class SerialView:
    """Prints lines.

    Parameters
    ----------
    nodes
        Names of the nodes.
    form
        How lines are printed. Events of a port are omitted from "iotlab", and counts of errors also from "people".
    absolute
        Whether people see the wall clock instead of seconds since the first line.
    output
        Where to print, by default on standard output; colours are used when it is a terminal.
    """

    def __init__(
        self, nodes: Iterable[str], *, form: Form = "people", absolute: bool = False, output: TextIO | None = None
    ) -> None:
        self._nodes = tuple(nodes)
        self._form, self._absolute = form, absolute
        stream = {"people": terminal.unfiltered, "iotlab": terminal.verbatim}.get(form, lambda: sys.stdout)
        self._output = output or stream()
        self._width = max(map(len, self._nodes), default=0)
        self._zero_ns: int | None = None

    def show(self, line: SerialLine) -> None:
        """Print one line."""
        if self._zero_ns is None:
            self._zero_ns = line.stamp_ns
        text = self._text(line)
        if text is not None:
            self._output.write(text + "\n")

    def flush(self) -> None:
        """Let what was printed be seen."""
        self._output.flush()

    def _text(self, line: SerialLine) -> str | None:
        if self._form == "json":
            return plain_json.text(LineRow.of(line, kind=line.kind.name.lower()), ascii=False)
        if self._form == "iotlab":
            return log_line(line.wall_ns, line.node, line.text) if line.kind is Kind.RECEIVED else None
        if line.kind is Kind.COUNTED:
            return None
        words = {Kind.OPENED: f"port open: {line.text}", Kind.LOST: f"port gone: {line.text}"}
        text = printable(words.get(line.kind, line.text))
        node = line.node.ljust(self._width)
        if self._output.isatty():
            node = f"\x1b[{COLOURS[self._nodes.index(line.node) % len(COLOURS)]}m{node}\x1b[0m"
        return f"{self._stamp(line)} {node} {SIGNS.get(line.kind, '!')} {text}"

    def _stamp(self, line: SerialLine) -> str:
        if self._absolute:
            return log_line(line.wall_ns, "", "").rstrip(";")
        since_us = (line.stamp_ns - (self._zero_ns or 0)) // 1000
        sign, since_us = ("-", -since_us) if since_us < 0 else ("", since_us)
        return f"{sign}{since_us // 10**6}.{since_us % 10**6:06}".rjust(12)
