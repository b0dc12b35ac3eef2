"""The engine of batches: in this process and on processes of this machine; what dies, what fails, Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import batchwork
import pytest
from commandline import ROOT
from patience import PATIENCE_S, wait_until

from gpiorig.rig.errors import RigError
from gpiorig.rig.results import versions
from gpiorig.studies.batch import engine

ON_PROCESSES = """
import contextlib, json, os, pathlib, sys
import batchwork
from gpiorig.studies.batch import engine

if __name__ == "__main__":
    folder, before = pathlib.Path(sys.argv[1]), dict(os.environ)
    items = iter([*range(12), folder, "die", "generator"])
    with contextlib.closing(engine.run(batchwork.mixed, items, workers=2)) as run:
        print(json.dumps([(str(outcome.item), outcome.result, outcome.error) for outcome in run]))
    assert before == dict(os.environ)
"""
INTERRUPTED = """
import contextlib, pathlib, sys
import batchwork
from gpiorig.studies.batch import engine

if __name__ == "__main__":
    with contextlib.closing(engine.run(batchwork.announce_and_wait, [pathlib.Path(sys.argv[1])] * 9, workers=2)) as run:
        list(run)
"""


LISTENING = """
import contextlib, json
import batchwork
from gpiorig.studies.batch import engine

if __name__ == "__main__":
    with contextlib.closing(engine.run(batchwork.listening, range(4), workers=2)) as run:
        print(json.dumps([outcome.result for outcome in run]))
