"""A recording without round trips: its events, what each node logged and counted, and whether anything was lost."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from gpiorig.analysis import events, log, tables
from gpiorig.analysis.events import Events
from gpiorig.analysis.log import NodeLog
from gpiorig.capture.recording import Recording
from gpiorig.rig import bench as benches
from gpiorig.rig import pipeline

COUNTS = ("sent", "received", "lost", "dropped", "exhausted", "uart_dropped", "errors")


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """What can be said of any recording.

    Attributes
    ----------
    app
        The application that ran.
    events
        All events, by node.
    logs
        What each node logged.
    """

    app: str
    events: Events
    logs: dict[str, NodeLog]


def survey(recording: Recording) -> Survey:
    """Decode the recording; pure but for reading it."""
    bench = benches.loads(recording.info.bench, what=f"bench in {recording.folder}")
    return Survey(
        app=str(recording.info.parameters.get("app", "")),
        events=events.from_edges(recording.edges(), pipeline.wiring(bench)),
        logs={node: log.parse(recording.serial(node).data, node=node) for node in bench.nodes},
    )


def write(found: Survey, recording: Recording) -> None:
    """The tables of the events, into the recording folder."""
    tables.write(tables.events(found.events), recording.folder / "events.parquet")
    tables.write(tables.damaged(found.events), recording.folder / "damaged.parquet")


def failed_checks(found: Survey, recording: Recording) -> list[str]:
    """What is wrong with the recording, a sentence each; empty when all is well."""
    return pipeline.signal_checks(found.events, found.logs, recording)


def numbers(found: Survey, *, folder: Path) -> dict[str, Any]:
    """The headline numbers, for `--json`."""
    return {
        "app": found.app,
        "events": len(found.events),
        "damaged": len(found.events.damaged),
        "nodes": {
            node: {"frames": found.events.frames(node), **each.done, "packet_lines": len(each.sequences)}
            for node, each in found.logs.items()
        },
        "recording": str(folder),
    }


def summary(found: Survey, *, virtual: bool) -> str:
    """The conclusion in a few lines, and whose numbers they are."""
    lines = [f"{found.app}: {len(found.events)} events, {len(found.events.damaged)} damaged frames."]
    for node, each in found.logs.items():
        said = ", ".join(f"{key} {each.done[key]}" for key in COUNTS if key in each.done)
        lines.append(f"{node}: {said or 'no counts'}; {found.events.frames(node)} frames seen.")
    if virtual:
        lines.append("Virtual bench: these numbers test the rig; they are no measurement of hardware.")
    return "\n".join(lines)
