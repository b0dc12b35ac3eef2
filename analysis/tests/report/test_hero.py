"""The picture of all packets in a real browser: what it shows, and where mouse and keys lead."""

from __future__ import annotations

import dataclasses
import re

import evaluations
import numpy as np
import pytest
from reportcases import PLAIN, one_way
from windows import PHONE

from gpiorig.analysis import report
from gpiorig.analysis.figures.palette import KIND_COLOURS, stressing
from gpiorig.analysis.number_text import GAP
from gpiorig.analysis.packets.path import Kind

pytestmark = pytest.mark.slow
PACKETS = 60
LEFT, FOOT = 52, 24  # of the picture: the numbers of the rows, the axis


@pytest.fixture(scope="module")
def route():
    """Packets whose delays are all different: the radio wait makes them, 7680 samples of 24 MHz apart and more."""
    return evaluations.one_way(packets=PACKETS)


@pytest.fixture(scope="module")
def address(route, tmp_path_factory):
    path = tmp_path_factory.mktemp("hero") / "run" / "report" / "report.html"
    path.parent.mkdir(parents=True)
    report.write_report(path, one_way(route, **PLAIN))
    return path.as_uri()


@pytest.fixture
def hero(opened):
    page = opened()
    page.locator("#hero-packets canvas").scroll_into_view_if_needed()
    return page


def picture(page):
    """Left, top, width and height of what the canvas shows of packets."""
    box = page.locator("#hero-packets canvas").bounding_box()
    return box["x"] + LEFT, box["y"], box["width"] - LEFT - 10, box["height"] - FOOT


def shown(page):
    """First and last place of the order that are shown."""
    canvas = page.locator("#hero-packets canvas")
    return [int(canvas.get_attribute(f"data-{end}")) for end in ("from", "to")]


def middle(page, route, packet, step, place):
    """The point of the screen where a packet in a place of the order has the middle of a step."""
    left, top, width, height = picture(page)
    first, last = shown(page)
    cuts = np.cumsum(route.steps.samples[packet])
    instant = cuts[step] - route.steps.samples[packet, step] / 2
    return left + width * instant / route.totals.max(), top + height * (place - first + 0.5) / (last - first)


def colour_at(page, x, y):
    """The colour of the canvas at a point of the screen."""
    box = page.locator("#hero-packets canvas").bounding_box()
    pixel = page.evaluate(
        "([x, y]) => [...document.querySelector('.hero canvas').getContext('2d').getImageData(x, y, 1, 1).data]",
        [round(x - box["x"]), round(y - box["y"])],
    )
    return "#{:02X}{:02X}{:02X}".format(*pixel[:3])


def text_of(page, selector):
    return page.locator(f"{selector}").inner_text().replace(GAP, " ")


def slowest(route):
    return int(np.argmax(route.totals))


def fastest(route):
    return int(np.argmin(route.totals))


def test_rows_have_the_colours_of_the_steps(hero, route):
    """The fastest packet is on top, the slowest at the foot, its steps in the colours of their kinds."""
    with stressing(frozenset({Kind.RADIO_WAIT})):
        colours = dict(KIND_COLOURS)
    for packet, place in ((fastest(route), 0), (slowest(route), PACKETS - 1)):
        for step, kind in ((0, Kind.SOFTWARE), (2, Kind.AIR)):
            assert colours[kind] == colour_at(hero, *middle(hero, route, packet, step, place)), (
                place,
                kind,
            )
    assert colours[Kind.RADIO_WAIT] == colour_at(hero, *middle(hero, route, slowest(route), 1, PACKETS - 1))


def test_hovering_names_packet_step_and_duration(hero, route):
    hero.mouse.move(*middle(hero, route, slowest(route), 1, PACKETS - 1))
    tip = hero.locator("#hero-packets .tip")
    tip.wait_for()
    assert f"packet {slowest(route)}: " in tip.inner_text()
    wait_ms = route.steps.samples[slowest(route), 1] / 24_000
    assert f"a to b radio wait: {wait_ms:.3f}"[:-1] in tip.inner_text()


def test_a_click_opens_the_packet_with_its_address_and_command(hero, route):
    """The viewer shows it, the address names it, and the command has the recording's path."""
    x, y = middle(hero, route, slowest(route), 2, PACKETS - 1)
    hero.mouse.click(x, y)
    hero.wait_for_url(f"**#packet={slowest(route)}")
    assert f"acket {slowest(route)}" in text_of(hero, "#viewer-packets .packet-text")
    start = route.starts[slowest(route)]
    command = text_of(hero, "#packets .command code")
    assert "/run --pulseview " in command
    assert f"--from {start}sa --to {start + route.totals[slowest(route)] + 1}sa --open" in command


