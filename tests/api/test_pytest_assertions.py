"""Assertions of pytest-gpiorig: what holds, what does not, what cannot be judged, and what is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nestedpytest
import pytest
from commandline import Demo, gpiorig

import gpiorig as gpiorig_api
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import names
from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.run import record
from pytest_gpiorig import lock
from pytest_gpiorig.bench import Bench
from pytest_gpiorig.lab import Lab, Wish
from pytest_gpiorig.run import Run

HEAD = 'import pytest\nfrom pytest_gpiorig import ms, percent, us\npytestmark = pytest.mark.experiment("pingpong")\n'
HOLD = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def replay(pytester: pytest.Pytester, demo: Demo) -> pytest.Pytester:
    """A project without a bench, and the demo as the recording that it replays."""
    (pytester.path / "recordings").mkdir()
    (pytester.path / "recordings" / "pingpong").symlink_to(demo.folder)
    return pytester


def run(project: pytest.Pytester, body: str, *words: str) -> pytest.RunResult:
    """Tests of this text, in this process."""
    project.makepyfile(HEAD + body)
    return nestedpytest.run(project, *words)


def test_a_limit_that_does_not_hold(replay: pytest.Pytester, demo: Demo) -> None:
    """The value and its ±, a distribution of all packets, the packet that `gpiorig packets` finds; a page of it."""
    failed = run(replay, "def test_it(run):\n    assert run.rtt.max < ms(1)\n")

    failed.assert_outcomes(failed=1)
    text = failed.stdout.str()
    (slowest,) = gpiorig("packets", demo.folder, "--slowest", "1", "--json").numbers["packets"]
    value_us, expanded_us = re.findall(r"rtt\.max < 1 ms: does not hold: initiator: rtt: ([\d.]+) ± ([\d.]+) µs", text)[
        0
    ]
    assert slowest["delay_ns"] == pytest.approx(1000 * float(value_us), abs=1000 * float(expanded_us))
    assert f"greatest: packet {slowest['id']} " in text
    assert slowest["steps"][0]["step"] in text
    counts = [int(count) for count in re.findall(r"^[\d.]+ ms \| #* +(\d+)$", text, re.MULTILINE)]
    assert demo.numbers["packets_timelined"] == sum(counts)
    assert Path(re.findall(r"page: (\S+)", text)[0]).is_file()
    assert not (demo.folder / "report").samefile(Path(re.findall(r"page: (\S+)", text)[0]).parent)


def test_a_limit_within_the_uncertainty_cannot_be_judged(replay: pytest.Pytester) -> None:
    """Neither it nor its opposite passes; a limit that is further away is judged."""
    body = """
@pytest.mark.parametrize("off_ns", [-900, -200, 0, 200, 900])
@pytest.mark.parametrize("is_less", [True, False])
def test_it(run, off_ns, is_less):
    limit = f"{float(run.rtt.median) + off_ns} ns"
    assert run.rtt.median < limit if is_less else run.rtt.median > limit
"""
    result = run(replay, body)

    result.assert_outcomes(passed=2, failed=8)
    assert 6 == len(
        re.findall(
            r"^E .*CannotBeJudged: rtt\.median .*: cannot be judged \(the limit is within ± 4\d\d ns",
            result.stdout.str(),
            re.MULTILINE,
        )
    )


def test_what_more_packets_may_show(replay: pytest.Pytester) -> None:
    """A limit within the interval is kept and listed; its end is asserted by `.high`; texts that fail are all named."""
    body = """
def test_listed(run):
    assert run.rtt.p99 < ms(12)
def test_lacks_an_end(run):
    assert run.rtt.p99.high < ms(12)
def test_has_an_end(run):
    assert run.rtt.median.high < ms(12)
    assert run.loss.high < percent(10)
def test_texts(run):
    run.assert_limits("rtt.p99 < 1 ms", "loss < 1 %", "p99(mac.tx -> mac.rx) < 1 ms", "goodput > 1 kbit/s")
