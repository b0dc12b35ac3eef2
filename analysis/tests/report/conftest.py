"""Debian's Chromium, headless, driven by playwright, on a page with everything on it."""

from __future__ import annotations

import functools

import chromium
import evaluations
import pytest
from tripcases import analysed
from windows import DESKTOP

from gpiorig.analysis import report
from gpiorig.analysis.delays import numbers


@pytest.fixture(scope="module")
def address(new_bench, tmp_path_factory):
    """A page with everything on it, as a file."""
    bench = new_bench()
    for id_ in range(1, 21):
        bench.round_trip(id_)
    analysis = analysed(bench.events())
    evaluation = evaluations.evaluation(
        *analysis.routes,
        evaluations.one_way(("a", "b", "c"), packets=20),
        delays=numbers.round_trips(analysis.timelines, analysis.events),
        layers=False,
        findings=False,
    )
    provenance = {"firmware": "0123456789abcdef" * 8}
    data = report.ReportData("Ping-pong", True, analysis, evaluation, provenance, ("a check that failed.",), ())
    path = tmp_path_factory.mktemp("page") / "report.html"
    report.write_report(path, data)
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    with chromium.launched() as chromium_browser:
        yield chromium_browser


@pytest.fixture(scope="module")
def windows(browser):
    """A window with a mouse and one for fingers, each in a process of its own, which takes long to start."""

    def window(has_touch):
        page = browser.new_context(has_touch=has_touch).new_page()
        page.on("console", lambda message: page.messages.append(message.text))
        page.on("pageerror", lambda error: page.messages.append(str(error)))
        page.on("request", lambda request: page.addresses.append(request.url))
        return page

    return functools.cache(window)


@pytest.fixture
def opened(windows, address):
    """Load the page as if for the first time; its messages on the console and the requested addresses are recorded."""

    def open_page(size=DESKTOP, color_scheme="light", has_touch=False, at=address):
        page = windows(has_touch)
        page.messages, page.addresses = [], []
        page.set_viewport_size(size)
        page.emulate_media(media="screen", color_scheme=color_scheme)
        page.goto(at)
        page.locator("#viewer-packets .timeline svg").wait_for()
        page.locator("#hero-packets canvas[data-from]").wait_for()
        return page

    return open_page