def test_a_link_opens_its_packet(opened, address):
    """In a new page, and when only the packet in the address changes."""
    page = opened()
    page.goto("about:blank")
    page.goto(f"{address}#packet=17")
    viewer = page.locator("#viewer-packets .packet-text")
    viewer.filter(has_text="acket 17").wait_for()
    assert 4 == page.locator("#viewer-packets rect[data-box]").count()
    page.goto(f"{address}#packet=18")
    viewer.filter(has_text="acket 18").wait_for()
    page.goto(f"{address}#packet=999")
    assert "acket 18" in viewer.inner_text()


def test_keys_move_between_packets_and_steps_and_open_one(hero, route):
    """The live region has what is under the cursor; Enter opens it."""
    hero.locator("#hero-packets canvas").focus()
    live = hero.locator("#hero-packets .live")
    hero.keyboard.press("Home")
    assert f"packet {fastest(route)}: " in live.inner_text()
    assert f"place 1 of {PACKETS}" in live.inner_text()
    hero.keyboard.press("ArrowRight")
    assert "a to b app to mac" in live.inner_text()
    hero.keyboard.press("ArrowRight")
    assert "radio wait" in live.inner_text()
    hero.keyboard.press("End")
    assert f"packet {slowest(route)}: " in live.inner_text()
    hero.keyboard.press("ArrowUp")
    assert f"place {PACKETS - 1} of {PACKETS}" in live.inner_text()
    hero.keyboard.press("ArrowDown")
    hero.keyboard.press("Enter")
    hero.wait_for_url(f"**#packet={slowest(route)}")


def test_dragging_zooms_and_a_double_click_shows_all(hero):
    """A drag over rows shows those rows; it opens no packet."""
    left, top, width, height = picture(hero)
    hero.mouse.move(left + width / 2, top + height * 0.5)
    hero.mouse.down()
    hero.mouse.move(left + width / 2, top + height * 0.75, steps=4)
    hero.mouse.up()
    first, last = shown(hero)
    assert 29 <= first <= 30
    assert 45 <= last <= 46
    assert "#packet" not in hero.url
    assert f"Packets {first + 1} to {last} of {PACKETS}" in text_of(hero, "#hero-packets .hero-note")
    hero.mouse.dblclick(left + width / 2, top + height / 2)
    assert [0, PACKETS] == shown(hero)


def test_buttons_and_keys_zoom(hero):
    hero.locator("#hero-packets canvas").focus()
    hero.keyboard.press("+")
    assert PACKETS / 2 == np.diff(shown(hero))[0]
    hero.locator("#hero-packets").get_by_role("button", name="Fewer packets").click()
    assert PACKETS / 4 == np.diff(shown(hero))[0]
    hero.locator("#hero-packets").get_by_role("button", name="all packets").click()
    assert [0, PACKETS] == shown(hero)


@pytest.mark.parametrize(("by", "first"), [
    ("time of sending", lambda _: 0),
    ("a to b radio wait", lambda route: np.lexsort((route.totals, route.steps.samples[:, 1]))[0]),
    ("a to b app to mac", lambda route: np.lexsort((route.totals, route.steps.samples[:, 0]))[0]),
])  # fmt: skip
def test_rows_are_sorted_by_time_or_by_a_step(hero, route, by, first):
    hero.locator("#hero-packets select").select_option(label=by)
    hero.locator("#hero-packets canvas").focus()
    hero.keyboard.press("Home")
    assert f"packet {first(route)}: " in text_of(hero, "#hero-packets .live")
    assert f"Sorted by {by}" in text_of(hero, "#hero-packets .hero-note")


def test_the_picture_follows_the_colours_of_the_page(opened):
    """Its axis is drawn in the ink of the page, dark or light."""
    inks = []
    for scheme in ("light", "dark"):
        page = opened(color_scheme=scheme)
        pixels = page.evaluate(
            "() => { const c = document.querySelector('.hero canvas');"
            "return [...c.getContext('2d').getImageData(0, 0, 50, c.height).data]; }"
        )
        inks.append({tuple(pixels[at : at + 3]) for at in range(0, len(pixels), 4) if pixels[at + 3] == 255})
    assert (0x66, 0x66, 0x66) in inks[0]
    assert (0xA3, 0xA8, 0xAE) in inks[1]


def test_the_picture_fits_a_phone(opened):
    page = opened(PHONE, has_touch=True)
    box = page.locator("#hero-packets canvas").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    page.locator("#hero-packets canvas").scroll_into_view_if_needed()
    box = page.locator("#hero-packets canvas").bounding_box()
    page.touchscreen.tap(box["x"] + 200, box["y"] + 30)
    page.wait_for_url("**#packet=*")
    assert page.locator("#hero-packets .tip").is_visible()


