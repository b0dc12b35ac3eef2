"""Plans of jobs on benches, with a program in the place of `gpiorig run` that follows a script."""

from __future__ import annotations

import datetime
import errno
import json
import os
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commandline import Finished, gpiorig
from patience import wait_until
from payloadstudy import study_text

from gpiorig.analysis.quantities import values
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig import resources
from gpiorig.studies.plans import attempt, ends, journal, plan, plan_file, remote
from gpiorig.studies.plans.disk import Limits
from gpiorig.studies.plans.folders import DIGITS
from gpiorig.studies.plans.journal import Journal, Record
from gpiorig.studies.plans.lane import Lane
from gpiorig.studies.plans.pending import pending
from gpiorig.studies.plans.session import Options, Session
from gpiorig.studies.plans.state import State
from gpiorig.studies.points import analysed
from gpiorig.studies.points.analysed import Numbers
from gpiorig.studies.points.points import Conditions

PLAN = """
output = "out"
{top}
[benches.desk]
file = "demo"
{bench}
[[job]]
name = "pp"
bench = "desk"
experiment = "pingpong"
repeats = {repeats}
[watchdog]
pause = "0s"
{watchdog}
[disk]
keep_free = "1MB"
{disk}
"""
# The first line of the script is what this run does; it is deleted, and without one the run becomes complete.
PROGRAM = """
import json, os, pathlib, shutil, sys, time
here = pathlib.Path(__file__).parent
script = here / "script"
lines = script.read_text().splitlines() if script.exists() else []
script.write_text("".join(line + "\\n" for line in lines[1:]))
does = (lines or ["complete"])[0].split()
output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
shutil.copytree(here / ("incomplete" if does[0] == "incomplete" else "complete"), output)
if does[0] == "hangs":
    time.sleep(60)
if does[0] == "unchecked":
    (output / "unchecked").touch()
if does[0] == "killed":
    os.kill(os.getpid(), 9)
if does[0] == "fails":
    kind, node, text = does[1], does[2], " ".join(does[3:])
    (output / "recording.toml").unlink()
    print(json.dumps({"error": {"kind": kind, "node": node, "text": text}}))
    sys.exit(2)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program, and the recordings that it makes."""
    for state in ("complete", "incomplete"):
        info = RecordingInfo(
            samplerate="1000000/1", channels=("a",), epoch=Epoch(wall="2026-01-01T00:00:00Z", note=""), virtual=True
        )
        Recording.create(tmp_path / state, info).finish(problems=["a test made it"] if state == "incomplete" else [])
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.setattr(ends, "GPIORIG", (sys.executable, "-S", str(tmp_path / "program.py")))
    monkeypatch.setattr(analysed, "numbers", numbers)
    return tmp_path


def numbers(recording: Recording, names: Iterable[str], asserted: Sequence[str], warmup: object) -> Numbers:
    """In place of `analysed.numbers`: a check that fails where the script states so."""
    checks = ("A check.",) if (recording.folder / "unchecked").exists() else ()
    return Numbers(values._part_schema().schema.empty_table(), checks, {}, dict.fromkeys(names, ""), None)


def digests(place: Path) -> list[str]:
    """The digests of the points of `pp`, in the order of their repeats."""
    sought = plan.load([place / "plan.toml"], Conditions(), Path()).sought[0]
    return [point.digest for point in sought.points(range(sought.conditions.repeats * sought.conditions.passes))]


def recording_of(place: Path, number: int = 0) -> Path:
    """The folder of the recording of a point."""
    return place / "out" / "points" / digests(place)[number] / "recording"


def leftover(record: Record, attempt_number: int) -> str:
    """Where what is left of an attempt is."""
    return f"kept/{record.point[:DIGITS]}-attempt-{attempt_number}"


def runs(records: Iterable[Record], event: str) -> list[str]:
    """The study and the number of the points of an event, such as ``pp 1``."""
    return [f"{record.study} {record.repeat + 1}" for record in records if record.event == event]


def run_plan(
    place: Path, *words: str, script: str = "", repeats: int = 2, **parts: str
) -> tuple[Finished, list[Record]]:
    """Run a plan with a script; its end, and its journal."""
    (place / "script").write_text(script)
    known = {"top": "", "bench": "", "watchdog": "", "disk": ""}
    (place / "plan.toml").write_text(PLAN.format(repeats=repeats, **known | parts))
    done = gpiorig("study", "run", place / "plan.toml", *words)
    return done, list(journal.read(place / "out").records)


