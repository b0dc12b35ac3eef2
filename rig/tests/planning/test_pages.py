"""What hardware-bom.md states of boards and recipes is what plans have; its drawings are theirs."""

from __future__ import annotations

import re

import pytest
from commandline import ROOT
from planned import drawings_of, file_of, plan_of

from gpiorig.rig import resources
from gpiorig.rig.bench import boards
from gpiorig.rig.planning import rates

PAGE = ROOT / "hardware-bom.md"
ROW = re.compile(r"^\| `([\w-]+)` \| .* at ([\d.]+) MS/s \| `([^`]+)` \| ([\d.]+) ns", re.M)
DRAWN = ("fx2-two-nrf52840dk", "dslogic-two-nrf52840dk")


def test_each_recipe_has_its_row() -> None:
    """Its words, its samplerate, and ± of 100 us."""
    rows = {name: (words, float(rate), float(ns)) for name, rate, words, ns in ROW.findall(PAGE.read_text())}

    assert set(rows) == {path.stem for path in resources.benches().values() if path.parents[1].name == "rig"}
    for name, (words, rate_mhz, stated_ns) in rows.items():
        choice = plan_of(words).choice
        assert choice is not None
        assert choice.bench is not None
        assert resources.benches()[name].read_text() == file_of(words)
        assert {rate_mhz} == {analyzer.samplerate_hz / 1e6 for analyzer in choice.bench.analyzers.values()}
        assert stated_ns == pytest.approx(rates.expanded_ns(choice.bench, 1e5), abs=0.051)


@pytest.mark.parametrize("name", boards.names())
def test_headers_of_the_bus_are_those_of_the_page(name: str) -> None:
    """The row of a line of the bus, or of several, has the pin and the header of the board file."""
    board, page = boards.load(name), PAGE.read_text()
    for line, header in board.headers.items():
        if line == "strobe" or re.fullmatch(r"d\d", line):
            assert re.search(rf"{re.escape(board.pins[line])}\b[^\n]*{re.escape(header)}", page), (name, line)


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_is_that_of_its_recipe(name: str) -> None:
    """After a change: `gpiorig bench plan WORDS --drawing docs/figures/wiring-NAME.svg --force`."""
    words = next(words for recipe, _, words, _ in ROW.findall(PAGE.read_text()) if recipe == name)
    (page,) = drawings_of(words).values()

    assert (ROOT / f"docs/figures/wiring-{name}.svg").read_text() == page
