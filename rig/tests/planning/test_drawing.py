"""The wiring drawing: a page of A4 for each analyzer, with each lead once."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise

import pytest
from planned import drawings_of

from gpiorig.rig.planning import drawing

SVG = "{http://www.w3.org/2000/svg}"
GLYPH = 0.62  # widest mean width of a character of DejaVu Sans, of its size


def pages_of(words: str) -> dict[str, ET.Element]:
    """The pages of a plan."""
    return {name: ET.fromstring(page) for name, page in drawings_of(words).items()}


def texts(page: ET.Element) -> list[str]:
    return [element.text or "" for element in page.iter(f"{SVG}text")]


def test_each_lead_is_drawn_with_pin_header_channel_and_colour() -> None:
    """Two nRF52840-DK on eight channels: ten wires, of which two are grounds."""
    page = pages_of("2xnrf52840dk --analyzer fx2lafw")["la"]
    written = Counter(texts(page))

    assert ("210mm", "297mm") == (page.get("width"), page.get("height"))
    assert {f"D{number}": 1 for number in range(8)} | {"GND": 4} == {
        name: written[name] for name in [*(f"D{number}" for number in range(8)), "GND"]
    }  # a ground is written at both of its ends
    for pin, header in (("P1.10", "P4, D8"), ("P1.01", "P3, D0"), ("P1.11", "P4, D9"), ("P1.12", "P4, D10")):
        assert (2, 2) == (written[pin], written[header])
    assert {"brown", "red", "orange", "yellow", "green", "blue", "violet", "grey", "black"} <= written.keys()
    assert 10 == sum("wire" in (path.get("class") or "") for path in page.iter(f"{SVG}path"))


def test_analyzers_have_a_page_each() -> None:
    """Three boards and the sync line on each of two."""
    pages = pages_of("6xiotlab-m3 --width 1 --analyzer dreamsourcelab-dslogic")

    assert ["la1", "la2"] == list(pages)
    boards = [[text.partition(":")[0] for text in texts(page) if "iotlab-m3, 3.3 V" in text] for page in pages.values()]
    assert [["n1", "n2", "n3"], ["n4", "n5", "n6"]] == boards
    assert all("sync line, of all analyzers" in texts(page) for page in pages.values())


@pytest.mark.parametrize(
    "words",
    [
        "2xnrf52840dk",
        "16xtelosb --width 1 --lines tap.irq,tap.frame_timestamp,tap.select,uart_tx,spi_clk",
        "nrf52840dk --width 8",
        "6xiotlab-m3 --width 1 --events app,mac",
        "4xiotlab-m3 --width 0 --lines tap.irq",
    ],
)
def test_nothing_leaves_the_page_or_covers_its_neighbour(words: str) -> None:
    """By the widest letters: texts of a line end before the next begins, and all of them are on the page."""
    for page in pages_of(words).values():
        rows: dict[str, list[tuple[float, float, str]]] = {}
        for element in page.iter(f"{SVG}text"):
            kind, text = element.get("class") or "", element.text or ""
            size = {"head": 5.0, "title": 3.6, "small": 2.7}.get((kind.split() or [""])[0], 3.1)
            size = 2.7 if "small" in kind else size
            x, length = float(element.get("x", 0)), GLYPH * size * len(text)
            begin = x - length if "end" in kind else x - length / 2 if "middle" in kind else x
            rows.setdefault(element.get("y", ""), []).append((begin, begin + length, text))
        for y, row in rows.items():
            ordered = sorted(row)
            assert 0 < float(y) < drawing.HEIGHT
            assert ordered[0][0] > 0
            assert ordered[-1][1] < drawing.WIDTH, ordered[-1]
            for left, right in pairwise(ordered):
                assert left[1] <= right[0], (left, right)
