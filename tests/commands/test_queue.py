"""`gpiorig queue`, with a program in the place of `gpiorig run` that follows a script."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commandline import Finished, gpiorig
from patience import wait_until

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.queue import attempt, ends, journal, lane, queue_file, remote
from gpiorig.rig.queue.disk import Limits
from gpiorig.rig.queue.journal import Journal, Record
from gpiorig.rig.queue.state import State

QUEUE = """
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
    assert "--no-report" not in sys.argv
    print("check failed: one", file=sys.stderr)
    sys.exit(1)
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
    return tmp_path


def queue(place: Path, *words: str, script: str = "", repeats: int = 2, **parts: str) -> tuple[Finished, list[Record]]:
    """Run a queue with a script; its end, and its journal."""
    (place / "script").write_text(script)
    known = {"top": "", "bench": "", "watchdog": "", "disk": ""}
    (place / "queue.toml").write_text(QUEUE.format(repeats=repeats, **known | parts))
    done = gpiorig("queue", "run", place / "queue.toml", *words)
    return done, list(journal.read(place / "out").records)


def events(records: list[Record]) -> list[str]:
    """What happened, without start and end of the queue."""
    return [record.event for record in records if not record.event.startswith("queue")]


def test_runs_in_order_and_nothing_twice(place: Path) -> None:
    """All runs are complete, each in its folder; called again, nothing is left to do; the status has it all."""
    done, records = queue(place)
    again, records_then = queue(place)
    status = gpiorig("queue", "status", place / "out", "--json")

    assert (0, 0) == (done.status, again.status), done.stderr
    assert ["started", "complete"] * 2 == events(records) == events(records_then)
    assert ["runs/pp-0001", "runs/pp-0002"] == [record.folder for record in records if record.event == "complete"]
    assert {"pp": {"complete": 2}} == status.numbers["jobs"]
    assert "pp: 2 complete" in gpiorig("queue", "status", place / "out").stdout
    lines = gpiorig("queue", "status", place / "out", "--follow", "--json").stdout.splitlines()
    assert [record.event for record in records_then] == [json.loads(line)["event"] for line in lines]


def test_a_failure_is_kept_named_and_tried_again(place: Path) -> None:
    """The board's node is named, the recording is moved, the hook runs with the node, and the next attempt counts."""
    hook = f'power_cycle = ["{sys.executable}", "-S", "-c", "print(\'off and on {{node}} {{cause}}\')"]'
    done, records = queue(place, script="fails SerialPortError responder silent\nincomplete\n", repeats=1, bench=hook)
    first, second = (record for record in records if record.event == "failed")
    hooked = next(record for record in records if record.event == "power cycle")

    assert 0 == done.status, done.stderr
    assert ("board", "responder", "silent", "kept/pp-0001-attempt-1") == (
        first.cause,
        first.node,
        first.text,
        first.folder,
    )
    assert ("analyzer", "incomplete", "kept/pp-0001-attempt-2") == (second.cause, second.state, second.folder)
    assert "status 0: off and on responder board" == hooked.text
    assert "incomplete" == Recording.open(place / "out" / second.folder).state
    assert "complete" == Recording.open(place / "out" / "runs" / "pp-0001").state


def test_texts_of_failures_and_hooks(place: Path) -> None:
    """What is given up states why its last attempt failed; a terminal gets one line for each event."""
    hook = f'power_cycle = ["{sys.executable}", "-S", "-c", "print(\'off\\\\non\')"]'
    script = "fails AnalyzerError - gone\nfails SerialPortError responder silent\n"
    done, records = queue(place, script=script, repeats=1, bench=hook, watchdog="retries = 1")
    given_up = next(record for record in records if record.event == "given up")

    assert "2 attempts failed, the last: board: silent" == given_up.text
    assert "pp-0001: 2 attempts failed, the last: board: silent" in gpiorig("queue", "status", place / "out").stdout
    assert len(records) == len(done.stdout.splitlines()), done.stdout
    assert "status 0: off on" in done.stdout


