"""`kill -9` at random moments of a plan: `python tests/support/plan_kills.py [--runs N] [--kills N] [--seed S]`.

`gpiorig study run` records points of a plan on the demo bench; it, the run, its sigrok-cli or its bench is killed at
random moments. A plan that was killed is called again. At the end all points have to be complete and equal, what was
cut has to be kept, to open, and to have nothing false in it, each time in which nothing ran has to be a record, and
each attempt has to have an end. Prints the counts; status 1 if something did not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from kill_moments import Reference, false_in
from leftovers import MARK, processes

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.studies.plans import journal, outcome
from gpiorig.studies.plans.journal import Record
from gpiorig.studies.plans.state import State
from gpiorig.studies.points.folder import POINTS, PointFolder

PATIENCE_S = 600.0
PACKETS = 200
EARLY = 0.3  # of the kills, whatever the plan does; the others while a run records
RECORDING = 0.25  # of the longest time between two kills, which a recording takes about
NEVER = 1000  # attempts: what is killed all the time is not given up
PLAN = """
output = "out"
[benches.desk]
file = "demo"
[[job]]
name = "pp"
bench = "desk"
experiment = "pingpong"
packets = {packets}
repeats = {runs}
[watchdog]
pause = "0s"
retries = {never}
quarantine_after = {never}
[disk]
keep_free = "10MB"
"""
VICTIMS = {"plan": "study\0run", "run": "gpiorig.rig\0run", "sigrok-cli": "sigrok-cli\0", "bench": "bench\0virtual"}


class Plan:
    """A plan in a folder, its processes marked.

    Parameters
    ----------
    place
        A folder for the file, and for `out`.
    text
        The plan file.
    """

    def __init__(self, place: Path, text: str) -> None:
        self.output, self._file = place / "out", place / "plan.toml"
        self._file.write_text(text)
        self.mark, self._place = str(uuid.uuid4()), place

    def start(self) -> subprocess.Popen[bytes]:
        """`gpiorig study run`."""
        with (self._place / "printed").open("ab") as printed:
            return subprocess.Popen(
                [sys.executable, "-m", "gpiorig.rig.cli", "study", "run", str(self._file)],
                env=os.environ | {MARK: self.mark},
                stdout=printed,
                stderr=printed,
                start_new_session=True,
            )

    def kill(self, victim: str) -> bool:
        """Kill a process of a kind; whether there was one."""
        for number in processes(self.mark):
            with contextlib.suppress(OSError):
                if VICTIMS[victim].encode() in Path(f"/proc/{number}/cmdline").read_bytes():
                    os.kill(number, signal.SIGKILL)
                    return True
        return False

    def await_recording(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until a point is recorded, or the plan has ended."""
        while process.poll() is None:
            folders = (self.output / "points").glob("*/recording")
            if any(outcome.state_of(path) == "capturing" for path in folders):  # which may be moved meanwhile
                return
            time.sleep(0.02)

    def leftovers(self) -> list[str]:
        """Processes that are left; they are ended."""
        left = processes(self.mark)
        for number in left:
            os.kill(number, signal.SIGKILL)
        return [f"process {number} is left: {command}" for number, command in left.items()]

    @property
    def records(self) -> list[Record]:
        """Its journal."""
        return list(journal.read(self.output).records)


def trial(
    place: Path,
    *,
    runs: int,
    kills: int,
    seed: int,
    packets: int = PACKETS,
    longest_s: float = 12.0,
    victims: Sequence[str],
) -> tuple[Counter[str], list[str]]:
    """Run a plan with kills; returns what happened, by name, and what did not hold."""
    draw, counts = random.Random(seed), Counter[str]()
    plan = Plan(place, PLAN.format(runs=runs, packets=packets, never=NEVER))
    process = plan.start()
    while sum(counts[f"{victim} killed"] for victim in VICTIMS) < kills:
        moment_s = draw.uniform(0, longest_s)
        if draw.random() > EARLY:
            moment_s *= RECORDING
            plan.await_recording(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment_s)
        if process.poll() is not None:
            break  # it was done before
        victim = draw.choice(victims)
        if plan.kill(victim):
            counts[f"{victim} killed"] += 1
        if victim == "plan":
            process.wait()
            counts["starts"] += 1
            process = plan.start()
    status = process.wait(PATIENCE_S)
    faults = [f"the plan ends with status {status}"] if status else []
    return counts, faults + plan.leftovers() + judged(plan, runs, counts)


