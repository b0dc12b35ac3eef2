"""`gpiorig run` drives the example applications of RIOT and Contiki-NG: its dialogue, held with their own consoles."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from contikiglue import GLUE, M3, image
from patience import PATIENCE_S
from riotapp import APP, STUB, Node, build

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.port import Line, SerialPort
from gpiorig.rig.bench import consoles
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.run.dialogue import Dialogue
from gpiorig.rig.run.drive import drive
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

pytestmark = pytest.mark.slow  # builds images

NODES = ("a", "b")
STEP_PS = 20_000_000_000
LONGEST_PS = 10_000_000_000_000


class PipePort:
    """RIOT's application on the PC, in the place of a port."""

    def __init__(self, name: str, program: Path, folder: Path) -> None:
        self.node = self.device = name
        self.printed: list[str] = []
        self.running = Node(program, folder=folder)

    def write_line(self, text: str) -> None:
        """Send a command."""
        assert self.running.process.stdin is not None
        self.running.process.stdin.write(f"{text}\n".encode())

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """As a serial port does; the node prints a line within the tests' patience."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            self.printed.append(self.running.line())
            if predicate(self.printed[-1]):
                return Line(0, self.printed[-1])
        raise SerialPortError("nothing came", where=self.device, remedy=f"wait longer than {deadline_s} s")


class BoardPort:
    """A virtual board's console, in the place of a port; time passes while it waits."""

    def __init__(self, name: str, boards: VirtualBoards, number: int) -> None:
        self.node = self.device = name
        self.printed: list[str] = []
        self._boards, self._number, self._rest, self._lines = boards, number, b"", deque[str]()

    def write_line(self, text: str) -> None:
        """Send a command."""
        self._boards.uart_feed(self._number, 0, f"{text}\n".encode())

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """As a serial port does."""
        end_ps = self._boards.now_ps + LONGEST_PS
        while self._boards.now_ps < end_ps:
            while self._lines:
                self.printed.append(self._lines.popleft())
                if predicate(self.printed[-1]):
                    return Line(0, self.printed[-1])
            self._boards.pass_time(self._boards.now_ps + STEP_PS)
            *lines, self._rest = (self._rest + self._boards.uart_read(self._number, 0)[1]).split(b"\n")
            self._lines += [line.decode() for line in lines]
        raise SerialPortError("nothing came", where=self.device, remedy=f"wait longer than {deadline_s} s")


Port = PipePort | BoardPort


@pytest.fixture
def riot(tmp_path: Path) -> Iterator[dict[str, Port]]:
    """Two nodes over UDP."""
    program = build(tmp_path / "app", APP / "link_udp.c", STUB / "gnrc.c", table=TABLE_CRC32)
    (tmp_path / "air").mkdir()
    ports = {name: PipePort(name, program, tmp_path / "air") for name in NODES}
    yield dict(ports)
    for port in ports.values():
        port.running.close()


@pytest.fixture
def contiki(tmp_path: Path) -> Iterator[dict[str, Port]]:
    """Two boards, each of whose radios is its own peer."""
    built = image(GLUE / "pingpong", tmp_path, M3, "WITH_CONSOLE=1")
    boards = VirtualBoards(seed=1)
    ports = {name: BoardPort(name, boards, boards.add_board(M3.board, built, VirtualNode())) for name in NODES}
    yield dict(ports)
    boards.close()


def run(ports: dict[str, Port], **settings: Any) -> list[str]:
    """Drive three packets from a to b; their lines."""
    experiment = Experiment(
        name="x", initiator="a", responder="b", packets=3, settings=Settings(interval_us=50_000, **settings)
    )
    drive(experiment, {name: cast(SerialPort, port) for name, port in ports.items()}, lambda through: None)
    return [line for line in ports["a"].printed if line.startswith("packet ")]


def frames(port: Port) -> int:
    """What `report` counts."""
    return int(
        Dialogue(port.node, cast(SerialPort, port), consoles.load("reference"))
        .ask("report")
        .split("probes=")[1]
        .split()[0]
    )


@pytest.mark.parametrize("system", ["riot", "contiki"])
def test_the_runner_drives_it(system: str, request: pytest.FixtureRequest) -> None:
    """All commands of the runner are understood; each node prints its new address; after the run no event is sent."""
    ports: dict[str, Port] = request.getfixturevalue(system)
    packets = run(ports, payload=16, timeout_us=1_000_000, events_sched=True, events_task=False, events_queue=True)

    assert [f"packet seq={number}" for number in (1, 2, 3)] == [" ".join(line.split()[:2]) for line in packets]
    assert all(line.endswith("status=ok") for line in packets)
    for address, port in enumerate(ports.values(), start=1):
        *_, identified = [line for line in port.printed if line.startswith("ok identify")]
        assert f" address={address} " in identified
        assert frames(port) == frames(port)
