"""What was done, from the journal: the state of each point, failures in a row, and what is in quarantine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from gpiorig.studies.plans.folders import KEPT
from gpiorig.studies.plans.journal import Record

Standing = Literal["waiting", "running", "complete", "given up", "refused", "skipped"]

AT_NODE = ("board",)  # causes that are counted for the node
AT_BENCH = ("analyzer", "bench", "silent", "timeout", "connection", "check")  # and for the bench


@dataclass(slots=True)
class Progress:
    """How far a point is.

    Attributes
    ----------
    study, repeat
        Its study, and the number of its repeat.
    state
        Its state.
    attempts, failures
        How often it was started, and how many attempts failed since it was asked to try again.
    leftovers
        Where those of its attempts are that failed or were cut.
    cause, text
        Why it was given up or skipped; before that, why its last attempt failed.
    """

    study: str = ""
    repeat: int = 0
    state: Standing = "waiting"
    attempts: int = 0
    failures: int = 0
    leftovers: list[str] = field(default_factory=list)
    cause: str = ""
    text: str = ""


@dataclass(slots=True)
class State:
    """What the records until now state.

    Attributes
    ----------
    points
        By their digests; a point that was never started is not there.
    streaks
        Failures in a row, of ``bench`` or ``bench/node``.
    quarantined
        Of the same kind, with the reason.
    gaps
        Times in which nothing ran although not all was done.
    largest_bytes
        Size of the largest recording of each study, also of attempts that failed or were cut.
    not_fetched
        The last record of each attempt whose recording is on another machine, by its folder there.
    """

    points: dict[str, Progress] = field(default_factory=dict)
    streaks: dict[str, int] = field(default_factory=dict)
    quarantined: dict[str, str] = field(default_factory=dict)
    gaps: list[Record] = field(default_factory=list)
    largest_bytes: dict[str, int] = field(default_factory=dict)
    not_fetched: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[Record]) -> State:
        """The state that the records lead to."""
        state = cls()
        for record in records:
            state.enter(record)
        return state

    def of_point(self, digest: str) -> Progress:
        """How far a point is, also one that was never started."""
        return self.points.get(digest, Progress())

    def enter(self, record: Record) -> None:
        """Take one more record into account."""
        if record.event == "released":
            self._release()
        elif record.event == "quarantined":
            self.quarantined[place(record.bench, record.node)] = record.text
        elif record.event == "gap":
            self.gaps.append(record)
        elif record.point:
            self._enter_point(record, self.points.setdefault(record.point, Progress(record.study, record.repeat)))

    def _enter_point(self, record: Record, progress: Progress) -> None:
        progress.attempts = max(progress.attempts, record.attempt)  # the start of an attempt may be on a damaged line
        self.largest_bytes[record.study] = max(self.largest_bytes.get(record.study, 0), record.bytes)
        self._enter_remote_folder(record)
        match record.event:
            case "started":
                progress.state = "running"
            case "complete":
                progress.state = "complete"
                for key in [key for key in self.streaks if key.partition("/")[0] == record.bench]:
                    del self.streaks[key]
            case "failed" | "cut":
                progress.state = "waiting"
                progress.leftovers += [record.folder] if record.folder.startswith(f"{KEPT}/") else []
                if record.event == "failed" and record.cause != "disk":  # which does not concern the point
                    progress.failures, progress.cause = progress.failures + 1, record.cause
                    progress.text = f"{record.cause}: {record.text}"
                    self._count(record)
            case "fetched":
                progress.leftovers += [record.folder] if record.folder.startswith(f"{KEPT}/") else []
            case "given up" | "refused" | "skipped":
                progress.state, progress.text = record.event, record.text

    def _enter_remote_folder(self, record: Record) -> None:
        if record.event in ("complete", "failed", "cut", "fetched"):
            for folder, earlier in list(self.not_fetched.items()):
                if (earlier.point, earlier.attempt) == (record.point, record.attempt):
                    del self.not_fetched[folder]
        if record.remote_folder:
            self.not_fetched[record.remote_folder] = record

    def _count(self, record: Record) -> None:
        if record.bench and record.cause in (*AT_NODE, *AT_BENCH):
            key = place(record.bench, record.node if record.cause in AT_NODE else "")
            self.streaks[key] = self.streaks.get(key, 0) + 1

    def _release(self) -> None:
        self.streaks.clear()
        self.quarantined.clear()
        for progress in self.points.values():
            progress.failures = 0
            if progress.state in ("given up", "refused", "skipped"):
                progress.state, progress.text = "waiting", ""


def place(bench: str, node: str) -> str:
    """``bench`` or ``bench/node``."""
    return f"{bench}/{node}" if node else bench
