"""The virtual bench as a process: boards, analyzers and serial ports, driven by one event loop at one of two paces."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TextIO

from gpiorig.capture.recording.recording import BenchRemark
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import RigError, VirtualBenchError
from gpiorig.vbench import remarks
from gpiorig.vbench.boards import faults
from gpiorig.vbench.boards.truth import Truth
from gpiorig.vbench.boards.world import World
from gpiorig.vbench.description import section
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.ends import usb_bus
from gpiorig.vbench.ends.analyzer import AnalyzerServer
from gpiorig.vbench.ends.bus_pirate import BusPirate
from gpiorig.vbench.ends.debug_port import DebugPort
from gpiorig.vbench.ends.pace import FastPace, HostClock, Pace, RealTimePace
from gpiorig.vbench.ends.rfc2217 import Rfc2217Port
from gpiorig.vbench.ends.uart import VirtualUart
from gpiorig.vbench.serving import announcement
from gpiorig.vbench.serving.process import REMARKS, SETTLE, Endpoints

# While a flashing tool waits for a board whose time stands still, the bench looks at the host's clock this often.
_LOOK_S = 0.01
# After `settle` boards that never all sleep run on for this long, so that what they have done is sampled.
TAIL_PS = 100_000_000_000


class VirtualBench:
    """Everything a bench file with a `[virtual]` section describes, running."""

    def __init__(self, bench: Bench, *, firmware: dict[str, Path]) -> None:
        virtual = section.of(bench)
        fast = virtual.pace == "fast"
        world = World(bench, firmware=firmware, modelled_reader=fast)
        index, self._boards = world.index, world.boards
        self.uarts = {name: VirtualUart(self._boards, board, stamps=fast) for name, board in index.items()}
        kinds: dict[str, type[DebugPort | BusPirate]] = {"jtag": DebugPort, "swd": BusPirate}
        self.debug_ports: dict[str, DebugPort | BusPirate] = {
            name: kinds[transport](self._boards, board)
            for name, board in index.items()
            if (transport := self._boards.debug_transport(board))
        }
        self.rfc2217_ports = {
            name: Rfc2217Port(self._boards, board, self.uarts[name])
            for name, board in index.items()
            if self._boards.modem(board, dtr=False, rts=False)
        }
        self._host_clock = HostClock()
        self._truth = Truth(Path(virtual.truth), bench, self._boards) if virtual.truth else None
        self.analyzers = {
            name: AnalyzerServer(
                name,
                port=virtual.analyzers.get(name, VirtualAnalyzer()).port,
                start=partial(world.start_analyzer, name),
                closes=faults.closes_connection(bench, name),
                boards=self._boards,
            )
            for name in bench.analyzers
        }
        self._usb = usb_bus.of_bench(bench, {name: analyzer.port for name, analyzer in self.analyzers.items()})
        self._on_usb = usb_bus.drivers_of(bench)
        pace = FastPace if fast else RealTimePace
        self.pace: Pace = pace(self._boards, self.uarts.values(), self.analyzers.values())
        self._running = True
        self._settles_at_ps: int | None = None
        self._remarks_asked = False
        self._selector = selectors.DefaultSelector()

    def endpoints(self) -> Endpoints:
        """Where the host finds the analyzers and the serial ports."""
        return {
            "analyzers": {name: analyzer.driver for name, analyzer in self.analyzers.items()} | self._on_usb,
            "environment": self._usb.environment if self._usb else {},
            "serial": {name: self._serial_endpoint(name, uart) for name, uart in self.uarts.items()},
            "debug": {name: port.endpoint for name, port in self.debug_ports.items()},
        }

    def _serial_endpoint(self, name: str, uart: VirtualUart) -> dict[str, str | None]:
        ends = {"path": uart.path, "stamps": uart.stamps_path}
        return {**ends, "rfc2217": self.rfc2217_ports[name].url} if name in self.rfc2217_ports else ends

    @property
    def _samples_sent(self) -> dict[str, int]:
        """What the host has from each analyzer that it is connected to itself."""
        return {name: analyzer.samples_sent for name, analyzer in self.analyzers.items() if name not in self._on_usb}

    @property
    def _host_ports(self) -> list[DebugPort | Rfc2217Port]:
        ports = (*self.debug_ports.values(), *self.rfc2217_ports.values())
        return [port for port in ports if not isinstance(port, BusPirate)]

    def serve(
        self, control: TextIO | None, *, answer: Callable[[dict[str, object]], None] = lambda output: None
    ) -> None:
        """Run until `control` ends, answering its commands; a file or /dev/null has no end that could be awaited.

        Raises `VirtualBenchError` when a board does what no model covers.
        """
        try:
            self._serve_until_end(control, answer)
        except VirtualBenchError as error:
            raise VirtualBenchError(self.named(str(error))) from error

    def _serve_until_end(self, control: TextIO | None, answer: Callable[[dict[str, object]], None]) -> None:
        self._watch_control(control)
        for analyzer in self.analyzers.values():
            self._selector.register(analyzer.listener, selectors.EVENT_READ, analyzer)
        pirates = [port for port in self.debug_ports.values() if isinstance(port, BusPirate)]
        ptys: list[VirtualUart | BusPirate] = [*self.uarts.values(), *pirates]
        for pty in ptys:
            self._selector.register(pty.master, selectors.EVENT_READ, pty)
        for host_port in self._host_ports:
            self._selector.register(host_port.listener, selectors.EVENT_READ, host_port)
        while self._running:
            for key, events in self._selector.select(self._timeout_s()):
                self._serve(key.data, events)
            self.pace.turn()
            if self._usb:
                self._usb.update()
            if self._truth:
                self._truth.write()
            self._keep_company()
            if self._settles_at_ps is not None and self.pace.settled(self._settles_at_ps):
                self._settles_at_ps = None
                answer({"settled": self._samples_sent})
            if self._remarks_asked:
                self._remarks_asked = False
                answer(remarks.as_json(self.remarks))
            self._watch_writers()

    def _watch_control(self, control: TextIO | None) -> None:
        if control is not None:  # None: standard input is closed
            with contextlib.suppress(PermissionError):  # epoll(7): not for regular files and /dev/null
                self._selector.register(control, selectors.EVENT_READ, control)

    def _timeout_s(self) -> float | None:
        timeout_s = self.pace.timeout_s()
        return _LOOK_S if timeout_s is None and self._flashing else timeout_s

    @property
    def _flashing(self) -> bool:
        return any(port.client for port in self.rfc2217_ports.values())

    def _keep_company(self) -> None:
        """A flashing tool waits by the host's clock: virtual time follows that where nothing else drives it."""
        pause_ps = self._host_clock.pause_ps()
        if self._flashing and self.pace.stands:
            self._boards.pass_time(self._boards.now_ps + pause_ps)
            self.pace.wake()

    def close(self) -> None:
        """Free everything."""
        self._selector.close()
        if self._truth:
            self._truth.close()
        for analyzer in self.analyzers.values():
            analyzer.close()
        for uart in self.uarts.values():
            uart.close()
        for port in (*self.debug_ports.values(), *self.rfc2217_ports.values()):
            port.close()
        if self._usb:
            self._usb.close()
        self._boards.close()

    def named(self, text: str) -> str:
        """A message of the boards with the nodes' names in it."""
        return re.sub(r"\bboard (\d+)\b", lambda match: f"node {list(self.uarts)[int(match[1])]}", text)

    @property
    def remarks(self) -> tuple[BenchRemark, ...]:
        """What the models do not cover and the firmware did nevertheless."""
        return remarks.of_log(self._boards.log, list(self.uarts))

    def _serve(self, end: object, events: int) -> None:
        if isinstance(end, VirtualUart):
            if events & selectors.EVENT_WRITE:
                end.flush()
            if events & selectors.EVENT_READ:
                end.receive()
        elif isinstance(end, AnalyzerServer):
            self._accept(end)
        elif isinstance(end, _Client):
            if events & selectors.EVENT_WRITE and not end.gone:
                end.analyzer.pump()
            if events & selectors.EVENT_READ and not end.gone:
                end.analyzer.receive()
            self._forget_if_gone(end)
        elif isinstance(end, DebugPort | Rfc2217Port):
            self._serve_port(end)
        elif isinstance(end, BusPirate):
            end.receive(time_passes=self.pace.stands)
            self.pace.wake()
        elif isinstance(end, io.TextIOBase):
            self._obey(os.read(end.fileno(), 4096))

    def _obey(self, command: bytes) -> None:
        """What came on the control stream: a command, or its end."""
        self._running = bool(command)
        commands = command.decode(errors="replace").split()
        self._remarks_asked = REMARKS in commands
        if SETTLE in commands:
            self._settles_at_ps = self._boards.now_ps + TAIL_PS

    def _accept(self, analyzer: AnalyzerServer) -> None:
        before, client = analyzer.client, analyzer.accept()
        if client is None:
            return
        if before is not None:
            self._selector.unregister(before)
        self._selector.register(client, selectors.EVENT_READ, _Client(analyzer, client))

    def _serve_port(self, port: DebugPort | Rfc2217Port) -> None:
        """A debugger or a flashing tool has come, or it has sent something; one at a time, others wait."""
        if port.client is None:
            if (accepted := port.accept()) is not None:
                self._selector.unregister(port.listener)
                self._selector.register(accepted, selectors.EVENT_READ, port)
            return
        client = port.client
        stays = port.receive(time_passes=self.pace.stands) if isinstance(port, DebugPort) else port.receive()
        if stays:
            self.pace.wake()
        else:
            self._selector.unregister(client)
            self._selector.register(port.listener, selectors.EVENT_READ, port)

    def _forget_if_gone(self, end: _Client) -> None:
        if end.gone:
            with contextlib.suppress(KeyError, ValueError):  # forgotten already
                self._selector.unregister(end.connection)

    def _watch_writers(self) -> None:
        """Ask to be woken for writing only where something waits; forget clients that have gone."""
        for key in list(self._selector.get_map().values()):
            end = key.data
            if isinstance(end, _Client) and end.gone:
                self._forget_if_gone(end)
                continue
            pending = isinstance(end, VirtualUart | BusPirate) and end.has_pending
            pending |= isinstance(end, _Client) and end.analyzer.has_pending
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0)
            if isinstance(end, DebugPort | Rfc2217Port) and key.fileobj is end.client and end.has_pending:
                # A debugger is read again once it has its answers; a flashing tool may send meanwhile.
                wanted = selectors.EVENT_WRITE | (selectors.EVENT_READ if isinstance(end, Rfc2217Port) else 0)
            if key.events != wanted:
                self._selector.modify(key.fileobj, wanted, end)


