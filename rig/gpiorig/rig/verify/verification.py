"""Verifying a bench: each board in turn shows its wiring proof, and what the analyzers saw is judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.errors import FlashError, RigError
from gpiorig.rig.flash import nodes
from gpiorig.rig.run import captures, endpoints
from gpiorig.rig.run.captures import SILENCE_S, Captures
from gpiorig.rig.run.endpoints import Endpoints
from gpiorig.rig.verify import identity, judgement, noise, time_base
from gpiorig.rig.verify.calibration import Calibration
from gpiorig.rig.verify.identity import Identity
from gpiorig.rig.verify.time_base import TimeBase

Reset = Literal["prove", "adapter", "hand"]
Ask = Callable[[str], None]  # shows a person what to do, and returns when it is done

PROVE_S = 3.0
BOOT_S = 3.0  # from a reset to the end of the proof (unverified for others than the reference firmware, 0.5 s)
WAIT_S = 0.1
CUT = "the capture ended before its lines were seen"


@dataclass(slots=True)
class Verification:
    """What came out."""

    findings: list[Finding] = field(default_factory=list)
    identities: dict[str, Identity] = field(default_factory=dict)
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    time_bases: dict[str, TimeBase] = field(default_factory=dict)

    def is_virtual(self, bench: Bench) -> bool | None:
        """Whether the boards are virtual; None: that is not known."""
        return bench.is_virtual({name: identity.is_virtual for name, identity in self.identities.items()})


@dataclass(slots=True)
class _Shown:
    """What happened while a node was asked: its samples, and whether it did as it was asked."""

    start: int = 0
    end: int = 0
    problem: str = ""


def verify(
    bench: Bench,
    bench_file: Path,
    *,
    folder: Path,
    firmware: dict[str, Path],
    reset: Reset = "prove",
    ask: Ask,
    before: Mapping[str, Identity],
    duration_s: float,
) -> Verification:
    """Verify a bench, with a recording in a new folder.

    Parameters
    ----------
    bench, bench_file
        The bench, and its file.
    folder
        Where the recording goes.
    firmware
        Image of each node; only a virtual bench loads them.
    reset
        How a board is made to show its wiring proof.
    ask
        Asks a person to press reset.
    before
        The boards of the certificate before.
    duration_s
        How long the capture is at least, for the rate by the host's clock; virtual time does not pass for that.

    Raises
    ------
    RigError, CaptureError
        The capture cannot start.
    """
    result = Verification()
    with endpoints.available(bench, bench_file, firmware) as ends:
        sources = captures.sources(bench, ends.drivers)
        info = captures.describe(
            bench, bench_file, sources=sources, virtual_stamps=bool(ends.stamps), firmware={}, parameters={}
        )
        recording = Recording.create(folder, info)
        shown = {name: _Shown(problem=CUT) for name in bench.nodes}
        with endpoints.serial_ports(bench, ends, recording) as ports:
            with Captures(bench, sources, recording) as running:
                problem = _show_all(bench, ports, running, ends, reset, ask, shown, result)
                _wait(running, duration_s=duration_s)
                ended = running.end()
        result.findings += _ends(ended, problem)
        try:
            recording = captures.with_boards(running.conclude(), result.is_virtual(bench))
        except CaptureError as error:
            what = f"their captures cannot be put together: {str(error).replace(f'{folder}/', '')}"
            result.findings.append(Finding("analyzers", "wrong", what))
            return result
    for name, captured in ended.items():
        base = time_base.measure(captured, nominal_hz=bench.analyzers[name].samplerate_hz)
        result.time_bases[name] = base
        result.findings += time_base.findings(name, base, is_virtual=bench.virtual is not None)
    result.findings += identity.findings(bench, result.identities, before)
    result.findings += [
        Finding(f"nodes.{name}", "unknown", part.problem) for name, part in shown.items() if part.problem
    ]
    asked = {name: (part.start, part.end) for name, part in shown.items() if not part.problem}
    silent = {name for name, board in result.identities.items() if not board.answers}
    noisy = {}
    for name, part in running.recordings.items():
        noisy[name] = list(noise.findings(name, part.edges()))
        result.findings += noisy[name]
    try:
        judged = judgement.judge(
            bench, recording.edges(), asked, silent, noisy={name for name, wrong in noisy.items() if wrong}
        )
    except CaptureError as error:
        result.findings.append(Finding("analyzers", "wrong", f"what they sent cannot be read: {error}"))
        return result
    result.findings += judged.findings
    result.calibrations = judged.calibrations
    return result


def _show_all(
    bench: Bench,
    ports: Mapping[str, SerialPort],
    running: Captures,
    ends: Endpoints,
    reset: Reset,
    ask: Ask,
    shown: dict[str, _Shown],
    result: Verification,
) -> str:
    """Have each board identify itself and show its proof; returns what ended it early, or nothing."""
    try:
        for name in bench.nodes:
            port = ports.get(name)
            if port is not None:
                place = bench.nodes[name].serial or "its virtual port"
                result.identities[name] = identity.ask(port, adapter=identity.adapter(place))
            _settle(bench, ports, running, ends)
            part = shown[name]
            part.start = _received(running)
            answers = name not in result.identities or result.identities[name].answers
            problem = show(bench, name, port, reset, ask) if answers or reset != "prove" else ""
            _settle(bench, ports, running, ends)
            part.end, part.problem = _received(running), problem
    except (CaptureError, RigError) as error:
        return str(error)
    return ""


def show(bench: Bench, name: str, port: SerialPort | None, reset: Reset, ask: Ask) -> str:
    """Have a board show its proof; returns why that is not known, or nothing."""
    if reset == "adapter":
        if port is not None:
            port.close()  # DTR and RTS of this port may be what resets the board
        try:
            nodes.reset(bench, name)
        except FlashError as error:
            return f"it could not be reset: {str(error).removesuffix('.')}"
        time.sleep(BOOT_S)
        return ""
    if reset == "hand" or port is None:
        ask(f"Press the reset button of {name}, then Enter.")
        return ""
    port.write_line("prove")
    try:
        answer = port.wait_line(lambda text: text.startswith(("ok prove", "error")), deadline_s=PROVE_S).text
    except SerialPortError:
        return "it does not answer `prove`: press reset instead, with --reset hand"
    return "" if answer == "ok prove" else f"its firmware answers `{answer}`: press reset instead, with --reset hand"


def _settle(bench: Bench, ports: Mapping[str, SerialPort], running: Captures, ends: Endpoints) -> None:
    reached_s = endpoints.bench_s(bench, ports)
    running.settle(ends.settle() if ends.settle else None, bench_s=reached_s)


def _received(running: Captures) -> int:
    """Samples of the reference analyzer so far."""
    capture = next(iter(running.running.values()), None)
    return capture.samples_received if capture else 0


def _wait(running: Captures, *, duration_s: float) -> None:
    """Wait until the capture is long enough, or does not grow."""
    reached_s, since_s = running.reached_s, time.monotonic()
    while running.running and running.reached_s < duration_s and time.monotonic() - since_s < SILENCE_S:
        time.sleep(WAIT_S)
        if running.reached_s != reached_s:
            reached_s, since_s = running.reached_s, time.monotonic()


def _ends(ended: Mapping[str, CaptureResult], problem: str) -> list[Finding]:
    """The verdicts on the captures themselves."""
    findings = [
        Finding(f"analyzers.{name}", "wrong", "; ".join(result.problems).removesuffix("."))
        for name, result in ended.items()
        if result.problems
    ]
    return findings or ([Finding("analyzers", "wrong", problem.removesuffix("."))] if problem else [])
