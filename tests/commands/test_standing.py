"""Every command that reads a recording states its state, and its exit status follows that."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from commandline import Demo, gpiorig

import gpiorig as interface
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.commands.look import view_work as view
from gpiorig.rig.commands.record import run_work as run_command

REASON = "the analyzer has sent nothing for 2 s"
IRQ = "initiator.tap.irq:rise"
# Calls on RUN, and whether their results claim something of all of it; OTHER is complete.
CALLS = {
    "batch RUN -o OUT --workers 1 --do decode": True,
    "clocks RUN": False,
    "compare RUN OTHER": True,
    "compare OTHER RUN": True,
    "decode RUN -P uart:rx=initiator.uart_tx": False,
    "decode --wiring RUN --node initiator": False,
    "export RUN -o OUT.csv --to 100sa": False,
    "firmware selftest RUN --os reference": False,
    "info RUN": False,
    "latency RUN --value rx_us=(?P<value>\\d+) --time-unit us": False,
    f"measure RUN --period {IRQ}": False,
    "packets RUN": False,
    "export RUN --pulseview --from 0sa --to 100sa -o OUT.sr": False,
    "report RUN -o OUT": True,
    "report RUN --reproduce": True,
    "serial RUN": False,
    "store add RUN -s STORE": False,
    "view RUN": False,
    "view RUN --follow": True,
}
SEVERAL = "compare RUN OTHER -o OUT"
WITHOUT = ("batch ", "export RUN --pulseview", "view RUN$")  # an object about a recording, for programs
# Commands without such a call, and why.
OTHERS = {
    "bench": "reads no recording",
    "capture": "records; tests/capture",
    "demo": "records, then reports",
    "doctor": "reads no recording",
    "flash": "reads no recording",
    "import": "records; rig/tests/recordings/test_import_files.py",
    "merge": "records; tests/capture/test_two_analyzers.py",
    "radio": "needs a radio bus; tests/commands/test_json.py",
    "run": "records; test_a_run_without_a_report",
    "study": "states how each of its points ended",
}

LISTED = {call.split()[0] for call in CALLS} | OTHERS.keys()
CALLS |= {f"{command} RUN": False for command in COMMANDS if command not in LISTED}


@pytest.fixture(autouse=True)
def unserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """`view` ends where it would serve."""
    monkeypatch.setattr(view, "_serve_pages", lambda *arguments: None)


def cut(demo: Demo, folder: Path, state: str) -> Path:
    """A copy of the demo without its report, in another state."""
    shutil.copytree(demo.folder, folder, ignore=shutil.ignore_patterns("report", "*.parquet"))
    info = description.load(folder / DESCRIPTION)
    changes: dict[str, dict[str, object]] = {
        "complete": {},
        "incomplete": {"state": "incomplete", "reason": REASON},
        "interrupted": {"state": "capturing", "files": {}},
    }
    description.write(folder, description.changed(info, changes[state], where=folder))
    if state == "interrupted":  # as a killed process leaves it: without an end
        segment = max(folder.glob("edges/*.seg"))
        os.truncate(segment, segment.stat().st_size - 1)
    return folder


@pytest.fixture(scope="module", params=["complete", "incomplete", "interrupted"])
def recording(request: pytest.FixtureRequest, demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A recording, and its state."""
    return cut(demo, tmp_path_factory.mktemp("standing") / "run", request.param), request.param


def words(call: str, run: Path, demo: Demo, tmp_path: Path) -> list[str]:
    """The words of a call; OUT and STORE are in a folder of their own."""
    places = {"RUN": str(run), "OTHER": str(demo.folder)}
    return [
        places.get(word, word.replace("OUT", f"{tmp_path}/out").replace("STORE", f"{tmp_path}/store"))
        for word in call.split()
    ]


def stated(numbers: Any) -> list[str]:
    """The states in the fields of a result, wherever it has an object about a recording."""
    if isinstance(numbers, list):
        return [state for inner in numbers for state in stated(inner)]
    if not isinstance(numbers, dict):
        return []
    own = [numbers["state"]] if isinstance(numbers.get("remarks"), list) and "state" in numbers else []
    return own + [state for inner in numbers.values() for state in stated(inner)]


def test_there_is_each_command_that_is_listed() -> None:
    """Any other is called on a recording, of whose whole its result claims nothing."""
    assert set() == LISTED - COMMANDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_its_state_is_stated_and_decides(call: str, recording: tuple[Path, str], demo: Demo, tmp_path: Path) -> None:
    """The state once in the text; a result about all of what is not complete has status 1, others 0."""
    run, state = recording
    done = gpiorig(*words(call, run, demo, tmp_path))
    assert int(CALLS[call] and state != "complete") == done.status, done.stderr
    lines = [
        line for line in (done.stdout + done.stated + done.stderr).splitlines() if state in line and str(run) in line
    ]
    if call.startswith("info"):
        lines = [line for line in done.stdout.splitlines() if line.startswith(f"  {state}")]
    elif call.endswith("--follow"):
        lines = [line for line in done.stdout.splitlines() if line.startswith(state)]
    elif call.startswith("batch") and state == "complete":
        return  # its table has the state of each
    assert 1 == len(lines), done.stdout + done.stated + done.stderr
    assert not (call.startswith("compare") and state != "complete" and "Lost: " in done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("call", [*(call for call in CALLS if not f"{call}$".startswith(WITHOUT)), SEVERAL])
def test_programs_get_it_in_one_form(call: str, demo: Demo, tmp_path: Path) -> None:
    """With `--json` the object about a recording has `state` and `remarks`; rows have none, and stderr has it."""
    run = cut(demo, tmp_path / "run", "incomplete")
    done = gpiorig(*words(call, run, demo, tmp_path), "--json")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert int(CALLS.get(call, True)) == done.status, done.stderr
    if call.startswith(("decode RUN", "serial")):
        assert "incomplete" in done.stderr
        return
    assert "incomplete" in stated(results), done.stdout
    assert REASON.removeprefix("the ") in json.dumps(results)


@pytest.mark.slow
def test_a_quiet_command_states_what_is_not_complete(recording: tuple[Path, str]) -> None:
    """With `-q` a complete recording is not mentioned, another one is."""
    run, state = recording
    done = gpiorig("packets", run, "-q")
    assert (state != "complete") == (f"{run}: {state}" in done.stated + done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("state", ["complete", "incomplete"])
def test_a_run_without_a_report(state: str, demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its status is 1 for a recording that is not complete, with the reason."""
    recorded = Recording.open(cut(demo, tmp_path / "run", state))
    monkeypatch.setattr(run_command, "record", lambda *bench, **options: recorded)
    call = ("run", "demo", "pingpong", "-o", tmp_path / "new", "--no-report")
    done, as_json = gpiorig(*call), gpiorig(*call, "--json")

    assert [int(state != "complete")] * 2 == [done.status, as_json.status]
    assert f"{recorded.folder}: {state}\n" in done.stated + done.stderr
    assert (state, recorded.info.reason) == (as_json.numbers["state"], as_json.numbers["reason"])


@pytest.mark.slow
def test_from_python(demo: Demo, tmp_path: Path) -> None:
    """A run has its state, and remarks with the reason."""
    run = interface.open(cut(demo, tmp_path / "run", "incomplete"))
    assert ("incomplete", True) == (run.state, run.virtual)
    assert any(REASON.removeprefix("the ") in remark for remark in run.remarks)