class _Client:
    """A connection of an analyzer, as the selector knows it."""

    def __init__(self, analyzer: AnalyzerServer, connection: socket.socket) -> None:
        self.analyzer, self.connection = analyzer, connection

    @property
    def gone(self) -> bool:
        return self.analyzer.client is not self.connection


def main(
    bench: Bench, firmware: dict[str, Path], *, as_json: bool, on_start: Callable[[Endpoints], None] = lambda ends: None
) -> int:
    """Serve the bench until standard input ends, or until Ctrl-C where a person looks on; `on_start` gets its ends.

    With `as_json`, every line of output is a JSON object: the endpoints, answers to commands; before an error remarks.
    """
    if as_json:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when the bench ends
    with contextlib.ExitStack() as stack:
        running = None
        try:
            running = stack.enter_context(contextlib.closing(VirtualBench(bench, firmware=firmware)))
            ends = running.endpoints()
            on_start(ends)
            with contextlib.suppress(KeyboardInterrupt):
                print(json.dumps(ends) if as_json else announcement.text(bench, ends), flush=True)
                running.serve(sys.stdin, answer=lambda output: print(json.dumps(output), flush=True))
        except RigError:
            if as_json and running is not None:
                print(json.dumps(remarks.as_json(running.remarks)), flush=True)
            raise
        for line in (*(remark.sentence for remark in running.remarks), *running.pace.remarks):
            print(f"virtual bench: {line}", file=sys.stderr)
    return 0