"""


@contextlib.contextmanager
def running(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A program in a session of its own, which gets the folder and has `temporary` for its files; both begin empty.

    The process that starts workers keeps a tracker of multiprocessing until its end: it is not the tests'.
    """
    place, temporary = folder.parent / "script.py", folder.parent / "temporary"
    place.write_text(script)
    folder.mkdir()
    temporary.mkdir()
    path = os.pathsep.join([str(ROOT / "tests" / "support"), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        ["env", "--default-signal=INT", sys.executable, place, folder],
        env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
    assert [] == [*temporary.iterdir()]


def test_in_this_process_without_dask() -> None:
    """One worker takes items one by one, in order, errors included, and imports no Dask."""
    started, seen = [], []

    def items():
        for number in (4, 3, 10):
            started.append(number)
            yield number

    with patch.dict(sys.modules, {"gpiorig.studies.batch.cluster": None}):
        outcomes = engine.run(batchwork.halve, items(), workers=1, progress=seen.append)
        first = next(outcomes)
        assert ([4], 2) == (started, first.result)
        rest = list(outcomes)

    assert [(4, 2, None), (3, None, "3 is odd; give an even number."), (10, 5, None)] == [
        (outcome.item, outcome.result, outcome.error) for outcome in (first, *rest)
    ]
    assert [first, *rest] == seen


def test_faults_have_a_traceback() -> None:
    """An error that no input explains is a fault, with its traceback; the next item is done."""
    fault, done = engine.run(batchwork.mixed, [None, 2], workers=1)

    assert fault.error is not None and fault.error.startswith("AssertionError") and "assert isinstance" in fault.trace
    assert (1, "") == (done.result, done.trace)


@pytest.mark.slow
def test_processes_of_this_machine(tmp_path: Path) -> None:
    """A worker that dies has its item retried; what dies always is named; results are those of one process."""
    folder = tmp_path / "marks"
    with running(ON_PROCESSES, folder) as process:
        stdout, stderr = process.communicate(timeout=PATIENCE_S)

    assert ("", 0) == (stderr, process.returncode)
    outcomes = {item: (result, error) for item, result, error in json.loads(stdout)}
    assert {*map(str, range(12)), str(folder), "die", "generator"} == set(outcomes)
    for expected in engine.run(batchwork.halve, range(12), workers=1):
        assert (expected.result, expected.error) == outcomes[str(expected.item)]
    assert ("1", None) == outcomes[str(folder)]
    assert "its worker process was killed, 3 times" in outcomes["die"][1]
    assert outcomes["generator"][1] is not None


def test_no_port_is_opened(tmp_path: Path) -> None:
    """While tasks run, no process of the batch listens on TCP, where any user of the machine could reach it."""
    with running(LISTENING, tmp_path / "marks") as process:
        stdout, stderr = process.communicate(timeout=PATIENCE_S)

    assert ("", 0) == (stderr, process.returncode)
    processes, sockets = zip(*json.loads(stdout), strict=True)
    assert min(processes) >= 3  # two workers and what started them
    assert (0, 0, 0, 0) == sockets


def descendants(session: int) -> list[str]:
    """The command lines of the processes of a session that still run."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(folder.name)) == session:
                lines.append((folder / "cmdline").read_text())
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["workers start", pytest.param("tasks run", marks=pytest.mark.deep)])
def test_ctrl_c_leaves_nothing(moment: str, tmp_path: Path) -> None:
    """Ctrl-C to all processes, as a terminal sends it, ends them at any moment, without a word of theirs."""
    marks = tmp_path / "marks"
    with running(INTERRUPTED, marks) as process:
        if moment == "tasks run":
            wait_until(lambda: len([*marks.iterdir()]) == 2)
        else:
            wait_until(lambda: any("spawn_main" in line for line in descendants(process.pid)))
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)

    assert 1 == stderr.count("Traceback") and stderr.endswith("KeyboardInterrupt\n"), stderr
    assert [] == [mark for mark in marks.iterdir() if Path("/proc", mark.name).exists()]


@pytest.mark.slow
def test_a_parent_that_is_killed_leaves_no_worker(tmp_path: Path) -> None:
    """It cannot end them itself."""
    marks = tmp_path / "marks"
    with running(INTERRUPTED, marks) as process:
        wait_until(lambda: len([*marks.iterdir()]) == 2)
        process.kill()
        wait_until(lambda: not any(Path("/proc", mark.name).exists() for mark in marks.iterdir()))


def test_processes_that_do_not_start(tmp_path: Path) -> None:
    """A program without a guard would start itself again and again: one error states what to do."""
    unguarded = LISTENING.replace('if __name__ == "__main__":', "if True:")
    with running(unguarded, tmp_path / "marks") as process:
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert (1, True) == (process.returncode, "a process of --workers does not start" in stderr.splitlines()[-1])


def test_an_item_that_cannot_be_sent() -> None:
    """It has an outcome, and the others are done."""
    items = [2, (number for number in range(3)), 4]
    with contextlib.closing(engine.run(batchwork.halve, items, workers=2)) as run:
        outcomes = {str(outcome.item)[:10]: outcome for outcome in run}
    assert (1, 2) == (outcomes["2"].result, outcomes["4"].result)
    assert "could not reach its worker" in str(outcomes["<generator"].error)


@pytest.mark.parametrize("workers", [0, -1])
def test_wrong_numbers_of_workers(workers: int) -> None:
    """A number of workers that cannot be is refused, and so are two answers to one question."""
    with pytest.raises(RigError, match="give 1 or more"):
        next(engine.run(batchwork.halve, [2], workers=workers))
    with pytest.raises(RigError, match="not both"):
        next(engine.run(batchwork.halve, [2], workers=2, scheduler="tcp://127.0.0.1:1"))


def test_versions_that_differ_are_named() -> None:
    """Both versions are in the sentence; equal ones give none."""
    here = versions.here()

    assert [] == versions.differences(here, dict(here))
    assert [f"gpiorig 0.0.9 there, {here['gpiorig']} here"] == versions.differences(here, here | {"gpiorig": "0.0.9"})
    assert [f"scipy none there, {here['scipy']} here"] == versions.differences(
        here, {name: version for name, version in here.items() if name != "scipy"}
    )