def test_a_check_that_fails(place: Path) -> None:
    """With a report, a complete recording whose checks do not hold is a failure, and kept."""
    (place / "script").write_text("unchecked\n")
    text = QUEUE.format(repeats=1, top="", bench="", watchdog="", disk="")
    (place / "queue.toml").write_text(text.replace("repeats = 1", "repeats = 1\nreport = true"))
    done = gpiorig("queue", "run", place / "queue.toml")
    failed = next(record for record in journal.read(place / "out").records if record.event == "failed")

    assert 0 == done.status, done.stderr
    assert ("check", "check failed: one", "complete") == (failed.cause, failed.text, failed.state)


def test_bad_input_is_tried_once(place: Path) -> None:
    """A file that cannot be used will not be usable the next time; the next run follows."""
    done, records = queue(place, script="fails BenchError - no such node\n")

    assert 1 == done.status
    assert ["started", "failed", "given up", "started", "complete"] == events(records)
    assert ["no such node"] == [record.text for record in records if record.event == "given up"]


def test_quarantine_and_release(place: Path) -> None:
    """After failures in a row no run starts on the bench, each is a record; --retry releases it."""
    watchdog = "retries = 1\nquarantine_after = 3"
    done, records = queue(place, script="fails AnalyzerError - gone\n" * 3, repeats=3, watchdog=watchdog)
    again, records_then = queue(place, "--retry", repeats=3, watchdog=watchdog)

    assert (1, 0) == (done.status, again.status)
    # The first run has both attempts, the second one; then the bench is in quarantine.
    assert (3, 1, 1, 2) == tuple(map(events(records).count, ("failed", "quarantined", "given up", "skipped")))
    assert ["pp-0001", "pp-0002", "pp-0003"] == [record.run for record in records_then if record.event == "complete"]


def test_quarantine_of_a_node(place: Path) -> None:
    """Failures are counted for the node that is named, until a run is complete; its bench is out, another continues."""
    (place / "demo2.toml").write_text((Path(ends.__file__).parents[1] / "demo_bench.toml").read_text())
    top = '[benches.other]\nfile = "demo2.toml"\n[[job]]\nname = "oo"\nbench = "other"\nexperiment = "pingpong"\n'
    failure = "fails SerialPortError {} silent\n"
    once = "".join(map(failure.format, ("one", "two", "one", "two")))
    watchdog = "retries = 9\nquarantine_after = 3"
    (place / "script").write_text(f"{once}complete\n{once}{failure.format('two')}")
    text = QUEUE.format(repeats=3, top="", bench="", watchdog=watchdog, disk="") + top
    (place / "queue.toml").write_text(text)
    done = gpiorig("queue", "run", place / "queue.toml")
    records = list(journal.read(place / "out").records)
    status = gpiorig("queue", "status", place / "out")

    assert 1 == done.status
    assert [("desk", "two", "board")] == [
        (record.bench, record.node, record.cause) for record in records if record.event == "quarantined"
    ]
    assert ["pp-0001", "oo-0001"] == [record.run for record in records if record.event == "complete"]
    assert ["pp-0002", "pp-0003"] == [record.run for record in records if record.event == "skipped"]
    assert "quarantine: desk/two: 3 failures in a row, the last: silent" in status.stdout


def test_other_benches_go_on(place: Path) -> None:
    """Lanes run in parallel, and one that is in quarantine does not stop the others."""
    (place / "demo2.toml").write_text((Path(ends.__file__).parents[1] / "demo_bench.toml").read_text())
    top = '[benches.other]\nfile = "demo2.toml"\n[[job]]\nname = "oo"\nbench = "other"\nexperiment = "pingpong"\n'
    (place / "script").write_text("")
    text = QUEUE.format(repeats=1, top='order = "by bench"', bench="", watchdog="", disk="") + top
    (place / "queue.toml").write_text(text)
    done = gpiorig("queue", "run", place / "queue.toml", "--json")

    assert 0 == done.status, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"pp-0001", "oo-0001"} == {record["run"] for record in records if record["event"] == "complete"}


