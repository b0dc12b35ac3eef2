"""The runs of the probe-effect meter: the same experiment with other probes, one recording each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.probe_effect import delays, effect
from gpiorig.analysis.probe_effect.delays import Delay
from gpiorig.analysis.probe_effect.effect import VARIANTS, Meter
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import images as firmware
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.recordings.opened import SHOWN, open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.run.record import record


def variants(bench: Bench) -> tuple[str, ...]:
    """The builds to compare: the one without probes is a truth that only a virtual bench must know."""
    return VARIANTS if bench.virtual else VARIANTS[1:]


def missing(bench: Bench, folder: Path) -> list[str]:
    """Builds that are not recorded yet."""
    return [variant for variant in variants(bench) if not (folder / variant / DESCRIPTION).exists()]


def record_variant(
    bench: Bench, experiment: Experiment, *, bench_file: Path, output: Path, images: dict[str, Path] | None = None
) -> Recording:
    """One run, of these images or else of the reference firmware's.

    A virtual bench is given the image; onto boards the one with these probes must have been flashed.
    """
    folder = output / experiment.probes
    if images is not None:
        return record(bench, experiment, bench_file=bench_file, output=folder, firmware=images)
    named = [name for name, node in bench.nodes.items() if node.firmware] if bench.virtual else []
    if named:
        raise BenchError(
            f"bench file {bench_file}: nodes.{named[0]}.firmware names one image, and the meter needs one for each "
            "kind of probes. Give --image PROBES=FILE for each; or take it out, so that the reference firmware with "
            "these probes is run."
        )
    reference = firmware.images(bench, experiment, bench_file=bench_file)
    return record(bench, experiment, bench_file=bench_file, output=folder, firmware=reference)


def evaluate(folder: Path) -> tuple[Meter, dict[str, Any], dict[str, str]]:
    """Compare the recordings of a folder.

    Also the parameters that they have in common, and by variant why the radio's lines do not show its round trips: they
    are not wired, the firmware does not ask for them, or it sends other frames, too.

    Raises
    ------
    BenchError
        The one with normal or that with doubled probes is not there, or they are not of the same experiment.
    """
    recordings = dict(_recordings(folder))
    for variant in SHOWN:
        if variant not in recordings:
            raise BenchError(
                f"{folder}: no recording with {variant} probes. Record it: gpiorig firmware cost --only {variant}."
            )
    parameters = {variant: _common(recording) for variant, recording in recordings.items()}
    for variant, given in parameters.items():
        if given != parameters["normal"]:
            different = sorted(key for key in given if given.get(key) != parameters["normal"].get(key))
            raise BenchError(
                f"{folder / variant} differs from {folder / 'normal'} in {', '.join(different)}; record it again."
            )
    event_ns: dict[str, float] = {}
    unread: dict[str, str] = {}
    runs = {variant: _delays(recording, event_ns, unread) for variant, recording in recordings.items()}
    # On a virtual bench the same seeds give the same random numbers; boards draw their own.
    paired = benches.from_recording(recordings["normal"]).virtual is not None
    return effect.compare(runs, event_ns=event_ns, paired=paired), parameters["normal"], unread


def _recordings(folder: Path) -> Iterator[tuple[str, Recording]]:
    for variant in VARIANTS:
        if (folder / variant / DESCRIPTION).exists():
            recording = Recording.open(folder / variant)
            if recording.info.state != "complete":
                raise BenchError(f"{folder / variant} is {recording.info.state}. Delete it and record it again.")
            yield variant, recording


def _common(recording: Recording) -> dict[str, Any]:
    return {key: value for key, value in recording.info.parameters.items() if key != "probes"}


def _delays(recording: Recording, event_ns: dict[str, float], unread: dict[str, str]) -> tuple[Delay, ...]:
    """All delays of a run; where the radio's lines do not show its round trips, those of its log and its pins."""
    parameters, analysis = recording.info.parameters, analyse(open_recording(recording))
    events = analysis.events
    if parameters["probes"] == "normal":
        for node in events.node_names:
            event_ns[node] = effect.event_cost_ns(events, node=node)
    roles = {role: str(parameters[role]) for role in ("initiator", "responder")}
    log, lines = analysis.logs[roles["initiator"]], analysis.timelines
    interval_ns = int(parameters["interval_us"]) * 1000
    try:
        return delays.delays(events, log, interval_ns=interval_ns, lines=lines, **roles)
    except EventError as error:
        unread[str(parameters["probes"])] = str(error)
        return delays.without_landmarks(events, log, lines=lines)