"""
    result = run(replay, body)

    result.assert_outcomes(passed=2, failed=2)
    failed = re.findall(r"^E +(?:AssertionError: )?(\S.*?): does not hold", result.stdout.str(), re.MULTILINE)
    assert ["rtt.p99 < 1 ms", "mac.tx -> mac.rx.p99 < 1 ms"] == failed
    result.stdout.fnmatch_lines(
        [
            "*rtt.p99.high < 12 ms: cannot be judged (too few values for an upper end: 368 independent ones are*",
            "*test_listed: rtt.p99 < 12 ms: holds, but more packets may show otherwise: *",
        ]
    )


def test_names_and_units_that_are_refused(replay: pytest.Pytester) -> None:
    """Each error is one of the test, without a traceback of the analysis, and says what to write."""
    body = """
@pytest.mark.parametrize("text", [
    "run.rtt.p99 < 9", "run.rtt < ms(9)", "run.rtt.p99 < percent(1)", "run.rtt.p990", "run.loss.p99 < percent(1)",
    "run.rtt.p99 == ms(9)", "run.rtt.p99 < run.rtt.max", "run.round_trip",
    "run['mac.tx -> mac.xx']", "float(run.stack.max)",
])
def test_it(run, text):
    eval(text)
"""
    text = run(replay, body, "--tb=short").stdout.str()

    for error in (
        "TypeError: rtt.p99 is a time, and 9 has no unit: write it like ms(9), percent(1) or '4 kbit/s'.",
        "TypeError: `rtt` has many values: compare a statistic of it, such as .p99 or .max, with a limit.",
        "QuantityError: assertion `rtt.p99 < 1 %`: the unit is `%`; it must be ns or us or",
        "AttributeError: `rtt` has no 'p990'; its statistics are min, p5, median,",
        "AttributeError: `loss` has one value and no 'p99': compare it itself, or .low, .high.",
        "TypeError: rtt.p99 was measured: compare it by <, <=, > or >=, and not by == or !=.",
        "TypeError: rtt.p99 is compared with a limit, and <rtt.max: initiator: rtt: ",
        "AttributeError: a run has no 'round_trip', and as a quantity it is not understood: quantity `round_trip`: not",
        "QuantityError: quantity `mac.tx -> mac.xx`: no milestone `mac.xx`; did you mean `mac.tx`?",
        "TypeError: stack.max has 18 values: ",
    ):
        assert error in text
    assert "site-packages" not in text


@pytest.mark.slow
def test_an_earlier_run(replay: pytest.Pytester, demo: Demo) -> None:
    """A threshold that a run without backoff lets it exceed, one that it keeps, and one in the other direction."""
    bench = benches.load(file := names.bench(Path("demo")))
    experiment = experiments.load(names.experiment(Path("nocsma")), bench, packets=30)
    firmware = images.images(bench, experiment, bench_file=file)
    base = replay.path / "base"
    record.record(bench, experiment, bench_file=file, output=base, firmware=firmware, directly=True)
    body = """
def test_same(run):
    run.assert_against(run.folder)
@pytest.mark.parametrize("limit", ["rtt.median +5 %", "rtt.median -5 %", "loss +1 %"])
def test_slower(run, limit):
    run.assert_against("base", limit)
def test_any_change(run):
    run.assert_against("base")
"""
    result = run(replay, body)

    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["E*rtt.median +5 %: exceeded*", "E*the runs differ, and no threshold allows it"])
    assert 1 == gpiorig("compare", base, demo.folder, "--assert", "rtt.median +5 %").status


def test_a_recording_that_is_not_complete(replay: pytest.Pytester, demo: Demo) -> None:
    """The fixture fails with the state, unless the mark accepts the run."""
    (replay.path / "recordings" / "pingpong").unlink()
    cut = Path(shutil.copytree(demo.folder, replay.path / "recordings" / "pingpong"))
    Recording.open(cut).update(state="incomplete", reason="unplugged")
    body = """