@pytest.mark.parametrize(
    ("does", "watchdog", "cause"),
    [("hangs", 'silence = "500ms"', "silent"), ("hangs", 'timeout = "1s"', "timeout"), ("killed", "", "program")],
)
def test_what_hangs_is_ended(place: Path, does: str, watchdog: str, cause: str) -> None:
    """Without a change of its folder, without an end, and killed: it is the same run that is tried again."""
    patient = f"{watchdog}\nretries = 50\nquarantine_after = 50"  # a busy host may take as long
    done, records = queue(place, script=f"{does}\n", repeats=1, watchdog=patient)

    assert 0 == done.status
    assert {cause} == {record.cause for record in records if record.event == "failed"}
    assert ["started", "complete"] == events(records)[-2:]


def test_a_quota_ends_the_queue(place: Path) -> None:
    """No run starts without room for one as large as the last; why is the end of the journal, and a time is waited."""
    (place / "complete" / "large").write_bytes(bytes(1_000_000))
    done, records = queue(place, disk='quota = "2500kB"\nwait = "100ms"')

    assert 1 == done.status
    assert ["started", "complete", "disk low"] == events(records)
    assert "disk.quota" in records[-1].text

    shutil.rmtree(place / "out" / "runs" / "pp-0001")
    again, records = queue(place, disk='quota = "2500kB"')
    assert (0, "gap") == (again.status, records[len(records) - 5].event)


def test_a_disk_without_room_ends_the_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is recorded while the disk gets full is ended in order; the queue waits, and tries it again."""
    low = iter([True])
    recording = place / "out" / "runs" / "pp-0001" / "recording.toml"
    monkeypatch.setattr(Limits, "is_low", lambda self: recording.exists() and next(low, False))
    done, records = queue(place, script="hangs\n", repeats=1)

    assert 0 == done.status
    assert ["disk"] == [record.cause for record in records if record.event == "failed"]
    assert 0 == State.of(records).runs["pp-0001"].failures


def test_a_full_disk_is_waited_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that failed by it is not started again without room for what it had and more."""
    free = shutil.disk_usage(place).free
    usages = [free, free, *[800_000] * 4]
    monkeypatch.setattr(
        "gpiorig.rig.queue.disk.shutil.disk_usage",
        lambda folder: SimpleNamespace(free=usages.pop(0) if len(usages) > 1 else usages[0]),
    )
    monkeypatch.setattr(Limits, "is_low", lambda self: False)
    script = "fails RecordingError - cannot record: No space left on device\n" * 3
    done, records = queue(place, script=script, repeats=1, disk='wait = "100ms"')

    assert 1 == done.status
    assert ["started", "failed", "started", "failed", "disk low"] == events(records)
    assert "the disk has no room" in records[-1].text


