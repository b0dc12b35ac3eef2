"""The analyzers of a run: each captures; the captures of several are merged by their sync line."""

from __future__ import annotations

import contextlib
import datetime
import time
from types import TracebackType
from typing import Self

from gpiorig.capture.analyzer import scan
from gpiorig.capture.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok import Capture, CaptureResult
from gpiorig.rig import bench as benches
from gpiorig.rig import merging
from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.merging import Source

PARTS = "analyzers"  # folder, in a recording of several analyzers, with the recording of each
SYNC = "sync"  # what the sync line's channel is called
TAIL_S = 0.1  # samples to take after the nodes have reported
STARTING_S = 1.0  # an analyzer may take this long until its first sample
RATE_TOLERANCE = 0.01  # of its samplerate, against the host's clock
SILENCE_S = 2.0  # a real analyzer that has sent nothing for this long has failed
QUIET_S = 0.5  # an analyzer that has sent nothing for this long has nothing to send; less than SILENCE_S
ARRIVAL_S = 10.0  # samples that a virtual analyzer has sent are here within this
POLL_S = 0.02


def epoch_now() -> Epoch:
    """The epoch of a recording that begins now."""
    wall = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    return Epoch(wall=wall, note="start of the run on the host's clock, before the first sample")


def channels(bench: Bench, analyzer: str) -> list[str]:
    """An analyzer's channels that carry a line, each renamed to `node.line`, and the sync line's."""
    wires = [
        (benches.place(bench, channel), f"{name}.{line}")
        for name, node in bench.nodes.items()
        for line, channel in node.lines.items()
    ]
    named = [f"{channel}={line}" for (where, channel), line in wires if where == analyzer]
    sync = bench.analyzers[analyzer].sync
    return [*named, f"{sync}={SYNC}"] if sync else named


def sources(bench: Bench, drivers: dict[str, str]) -> dict[str, Source]:
    """What each analyzer captures, the one with the highest samplerate first: the others are laid over it.

    Raises
    ------
    BenchError
        There are several, and one of them does not see the sync line.
    """
    unsynced = [name for name, analyzer in bench.analyzers.items() if not analyzer.sync]
    if len(bench.analyzers) > 1 and unsynced:
        raise BenchError(
            f"bench {bench.name}: analyzers.{unsynced[0]} has no `sync`; several analyzers need the sync line, on "
            "a channel of each (docs/sync-line.md)."
        )
    found = {}
    for name in sorted(bench.analyzers, key=lambda name: -bench.analyzers[name].samplerate_hz):
        analyzer = scan(drivers[name])
        wanted = analyzer.selection(channels(bench, name))
        found[name] = Source(
            driver=drivers[name],
            samplerate=f"{bench.analyzers[name].samplerate_hz}/1",
            channels=tuple(wanted.get(channel, "") for channel in analyzer.channels),
        )
    return found


class Captures:
    """The captures of a run, while they go on; a context manager that aborts them where `finish` was not called.

    Parameters
    ----------
    bench
        The bench.
    found
        What each analyzer captures.
    recording
        Where the edges of a single analyzer go, and those of several when they are merged.
    """

    def __init__(self, bench: Bench, found: dict[str, Source], recording: Recording) -> None:
        self._bench, self._found, self._recording = bench, found, recording
        self._parts = self._recordings()
        self._captures: dict[str, Capture] = {}
        self._stack = contextlib.ExitStack()
        with contextlib.ExitStack() as stack:
            for name, source in found.items():
                self._captures[name] = stack.enter_context(
                    Capture.start(
                        driver=source.driver,
                        channels=channels(bench, name),
                        samplerate_hz=source.samplerate_hz,
                        folder=self._parts[name].edges_folder,
                        silence_s=None if bench.virtual else SILENCE_S,  # virtual time may stand still
                    )
                )
            self._stack = stack.pop_all()
        self._started_s = time.monotonic()

    def _recordings(self) -> dict[str, Recording]:
        """The recording of each analyzer: with one, that of the run."""
        if len(self._found) == 1:
            return dict.fromkeys(self._found, self._recording)
        info = self._recording.info
        return {
            name: Recording.create(
                self._recording.folder / PARTS / name,
                RecordingInfo(**source.fields, epoch=epoch_now(), virtual=info.virtual, tools=info.tools),
            )
            for name, source in self._found.items()
        }

    def check(self) -> None:
        """Raise what went wrong with a capture."""
        for capture in self._captures.values():
            capture.check()

    def settle(self, sent: dict[str, int] | None) -> None:
        """Wait for the last samples: as many as a virtual analyzer has sent, a little more signal of a real one."""
        for name, capture in self._captures.items():
            if sent is None:
                _await_tail(capture, samplerate_hz=self._found[name].samplerate_hz)
            else:
                capture.wait_quiet(sent[name], deadline_s=ARRIVAL_S)

    def finish(self) -> str:
        """End the captures, and merge those of several; returns what is missing, in words, or nothing."""
        missing = ""
        with self._stack:
            for name, capture in self._captures.items():
                result = capture.stop()
                missing = missing or self._missing(result, self._found[name])
        if len(self._parts) > 1:
            parts = [
                part.finish(state="incomplete" if missing else "complete", reason=missing)
                for part in self._parts.values()
            ]
            merging.merge(parts, self._recording, sync=SYNC)
        return missing

    def _missing(self, result: CaptureResult, source: Source) -> str:
        if not result.in_order:
            return f"sigrok-cli did not end in order: the tail of the capture of {source.driver} may be missing"
        sampled_s, wall_s = result.samples / source.samplerate_hz, time.monotonic() - self._started_s
        if self._bench.virtual is None and wall_s - sampled_s > STARTING_S + wall_s * RATE_TOLERANCE:
            return f"the analyzer {source.driver} sent {sampled_s:.3f} s of samples in {wall_s:.3f} s"
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)


def _await_tail(capture: Capture, *, samplerate_hz: int) -> None:
    """Let a little more signal come, or find that the analyzer has none left to send."""
    enough = capture.samples_received + int(TAIL_S * samplerate_hz)
    seen, since_s = capture.samples_received, time.monotonic()
    while capture.samples_received < enough and time.monotonic() - since_s < QUIET_S:
        time.sleep(POLL_S)
        capture.check()
        if capture.samples_received != seen:
            seen, since_s = capture.samples_received, time.monotonic()
