"""What a batch does with one recording: decode, analyse, report; or keep the results that are there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gpiorig.analysis.tables import registry
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results import versions
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.headline import headline
from gpiorig.studies.batch import places, rows
from gpiorig.studies.batch.places import Output
from gpiorig.studies.batch.rows import Done, Processed
from gpiorig.studies.batch.verbs import Verb

ITEMS = "items"
PAGE = "report/report.html"
EVENTS = "events.parquet"


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with a recording.

    Parameters
    ----------
    run
        An absolute path or an address.
    output
        Where results go: those of a recording on this machine stay in its folder, as with `gpiorig report`.
    verb
        How far.
    quantities
        Quantities in addition to those of the experiment.
    fresh
        Whether results that are there are made again.
    store
        Folder of the store that the recording is registered in; None: in none.
    given
        Bench and roles of a recording that lacks them; one on this machine keeps them.
    """

    run: str
    output: str
    verb: Verb
    quantities: tuple[str, ...] = ()
    fresh: bool = False
    store: Path | None = None
    given: Given = field(default_factory=Given)

    @property
    def name(self) -> str:
        """The name of its results."""
        return places.name(self.run)

    @property
    def item(self) -> str:
        """The file that states what was done, in the output."""
        return f"{ITEMS}/{self.name}.json"

    @property
    def results(self) -> str:
        """Where its tables and its report are."""
        return f"{self.output.rstrip('/')}/{self.name}" if places.is_address(self.run) else self.run


def process(task: Task) -> Processed:
    """Do it, or keep what is there."""
    done, unchanged = _process(task)
    if task.store is not None:
        _register(task, task.store)
    return Processed(task.run, unchanged, done.checks, rows.rows(done))


def _process(task: Task) -> tuple[Done, bool]:
    """What was done, and whether that was earlier."""
    output = Output(task.output)
    if not places.is_address(task.run):
        task.given.open(Path(task.run))  # now: what it keeps is part of its fingerprint
    fingerprint = places.fingerprint(task.run)
    asked: dict[str, Any] = {
        "verb": task.verb,
        "quantities": list(task.quantities),
        "versions": versions.here(__name__),
    }
    asked |= task.given.as_json()
    earlier = None if task.fresh else _earlier(task, output)
    if earlier is not None and (earlier.fingerprint, earlier.asked) == (fingerprint, asked):
        return earlier, True
    output.delete(task.item)  # first: whatever ends us then, old results are not taken for new ones
    with places.at_hand(task.run) as folder:
        recording = task.given.open(folder)
        numbers, checks = _results(recording, task)
        if places.is_address(task.run):
            output.put(folder, task.name)
        info = recording.info
        done = Done(
            run=task.run,
            fingerprint=fingerprint,
            asked=asked,
            description={"experiment": info.experiment, "virtual": info.virtual, "state": recording.state},
            numbers={**numbers, "recording": task.run},
            checks=tuple(check.replace(str(folder), task.run) for check in checks),
            results=task.results,
        )
    output.write(task.item, json.dumps(asdict(done), indent=1, allow_nan=False).encode())
    return done, False


def _results(recording: Recording, task: Task) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Write tables and report; the headline numbers and the checks that failed."""
    if task.verb == "decode":
        analysis = analyse(open_recording(recording))
        registry.write_stages(analysis, folder=recording.folder)
        return plain(headline(analysis, recording)), _incomplete(recording)
    reported = reporting.of(recording, asked=task.quantities)
    if task.verb == "report":
        reported.write()
    else:
        reported.write_tables()
    return plain(reported.numbers), reported.data.notes


def _incomplete(recording: Recording) -> tuple[str, ...]:
    """The check that fails of a recording that is not complete, where no report makes it."""
    state, reason = recording.state, recording.reason
    return () if state == "complete" else (f"{recording.folder}: the recording is {state}: {reason}.",)


def _register(task: Task, store: Path) -> None:
    from gpiorig.rig.store.store import Store  # imports DuckDB

    Store(store).add(task.given.open(Path(task.run)), quantities=task.quantities)


def _earlier(task: Task, output: Output) -> Done | None:
    """What an earlier batch did; None if there is none, or if its results are gone."""
    content = output.read(task.item)
    if content is None:
        return None
    try:
        known = json.loads(content)
        earlier = Done(**known | {"checks": tuple(known["checks"])})
    except (ValueError, TypeError, KeyError):  # written by another version, or cut short
        return None
    needed = {"decode": (EVENTS,), "analyse": (EVENTS,), "report": (EVENTS, PAGE)}[task.verb]
    place = Output(task.results)
    return earlier if all(map(place.has, needed)) else None