def test_a_program_that_cannot_print_why_it_failed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk no words are left of it: it is the disk, which is not counted for the run."""
    monkeypatch.setattr(Limits, "is_full", lambda self: True)
    done, records = queue(place, script="killed\n", repeats=1, watchdog="retries = 0")

    assert 0 == done.status
    assert ["disk"] == [record.cause for record in records if record.event == "failed"]


def test_passes_until_a_date(place: Path) -> None:
    """Passes are counted through, and none starts after the date."""
    done, records = queue(place, repeats=1, top="[repeat]\ncount = 3")
    assert ["pp-0001", "pp-0002", "pp-0003"] == [record.run for record in records if record.event == "complete"]

    late, records_late = queue(place, repeats=9, top="[repeat]\nuntil = 2020-01-01T00:00:00Z")
    assert (0, 0) == (done.status, late.status)
    assert 3 == events(records_late).count("complete")


def test_what_a_killed_queue_left(place: Path) -> None:
    """A complete recording that was not written down counts; one that was cut is kept; half a line is not read."""
    journal_then = Journal(place / "out")
    journal_then.write("queue started")
    for run in ("pp-0001", "pp-0002"):
        journal_then.write("started", run=run, bench="desk", attempt=1)
    journal_then.close()
    with (place / "out" / journal.NAME).open("a") as file:
        file.write('{"at": "2026')
    shutil.copytree(place / "complete", place / "out" / "runs" / "pp-0001")
    shutil.copytree(place / "incomplete", place / "out" / "runs" / "pp-0002")

    done, records = queue(place)

    assert 0 == done.status, done.stderr
    assert ["started", "started", "gap", "complete", "cut", "started", "complete"] == events(records)
    cut = next(record for record in records if record.event == "cut")
    assert ("kept/pp-0002-attempt-1", "incomplete") == (cut.folder, cut.state)
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
    done, records = queue(place, repeats=1)

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


def remote_queue(place: Path, script: str, watchdog: str = "") -> None:
    """Write a queue of one run on another machine, whose home folder is `place / "home"`."""
    (place / "home" / remote.HOME).mkdir(parents=True)
    (place / "ssh.py").write_text(SSH.format(home=str(place / "home")))
    program = json.dumps([sys.executable, "-S", str(place / "program.py")])
    bench = f'ssh = ["{sys.executable}", "{place}/ssh.py"]\ngpiorig = {program}'
    text = QUEUE.format(repeats=1, top="", bench=bench, watchdog=watchdog, disk="")
    (place / "queue.toml").write_text(text.replace('file = "demo"', 'file = "ssh://me@lab:2222/srv/bench.toml"'))
    (place / "script").write_text(script)


def test_a_bench_on_another_machine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is started there, its recording fetched and deleted there; without a connection it is tried again."""
    remote_queue(place, "incomplete\n")
    done = gpiorig("queue", "run", place / "queue.toml")
    records = list(journal.read(place / "out").records)

    assert 0 == done.status, done.stdout + done.stderr
    assert ["started", "failed", "started", "complete"] == events(records)
    assert ["analyzer"] == [record.cause for record in records if record.event == "failed"]
    assert "complete" == Recording.open(place / "out" / "runs" / "pp-0001").state
    assert [] == list((place / "home" / remote.HOME).iterdir())

    monkeypatch.setenv("UNREACHABLE", "1")
    (place / "queue.toml").write_text((place / "queue.toml").read_text().replace("repeats = 1", "repeats = 2"))
    away = gpiorig("queue", "run", place / "queue.toml")
    records = list(journal.read(place / "out").records)
    assert 1 == away.status
    assert {"connection"} == {record.cause for record in records[-8:] if record.event == "failed"}
    assert "No route to host" in away.stdout


@pytest.mark.parametrize("retries", [2, 0])
@pytest.mark.parametrize(
    ("state", "lost"), [("complete", "tar -cf"), ("incomplete", "tar -cf"), ("complete", "rm -rf")]
)
def test_a_recording_that_could_not_be_fetched(place: Path, state: str, lost: str, retries: int) -> None:
    """It is fetched before the next attempt, or at the end of the queue; a complete one counts, others are kept."""
    remote_queue(place, f"{state}\n", watchdog=f"retries = {retries}")
    (place / "home" / "cut").write_text(lost)
    done = gpiorig("queue", "run", place / "queue.toml")
    records = list(journal.read(place / "out").records)
    failed = next(record for record in records if record.event == "failed")
    fetched = records[records.index(failed) + (1 if retries else 2)]

    assert "connection" == failed.cause
    assert f"the recording is in ~/{failed.remote_folder} of me@lab until it is fetched" in failed.text
    assert (1, state) == (fetched.attempt, fetched.state)
    assert state == Recording.open(place / "out" / fetched.folder).state
    if state == "complete":
        assert ("complete", "runs/pp-0001") == (fetched.event, fetched.folder)
        assert ["started", "failed", *([] if retries else ["given up"]), "complete"] == events(records)
    else:
        assert ("fetched", "kept/pp-0001-attempt-1") == (fetched.event, fetched.folder)
        end = ["fetched", "started", "complete"] if retries else ["given up", "fetched"]
        assert ["started", "failed", *end] == events(records)
    assert (0 if retries or state == "complete" else 1) == done.status
    assert {} == gpiorig("queue", "status", place / "out", "--json").numbers["not_fetched"]
    assert [] == list((place / "home" / remote.HOME).iterdir())


