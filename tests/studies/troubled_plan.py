"""A plan of runs with all kinds of trouble at once: writes a table into docs/evidence/unattended.md.

As root, for a small disk: PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/troubled_plan.py [--runs N]

`gpiorig study run` records on the file of a real bench, whose ports and analyzer lead to virtual boards at the pace of
the clock. Processes are killed, ports unplugged, the analyzer dies or hangs, the disk is full, each at a random
moment, and each comes back. At the end all runs have to be complete with all their packets, each attempt has to have an
end in the journal, each time in which nothing ran to be a gap, and all that was on the disk when the trouble
came to be in a recording. Status 1 if something does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from commandline import ROOT
from desk import Desk, small_disk
from evidence import table, write_table
from flushed import Flushed
from plan_kills import NEVER, Plan, kept_without_record, of_journal

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.serial.record import Kind
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.checks import failed_checks
from gpiorig.studies.plans.journal import Record
from gpiorig.studies.plans.state import State

PAGE = ROOT / "docs/evidence/unattended.md"
# 4 MHz are enough for its symbols; the boards keep the pace of the clock on a busy machine, too.
BENCH = (ROOT / "tests/data/probe_effect_telosb_bench.toml").read_text().replace("24_000_000", "4_000_000")
EXPERIMENT = (ROOT / "experiments/pingpong.toml").read_text()
EXPERIMENT = EXPERIMENT.replace("20_000", "60_000").replace("15_000", "50_000")  # a round trip takes 20 ms
PACKETS = 60
DISK_MB = 256
EARLY = 0.3  # of the troubles, whatever the plan does; the others while a run records
RECORDING_S = 10.0  # the latest moment after that
PATIENCE_S = 900.0
PLAN = """
output = "out"
[benches.desk]
file = "bench.toml"
[[job]]
name = "pp"
bench = "desk"
experiment = "slow.toml"
packets = {packets}
repeats = {runs}
[watchdog]
pause = "0s"
retries = {never}
quarantine_after = {never}
[disk]
keep_free = "0B" # nothing ends a run before the disk is full
"""
# How often of 20 runs; the first four are kills.
TROUBLES = {
    "plan killed": 14,
    "run killed": 14,
    "sigrok-cli killed": 14,
    "boards and analyzer without power": 8,
    "port unplugged": 12,
    "analyzer closes its connection": 6,
    "analyzer sends nothing": 6,
    "disk full": 6,
}
KILLS = tuple(TROUBLES)[:4]
LONGEST_S = 6.0  # until what is gone is back
SHORTEST_S = 0.5


@dataclass(frozen=True, slots=True)
class Done:
    """A trouble: what, when by the wall clock, and at which node."""

    what: str
    at: datetime.datetime
    node: str = ""


class Trouble:
    """Makes trouble, and ends it after a while, in the order of a plan.

    Attributes
    ----------
    done
        What was done.
    """

    def __init__(self, plan: Plan, desk: Desk, draw: random.Random) -> None:
        self._plan, self._desk, self._draw = plan, desk, draw
        self._timers: dict[str, threading.Timer] = {}
        self.done: list[Done] = []
        self.process = plan.start()

    def make(self, what: str) -> None:
        """Make it; the same trouble as before has ended by then."""
        node = self._draw.choice(sorted(self._desk.ports)) if what == "port unplugged" else ""
        key = what + node
        if key in self._timers:
            self._timers[key].join()
        at = datetime.datetime.now(datetime.UTC)
        back: Callable[[], object] | None = None
        if what in ("run killed", "sigrok-cli killed"):
            while not self._plan.kill(what.split()[0]) and self.process.poll() is None:
                time.sleep(0.01)
            at = datetime.datetime.now(datetime.UTC)
        elif what == "plan killed":
            self.process.kill()
            self.process.wait()
            self.process = self._plan.start()
        elif what == "port unplugged":
            self._desk.ports[node].pull()
            back = self._desk.ports[node].plug
        elif what == "disk full":
            fill(self._plan.output)
            back = (self._plan.output / "hog").unlink
        else:
            end, back = {
                "boards and analyzer without power": (self._desk.power_off, self._desk.power_on),
                "analyzer closes its connection": (self._desk.analyzer.pull, self._desk.analyzer.plug),
                "analyzer sends nothing": (self._desk.analyzer.hold, self._desk.analyzer.release),
            }[what]
            end()
        self.done.append(Done(what, at, node))
        if back is not None:
            self._timers[key] = threading.Timer(self._draw.uniform(SHORTEST_S, LONGEST_S), back)
            self._timers[key].start()

    def end(self) -> int:
        """Wait until all is back, and for the end of the plan; returns its status."""
        for timer in self._timers.values():
            timer.join()
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def fill(folder: Path) -> None:
    """Take all space that is left on the disk of a folder."""
    with contextlib.suppress(OSError), (folder / "hog").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))


def trial(
    place: Path, *, runs: int, troubles: Mapping[str, int], seed: int, packets: int = PACKETS
) -> tuple[Counter[str], list[str], dict[str, Counter[str]]]:
    """Run a plan.

    Returns
    -------
    counts
        What happened, by name.
    faults
        What did not hold.
    ends
        For each trouble, how the attempts ended during which it came.
    """
    draw, counts = random.Random(seed), Counter[str]()
    order = [what for what, count in troubles.items() for _ in range(count)]
    draw.shuffle(order)
    with small_disk(place / "out", DISK_MB), Desk(place, BENCH) as desk, contextlib.ExitStack() as stack:
        (place / "slow.toml").write_text(EXPERIMENT)
        plan = Plan(place, PLAN.format(packets=packets, runs=runs, never=NEVER))
        stack.callback(plan.leftovers)
        trouble, flushed = Trouble(plan, desk, draw), Flushed(plan.output)
        for number, what in enumerate(order):
            due = number * max(runs - 1, 1) // len(order)  # spread over the plan, the last run is left alone
            while sum(record.event == "complete" for record in plan.records) < due and running(trouble):
                time.sleep(0.05)
            moment_s = draw.uniform(0, RECORDING_S)
            if draw.random() > EARLY:
                plan.await_recording(trouble.process)
            time.sleep(moment_s)
            if not running(trouble):
                break
            flushed.look()
            trouble.make(what)
        status = trouble.end()
        faults = [f"the plan ends with status {status}"] if status else []
        counts.update(done.what for done in trouble.done)
        counts["recordings looked at"] = sum(seen.has_samples for seen in flushed.seen)
        records = plan.records
        faults += [*plan.leftovers(), *of_journal(records, runs, counts), *gaps_missing(trouble.done, records)]
        faults += [*flushed.lost(), *of_recordings(plan.output, State.of(records), packets, counts)]
        if faults:
            shutil.copytree(plan.output, place / "copy")
    return counts, faults, ends_by_trouble(trouble.done, records)


def running(trouble: Trouble) -> bool:
    """Whether the plan runs."""
    return trouble.process.poll() is None


def gaps_missing(troubles: list[Done], records: list[Record]) -> list[str]:
    """Kills of the plan that no gap of the journal covers."""
    begins = datetime.datetime.fromisoformat(records[0].at)
    gaps = [
        (datetime.datetime.fromisoformat(record.at), datetime.timedelta(seconds=record.seconds + 0.002))
        for record in records
        if record.event == "gap"
    ]
    return [
        f"the plan was killed at {done.at}, and no gap is of then"
        for done in troubles
        if done.what == "plan killed" and done.at > begins and not any(at - long <= done.at <= at for at, long in gaps)
    ]


def ends_by_trouble(troubles: list[Done], records: list[Record]) -> dict[str, Counter[str]]:
    """For each trouble, how the attempt ended that ran when it came."""
    ends: dict[str, Counter[str]] = {}
    for done in troubles:
        end = "no attempt ran"
        started: dict[tuple[str, int], datetime.datetime] = {}
        for record in records:
            at, key = datetime.datetime.fromisoformat(record.at), (record.point, record.attempt)
            if record.event == "started":
                started[key] = at
            elif record.event in ("complete", "failed", "cut") and started[key] <= done.at <= at:
                end = record.cause if record.event == "failed" else record.event
        ends.setdefault(done.what, Counter())[end] += 1
    return ends


def of_recordings(output: Path, state: State, packets: int, counts: Counter[str]) -> list[str]:
    """Complete ones have all packets, and no check fails; the others open; none is without a record."""
    faults = kept_without_record(output, state)
    for run in (run for run in state.points.values() if run.state == "complete"):
        recording = Recording.open(output / run.folder)
        analysis = analyse(open_recording(recording))
        faults += [f"{run.folder}: {sentence}" for sentence in failed_checks(analysis, recording)]
        through = int(analysis.timelines.timelined.sum()) if analysis.timelines is not None else 0
        if through != packets:
            faults.append(f"{run.folder}: {through} of {packets} packets")
    for folder in sorted((output / "kept").glob("*")):
        try:
            cut = Recording.open(folder)
            counts[f"kept, {cut.state}"] += 1
            counts["edges kept"] += cut.edges().samples.size
            for node in cut.nodes:
                lost = [event for event in cut.serial(node).events if event.kind is Kind.LOST]
                counts["ports lost, in a record"] += len(lost)
        except CaptureError as error:
            faults.append(f"{folder.name}: cannot be opened: {error}")
    return faults


def main() -> int:
    """A plan; prints what happened, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="points of the plan (20)")
    parser.add_argument("--share", type=float, default=1.0, metavar="PART", help="of the troubles (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--no-page", action="store_true", help="do not write the page")
    options = parser.parse_args()
    place, began_s = Path(tempfile.mkdtemp(prefix="troubled-plan-")), time.monotonic()
    troubles = {what: max(1, round(count * options.share)) for what, count in TROUBLES.items()}
    counts, faults, ends = trial(place, runs=options.runs, troubles=troubles, seed=options.seed)
    minutes = (time.monotonic() - began_s) / 60
    for name, count in sorted(counts.items()):
        print(f"{count:10} {name}")
    print(f"{minutes:10.1f} min\n" + "\n".join(faults))
    columns = sorted({end for causes in ends.values() for end in causes})
    rows = [[what, *(causes[end] or "" for end in columns), causes.total()] for what, causes in ends.items()]
    text = table(["trouble", *columns, "all"], rows)
    print(text)
    if not faults and not options.no_page:
        write_table(PAGE, "plan", text)
    if not faults:
        shutil.rmtree(place)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
