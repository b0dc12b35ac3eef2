"""Running an experiment on a bench: capture and serial ports, into one recording."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import certificate_file, symbols, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import console_settings, images, limits
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.host import log_file
from gpiorig.rig.recordings.merge import Source
from gpiorig.rig.recordings.opened import SHOWN
from gpiorig.rig.run import captures, endpoints, origin
from gpiorig.rig.run.captures import Captures
from gpiorig.rig.run.dialogue import Progress
from gpiorig.rig.run.drive import drive
from gpiorig.rig.run.endpoints import Endpoints


def run(
    bench: Bench,
    experiment: Experiment,
    *,
    bench_file: Path,
    output: Path,
    firmware: dict[str, Path],
    flashed: bool = False,
    note: str = "",
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
    flashed
        The boards hold these images: they were read back.
    note
        A text that the recording keeps.
    progress
        Called with the number of packets that are through.

    Raises
    ------
    RigError, CaptureError
        Something did not work; what was recorded until then stays, as an incomplete recording. Without a sample the
        folder is deleted.
    """
    check(bench, experiment)
    # A virtual bench loads the images; what runs on boards that were not flashed is what they answer to `identify`.
    loaded = images.hashed(firmware) if bench.virtual or flashed else {}
    with endpoints.available(bench, bench_file, firmware) as ends:
        sources = captures.sources(bench, ends.drivers)
        info = captures.describe(
            bench,
            bench_file,
            experiment=experiment.name,
            parameters=parameters(bench, experiment),
            sources=sources,
            virtual_stamps=bool(ends.stamps),
            firmware=loaded,
            tools=origin.flashers(bench) if flashed else {},
            note=note,
        )
        recording = Recording.create(output, info)
        if bench.virtual is None:
            certificate_file.keep(bench_file, output)
        answers: dict[str, bool | None] = {}
        with (
            log_file.writing(output),
            endpoints.incomplete_on_failure(recording, ends, lambda: bench.is_virtual(answers)),
        ):
            recorded = _record(bench, experiment, recording, ends, sources, progress, answers).conclude()
            return captures.with_boards(endpoints.with_remarks(recorded, ends), bench.is_virtual(answers))


def check(bench: Bench, experiment: Experiment) -> None:
    """Raise `BenchError` if the bench cannot show the experiment, or a firmware lacks one of its settings."""
    check_shown(bench, experiment)
    console_settings.check(experiment, bench)


def check_shown(bench: Bench, experiment: Experiment) -> None:
    """Raise `BenchError` if the symbol bus of a node whose firmware has probes is not recorded, or is too fast.

    Firmware with a console of its own may have none; ours has those that the experiment names.
    """
    if experiment.probes not in SHOWN:
        return
    for name, console in bench.described_consoles.items():
        if not bench.nodes[name].has_bus and (console is None or console.identifies):
            raise BenchError(
                f"bench {bench.name}: node {name} has no symbol bus among its lines, and its firmware has probes. Add "
                'its strobe and data lines; or, for an image without probes, write `probes = "off"` in the experiment.'
            )
    symbols.refuse_short(bench)


def parameters(bench: Bench, experiment: Experiment) -> dict[str, Any]:
    """What was asked for, flat; the settings of a single node with its name before them."""
    of_nodes = {
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
        **virtual_section.parameters(bench),
        **experiment.settings.given(),
        **of_nodes,
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
    ends: Endpoints,
    sources: dict[str, Source],
    progress: Progress,
    answers: dict[str, bool | None],
) -> Captures:
    """Record; returns the captures, which have ended. `answers` gets whether each node is virtual."""
    with contextlib.ExitStack() as stack:
        ports = stack.enter_context(endpoints.serial_ports(bench, ends, recording))
        running = stack.enter_context(Captures(bench, sources, recording))
        try:
            named = {name: ports.get(name) for name in bench.nodes}
            drive(experiment, named, progress, bench.described_consoles, answered=answers.__setitem__)
        except CaptureError:
            # A node that falls silent may be the consequence of a capture or a record that cannot continue.
            running.check()
            for port in ports.values():
                port.check()
            raise
        reached_s = endpoints.bench_s(bench, ports)
        running.settle(ends.settle() if ends.settle else None, bench_s=reached_s)
        running.stop()
        return running
