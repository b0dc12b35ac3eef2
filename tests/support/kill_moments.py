"""`kill -9` at random moments: `python tests/support/kill_moments.py [--moments N] [--seed S] [COMMAND:VICTIM …]`.

`gpiorig run` and `gpiorig capture` record; at a random moment, most of them while it records, the program, its
sigrok-cli or its bench is killed. What is left has to open and to read to its end, with nothing false in it: edges as
those of a try that was not disturbed, and what is missing a gap, or visible in the state. A real-time capture then goes
on with `--resume`. No process and no temporary file may be left. Prints a table; status 1 if something did not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import json
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from leftovers import MARK, processes
from virtualbench import bench_text, build_tick

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import DESCRIPTION, Recording

PATIENCE_S = 60.0
POLL_S = 0.002
EARLY = 0.2  # of the moments, before there is a recording: to start takes longer than to record
DEMO = "demo:logic_channels=8:analog_channels=0"
DEMO_SAMPLES, DEMO_HZ = 1_000_000, 1_000_000
BENCH_SAMPLES = 48_000_000  # at 24 MHz; virtual time, and the capture is done when the host is
MORE_S = 4.0  # how much longer a resumed capture runs
PACKETS = 150
VICTIMS = ("main", "sigrok-cli", "bench")
SETTLED = ("nothing recorded", "complete", "incomplete", "interrupted")


@dataclass(frozen=True, slots=True)
class Kind:
    """A command and what is killed.

    Attributes
    ----------
    command, victim
        "run" or "capture"; one of `VICTIMS`.
    """

    command: str
    victim: str

    @property
    def serves(self) -> bool:
        """A bench of its own is served for the capture: then it is what is killed."""
        return self.command == "capture" and self.victim == "bench"

    @property
    def resumes(self) -> bool:
        """A virtual bench's time stands still meanwhile, so its recordings cannot continue."""
        return self.command == "capture" and not self.serves

    def words(self, folder: Path, driver: str) -> list[str]:
        """The command line."""
        if self.command == "run":
            return ["run", "demo", "pingpong", "--packets", str(PACKETS), "--no-report", "-o", str(folder)]
        if self.serves:
            asked = ["-d", driver, "--virtual", "--samplerate", "24MHz", "--samples", str(BENCH_SAMPLES)]
        else:
            asked = ["-d", DEMO, "--samplerate", f"{DEMO_HZ}Hz", "--samples", str(DEMO_SAMPLES)]
        return ["capture", *asked, "--json", "-o", str(folder)]


KINDS = tuple(Kind(command, victim) for command in ("run", "capture") for victim in VICTIMS)


@dataclass(frozen=True, slots=True)
class Reference:
    """A try that was not disturbed.

    Attributes
    ----------
    edges
        What it recorded.
    seconds, appears_s
        How long it took, and after how long there was a recording.
    """

    edges: Edges
    seconds: float
    appears_s: float


