"""pytest-gpiorig as users meet it: the repository of its guide, on the virtual bench, and replayed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import nestedpytest
import pytest
from commandline import ROOT, gpiorig_running

import gpiorig

PAGE = ROOT / "docs" / "guide" / "pytest.md"
FILES = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def repository(pytester: pytest.Pytester) -> pytest.Pytester:
    """The files that the page shows, each under the name in its first line."""
    files = dict(FILES.findall(PAGE.read_text("utf-8")))
    assert {"pyproject.toml", "tests/test_round_trip.py", "tests/test_baseline.py"} <= files.keys()
    for name, text in files.items():
        (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
        (pytester.path / name).write_text(text)
    return pytester


def properties(path: Path) -> dict[str, dict[str, str]]:
    """Properties of each test in JUnit's XML."""
    return {
        str(case.get("name")): {str(entry.get("name")): str(entry.get("value")) for entry in case.iter("property")}
        for case in ElementTree.parse(path).iter("testcase")
    }


@pytest.mark.slow
def test_the_repository_of_the_page(repository: pytest.Pytester) -> None:
    """Recorded on the virtual bench, with pages and properties, and kept; then replayed, which the output states."""
    words = ("--gpiorig-bench", "demo", "--gpiorig-save", "--gpiorig-output", "runs", "--junit-xml", "j.xml")
    recorded = nestedpytest.run(repository, *words)

    recorded.assert_outcomes(passed=3)
    recorded.stdout.fnmatch_lines(["gpiorig: attached: demo", "*= gpiorig =*", "virtual bench demo (3 tests)"])
    assert ["pingpong-50"] == [path.name for path in (repository.path / "runs").iterdir()], "recorded once"
    assert (repository.path / "runs/pingpong-50/report/report.html").is_file()
    of_test = properties(repository.path / "j.xml")["test_round_trip"]
    assert "virtual bench demo" == of_test["gpiorig.origin"]
    assert 5e6 < float(of_test["gpiorig.rtt.p90 [ns]"]) < 10e6
    assert 0 < float(of_test["gpiorig.uncertainty of rtt.p90 [ns]"]) < 1000

    kept = sorted((repository.path / "tests/recordings").rglob("*"))
    replayed = nestedpytest.run(repository)

    replayed.assert_outcomes(passed=3)
    replayed.stdout.fnmatch_lines(
        [
            "gpiorig: no bench is attached* in tests/recordings are replayed",
            "NOT MEASURED NOW: replay of tests/recordings/pingpong-50, *",
        ]
    )
    assert kept == sorted((repository.path / "tests/recordings").rglob("*")), "a replay writes nothing there"


@pytest.mark.slow
@pytest.mark.deep
def test_two_processes_share_a_run(repository: pytest.Pytester) -> None:
    """The second one waits for the recording, and takes it."""
    (repository.path / "tests" / "test_baseline.py").unlink()  # it needs a recording
    done = repository.runpytest_subprocess("--gpiorig-bench", "demo", "-n", "2", "--basetemp", "made")

    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["virtual bench demo (2 tests)"])
    recordings = [path.parent.name for path in (repository.path / "made").rglob("recording.toml")]
    assert ["pingpong-50"] == recordings


@pytest.mark.slow
@pytest.mark.deep
def test_boards_are_flashed_before_they_run(repository: pytest.Pytester) -> None:
    """A served bench is a bench of boards: the images are read back, and the recording states their sums."""
    words = ("demo", "--pace", "real-time", "--json", "--bench-file", repository.path / "bench.toml")
    with gpiorig_running("bench", "virtual", *words) as serving:
        assert serving.stdout is not None and serving.stdout.readline()
        options = ("--gpiorig-bench", "bench.toml", "--gpiorig-flash", "--gpiorig-save", "--gpiorig-output", "runs")
        done = nestedpytest.run(repository, *options, "-W", "ignore:without a valid certificate")

    done.assert_outcomes(passed=3)
    recording = gpiorig.open(repository.path / "runs" / "pingpong-50")
    assert {"initiator", "responder"} == recording.described.info.firmware.keys()


def test_without_bench_and_recording(repository: pytest.Pytester) -> None:
    """Tests are skipped; the reason names what records."""
    skipped = nestedpytest.run(repository, "-rs")

    skipped.assert_outcomes(skipped=3)
    skipped.stdout.fnmatch_lines(["*no recording tests/recordings/pingpong-50 to replay: run it once with *"])
    assert re.search(r"run it once with --gpiorig-bench\s+BENCH\s+--gpiorig-save", skipped.stdout.str())
