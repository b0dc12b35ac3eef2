"""Targets of the fuzzer that read files: each takes the bytes of one and ends in a result or one of our errors."""

from __future__ import annotations

import contextlib
import functools
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from faults import seeds

from gpiorig.analysis.logs import node_log as log
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.formats import module, recognise
from gpiorig.capture.recording.recording import DESCRIPTION, Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_reader import read_segments
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.serial.record import read_record
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.experiments import experiment

from . import invariants
from .invariants import hold


@dataclass(frozen=True, slots=True)
class Target:
    """Something that is fuzzed.

    Attributes
    ----------
    name
        Of the target.
    seeds
        Inputs to begin with.
    run
        Takes an input; raises only where an invariant does not hold.
    """

    name: str
    seeds: tuple[bytes, ...]
    run: Callable[[bytes], None]


@functools.cache
def scratch() -> Path:
    """A folder of this process; whoever runs targets deletes it."""
    return Path(tempfile.mkdtemp(prefix="gpiorig-fuzz-"))


def forget() -> None:
    """Delete what targets wrote; no target runs after it."""
    if scratch.cache_info().currsize:
        shutil.rmtree(scratch())


@contextlib.contextmanager
def our_errors():
    """Pass over our errors, if they are clear ones."""
    try:
        yield
    except invariants.OURS as error:
        invariants.clear(error)


def fresh(name: str) -> Path:
    """An empty folder."""
    folder = scratch() / name
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    return folder


OPTIONS = ReadOptions(samplerate_hz=seeds.RATE_HZ, unitsize=1)
WRITTEN = ("arrow", "parquet", "csv", "vcd", "sr")  # formats that hold any capture, or refuse it


def _file(name: str, seed: seeds.Seed, data: bytes) -> Path:
    path = fresh(name) / seed.name
    path.write_bytes(data)
    return path


def of_format(format_: str) -> Target:
    """A format, read without options and with a given rate; what it gives is written again."""
    known = [seed for seed in seeds.seeds() if seed.format == format_]

    def run(data: bytes) -> None:
        path = _file(format_, known[0], data)
        for options in (OPTIONS,) if format_ == "raw" else (ReadOptions(), OPTIONS):
            with our_errors():
                edges = invariants.read(format_, path, options)
                if edges is not None and edges.samples.size and format_ in WRITTEN and options.unitsize is None:
                    for name in {format_, "arrow"}:
                        again = scratch() / f"again{module(name).SUFFIXES[0]}"
                        invariants.rewritten(name, waveform_of(edges), again)

    return Target(format_, tuple(seed.content for seed in known), run)


def sr_recover(data: bytes) -> None:
    """A damaged .sr file with --recover."""
    path = _file("sr_recover", seeds.seed("sr"), data)
    with our_errors():
        invariants.read("sr", path, ReadOptions(recover=True))


def recognised(data: bytes) -> None:
    """A file of unknown kind: its name's end is chosen by its first byte."""
    suffixes = ("", ".csv", ".sr", ".sal", ".bin", ".dat", ".log", ".vcd")
    path = fresh("recognised") / f"file{suffixes[data[0] % len(suffixes)] if data else ''}"
    path.write_bytes(data[1:])
    with our_errors():
        invariants.read(recognise(path), path, ReadOptions())


def segment(data: bytes) -> None:
    """A segment file: of a damaged one only complete blocks are read, or it is refused."""
    folder = fresh("segment")
    (folder / "000001.seg").write_bytes(data)
    with our_errors():
        content = read_segments(folder)
        with contextlib.suppress(CaptureError):
            content.edges(samplerate_hz=seeds.RATE_HZ, channels=seeds.CHANNELS)


def segment_calls(data: bytes) -> None:
    """What is appended, with gaps and resumed, is what is read; a cut or flipped bit loses the end, or is an error."""
    folder = fresh("segment_calls")
    writer, at, rows, gaps = SegmentWriter(folder, segment_bytes=200), 0, [], []
    for kind, value in zip(data[:-4:2], data[1:-4:2], strict=False):
        match kind % 4:
            case 0 | 1:
                samples = at + np.arange(value % 9, dtype=np.int64) * (1 + kind)
                levels = np.arange(samples.size, dtype=np.uint64) ^ np.uint64(value)
                at = int(samples[-1]) + 1 if samples.size else at
                writer.append(samples, levels, watermark=at)
                rows += list(zip(samples.tolist(), levels.tolist(), strict=True))
            case 2:
                gaps.append((at, at + 1 + value))
                at += 1 + value
                writer.gap(*gaps[-1])
            case 3:
                writer.close()
                writer = SegmentWriter.resume(folder, segment_bytes=200)
    writer.close()
    content = read_segments(folder)
    read = [row for samples, levels in content.blocks for row in zip(samples.tolist(), levels.tolist(), strict=True)]
    hold(read == rows, "the rows that were written are read")
    hold(content.gaps.tolist() == [list(gap) for gap in gaps] or _covers(content.gaps, gaps), "so are the gaps")
    hold(content.closed and content.watermark == at, "closed in order")
    resumed = any(kind % 4 == 3 for kind in data[:-4:2])  # an end of before may be the last that is left
    if len(data) < 4 or not any(folder.glob("*.seg")):
        return
    paths = sorted(folder.glob("*.seg"))
    path = paths[data[-1] % len(paths)]
    written = bytearray(path.read_bytes())
    place = int.from_bytes(data[-3:-1], "little") % max(1, len(written))
    if data[-4] & 1:
        del written[place:]
    elif written:
        written[place] ^= 1 << (data[-4] >> 1 & 7)
    path.write_bytes(written)
    with our_errors():
        content = read_segments(folder)
        read = [
            row for samples, levels in content.blocks for row in zip(samples.tolist(), levels.tolist(), strict=True)
        ]
        hold(read == rows[: len(read)], "no row is invented, and only the last ones are missing")
        hold(not content.closed or resumed or read == rows, "a capture whose end is lost is not closed in order")


