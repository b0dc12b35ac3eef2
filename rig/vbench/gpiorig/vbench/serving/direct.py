"""Recording an experiment on virtual boards in this process: no sigrok-cli, no ptys, and the same recording.

Boards, pace, commands and recording format are those of `runner.run`; edges come from the boards in place of samples,
serial bytes from the modelled host in place of a pty. A second of two boards at 24 MS/s is 48 MB of samples, and
moving them takes most of the processor time of a run. `tests/modes/test_direct.py` holds both ways to equal recordings.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.serial.line_inbox import Line
from gpiorig.capture.serial.lines import LineAssembler
from gpiorig.capture.serial.port import silence
from gpiorig.capture.serial.record import Entry, Kind
from gpiorig.capture.serial.record_writer import SerialWriter
from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.capture.sigrok.stream import Headroom
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import images
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.recordings.merge import Source
from gpiorig.rig.run import captures, conclusion, endpoints, runner
from gpiorig.rig.run.dialogue import Progress
from gpiorig.rig.run.drive import drive
from gpiorig.rig.run.endpoints import Endpoints
from gpiorig.vbench import remarks
from gpiorig.vbench.boards.truth import Truth
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.boards.world import World
from gpiorig.vbench.description import section
from gpiorig.vbench.description.ends import AnalyzerFault
from gpiorig.vbench.ends.pace import FastPace
from gpiorig.vbench.ends.uart import CONSOLE_USART
from gpiorig.vbench.serving.server import TAIL_PS

SLICE_PS = 50_000_000_000
VIRTUAL_PER_HOST = 60  # virtual seconds that a wait may take for each second it may take on a host
UNITSIZE = 2
OWN_EDGES = "the virtual boards, which hand out edges without samples"


def run(
    bench: Bench,
    experiment: Experiment,
    *,
    bench_file: Path,
    output: Path,
    firmware: dict[str, Path],
    note: str = "",
    progress: Progress = lambda packets: None,
) -> Recording:
    """Run the experiment and record it, as `runner.run` does.

    Raises
    ------
    BenchError
        The bench needs its ends: it has boards, the pace of a clock, or an analyzer that fails.
    """
    refuse_real_ends(bench)
    runner.check(bench, experiment)
    drivers = {name: f"direct:{name}" for name in bench.analyzers}
    sources = captures.sources(
        bench, drivers, find=lambda driver: Analyzer(driver, "virtual analyzer", BEAGLELOGIC_CHANNELS)
    )
    loaded = images.hashed(firmware)
    with contextlib.ExitStack() as stack:
        world = World(bench, firmware=firmware, modelled_reader=True)
        stack.callback(world.boards.close)
        info = captures.describe(
            bench,
            bench_file,
            experiment=experiment.name,
            parameters=runner.parameters(bench, experiment),
            sources=sources,
            virtual_stamps=True,
            firmware=loaded,
            note=note,
        )
        recording = Recording.create(output, info)
        ends = Endpoints(drivers={}, ports={}, remarks=lambda: remarks.of_log(world.boards.log, list(world.index)))
        stack.enter_context(endpoints.incomplete_on_failure(recording, ends))
        parts = captures.parts(bench, sources, recording)
        results = _recorded(bench, experiment, recording, world, sources, parts, progress)
        return endpoints.with_remarks(conclusion.conclude(bench, parts, results, recording), ends)


def refuse_real_ends(bench: Bench) -> None:
    """Raise `BenchError` for a bench whose ends take part in what happens."""
    if bench.virtual is None:
        raise BenchError(f"bench {bench.name}: has boards; only virtual ones are recorded directly. Omit --direct.")
    if not section.has_own_time(bench):
        raise BenchError(
            f"bench {bench.name}: has the pace of a clock; recorded directly it has none. Omit --direct, or `pace`."
        )
    if any(isinstance(fault, AnalyzerFault) for fault in section.of(bench).faults):
        raise BenchError(
            f"bench {bench.name}: has a fault of an analyzer, which sigrok-cli must meet. Omit --direct, or the fault."
        )


def _recorded(
    bench: Bench,
    experiment: Experiment,
    recording: Recording,
    world: World,
    sources: dict[str, Source],
    parts: dict[str, Recording],
    progress: Progress,
) -> dict[str, CaptureResult]:
    """Drive the nodes to the end; returns how each capture ended."""
    with contextlib.ExitStack() as stack:
        truth = [stack.enter_context(_truth(bench, world.boards))] if section.of(bench).truth else []
        analyzers = {
            name: stack.enter_context(DirectAnalyzer(world, name, source, parts[name]))
            for name, source in sources.items()
        }
        pace = FastPace(world.boards, ports := [], [*analyzers.values(), *truth], slice_ps=SLICE_PS)
        for name, board in world.index.items():
            record = recording.serial_path(name)
            ports.append(stack.enter_context(DirectPort(name, world.boards, board, pace, record)))
        drive(experiment, {port.node: port for port in ports}, progress, bench.described_consoles)
        until_ps = world.boards.now_ps + TAIL_PS
        while not pace.settled(until_ps):
            pace.turn()
    return {name: analyzer.result for name, analyzer in analyzers.items()}


class DirectAnalyzer:
    """An analyzer that captures from its making to its end, in place of `AnalyzerServer` and `Capture`."""

    capturing, has_pending = True, False

    def __init__(self, world: World, name: str, source: Source, part: Recording) -> None:
        self._boards = world.boards
        self._analyzer = world.start_analyzer(name, samplerate_hz=source.samplerate_hz, unitsize=UNITSIZE)
        self._used = np.uint64(sum(1 << bit for bit, channel in enumerate(source.channels) if channel))
        self._writer = SegmentWriter(part.edges_folder)
        self._level: np.uint64 | None = None
        self._rows = 0

    def pump(self) -> None:
        """Write the edges up to the present virtual instant."""
        samples, levels = self._boards.analyzer_edges(self._analyzer)
        levels &= self._used
        before = np.concatenate([[~self._used if self._level is None else self._level], levels[:-1]])
        changes = levels != before
        if changes.any():
            self._level = levels[-1]
            self._rows += int(changes.sum())
            end = self._boards.handed_out(self._analyzer)
            self._writer.append(samples[changes], levels[changes], watermark=end)

    @property
    def result(self) -> CaptureResult:
        """How the capture ended."""
        end = self._writer.watermark
        return CaptureResult(
            samples=end,
            size_bytes=0,
            wall_s=0.0,
            edges=self._rows,
            in_order=True,
            stderr="",
            headroom=Headroom(reader_busy=0.0, writer_busy=0.0, pipe_fullest=0.0, queue_fullest=0.0),
            bounds=(Bound(start=0, end=end, limit_samples=1, found_by=OWN_EDGES),) if end else (),
        )

    def __enter__(self) -> DirectAnalyzer:
        return self

    def __exit__(self, *error: object) -> None:
        self.pump()
        none = np.empty(0, dtype=np.int64)
        self._writer.append(none, none.astype(np.uint64), watermark=self._boards.handed_out(self._analyzer))
        self._writer.close(in_order=error[0] is None)


class DirectPort:
    """The console of a board, in place of `VirtualUart`, the pty and `SerialPort`."""

    has_pending = False

    def __init__(self, node: str, boards: VirtualBoards, board: int, pace: FastPace, record: Path) -> None:
        self.node, self.device = node, f"direct:{node}"
        self._boards, self._board, self._pace = boards, board, pace
        self._writer, self._assembler = SerialWriter(record), LineAssembler(node)
        self._lines: deque[Line] = deque()
        self._input: deque[bytes] = deque()
        self._stamp_ns = 0
        self._record(b"{}", Kind.OPENED)

    def write_line(self, text: str) -> None:
        """Send a line, when the pace lets it in."""
        self._input.append(text.encode() + b"\n")
        self._record(self._input[-1], Kind.SENT)

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """Wait for a line; lines before it are passed over."""
        until_ps, last = self._boards.now_ps + int(deadline_s * VIRTUAL_PER_HOST * 1e12), ""
        while True:
            while self._lines:
                line = self._lines.popleft()
                if predicate(line.text):
                    return line
                last = line.text
            if self._boards.now_ps > until_ps or self._pace.timeout_s() is None:
                raise silence(self.node, last, where=self.device)
            self._pace.turn()

    def pass_time(self, duration_s: float) -> None:
        """Let the bench run on."""
        until_ps = self._boards.now_ps + int(duration_s * 1e12)
        while self._boards.now_ps < until_ps and self._pace.timeout_s() is not None:
            self._pace.turn()

    # What follows is called by the pace.

    @property
    def has_line(self) -> bool:
        """True while a line waits."""
        return bool(self._input)

    def take_line(self) -> bytes:
        """The next line, or nothing."""
        return self._input.popleft() if self._input else b""

    def feed(self, data: bytes) -> None:
        """Send bytes to the board at the present virtual instant."""
        self._boards.uart_feed(self._board, CONSOLE_USART, data)

    def drain_board(self) -> None:
        """Record what the modelled host has by now."""
        for stamp_ps, data in self._boards.host_read(self._board):
            self._stamp_ns = stamp_ps // 1000
            entry = self._record(data, Kind.RECEIVED)
            self._lines += [Line(line.stamp_ns, line.text) for line in self._assembler.feed(entry)]

    def _record(self, data: bytes, kind: Kind) -> Entry:
        entry = Entry(self._stamp_ns, time.time_ns(), kind, data)
        self._writer.append(data, stamp_ns=entry.stamp_ns, wall_ns=entry.wall_ns, kind=kind)
        return entry

    def __enter__(self) -> DirectPort:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()


class _TruthWriter:
    """The truth of a bench, written as often as an analyzer's edges."""

    capturing, has_pending = True, False

    def __init__(self, truth: Truth) -> None:
        self.pump = truth.write


@contextlib.contextmanager
def _truth(bench: Bench, boards: VirtualBoards) -> Iterator[_TruthWriter]:
    truth = Truth(Path(section.of(bench).truth), bench, boards)
    yield _TruthWriter(truth)
    truth.close()
