"""The analyzers of a run: each captures; the captures of several are merged by their sync line, or by frames."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok.analyzer import Analyzer, scan, versions
from gpiorig.capture.sigrok.capture import Capture, Request, Restart
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.rig.bench import benches, synchronization, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.drivers import refusals
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.images import HashedImage
from gpiorig.rig.recordings import merge
from gpiorig.rig.recordings.merge import PARTS, Source
from gpiorig.rig.run import conclusion, last_samples, origin
from gpiorig.rig.run.conclusion import SYNC

SILENCE_S = 2.0  # a real analyzer that has sent nothing for this long has failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options that a bench file does not determine; `duration_s` in time of each analyzer, others as in `Request`."""

    duration_s: Fraction | None = None
    silence_s: float = SILENCE_S
    restart: Restart | None = None
    one_shot: bool = False
    config: Sequence[str] = ()

    def request(self, bench: Bench, name: str, source: Source) -> Request:
        """The request of an analyzer of the bench."""
        limit = None if self.duration_s is None else round(self.duration_s * source.samplerate_hz)
        return Request(
            driver=source.driver,
            channels=channels(bench, name) or [channel for channel in source.channels if channel],
            samplerate_hz=source.samplerate_hz,
            sample_limit=limit,
            silence_s=None if virtual_section.has_own_time(bench) else self.silence_s,
            restart=self.restart,
            fills=len(bench.analyzers) > 1,
            one_shot=self.one_shot,
            config=[*bench.analyzers[name].options, *self.config],
        )


def epoch_now() -> Epoch:
    """The epoch of a recording that begins now."""
    wall = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    return Epoch(wall=wall, note="start of the run on the host's clock, before the first sample")


def channels(bench: Bench, analyzer: str) -> list[str]:
    """An analyzer's channels that carry a line, each renamed to `node.line`, and the sync line's."""
    wires = [
        (bench.place(channel), f"{name}.{line}")
        for name, node in bench.nodes.items()
        for line, channel in node.lines.items()
    ]
    named = [f"{channel}={line}" for (place, channel), line in wires if place == analyzer]
    sync = bench.analyzers[analyzer].sync
    return [*named, f"{sync}={SYNC}"] if sync else named


def sources(
    bench: Bench, drivers: dict[str, str], find: Callable[[str], Analyzer] = scan, *, one_shot: bool = False
) -> dict[str, Source]:
    """What each analyzer captures, the one with the highest samplerate first: the others are aligned with it.

    `find` gives the analyzer of a driver; `one_shot`: a given number of samples is asked for.

    Raises
    ------
    BenchError
        There are several, and one of them cannot be aligned with the others; a driver would not take what is asked for.
    """
    if wrong := synchronization.findings(bench):
        raise BenchError(f"bench {bench.name}: {wrong[0].about} {wrong[0].what}.")
    for name, analyzer in bench.analyzers.items() if bench.virtual is None else ():
        used = [channel.partition("=")[0] for channel in channels(bench, name)]
        config = analyzer.config or {}
        if reasons := refusals(drivers[name], used, analyzer.samplerate_hz, config, one_shot=one_shot):
            raise BenchError(f"bench {bench.name}: analyzers.{name}: {'; '.join(reasons)}.")
    sources = {}
    for name in sorted(bench.analyzers, key=lambda name: -bench.analyzers[name].samplerate_hz):
        sources[name] = source(bench, name, find(drivers[name]))
    return sources


def source(bench: Bench, name: str, analyzer: Analyzer) -> Source:
    """What an analyzer of the bench captures, by its channels; its first channel where it has no line."""
    selection = analyzer.selection(channels(bench, name) or analyzer.channels[:1])
    return Source(
        driver=analyzer.driver,
        samplerate=f"{bench.analyzers[name].samplerate_hz}/1",
        channels=tuple(selection.get(channel, "") for channel in analyzer.channels),
    )


def describe(
    bench: Bench,
    bench_file: Path,
    *,
    sources: dict[str, Source],
    virtual_stamps: bool,
    firmware: Mapping[str, HashedImage],
    experiment: str = "",
    parameters: dict[str, Any],
    tools: Mapping[str, str] | None = None,
    note: str = "",
) -> RecordingInfo:
    """The description of a recording that begins now.

    `firmware` has the images that are known to run on the nodes, `tools` the programs that prepared the bench.
    """
    text = benches.recorded_text(bench_file)
    return RecordingInfo(
        **merge.merged_fields(list(sources.values()), sync=None if synchronization.receivers(bench) else SYNC),
        epoch=epoch_now(),
        virtual=bench.is_virtual({}),
        serial_clock="virtual" if virtual_stamps else "host",
        experiment=experiment,
        bench=text,
        parameters=parameters,
        tools={**origin.programs(), **versions(), **(tools or {})},
        firmware={name: image.sha256 for name, image in firmware.items()},
        origin=origin.of(bench, bench_file, text, firmware=firmware, note=note),
    )


