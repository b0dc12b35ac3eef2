"""Runs whose steps are cut at different milestones: the delays between common milestones are compared."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from gpiorig.analysis.compare import comparison, limits, pair, sentences, thresholds
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.packets.path import Kind

COMMAND, DONE, WAIT = (
    "request: command the transmission",
    "request: radio wait: exec done to first bit on air",
    "request: radio wait: exec to first bit on air",
)
LOAD, AIR = "request: load the frame", "request: air: first bit to radio interrupt"
KINDS = {COMMAND: Kind.DRIVER, DONE: Kind.RADIO_WAIT, WAIT: Kind.RADIO_WAIT}


def run(*names: str, seed: int = 0, longer: int = 0, route: str = "") -> Delays:
    """Steps of 1000 samples or so; the steps of the radio's wait are `longer` by the given samples."""
    rng = np.random.default_rng(seed)
    values = {name: 1000 + rng.integers(0, 100, 200) for name in names}
    for name in names:
        if name in (DONE, WAIT):
            values[name] = values[name] + longer
    rtt = np.sum(list(values.values()), axis=0)
    return Delays(
        {"rtt": rtt} | values, {n: KINDS.get(n, Kind.SOFTWARE) for n in names}, 200, 0, Fraction(24_000_000), route
    )


def test_the_wait_of_a_driver_that_waits_is_compared() -> None:
    """Without the end of the command (`finish = "busy"`) one step is what the two are: none is only in one run."""
    base, new, joined = pair.common(run(LOAD, COMMAND, DONE, AIR), run(LOAD, WAIT, AIR, seed=1, longer=12_000))
    assert ["rtt", LOAD, WAIT, AIR] == list(base.values) == list(new.values)
    assert [pair.Joined(WAIT, (COMMAND, DONE), (WAIT,))] == list(joined)
    assert (base.values["rtt"] == sum(base.values[name] for name in (LOAD, WAIT, AIR))).all()
    assert Kind.RADIO_WAIT is base.kinds[WAIT]
    compared = comparison.compare(base, new)
    assert () == compared.only_base == compared.only_new
    change = next(change for change in compared.changes if change.name == WAIT)
    # Samples of 1/24 us: 12 000 more for the wait, 1049.5 less in the mean for the command.
    assert change.mean_ns.low < (12_000 - 1049.5) / 24e-3 < change.mean_ns.high and change.changed
    assert any(line.startswith(f"{WAIT} got slower by 45") for line in sentences.sentences(compared))
    assert [f"{WAIT}: in the base this is {COMMAND}, {DONE} together."] == pair.joined_sentences(joined)
    judged = thresholds.judge(limits.threshold("wait.median +100 us"), base, new, compared)
    assert (WAIT,) == judged.exceeded


def test_steps_of_one_name_between_different_milestones_are_not_compared() -> None:
    """`6lowpan to mac` begins at the last fragment in one run: with the earlier fragments it is what the other has."""
    early, last = "request: earlier fragments", "request: 6lowpan to mac"
    base, new, joined = pair.common(run(LOAD, last, AIR), run(LOAD, early, last, AIR))
    name = "request: earlier fragments + 6lowpan to mac"
    assert ["rtt", LOAD, name, AIR] == list(base.values) == list(new.values)
    assert (base.values[name] == run(LOAD, last, AIR).values[last]).all()
    assert (name, (last,), (early, last)) == (joined[0].name, joined[0].base, joined[0].new)


@pytest.mark.parametrize(
    ("base", "new"),
    [
        (run(LOAD, COMMAND), run(WAIT, AIR)),  # no step in common
        (run(LOAD, COMMAND, AIR, route="a > b"), run(LOAD, AIR, route="a > c > b")),
        (run(LOAD, AIR), run(AIR, LOAD)),  # no common order
        (run(), run(LOAD)),
    ],
)
def test_what_has_no_common_path_is_left_alone(base: Delays, new: Delays) -> None:
    assert (base, new, ()) == pair.common(base, new)


def test_equal_runs_stay_unchanged() -> None:
    base, new = run(LOAD, COMMAND, DONE, AIR), run(LOAD, COMMAND, DONE, AIR, seed=1)
    one, other, joined = pair.common(base, new)
    assert () == joined
    for before, after in ((base, one), (new, other)):
        assert list(before.values) == list(after.values)
        assert all((before.values[name] == after.values[name]).all() for name in before.values)


@pytest.mark.parametrize("seed", range(20))
def test_parts_add_up_whatever_milestones_are_missing(seed: int) -> None:
    """Two runs of one path, each without some of its milestones: all is compared, and the parts add up in each."""
    rng = np.random.default_rng(seed)
    instants = np.cumsum(rng.integers(1, 1000, (50, 14)), axis=1)
    runs = []
    for _ in range(2):
        own = np.concatenate([[0, 1], 2 + np.flatnonzero(rng.random(11) < 0.6), [13]])  # the first step is in both
        names = [f"request: {a} to {b}" for a, b in pairwise(own)]
        steps = np.diff(instants[:, own], axis=1)
        values = {"rtt": steps.sum(axis=1)} | dict(zip(names, steps.T, strict=True))
        runs.append(Delays(values, {}, 50, 0, Fraction(1)))
    base, new, _ = pair.common(*runs)
    assert list(base.values) == list(new.values)
    for run_delays in (base, new):
        assert (run_delays.values["rtt"] == sum(v for name, v in run_delays.values.items() if name != "rtt")).all()
    assert all((base.values[name] == new.values[name]).all() for name in base.values)