class Try:
    """One command in a world of its own: processes that carry a mark, and a folder for temporary files."""

    def __init__(self, kind: Kind, place: Path) -> None:
        self._kind, self.folder = kind, place / "run"
        self._temporary = place / "temporary"
        self._temporary.mkdir(parents=True)
        self._mark = str(uuid.uuid4())
        self._environment = os.environ | {MARK: self._mark, "TMPDIR": str(self._temporary)}
        self.printed = ""

    def start(self, words: Sequence[str], **options: int) -> subprocess.Popen[str]:
        """Start `gpiorig` so."""
        return subprocess.Popen(
            [sys.executable, "-m", "gpiorig.rig", *words],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **options,  # type: ignore[call-overload]
        )

    @contextlib.contextmanager
    def _served(self) -> Iterator[tuple[str, int]]:
        """The driver of a bench, and its process."""
        if not self._kind.serves:
            yield "", 0
            return
        place = self._temporary.parent
        (place / "bench.toml").write_text(bench_text())
        words = ["bench", "virtual", str(place / "bench.toml"), "--firmware", f"node={build_tick(place)}", "--json"]
        bench = self.start(words, stdin=subprocess.PIPE)
        assert bench.stdout is not None
        try:
            yield json.loads(bench.stdout.readline())["analyzers"]["la"], bench.pid
        finally:
            bench.communicate(timeout=PATIENCE_S)  # closes its standard input, which ends it

    def record(self, moment: float | None, reference: Reference | None) -> tuple[float, float, bool]:
        """Record, and kill at a moment: `EARLY` of them before there is a recording, the others from then on.

        Returns
        -------
        seconds, appears_s
            As those of a reference.
        killed
            The victim was still there.
        """
        with self._served() as (driver, bench):
            began_s = time.monotonic()
            main = self.start(self._kind.words(self.folder, driver))
            known = main.pid if self._kind.victim == "main" else bench
            killed = False
            if moment is not None and reference is not None and moment < EARLY:
                killed = self._kill(main, known, after_s=moment / EARLY * reference.appears_s)
            while not (self.folder / DESCRIPTION).exists() and main.poll() is None:
                time.sleep(POLL_S)
            appears_s = time.monotonic() - began_s
            if moment is not None and reference is not None and moment >= EARLY:
                share = (moment - EARLY) / (1 - EARLY)
                killed = self._kill(main, known, after_s=share * (reference.seconds - reference.appears_s))
            self.printed = main.communicate(timeout=PATIENCE_S)[0]
            return time.monotonic() - began_s, appears_s, killed

    def _kill(self, main: subprocess.Popen[str], known: int, *, after_s: float) -> bool:
        """Kill the victim after a while, or the next one of its kind: sigrok-cli comes and goes."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            main.wait(after_s)
        while main.poll() is None:
            victim = known or self._victim(main.pid)
            if victim:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    return True
            time.sleep(POLL_S)
        return False

    def _victim(self, main: int) -> int:
        """The process to be killed, among the children of the main process; 0 when there is none."""
        wanted = {"sigrok-cli": b"sigrok-cli", "bench": b"bench\0virtual"}[self._kind.victim]
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{main}/task").iterdir():
                for child in (task / "children").read_text().split():
                    if wanted in Path(f"/proc/{child}/cmdline").read_bytes():
                        return int(child)
        return 0

    def resume(self) -> str:
        """Continue with what is left, for a second, and the command's output."""
        recording = Recording.open(self.folder)
        words = ["capture", "--resume", "-o", str(self.folder), "--duration", f"{self._age_s(recording) + MORE_S:.3f}s"]
        main = self.start(words)
        self.printed = main.communicate(timeout=PATIENCE_S)[0]
        return "" if main.returncode in (0, 1) else f"--resume ends with status {main.returncode}: {self.printed}"

    @staticmethod
    def _age_s(recording: Recording) -> float:
        import datetime

        began = datetime.datetime.fromisoformat(recording.info.epoch.wall)
        return (datetime.datetime.now(datetime.UTC) - began).total_seconds()

    def leftovers(self) -> list[str]:
        """Processes and temporary files that are left, a line each; the processes are ended."""
        return left_behind(self._mark, self._temporary)


def left_behind(mark: str, temporary: Path) -> list[str]:
    """Processes that carry a mark, and temporary files, a line each; the processes are ended."""
    end_s = time.monotonic() + PATIENCE_S / 6
    while (left := processes(mark)) and time.monotonic() < end_s:
        time.sleep(0.02)
    for number in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return [
        *(f"process {number} is left: {command}" for number, command in left.items()),
        *(f"temporary file or folder {path.name} is left" for path in temporary.iterdir()),
    ]


def state_of(folder: Path) -> str:
    """What is left: one of `SETTLED`."""
    if not (folder / DESCRIPTION).exists():
        left = [path.name for path in folder.iterdir()] if folder.exists() else []
        return "nothing recorded" if set(left) <= {"recording.new"} else f"a folder with {', '.join(left)}"
    return Recording.open(folder).state


def false_in(recording: Recording, reference: Edges) -> list[str]:
    """What is not right in a recording, as far as the reference goes."""
    state, edges = recording.state, recording.edges()
    problems = []
    first_gap = int(edges.gaps[0, 0]) if len(edges.gaps) else edges.end
    known = min(first_gap, reference.end)
    before, others = edges.samples < known, reference.samples < known
    if not (
        np.array_equal(edges.samples[before], reference.samples[others])
        and np.array_equal(edges.levels[before], reference.levels[others])
    ):
        problems.append(f"the edges before sample {known} are not those of an undisturbed try")
    if state == "complete" and (len(edges.gaps) or edges.end < reference.end):
        problems.append(f"complete, but it ends at sample {edges.end} of {reference.end}, with {len(edges.gaps)} gaps")
    if state == "incomplete" and not recording.info.reason:
        problems.append("incomplete without a reason")
    is_capture = not recording.info.experiment  # a run ends when its packets are through
    ends_in_gap = len(edges.gaps) and int(edges.gaps[-1, 1]) == edges.end
    if state == "incomplete" and is_capture and edges.samples.size and edges.end < reference.end and not ends_in_gap:
        problems.append(f"incomplete, and no gap from sample {edges.end} on, of {reference.end}")
    expected = (
        () if state == "complete" else ("the recording is", "cut short", "not closed in order", "the port was gone")
    )
    problems += [problem for problem in recording.verify() if not any(words in problem for words in expected)]
    return problems


