"""What holds for every test: how deep the suite goes, and how much processor time a test may take."""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest
from depth import DEEP

pytest_plugins = ["leftovers", "compilers", "pytester"]

# The same examples in every run, so that a change is what fails a test; the deep suite looks for new ones.
hypothesis.settings.register_profile("usual", derandomize=True)
if not DEEP:
    hypothesis.settings.load_profile("usual")

SLOW_CPU_S = 3.0  # a test that takes more is marked slow, or made cheaper

_began = pytest.StashKey[float]()  # processor time at the start of a test, moved on by what its shared fixtures take


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare what is collected the search for garbage: half a million objects, of which none is any."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """What is left is freed at the end, as extensions expect."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the deep tests to `make test-deep`; tests of the demo wait for its recording, so they are slow.

    Files with many slow tests come first: files are handed out to the processes, and small ones fill the end.
    """
    slow: Counter[Path] = Counter()
    for item in items:
        if item.get_closest_marker("deep") and not DEEP:
            item.add_marker(pytest.mark.skip(reason="runs in `make test-deep`"))
        if "demo" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
        slow[item.path] += item.get_closest_marker("slow") is not None
    items.sort(key=lambda item: -slow[item.path])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start to count."""
    item.config.stash[_began] = processor_s()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Exclude what several tests share: the first of them is not charged with it."""
    before_s = processor_s()
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            request.config.stash[_began] += processor_s() - before_s


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is slow and not marked so."""
    report = yield
    if report.when == "call" and report.passed and not item.get_closest_marker("slow") and not _is_slowed_down():
        took_s = processor_s() - item.config.stash[_began]
        if took_s > SLOW_CPU_S:
            report.outcome = "failed"
            report.longrepr = (
                f"took {took_s:.1f} s of processor time, more than {SLOW_CPU_S:g} s: make it cheaper, or mark it slow"
            )
    return report


def _is_slowed_down() -> bool:
    """Whether tests take longer than usual: in the deep suite, under coverage, and where cores share too many tasks."""
    return DEEP or "coverage" in sys.modules or os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def processor_s() -> float:
    """Processor time of this process and of the children that it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