def judged(plan: Plan, runs: int, counts: Counter[str]) -> list[str]:
    """What does not hold of a plan that has ended."""
    faults = of_journal(plan.records, runs, counts)
    return faults + _of_recordings(plan.output, State.of(plan.records), counts)


def of_journal(records: Sequence[Record], runs: int, counts: Counter[str]) -> list[str]:
    """What does not hold of a journal: a point that is missing, an attempt without an end."""
    state, faults = State.of(records), []
    counts.update(record.event for record in records)
    complete = sorted(progress.repeat for progress in state.points.values() if progress.state == "complete")
    if list(range(runs)) != complete:
        faults.append(f"of {runs} repeats, these are complete: {complete}")
    if len(state.points) > runs:
        faults.append("there are points that were not asked for")
    ends = sum(record.event in ("complete", "failed", "cut") for record in records)
    if ends != counts["started"]:
        faults.append(f"{counts['started']} attempts, {ends} ends")
    if counts["gap"] > counts["plan killed"]:
        faults.append(f"{counts['gap']} gaps, {counts['plan killed']} kills of the plan")
    return faults


def kept_without_record(output: Path, state: State) -> list[str]:
    """Folders that the journal does not name, and those that it names and that are not there."""
    named = {output / name for progress in state.points.values() for name in progress.leftovers}
    there = set((output / "kept").glob("*"))
    return [
        *(f"{path.name}: is not in the journal" for path in there - named),
        *(f"{path.name}: is in the journal and not there" for path in named - there),
    ]


def _of_recordings(output: Path, state: State, counts: Counter[str]) -> list[str]:
    """Complete ones are equal; those that were cut open, with nothing false in them; none is without a record."""
    faults: list[str] = []
    complete = [digest for digest, progress in state.points.items() if progress.state == "complete"]
    folders = [PointFolder(output / POINTS / digest).recording for digest in complete]
    if not folders:
        return ["no point is complete"]
    reference = Reference(Recording.open(folders[0]).edges(), 0.0, 0.0)
    for folder in folders:
        recording = Recording.open(folder)
        faults += [f"{folder.parent.name}: {problem}" for problem in recording.verify()]
        if not np.array_equal(recording.edges().samples, reference.edges.samples):
            faults.append(f"{folder.parent.name}: its edges are not those of the others")
    faults += kept_without_record(output, state)
    for folder in sorted((output / "kept").glob("*")):
        try:
            cut = Recording.open(folder)
            counts[f"kept {cut.state}"] += 1
            counts["edges kept"] += cut.edges().samples.size
            faults += [f"{folder.name}: {fault}" for fault in false_in(cut, reference.edges)]
        except CaptureError as error:
            if any(folder.rglob("*.seg")):
                faults.append(f"{folder.name}: cannot be opened: {error}")
    return faults


def main() -> int:
    """A plan; prints what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="points of the plan (20)")
    parser.add_argument("--kills", type=int, default=50, metavar="N", help="kills (50)")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--longest", type=float, default=12.0, metavar="SECONDS", help="between two kills (12)")
    options = parser.parse_args()
    place, began_s = Path(tempfile.mkdtemp(prefix="plan-kills-")), time.monotonic()
    counts, faults = trial(
        place,
        runs=options.runs,
        kills=options.kills,
        seed=options.seed,
        longest_s=options.longest,
        victims=tuple(VICTIMS),
    )
    for name, count in sorted(counts.items()):
        print(f"{count:10} {name}")
    print(f"{time.monotonic() - began_s:10.0f} s\n" + "\n".join(faults))
    if not faults:
        shutil.rmtree(place)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
