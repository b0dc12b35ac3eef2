"""Running an experiment on a bench: capture and serial ports, into one recording."""

from __future__ import annotations

import contextlib
import dataclasses
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording, RecordingInfo
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.capture.sigrok.analyzer import versions
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import console_settings, limits
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.experiments.images import sha256
from gpiorig.rig.recordings import merge
from gpiorig.rig.recordings.merge import Source
from gpiorig.rig.run import captures
from gpiorig.rig.run.captures import Captures
from gpiorig.rig.run.dialogue import Progress
from gpiorig.rig.run.drive import drive
from gpiorig.rig.virtual.process import VirtualBenchProcess

_PATIENCE_S = 1.0  # a virtual bench that has failed takes a moment to end


@dataclasses.dataclass(frozen=True, slots=True)
class Ends:
    """Where the host finds the parts of a bench: sigrok's driver of each analyzer, each node's port and virtual stamps.

    `settle`, of a virtual bench, waits until nothing more is to come and says how many samples each analyzer has sent.
    """

    drivers: dict[str, str]
    ports: dict[str, str]
    stamps: dict[str, Path]
    check: Callable[[], None]
    settle: Callable[[], dict[str, int]] | None


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
        Something did not work; what was recorded until then stays, as an incomplete recording. Without a sample the
        folder is deleted.
    """
    silent = [name for name, node in bench.nodes.items() if "strobe" not in node.lines]
    if silent:
        raise BenchError(
            f"bench {bench.name}: node {silent[0]} has no symbol bus among its lines, and an experiment needs its "
            "events. Add its strobe and data lines, or serve the bench (`gpiorig bench virtual`) and capture with "
            "sigrok-cli."
        )
    # Only a virtual bench loads the images; what runs on boards is what they answer to `identify`.
    hashes = {name: sha256(path) for name, path in firmware.items()} if bench.virtual else {}
    console_settings.check(experiment, bench)
    with contextlib.ExitStack() as stack:
        ends = stack.enter_context(_ends(bench, bench_file, firmware))
        sources = captures.sources(bench, ends.drivers)
        info = describe(
            bench, bench_file, experiment, sources=sources, virtual_stamps=bool(ends.stamps), firmware=hashes
        )
        recording = Recording.create(output, info)
        try:
            return _record(bench, experiment, recording, ends, sources, progress).conclude()
        except BaseException as error:
            with contextlib.suppress(OSError):  # such as a full disk, which is what `error` is about
                recording.finish(state="incomplete", reason=_reason(error))
                recording.discard()
            # A virtual bench that has stopped knows better why nothing came than the one who waited.
            if isinstance(error, Exception):
                ends.check()
            raise


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "interrupted by SIGINT"
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _ends(bench: Bench, bench_file: Path, firmware: dict[str, Path]) -> Iterator[Ends]:
    """The ends of a real bench are in its file; a virtual one is started and says where they are."""
    if bench.virtual is None:
        yield Ends(
            drivers={name: analyzer.driver or "" for name, analyzer in bench.analyzers.items()},
            ports={name: node.serial or "" for name, node in bench.nodes.items()},
            stamps={},
            check=lambda: None,
            settle=None,
        )
        return
    with VirtualBenchProcess(bench_file, firmware=firmware) as process:
        serial = process.endpoints["serial"]
        yield Ends(
            drivers={name: str(driver) for name, driver in process.endpoints["analyzers"].items()},
            ports={name: str(end["path"]) for name, end in serial.items()},
            stamps={name: Path(end["stamps"]) for name, end in serial.items() if end["stamps"]},
            check=lambda: process.check(patience_s=_PATIENCE_S),
            settle=process.settle,
        )


def describe(
    bench: Bench,
    bench_file: Path,
    experiment: Experiment,
    *,
    sources: dict[str, Source],
    virtual_stamps: bool,
    firmware: dict[str, str],
) -> RecordingInfo:
    """The description of a run that begins now; `firmware` is the sha256 of each node's image."""
    return RecordingInfo(
        **merge.merged_fields(list(sources.values()), sync=captures.SYNC),
        epoch=captures.epoch_now(),
        virtual=bench.virtual is not None,
        serial_clock="virtual" if virtual_stamps else "host",
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
        "app": _app(bench, experiment),
        "kernel": experiment.kernel,
        "probes": experiment.probes,
        **({"bench_seed": bench.virtual.seed} if bench.virtual else {}),
        **experiment.settings.given(),
        **own,
        **limits.parameters(experiment),
    }


def _app(bench: Bench, experiment: Experiment) -> str:
    """The application of the initiator; a firmware with a single one has its name from its console."""
    console = bench.nodes[experiment.initiator].described_console
    return console.app if console is not None and console.app else experiment.app


def _record(
    bench: Bench,
    experiment: Experiment,
    recording: Recording,
    ends: Ends,
    sources: dict[str, Source],
    progress: Progress,
) -> Captures:
    """Record; returns the captures, which have ended."""
    with contextlib.ExitStack() as stack:
        reader = stack.enter_context(SerialReader())
        ports = {
            name: stack.enter_context(
                SerialPort(
                    name,
                    ends.ports[name],
                    baudrate=boards.load(node.board).baudrate,
                    record=recording.serial_path(name),
                    stamps=ends.stamps.get(name),
                    reader=reader,
                )
            )
            for name, node in bench.nodes.items()
        }
        running = stack.enter_context(Captures(bench, sources, recording))
        try:
            drive(experiment, ports, progress, {name: node.described_console for name, node in bench.nodes.items()})
        except CaptureError:
            # A node that falls silent may be the consequence of a capture or a record that cannot continue.
            running.check()
            for port in ports.values():
                port.check()
            raise
        running.settle(ends.settle() if ends.settle else None)
        running.stop()
        return running