def events(records: list[Record]) -> list[str]:
    """What happened, without start and end of the plan."""
    return [record.event for record in records if not record.event.startswith("plan")]


def test_runs_in_order_and_nothing_twice(place: Path) -> None:
    """All runs are complete, each in its folder; called again, nothing is left to do; the status has it all."""
    done, records = run_plan(place)
    again, records_then = run_plan(place)
    status = gpiorig("study", "status", place / "out", "--json")

    assert (0, 0) == (done.status, again.status), done.stderr
    assert ["started", "complete"] * 2 == events(records) == events(records_then)
    folders = [f"points/{digest}/recording" for digest in digests(place)]
    assert folders == [record.folder for record in records if record.event == "complete"]
    assert {"pp": {"complete": 2}} == status.numbers["studies"]
    assert "pp: 2 complete" in gpiorig("study", "status", place / "out").stdout
    lines = gpiorig("study", "status", place / "out", "--follow", "--json").stdout.splitlines()
    assert [record.event for record in records_then] == [json.loads(line)["event"] for line in lines]


def test_a_failure_is_kept_named_and_tried_again(place: Path) -> None:
    """The board's node is named, the recording is moved, the hook runs with the node, and the next attempt counts."""
    hook = f'power_cycle = ["{sys.executable}", "-S", "-c", "print(\'off and on {{node}} {{cause}}\')"]'
    done, records = run_plan(
        place, script="fails SerialPortError responder silent\nincomplete\n", repeats=1, bench=hook
    )
    first, second = (record for record in records if record.event == "failed")
    hooked = next(record for record in records if record.event == "power cycle")

    assert 0 == done.status, done.stderr
    assert ("board", "responder", "silent", leftover(first, 1)) == (first.cause, first.node, first.text, first.folder)
    assert ("analyzer", "incomplete", leftover(first, 2)) == (second.cause, second.state, second.folder)
    assert "status 0: off and on responder board" == hooked.text
    assert "incomplete" == Recording.open(place / "out" / second.folder).state
    assert "complete" == Recording.open(recording_of(place)).state


def test_texts_of_failures_and_hooks(place: Path) -> None:
    """What is given up states why its last attempt failed; a terminal gets one line for each event."""
    hook = f'power_cycle = ["{sys.executable}", "-S", "-c", "print(\'off\\\\non\')"]'
    script = "fails AnalyzerError - gone\nfails SerialPortError responder silent\n"
    done, records = run_plan(place, script=script, repeats=1, bench=hook, watchdog="retries = 1")
    given_up = next(record for record in records if record.event == "given up")

    assert "2 attempts failed, the last: board: silent" == given_up.text
    assert f"{given_up.point[:8]}: {given_up.text}" in gpiorig("study", "status", place / "out").stdout
    assert len(records) + 2 == len(done.stdout.splitlines()), done.stdout  # its points, and why one failed
    assert "status 0: off on" in done.stdout


def test_a_check_that_fails(place: Path) -> None:
    """A complete recording whose checks do not hold is a failure, and kept; the last one stays, with its numbers."""
    done, records = run_plan(place, script="unchecked\nunchecked\n", repeats=1, watchdog="retries = 1")
    first, second = (record for record in records if record.event == "failed")
    where = [f"points/{first.point}/recording", leftover(first, 1)]

    assert (1, ["check", "check"]) == (done.status, [first.cause, second.cause])
    assert [(where[1], "complete"), (where[0], "complete")] == [(one.folder, one.state) for one in (first, second)]
    assert "failed: A check." in done.stdout

    again, records = run_plan(place, "--retry", repeats=1)
    assert (0, "complete") == (again.status, records[-2].event)
    assert {leftover(first, 1), leftover(first, 2)} == {f"kept/{path.name}" for path in (place / "out/kept").iterdir()}


def test_a_check_that_does_not_count(place: Path) -> None:
    """With `checks = false` a point is complete, whatever its checks state."""
    path = _written(place, "unchecked\n")
    path.write_text(path.read_text().replace("repeats = 1", "repeats = 1\nchecks = false"))
    done = gpiorig("study", "run", path)
    assert (0, True) == (done.status, "pp: 1 point: 1 done" in done.stdout)


def test_bad_input_is_tried_once(place: Path) -> None:
    """A file that cannot be used will not be usable the next time; the next run follows."""
    done, records = run_plan(place, script="fails BenchError - no such node\n")

    assert 1 == done.status
    assert ["started", "failed", "given up", "started", "complete"] == events(records)
    assert ["no such node"] == [record.text for record in records if record.event == "given up"]


