"""The virtual bench as a process: boards, analyzers and serial ports, driven by one event loop.

Pace is fast: virtual time runs as fast as the host can compute and the analyzers' clients can take samples.
It stands still

- while not every analyzer of the bench is capturing: nothing happens unseen, and a run begins at the same instant;
- while samples or serial bytes wait for the host: nothing is lost, memory is bounded;
- while every board sleeps with nothing to come: the next move is the host's. A line from the host enters the virtual
  world at that instant, so the same commands give the same edges however long the host thinks.
"""

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
from gpiorig.rig.bench import Bench
from gpiorig.rig.bench_virtual import Virtual, VirtualAnalyzer, VirtualLink, VirtualNode
from gpiorig.rig.errors import FirmwareError, RigError, VirtualBenchError
from gpiorig.rig.virtual.analyzer import AnalyzerServer
from gpiorig.rig.virtual.uart import VirtualUart
from gpiorig.rig.virtual.vboards import VirtualBoards

# One turn of the loop: short enough that samples flow, long enough that Python costs little.
_SLICE_PS = 5_000_000_000
_CONSOLE_USART = 0  # whichever the board's serial adapter hangs on


class VirtualBench:
    """Everything a bench file with a `[virtual]` section describes, running."""

    def __init__(self, bench: Bench, *, firmware: dict[str, Path], folder: Path) -> None:
        virtual = bench.virtual or Virtual()
        self._boards = VirtualBoards(seed=virtual.seed)
        index: dict[str, int] = {}
        for name, node in bench.nodes.items():
            clock_ppb = virtual.nodes.get(name, VirtualNode()).clock_ppb
            index[name] = self._add_board(node.board, firmware[name], clock_ppb=clock_ppb)
        for link in virtual.links:
            self._set_link(link, index)
        self.uarts = {
            name: VirtualUart(self._boards, board, _CONSOLE_USART, folder / f"{name}.stamps")
            for name, board in index.items()
        }
        wires = {
            channel: (index[name], benches.pins(name, node, virtual)[line])
            for name, node in bench.nodes.items()
            for line, channel in node.lines.items()
        }
        self.analyzers = {
            name: AnalyzerServer(name, virtual.analyzers.get(name, VirtualAnalyzer()), wires, self._boards)
            for name in bench.analyzers
        }
        self._idle = False
        self._running = True
        self._selector = selectors.DefaultSelector()

    def _add_board(self, kind: str, firmware: Path, *, clock_ppb: int) -> int:
        try:
            elf = firmware.read_bytes()
        except OSError as error:
            raise FirmwareError(f"firmware {firmware}: {error.strerror}. Run `make firmware`.") from error
        try:
            return self._boards.add_board(kind, elf, clock_ppb=clock_ppb)
        except VirtualBenchError as error:
            raise FirmwareError(f"firmware {firmware}: {error}") from error

    def _set_link(self, link: VirtualLink, index: dict[str, int]) -> None:
        self._boards.set_link(
            index[link.sender],
            index[link.receiver],
            delay_ps=link.delay_ps,
            loss_ppm=link.loss_ppm,
            rssi_dbm=link.rssi_dbm,
        )

    def endpoints(self) -> dict[str, dict[str, object]]:
        """Where the host finds the analyzers and the serial ports."""
        return {
            "analyzers": {name: analyzer.driver for name, analyzer in self.analyzers.items()},
            "serial": {name: {"path": uart.path, "stamps": str(uart.stamps_path)} for name, uart in self.uarts.items()},
        }

    def serve(self, control: TextIO) -> None:
        """Run until `control` ends; raises `VirtualBenchError` when a board does what no model covers."""
        self._selector.register(control, selectors.EVENT_READ, "control")
        for analyzer in self.analyzers.values():
            self._selector.register(analyzer.listener, selectors.EVENT_READ, analyzer)
        for uart in self.uarts.values():
            self._selector.register(uart.master, selectors.EVENT_READ, uart)
        while self._running:
            self._poll()
            if self._may_run():
                self._advance()

    def close(self) -> None:
        """Free everything."""
        self._selector.close()
        for analyzer in self.analyzers.values():
            analyzer.close()
        for uart in self.uarts.values():
            uart.close()
        self._boards.close()

    def named(self, text: str) -> str:
        """A message of the boards with the nodes' names in it."""
        return re.sub(r"\bboard (\d+)\b", lambda match: f"node {list(self.uarts)[int(match[1])]}", text)

    @property
    def warnings(self) -> list[str]:
        """What the models do not cover and the firmware did nevertheless, a line each."""
        return self.named(self._boards.log).splitlines()

    def _may_run(self) -> bool:
        watched = all(analyzer.capturing for analyzer in self.analyzers.values())
        blocked = any(analyzer.has_pending for analyzer in self.analyzers.values())
        blocked |= any(uart.has_pending for uart in self.uarts.values())
        return watched and not blocked and not self._idle

    def _advance(self) -> None:
        self._idle = self._boards.run(self._boards.now_ps + _SLICE_PS)
        for uart in self.uarts.values():
            uart.drain_board()
        for analyzer in self.analyzers.values():
            analyzer.pump()
        self._watch_writers()

    def _poll(self) -> None:
        """Serve what the host has done; wait for it if time may not go on."""
        self._feed()
        timeout = 0 if self._may_run() else None
        for key, events in self._selector.select(timeout):
            self._serve(key.data, events)
        self._watch_writers()

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
        else:
            self._running = False

    def _accept(self, analyzer: AnalyzerServer) -> None:
        if analyzer.client is not None:
            self._selector.unregister(analyzer.client)
        client = analyzer.accept()
        self._selector.register(client, selectors.EVENT_READ, _Client(analyzer, client))

    def _forget_if_gone(self, end: _Client) -> None:
        if end.gone:
            with contextlib.suppress(KeyError, ValueError):  # forgotten already
                self._selector.unregister(end.connection)

    def _feed(self) -> None:
        """While every board sleeps with nothing to come, let the next line from the host in."""
        if not self._idle:
            return
        for uart in self.uarts.values():
            line = uart.take_line()
            if line:
                uart.feed(line)
                self._idle = False
                return

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


def main(bench: Bench, firmware: dict[str, Path]) -> int:
    """Serve the bench until standard input ends; the first line of output is the endpoints as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when the bench ends
    with tempfile.TemporaryDirectory(prefix="gpiorig-bench-") as folder:
        try:
            running = VirtualBench(bench, firmware=firmware, folder=Path(folder))
        except RigError as error:
            print(json.dumps({"error": str(error)}), flush=True)
            return 2
        try:
            print(json.dumps(running.endpoints()), flush=True)
            running.serve(sys.stdin)
            for line in running.warnings:
                print(f"virtual bench: {line}", file=sys.stderr)
            return 0
        except VirtualBenchError as error:
            print(json.dumps({"error": running.named(str(error))}), flush=True)
            return 2
        finally:
            running.close()