def test_a_queue_that_was_killed_during_a_run_on_another_machine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded there is fetched; a run there that does not know of the kill is ended before."""
    monkeypatch.setattr(attempt, "END_S", 1.0)
    remote_queue(place, "")
    there = place / "home" / remote.HOME / "pp-0001-1-abcd"
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
    journal_then.write("started", run="pp-0001", bench="desk", attempt=1, remote_folder=f"{remote.HOME}/{there.name}")
    journal_then.close()
    assert "running: pp-0001" in gpiorig("queue", "status", place / "out").stdout

    done = gpiorig("queue", "run", place / "queue.toml")
    records = list(journal.read(place / "out").records)

    assert 0 == done.status, done.stdout + done.stderr
    assert 0 == running.wait(10.0)
    assert ["started", "gap", "cut", "fetched", "started", "complete"] == events(records)
    assert "incomplete" == Recording.open(place / "out" / "kept" / "pp-0001-attempt-1").state
    assert [] == list((place / "home" / remote.HOME).iterdir())


def damaged(place: Path, *events: tuple[str, str], text: bytes = b'{"at": "2026-13-') -> list[int]:
    """Damage the lines of the journal that state these events of these runs; their numbers, from 1."""
    path = place / "out" / journal.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    hit = [n for n, record in enumerate(records) if (record["event"], record.get("run", "")) in events]
    for number in hit:
        lines[number] = text + b"\n"
    path.write_bytes(b"".join(lines))
    return [number + 1 for number in hit]


@pytest.mark.parametrize(
    "text", [b"", bytes(40), b"\xff\xfe", b"[]", b'{"at": "x", "event": "complete", "run": "pp-0001"}']
)
def test_damaged_lines_of_a_journal(place: Path, text: bytes) -> None:
    """They are counted and stated; complete recordings whose lines they are count, and nothing is recorded twice."""
    queue(place)
    numbers = damaged(place, ("started", "pp-0001"), ("complete", "pp-0001"), ("complete", "pp-0002"), text=text)
    assert 3 == len(numbers)
    status = gpiorig("queue", "status", place / "out", "--json").numbers
    assert (3, 0) == (status["damaged_lines"], status["jobs"]["pp"].get("complete", 0))
    before = {path: path.stat().st_mtime_ns for path in (place / "out/runs").rglob("*")}

    done, records = queue(place)

    assert 0 == done.status, done.stderr + done.stdout
    assert before == {path: path.stat().st_mtime_ns for path in (place / "out/runs").rglob("*")}
    after = events(records)[events(records).index("damaged") :]
    assert ["damaged", "complete", "complete"] == after
    stated = next(record.text for record in records if record.event == "damaged")
    assert f"lines that cannot be read: {', '.join(map(str, numbers))};" in stated
    assert "3 damaged lines" in gpiorig("queue", "status", place / "out").stdout


def test_a_damaged_failure_is_not_taken_for_another_attempt(place: Path) -> None:
    """The number of the next attempt is that of the last one and one, so that what was kept stays."""
    queue(place, script="incomplete\nincomplete\nincomplete\n", repeats=1)
    damaged(place, ("started", "pp-0001"), ("given up", "pp-0001"))
    _, records = queue(place, "--retry", repeats=1)
    assert "complete" == records[-2].event
    assert 4 == records[-2].attempt
    assert 3 == len([*(place / "out/kept").iterdir()])


def test_a_last_line_that_is_damaged_is_a_cut_write(place: Path) -> None:
    """Zeros after a power failure: the line is deleted, and what it stated found in the folders."""
    queue(place)
    damaged(place, ("queue ended", ""), text=bytes(100))
    done, records = queue(place)
    assert (0, 0) == (done.status, gpiorig("queue", "status", place / "out", "--json").numbers["damaged_lines"])
    assert ["started", "complete"] * 2 + ["gap"] == events(records)


@pytest.mark.parametrize(
    "fields",
    [
        {"run": "../../home-0001", "attempt": 1, "remote_folder": f"{remote.HOME}/x"},
        {"run": "pp-0001", "attempt": 1, "remote_folder": "x; touch harmed"},
        {"run": "pp-0001", "attempt": 1, "remote_folder": "../../x"},
        {"attempt": 1, "remote_folder": f"{remote.HOME}/x"},
    ],
)
def test_a_journal_of_others_names_no_other_folder(place: Path, fields: dict[str, Any]) -> None:
    """Neither here nor in a command for another machine: such a line is damaged."""
    (place / "out").mkdir()
    good = '{"at": "2026-01-01T00:00:00+00:00", "event": "queue started"}\n'
    bad = {"at": "2026-01-01T00:00:00+00:00", "event": "failed", "bench": "desk", **fields}
    (place / "out" / journal.NAME).write_text(f"{good}{json.dumps(bad)}\n{good}")
    content = journal.read(place / "out")
    assert ((2,), 2) == (content.damaged, len(content.records))


@pytest.mark.parametrize("link", ["run", "run/edges", "run/recording.toml"])
def test_links_in_what_another_machine_sends(place: Path, link: str) -> None:
    """The recording stays there, nothing of it is used, and the reason names the link."""
    remote_queue(place, "complete\n", watchdog="retries = 0")
    program = (place / "program.py").read_text()
    moved = f"path = {{'run': output}}.get({link!r}, output / {link[4:]!r})"
    (place / "program.py").write_text(
        f"{program}{moved}\nos.rename(path, here / 'moved')\npath.symlink_to(here / 'moved')\n"
    )
    done = gpiorig("queue", "run", place / "queue.toml")
    failed = next(record for record in journal.read(place / "out").records if record.event == "failed")

    assert 1 == done.status
    assert f"{link}: is a link" in failed.text
    assert not [*(place / "out").glob("runs/*")] and not [*(place / "out").glob("kept/*")]
    assert 1 == len([*(place / "home" / remote.HOME).iterdir()])


@pytest.mark.parametrize("name", ["runs", "kept", "logs", "journal.jsonl", ".lock", ".children", "reserve"])
def test_parts_of_a_queue_that_are_links(place: Path, name: str) -> None:
    """Nothing is written or moved where they lead."""
    (place / "victim").mkdir()
    (place / "victim/precious").write_text("precious")
    (place / "out").mkdir()
    is_folder = name in ("runs", "kept", "logs")
    (place / "out" / name).symlink_to(place / "victim" if is_folder else place / "victim/precious")
    done, _ = queue(place, script="incomplete\n", repeats=1)
    assert [place / "victim/precious"] == [*(place / "victim").iterdir()]
    assert "precious" == (place / "victim/precious").read_text()
    assert name == "reserve" or (2, True) == (done.status, f"{name}" in done.stderr)


def test_a_stop_leaves_a_run_that_is_continued(place: Path) -> None:
    """The attempt is ended in order and is a record with its recording; nothing else starts."""
    file = queue_file.load(_written(place, "hangs\n"))
    output = place / "out"
    all_ends = {"desk": ends.Local("demo", place)}
    state, stop = State(), threading.Event()
    written = Journal(output, state.enter)
    limits, folders = Limits.of(output, file.disk), lane.Folders(output)
    working = lane.Lane(file.jobs, lane.Context(file, all_ends, folders, written, limits, state, stop))
    thread = threading.Thread(target=working.work)
    thread.start()
    wait_until(lambda: (output / "runs" / "pp-0001" / "recording.toml").exists())
    stop.set()
    thread.join()
    written.close()

    assert ["started", "cut"] == events(written.records)
    assert "kept/pp-0001-attempt-1" == written.records[-1].folder


def _written(place: Path, script: str) -> Path:
    (place / "script").write_text(script)
    (place / "queue.toml").write_text(QUEUE.format(repeats=1, top="", bench="", watchdog="", disk=""))
    return place / "queue.toml"


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
def test_a_queue_that_cannot_be(place: Path, old: str, new: str, words: str) -> None:
    """One error before anything starts: what, where, what to do."""
    path = _written(place, "")
    path.write_text(path.read_text().replace(old, new))
    done = gpiorig("queue", "run", path)

    assert 2 == done.status
    assert words in done.stderr
    assert not (place / "out").exists()


@pytest.mark.parametrize("text", ["0", "0B", "0 MB"])
def test_a_disk_without_a_limit(place: Path, text: str) -> None:
    """As docs/guide/unattended.md has it."""
    (place / "queue.toml").write_text(
        QUEUE.format(repeats=1, top="", bench="", watchdog="", disk="").replace("1MB", text)
    )
    assert 0.0 == Limits.of(place, queue_file.load(place / "queue.toml").disk).keep_free


def test_a_folder_without_a_queue(tmp_path: Path) -> None:
    """It is an error, for both forms of the status."""
    for words in ([], ["--follow"]):
        assert "no queue ran into this folder" in gpiorig("queue", "status", tmp_path, *words).stderr
