"""The status of a plan: from its journal and its folder, also while it runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from gpiorig.rig.plain_json import Result
from gpiorig.studies.plans import disk, journal
from gpiorig.studies.plans.journal import Record
from gpiorig.studies.plans.state import State
from gpiorig.studies.points.folder import size_of

SHORT = 8  # digits of a digest, for a terminal


class GapNumbers(Result, frozen=True, kw_only=True):
    """A time in which nothing ran."""

    text: str
    seconds: float


class Status(Result, frozen=True, kw_only=True):
    """The status of a folder, by its journal: points by study and state, what runs, failed, was kept or not fetched."""

    output: str
    ended: bool
    why: str
    last: str
    damaged_lines: int
    studies: dict[str, dict[str, int]]
    running: list[str]
    problems: dict[str, str]
    kept: list[str]
    not_fetched: dict[str, str]
    quarantined: dict[str, str]
    failures: dict[str, int]
    gaps: list[GapNumbers]
    bytes: int


def of(output: Path) -> Status:
    """The status of a folder.

    Raises
    ------
    RigError
        Nothing was run into it.
    """
    content = journal.read(output)
    records = content.records
    if not records:
        raise journal.missing(output)
    state, latest = State.of(records), records[-1]
    studies: dict[str, Counter[str]] = {}
    for progress in state.points.values():
        studies.setdefault(progress.study, Counter())[progress.state] += 1
    problems = ("given up", "refused", "skipped")
    return Status(
        output=str(output),
        ended=latest.event == "plan ended",
        why=latest.text if latest.event == "plan ended" else "",
        last=latest.at,
        damaged_lines=len(content.damaged),
        studies={study: dict(counts) for study, counts in studies.items()},
        running=[point for point, progress in state.points.items() if progress.state == "running"],
        problems={point: progress.text for point, progress in state.points.items() if progress.state in problems},
        kept=[folder for progress in state.points.values() for folder in progress.leftovers],
        not_fetched={folder: record.bench for folder, record in state.not_fetched.items() if record.event != "started"},
        quarantined=state.quarantined,
        failures=dict(Counter(record.cause for record in records if record.event == "failed")),
        gaps=[GapNumbers(text=gap.text, seconds=gap.seconds) for gap in state.gaps],
        bytes=size_of(output),
    )


def text(status: Status) -> str:
    """The status for a terminal."""
    lines = [f"{status.output}: {'ended' if status.ended else 'not ended'}, last record {status.last}"]
    if status.why:
        lines.append(f"  {status.why}")
    for study, counts in status.studies.items():
        lines.append(f"  {study}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    if status.damaged_lines:
        lines.append(f"  {status.damaged_lines} damaged lines in the journal: what they stated is not in this status")
    lines += [f"  running: {point[:SHORT]}" for point in status.running]
    lines += [f"  {point[:SHORT]}: {why}" for point, why in status.problems.items()]
    lines += [f"  not fetched: ~/{folder} of {bench}" for folder, bench in status.not_fetched.items()]
    lines += [f"  quarantine: {name}: {why}" for name, why in status.quarantined.items()]
    lines += [f"  gap of {gap.seconds:.0f} s: {gap.text}" for gap in status.gaps]
    if status.failures:
        failed = ", ".join(f"{count} x {cause}" for cause, count in status.failures.items())
        lines.append(f"  failed attempts: {failed}; kept: {len(status.kept)}")
    return "\n".join([*lines, f"  {disk.text(status.bytes)} on the disk"])


def line(record: Record) -> str:
    """A record for a terminal, in one line whatever a program printed."""
    repeat = f"repeat {record.repeat + 1}" if record.point else ""
    words = (record.study, repeat, record.point[:SHORT], f"attempt {record.attempt}" if record.attempt else "")
    about = " ".join(word for word in words if word)
    place = record.bench + (f"/{record.node}" if record.node else "")
    parts = [record.at[11:19], record.event, about, f"[{place}]" if place else "", record.cause]
    rest = f": {' '.join(record.text.split())}" if record.text else ""
    folder = f" ({record.folder})" if record.folder else ""
    return f"{' '.join(part for part in parts if part)}{rest}{folder}"
