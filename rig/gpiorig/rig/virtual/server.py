"""The virtual bench as a process: boards, analyzers and serial ports, driven by one event loop at one of two paces."""

from __future__ import annotations

import contextlib
import json
import re
import selectors
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from gpiorig.rig import bench as benches
from gpiorig.rig import boards
from gpiorig.rig.bench import Bench
from gpiorig.rig.bench_ends import VirtualAnalyzer
from gpiorig.rig.bench_virtual import Virtual
from gpiorig.rig.bench_world import VirtualNode
from gpiorig.rig.errors import FirmwareError, RigError, VirtualBenchError
from gpiorig.rig.virtual import faults
from gpiorig.rig.virtual.analyzer import AnalyzerServer, Clips
from gpiorig.rig.virtual.debug import DebugPort
from gpiorig.rig.virtual.pace import FastPace, Pace, RealTimePace
from gpiorig.rig.virtual.uart import VirtualUart
from gpiorig.rig.virtual.vboards import VirtualBoards


class VirtualBench:
    """Everything a bench file with a `[virtual]` section describes, running."""

    def __init__(self, bench: Bench, *, firmware: dict[str, Path], folder: Path) -> None:
        virtual = bench.virtual or Virtual()
        self._boards = VirtualBoards(seed=virtual.seed)
        for name, value in virtual.study.items():
            self._boards.study(name, value)
        index: dict[str, int] = {}
        for name, node in bench.nodes.items():
            index[name] = self._add_board(name, node.board, firmware[name], virtual)
        for link in virtual.links:
            self._boards.set_link(index[link.sender], index[link.receiver], link)
        for interferer in virtual.interferers:
            self._boards.add_interferer(interferer, index)
        fast = virtual.pace == "fast"
        self._boards.start_host(virtual.serial, modelled_reader=fast)
        for board in index.values():
            self._boards.plug_host(board, virtual.serial)
        faults.add_serial_faults(bench, self._boards, index)
        faults.add_brown_outs(virtual, self._boards, index)
        self.uarts = {
            name: VirtualUart(self._boards, board, folder / f"{name}.stamps" if fast else None)
            for name, board in index.items()
        }
        self.debug_ports = {
            name: DebugPort(self._boards, board) for name, board in index.items() if self._boards.has_jtag(board)
        }
        self.analyzers = self._add_analyzers(bench, virtual, index)
        pace = FastPace if fast else RealTimePace
        self.pace: Pace = pace(self._boards, self.uarts.values(), self.analyzers.values())
        self._running = True
        self._selector = selectors.DefaultSelector()

    def _add_analyzers(self, bench: Bench, virtual: Virtual, index: dict[str, int]) -> dict[str, AnalyzerServer]:
        if any(analyzer.sync for analyzer in bench.analyzers.values()):
            self._boards.start_sync(clock_ppb=virtual.sync.clock_ppb)
        clips: dict[str, Clips] = {
            name: {analyzer.sync: None} if analyzer.sync else {} for name, analyzer in bench.analyzers.items()
        }
        for name, node in bench.nodes.items():
            pins = benches.pins(name, node, virtual)
            for line, where in node.lines.items():
                analyzer, channel = benches.place(bench, where)
                clips[analyzer][channel] = (index[name], pins[line])
        return {
            name: AnalyzerServer(
                name,
                virtual.analyzers.get(name, VirtualAnalyzer()),
                key=key,
                clips=clips[name],
                faults=faults.analyzer_calls(bench, name),
                closes=faults.closes_connection(bench, name),
                boards=self._boards,
            )
            for key, name in enumerate(bench.analyzers)
        }

    def _add_board(self, name: str, kind: str, firmware: Path, virtual: Virtual) -> int:
        try:
            elf = firmware.read_bytes()
        except OSError as error:
            raise FirmwareError(f"firmware {firmware}: {error.strerror}. Run `make firmware`.") from error
        try:
            node = virtual.nodes.get(name, VirtualNode())
            return self._boards.add_board(kind, elf, node, clock_faults=faults.clock_steps(virtual, name))
        except VirtualBenchError as error:
            raise FirmwareError(f"firmware {firmware}: {error}") from error

    def endpoints(self) -> dict[str, dict[str, object]]:
        """Where the host finds the analyzers and the serial ports."""
        return {
            "analyzers": {name: analyzer.driver for name, analyzer in self.analyzers.items()},
            "serial": {
                name: {"path": uart.path, "stamps": str(uart.stamps_path) if uart.stamps_path else None}
                for name, uart in self.uarts.items()
            },
            "debug": {name: {"port": port.port, "openocd": port.openocd} for name, port in self.debug_ports.items()},
        }

    def serve(self, control: TextIO) -> None:
        """Run until `control` ends; raises `VirtualBenchError` when a board does what no model covers."""
        try:
            self._serve_until_end(control)
        except VirtualBenchError as error:
            raise VirtualBenchError(self.named(str(error))) from error

    def _serve_until_end(self, control: TextIO) -> None:
        self._selector.register(control, selectors.EVENT_READ, "control")
        for analyzer in self.analyzers.values():
            self._selector.register(analyzer.listener, selectors.EVENT_READ, analyzer)
        for uart in self.uarts.values():
            self._selector.register(uart.master, selectors.EVENT_READ, uart)
        for port in self.debug_ports.values():
            self._selector.register(port.listener, selectors.EVENT_READ, port)
        while self._running:
            for key, events in self._selector.select(self.pace.timeout_s()):
                self._serve(key.data, events)
            self.pace.turn()
            self._watch_writers()

    def close(self) -> None:
        """Free everything."""
        self._selector.close()
        for analyzer in self.analyzers.values():
            analyzer.close()
        for uart in self.uarts.values():
            uart.close()
        for port in self.debug_ports.values():
            port.close()
        self._boards.close()

    def named(self, text: str) -> str:
        """A message of the boards with the nodes' names in it."""
        return re.sub(r"\bboard (\d+)\b", lambda match: f"node {list(self.uarts)[int(match[1])]}", text)

    @property
    def remarks(self) -> list[str]:
        """What the models do not cover and the firmware did nevertheless, and how the pace was kept, a line each."""
        return [*self.named(self._boards.log).splitlines(), *self.pace.remarks]

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
        elif isinstance(end, DebugPort):
            self._debug(end)
        else:
            self._running = False

    def _accept(self, analyzer: AnalyzerServer) -> None:
        if analyzer.client is not None:
            self._selector.unregister(analyzer.client)
        client = analyzer.accept()
        self._selector.register(client, selectors.EVENT_READ, _Client(analyzer, client))

    def _debug(self, port: DebugPort) -> None:
        """A debug adapter has come, or it has sent something; one at a time, others wait."""
        if port.client is None:
            self._selector.unregister(port.listener)
            self._selector.register(port.accept(), selectors.EVENT_READ, port)
            return
        client = port.client
        if port.receive(time_passes=self.pace.stands):
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
            pending = isinstance(end, VirtualUart) and end.has_pending
            pending |= isinstance(end, _Client) and end.analyzer.has_pending
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0)
            if key.events != wanted:
                self._selector.modify(key.fileobj, wanted, end)