def _covers(table: np.ndarray, gaps: list[tuple[int, int]]) -> bool:
    """Whether a gap table covers the same samples; adjoining gaps may be one."""
    return {s for a, b in table.tolist() for s in range(a, b)} == {s for a, b in gaps for s in range(a, b)}


def serial_record(data: bytes) -> None:
    """A serial record."""
    path = fresh("serial") / "node.rec"
    path.write_bytes(data)
    with our_errors():
        record = read_record(path, clock="host")
        lines = record.lines()
        hold(len(lines.texts) == len(lines.stamps_ns) == len(lines.wall_ns), "a stamp for each line")


def recording(data: bytes) -> None:
    """The description of a recording: what it accepts can be read, with its losses, and verified."""
    folder = recording_folder()
    (folder / DESCRIPTION).write_bytes(data)
    with our_errors():
        opened = Recording.open(folder)
        opened.verify()
        invariants.edges_of(opened.waveform())


@functools.cache
def recording_folder(*, gap: bool = False) -> Path:
    """A complete recording of the capture; with `gap` one that has lost samples, and so is incomplete."""
    folder = scratch() / ("recording with a gap" if gap else "recording")
    recording = Recording.create(folder, info())
    seeds.segments(recording.edges_folder, seeds.capture(gap=gap))
    (folder / "serial" / "node.rec").write_bytes(seeds.serial_record())
    recording.finish(unchecked="a test made it")
    return folder


def info() -> RecordingInfo:
    """The description of a recording of the capture."""
    return RecordingInfo(
        samplerate=f"{seeds.RATE_HZ}/1",
        channels=seeds.CHANNELS,
        epoch=Epoch("2026-01-02T03:04:05+00:00", "the first sample"),
        virtual=False,
        bench=seeds.BENCH,
    )


LOSSES = (
    'losses = [{start = 50, end = 90, samples = 10, uncertainty = 1, found_by = "x"}, '
    '{start = 5000, end = 5001, samples = 7, uncertainty = 0, found_by = "x", modulo = 9}]'
)


def _descriptions() -> tuple[bytes, ...]:
    text = (recording_folder() / DESCRIPTION).read_bytes()
    return (text, text.replace(b"losses = []", LOSSES.encode()))


def bench_text(data: bytes) -> None:
    """A bench file."""
    path = fresh("bench") / "bench.toml"
    path.write_bytes(data)
    with our_errors():
        benches.load(path)


@functools.cache
def _bench() -> Bench:
    return benches.loads(seeds.BENCH)


def experiment_text(data: bytes) -> None:
    """An experiment file on the demo's bench."""
    path = fresh("experiment") / "experiment.toml"
    path.write_bytes(data)
    with our_errors():
        experiment.load(path, _bench())


def node_log(data: bytes) -> None:
    """What a node prints: every line is understood, or kept as it came."""
    with our_errors():
        parsed = log.parse(data, node="n")
        hold(
            len(parsed.sequences) == len(parsed.outcomes) == len(parsed.lost) == len(parsed.lines),
            "a row for each packet",
        )


LOG = (
    "\n".join(seeds.serial_lines())
    + "\nok identify fw=pingpong id=1\nerror id=3\nlog lost=00000000 0041"
    + "0" * 8
    + "\n"
).encode()


def targets() -> list[Target]:
    """All of them."""
    sr = seeds.seed("sr").content
    with tempfile.TemporaryDirectory() as name:
        seeds.segments(Path(name), seeds.capture(gap=True), files=1)
        segment_seed = (Path(name) / "000001.seg").read_bytes()
    kinds = dict.fromkeys(seed.format for seed in seeds.seeds())
    return [
        *map(of_format, kinds),
        Target("sr_recover", (sr,), sr_recover),
        Target("recognised", tuple(b"\0" + seed.content for seed in seeds.seeds()), recognised),
        Target("segment", (segment_seed,), segment),
        Target("segment_calls", (bytes(range(60)), b"\0\5\2\7\2\7\1\5\3\0\0\4" * 3 + b"\1\50\0\0"), segment_calls),
        Target("serial_record", (seeds.serial_record(),), serial_record),
        Target("recording", _descriptions(), recording),
        Target("bench", (seeds.BENCH.encode(),), bench_text),
        Target("experiment", (seeds.EXPERIMENT.encode(),), experiment_text),
        Target("node_log", (LOG,), node_log),
    ]
