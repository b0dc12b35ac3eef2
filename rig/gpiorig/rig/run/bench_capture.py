"""Recording the lines of a bench without an experiment: any firmware, for a given time or until Ctrl-C."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from fractions import Fraction
from pathlib import Path

from msgspec import UNSET, structs

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.rig.bench import certificate_file, symbols, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import RigError, VirtualBenchError
from gpiorig.rig.experiments import images
from gpiorig.rig.host import log_file
from gpiorig.rig.progress import bar
from gpiorig.rig.recordings import captured
from gpiorig.rig.recordings.captured import CaptureNumbers
from gpiorig.rig.recordings.merge import PARTS
from gpiorig.rig.run import captures, endpoints
from gpiorig.rig.run.captures import Captures, Options
from gpiorig.rig.run.endpoints import Endpoints

TICK_S = 0.1
ASLEEP_S = 0.9  # without a sample; a connection that was closed is noticed before (session.DRAIN_S)
ASLEEP = "every virtual board sleeps with nothing to come"


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A finished recording, and how the capture of each analyzer went; `stopped` states why it ended early."""

    recording: Recording
    results: dict[str, CaptureResult]
    stopped: str = ""

    @property
    def _parts(self) -> dict[str, Recording]:
        """The recording of each analyzer, which is the recording itself where there is one."""
        if len(self.results) == 1:
            return dict.fromkeys(self.results, self.recording)
        return {name: Recording.open(self.recording.folder / PARTS / name) for name in self.results}

    def numbers(self) -> CaptureNumbers:
        """The recording, and how its captures went."""
        reference = next(iter(self.results.values()))
        analyzers = {name: captured.numbers(part, self.results[name], ()) for name, part in self._parts.items()}
        return structs.replace(
            captured.numbers(self.recording, reference, ()),
            nodes=tuple(self.recording.nodes),
            stopped=self.stopped,
            analyzers=analyzers if len(analyzers) > 1 else UNSET,
        )

    def text(self) -> str:
        """The same in lines."""
        info = self.recording.info
        lines = [captured.text(part, self.results[name], ()) for name, part in self._parts.items()]
        if len(lines) > 1:
            lines.append(f"{self.recording.folder}: aligned by the sync line; {info.state}")
        nodes = ", ".join(self.recording.nodes)
        lines.append(f"  serial lines of {nodes}" if nodes else "  no serial lines: no port was recorded")
        lines += [f"  ended before its time: {self.stopped}"] if self.stopped else []
        return "\n".join([*lines, f"next: gpiorig report {self.recording.folder}"])


def capture(
    bench: Bench,
    bench_file: Path,
    output: Path,
    *,
    driver: str | None = None,
    firmware: dict[str, Path] | None = None,
    roles: dict[str, str] | None = None,
    serial: bool = True,
    options: Options,
    quiet: bool = False,
) -> Captured:
    """Record all lines of a bench, and the serial ports of its nodes; Ctrl-C ends it in order.

    Parameters
    ----------
    bench, bench_file
        The bench, and the file it was read from.
    output
        The recording folder; must not hold a recording.
    driver
        Sigrok's driver of the analyzer, in place of the bench's; then a virtual bench is already served, and whoever
        serves it has the serial ports.
    firmware
        Images of nodes, in place of the bench's; only where this starts a virtual bench.
    roles
        The nodes that are `initiator` and `responder`; none: packets go one way.
    serial
        Whether the serial ports are recorded.
    options
        How long, and what is a failure.
    quiet
        No progress bar.

    Raises
    ------
    RigError, CaptureError
        The capture cannot start. What goes wrong later is the reason of an incomplete recording.
    """
    _check(bench, driver=driver, firmware=firmware)
    symbols.refuse_short(bench)
    served = bench.virtual is not None and driver is None
    loaded = images.images(bench, bench_file=bench_file) | (firmware or {}) if served else {}
    with contextlib.ExitStack() as stack:
        hashed = images.hashed(loaded)
        if driver is None:
            ends = stack.enter_context(endpoints.available(bench, bench_file, loaded))
        else:
            ports = {} if bench.virtual else endpoints.of_file(bench).ports
            ends = Endpoints(drivers=dict.fromkeys(bench.analyzers, driver), ports=ports)
        if not serial and not served:
            ends = dataclasses.replace(ends, ports={})
        sources = captures.sources(bench, ends.drivers, one_shot=options.one_shot)
        info = captures.describe(
            bench,
            bench_file,
            sources=sources,
            virtual_stamps=bool(ends.stamps),
            firmware=hashed,
            parameters={**(roles or {}), **virtual_section.parameters(bench)},
        )
        recording = Recording.create(output, info)
        if bench.virtual is None:
            certificate_file.keep(bench_file, output)
        stack.enter_context(log_file.writing(output))
        stack.enter_context(endpoints.incomplete_on_failure(recording, ends))
        with endpoints.serial_ports(bench, ends, recording, recorded=serial) as opened:
            running = stack.enter_context(Captures(bench, sources, recording, options))
            stopped = _watch(running, ends, duration_s=options.duration_s, quiet=quiet)
            if stopped:
                running.settle(_settled(ends), bench_s=endpoints.bench_s(bench, opened))
            results = running.end()
            _settled(ends)  # the last lines of the nodes are in their ports
        return _concluded(running.conclude(), results, ends, stopped)


