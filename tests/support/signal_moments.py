"""Signals at random moments of every verb: `python tests/support/signal_moments.py [VERB …] [--signals N] [--seed S]`.

A command receives Ctrl-C, SIGTERM or SIGHUP (the command, or as from a terminal its process group), or the reader of
its output goes; each signal at its moment in a stage of the life of the command. It has to end, with a status for
it, and without a traceback; no process may be left, no temporary file, and no file that is written in half. Prints a
table; status 1 if something did not hold.
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
import tomllib
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from kill_moments import DEMO, SETTLED, left_behind, state_of
from leftovers import MARK
from payloadstudy import study_text
from plan_kills import NEVER, PLAN

from gpiorig.capture.recording.recording import DESCRIPTION

PATIENCE_S = 60.0  # for the end of a command that received a signal
PROMPT_S = 2.0  # what users of an interrupted command are promised
POLL_S = 0.002
PIPE = signal.SIGPIPE  # stands for a reader of the output that goes
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, PIPE)
# The stages of a command, and how long after the beginning of one a signal comes at most.
STAGES = {"start-up": 0.25, "working": 0.3, "recording": 1.0, "drawing": 1.0, "writing": 0.2}
COMPLAINTS = ("Traceback", "Exception ignored", "fault of gpiorig", "Fatal Python error")


@dataclass(frozen=True, slots=True)
class Verb:
    """A command whose life is interrupted.

    Attributes
    ----------
    words
        Its command line; RUN is a recording, PLACE a folder of the try.
    stages
        Of `STAGES`, those that it has.
    prints
        It prints enough to notice that its reader has gone.
    serves
        It ends when it is interrupted only, and is done then.
    """

    words: str
    stages: tuple[str, ...] = ("start-up", "working")
    prints: bool = False
    serves: bool = False


RUNNING = ("start-up", "recording", "working")
WRITING = ("start-up", "working", "writing")
QUERY = "select sum(a.value*b.value) from quantities a, quantities b, quantities c, quantities d, quantities e"
CAPTURE = f"capture -d {DEMO} --samplerate 1MHz --samples 100000000 -o PLACE/new"
VERBS = {
    "report": Verb("report RUN -o PLACE/report", ("start-up", "working", "drawing", "writing")),
    "demo": Verb("demo --packets 60 -o PLACE/new", (*RUNNING, "drawing", "writing")),
    "run": Verb("run demo pingpong --packets 60000 --no-report -o PLACE/new", RUNNING),
    "capture": Verb(CAPTURE, RUNNING, serves=True),
    "capture bench": Verb("capture --bench demo -o PLACE/new", RUNNING, serves=True),
    "export sr": Verb("export RUN -o PLACE/run.sr", WRITING),
    "export vcd": Verb("export RUN -o PLACE/run.vcd", WRITING),
    "export trace": Verb("export RUN -o PLACE/trace.pftrace", WRITING),
    "import": Verb("import RUN/../run.sr -o PLACE/new", WRITING),
    "packets": Verb("packets RUN --json", prints=True),
    "measure": Verb("measure RUN --period tap.irq --per node --json", prints=True),
    "clocks": Verb("clocks RUN --json", prints=True),
    "compare": Verb("compare RUN RUN", prints=True),
    "decode": Verb("decode RUN -P uart:rx=initiator.uart_tx", prints=True),
    "serial": Verb("serial RUN --pins", prints=True),
    "info": Verb("info RUN --json", prints=True),
    "report --reproduce": Verb("report RUN --reproduce"),
    "view --follow": Verb("view RUN --follow --json"),
    "store add": Verb("store add RUN -s PLACE/store", WRITING),
    "store query": Verb(f"store query -s RUN/../store {QUERY.replace(' ', '|')}"),
    "batch": Verb("batch RUN -o PLACE/results --workers 2 --fresh", WRITING),
    "plan": Verb("study run PLACE/plan.toml", RUNNING),
    "study": Verb("study run RUN/../study.toml -o PLACE/study --workers 2", RUNNING),
    "bench verify": Verb("bench verify demo -o PLACE/certificate.json", RUNNING),
    "bench virtual": Verb("bench virtual demo", serves=True),
    "bench scan": Verb("bench scan --json"),
    "view": Verb("view RUN", serves=True),
    "doctor": Verb("doctor --json", prints=True),
    "firmware check": Verb("firmware check iotlab-m3 --os reference --json", prints=True),
    "decode --install": Verb("decode --install", WRITING),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a signal.

    Attributes
    ----------
    stage
        In which it came; "over": the command had ended.
    seconds
        From the signal to the end of the command.
    faults
        What did not hold, a line each.
    """

    stage: str
    seconds: float
    faults: tuple[str, ...]