def one_try(kind: Kind, moment: float, reference: Reference, place: Path) -> tuple[Counter[str], list[str]]:
    """Kill once; returns what happened, by name, and what did not hold."""
    attempt, counts = Try(kind, place), Counter[str]()
    killed = attempt.record(moment, reference)[2]
    counts["killed" if killed else "too late"] += 1
    faults = attempt.leftovers()
    try:
        state = state_of(attempt.folder)
        counts[state] += 1
        if state not in SETTLED:
            return counts, [*faults, state]
        if state == "nothing recorded":
            return counts, faults
        before = Recording.open(attempt.folder)
        faults += false_in(before, reference.edges)
        if not killed and state != "complete":
            faults.append(f"not disturbed, and {state}: {attempt.printed}")
        if kind.resumes and state != "complete":
            edges = before.edges()
            problem = attempt.resume()
            after = Recording.open(attempt.folder)
            counts["resumed"] += not problem
            faults += [*([problem] if problem else []), *attempt.leftovers(), *false_in(after, reference.edges)]
            if edges.samples.size and not np.isin(edges.samples, after.edges().samples).all():
                faults.append("what was recorded before --resume is not there any more")
            if not problem and after.state not in ("complete", "incomplete"):
                faults.append(f"resumed, and {after.state}")
    except (CaptureError, OSError, ValueError) as error:
        faults.append(f"{type(error).__name__}: {error}")
    return counts, faults


def undisturbed(kind: Kind, place: Path, *, times: int) -> Reference:
    """The same without a kill; the last of some times counts, since the first start reads programs from the disk."""
    for number in range(times):
        attempt = Try(kind, place / str(number))
        seconds, appears_s, _ = attempt.record(None, None)
        left = attempt.leftovers()
        recording = Recording.open(attempt.folder)
        if left or recording.state != "complete":
            raise SystemExit(f"{kind.command} does not work undisturbed: {recording.state}, {left}: {attempt.printed}")
    return Reference(recording.edges(), seconds, appears_s)


def trial(kind: Kind, moments: int, seed: int, place: Path, *, reference: Reference) -> tuple[Counter[str], list[str]]:
    """Kill at the given number of moments; returns the counts and what did not hold, a line each."""
    draw = random.Random(f"{seed} {kind.command} {kind.victim}")
    counts, faults = Counter[str](), []
    for number in range(moments):
        moment, folder = (number + draw.random()) / moments, place / str(number)  # one in each interval of its life
        state, wrong = one_try(kind, moment, reference, folder)
        counts += state
        faults += [f"{kind.command}:{kind.victim} moment {moment:.4f} ({folder}): {line}" for line in wrong]
        if not wrong:
            shutil.rmtree(folder)
    return counts, faults


COLUMNS = ("killed", "too late", *SETTLED, "resumed")


def main() -> int:
    """All kinds, or those that are named; prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="COMMAND:VICTIM", help="such as run:main; default: all")
    parser.add_argument("--moments", type=int, default=5, metavar="N", help="of each kind (5)")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    chosen = [kind for kind in KINDS if not options.kinds or f"{kind.command}:{kind.victim}" in options.kinds]
    place = Path(tempfile.mkdtemp(prefix="kill-moments-"))
    faults: list[str] = []
    print(f"{'':20} " + " ".join(f"{name:>16}" for name in (*COLUMNS, "faults")))
    for kind in chosen:
        folder = place / f"{kind.command}-{kind.victim}"
        reference = undisturbed(kind, folder / "undisturbed", times=2)
        counts, wrong = trial(kind, options.moments, options.seed, folder, reference=reference)
        row = " ".join(f"{count:16}" for count in (*(counts[name] for name in COLUMNS), len(wrong)))
        print(f"{f'{kind.command}: {kind.victim}':20} {row}", flush=True)
        faults += wrong
    print("\n".join(faults))
    if not faults:
        shutil.rmtree(place)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