def _check(bench: Bench, *, driver: str | None, firmware: dict[str, Path] | None) -> None:
    if firmware and (driver is not None or bench.virtual is None):
        raise RigError(
            "--firmware is for a virtual bench that this command starts: omit it, flash boards with their own tool, "
            "give it to `gpiorig bench virtual` where that serves the bench."
        )
    if driver is not None and len(bench.analyzers) > 1:
        raise RigError(
            f"--driver names one analyzer, the bench has {', '.join(bench.analyzers)}: omit --driver, and give the "
            "driver of each in the bench file."
        )


def _watch(running: Captures, ends: Endpoints, *, duration_s: Fraction | None, quiet: bool) -> str:
    """Wait for the end of all captures, or for Ctrl-C; returns why it ended early, if it did."""
    total = None if duration_s is None else float(duration_s)
    reached_s, since_s = 0.0, time.monotonic()
    with bar("recording", total=total, unit="s", hidden=quiet) as drawn, contextlib.suppress(KeyboardInterrupt):
        # Ctrl-C is the usual end
        while running.running:
            time.sleep(TICK_S)
            if running.reached_s != reached_s:
                reached_s, since_s = running.reached_s, time.monotonic()
                drawn.update(round(reached_s, 3) - drawn.n)
            elif time.monotonic() - since_s > ASLEEP_S and _asleep(running, ends):
                return ASLEEP
    return ""


def _asleep(running: Captures, ends: Endpoints) -> bool:
    """Whether virtual time has stopped, with all samples here: no board does anything without the host."""
    before = {name: capture.samples_received for name, capture in running.running.items()}
    sent = _settled(ends)
    return bool(before) and all(sent.get(name) == samples for name, samples in before.items())


def _settled(ends: Endpoints) -> dict[str, int]:
    """What each analyzer of a virtual bench has sent once the host has all; nothing of a bench that has stopped."""
    with contextlib.suppress(VirtualBenchError):
        return ends.settle() if ends.settle else {}
    return {}


def _concluded(recording: Recording, results: dict[str, CaptureResult], ends: Endpoints, stopped: str) -> Captured:
    """The finished recording, with the reason of a virtual bench that has stopped; an error without a sample."""
    recording = endpoints.with_remarks(recording, ends)
    if stopped:
        recording = recording.update(capture={**recording.info.capture, "ended": stopped})
    if recording.info.state != "complete":
        if not any(result.samples for result in results.values()):
            recording.discard()
            raise RigError(recording.info.reason)
        try:
            ends.check()
        except VirtualBenchError as error:
            recording = recording.update(reason=f"{recording.info.reason}; {error}")
    return Captured(recording, results, stopped)