def with_boards(recording: Recording, virtual: bool | None) -> Recording:
    """Note in a recording, and in that of each of its analyzers, whether its boards are virtual."""
    if recording.info.virtual == virtual:
        return recording
    for folder in (recording.folder / PARTS).glob("*"):
        Recording.open(folder).update(virtual=virtual)
    return recording.update(virtual=virtual)


def parts(bench: Bench, sources: dict[str, Source], recording: Recording) -> dict[str, Recording]:
    """The recording of each analyzer: with one, that of the run."""
    if len(sources) == 1:
        return dict.fromkeys(sources, recording)
    info = recording.info
    return {
        name: Recording.create(
            recording.folder / PARTS / name,
            RecordingInfo(
                **source.fields,
                epoch=epoch_now(),
                virtual=info.virtual,
                tools=info.tools,
                sync_delay=bench.analyzers[name].sync_delay,
            ),
        )
        for name, source in sources.items()
    }


class Captures:
    """The captures of a run, while they run; a context manager that aborts them where `stop` was not called.

    Parameters
    ----------
    bench
        The bench.
    sources
        What each analyzer captures.
    recording
        Where the edges of a single analyzer go, and those of several when they are merged.
    options
        How long, and what is a failure.
    """

    def __init__(
        self, bench: Bench, sources: dict[str, Source], recording: Recording, options: Options | None = None
    ) -> None:
        self._bench, self._sources, self._recording = bench, sources, recording
        self._parts = parts(bench, sources, recording)
        self._captures: dict[str, Capture] = {}
        self._results: dict[str, CaptureResult] = {}
        self._counts: dict[str, int] = {}
        self._stack = contextlib.ExitStack()
        options = options or Options()
        with contextlib.ExitStack() as stack:
            for name, source in sources.items():
                self._captures[name] = stack.enter_context(
                    Capture.start(options.request(bench, name, source), self._parts[name].edges_folder)
                )
            self._stack = stack.pop_all()

    def check(self) -> None:
        """Raise what went wrong with a capture."""
        for capture in self._captures.values():
            capture.check()

    def settle(self, sent: dict[str, int] | None, *, bench_s: float = 0.0) -> None:
        """Wait for the last samples: as many as a virtual analyzer has sent, a little more signal of any other.

        `bench_s` is the time of a virtual bench before it had sent these.

        Raises
        ------
        AnalyzerError
            They do not come.
        """
        self._counts = sent or {}
        for name, capture in self._captures.items():
            if sent is None or name not in sent:
                last_samples.wait_taken(capture, samplerate_hz=self._sources[name].samplerate_hz)
            else:
                last_samples.wait_sent(capture, self._sources[name], samples=sent[name], bench_s=bench_s)

    def stop(self) -> None:
        """End the captures."""
        self._ask_end()
        with self._stack:
            self._results = {name: capture.stop() for name, capture in self._captures.items()}

    def end(self) -> dict[str, CaptureResult]:
        """As `stop`, but the error of a capture is a problem in its result; returns the result of each analyzer."""
        self._ask_end()
        self._results = {name: capture.end() for name, capture in self._captures.items()}
        self._stack.pop_all()
        return self._results

    def _ask_end(self) -> None:
        """Let all captures end at once: each takes samples beyond its end."""
        for capture in self._captures.values():
            capture.ask_end()

    @property
    def running(self) -> dict[str, Capture]:
        """The captures that have not ended, by the name of the analyzer."""
        return {name: capture for name, capture in self._captures.items() if not capture.has_ended}

    @property
    def recordings(self) -> dict[str, Recording]:
        """The recording of each analyzer, by its name."""
        return dict(self._parts)

    @property
    def reached_s(self) -> float:
        """How much of the recording is there, in s of the slowest analyzer."""
        return min(
            capture.samples_received / self._sources[name].samplerate_hz for name, capture in self._captures.items()
        )

    def conclude(self) -> Recording:
        """Finish the recording, after `stop` and when all else in it is written."""
        return conclusion.conclude(self._bench, self._parts, self._results, self._recording, counts=self._counts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
