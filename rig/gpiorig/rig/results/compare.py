"""Runs to be compared: their delays, their thresholds, and in what they differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gpiorig.analysis.attribution import radio_waits
from gpiorig.analysis.compare import delays, pair
from gpiorig.analysis.compare.against_model import Row
from gpiorig.analysis.compare.comparison import Comparison
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.compare.pair import Joined, Values
from gpiorig.analysis.delays import radio_parts, uncertainty
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.quantities.values import named_values
from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import limits
from gpiorig.rig.progress import iterate
from gpiorig.rig.recordings import provenance, standing
from gpiorig.rig.recordings.opened import Opened, open_recording
from gpiorig.rig.results import quantities, reported_tables, set_up
from gpiorig.rig.results.analyse import analyse

# Of a set-up, what is not a setting, an image or a matter of the virtual bench alone.
_CONDITIONS = re.compile(r"experiment|samplerate|bench nodes\.[^.]+\.board")
_TABLES = ("round_trips", "steps")


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs, compared.

    Attributes
    ----------
    before, now
        The delays that both have, and their quantities.
    comparison
        The changes.
    joined
        Delays that were joined because only one of the runs has them apart.
    sentences
        What changed, and in what the runs differ by intent.
    against_model
        As of `pair.Pair`.
    """

    before: Delays
    now: Delays
    comparison: Comparison
    joined: tuple[Joined, ...]
    sentences: tuple[str, ...]
    against_model: tuple[Row, ...] = ()


def compare(base: Recording, new: Recording, names: Iterable[str] = (), *, fresh: bool = False) -> Compared:
    """Compare two recordings, and the quantities of these names; parameters and errors as of `load`.

    Raises
    ------
    RigError
        Nothing can be compared.
    """
    names = tuple(names)
    fresh |= bool(base.info.virtual) != bool(new.info.virtual)  # no table has the ± of steps by their names
    (before, values_before), (now, values_now) = (load(recording, names, fresh=fresh) for recording in (base, new))
    why = pair.obstacle(before, now)
    if why:
        remedy = "compare runs of one application" if before.complete else "`gpiorig report` shows what is missing"
        raise RigError(f"{base.folder}: {why}; {remedy}.")
    compared = pair.pair(before, now, values=(values_before, values_now), watch=watched)
    lines = (*compared.sentences, *differences(base, new))
    return Compared(compared.before, compared.now, compared.comparison, compared.joined, lines, compared.against_model)


def load(recording: Recording, names: Iterable[str] = (), *, fresh: bool = False) -> tuple[Delays, Values]:
    """The delays of a recording, and its quantities by name; nothing is written.

    The delays are those of its tables if they are newer than it. Quantities are in no table: they need the recording.

    Parameters
    ----------
    recording
        Of round trips, or of packets that go one way: then of the route that most of them took.
    names
        Quantities, which must be times.
    fresh
        Analyse it, whatever tables there are.

    Raises
    ------
    QuantityError
        A quantity is not a time, or the recording does not show it.
    """
    loaded, values = _loaded(recording, tuple(names), fresh=fresh)
    cut = "" if recording.state == standing.COMPLETE else recording.state
    return replace(loaded, cut=cut, virtual=bool(recording.info.virtual)), values


def _loaded(recording: Recording, names: tuple[str, ...], *, fresh: bool) -> tuple[Delays, Values]:
    """The delays and the quantities of a recording."""
    analysed = None
    values: Values = {}
    if names:
        analysed = _analysed(recording)
        values = named_values(names, quantities.recorded(*analysed))
    if not fresh and reported_tables.are_current(recording, _TABLES):
        waits = recording.folder / "radio_parts.parquet"
        trips, steps = (stages.read(recording.folder / f"{name}.parquet") for name in _TABLES)
        return delays.from_tables(trips, steps, stages.read(waits) if waits.is_file() else None), values
    return _delays(*(analysed or _analysed(recording))), values


def _analysed(recording: Recording) -> tuple[Opened, Analysis]:
    opened = open_recording(recording)
    return opened, analyse(opened)


def _delays(opened: Opened, analysis: Analysis) -> Delays:
    """The delays of an analysis, with the parts of their radio waits."""
    run = delays.from_analysis(analysis)
    route = next((route for route in analysis.routes if route.name in (run.route, ROUND_TRIP)), None)
    if route is None:
        return run
    _, divided = radio_waits.from_events(analysis.events, route, opened.instruments)
    uncertainties = uncertainty.for_steps(route.steps, opened.instruments, total=route.name)
    return replace(run, parts=radio_parts.by_name(divided, route), accuracies=delays.accuracies(run, uncertainties))


def thresholds(base: Recording, new: Recording) -> tuple[str, ...]:
    """Those of the new run's experiment; of the base's where the new one has none."""
    return limits.recorded(new, limits.THRESHOLDS) or limits.recorded(base, limits.THRESHOLDS)


def differences(base: Recording, new: Recording) -> list[str]:
    """In what the runs differ by intent, a sentence each."""
    before, now = base.info.parameters, new.info.parameters
    keys = [
        key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key) and key not in set_up.JUDGING
    ]
    named = ", ".join(f"{key} ({before.get(key, 'none')}, now {now.get(key, 'none')})" for key in keys)
    lines = ["Base and new run are the same folder."] if base.folder.samefile(new.folder) else []
    lines += [f"Set differently: {named}."] if keys else []
    images = base.info.firmware, new.info.firmware
    nodes = [node for node in dict.fromkeys([*images[0], *images[1]]) if images[0].get(node) != images[1].get(node)]
    if nodes:
        digests = (f"{node} ({', now '.join(image.get(node, 'none')[:12] for image in images)})" for node in nodes)
        lines.append(f"Other firmware on {', '.join(digests)}.")
    lines += _other_bench(base, new)
    if base.info.virtual or new.info.virtual:
        lines.append(provenance.VIRTUAL)
    return lines


def _other_bench(base: Recording, new: Recording) -> list[str]:
    """Boards, lines and sampling that differ; a sentence, or none."""
    parts = [
        {key: value for key, value in set_up.of(recording.info).items() if _CONDITIONS.fullmatch(key)}
        for recording in (base, new)
    ]
    differing = [
        f"{key.removeprefix('bench ')} ({parts[0].get(key, 'none')}, now {parts[1].get(key, 'none')})"
        for key in dict.fromkeys([*parts[0], *parts[1]])
        if parts[0].get(key) != parts[1].get(key)
    ]
    return [f"Other conditions: {', '.join(differing)}."] if differing else []


def watched(names: Sequence[str]) -> Iterator[str]:
    """The names, with a progress bar on a terminal."""
    yield from iterate(names, "comparing", unit="delays")
