"""The served page in a real browser: Debian's Chromium, headless, driven by playwright."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import chromium
import numpy as np
import pytest
from growing import PACKETS, Growing
from playwright.sync_api import Browser, Locator, Page, expect
from servedruns import serving

from gpiorig.analysis.packets.routes import Route
from gpiorig.rig.view import live_feed
from gpiorig.rig.view.shown_run import ShownRun

pytestmark = pytest.mark.slow
Served = tuple[str, list[ShownRun]]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
PATIENCE_MS = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium.launched() as launched:
        yield launched


@pytest.fixture(scope="module")
def window(browser: Browser) -> Page:
    """One window for all tests: its process takes long to start."""
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE_MS)
    return page


@pytest.fixture
def messages() -> list[str]:
    """What was on the console."""
    return []


@pytest.fixture
def opened(window: Page, served: Served, messages: list[str]) -> Iterator[Callable[..., Page]]:
    """Loads a page; at the end nothing is on the console, and nothing was asked of another server."""
    addresses: list[str] = []
    listeners = {
        "console": lambda message: messages.append(message.text),
        "pageerror": lambda error: messages.append(str(error)),
        "request": lambda request: addresses.append(request.url),
    }
    for name, listener in listeners.items():
        window.on(name, listener)  # type: ignore[call-overload]

    def open_page(path: str = "/runs/1/", *, width: int = 1120, scheme: str = "light") -> Page:
        window.set_viewport_size({"width": width, "height": 900})
        window.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        window.goto(served[0] + path)
        window.locator(".edges canvas[data-exact]").wait_for()
        return window

    yield open_page
    for name, listener in listeners.items():
        window.remove_listener(name, listener)
    assert [] == messages
    assert [] == [address for address in addresses if not address.startswith(f"{served[0]}/")]


@pytest.fixture
def route(served: Served) -> Route:
    return served[1][0].analysis.routes[0]


def canvas(page: Page) -> Locator:
    """The picture of the edges, in view."""
    picture = page.locator(".edges canvas")
    picture.scroll_into_view_if_needed()
    return picture


def shown(page: Page) -> tuple[float, float]:
    """First and last instant of the edges, in ns."""
    picture = page.locator(".edges canvas")
    return float(picture.get_attribute("data-from") or "nan"), float(picture.get_attribute("data-to") or "nan")


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(400):
        if holds():
            return
        page.wait_for_timeout(25)
    raise AssertionError("still not so")


def middle(page: Page, channel: int) -> tuple[float, float]:
    """The middle of the window on the track of a channel of the first node."""
    box = canvas(page).bounding_box()
    assert box is not None
    left = min(170, max(92, box["width"] * 0.17))
    return box["x"] + left + (box["width"] - left - 8) / 2, box["y"] + 18 + 20 * channel + 10


def test_any_packet_opens_with_all_layers(opened: Callable[..., Page], route: Route) -> None:
    """A packet that a file has the steps of only: with the lanes of all layers, and its edges beneath."""
    page = opened()
    row = int(np.argsort(route.totals, kind="stable")[1])  # neither median nor slowest
    with page.expect_response(re.compile(rf"/runs/1/packet/{route.ids[row]}\?at={route.starts[row]}$")):
        page.evaluate(f"location.hash = 'packet={route.ids[row]}'")
    lanes = page.locator("#viewer-packets .timeline text")
    expect(lanes.filter(has_text=re.compile("^instants$"))).to_have_count(2)
    assert {"udp", "6lowpan", "air"} <= {*lanes.all_text_contents()}
    period_ns = 1e9 / float(route.steps.samplerate_hz)
    start, end = shown(page)
    first, last = route.starts[row] * period_ns, (route.starts[row] + route.totals[row]) * period_ns
    assert start < first < last < end
    assert end - start == pytest.approx(1.1 * (last - first), rel=1e-3)
    command = page.locator("#viewer-packets .command code").inner_text()
    assert re.fullmatch(rf"gpiorig export /\S+/run --pulseview --packet {route.ids[row]} --open", command)


def test_a_packet_of_the_file_gets_its_surroundings_too(opened: Callable[..., Page]) -> None:
    """The median packet, whose button stays pressed; what is named has its length, or its instant."""
    page = opened()
    expect(page.locator("#viewer-packets .timeline text").filter(has_text=re.compile("^instants$"))).to_have_count(2)
    assert "true" == page.locator("#viewer-packets button.which").first.get_attribute("aria-pressed")
    box = page.locator("#viewer-packets rect.other").first
    box.scroll_into_view_if_needed()
    box.hover(force=True)
    expect(page.locator("#viewer-packets .tip")).to_be_visible()
    page.locator("#viewer-packets .timeline").focus()
    page.keyboard.press("n")
    expect(page.locator("#viewer-packets .readout")).to_contain_text("lasts")


def test_a_lost_packet_by_its_id(opened: Callable[..., Page], route: Route, served: Served) -> None:
    """The field finds what no row shows, and states what is not there."""
    hops = served[1][0].analysis.hops
    assert hops is not None
    lost = sorted({*hops.packets.ids.tolist()} - {*route.ids.tolist()})[0]
    page = opened()
    field, button = page.locator("#viewer-packets .any input"), page.locator("#viewer-packets .any button")
    before = shown(page)
    field.fill(str(lost))
    button.click()
    expect(page.locator("#viewer-packets .packet-text")).to_contain_text(f"Packet {lost}: no reply reached")
    until(page, lambda: shown(page) != before)


def test_a_packet_that_is_not_there(opened: Callable[..., Page], messages: list[str]) -> None:
    """The reason is next to the field."""
    page = opened()
    page.locator("#viewer-packets .any input").fill("not a number")
    with page.expect_response(re.compile("/packet/not")):
        page.locator("#viewer-packets .any button").click()
    expect(page.locator("#viewer-packets .any output")).to_contain_text("packet/ID")
    assert ["404"] == [text for message in messages for text in re.findall(r"status of (\d+)", message)]
    messages.clear()


def test_edges_zoom_and_move(opened: Callable[..., Page]) -> None:
    """Ctrl and the wheel about the pointer, dragging, buttons and keys; the wheel alone scrolls the page."""
    page = opened()
    first, last = shown(page)
    x, y = middle(page, 1)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    until(page, lambda: shown(page)[1] - shown(page)[0] < 0.7 * (last - first))
    near = shown(page)
    assert sum(near) / 2 == pytest.approx((first + last) / 2, abs=(last - first) / 100)
    page.mouse.down()
    page.mouse.move(x - 100, y, steps=5)
    page.mouse.up()
    until(page, lambda: shown(page)[0] > near[0])
    assert shown(page)[1] - shown(page)[0] == pytest.approx(near[1] - near[0])
    moved, scrolled = shown(page), page.evaluate("scrollY")
    page.mouse.wheel(0, -200)
    until(page, lambda: page.evaluate("scrollY") < scrolled)
    assert moved == shown(page)
    canvas(page).focus()
    page.keyboard.press("ArrowLeft")
    assert shown(page)[0] == pytest.approx(moved[0] - 0.2 * (moved[1] - moved[0]))
    page.keyboard.press("+")
    assert shown(page)[1] - shown(page)[0] == pytest.approx((moved[1] - moved[0]) / 2)
    page.locator(".edges button", has_text="complete capture").click()
    expect(page.locator(".edges canvas[data-exact=false]")).to_be_visible()
    expect(page.locator(".edges .window")).to_contain_text("more than fit")


def test_a_pulse_is_read_and_two_cursors_measure_it(opened: Callable[..., Page], served: Served) -> None:
    """The tooltip has level and length; n goes to the next change; clicks with Shift snap to changes."""
    edges = served[1][0].recording.edges()
    page = opened()
    period_ns = 1e9 / float(edges.samplerate_hz)
    samples, levels = edges.channel("initiator.tap.frame_timestamp")
    pulse = int(np.flatnonzero(levels == 1)[2])
    start, end = (int(sample) * period_ns for sample in samples[pulse : pulse + 2])
    page.locator(".edges form input").fill(f"{int(samples[pulse]) + 9000}sa")
    page.locator(".edges form button").click()
    page.keyboard.press("-")  # keys are the panel's after a jump
    page.keyboard.press("-")
    page.locator(".edges canvas[data-exact=true]").wait_for()
    page.wait_for_timeout(300)
    x, y = middle(page, 4)
    page.mouse.move(x, y)
    tip = page.locator(".edges .tip")
    expect(tip).to_contain_text("initiator.tap.frame_timestamp")
    length = f"{(end - start) / 1e6:.6f}".rstrip("0")
    expect(tip).to_contain_text(f"high for {length} ms")
    first, last = shown(page)
    box = canvas(page).bounding_box()
    assert box is not None
    left = min(170, max(92, box["width"] * 0.17))
    page.keyboard.press("Escape")  # the cursor of the jump
    page.keyboard.down("Shift")
    for at in (start, end):
        page.mouse.click(box["x"] + left + (at - first) / (last - first) * (box["width"] - left - 8) + 3, y)
    page.keyboard.up("Shift")
    expect(page.locator(".edges .cursors")).to_contain_text(f"B \N{MINUS SIGN} A {length} ms")
    page.mouse.move(x, y)
    page.keyboard.press("n")
    until(page, lambda: shown(page) != (first, last))
    assert sum(shown(page)) / 2 == pytest.approx(end, abs=2 * period_ns)


def test_an_instant_that_is_not_in_the_recording(opened: Callable[..., Page]) -> None:
    """The line below the panel states what is wanted; the picture stays."""
    page = opened()
    before = shown(page)
    for text in ("soon", "99999 s", "5"):
        page.locator(".edges form input").fill(text)
        page.locator(".edges form button").click()
        expect(page.locator(".edges .readout")).to_contain_text("Give an instant of the recording")
    assert before == shown(page)


def test_two_runs(opened: Callable[..., Page], served: Served, route: Route) -> None:
    """The lists lead to the page of the difference, and from it to the page of a run."""
    page = opened()
    run, other = page.locator("form.runs select").all()
    other.select_option("copy")
    page.locator("form.runs button").click()
    page.wait_for_url(f"{served[0]}/compare/1/2/")
    expect(page.locator("h1")).to_have_text("2 runs: run, copy")
    run, other = page.locator("form.runs select").all()
    assert ["1", "2"] == [run.input_value(), other.input_value()]
    _any_packet_of_the_second(page, route)
    run.select_option("copy")
    page.locator("form.runs button").click()
    page.wait_for_url(f"{served[0]}/runs/2/")


def _any_packet_of_the_second(page: Page, route: Route) -> None:
    """On the page of the difference a packet of the second run has all its layers, and its own edges beneath."""
    own = page.locator("#run-2 details").first
    own.locator("summary").first.click()
    with page.expect_response(re.compile(rf"/runs/2/packet/{route.ids[2]}$")):
        own.locator("form.any input").fill(f"{route.ids[2]}")
        own.locator("form.any button").click()
    expect(own.locator(".timeline text").filter(has_text=re.compile("^instants$"))).to_have_count(2)
    picture = own.locator(".edges canvas[data-exact]")
    start_ns = float(picture.get_attribute("data-from") or "nan")
    sent_ns = route.starts[2] * 1e9 / float(route.steps.samplerate_hz)
    assert 0 < sent_ns - start_ns < 2e6
    command = own.locator(".command code").first.inner_text()
    assert re.fullmatch(r"gpiorig export /\S+/copy --pulseview --packet \d+ --open", command)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(opened: Callable[..., Page], scheme: str) -> None:
    """Neither the panel of edges nor the lists; the canvas has the colours of the page."""
    page = opened(width=360, scheme=scheme)
    canvas(page)
    assert 0 >= page.evaluate(OVERFLOW)
    expect(page.locator(".edges .window")).to_contain_text("every change")


def test_a_capture_that_runs(window: Page, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and the table grow with it; at its end a link leads to its report."""
    monkeypatch.setattr(live_feed, "INTERVAL_S", 0.2)
    monkeypatch.setattr(live_feed, "SETTLE_S", Fraction(1, 10))
    grown = Growing.begin(recorded, tmp_path / "run")
    grown.write(0.4)
    messages: list[str] = []
    window.on("pageerror", lambda error: messages.append(str(error)))
    with serving([tmp_path / "run"], tmp_path / "pages") as (at, runs):
        window.set_viewport_size({"width": 1120, "height": 900})
        window.goto(at)
        note, head = window.locator(".hero-note"), window.locator(".live-table .head")
        expect(head).to_contain_text("capturing", timeout=PATIENCE_MS)
        expect(window.locator("#hero-packets canvas[data-to]")).to_be_visible(timeout=PATIENCE_MS)
        before = int(window.locator("#hero-packets canvas").get_attribute("data-to") or 0)
        grown.write(0.9)
        until(window, lambda: int(window.locator("#hero-packets canvas").get_attribute("data-to") or 0) > before)
        expect(window.locator(".live-table .sentence")).to_contain_text("packets so far")
        expect(window.locator(".live-table .remarks")).to_contain_text("Provisional")
        expect(window.locator(".live-table tbody").first.locator("tr")).to_have_count(2)
        grown.write(1)
        grown.end()
        expect(window.locator(".live-table .ended")).to_be_visible(timeout=PATIENCE_MS)
        route = runs[0].analysis.routes[0]
        expect(note).to_have_text(re.compile(rf"^{len(route)} packets, a row each;.* Sorted by time of sending"))
        assert 0 < len(route) < PACKETS
        window.locator("#hero-packets canvas").click()
        expect(window.locator("#viewer-packets .packet-text")).to_contain_text("sent")
        window.locator(".live-table .ended a").click()
        window.locator(".edges canvas[data-exact]").wait_for()
    assert [] == messages
