"""Captures and runs that are under way, in a process of their own.

The process is the command (`gpiorig capture`, `gpiorig run`): what the program of the caller computes meanwhile cannot
keep it from reading samples in time, and a signal ends it in order.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO

from gpiorig.analysis.measure import edges as measure
from gpiorig.analysis.measure.edge_kinds import Kind
from gpiorig.api import opening
from gpiorig.api.recording import Recording
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.recording import new_folder
from gpiorig.capture.recording.recording import DESCRIPTION
from gpiorig.capture.recording.recording import Recording as Described
from gpiorig.capture.recording.segment_reader import SegmentReader
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import edge_specs
from gpiorig.rig.recordings.merge import PARTS

StrPath = str | os.PathLike[str]
START_S = 60.0  # until samples come: a virtual bench loads its images, an analyzer its firmware
STOP_S = 30.0  # for the end in order: a capture learns for 3 s whether samples were lost, and its files are summed
POLL_S = 0.05
DONE = (0, 1)  # exit statuses: the recording is there, and complete or not


_sessions: set[Session] = set()  # those that run, or whose messages were not read: they end with the program


@atexit.register
def _end_all() -> None:
    for session in tuple(_sessions):
        session._end(STOP_S)


class WaitTimeout(RigError, TimeoutError):
    """What was waited for has not come in time; the capture or the run continues."""


class Session:
    """A capture or a run that is under way, made by `start_capture` and `start_run`; `with` stops it at the end.

    Attributes
    ----------
    folder
        Of its recording.
    """

    def __init__(self, verb: str, words: Sequence[str], folder: Path) -> None:
        new_folder.check(folder)
        self.folder, self._verb = folder, verb
        self._stderr: IO[str] = tempfile.TemporaryFile("w+", errors="replace")
        self._messages: str | None = None
        command = [sys.executable, "-P", "-m", "gpiorig.rig", verb, *words, "-o", str(folder)]
        setpriv = shutil.which("setpriv")  # of util-linux: it ends in order when the program of the caller is killed
        self._process = subprocess.Popen(
            [setpriv, "--pdeathsig", "TERM", *command] if setpriv else command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
        )
        _sessions.add(self)

    @property
    def is_running(self) -> bool:
        """Whether it records."""
        return self._process.poll() is None

    def wait(self, timeout_s: float | None = None) -> Recording:
        """Wait for its end; returns the recording. One that is not complete is warned of.

        Parameters
        ----------
        timeout_s
            Seconds; None: as long as it takes.

        Raises
        ------
        WaitTimeout
            It has not ended in time, and continues: wait again, or `stop` it.
        Error
            It failed, and there is no recording.
        """
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise WaitTimeout(f"{self.folder}: {self._verb} has not ended within {timeout_s:g} s.") from error
        ended = self._ended()
        if ended.state != "complete":
            warnings.warn(f"{self.folder} is {ended.state}: {ended.described.reason}", stacklevel=2)
        return ended

    def wait_for(self, edge: str, *, count: int = 1, timeout_s: float) -> None:
        """Wait until a channel has shown an edge, such as `D0:rise`; then `stop` it, or let it continue.

        Edges are seen as they are written, some tenths of a second after they happened.

        Parameters
        ----------
        edge
            A channel, and after a colon `rise` (unless given), `fall` or `edge`.
        count
            How many edges since the start.
        timeout_s
            Seconds from now.

        Raises
        ------
        WaitTimeout
            They have not come in time; the recording continues.
        Error
            There is no such channel, or the recording has ended without them.
        """
        channel, kind = edge_specs.between(edge, edge).ends[0]
        until_s, part = time.monotonic() + timeout_s, self._part_with(channel)
        reader, held, seen = SegmentReader(part.edges_folder), list[Block](), 0
        while True:
            is_running = self.is_running
            blocks = list(reader)
            seen += len(_instants(part, chain(held, blocks), channel, kind))
            held = [Block(b.samples[-1:], b.levels[-1:], b.end) for b in [*held, *blocks] if len(b.samples)][-1:]
            if seen >= count:
                return
            if not is_running:
                self._ended()
                raise RigError(f"{self.folder}: ended after {seen} of {count} edges {channel}:{kind}.")
            if time.monotonic() > until_s:
                raise WaitTimeout(f"{self.folder}: {seen} of {count} edges {channel}:{kind} in {timeout_s:g} s.")
            time.sleep(POLL_S)

    def stop(self, timeout_s: float = STOP_S) -> Recording:
        """End it in order, as Ctrl-C does, and return the recording; a run that is stopped is not complete.

        Parameters
        ----------
        timeout_s
            Seconds that it has to end, before it is killed; what was recorded until then stays.

        Raises
        ------
        Error
            There is no recording.
        """
        self._end(timeout_s)
        return self._ended()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(STOP_S)

    def __repr__(self) -> str:
        return f"<Session {self._verb} into {str(self.folder)[-100:]}: {'running' if self.is_running else 'ended'}>"

    def started(self) -> Session:
        """The same, once samples are recorded; raises what it failed with."""
        until_s = time.monotonic() + START_S
        try:
            while self.is_running and not any(map(_has_samples, self._parts())):
                if time.monotonic() > until_s:
                    raise WaitTimeout(f"{self.folder}: {self._verb} has recorded no sample within {START_S:g} s.")
                time.sleep(POLL_S)
        except BaseException:
            self._end(STOP_S)
            raise
        if not self.is_running:
            self._ended()
        return self

    def _end(self, timeout_s: float) -> None:
        """Let the process end, in order if it does so in time; what it printed is kept."""
        if self.is_running:
            self._process.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._printed()

    def _printed(self) -> str:
        """What the process, which has ended, has printed on stderr."""
        if self._messages is None:
            self._stderr.seek(0)
            self._messages = self._stderr.read()
            self._stderr.close()
            _sessions.discard(self)
        return self._messages

    def _parts(self) -> list[Path]:
        """The folders of the recording and of those of its analyzers, as far as they are there."""
        folders = [self.folder, *sorted((self.folder / PARTS).glob("*"))]
        return [folder for folder in folders if (folder / DESCRIPTION).exists()]

    def _part_with(self, channel: str) -> Described:
        parts = [Described.open(folder) for folder in self._parts()]
        for part in reversed(parts):  # those of analyzers before the recording that they become
            if channel in part.info.channels:
                return part
        names = dict.fromkeys(name for part in parts for name in part.info.channels if name)
        raise RigError(f"{self.folder}: no channel {channel!r}; available channels: {', '.join(names) or 'none'}.")

    def _ended(self) -> Recording:
        """The recording of a process that has ended; raises what it failed with where there is none."""
        messages = self._printed()
        status, head = self._process.returncode, f"gpiorig {self._verb}: "
        for line in messages.splitlines():
            if "certificate" in line and line.startswith(head):
                warnings.warn(line.removeprefix(head), stacklevel=3)
        errors = [line.removeprefix(f"{head}error: ") for line in messages.splitlines() if f"{head}error: " in line]
        if status not in DONE and errors:
            raise RigError(errors[-1])
        if not (self.folder / DESCRIPTION).exists():
            ended = signal.Signals(-status).name if status < 0 else f"status {status}"
            raise RigError(f"{self.folder}: {self._verb} ended ({ended}) without a recording.")
        return opening.open(self.folder)


def _has_samples(folder: Path) -> bool:
    reader = SegmentReader(Described.open(folder).edges_folder)
    return any(True for _ in reader) or reader.watermark > 0


def _instants(part: Described, blocks: Iterable[Block], channel: str, kind: Kind) -> measure.Samples:
    """int64, the edges of a channel in blocks of a recording."""
    waveform = Waveform(samplerate_hz=part.info.samplerate_hz, channels=part.info.channels, read=lambda: iter(blocks))
    return measure.instants(waveform, [(channel, kind)])[0][channel, kind].samples
