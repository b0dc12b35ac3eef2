"""Runs to be compared: their delays, their thresholds, and in what they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gpiorig.analysis import tables
from gpiorig.analysis.comparing import delays
from gpiorig.analysis.comparing.delays import Delays
from gpiorig.capture.recording import Recording
from gpiorig.rig import limits, pipeline, provenance, survey
from gpiorig.rig.errors import RigError

_TABLES = ("packets", "steps")


def load(recording: Recording, *, fresh: bool = False) -> Delays:
    """The delays of a recording: of its tables if it is analysed, else by analysing it; nothing is written.

    Parameters
    ----------
    recording
        Of round trips, or of packets that go one way: then of the route that most of them took.
    fresh
        Analyse it, whatever tables there are.
    """
    if not pipeline.has_round_trips(recording):
        return _one_way(recording)
    paths = [recording.folder / f"{name}.parquet" for name in _TABLES]
    if not fresh and all(path.is_file() for path in paths):
        return delays.of_tables(*(tables.read(path) for path in paths))
    result = pipeline.analyse(recording)
    return delays.of_timelines(result.timelines, result.steps)


def _one_way(recording: Recording) -> Delays:
    found = survey.survey(recording).routes
    if not found or not len(found[0]):
        raise RigError(
            f"{recording.folder}: no packet is known whole on the pins, so there is nothing to compare; "
            "`gpiorig report` says what is missing."
        )
    return delays.of_route(found[0])


def thresholds(base: Recording, new: Recording) -> tuple[str, ...]:
    """Those of the new run's experiment; of the base's where the new one has none."""
    return limits.recorded(new, limits.THRESHOLDS) or limits.recorded(base, limits.THRESHOLDS)


def differences(base: Recording, new: Recording) -> list[str]:
    """In what the runs differ by intent, a sentence each."""
    before, now = base.info.parameters, new.info.parameters
    keys = [key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key)]
    named = ", ".join(f"{key} ({before.get(key, 'none')}, now {now.get(key, 'none')})" for key in keys)
    lines = [f"Set differently: {named}."] if keys else []
    nodes = [node for node in base.info.firmware if base.info.firmware[node] != new.info.firmware.get(node)]
    if nodes:
        lines.append(f"Other firmware on {', '.join(nodes)}.")
    if base.info.virtual or new.info.virtual:
        lines.append(provenance.VIRTUAL)
    return lines


def watched(names: Sequence[str]) -> Iterator[str]:
    """The names, with a progress bar on a terminal."""
    from tqdm import tqdm

    yield from tqdm(names, desc="comparing", unit=" delays", disable=None, leave=False)


def check_output(path: Path) -> None:
    """Refuse a file of which the suffix says no format, before the work is done."""
    if path.suffix not in tables.SUFFIXES:
        raise RigError(f"{path}: a table is a file with suffix {' or '.join(tables.SUFFIXES)}.")