class _Client:
    """A connection of an analyzer, as the selector knows it."""

    def __init__(self, analyzer: AnalyzerServer, connection: socket.socket) -> None:
        self.analyzer, self.connection = analyzer, connection

    @property
    def gone(self) -> bool:
        return self.analyzer.client is not self.connection


def main(bench: Bench, firmware: dict[str, Path], *, as_json: bool) -> int:
    """Serve the bench until standard input ends, or until Ctrl-C where a person looks on.

    With `as_json`, every line of output is a JSON object: the endpoints first, an error last if there is one.
    """
    if as_json:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when the bench ends
    with tempfile.TemporaryDirectory(prefix="gpiorig-bench-") as folder, contextlib.ExitStack() as stack:
        try:
            running = VirtualBench(bench, firmware=firmware, folder=Path(folder))
            stack.callback(running.close)
            with contextlib.suppress(KeyboardInterrupt):
                print(json.dumps(running.endpoints()) if as_json else describe(bench, running), flush=True)
                running.serve(sys.stdin)
        except RigError as error:
            if not as_json:
                raise
            print(json.dumps({"error": str(error)}), flush=True)
            return 2
        for line in running.remarks:
            print(f"virtual bench: {line}", file=sys.stderr)
    return 0


def describe(bench: Bench, running: VirtualBench) -> str:
    """The ends of a bench, for people."""
    virtual = bench.virtual or Virtual()
    lines = [f"{bench.name}: {virtual.pace} pace, seed {virtual.seed}"]
    for name, analyzer in running.analyzers.items():
        rate_hz = bench.analyzers[name].samplerate_hz
        lines.append(
            f"  analyzer {name}: sigrok-cli -d {analyzer.driver} -c samplerate={rate_hz} --continuous -O binary"
        )
    for name, uart in running.uarts.items():
        baudrate = boards.load(bench.nodes[name].board).baudrate
        stamps = f"   stamps: {uart.stamps_path}" if uart.stamps_path else ""
        lines.append(f"  serial {name}: {uart.path} at {baudrate} baud{stamps}")
    for name, port in running.debug_ports.items():
        lines.append(f"  debug {name}: openocd -c '{port.openocd}'")
    if virtual.pace == "fast":
        lines.append("Virtual time starts when every analyzer captures, and stands still when none does.")
    lines.append("Ctrl-C, or the end of standard input, ends the bench.")
    return "\n".join(lines)