class Command:
    """A command in a world of its own: processes that carry a mark, a home, a folder for temporary files."""

    def __init__(self, verb: Verb, recording: Path, place: Path) -> None:
        self._verb, self._place = verb, place
        self._temporary, home = place / "temporary", place / "home"
        self._temporary.mkdir(parents=True)
        home.mkdir()
        (place / "plan.toml").write_text(PLAN.format(runs=3, packets=400, never=NEVER))
        self._before = set(place.rglob("*"))
        self._is_python = self._has_worked = False
        self._mark = str(uuid.uuid4())
        environment = os.environ | {MARK: self._mark, "TMPDIR": str(self._temporary), "HOME": str(home)}
        environment["MPLCONFIGDIR"] = str(recording.parent / "matplotlib")
        words = [
            word.replace("RUN", str(recording)).replace("PLACE", str(place)).replace("|", " ")
            for word in verb.words.split()
        ]
        reader, writer = os.pipe()
        self._stderr = (place / "stderr.txt").open("wb+")
        self._process = subprocess.Popen(
            ["env", "--default-signal=INT,HUP", sys.executable, "-m", "gpiorig.rig", *words],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=self._stderr,
            env=environment,
            start_new_session=True,
        )
        os.close(writer)
        self._reader = os.fdopen(reader, "rb", buffering=0)
        os.set_blocking(reader, False)

    def stage(self) -> str:
        """One of `STAGES`; "python" and "ending": Python starts, and ends; "over"."""
        if self._process.poll() is not None:
            return "over"
        with contextlib.suppress(OSError):
            children = self._children()
            if any(b"sigrok-cli" in child or b"bench\0virtual" in child or b"\0run\0" in child for child in children):
                return "recording"
            if any(b"gpiorig.rig\0" in child for child in children):
                return "drawing"
            if not self._catches(signal.SIGTERM):
                begun = "start-up" if self._has_begun() else "python"
                return "ending" if self._has_worked else begun
            self._has_worked = True
            return "writing" if self._has_written() else "working"
        return "over"

    def _has_begun(self) -> bool:
        """Whether our first line was run: Python takes Ctrl-C when it starts, and that line gives it back."""
        is_caught = self._catches(signal.SIGINT)
        self._is_python |= is_caught
        return self._is_python and not is_caught

    def _catches(self, number: signal.Signals) -> bool:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) >> (number - 1) & 1)

    def _children(self) -> list[bytes]:
        """Command lines of all that descend from it."""
        numbers, lines = [self._process.pid], []
        for number in numbers:
            with contextlib.suppress(OSError):  # it has ended
                for task in Path(f"/proc/{number}/task").iterdir():
                    numbers += [int(child) for child in (task / "children").read_text().split()]
                lines.append(Path(f"/proc/{number}/cmdline").read_bytes())
        return lines[1:]

    def _has_written(self) -> bool:
        new = (path for path in self._place.rglob("*") if path not in self._before)
        return any(path.name != "stderr.txt" and self._temporary not in path.parents for path in new)

    def await_stage(self, stage: str) -> None:
        """Wait until it is in a stage, or is over."""
        while self.stage() not in (stage, "over"):
            self._drain()
            time.sleep(POLL_S)

    def run_for(self, seconds: float) -> bool:
        """Let it work, and read what it prints; whether it still works."""
        end_s = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < end_s:
            self._drain()
            time.sleep(POLL_S)
        return self._process.poll() is None

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError, ValueError):
            self._reader.read(1 << 16)

    def interrupt(self, number: signal.Signals, *, group: bool) -> Outcome:
        """Send a signal, and wait for the end."""
        stage = self.stage()
        began_s = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            if number == PIPE:
                self._reader.close()
            elif group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)
        hangs = self.run_for(PATIENCE_S)
        seconds = time.monotonic() - began_s
        faults = [f"not over after {PATIENCE_S:g} s"] if hangs else []
        faults += self._faults(number, stage)
        return Outcome(stage, seconds, tuple(faults))

    def _faults(self, number: signal.Signals, stage: str) -> list[str]:
        with contextlib.suppress(OSError):
            self._reader.close()
        faults: list[str] = left_behind(self._mark, self._temporary)
        status = self._process.wait()
        self._stderr.seek(0)
        text = self._stderr.read().decode(errors="replace")
        self._stderr.close()
        if any(words in text for words in COMPLAINTS):
            faults.append(f"it prints {text[-1500:]}")
        may_be_done = stage != "start-up" or number == PIPE
        if status not in (128 + number, -number) and not (may_be_done and status in (0, 1)):
            faults.append(f"status {status}: {text[-500:]}")
        return faults + [fault for path in sorted(self._place.rglob("*")) if (fault := half_written(path))]


