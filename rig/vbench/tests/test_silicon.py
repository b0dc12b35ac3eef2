"""The virtual boards beside published measurements: the page says what comes out, and the fit is the model's."""

from __future__ import annotations

import pytest
from silicon import page
from silicon.fit import fit
from silicon.points import Program, load

from gpiorig.vbench.description.timing import PARAMETERS

FITTED = 0.05  # of silicon, that every point of the fit reaches


def test_the_table_is_complete() -> None:
    """Each point has a name of its own, a source, an uncertainty with its reason."""
    points = load()
    assert len({point.id for point in points}) == len(points) >= 25
    for point in points:
        assert point.source.startswith("http") and point.uncertainty_kind and point.uncertainty >= 0


@pytest.mark.slow
def test_the_page_says_what_comes_out() -> None:
    """The programs run on the virtual board; their cycles, and those of the model before, are those of the page.

    Word by word: `make format` breaks the lines of the page.
    """
    tables = page.split(page.PAGE.read_text())[1]
    assert tables.split() == page.text().split()


@pytest.mark.slow
def test_the_models_own_numbers_change_nothing() -> None:
    """The numbers of timing.toml are those of the boards: to set all of them gives the same cycles."""
    model = {name: parameter.cortex_m3.model for name, parameter in PARAMETERS.items() if name != "flash_wait_states"}
    programs = [point.model for point in load() if isinstance(point.model, Program)]
    for program in dict.fromkeys(programs):
        assert program.cycles(model) == program.cycles({})


@pytest.mark.deep
def test_the_fit_is_the_model() -> None:
    """No other numbers fit the points better, all of them or with one left out; none is farther than 5 % then."""
    result = fit()
    assert all(value == PARAMETERS[name].cortex_m3.model for name, value in result.candidates[result.best()].items())
    for point, _, deviation in result.left_out():
        assert abs(deviation) <= FITTED, point.id
