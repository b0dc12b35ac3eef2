"""Driving nodes through their serial commands, with nodes that are a few lines of Python."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.errors import SerialPortError, SilenceError
from gpiorig.capture.serial.line_inbox import Line
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.bench import consoles
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiments import console_settings
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.run.dialogue import BOOT_S, Dialogue
from gpiorig.rig.run.drive import drive


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
            self._lines += self._wrong[text].pop(0).split("\n")
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
        raise SilenceError("nothing came", where=self.device, remedy=f"wait longer than {deadline_s} s")


def port(node: Node) -> SerialPort:
    """A node in the place of a port."""
    return cast(SerialPort, node)


def ask(node: Node, command: str) -> str:
    """Send a setting, whose answer repeats it."""
    key_and_value = command.removeprefix("set ").replace(" ", "=")
    dialogue = Dialogue(node.node, port(node), consoles.load("reference"))
    return dialogue.ask(command, expected=f"ok set {key_and_value}")


def experiment(**changes: Any) -> Experiment:
    """One packet, and a node that disturbs it."""
    roles = {"noise": NodeRole(start=True, app="interferer")}
    return Experiment(name="x", initiator="a", responder="b", packets=1, nodes=roles, settings=Settings(**changes))


class Booted(Node):
    """A node that has booted long ago: it sends nothing unless it is asked."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._lines.clear()
        self.waited_s = 0.0

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """Counts the seconds in which nothing came."""
        if not self._lines:
            self.waited_s += deadline_s
        return super().wait_line(predicate, deadline_s=deadline_s)


def test_silent_nodes_are_waited_for_once() -> None:
    """Nodes boot at the same time: after one that has booted before, the others are asked at once."""
    nodes = [Booted(name) for name in ("a", "b", "noise")]
    drive(experiment(), {node.node: port(node) for node in nodes}, lambda packets: None)

    assert BOOT_S == sum(node.waited_s for node in nodes)


class Retrying(Node):
    """A node whose last packet is settled so many seconds after it was stopped."""

    settled_s = 1100.0

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """The sums of a node that was stopped come late."""
        is_late = self.commands[-1:] == ["stop"] and not predicate("ok stop")
        if is_late and deadline_s < self.settled_s:
            raise SilenceError("nothing came", where=self.device, remedy=f"wait longer than {deadline_s} s")
        return super().wait_line(predicate, deadline_s=deadline_s)


def test_a_packet_of_a_slotted_mac_may_be_on_its_way_for_long() -> None:
    """Up to 16 tries, each after up to 127 slotframes; with another MAC sums come within the time of an answer."""
    noise = Retrying("noise")
    slotted = experiment(mac="slots", slotframe=101, slot_us=20_000)
    nodes = {"noise": noise, "a": Node("a"), "b": Node("b")}
    drive(slotted, {name: port(node) for name, node in nodes.items()}, lambda packets: None)
    assert "report" == noise.commands[-1].split()[0]
    with pytest.raises(SilenceError, match="wait longer than 10"):
        drive(experiment(), {"noise": port(Retrying("noise")), "a": port(Node("a")), "b": port(Node("b"))}, print)


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

    assert "ok set interval_us=2000" == ask(node, "set interval_us 2000")
    assert ["set interval_us 2000"] * 2 == node.commands


@pytest.mark.parametrize("answers", [["error set: queue is 1 to 8"], ["error commands are none"] * 3])
def test_what_is_refused_is_an_error(answers: list[str]) -> None:
    """A wrong value at once; a command that is never understood, after some tries."""
    with pytest.raises(FirmwareError, match="node a refuses `set queue 128`"):
        ask(Node("a", {"set queue 128": list(answers)}), "set queue 128")


def failure(wrong: dict[str, list[str]], *, node: str) -> str:
    """Why a run failed in which a node has other answers, by command."""
    nodes = {name: Node(name, wrong if name == node else {}) for name in ("noise", "a", "b")}
    with pytest.raises(SerialPortError) as caught:
        drive(experiment(), {name: port(other) for name, other in nodes.items()}, lambda packets: None)
    return str(caught.value)


def test_a_node_that_boots_while_it_is_set_up() -> None:
    """It has lost its settings: the supply is named, not the cable."""
    words = "has booted in place of that; look at its supply, and at what resets it"
    assert f"b: no answer to `defaults`: node b {words}" == failure({"defaults": ["ready"]}, node="b")
    assert f"a: no line at the end: node a {words}" == failure({"start 1": ["ok start\nready"]}, node="a")


def test_a_node_that_falls_silent() -> None:
    """After its first answers image and baud rate are right; before them the port's remedy stays."""
    lost = failure({"defaults": [""]}, node="b")
    assert lost.startswith("b: no answer to `defaults`: nothing came; its serial line loses bytes, or the board has no")
    assert "b: no answer to `identify`: nothing came; wait longer" in failure({"identify": [""]}, node="b")


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