def half_written(path: Path) -> str:
    """What is wrong with a file that is left; empty if it is complete, or is one that may grow."""
    try:
        match path.suffix:
            case _ if path.is_dir() or path.name in ("stderr.txt", "plan.toml"):
                return ""
            case ".new" | ".tmp" | ".part":
                return f"{path} is left"
            case ".json":
                json.loads(path.read_bytes())
            case ".toml":
                tomllib.loads(path.read_text())
            case ".html" if not path.read_text().rstrip().endswith("</html>"):
                return f"{path} is cut short"
            case ".parquet":
                pq.read_metadata(path)
            case _:
                pass
        if path.name == DESCRIPTION and (state := state_of(path.parent)) not in SETTLED:
            return f"{path}: {state}"
    except Exception as error:  # whatever a reader of a damaged file finds
        return f"{path}: {type(error).__name__}: {error}"
    return ""


def one_signal(
    verb: Verb, number: signal.Signals, recording: Path, place: Path, *, stage: str, after_s: float, group: bool = False
) -> Outcome:
    """Start a command, and interrupt it a time after the beginning of a stage."""
    command = Command(verb, recording, place)
    command.await_stage(stage)
    command.run_for(after_s)
    return command.interrupt(number, group=group)


def prepare(recording: Path, *, names: Sequence[str]) -> None:
    """Make what the verbs read next to the recording: a store, a capture, a study."""
    folder = recording.parent
    (folder / "study.toml").write_text(study_text(experiment="packets = 60", show='kind = "line"\nx = "payload"'))
    if "store query" in names:
        _gpiorig("store", "add", str(recording), "-s", str(folder / "store"))
    if "import" in names:
        _gpiorig("export", str(recording), "-o", str(folder / "run.sr"), "--force")


def _gpiorig(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "gpiorig.rig", *words], check=True, capture_output=True)


def main() -> int:
    """All verbs, or those that are named; prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verbs", nargs="*", metavar="VERB", help="such as report; default: all")
    parser.add_argument("--signals", type=int, default=200, metavar="N", help="in all (200)")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="signal-moments-"))
    recording = place / "recorded" / "run"
    names: list[str] = options.verbs or list(VERBS)
    _gpiorig("demo", "--packets", "300", "-o", str(recording))
    prepare(recording, names=names)
    faults = table(names, options.signals, options.seed, recording, place)
    print("\n".join(faults))
    if not faults:
        shutil.rmtree(place)
    return 1 if faults else 0


def table(names: Sequence[str], signals: int, seed: int, recording: Path, place: Path) -> list[str]:
    """Send the signals, print a row for each verb and stage; what did not hold, a line each."""
    draw = random.Random(seed)
    moments = [(name, stage) for name in names for stage in VERBS[name].stages]
    rows: dict[tuple[str, str, str], list[Outcome]] = defaultdict(list)
    faults: list[str] = []
    for count in range(signals):
        name, stage = moments[count % len(moments)]
        numbers = SIGNALS if VERBS[name].prints else SIGNALS[:3]
        number = numbers[(count // len(moments) + moments.index((name, stage))) % len(numbers)]
        folder = place / str(count)
        after_s, group = draw.uniform(0, STAGES[stage]), draw.random() < 0.5
        outcome = one_signal(VERBS[name], number, recording, folder, stage=stage, after_s=after_s, group=group)
        rows[name, outcome.stage, number.name].append(outcome)
        faults += [f"{name}, {outcome.stage}, {number.name} ({folder}): {fault}" for fault in outcome.faults]
        print(
            f"{name:16} {outcome.stage:10} {number.name:8} {outcome.seconds:6.2f} s {len(outcome.faults)}", flush=True
        )
        if not outcome.faults:
            shutil.rmtree(folder)
    print(f"\n{'verb':16} {'stage':10} {'signals':28} {'number':>6} {'longest':>9} {'faults':>6}")
    for name in names:
        for stage in ("python", *STAGES, "ending", "over"):
            outcomes = [(key[2], it) for key, listed in rows.items() if key[:2] == (name, stage) for it in listed]
            if outcomes:
                longest = max(outcome.seconds for _, outcome in outcomes)
                wrong = sum(bool(outcome.faults) for _, outcome in outcomes)
                sent = " ".join(sorted({number.removeprefix("SIG") for number, _ in outcomes}))
                print(f"{name:16} {stage:10} {sent:28} {len(outcomes):6} {longest:7.2f} s {wrong:6}")
    late = [it for listed in rows.values() for it in listed if it.seconds > PROMPT_S]
    print(f"{signals} signals, {len(late)} ends after more than {PROMPT_S:g} s, {len(faults)} faults")
    return faults


if __name__ == "__main__":
    sys.exit(main())
