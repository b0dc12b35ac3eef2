"""What a queue has done, from its journal: the state of each run, failures in a row, and what is in quarantine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from gpiorig.rig.queue.journal import Record

RunState = Literal["waiting", "running", "complete", "given up", "skipped"]

AT_NODE = ("board",)  # causes that are counted for the node
AT_BENCH = ("analyzer", "bench", "silent", "timeout", "connection", "check")  # and for the bench


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    state
        Its state.
    attempts, failures
        How often it was started, and how many attempts failed since the queue was asked to try again.
    folder
        Where its recording is.
    leftovers
        Where those of its attempts are that failed or were cut.
    text
        Why it was given up or skipped; before that, why its last attempt failed.
    """

    state: RunState = "waiting"
    attempts: int = 0
    failures: int = 0
    folder: str = ""
    leftovers: list[str] = field(default_factory=list)
    text: str = ""


@dataclass(slots=True)
class State:
    """What the records until now state.

    Attributes
    ----------
    runs
        By their names; a run that was never started is not there.
    streaks
        Failures in a row, of ``bench`` or ``bench/node``.
    quarantined
        Of the same kind, with the reason.
    gaps
        Times in which the queue did not run although it was not done.
    largest_bytes
        Size of the largest recording of each job, also of attempts that failed or were cut.
    not_fetched
        The last record of each attempt whose recording is on another machine, by its folder there.
    """

    runs: dict[str, Progress] = field(default_factory=dict)
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

    def enter(self, record: Record) -> None:
        """Take one more record into account."""
        if record.event == "released":
            self._release()
        elif record.event == "quarantined":
            self.quarantined[place(record.bench, record.node)] = record.text
        elif record.event == "gap":
            self.gaps.append(record)
        elif record.run:
            self._enter_run(record, self.runs.setdefault(record.run, Progress()))

    def _enter_run(self, record: Record, run: Progress) -> None:
        job = record.run.rpartition("-")[0]
        run.attempts = max(run.attempts, record.attempt)  # the start of an attempt may be on a damaged line
        self.largest_bytes[job] = max(self.largest_bytes.get(job, 0), record.bytes)
        self._enter_remote_folder(record)
        match record.event:
            case "started":
                run.state = "running"
            case "complete":
                run.state, run.folder = "complete", record.folder
                for key in [key for key in self.streaks if key.partition("/")[0] == record.bench]:
                    del self.streaks[key]
            case "failed" | "cut":
                run.state = "waiting"
                run.leftovers += [record.folder] if record.folder else []
                if record.event == "failed" and record.cause != "disk":  # which does not concern the run
                    run.failures, run.text = run.failures + 1, f"{record.cause}: {record.text}"
                    self._count(record)
            case "fetched":
                run.leftovers += [record.folder] if record.folder else []
            case "given up" | "skipped":
                run.state, run.text = record.event, record.text

    def _enter_remote_folder(self, record: Record) -> None:
        if record.event in ("complete", "failed", "cut", "fetched"):
            for folder, earlier in list(self.not_fetched.items()):
                if (earlier.run, earlier.attempt) == (record.run, record.attempt):
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
        for run in self.runs.values():
            run.failures = 0
            if run.state in ("given up", "skipped"):
                run.state, run.text = "waiting", ""


def place(bench: str, node: str) -> str:
    """``bench`` or ``bench/node``."""
    return f"{bench}/{node}" if node else bench
