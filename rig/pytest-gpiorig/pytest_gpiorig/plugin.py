"""The plugin of pytest: options, markers, fixtures, what is kept of each test, and the summary."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest._code.code import ExceptionRepr  # pytest has no public name for it

if TYPE_CHECKING:  # they import the analysis, which a session without a run does not need
    from gpiorig import Recording
    from pytest_gpiorig.bench import Bench
    from pytest_gpiorig.lab import Lab, Wish
    from pytest_gpiorig.run import Run

WAIT_S = 600.0
EXPERIMENT_MARK = "experiment(name, packets=N, timeout_s=S, unchecked=False): what the fixture `run` records"
BENCH_MARK = "bench(name): the bench of this test, attached by --gpiorig-bench, or a virtual one"
ABSENT = "no bench, and no recording"  # in the reason of a test that is skipped
ORIGIN, UNSURE = "gpiorig.origin", "gpiorig.unsure"  # names of properties that the summary reads
_lab = pytest.StashKey["Lab"]()
_run = pytest.StashKey["Run"]()
_bench = pytest.StashKey["Bench"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which benches, and what is kept."""
    group = parser.getgroup("gpiorig", "benches of gpiorig")
    group.addoption(
        "--gpiorig-bench",
        action="append",
        default=[],
        metavar="BENCH",
        help="a bench that is attached: a file, or a name of `gpiorig bench list`; may be repeated, the last is that "
        "of tests that name none. `none`: replay recordings",
    )
    group.addoption("--gpiorig-save", action="store_true", help="keep new recordings as those to replay")
    group.addoption("--gpiorig-output", type=Path, metavar="DIR", help="keep recordings and a page of each there")
    group.addoption("--gpiorig-flash", action="store_true", help="flash boards that do not hold their image first")
    group.addoption(
        "--gpiorig-wait", type=float, default=WAIT_S, metavar="S", help=f"how long to wait for a bench ({WAIT_S:g} s)"
    )
    parser.addini("gpiorig_recordings", "folder of the recordings to replay (recordings)", default="recordings")


def pytest_configure(config: pytest.Config) -> None:
    """State the markers; reports are summed up."""
    for mark in (EXPERIMENT_MARK, BENCH_MARK):
        config.addinivalue_line("markers", mark)
    config.pluginmanager.register(Summary(), "gpiorig-summary")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Which benches are attached; nothing in a project without benches and recordings."""
    benches, recordings = config.getoption("--gpiorig-bench"), _recordings(config)
    if benches and benches[-1] != "none":
        return f"gpiorig: attached: {', '.join(benches)}"
    if benches or recordings.is_dir():
        folder = config.getini("gpiorig_recordings")
        return f"gpiorig: no bench is attached (--gpiorig-bench BENCH): recordings in {folder} are replayed"
    return None


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """The bench of the test, which no other process has meanwhile: ``bench.run("pingpong", packets=50)``."""
    with _plainly():
        lab = _of_session(request.config)
        place = lab.output / re.sub(r"\W+", "-", request.node.nodeid) if lab.output else tmp_path
        chosen = lab.bench(_bench_name(request.node), place)
        held = chosen.held()
        held.__enter__()
    request.node.stash[_bench] = chosen
    try:
        yield chosen
    finally:
        held.__exit__(None, None, None)


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Run:
    """The run that the mark `experiment` asks for, which tests with an equal mark share."""
    wish = _wish(request.node)
    with _plainly():
        shared = _of_session(request.config).run(wish)
    request.node.stash[_run] = shared
    return shared


@pytest.fixture
def recording(run: Run) -> Recording:
    """The recording of `run`, as `gpiorig.open` gives it."""
    return run.recording


@pytest.fixture
def capture(bench: Bench) -> Callable[[float], Recording]:
    """The function that records the lines of `bench` for some seconds, and returns the recording."""
    return bench.capture


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """The sentence of a comparison that does not hold; the distribution follows in a section, which is not cut."""
    quantity = sys.modules.get("pytest_gpiorig.quantity")  # without it there is no run to compare
    judgement = quantity.judgement_of(op, left, right) if quantity else None
    return None if judgement is None else [judgement.sentence]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a report what was judged, where the numbers are from, and the page."""
    report = yield
    runs = [item.stash[_run]] if _run in item.stash else []
    runs += item.stash[_bench].runs if _bench in item.stash else []
    if call.when != "call" or not runs:
        return report
    from pytest_gpiorig.evidence import take

    keeps_pages = item.config.getoption("--gpiorig-output") is not None
    evidence = take(runs, failed=report.failed, keeps_pages=keeps_pages)
    if report.failed and isinstance(report.longrepr, ExceptionRepr):
        for title, lines in evidence.sections:
            report.longrepr.addsection(title, "\n".join(lines))
    item.user_properties += evidence.properties
    report.user_properties = [*item.user_properties]
    return report


