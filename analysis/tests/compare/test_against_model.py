"""A measured run against one of a virtual bench: what the instruments and the model's doubt explain, and what not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.analysis.compare import against_model
from gpiorig.analysis.compare.against_model import Row
from gpiorig.analysis.compare.delays import Accuracy, Delays
from gpiorig.analysis.compare.pair import pair
from gpiorig.analysis.delays import model_doubt
from gpiorig.analysis.delays.instruments import Setting
from gpiorig.analysis.delays.model_doubt import Shift
from gpiorig.analysis.packets.path import Kind

SENT, READ, AIR = "request: udp to ipv6", "request: read the frame", "request: air: first bit to radio interrupt"
STEPS_NS = {SENT: 30_000, READ: 120_000, AIR: 1_500_000}
EXPANDED_NS = 50.0


def run(*, virtual: bool = False, longer_ns: dict[str, int] | None = None, shifts: tuple[Shift, ...] = ()) -> Delays:
    """300 packets, sampled every ns, each step with a spread of 20 ns; the shifts are those of `SENT`."""
    rng = np.random.default_rng(virtual)
    lengths = {name: ns + (longer_ns or {}).get(name, 0) for name, ns in STEPS_NS.items()}
    steps = {name: ns + rng.integers(-10, 11, 300) for name, ns in lengths.items()}
    accuracies = {name: Accuracy(EXPANDED_NS, shifts if name == SENT else ()) for name in steps}
    return Delays(
        values={"rtt": np.sum(list(steps.values()), axis=0)} | steps,
        kinds=dict.fromkeys(steps, Kind.SOFTWARE),
        sent=300,
        lost=0,
        samplerate_hz=Fraction(10**9),
        accuracies=accuracies | {"rtt": Accuracy(EXPANDED_NS, shifts)},
        virtual=virtual,
    )


def rows(measured: Delays, virtual: Delays) -> dict[str, Row]:
    """The rows by name, which must be the same whichever run is the base."""
    table = pair(measured, virtual).against_model
    turned = pair(virtual, measured).against_model
    assert [row.name for row in turned] == [row.name for row in table]
    for row, other in zip(table, turned, strict=True):
        assert (row.measured_ns, row.model_ns, row.verdict) == (other.measured_ns, other.model_ns, other.verdict)
        assert row.difference_ns == other.difference_ns
    return {row.name: row for row in table}


def test_runs_of_one_kind_are_not_held_against_a_model() -> None:
    assert () == pair(run(), run()).against_model == pair(run(virtual=True), run(virtual=True)).against_model


def test_equal_steps_agree() -> None:
    assert {"agrees"} == {row.verdict for row in rows(run(), run(virtual=True)).values()}


def test_a_wrong_step_is_named_with_its_size_and_the_largest_share_comes_first() -> None:
    table = rows(run(), run(virtual=True, longer_ns={SENT: -900, READ: 4_000}))
    assert ["rtt", READ, SENT, AIR] == list(table)
    assert ["differs", "differs", "differs", "agrees"] == [row.verdict for row in table.values()]
    read, sent = table[READ], table[SENT]
    assert read.difference_ns == pytest.approx(4_000, abs=10)
    assert sent.difference_ns == pytest.approx(-900, abs=10)
    # Both instruments, as the root of the sum of squares; the interval of the medians adds little.
    assert 4_000 - read.beyond_ns == pytest.approx(np.hypot(EXPANDED_NS, EXPANDED_NS), abs=15)
    assert read.share == pytest.approx(4_000 / 1_650_000, rel=0.01)
    text = against_model.summary(tuple(table.values()))
    assert f"2 of 3 steps differ beyond them, most {READ}: +4" in text


def test_the_doubt_of_the_model_is_one_sided() -> None:
    """Hardware may be 1 µs slower than this model, not faster: one that is too fast agrees, one too slow differs."""
    shifts = (Shift("board refill", 0.0, 1_000 * np.sqrt(3) / 2),)
    assert model_doubt.combined(shifts).high_ns == pytest.approx(1_000)
    fast, slow = (run(virtual=True, longer_ns={SENT: ns}, shifts=shifts) for ns in (-900, 900))
    assert (rows(run(), fast)[SENT].verdict, rows(run(), slow)[SENT].verdict) == ("agrees", "differs")
    assert rows(run(), run(virtual=True, longer_ns={SENT: -1_300}, shifts=shifts))[SENT].verdict == "differs"


def test_steps_that_one_run_joins_keep_their_accuracy() -> None:
    """A step of the model that the measured run has in two is compared as one; ± and shifts are added."""
    halves = ("request: udp to x", "request: x to ipv6")
    shift = Shift("board refill", -100.0, 200.0)
    virtual = run(virtual=True)
    of_halves = dict.fromkeys(halves, Accuracy(EXPANDED_NS, (shift,)))
    divided = replace(
        virtual,
        values={"rtt": virtual.values["rtt"]}
        | dict.fromkeys(halves, virtual.values[SENT] // 2)
        | {name: virtual.values[name] for name in (READ, AIR)},
        kinds=virtual.kinds | dict.fromkeys(halves, Kind.SOFTWARE),
        accuracies=virtual.accuracies | of_halves,
    )
    row = rows(run(), divided)[SENT]
    assert row.model_expanded_ns == 2 * EXPANDED_NS
    assert row.model == model_doubt.combined([Shift("", -200.0, 400.0)])


def test_one_setting_shifts_all_steps_together_and_several_are_independent() -> None:
    settings = (Setting("m3 refill", {"software": -0.1}, {"software": 0.2}), Setting("m3 load", {}, {"driver": 0.3}))
    parts = [
        *model_doubt.shifts(settings, "udp to ipv6", "software", 100.0),
        *model_doubt.shifts(settings, "udp to app", "software", 200.0),
        *model_doubt.shifts(settings, "load the frame", "driver", 100.0),
        *model_doubt.shifts(settings, "first bit to radio interrupt", "air", 1e6),
    ]
    total = model_doubt.combined(model_doubt.summed(parts))
    assert total.low_ns == pytest.approx(-2 / np.sqrt(3) * 30)
    assert total.high_ns == pytest.approx(2 / np.sqrt(3) * np.hypot(60, 30))
