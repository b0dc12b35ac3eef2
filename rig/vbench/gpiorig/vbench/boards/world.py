"""The boards of a virtual bench with the air between them, their faults, and what each analyzer's channels are on."""

from __future__ import annotations

from pathlib import Path

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import FirmwareError, VirtualBenchError
from gpiorig.vbench.boards import faults
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description import section
from gpiorig.vbench.description.ends import VirtualAnalyzer, VirtualThreshold
from gpiorig.vbench.description.world import VirtualNode

Clips = dict[str, tuple[int, str] | None]  # channel -> (board index, pin), or None for the sync line


class World:
    """What a bench file with a `[virtual]` section describes, but for the ends that a host sees.

    Parameters
    ----------
    bench
        The bench.
    firmware
        Image of each node.
    modelled_reader
        Whether the host's program that reads the serial ports is part of the model (`VirtualBoards.start_host`).

    Attributes
    ----------
    boards
        The boards; the caller closes them.
    index
        Number of each node's board.
    """

    def __init__(self, bench: Bench, *, firmware: dict[str, Path], modelled_reader: bool) -> None:
        self._bench, self._virtual = bench, section.of(bench)
        self.boards = VirtualBoards(seed=self._virtual.seed)
        self.index: dict[str, int] = {}
        for name, node in bench.nodes.items():
            self.index[name] = self._add_board(name, node.board_name, firmware[name])
        for link in self._virtual.links:
            self.boards.set_link(self.index[link.sender], self.index[link.receiver], link)
        for interferer in self._virtual.interferers:
            self.boards.add_interferer(interferer, self.index)
        self.boards.start_host(self._virtual.serial, modelled_reader=modelled_reader)
        for board in self.index.values():
            self.boards.plug_host(board, self._virtual.serial)
        faults.add_serial_faults(bench, self.boards, self.index)
        faults.add_brown_outs(self._virtual, self.boards, self.index)
        if any(analyzer.sync for analyzer in bench.analyzers.values()):
            self.boards.start_sync(clock_ppb=self._virtual.sync.clock_ppb)
        self._clips = self._all_clips()

    def start_analyzer(self, name: str, *, samplerate_hz: int, unitsize: int) -> int:
        """Index of an analyzer that samples from now on, its channels clipped to the lines of the bench."""
        config = self._virtual.analyzers.get(name, VirtualAnalyzer())
        key = list(self._bench.analyzers).index(name)  # for the random generator
        analyzer = self.boards.add_analyzer(samplerate_hz=samplerate_hz, unitsize=unitsize, config=config, key=key)
        channels = section.channels(self._virtual, name)[: 8 * unitsize]
        for number, channel in enumerate(channels):
            self.boards.set_threshold(analyzer, number, config.thresholds.get(channel, VirtualThreshold()))
            if channel in self._clips[name]:
                self._clip(analyzer, number, self._clips[name][channel])
        for fault in faults.analyzer_calls(self._bench, name):
            if max(fault.channel, fault.a if fault.kind in ("swapped", "joined") else 0) < len(channels):
                self.boards.analyzer_fault(analyzer, fault)
        return analyzer

    def _clip(self, analyzer: int, number: int, end: tuple[int, str] | None) -> None:
        if end is None:
            self.boards.probe_sync(analyzer, number)
        else:
            self.boards.probe(analyzer, number, *end)

    def _all_clips(self) -> dict[str, Clips]:
        clips: dict[str, Clips] = {
            name: {analyzer.sync: None} if analyzer.sync else {} for name, analyzer in self._bench.analyzers.items()
        }
        for name, node in self._bench.nodes.items():
            pins = section.pins(name, node, self._virtual)
            for line, where in node.lines.items():
                analyzer, channel = self._bench.place(where)
                clips[analyzer][channel] = (self.index[name], pins[line])
        return clips

    def _add_board(self, name: str, kind: str, firmware: Path) -> int:
        try:
            elf = firmware.read_bytes()
        except OSError as error:
            raise FirmwareError(f"firmware {firmware}: {error.strerror}. Run `make firmware`.") from error
        node = self._virtual.nodes.get(name, VirtualNode())
        self.boards.change_timing(self._virtual.timing | node.timing)
        try:
            return self.boards.add_board(kind, elf, node, clock_faults=faults.clock_steps(self._virtual, name))
        except VirtualBenchError as error:
            raise FirmwareError(f"firmware {firmware}: {error}") from error