class Summary:
    """What the reports of a session state, at its end; those of workers of pytest-xdist, too.

    Parameters
    ----------
    session
        The configuration of the session.
    """

    def __init__(self) -> None:
        self._origins: Counter[str] = Counter()
        self._unsure: list[str] = []
        self._absent = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count origins and what could not be run, and keep what more packets may show otherwise."""
        self._absent += report.skipped and ABSENT in str(report.longrepr)
        if report.when == "call":
            for name, value in report.user_properties:
                self._origins[str(value)] += name == ORIGIN
                self._unsure += [f"{report.nodeid}: {value}"] if name == UNSURE and report.passed else []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Where the numbers are from; which of them were replayed is never left out."""
        origins = {origin: tests for origin, tests in self._origins.items() if tests}
        if not origins and not self._absent:
            return
        terminalreporter.section("gpiorig")
        if self._absent:
            counted = f"{self._absent} test{'s' * (self._absent > 1)}"
            terminalreporter.line(f"NOT RUN: {counted}, {ABSENT} to replay; -rs shows how to record", yellow=True)
        for origin, tests in sorted(origins.items()):
            counted = f"{tests} test{'s' * (tests > 1)}"
            if origin.startswith("replay"):
                terminalreporter.line(f"NOT MEASURED NOW: {origin} ({counted})", yellow=True)
            else:
                terminalreporter.line(f"{origin} ({counted})")
        for line in self._unsure:
            terminalreporter.line(line)


def _recordings(config: pytest.Config) -> Path:
    folder: Path = config.rootpath / config.getini("gpiorig_recordings")
    return folder


def _of_session(config: pytest.Config) -> Lab:
    """The session's benches and recordings, made when the first test asks."""
    if _lab not in config.stash:
        from pytest_gpiorig.lab import Lab

        base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        is_worker = hasattr(config, "workerinput")
        output: Path | None = config.getoption("--gpiorig-output")
        config.stash[_lab] = Lab(
            root=config.rootpath,
            attached=tuple(config.getoption("--gpiorig-bench")),
            recordings=_recordings(config),
            place=(base.parent if is_worker else base) / "gpiorig",
            output=None if output is None else config.invocation_params.dir / output,
            saves=config.getoption("--gpiorig-save"),
            flashes=config.getoption("--gpiorig-flash"),
            patience_s=config.getoption("--gpiorig-wait"),
        )
    return config.stash[_lab]


def _bench_name(item: pytest.Item) -> str:
    """The bench that a test's mark names; empty without a mark."""
    mark = item.get_closest_marker("bench")
    if mark is None:
        return ""
    if len(mark.args) != 1 or mark.kwargs:
        raise pytest.UsageError(f"{item.nodeid}: the mark is written {BENCH_MARK.partition(':')[0]}.")
    return str(mark.args[0])


def _wish(item: pytest.Item) -> Wish:
    """What the mark `experiment` asks for."""
    from pytest_gpiorig.lab import Wish

    mark = item.get_closest_marker("experiment")
    example = '@pytest.mark.experiment("pingpong", packets=50)'
    if mark is None:
        raise _wrong(f"{item.nodeid}: the fixture `run` needs the mark of an experiment: {example}")
    try:
        return dataclasses.replace(Wish(*mark.args, **mark.kwargs), bench=_bench_name(item))
    except TypeError as error:
        form = EXPERIMENT_MARK.partition(":")[0]
        raise _wrong(f"{item.nodeid}: the mark is written {form}, such as {example}: {error}") from None


def _wrong(text: str) -> BaseException:
    """A failure without a traceback: what is wrong is in the test."""
    return pytest.fail.Exception(text, pytrace=False)


@contextmanager
def _plainly() -> Iterator[None]:
    """Errors whose text says what to do are printed without a traceback; what is absent is skipped."""
    from gpiorig import Error
    from pytest_gpiorig.lab import AbsentError

    try:
        yield
    except AbsentError as error:
        raise pytest.skip.Exception(str(error), _use_item_location=True) from None
    except Error as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