def test_quarantine_and_release(place: Path) -> None:
    """After failures in a row no run starts on the bench, each is a record; --retry releases it."""
    watchdog = "retries = 1\nquarantine_after = 3"
    done, records = run_plan(place, script="fails AnalyzerError - gone\n" * 3, repeats=3, watchdog=watchdog)
    again, records_then = run_plan(place, "--retry", repeats=3, watchdog=watchdog)

    assert (1, 0) == (done.status, again.status)
    # The first run has both attempts, the second one; then the bench is in quarantine.
    assert (3, 1, 1, 2) == tuple(map(events(records).count, ("failed", "quarantined", "given up", "skipped")))
    assert ["pp 1", "pp 2", "pp 3"] == runs(records_then, "complete")


@pytest.mark.slow
def test_quarantine_of_a_node(place: Path) -> None:
    """Failures are counted for the node that is named, until a run is complete; its bench is out, another continues."""
    (place / "demo2.toml").write_text(resources.benches()["demo"].read_text())
    top = '[benches.other]\nfile = "demo2.toml"\n[[job]]\nname = "oo"\nbench = "other"\nexperiment = "pingpong"\n'
    failure = "fails SerialPortError {} silent\n"
    once = "".join(map(failure.format, ("one", "two", "one", "two")))
    watchdog = "retries = 9\nquarantine_after = 3"
    (place / "script").write_text(f"{once}complete\n{once}{failure.format('two')}")
    text = PLAN.format(repeats=3, top="", bench="", watchdog=watchdog, disk="") + top
    (place / "plan.toml").write_text(text)
    done = gpiorig("study", "run", place / "plan.toml")
    records = list(journal.read(place / "out").records)
    status = gpiorig("study", "status", place / "out")

    assert 1 == done.status
    assert [("desk", "two", "board")] == [
        (record.bench, record.node, record.cause) for record in records if record.event == "quarantined"
    ]
    assert ["pp 1", "oo 1"] == runs(records, "complete")
    assert ["pp 2", "pp 3"] == runs(records, "skipped")
    assert "quarantine: desk/two: 3 failures in a row, the last: silent" in status.stdout


def test_other_benches_go_on(place: Path) -> None:
    """Lanes run in parallel, and one that is in quarantine does not stop the others."""
    (place / "demo2.toml").write_text(resources.benches()["demo"].read_text())
    top = '[benches.other]\nfile = "demo2.toml"\n[[job]]\nname = "oo"\nbench = "other"\nexperiment = "pingpong"\n'
    (place / "script").write_text("")
    text = PLAN.format(repeats=1, top='order = "by bench"', bench="", watchdog="", disk="") + top
    (place / "plan.toml").write_text(text)
    done = gpiorig("study", "run", place / "plan.toml", "--json")

    assert 0 == done.status, done.stderr
    assert {"pp 1", "oo 1"} == {*runs(journal.read(place / "out").records, "complete")}
    assert {("pp", "done"), ("oo", "done")} == {(row["study"], row["state"]) for row in done.numbers["points"]}


@pytest.mark.parametrize(
    ("does", "watchdog", "cause"),
    [("hangs", 'silence = "500ms"', "silent"), ("hangs", 'timeout = "1s"', "timeout"), ("killed", "", "program")],
)
def test_what_hangs_is_ended(place: Path, does: str, watchdog: str, cause: str) -> None:
    """Without a change of its folder, without an end, and killed: it is the same run that is tried again."""
    patient = f"{watchdog}\nretries = 50\nquarantine_after = 50"  # a busy host may take as long
    done, records = run_plan(place, script=f"{does}\n", repeats=1, watchdog=patient)

    assert 0 == done.status
    assert {cause} == {record.cause for record in records if record.event == "failed"}
    assert ["started", "complete"] == events(records)[-2:]


def test_a_quota_ends_the_plan(place: Path) -> None:
    """No run starts without room for one as large as the last; why is the end of the journal, and a time is waited."""
    (place / "complete" / "large").write_bytes(bytes(1_000_000))
    done, records = run_plan(place, disk='quota = "2500kB"\nwait = "100ms"')

    assert 1 == done.status
    assert ["started", "complete", "disk low"] == events(records)
    assert "disk.quota" in records[-1].text

    shutil.rmtree(recording_of(place))  # moved away: it is not made again
    again, records = run_plan(place, disk='quota = "2500kB"')
    assert (0, "gap") == (again.status, records[len(records) - 5].event)
    assert ["pp 1", "pp 2"] == runs(records, "complete")


