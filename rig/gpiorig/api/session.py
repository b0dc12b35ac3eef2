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
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO

from gpiorig.analysis.measure import edges as measure
from gpiorig.analysis.measure.edge_kinds import Kind
from gpiorig.api import recording as recordings
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

    def _started(self) -> Session:
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
        return recordings.open(self.folder)


def _has_samples(folder: Path) -> bool:
    reader = SegmentReader(Described.open(folder).edges_folder)
    return any(True for _ in reader) or reader.watermark > 0


def _instants(part: Described, blocks: Iterable[Block], channel: str, kind: Kind) -> measure.Samples:
    """int64, the edges of a channel in blocks of a recording."""
    waveform = Waveform(samplerate_hz=part.info.samplerate_hz, channels=part.info.channels, read=lambda: iter(blocks))
    return measure.instants(waveform, [(channel, kind)])[0][channel, kind].samples


def start_run(
    bench: StrPath,
    experiment: StrPath,
    output: StrPath,
    *,
    packets: int | None = None,
    flash: bool = False,
    note: str = "",
) -> Session:
    """Start an experiment on a bench, as `gpiorig run --no-report` does; `wait` for its end.

    Parameters
    ----------
    bench, experiment
        Files, or names of what comes with gpiorig.
    output
        Folder of the recording, which must not exist.
    packets
        In place of the experiment's number.
    flash
        First put the experiment's images onto boards that hold others.
    note
        A text that the recording keeps.

    Raises
    ------
    Error
        It cannot start.
    """
    words = [str(Path(bench)), str(Path(experiment)), "--no-report", "--json"]
    words += [] if packets is None else ["--packets", str(packets)]
    words += ["--flash"] * flash + (["--note", note] if note else [])
    return Session("run", words, Path(output))._started()


def start_capture(
    output: StrPath,
    *,
    driver: str | None = None,
    samplerate: str | int | None = None,
    channels: Sequence[str] = (),
    bench: StrPath | None = None,
    initiator: str | None = None,
    responder: str | None = None,
    firmware: Mapping[str, StrPath] | None = None,
    serial: bool = True,
    duration_s: float | None = None,
    samples: int | None = None,
    heartbeats: Mapping[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    one_shot: bool = False,
    restart_s: float | None = None,
    virtual: bool = False,
) -> Session:
    """Start a capture of a logic analyzer, or of the lines of a bench, as `gpiorig capture` does.

    It returns when samples are recorded. The capture ends by its length, by `Session.stop`, or when the program ends.

    Parameters
    ----------
    output
        Folder of the recording, which must not exist.
    driver, samplerate, channels
        Sigrok's driver (`fx2lafw`), the rate (`24MHz`), the channels (`D0`, or `D0=request` with a name of yours;
        none: all).
    bench
        In place of these: a bench file, or the name of a bench that comes with gpiorig.
    initiator, responder, firmware, serial
        Of a bench: the two nodes of round trips, images of a virtual bench by node, whether serial ports are recorded.
    duration_s, samples
        Length of the capture, in one of them; without, it runs until it is stopped.
    heartbeats
        Periods of square waves by channel: `{"D7": "1ms"}`.
    config, one_shot, restart_s, virtual
        As the options of the command.

    Raises
    ------
    Error
        It cannot start.
    """
    values = {
        "driver": driver,
        "samplerate": samplerate,
        "channels": ",".join(channels),
        "bench": bench and str(Path(bench)),
        "initiator": initiator,
        "responder": responder,
        "duration": None if duration_s is None else f"{duration_s:.9f}s",
        "samples": samples,
        "restart": None if restart_s is None else f"{restart_s:.9f}s",
    }
    words = ["--json", *(f"--{name}={value}" for name, value in values.items() if value not in (None, ""))]
    words += [f"--firmware={node}={Path(image)}" for node, image in (firmware or {}).items()]
    words += [f"--heartbeat={channel}={period}" for channel, period in (heartbeats or {}).items()]
    words += [f"--config={key}={value}" for key, value in (config or {}).items()]
    words += ["--no-serial"] * (not serial) + ["--one-shot"] * one_shot + ["--virtual"] * virtual
    return Session("capture", words, Path(output))._started()