def test_the_table_of_steps_shows_those_that_matter_and_all_on_request(tmp_path, opened):
    """The five with the largest shares at first; a click on a heading sorts, largest first, and once more smallest."""
    route = evaluations.one_way(("a", "b", "c"), packets=PACKETS)
    path = tmp_path / "report.html"
    report.write_report(path, one_way(route, **PLAIN))
    page = opened(at=path.as_uri())
    rows = page.locator("table.steps tbody:visible")
    assert 5 == rows.count()
    button = page.get_by_role("button", name="all 8 steps")
    assert "false" == button.get_attribute("aria-expanded")
    button.click()
    assert 8 == rows.count()
    head = page.get_by_role("columnheader", name="peak-to-peak")
    for order, places in (("descending", -1), ("ascending", 1)):
        head.get_by_role("button").click()
        assert order == head.get_attribute("aria-sort")
        ranges = np.ptp(route.steps.samples, axis=0)[[int(row.get_attribute("data-step")) for row in rows.all()]]
        assert sorted(ranges, reverse=places < 0) == ranges.tolist()
    page.get_by_role("button", name="the 5 steps that matter most").click()
    assert 5 == rows.count()


def test_a_step_leads_to_the_packet_in_which_it_lasts_longest(hero, route):
    """Its name sorts the picture by it and opens that packet."""
    hero.locator("table.steps button.link", has_text="radio wait").click()
    wait = route.steps.samples[:, 1]
    longest = np.lexsort((route.totals, wait))[-1]
    hero.wait_for_url(f"**#packet={longest}")
    assert "1" == hero.locator("#hero-packets select").input_value()
    assert wait[longest] == wait.max()


@pytest.mark.parametrize("figure", ["run", "total"])
def test_points_of_figures_lead_to_their_packets(hero, route, figure):
    """The slowest packets are at the right end of the distribution; the slowest is the highest dot over the run."""
    svg = hero.locator(f"#figure-{figure} svg.wide")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    left, foot, right, top = map(float, svg.get_attribute("data-place").split())
    x0, x1, y0, y1 = map(float, svg.get_attribute("data-limits").split())
    packet = slowest(route)
    delay_ms, start_s = (
        route.totals[packet] / 24_000,
        (route.starts[packet] - int(svg.get_attribute("data-origin"))) / 24e6,
    )
    across, up = (delay_ms, (y0 + y1) / 2) if figure == "total" else (start_s, delay_ms)
    x = box["x"] + box["width"] * (left + (across - x0) / (x1 - x0) * (right - left))
    y = box["y"] + box["height"] * (1 - foot - (up - y0) / (y1 - y0) * (top - foot))
    hero.mouse.move(x, y)
    tip = hero.locator(f"#figure-{figure} .tip", has_text="packet ")
    tip.wait_for()
    named = int(re.search(r"packet (\d+)", tip.inner_text())[1])
    assert route.totals[packet] - route.totals[named] < 400  # of one level of the lattice, less than a bar wide
    assert named == packet or figure == "total"
    hero.mouse.click(x, y)
    hero.wait_for_url("**#packet=*")
    opened = int(hero.url.rpartition("=")[2])
    assert route.totals[packet] - route.totals[opened] < 400


@pytest.mark.parametrize("window", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_the_first_screen_has_the_sentence_and_all_packets(window, opened):
    page = opened(window)
    boxes = [page.locator(part).first.bounding_box() for part in (".lead", "#hero-packets canvas")]
    edges = [0, *(edge for box in boxes for edge in (box["y"], box["y"] + box["height"])), window["height"]]
    assert sorted(edges) == edges


def test_packets_with_one_id_have_links_of_their_own(tmp_path, opened, route):
    """The second packet with an id has its place after it, and its command the samples in place of the id."""
    twice = dataclasses.replace(route, ids=route.ids // 2)
    path = tmp_path / "report.html"
    report.write_report(path, one_way(twice, **PLAIN))
    page = opened(at=path.as_uri())
    text = page.locator("#viewer-packets .packet-text")
    for name, row in (("7", 14), ("7/2", 15)):
        page.goto("about:blank")
        page.goto(f"{path.as_uri()}#packet={name}")
        ms = route.totals[row] / 24_000
        text.filter(has_text=f"{ms:.3f}"[:-1]).wait_for()
        assert f"--from {route.starts[row]}sa " in text_of(page, "#packets .command code")


def test_of_thousands_of_packets_a_row_shows_one_of_several_until_it_is_zoomed(tmp_path, opened):
    """The caption states it; the ends of the order are always shown; all rows are there when fewer are shown."""
    route = evaluations.one_way(packets=5000)
    path = tmp_path / "report.html"
    report.write_report(path, one_way(route, **PLAIN))
    page = opened(at=path.as_uri())
    note = page.locator("#hero-packets .hero-note")
    assert "a row shows one of 3" in note.inner_text()
    page.locator("#hero-packets canvas").scroll_into_view_if_needed()
    left, top, width, height = picture(page)
    page.mouse.move(left + width / 2, top + height - 0.5)
    assert f": {route.totals.max() / 24_000:.6f} ms" in text_of(page, "#hero-packets .tip")
    for _ in range(2):
        page.locator("#hero-packets").get_by_role("button", name="Fewer packets").click()
    assert "a row each" in note.inner_text()
    assert 1250 == np.diff(shown(page))[0]
