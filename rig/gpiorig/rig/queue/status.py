"""The status of a queue: from its journal and its folder, also while it runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from gpiorig.rig.errors import RigError
from gpiorig.rig.queue import disk, journal
from gpiorig.rig.queue.journal import Record
from gpiorig.rig.queue.state import State


def of(output: Path) -> dict[str, Any]:
    """The status of a folder.

    Raises
    ------
    RigError
        No queue ran into it.
    """
    content = journal.read(output)
    records = content.records
    if not records:
        raise RigError(f"{output}: no queue ran into this folder; give the `output` of a queue file.")
    state, last = State.of(records), records[-1]
    jobs: dict[str, Counter[str]] = {}
    for name, run in state.runs.items():
        jobs.setdefault(name.rpartition("-")[0], Counter())[run.state] += 1
    return {
        "output": str(output),
        "ended": last.event == "queue ended",
        "why": last.text if last.event == "queue ended" else "",
        "last": last.at,
        "damaged_lines": len(content.damaged),
        "jobs": {job: dict(counts) for job, counts in jobs.items()},
        "running": [name for name, run in state.runs.items() if run.state == "running"],
        "problems": {name: run.text for name, run in state.runs.items() if run.state in ("given up", "skipped")},
        "kept": [folder for run in state.runs.values() for folder in run.leftovers],
        "not_fetched": {
            folder: record.bench for folder, record in state.not_fetched.items() if record.event != "started"
        },
        "quarantined": state.quarantined,
        "failures": dict(Counter(record.cause for record in records if record.event == "failed")),
        "gaps": [{"text": gap.text, "seconds": gap.seconds} for gap in state.gaps],
        "bytes": disk.size_of(output),
    }


def text(status: dict[str, Any]) -> str:
    """The status for a terminal."""
    lines = [f"{status['output']}: {'ended' if status['ended'] else 'not ended'}, last record {status['last']}"]
    if status["why"]:
        lines.append(f"  {status['why']}")
    for job, counts in status["jobs"].items():
        lines.append(f"  {job}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    if status["damaged_lines"]:
        lines.append(
            f"  {status['damaged_lines']} damaged lines in the journal: what they stated is not in this status"
        )
    lines += [f"  running: {name}" for name in status["running"]]
    lines += [f"  {name}: {why}" for name, why in status["problems"].items()]
    lines += [f"  not fetched: ~/{folder} of {bench}" for folder, bench in status["not_fetched"].items()]
    lines += [f"  quarantine: {name}: {why}" for name, why in status["quarantined"].items()]
    lines += [f"  gap of {gap['seconds']:.0f} s: {gap['text']}" for gap in status["gaps"]]
    if status["failures"]:
        failed = ", ".join(f"{count} x {cause}" for cause, count in status["failures"].items())
        lines.append(f"  failed attempts: {failed}; kept: {len(status['kept'])}")
    return "\n".join([*lines, f"  {disk.text(status['bytes'])} on the disk"])


def line(record: Record) -> str:
    """A record for a terminal, in one line whatever a program printed."""
    about = " ".join(word for word in (record.run, f"attempt {record.attempt}" if record.attempt else "") if word)
    where = record.bench + (f"/{record.node}" if record.node else "")
    parts = [record.at[11:19], record.event, about, f"[{where}]" if where else "", record.cause]
    rest = f": {' '.join(record.text.split())}" if record.text else ""
    place = f" ({record.folder})" if record.folder else ""
    return f"{' '.join(part for part in parts if part)}{rest}{place}"