def test_a_disk_without_room_ends_the_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is recorded while the disk gets full is ended in order; the plan waits, and tries it again."""
    low = iter([True])
    path = _written(place, "")
    recording = recording_of(place) / "recording.toml"
    assert path.exists()
    monkeypatch.setattr(Limits, "is_low", lambda self: recording.exists() and next(low, False))
    done, records = run_plan(place, script="hangs\n", repeats=1)

    assert 0 == done.status
    assert ["disk"] == [record.cause for record in records if record.event == "failed"]
    assert [0] == [progress.failures for progress in State.of(records).points.values()]


def test_a_full_disk_is_waited_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that failed by it is not started again without room for what it had and more."""
    free = shutil.disk_usage(place).free
    usages = [free, free, *[800_000] * 4]
    monkeypatch.setattr(
        "gpiorig.studies.plans.disk.shutil.disk_usage",
        lambda folder: SimpleNamespace(free=usages.pop(0) if len(usages) > 1 else usages[0]),
    )
    monkeypatch.setattr(Limits, "is_low", lambda self: False)
    script = "fails RecordingError - cannot record: No space left on device\n" * 3
    done, records = run_plan(place, script=script, repeats=1, disk='wait = "100ms"')

    assert 1 == done.status
    assert ["started", "failed", "started", "failed", "disk low"] == events(records)
    assert "the disk has no room" in records[-1].text


def test_a_program_that_cannot_print_why_it_failed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk no words are left of it: it is the disk, which is not counted for the run."""
    monkeypatch.setattr(Limits, "is_full", lambda self: True)
    done, records = run_plan(place, script="killed\n", repeats=1, watchdog="retries = 0")

    assert 0 == done.status
    assert ["disk"] == [record.cause for record in records if record.event == "failed"]


def test_passes_until_a_date(place: Path) -> None:
    """Passes are counted through, and none starts after the date."""
    done, records = run_plan(place, repeats=1, top="[repeat]\ncount = 3")
    assert ["pp 1", "pp 2", "pp 3"] == runs(records, "complete")

    late, records_late = run_plan(place, repeats=9, top="[repeat]\nuntil = 2020-01-01T00:00:00Z")
    assert (0, 0) == (done.status, late.status)
    assert 3 == events(records_late).count("complete")


@pytest.mark.slow
def test_passes_as_long_as_there_is_time(place: Path) -> None:
    """Without a number of passes, another one begins until the date; the next call knows how many there were."""
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=4)
    done, records = run_plan(place, repeats=1, top=f"[repeat]\nuntil = {until.isoformat()}")
    complete = [record.repeat for record in records if record.event == "complete"]
    assert (0, [*range(len(complete))]) == (done.status, complete), done.stderr
    assert len(complete) > 1

    report = gpiorig("study", "report", "-o", place / "out", "--json").numbers
    assert {*range(len(complete))} <= {row["repeat"] for row in report["points"] if row["state"] == "done"}


def test_a_study_on_boards(place: Path) -> None:
    """Its points are recorded by the same means, with a bench file of the nodes that it asks for."""
    lines = "{{ strobe = 'D{}', d0 = 'D{}', d1 = 'D{}' }}"
    node = '[nodes.{}]\nboard = "iotlab-m3"\nserial = "/dev/ttyNONE{}"\nlines = {}\n'
    names = enumerate(("initiator", "responder", "third"))
    nodes = "".join(node.format(name, at, lines.format(*range(3 * at, 3 * at + 3))) for at, name in names)
    analyzer = '[analyzers.la]\ndriver = "fx2lafw"\nsamplerate_hz = 24_000_000\n'
    (place / "bench.toml").write_text(f'name = "boards"\n{analyzer}{nodes}')
    study = study_text(experiment="packets = 10", show='kind = "table"')
    (place / "s.toml").write_text(study.replace('template = "iotlab-m3"', 'template = "iotlab-m3"\nlines = ["bus"]'))
    (place / "script").write_text("fails SerialPortError responder silent\n")
    done = gpiorig("study", "run", place / "s.toml", "--bench", place / "bench.toml", "-o", place / "out")
    records = list(journal.read(place / "out").records)

    assert 0 == done.status, done.stdout + done.stderr
    assert {"complete": 4, "failed": 1} == {event: events(records).count(event) for event in ("complete", "failed")}
    assert {"boards"} == {record.bench for record in records if record.event == "started"}
    written = place / "out/points" / records[-2].point
    assert ["initiator", "responder"] == [*tomllib.loads((written / "bench.toml").read_text())["nodes"]]
    assert {20, 60} == {
        tomllib.loads(path.read_text())["settings"]["payload"] for path in place.glob("out/points/*/experiment.toml")
    }


def test_a_stop_at_the_first_failure(place: Path) -> None:
    """`--stop-on-failure` holds on benches, too: at the end of a point, not of its first attempt."""
    done, records = run_plan(place, "--stop-on-failure", script="unchecked\n" * 2, watchdog="retries = 1", repeats=3)
    assert 1 == done.status
    assert ["started", "failed", "started", "failed"] == events(records)
    assert "pp: 3 points: 1 failed, 2 missing" in done.stdout


def test_what_a_killed_plan_left(place: Path) -> None:
    """A complete recording that was not written down counts; one that was cut is kept; half a line is not read."""
    _written(place, "", repeats=2)
    journal_then = Journal(place / "out")
    journal_then.write("plan started")
    for number, digest in enumerate(digests(place)):
        journal_then.write("started", point=digest, study="pp", repeat=number, bench="desk", attempt=1)
    journal_then.close()
    with (place / "out" / journal.NAME).open("a") as file:
        file.write('{"at": "2026')
    shutil.copytree(place / "complete", recording_of(place, 0))
    shutil.copytree(place / "incomplete", recording_of(place, 1))

    done, records = run_plan(place)

    assert 0 == done.status, done.stderr
    assert ["started", "started", "gap", "complete", "cut", "started", "complete"] == events(records)
    cut = next(record for record in records if record.event == "cut")
    assert (leftover(cut, 1), "incomplete") == (cut.folder, cut.state)
    assert "pp: 2 points: 2 done" in done.stdout
    assert (place / "out" / cut.folder / "recording.toml").exists()


def test_a_journal_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is written into the room that was held for it, each time."""
    written = Journal(tmp_path)
    append, reserve = Journal._append, tmp_path / journal.RESERVE

    def full(self: Journal, line: bytes) -> None:
        if reserve.exists():
            raise OSError(28, "No space left on device")
        append(self, line)

    monkeypatch.setattr(Journal, "_append", full)
    written.write("disk low", text="full")
    monkeypatch.undo()
    written.write("disk free")
    written.close()

    assert journal.RESERVE_BYTES == reserve.stat().st_size
    assert ["full", ""] == [record.text for record in journal.read(tmp_path).records]


