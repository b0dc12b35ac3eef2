"""Driving nodes through their serial commands, with nodes that are a few lines of Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, cast

import pytest

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.line_inbox import Line
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.run.drive import ask, drive


class Node:
    """A node that answers as the reference firmware does; `wrong` has answers to give first, by command."""

    def __init__(self, name: str, wrong: dict[str, list[str]] | None = None, *, kernel: str = "events") -> None:
        self.node = self.device = name
        self.commands: list[str] = []
        self._wrong = wrong or {}
        self._kernel = kernel
        self._lines = deque(["ready"])
        self._runs = False

    def write_line(self, text: str) -> None:
        """Take a command."""
        self.commands.append(text)
        if self._wrong.get(text):
            self._lines.append(self._wrong[text].pop(0))
            return
        word, _, rest = text.partition(" ")
        if word == "set":
            self._lines.append(f"ok set {rest.replace(' ', '=')}")
        elif word == "identify":
            self._lines.append(f"ok identify table={TABLE_CRC32} kernel={self._kernel} probes=normal")
        else:
            self._lines.append(f"ok {word}")
        done = "done sent=1 received=1 lost=0 probes=9"
        if word == "start":
            self._runs = not rest
            self._lines += [] if self._runs else ["packet seq=1 tx_us=1 rx_us=2 status=ok", done]
        elif word == "stop" and self._runs:
            self._lines.append(done)

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """As a serial port does."""
        while self._lines:
            text = self._lines.popleft()
            if predicate(text):
                return Line(0, text)
        raise SerialPortError("nothing came", where=self.device, remedy=f"wait longer than {deadline_s} s")


def port(node: Node) -> SerialPort:
    """A node in the place of a port."""
    return cast(SerialPort, node)


def experiment(**changes: Any) -> Experiment:
    """One packet, and a node that disturbs it."""
    roles = {"noise": NodeRole(start=True, app="interferer")}
    return Experiment(name="x", initiator="a", responder="b", packets=1, nodes=roles, settings=Settings(**changes))


def test_nodes_are_set_up_started_and_silenced_in_order() -> None:
    """Settings before any start, the disturbing node before the initiator, and all are silent before they report."""
    commands: list[tuple[str, str]] = []
    nodes = {name: Node(name) for name in ("noise", "a", "b")}
    for name, node in nodes.items():
        write = node.write_line
        node.write_line = lambda text, name=name, write=write: (commands.append((name, text)), write(text))  # type: ignore
    through: list[int] = []

    drive(experiment(peer="noise"), {name: port(node) for name, node in nodes.items()}, through.append)

    after_set_up = [command for command in commands if command[1].split()[0] in ("start", "stop", "report")]
    assert [("noise", "start"), ("a", "start 1")] == after_set_up[:2]
    assert [("noise", "stop"), ("a", "stop"), ("b", "stop")] == after_set_up[2:5]
    assert [(name, "report") for name in nodes] == after_set_up[5:]
    assert commands.index(("noise", "start")) > max(
        at for at, (_, text) in enumerate(commands) if text.startswith("set ")
    )
    assert {"set address 1", "set peer 3", "set backoff 1"} <= set(nodes["a"].commands)
    assert {"set address 3", "set app interferer"} <= set(nodes["noise"].commands)
    assert [1] == through


@pytest.mark.parametrize("answer", ["error commands are identify set start report", "ok set interval_us=200"])
def test_a_misheard_command_is_said_again(answer: str) -> None:
    """A slow node that lost a byte knows no such command, or sets another value."""
    node = Node("a", {"set interval_us 2000": [answer]})

    assert "ok set interval_us=2000" == ask(port(node), "set interval_us 2000")
    assert ["set interval_us 2000"] * 2 == node.commands


@pytest.mark.parametrize("answers", [["error set: queue is 1 to 8"], ["error commands are none"] * 3])
def test_what_is_refused_is_an_error(answers: list[str]) -> None:
    """A wrong value at once; a command that is never understood, after some tries."""
    with pytest.raises(FirmwareError, match="node a refuses `set queue 128`"):
        ask(port(Node("a", {"set queue 128": list(answers)})), "set queue 128")


@pytest.mark.parametrize("line", [f"0x{TABLE_CRC32}", TABLE_CRC32.upper(), TABLE_CRC32])
def test_the_number_of_the_table_is_compared_as_a_number(line: str) -> None:
    """And an operating system that is not the reference firmware has no kernel of its own to choose."""
    nodes = {
        name: Node(name, {"identify": [f"ok identify firmware=x kernel=contiki-ng table={line}"]})
        for name in ("noise", "a", "b")
    }
    drive(experiment(), {name: port(node) for name, node in nodes.items()}, lambda packets: None)

    assert all("report" in node.commands for node in nodes.values())


@pytest.mark.parametrize("line", ["table=0x12345678", "table=none", ""])
def test_another_table_is_refused(line: str) -> None:
    nodes = {name: Node(name, {"identify": [f"ok identify {line}"]}) for name in ("noise", "a", "b")}

    with pytest.raises(FirmwareError, match=f"this gpiorig has {TABLE_CRC32}"):
        drive(experiment(), {name: port(node) for name, node in nodes.items()}, lambda packets: None)


def test_a_node_is_asked_again_once_it_has_its_address() -> None:
    """The first answer contains the address of its reset; a report reads the last answer."""
    nodes = {name: Node(name) for name in ("noise", "a", "b")}
    drive(experiment(), {name: port(node) for name, node in nodes.items()}, lambda packets: None)

    for node in nodes.values():
        first, last = (at for at, text in enumerate(node.commands) if text == "identify")
        settings = [at for at, text in enumerate(node.commands) if text.startswith("set ")]
        assert first < min(settings) <= max(settings) < last


def test_another_kernel_is_refused() -> None:
    """A node's own description is compared with the experiment before anything starts."""
    nodes = {name: Node(name, kernel="threads") for name in ("noise", "a", "b")}

    with pytest.raises(FirmwareError, match="kernel = threads, the experiment wants events"):
        drive(experiment(), {name: port(node) for name, node in nodes.items()}, lambda packets: None)
