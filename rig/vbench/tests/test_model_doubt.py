"""The stored doubt of the timing models is that of the boards and ranges as they are; `make sensitivity` renews it."""

from __future__ import annotations

import numpy as np
import pytest
import sensitivity
from silicon.fit import UNKNOWN_CLOCK
from silicon.points import ByHand, Program, load

from gpiorig.analysis.delays import model_doubt
from gpiorig.vbench.description.model_doubt import MEASURED, UNEXPLAINED, of

RENEW = "run `make sensitivity`"


@pytest.mark.parametrize("board", sensitivity.BOARDS)
def test_ranges_are_those_of_the_timing_model(board: str) -> None:
    stored = {name: effects.range for name, effects in MEASURED.boards[board].items()}
    assert sensitivity.in_doubt(board) == stored, RENEW


@pytest.mark.slow
def test_what_no_number_explains_is_what_silicon_has() -> None:
    """The range holds every point at two wait states, and both of its ends are one."""
    shares = []
    for point in load():
        match point.model:
            case Program(wait_states=2) if point.id not in UNKNOWN_CLOCK:
                nearest = min(point.model.cycles({}), key=lambda value: abs(point.deviation(value)))
            case ByHand(value=nearest) if point.id.startswith("coremark"):
                pass
            case _:
                continue
        shares.append(point.value / nearest - 1)
    assert np.allclose(UNEXPLAINED, (min(shares), max(shares)), atol=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("board", sensitivity.BOARDS)
def test_two_numbers_at_once_do_what_the_table_has(board: str) -> None:
    """Numbers were measured one at a time; the two with the largest effects of one sign on a round trip add up."""
    bench = (sensitivity.ROOT / sensitivity.BOARDS[board]).read_text()
    model = sensitivity.medians(bench, "")
    limits = sensitivity.in_doubt(board)
    effects_us: dict[str, tuple[float, int]] = {}
    for setting in of(board):
        name = setting.name.partition(" ")[2]
        if name not in limits:  # what no number explains
            continue
        parts = [shift for key, us in model.steps.items() for shift in model_doubt.shifts([setting], key, key, us)]
        for shift in model_doubt.summed(parts):
            ends = ((shift.lowest_ns, limits[name].lowest), (shift.highest_ns, limits[name].highest))
            effects_us[name] = max(ends, key=lambda end: abs(end[0]))
    by_size = sorted(effects_us, key=lambda name: -abs(effects_us[name][0]))
    longer = effects_us[by_size[0]][0] > 0
    largest = [name for name in by_size if (effects_us[name][0] > 0) == longer][:2]
    changed = sensitivity.medians(bench, "\n".join(f"{name} = {effects_us[name][1]}" for name in largest))
    expected_us = sum(effects_us[name][0] for name in largest)
    assert abs(expected_us) > 5
    # Waits for the radio end at its polls, every 6 us, and swallow a part of either change.
    assert np.isclose(changed.rtt - model.rtt, expected_us, atol=6.5), (RENEW, largest, expected_us)
