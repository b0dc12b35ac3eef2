"""Running an experiment on a bench: capture, serial ports and the firmware's commands, into one recording."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.analysis.event_table import TABLE_CRC32
from gpiorig.capture.analyzer import scan, versions
from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.serialport import SerialPort
from gpiorig.capture.sigrok import Capture
from gpiorig.rig import bench as benches
from gpiorig.rig import boards
from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiment import NODE_NAMES, Experiment
from gpiorig.rig.firmware import sha256
from gpiorig.rig.virtual.process import VirtualBenchProcess

ANSWER_S = 10.0  # a node answers a command, or reports progress, within this
BOOT_S = 5.0
TAIL_S = 0.1  # samples to take after the nodes have reported
STARTING_S = 1.0  # an analyzer may take this long until its first sample
RATE_TOLERANCE = 0.01  # of its samplerate, against the host's clock
SILENCE_S = 2.0  # a real analyzer that has sent nothing for this long has failed
QUIET_S = 0.5  # an analyzer that has sent nothing for this long has nothing to send; less than SILENCE_S
VIRTUAL_QUIET_S = 2.0  # the same for a virtual one, whose host may be busy
POLL_S = 0.02

_PATIENCE_S = 1.0  # a virtual bench that has failed takes a moment to end

Progress = Callable[[int], object]


@dataclasses.dataclass(frozen=True, slots=True)
class Ends:
    """Where the host finds the parts of a bench: sigrok's driver, and each node's port and virtual stamps."""

    driver: str
    ports: dict[str, str]
    stamps: dict[str, Path]
    check: Callable[[], None]


def run(
    bench: Bench,
    experiment: Experiment,
    *,
    bench_file: Path,
    output: Path,
    firmware: dict[str, Path],
    progress: Progress = lambda packets: None,
) -> Recording:
    """Run the experiment and record it; returns the finished recording.

    Parameters
    ----------
    bench, bench_file
        The bench, and the file it was read from.
    experiment
        What to run.
    output
        The recording folder; must not hold a recording.
    firmware
        Image of each node.
    progress
        Called with the number of packets that are through.

    Raises
    ------
    RigError, CaptureError
        Something did not work; what was recorded until then stays, as an incomplete recording.
    """
    if len(bench.analyzers) != 1:
        raise BenchError(
            f"bench {bench.name}: {len(bench.analyzers)} analyzers; only one can be recorded for now. Put all lines on "
            "one, or serve the bench (`gpiorig bench virtual`) and capture from each with sigrok-cli."
        )
    silent = [name for name, node in bench.nodes.items() if "strobe" not in node.lines]
    if silent:
        raise BenchError(
            f"bench {bench.name}: node {silent[0]} has no symbol bus among its lines, and an experiment needs its "
            "events. Add its strobe and data lines, or serve the bench (`gpiorig bench virtual`) and capture with "
            "sigrok-cli."
        )
    # Only a virtual bench loads the images; what runs on boards is what they answer to `identify`.
    hashes = {name: sha256(path) for name, path in firmware.items()} if bench.virtual else {}
    with contextlib.ExitStack() as stack:
        ends = stack.enter_context(_ends(bench, bench_file, firmware))
        recording = Recording.create(output, _info(bench, bench_file, experiment, ends=ends, firmware=hashes))
        try:
            missing = _record(bench, experiment, recording, ends, progress)
        except BaseException as error:
            with contextlib.suppress(OSError):  # such as a full disk, which is what `error` is about
                recording.finish(state="incomplete", reason=str(error) or type(error).__name__)
            # A virtual bench that has stopped knows better why nothing came than the one who waited.
            if isinstance(error, Exception):
                ends.check()
            raise
    return recording.finish(state="incomplete" if missing else "complete", reason=missing)


@contextlib.contextmanager
def _ends(bench: Bench, bench_file: Path, firmware: dict[str, Path]) -> Iterator[Ends]:
    """The ends of a real bench are in its file; a virtual one is started and says where they are."""
    (analyzer,) = bench.analyzers
    if bench.virtual is None:
        driver = bench.analyzers[analyzer].driver or ""
        ports = {name: node.serial or "" for name, node in bench.nodes.items()}
        yield Ends(driver=driver, ports=ports, stamps={}, check=lambda: None)
        return
    with VirtualBenchProcess(bench_file, firmware=firmware) as process:
        serial = process.endpoints["serial"]
        yield Ends(
            driver=str(process.endpoints["analyzers"][analyzer]),
            ports={name: str(end["path"]) for name, end in serial.items()},
            stamps={name: Path(end["stamps"]) for name, end in serial.items() if end["stamps"]},
            check=lambda: process.check(patience_s=_PATIENCE_S),
        )


def _info(
    bench: Bench, bench_file: Path, experiment: Experiment, *, ends: Ends, firmware: dict[str, str]
) -> RecordingInfo:
    (analyzer,) = bench.analyzers.values()
    found = scan(ends.driver)
    wanted = found.selection(channels(bench))
    virtual = bench.virtual is not None
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    return RecordingInfo(
        samplerate=f"{analyzer.samplerate_hz}/1",
        channels=tuple(wanted.get(name, "") for name in found.channels),
        epoch=Epoch(wall=now, note="start of the run on the host's clock, before the first sample"),
        virtual=virtual,
        serial_clock="virtual" if ends.stamps else "host",
        analyzer=ends.driver,
        experiment=experiment.name,
        bench=bench_file.read_text(encoding="utf-8"),
        parameters=_parameters(bench, experiment),
        tools={"gpiorig": version("gpiorig"), "python": platform.python_version(), **versions()},
        firmware=firmware,
    )


def _parameters(bench: Bench, experiment: Experiment) -> dict[str, Any]:
    """What was asked for, flat; the settings of a single node with its name before them."""
    own = {
        f"{name}.{key}": value
        for name, role in experiment.nodes.items()
        for key, value in msgspec.to_builtins(role, str_keys=True).items()
        if value is not None
    }
    given = {"packets": experiment.packets, "duration_s": experiment.duration_s}
    return {
        "initiator": experiment.initiator,
        "responder": experiment.responder,
        **{key: value for key, value in given.items() if value is not None},
        "app": experiment.app,
        "kernel": experiment.kernel,
        "probes": experiment.probes,
        **({"bench_seed": bench.virtual.seed} if bench.virtual else {}),
        **experiment.settings.given(),
        **own,
    }


def channels(bench: Bench) -> list[str]:
    """The analyzer's channels that carry a line, each renamed to `node.line`, and the sync line's."""
    wires = [(channel, f"{name}.{line}") for name, node in bench.nodes.items() for line, channel in node.lines.items()]
    named = [f"{benches.place(bench, channel)[1]}={line}" for channel, line in wires]
    return named + [f"{analyzer.sync}=sync" for analyzer in bench.analyzers.values() if analyzer.sync]


def _record(bench: Bench, experiment: Experiment, recording: Recording, ends: Ends, progress: Progress) -> str:
    """Record; returns what is missing from the capture, in words, or nothing."""
    (analyzer,) = bench.analyzers.values()
    with contextlib.ExitStack() as stack:
        ports = {
            name: stack.enter_context(
                SerialPort(
                    name,
                    ends.ports[name],
                    baudrate=boards.load(node.board).baudrate,
                    record=recording.serial_path(name),
                    stamps=ends.stamps.get(name),
                )
            )
            for name, node in bench.nodes.items()
        }
        capture = stack.enter_context(
            Capture.start(
                driver=ends.driver,
                channels=channels(bench),
                samplerate_hz=analyzer.samplerate_hz,
                folder=recording.edges_folder,
                silence_s=None if bench.virtual else SILENCE_S,  # virtual time may stand still
            )
        )
        started_s = time.monotonic()
        try:
            _drive(experiment, ports, progress)
        except CaptureError:
            # A node that falls silent may be the consequence of a capture or a record that cannot go on.
            capture.check()
            for port in ports.values():
                port.check()
            raise
        _settle(capture, samplerate_hz=analyzer.samplerate_hz, quiet_s=VIRTUAL_QUIET_S if bench.virtual else QUIET_S)
        result = capture.stop()
        wall_s = time.monotonic() - started_s
    if not result.in_order:
        return "sigrok-cli did not end in order: the tail of the capture may be missing"
    sampled_s = result.samples / analyzer.samplerate_hz
    if bench.virtual is None and wall_s - sampled_s > STARTING_S + wall_s * RATE_TOLERANCE:
        return f"the analyzer sent {sampled_s:.3f} s of samples in {wall_s:.3f} s"
    return ""


def _drive(experiment: Experiment, ports: dict[str, SerialPort], progress: Progress) -> None:
    """Set the nodes up, start, wait for the end, silence them, and ask for their counts."""
    for port in ports.values():
        await_node(port)
    addresses = _addresses(experiment, list(ports))
    for name, port in ports.items():
        _check_identity(experiment, port, ask(port, "identify"))
        ask(port, "defaults")
        for key, value in _settings(experiment, name, addresses).items():
            ask(port, f"set {key} {value}")
    started = [ports[name] for name in experiment.started]
    for port in started[:-1]:
        ask(port, "start")
    ask(started[-1], f"start {experiment.packets}" if experiment.packets else "start")
    interval_s = experiment.settings_of(experiment.initiator).get("interval_us", 0) / 1e6
    _await_done(started[-1], patience_s=ANSWER_S + interval_s, progress=progress)
    for port in started[:-1]:
        _stop(port, was_started=True)
    for port in ports.values():
        if port not in started[:-1]:
            _stop(port, was_started=False)
    for name, port in ports.items():
        if "mac" in experiment.settings_of(name):
            ask(port, "mac")
            ask(port, "workers")
        ask(port, "report")


def _addresses(experiment: Experiment, nodes: list[str]) -> dict[str, int]:
    """Short addresses: initiator, responder, then the others, which must not answer in the place of these two."""
    first = [experiment.initiator, experiment.responder]
    return {name: address for address, name in enumerate([*first, *(n for n in nodes if n not in first)], start=1)}


def _settings(experiment: Experiment, node: str, addresses: dict[str, int]) -> dict[str, str | int]:
    """What a node is told, in the order of telling."""
    peer = experiment.responder if node == experiment.initiator else experiment.initiator
    given = {"address": addresses[node], "peer": peer, **experiment.settings_of(node)}
    if node == experiment.initiator and experiment.duration_s is not None:
        given["duration_s"] = experiment.duration_s
    given |= {key: addresses[given[key]] for key in NODE_NAMES if key in given}
    return {key: value if isinstance(value, str) else int(value) for key, value in given.items()}


def _await_done(port: SerialPort, *, patience_s: float, progress: Progress) -> None:
    """Wait until the node says that it is done; `patience_s`: it says something at least this often."""
    through = 0
    while True:
        line = port.wait_line(lambda text: text.startswith(("packet ", "done ")), deadline_s=patience_s)
        if line.text.startswith("done "):
            return
        through += 1
        progress(through)


def _stop(port: SerialPort, *, was_started: bool) -> None:
    """Have a node send nothing any more; one that was started says what it did."""
    done = False

    def answered(text: str) -> bool:
        nonlocal done
        done = done or text.startswith("done ")
        return text.startswith(("ok ", "error"))

    ask(port, "stop", answered)
    if was_started and not done:
        port.wait_line(lambda text: text.startswith("done "), deadline_s=ANSWER_S)


def await_node(port: SerialPort) -> None:
    """Wait until a node has booted; one that says nothing may have booted before we listened."""
    try:
        port.wait_line(lambda line: line == "ready", deadline_s=BOOT_S)
    except SerialPortError:
        ask(port, "identify")


def _is_answer(text: str) -> bool:
    return text.startswith(("ok ", "error"))


def ask(port: SerialPort, command: str, is_answer: Callable[[str], bool] = _is_answer) -> str:
    """Send a command and return the node's answer.

    Raises
    ------
    FirmwareError
        The node refuses the command.
    SerialPortError
        It does not answer.
    """
    port.write_line(command)
    try:
        answer = port.wait_line(is_answer, deadline_s=ANSWER_S).text
    except SerialPortError as error:
        raise SerialPortError(
            f"no answer to `{command}`: {error.what}", where=port.device, remedy=error.remedy
        ) from error
    if answer.startswith("error"):
        raise FirmwareError(f"node {port.node} refuses `{command}`: {answer}. Does it run the reference firmware?")
    return answer


def _check_identity(experiment: Experiment, port: SerialPort, answer: str) -> None:
    """Refuse firmware with another event table, whose codes would get wrong names, another kernel or other probes."""
    fields = dict(word.partition("=")[::2] for word in answer.split())
    if fields.get("table") != TABLE_CRC32:
        raise FirmwareError(
            f"node {port.node} runs firmware with the event table {fields.get('table', 'unknown')}, this gpiorig has "
            f"{TABLE_CRC32}. Build it anew with these sources and flash it."
        )
    for key, wanted in (("kernel", experiment.kernel), ("probes", experiment.probes)):
        if fields.get(key, wanted) != wanted:
            raise FirmwareError(
                f"node {port.node} runs firmware with {key} = {fields[key]}, the experiment wants {wanted}. Flash the "
                f"image that was built with {key.upper()}={wanted}, or change `{key}` in the experiment file."
            )


def _settle(capture: Capture, *, samplerate_hz: int, quiet_s: float) -> None:
    """Let the last samples arrive: a little more signal, or silence of an analyzer that has none left to send."""
    enough = capture.samples_received + int(TAIL_S * samplerate_hz)
    seen, since_s = capture.samples_received, time.monotonic()
    while capture.samples_received < enough and time.monotonic() - since_s < quiet_s:
        time.sleep(POLL_S)
        capture.check()
        if capture.samples_received != seen:
            seen, since_s = capture.samples_received, time.monotonic()