def test_it(run):
    pass
@pytest.mark.experiment("pingpong", unchecked=True)
def test_accepted(run):
    assert run.recording.state == "incomplete"
"""
    result = run(replay, body)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*it is incomplete", "*Unplugged.", "`unchecked=True` of the experiment accepts*"])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("def test_it(run): pass", None),
        ("@pytest.mark.experiment()\ndef test_it(run): pass", "the mark is written experiment(name, packets=N, *"),
        ("@pytest.mark.experiment('pingpnog')\ndef test_it(run): pass", "*did you mean `pingpong`?*"),
        ("@pytest.mark.bench('labratory.toml')\ndef test_it(bench): pass", "*no file and no bench has this name*"),
        ("@pytest.mark.bench\ndef test_it(bench): pass", "*the mark is written bench(name)*"),
    ],
)
def test_marks_that_are_wrong(pytester: pytest.Pytester, body: str, error: str | None) -> None:
    """They are errors of the test that say how the mark is written."""
    pytester.makepyfile(f"import pytest\n{body}\n")
    result = nestedpytest.run(pytester, "--gpiorig-bench", "demo")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{error or 'the fixture `run` needs the mark of an experiment: *'}"])


@pytest.mark.slow
@pytest.mark.deep
def test_fixtures_of_the_bench(pytester: pytest.Pytester) -> None:
    """`bench` records anew each time, `capture` without an experiment; a run that takes too long is ended."""
    pytester.makepyfile(
        HEAD
        + """
@pytest.mark.bench("demo")
def test_bench(bench, capture):
    assert bench.virtual and bench.nodes == ("initiator", "responder")
    runs = [bench.run("pingpong", packets=3) for _ in range(2)]
    assert runs[0].folder != runs[1].folder
    assert [3, 3] == [run.recording.numbers["packets_sent"] for run in runs]
    assert runs[1].rtt.max < ms(1)
@pytest.mark.bench("demo")
def test_capture(capture):
    assert "initiator.strobe" in capture(0.05).channels
@pytest.mark.bench("demo")
@pytest.mark.experiment("pingpong", packets=60_000, timeout_s=0.5)
def test_slow(run):
    pass
"""
    )
    result = nestedpytest.run(pytester)

    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*- rtt.max < 1 ms -*", "virtual bench demo", "recording: *run1", "recording: *run2"])
    result.stdout.fnmatch_lines(["*demo.toml: pingpong: not finished within 0.5 s: *"])


def test_processes_of_a_session_share_a_run(demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one takes what the first has recorded; of another session, it is recorded again."""
    recorded = []

    def run_once(bench: Bench, experiment: str, *, output: Path, **_: object) -> Run:
        recorded.append(experiment)
        shutil.copytree(demo.folder, output)
        return Run(gpiorig_api.open(output), "virtual bench demo", output)

    monkeypatch.setattr(Bench, "run", run_once)
    for place, count in (("a", 1), ("a", 1), ("b", 2)):
        lab = Lab(tmp_path, ("demo",), tmp_path / "recordings", tmp_path / place)
        shared = lab.run(Wish("pingpong", unchecked=True))
        assert (tmp_path / place / "pingpong", count) == (shared.folder, len(recorded))
        assert "virtual bench demo" == shared.origin


def test_a_bench_is_used_by_one_process_at_a_time(tmp_path: Path) -> None:
    """A second one waits, then names the option; the end of the first, however it ends, gives the bench back."""
    bench = tmp_path / "bench.toml"
    bench.write_text("")
    with subprocess.Popen([sys.executable, "-c", HOLD, bench], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert b"held\n" == other.stdout.readline()
            with pytest.raises(lock.BenchInUseError, match="--gpiorig-wait"), lock.held(bench, patience_s=0.05):
                pass
        finally:
            other.kill()
    with lock.held(bench, patience_s=5):
        pass
