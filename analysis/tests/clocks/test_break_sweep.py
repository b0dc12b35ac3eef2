"""Breaks of timers of several ticks, in phase and not: no false alarm, and none missed above the derived bound."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from depth import by_depth
from timersweep import RATE_HZ, TICKS_HZ, Case, bound_s, causes, matches, run

SEEDS = by_depth(1, 20)
SIZES = {"lost": (0.3, 1.05, 4), "step": (-4, -0.3, 0.3, 1.05), "stopped": (0.3, 1.05, 4)}  # in bounds
LONGEST_S = 0.6


@pytest.mark.parametrize("in_phase", [True, False])
@pytest.mark.parametrize("kind", TICKS_HZ)
def test_timers_without_a_break(kind: str, in_phase: bool) -> None:
    """Nothing is stated of one to four nodes."""
    cases = [Case(kind=kind, in_phase=in_phase, nodes=1 + seed % 4, seed=seed) for seed in range(4 * SEEDS)]
    assert [] == [(case, cause.text) for case in cases for cause in causes(case, run(case))]


@pytest.mark.deep
@pytest.mark.parametrize("in_phase", [True, False])
@pytest.mark.parametrize("kind", TICKS_HZ)
@pytest.mark.parametrize("what", SIZES)
def test_breaks_that_are_put_in(what: str, kind: str, in_phase: bool) -> None:
    """Those above the bound are stated, with their size; of those below a third of it nothing; nothing else ever."""
    for nodes in (2, 3, 4):
        for seed in range(SEEDS):
            clean = Case(kind=kind, in_phase=in_phase, nodes=nodes, seed=seed, what=what)
            unit_s = bound_s(clean, run(clean))
            for case in (replace(clean, size_s=ratio * unit_s) for ratio in SIZES[what]):
                if abs(case.size_s) < LONGEST_S:
                    _assert_is_stated_alone(case)


def _assert_is_stated_alone(case: Case) -> None:
    record = run(case)
    stated, ratio = causes(case, record), abs(case.size_s) / bound_s(case, record)
    assert stated or ratio <= 1, (case, ratio)
    assert not stated or ratio >= 1 / 3, (case, ratio, stated)
    assert all(matches(case, record, cause) for cause in stated), (case, stated)
    if case.what == "lost" and stated:
        (match,) = (re.match(r"(\d+) ± (\d+) samples are missing", cause.text) for cause in stated)
        assert match and abs(int(match[1]) - case.size_s * RATE_HZ) <= int(match[2]), (case, stated)