def test_each_node_is_compared_with_its_own_kernel() -> None:
    """A network of both kernels: a node that has the other one is refused."""
    mixed = experiment()
    mixed = msgspec.structs.replace(mixed, nodes={**mixed.nodes, "b": NodeRole(kernel="threads")})
    right = {name: Node(name, kernel="threads" if name == "b" else "events") for name in ("noise", "a", "b")}
    drive(mixed, {name: port(node) for name, node in right.items()}, lambda packets: None)
    assert not any("kernel" in command for command in right["b"].commands)

    wrong = {name: Node(name) for name in ("noise", "a", "b")}
    with pytest.raises(FirmwareError, match=r"node b .* kernel = events, the experiment wants threads"):
        drive(mixed, {name: port(node) for name, node in wrong.items()}, lambda packets: None)


class Shell(Node):
    """RIOT's shell, as gnrc_networking of c8bd52ff answers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._lines = deque(["main(): This is RIOT!", "All up, running the shell now"])

    def write_line(self, text: str) -> None:
        """Take a command."""
        self.commands.append(text)
        word = text.split()[0]
        if text == "ifconfig":
            self._lines += ["> ifconfig", "Iface  6  HWaddr: 00:01  Channel: 26  NID: 0x23", "          "]
            self._lines.append(f"          inet6 addr: fe80::{self.node}  scope: link  VAL")
        elif word == "ifconfig":
            self._lines.append("success: set channel on interface 6 to 11")
        elif word == "ping":
            self._lines += ["12 bytes from fe80::b%6: icmp_seq=0 ttl=64 rssi=-50 dBm time=8.304 ms", ""]
            self._lines += [
                "--- fe80::b PING statistics ---",
                "1 packets transmitted, 1 packets received, 0% packet loss",
            ]


def shells(**changes: Any) -> tuple[Experiment, dict[str, Console | None]]:
    """A ping from a to b."""
    given = Experiment(name="x", initiator="a", responder="b", packets=1, settings=Settings(**changes))
    return given, dict.fromkeys("ab", consoles.load("riot-shell"))


def test_riots_shell_pings_the_address_that_the_peer_has() -> None:
    """What `ifconfig` prints is filled in; the end is the line of the statistics."""
    nodes, through = {name: Shell(name) for name in "ab"}, list[int]()
    given, described = shells(channel=11, interval_us=50_000)
    drive(given, {name: port(node) for name, node in nodes.items()}, through.append, described)

    assert ["ifconfig", "ifconfig", "ifconfig 6 set channel 11"] == nodes["b"].commands
    assert "ping -c 1 -i 50 -s 32 -W 15 fe80::b%6" == nodes["a"].commands[-1]
    assert [1] == through


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"backoff": False}, "node a runs RIOT's shell, which has no setting `backoff`; it has channel, interval_us"),
        ({"interval_us": 1500}, "takes milliseconds without a fraction: interval_us is 1500"),
    ],
)
def test_a_setting_that_a_firmware_lacks_is_refused(settings: dict[str, Any], message: str) -> None:
    given, described = shells(**settings)
    console = described["a"]
    assert console is not None

    with pytest.raises(BenchError, match=re.escape(message)):
        console_settings.settings(given, "a", console)


def test_a_node_that_says_which_firmware_it_is_gets_its_settings_only() -> None:
    """Without a console in the bench file; none of the nodes is set up before all are checked."""
    answer = f"ok identify firmware=riot table={TABLE_CRC32}"
    nodes = {name: Node(name, {"identify": [answer] * 2}) for name in ("noise", "a", "b")}

    with pytest.raises(BenchError, match="runs the RIOT application, which has no setting `worker_a_on_us`; it has "):
        drive(experiment(worker_a_on_us=5), {n: port(node) for n, node in nodes.items()}, lambda packets: None)
    assert not [text for node in nodes.values() for text in node.commands if text != "identify"]


def test_another_firmware_than_the_bench_file_names_is_refused() -> None:
    nodes = {name: Node(name, {"identify": [f"ok identify firmware=riot table={TABLE_CRC32}"]}) for name in "ab"}
    given, _ = shells()

    with pytest.raises(FirmwareError, match=r'node a runs the RIOT application; .* Write console = "riot"'):
        drive(given, {n: port(x) for n, x in nodes.items()}, lambda _: None, {"a": consoles.load("contiki-ng")})


def test_a_firmware_without_a_console_runs_for_the_duration() -> None:
    """Nothing is sent to it, with a port or without."""
    given = Experiment(name="x", initiator="a", responder="b", duration_s=1)
    node, waited = Node("b"), list[float]()
    node.pass_time = waited.append  # type: ignore[attr-defined]
    started_s = time.monotonic()
    none = consoles.load("none")
    drive(given, {"a": None, "b": port(node)}, lambda _: None, {"a": none, "b": none})
    assert time.monotonic() - started_s >= 1

    swapped = Experiment(name="x", initiator="b", responder="a", duration_s=7)
    drive(swapped, {"a": None, "b": port(node)}, lambda _: None, {"a": none, "b": none})
    assert [7.0] == waited
    assert [] == node.commands