def test_no_room_for_an_attempt(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt that cannot be started, since its outputs have no room, is a failure of the disk."""
    errors = iter([OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))])
    run = attempt.run

    def full(*words: Any, **options: Any) -> attempt.Ended:
        for error in errors:
            raise error
        return run(*words, **options)

    monkeypatch.setattr(attempt, "run", full)
    done, records = run_plan(place, repeats=1)

    assert 0 == done.status
    assert ["started", "failed", "started", "complete"] == events(records)
    assert ["disk"] == [record.cause for record in records if record.event == "failed"]


# What has ssh's interface: options, a host, a command for the shell there, whose home is a folder of the test.
SSH = """
import os, pathlib, subprocess, sys
if os.environ.get("UNREACHABLE"):
    print("ssh: connect to host lab port 22: No route to host", file=sys.stderr)
    sys.exit(255)
assert sys.argv[1:4] == ["-p", "2222", "me@lab"], sys.argv
cut = pathlib.Path({home!r}) / "cut"  # the first script with this text does not get through
if cut.exists() and cut.read_text() in sys.argv[4]:
    cut.unlink()
    print("Connection closed by remote host", file=sys.stderr)
    sys.exit(255)
os.environ["HOME"] = {home!r}
sys.exit(subprocess.run(["sh", "-c", sys.argv[4]]).returncode)
"""


def remote_plan(place: Path, script: str, watchdog: str = "") -> None:
    """Write a plan of one run on another machine, whose home folder is `place / "home"`."""
    (place / "home" / remote.HOME).mkdir(parents=True)
    (place / "ssh.py").write_text(SSH.format(home=str(place / "home")))
    program = json.dumps([sys.executable, "-S", str(place / "program.py")])
    bench = f'ssh = ["{sys.executable}", "{place}/ssh.py"]\ngpiorig = {program}'
    text = PLAN.format(repeats=1, top="", bench=bench, watchdog=watchdog, disk="")
    shutil.copy(resources.benches()["demo"], place / "home" / "bench.toml")
    there = f'file = "ssh://me@lab:2222{place}/home/bench.toml"'
    (place / "plan.toml").write_text(text.replace('file = "demo"', there))
    (place / "script").write_text(script)


@pytest.mark.slow
def test_a_bench_on_another_machine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is started there, its recording fetched and deleted there; without a connection it is tried again."""
    remote_plan(place, "incomplete\n")
    done = gpiorig("study", "run", place / "plan.toml")
    records = list(journal.read(place / "out").records)

    assert 0 == done.status, done.stdout + done.stderr
    assert ["started", "failed", "started", "complete"] == events(records)
    assert ["analyzer"] == [record.cause for record in records if record.event == "failed"]
    assert "complete" == Recording.open(recording_of(place)).state
    assert [] == list((place / "home" / remote.HOME).iterdir())

    monkeypatch.setenv("UNREACHABLE", "1")
    (place / "plan.toml").write_text((place / "plan.toml").read_text().replace("repeats = 1", "repeats = 2"))
    away = gpiorig("study", "run", place / "plan.toml")
    records = list(journal.read(place / "out").records)
    assert 1 == away.status
    assert {"connection"} == {record.cause for record in records if record.event == "failed" and record.repeat == 1}
    assert "No route to host" in away.stdout


@pytest.mark.parametrize("retries", [2, 0])
@pytest.mark.parametrize(
    ("state", "lost"), [("complete", "tar -cf"), ("incomplete", "tar -cf"), ("complete", "rm -rf")]
)
def test_a_recording_that_could_not_be_fetched(place: Path, state: str, lost: str, retries: int) -> None:
    """It is fetched before the next attempt, or at the end of the plan; a complete one counts, others are kept."""
    remote_plan(place, f"{state}\n", watchdog=f"retries = {retries}")
    (place / "home" / "cut").write_text(lost)
    done = gpiorig("study", "run", place / "plan.toml")
    records = list(journal.read(place / "out").records)
    failed = next(record for record in records if record.event == "failed")
    fetched = records[records.index(failed) + (1 if retries else 2)]

    assert "connection" == failed.cause
    assert f"the recording is in ~/{failed.remote_folder} of me@lab until it is fetched" in failed.text
    assert (1, state) == (fetched.attempt, fetched.state)
    assert state == Recording.open(place / "out" / fetched.folder).state
    if state == "complete":
        assert ("complete", f"points/{failed.point}/recording") == (fetched.event, fetched.folder)
        assert ["started", "failed", *([] if retries else ["given up"]), "complete"] == events(records)
    else:
        assert ("fetched", leftover(failed, 1)) == (fetched.event, fetched.folder)
        end = ["fetched", "started", "complete"] if retries else ["given up", "fetched"]
        assert ["started", "failed", *end] == events(records)
    assert (0 if retries or state == "complete" else 1) == done.status
    assert {} == gpiorig("study", "status", place / "out", "--json").numbers["not_fetched"]
    assert [] == list((place / "home" / remote.HOME).iterdir())


@pytest.mark.slow
def test_a_plan_that_was_killed_during_a_run_on_another_machine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded there is fetched; a run there that does not know of the kill is ended before."""
    monkeypatch.setattr(attempt, "END_S", 1.0)
    remote_plan(place, "")
    (digest,) = digests(place)
    there = place / "home" / remote.HOME / "pp-1-abcd"
    shutil.copytree(place / "incomplete", there / "run")
    running = subprocess.Popen(
        [
            "sh",
            "-c",
            f"trap 'rm {there}/running; exit' TERM; while :; do sleep 0.1; done",
            f"{remote.HOME}/{there.name}",
        ]
    )
    (there / "running").write_text(str(running.pid))
    journal_then = Journal(place / "out")
    folder = f"{remote.HOME}/{there.name}"
    journal_then.write("started", point=digest, study="pp", bench="desk", attempt=1, remote_folder=folder)
    journal_then.close()
    assert f"running: {digest[:8]}" in gpiorig("study", "status", place / "out").stdout

    done = gpiorig("study", "run", place / "plan.toml")
    records = list(journal.read(place / "out").records)

    assert 0 == done.status, done.stdout + done.stderr
    assert 0 == running.wait(10.0)
    assert ["started", "gap", "cut", "fetched", "started", "complete"] == events(records)
    assert "incomplete" == Recording.open(place / "out" / leftover(records[0], 1)).state
    assert [] == list((place / "home" / remote.HOME).iterdir())


def damaged(place: Path, *events: tuple[str, int], text: bytes = b'{"at": "2026-13-') -> list[int]:
    """Damage the lines of the journal that state these events of these repeats; their numbers, from 1."""
    path = place / "out" / journal.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    hit = [n for n, record in enumerate(records) if (record["event"], record.get("repeat", 0)) in events]
    for number in hit:
        lines[number] = text + b"\n"
    path.write_bytes(b"".join(lines))
    return [number + 1 for number in hit]


@pytest.mark.parametrize(
    "text", [b"", bytes(40), b"\xff\xfe", b"[]", b'{"at": "x", "event": "complete", "study": "pp"}']
)
def test_damaged_lines_of_a_journal(place: Path, text: bytes) -> None:
    """They are counted and stated; complete recordings whose lines they are count, and nothing is recorded twice."""
    run_plan(place)
    numbers = damaged(place, ("started", 0), ("complete", 0), ("complete", 1), text=text)
    assert 3 == len(numbers)
    status = gpiorig("study", "status", place / "out", "--json").numbers
    assert (3, 0) == (status["damaged_lines"], status["studies"]["pp"].get("complete", 0))
    before = {path: path.stat().st_mtime_ns for path in (place / "out/points").rglob("*")}

    done, records = run_plan(place)

    assert 0 == done.status, done.stderr + done.stdout
    assert before == {path: path.stat().st_mtime_ns for path in (place / "out/points").rglob("*")}
    after = events(records)[events(records).index("damaged") :]
    assert ["damaged", "complete", "complete"] == after
    stated = next(record.text for record in records if record.event == "damaged")
    assert f"lines that cannot be read: {', '.join(map(str, numbers))};" in stated
    assert "3 damaged lines" in gpiorig("study", "status", place / "out").stdout


def test_a_damaged_failure_is_not_taken_for_another_attempt(place: Path) -> None:
    """The number of the next attempt is that of the last one and one, so that what was kept stays."""
    run_plan(place, script="incomplete\nincomplete\nincomplete\n", repeats=1)
    damaged(place, ("started", 0), ("given up", 0))
    _, records = run_plan(place, "--retry", repeats=1)
    assert "complete" == records[-2].event
    assert 4 == records[-2].attempt
    assert 3 == len([*(place / "out/kept").iterdir()])


def test_a_last_line_that_is_damaged_is_a_cut_write(place: Path) -> None:
    """Zeros after a power failure: the line is deleted, and what it stated found in the folders."""
    run_plan(place)
    damaged(place, ("plan ended", 0), text=bytes(100))
    done, records = run_plan(place)
    assert (0, 0) == (done.status, gpiorig("study", "status", place / "out", "--json").numbers["damaged_lines"])
    assert ["started", "complete"] * 2 + ["gap"] == events(records)


@pytest.mark.parametrize(
    "fields",
    [
        {"point": "../../home", "attempt": 1, "remote_folder": f"{remote.HOME}/x"},
        {"point": "0" * 64, "attempt": 1, "remote_folder": "x; touch harmed"},
        {"point": "0" * 64, "attempt": 1, "remote_folder": "../../x"},
        {"attempt": 1, "remote_folder": f"{remote.HOME}/x"},
    ],
)
def test_a_journal_of_others_names_no_other_folder(place: Path, fields: dict[str, Any]) -> None:
    """Neither here nor in a command for another machine: such a line is damaged."""
    (place / "out").mkdir()
    good = '{"at": "2026-01-01T00:00:00+00:00", "event": "plan started"}\n'
    bad = {"at": "2026-01-01T00:00:00+00:00", "event": "failed", "bench": "desk", **fields}
    (place / "out" / journal.NAME).write_text(f"{good}{json.dumps(bad)}\n{good}")
    content = journal.read(place / "out")
    assert ((2,), 2) == (content.damaged, len(content.records))


@pytest.mark.parametrize("link", ["run", "run/edges", "run/recording.toml"])
def test_links_in_what_another_machine_sends(place: Path, link: str) -> None:
    """The recording stays there, nothing of it is used, and the reason names the link."""
    remote_plan(place, "complete\n", watchdog="retries = 0")
    program = (place / "program.py").read_text()
    moved = f"path = {{'run': output}}.get({link!r}, output / {link[4:]!r})"
    (place / "program.py").write_text(
        f"{program}{moved}\nos.rename(path, here / 'moved')\npath.symlink_to(here / 'moved')\n"
    )
    done = gpiorig("study", "run", place / "plan.toml")
    failed = next(record for record in journal.read(place / "out").records if record.event == "failed")

    assert 1 == done.status
    assert f"{link}: is a link" in failed.text
    assert not [*(place / "out").glob("points/*/recording")] and not [*(place / "out").glob("kept/*")]
    assert 1 == len([*(place / "home" / remote.HOME).iterdir()])


@pytest.mark.parametrize("name", ["points", "kept", "logs", "journal.jsonl", ".lock", ".children", "reserve"])
def test_parts_of_a_plan_that_are_links(place: Path, name: str) -> None:
    """Nothing is written or moved where they lead."""
    (place / "victim").mkdir()
    (place / "victim/precious").write_text("precious")
    (place / "out").mkdir()
    is_folder = name in ("points", "kept", "logs")
    (place / "out" / name).symlink_to(place / "victim" if is_folder else place / "victim/precious")
    done, _ = run_plan(place, script="incomplete\n", repeats=1)
    assert [place / "victim/precious"] == [*(place / "victim").iterdir()]
    assert "precious" == (place / "victim/precious").read_text()
    assert name == "reserve" or (2, True) == (done.status, f"{name}" in done.stderr)


def test_a_stop_leaves_a_run_that_is_continued(place: Path) -> None:
    """The attempt is ended in order and is a record with its recording; nothing else starts."""
    planned = plan.load([_written(place, "hangs\n")], Conditions(), Path())
    state = State()
    written = Journal(planned.output, state.enter)
    session = Session(planned, Options(), lambda outcome: None, written, state)
    tasks = pending(planned.sought)
    thread = threading.Thread(target=Lane(session).work, args=(tasks,))
    thread.start()
    wait_until(lambda: (recording_of(place) / "recording.toml").exists())
    session.stop.set()
    thread.join()
    written.close()

    assert ["started", "cut"] == events(written.records)
    assert leftover(written.records[-1], 1) == written.records[-1].folder


def _written(place: Path, script: str, *, repeats: int = 1) -> Path:
    (place / "script").write_text(script)
    (place / "plan.toml").write_text(PLAN.format(repeats=repeats, top="", bench="", watchdog="", disk=""))
    return place / "plan.toml"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('bench = "desk"', 'bench = "dsk"', "no bench is called `dsk`"),
        ('experiment = "pingpong"', "", "give either `experiment` or `study`"),
        ('experiment = "pingpong"', 'experiment = "pingpng"', "did you mean `pingpong`?"),
        ('name = "pp"', 'name = "../pp"', "use up to 64 letters"),
        ('keep_free = "1MB"', 'keep_free = "1 megabyte"', "write a size such as 500MB"),
        ('pause = "0s"', 'pause = "often"', "watchdog.pause: 'often' is not a time"),
        ('file = "demo"', 'file = "ssh://lab"', "such as ssh://lab/home/me/bench.toml"),
        ('file = "demo"', 'file = "ssh://-oProxyCommand=x/b.toml"', "write ssh://"),
        ("repeats = 1", "repeat = 1", "did you mean `repeats`?"),
    ],
)
def test_a_plan_that_cannot_be(place: Path, old: str, new: str, words: str) -> None:
    """One error before anything starts: what, where, what to do."""
    path = _written(place, "")
    path.write_text(path.read_text().replace(old, new))
    done = gpiorig("study", "run", path)

    assert 2 == done.status
    assert words in done.stderr
    assert not (place / "out").exists()


@pytest.mark.parametrize("text", ["0", "0B", "0 MB"])
def test_a_disk_without_a_limit(place: Path, text: str) -> None:
    """As docs/guide/many.md has it."""
    (place / "plan.toml").write_text(
        PLAN.format(repeats=1, top="", bench="", watchdog="", disk="").replace("1MB", text)
    )
    assert 0.0 == Limits.of(place, plan_file.load(place / "plan.toml").disk).keep_free


def test_a_folder_without_a_plan(tmp_path: Path) -> None:
    """It is an error, for both forms of the status."""
    for words in ([], ["--follow"]):
        assert "nothing was run into this folder" in gpiorig("study", "status", tmp_path, *words).stderr
