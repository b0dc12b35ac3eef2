"""Uncertainty of delays: published values, the sampling worked out by enumeration, and what must hold of any delay."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from tripcases import trips

from gpiorig.analysis.delays import instruments, uncertainty
from gpiorig.analysis.delays.components import Component, combined, pin_components, rectangular
from gpiorig.analysis.delays.instruments import Analyzer, Instruments, Node, Pin
from gpiorig.analysis.delays.probe_costs import CostPart, ProbeCosts
from gpiorig.analysis.delays.uncertainty import DelayUncertainty, for_delay, for_steps
from gpiorig.analysis.number_text import uncertain_text
from gpiorig.analysis.packets import round_trips
from gpiorig.analysis.packets.path import Kind, Milestone, Source
from gpiorig.analysis.packets.steps import Step

RATE = Fraction(24_000_000)
T_NS = float(10**9 / RATE)
STROBE, TAP, FALL = Pin("a.strobe", "first"), Pin("a.tap.irq", "rise"), Pin("a.tap.irq", "fall")
IDEAL = Analyzer(period_ns=T_NS, clock_ppm=0.0, skew_ns=0.0, aperture_ns=0.0)
CLASS = Analyzer(period_ns=T_NS, clock_ppm=50.0, skew_ns=5.0, aperture_ns=2.0)


def named(delay: DelayUncertainty) -> dict[str, float]:
    return {component.name: component.standard_ns for component in delay.components}


def between(start: Pin, end: Pin, delay_ns: float, analyzer: Analyzer = CLASS) -> DelayUncertainty:
    return for_delay("a delay", delay_ns, start=start, end=end, instruments=Instruments(analyzer))


def sampled(start: float, duration: float) -> int:
    """Samples from start to end of a delay, in periods: an edge is shown by the next sample."""
    return math.ceil(start + duration) - math.ceil(start)


@pytest.fixture
def stage(bench):
    """The round trips of the synthetic bench."""
    analysis = trips(bench.events())
    return round_trips.route(analysis)


def test_combined_is_that_of_the_gum():
    """Example H.1, calibration of an end gauge: 25, 9.7, 2.9, 16.6 nm give 32; 5.8, 3.9, 6.7 give 9.7 (JCGM 100)."""
    total, difference = (
        combined(tuple(Component(str(nm), nm, "B", "table H.1") for nm in parts))
        for parts in ((25.0, 9.7, 2.9, 16.6), (5.8, 3.9, 6.7))
    )

    assert (32, 9.7) == (round(total), round(difference, 1))


def test_what_is_constant_is_added():
    """The clock of a run is off by the same in every packet."""
    clock = Component("clock", 5.0, "B", "test", relative=1e-6, is_constant=True)
    others = tuple(Component(name, size, "B", "test") for name, size in (("a", 3.0), ("b", 4.0)))

    assert 5.0 + 5.0 == combined((*others, clock))


def test_rectangular_is_that_of_the_gum():
    """JCGM 100:2008, 4.3.7, example 1: within 0.40e-6 / degree C gives 0.23e-6 / degree C."""
    assert 0.23 == round(rectangular(0.40), 2)


def test_errors_of_sampling_are_within_the_stated_uncertainty_as_often_as_it_says():
    """Of 95 % of the packets for each of 400 lengths, hardly more for the worst; 99.75 % over all. 400 phases."""
    stated = between(STROBE, STROBE, 1000.0, IDEAL).expanded_ns / T_NS
    grid = (np.arange(400) + 0.5) / 400
    errors = np.ceil(grid[:, None] + 3 + grid) - np.ceil(grid)[:, None] - 3 - grid
    within = np.mean(np.abs(errors) <= stated, axis=0)

    assert 0.95 == pytest.approx(within.min(), abs=0.003)
    assert within.min() >= 0.95
    assert 1 - 0.05**2 == pytest.approx(within.mean(), abs=5e-4)


def test_rounding_after_sampling_is_covered():
    """16 MS/s printed in units of 10, 50 and 100 ns: 95 to 99.9 % of delays of any length, as of the sampling alone."""
    instants_ns = np.cumsum(np.random.default_rng(1).uniform(1e3, 9e3, 100_000))
    sampled_ns = np.ceil(instants_ns / 62.5) * 62.5
    for unit_ns in (10.0, 50.0, 100.0):
        errors_ns = np.diff(np.rint(sampled_ns / unit_ns) * unit_ns - instants_ns)
        analyzer = dataclasses.replace(IDEAL, period_ns=62.5, rounding_ns=unit_ns)
        within = np.mean(np.abs(errors_ns) <= between(STROBE, STROBE, 1000.0, analyzer).expanded_ns)

        assert 0.95 <= within <= 0.999, unit_ns


def test_a_triangle_would_not_cover_some_steps():
    """The reason for 0.95 of a sample: of a step n + 0.82 periods long, k = 2 with T / sqrt(6) covers only 82 %."""
    errors = np.array([sampled((phase + 0.5) / 1000, 3.82) - 3.82 for phase in range(1000)])

    assert 0.82 == pytest.approx(np.mean(np.abs(errors) <= 2 / math.sqrt(6)), abs=1e-3)
    assert math.sqrt(0.82 * 0.18) == pytest.approx(errors.std(), abs=1e-3)  # Kalisz 2004: T sqrt(c (1 - c))


def test_a_triangle_covers_what_it_should_where_lengths_vary():
    """Over delays of any length T / sqrt(6) is the standard deviation; k = 2 covers 1 - (1 - 2 / sqrt(6))^2, 96.6 %."""
    grid = (np.arange(1000) + 0.5) / 1000
    errors = (np.ceil(grid[:, None] + grid) - np.ceil(grid)[:, None] - grid).ravel()

    assert 1 / math.sqrt(6) == pytest.approx(errors.std(), rel=1e-3)
    assert 1 - (1 - 2 / math.sqrt(6)) ** 2 == pytest.approx(np.mean(np.abs(errors) <= 2 / math.sqrt(6)), abs=1e-3)


def test_components_of_a_delay():
    """The sizes that docs/guide/uncertainty.md gives, for 1 ms between two channels."""
    expected = {
        "sample quantisation": 0.475 * T_NS + 0.75 * 2,
        "skew between channels": 5 / math.sqrt(3),
        "analyzer's clock": 50 / math.sqrt(3),
    }

    assert pytest.approx(expected) == named(between(STROBE, TAP, 1e6))


def test_equal_edges_of_a_channel_have_no_skew():
    """The same threshold is late by the same time; the other edge of the channel is not."""
    skews = [
        (TAP, TAP, []),
        (TAP, FALL, ["skew between edges"]),
        (Pin("a.strobe"), Pin("a.strobe"), ["skew between edges"]),
        (TAP, Pin("b.tap.irq", "rise"), ["skew between channels"]),
    ]
    for start, end, names in skews:
        assert names == [name for name in named(between(start, end, 1e6)) if name.startswith("skew")]


@pytest.mark.parametrize("beyond_ns", [192_000.0, -192_000.0])
def test_the_clock_counts_over_what_was_measured(beyond_ns):
    """A delay whose ends are seen 192 µs further apart, or less far, than it is long."""
    clock = pin_components(1e6, STROBE, TAP, Instruments(CLASS), beyond_ns)[-1]

    assert rectangular(50e-6) * (1e6 + beyond_ns) == pytest.approx(clock.standard_ns)
    delay = DelayUncertainty("a delay", (clock,), 0, math.nan, (), 1e6)
    assert delay.expanded_ns == pytest.approx(float(delay.expanded_of(np.array(1e6))))


@pytest.mark.parametrize(
    ("event", "width", "pin"),
    [
        ("tap.irq.enter", 2, Pin("a.tap.irq", "rise")),
        ("tap.irq.exit", 2, Pin("a.tap.irq", "fall")),
        ("mac.tx.enter", 2, Pin("a.mac.tx", "rise")),
        ("mac.tx.exit", 2, Pin("a.mac.tx", "fall")),
        ("app.tx.enter", 2, Pin("a.strobe", "first")),
        ("app.tx.enter", 8, Pin("a.strobe", "first")),
        ("app.tx.enter", 4, Pin("a.strobe")),
    ],
)
def test_where_an_event_is_seen(event, width, pin):
    """On its line by the edge, else on the strobe: four data lines toggle it 3 or 7 times per frame, an odd number."""
    known = Instruments(CLASS, nodes={"a": Node(lines=frozenset({"mac.tx"}), bus_width=width)})
    milestone = Milestone("request.x", event, 0, False, Source.ID)

    assert pin == known.pin(milestone, "a")
    assert pin.channel.endswith("strobe") == known.on_bus(milestone, "a")


def test_where_the_ends_of_steps_are_seen():
    """The first bit on the air at the receiver, also as the end of a wait; last of a path, where the step is."""
    steps = [
        Step("", short, Milestone("", "", 0, False, start), Milestone("", "", 0, False, end), Kind.SOFTWARE, nodes)
        for short, start, end, nodes in (
            ("stack", Source.ID, Source.ID, ("a",)),
            ("wait", Source.ID, Source.AIR, ("a",)),
            ("air", Source.AIR, Source.RECEPTION, ("a", "b")),
            ("wait", Source.RECEPTION, Source.AIR, ("b",)),
        )
    ]
    assert [("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")] == instruments.seen_at(steps)


@pytest.mark.parametrize(("source", "shown"), [("data sheet, 7.2", "data sheet, 7.2"), ("", "unknown")])
def test_the_constant_before_the_air_names_its_source(stage, source, shown):
    nodes = {name: Node(mark_ns=192_000, mark_source=source) for name in ("initiator", "responder")}
    delays = for_steps(stage.steps, Instruments(CLASS, nodes=nodes), total=stage.name)
    sources = [part.source for delay in delays for part in delay.components if part.name == "first bit on the air"]

    assert [shown] * 4 == sources


@pytest.mark.parametrize("factor", [2, 3, 10])
def test_sampling_scales_with_the_period(factor):
    """A samplerate N times as high: 1/N of the quantisation, and nothing else changes."""
    slow = dataclasses.replace(CLASS, aperture_ns=0.0)
    fast = dataclasses.replace(slow, period_ns=T_NS / factor)
    before, after = named(between(STROBE, TAP, 1e6, slow)), named(between(STROBE, TAP, 1e6, fast))

    assert before["sample quantisation"] / factor == pytest.approx(after["sample quantisation"])
    assert before.keys() == after.keys()
    assert before["analyzer's clock"] == after["analyzer's clock"]


@pytest.mark.parametrize("field", ["period_ns", "clock_ppm", "skew_ns", "aperture_ns"])
def test_a_worse_analyzer_is_never_more_certain(field):
    """Whatever is worse about it."""
    worse = dataclasses.replace(CLASS, **{field: 2 * getattr(CLASS, field)})

    assert between(STROBE, TAP, 1e6, worse).expanded_ns > between(STROBE, TAP, 1e6).expanded_ns


def test_another_component_never_lowers_the_uncertainty():
    """Of pins and of probes."""
    delay = between(STROBE, TAP, 1e6)
    more = dataclasses.replace(delay, probe_components=(Component("more", 1.0, "A", "test"),))

    assert more.corrected_expanded_ns > delay.expanded_ns == more.expanded_ns


def test_probes_are_taken_off_the_median():
    delay = dataclasses.replace(between(STROBE, TAP, 1e6), probe_cost_ns=7e3)
    assert 993e3 == delay.corrected_ns


def test_costs_that_are_certain_in_a_step_are_no_component_of_it(stage):
    """A part of each step, and last of the total; 0 in the first."""
    count = len(stage.steps.steps) + 1
    part = CostPart("more", "A", "test", np.arange(count, dtype=float))
    none = np.zeros((len(stage), count - 1), dtype=np.float32)
    costs = ProbeCosts(np.arange(count), 10.0 * np.arange(count), none, (part,))
    delays = for_steps(stage.steps, Instruments(CLASS), total=stage.name, costs=costs)
    assert [[], *([float(at)] for at in range(1, count))] == [
        [component.standard_ns for component in delay.probe_components] for delay in delays
    ]
    assert [10.0 * at for at in range(count)] == [delay.probe_cost_ns for delay in delays]


def test_every_delay_has_its_own():
    """Of the median it is `expanded_ns`; a longer delay is less certain by the clock; any shape is taken."""
    delay = between(STROBE, TAP, 1e6)
    several = delay.expanded_of(np.array([[1e6, 2e6], [0.0, 1e6]]))

    assert delay.expanded_ns == pytest.approx(several[0, 0])
    assert several[1, 0] < several[0, 0] < several[0, 1]


def test_the_whole_is_not_the_root_sum_of_its_steps(stage):
    """It has two ends: sampling and skew are those of one delay, the clock's part is the sum of the steps'."""
    known = Instruments(CLASS, nodes={name: Node(mark_ns=192_000) for name in ("initiator", "responder")})
    *steps, total = for_steps(stage.steps, known, total=stage.name)

    assert [*(step.name for step in stage.steps.steps), "round trip"] == [delay.name for delay in (*steps, total)]
    assert named(steps[0])["sample quantisation"] == named(total)["sample quantisation"]
    assert "skew between channels" not in named(total)
    clocks = [named(step)["analyzer's clock"] for step in steps]
    lengths = [step.delay_ns for step in steps]
    assert 50e-6 / math.sqrt(3) * total.delay_ns == pytest.approx(named(total)["analyzer's clock"])
    # What is measured before the air is longer than the step by the constant, and what is measured on it is shorter.
    assert 50e-6 / math.sqrt(3) * sum(lengths) == pytest.approx(sum(clocks))


def test_the_first_bit_on_the_air_is_as_certain_as_its_constant(stage):
    """It moves time between the two steps at the air, and is in no other."""
    nodes = {name: Node(mark_ns=192_000, mark_uncertainty_ns=9_000) for name in ("initiator", "responder")}
    delays = for_steps(stage.steps, Instruments(CLASS, nodes=nodes), total=stage.name)
    uncertain = {delay.name: named(delay).get("first bit on the air") for delay in delays}
    at_the_air = {name: size for name, size in uncertain.items() if size is not None}

    assert [rectangular(9_000)] * 4 == list(at_the_air.values())
    assert all("air" in name for name in at_the_air)
    assert uncertain["round trip"] is None


def test_a_constant_that_is_no_whole_number_of_samples_says_so(stage):
    """192.01 us at 24 MS/s is 4608.24 samples: 10 ns are lost."""
    nodes = {name: Node(mark_ns=192_010) for name in ("initiator", "responder")}
    delays = for_steps(stage.steps, Instruments(CLASS, nodes=nodes), total=stage.name)
    lost = [named(delay)[name] for delay in delays for name in named(delay) if name.endswith("rounded to a sample")]

    assert pytest.approx([10.0] * 4) == lost


def test_ends_on_two_analyzers():
    """The alignment's uncertainty takes the place of sampling; rounding to the reference's samples comes on top."""
    other = (Analyzer(period_ns=62.5, skew_ns=5.0), 25.0)
    known = Instruments(CLASS, {"b.tap.irq": other, "b.strobe": other})
    across = for_delay("across", 1e6, start=STROBE, end=Pin("b.tap.irq", "rise"), instruments=known)
    within = for_delay("within", 1e6, start=Pin("b.strobe", "first"), end=Pin("b.strobe", "first"), instruments=known)

    assert 25.0 == named(across)["alignment of analyzers, sampling included"]
    assert "sample quantisation" not in named(across)
    assert T_NS / math.sqrt(12) == pytest.approx(named(across)["rounding to the reference's samples"])
    assert 0.475 * 62.5 + 0.75 * 2 == pytest.approx(named(within)["sample quantisation"])
    assert T_NS / math.sqrt(6) == pytest.approx(named(within)["rounding to the reference's samples"])


def test_no_packet_is_no_error(stage):
    """Without a median there is no part of the clock, and the rest is unchanged."""
    none = dataclasses.replace(stage.steps, rows=stage.steps.rows[:0], samples=stage.steps.samples[:0])
    delays = for_steps(none, Instruments(CLASS), total="round trip")

    assert len(stage.steps.steps) + 1 == len(delays)
    assert math.isnan(delays[0].delay_ns)
    assert delays[0].expanded_ns > 0


def test_a_route_without_steps_has_a_whole_without_components(stage):
    """Nothing arrived on it."""
    none = dataclasses.replace(stage.steps, steps=(), samples=np.empty((0, 0), np.int64), rows=stage.steps.rows[:0])
    (total,) = for_steps(none, Instruments(CLASS), total="a > b")

    assert ("a > b", (), 0.0) == (total.name, total.components, total.expanded_ns)


def test_drivers_have_their_class_and_a_bench_file_goes_before():
    """fx2lafw by its crystal; an unknown driver has the widest."""
    assert 100.0 == instruments.by_driver("fx2lafw:conn=1.12", samplerate_hz=RATE).clock_ppm
    given = instruments.by_driver("fx2lafw", samplerate_hz=RATE, clock_ppm=1.5)
    assert (1.5, "bench file") == (given.clock_ppm, given.source("clock_ppm"))
    assert instruments.CLOCK_PPM == instruments.by_driver("", samplerate_hz=RATE).clock_ppm


def test_table_has_a_row_per_component():
    """Standard uncertainties, those of the probes marked."""
    delay = dataclasses.replace(between(STROBE, TAP, 1e6), probe_components=(Component("more", 1.0, "A", "test"),))
    table = uncertainty.as_table([("round trip", (delay,))]).to_pylist()

    assert [*named(delay), "more"] == [row["component"] for row in table]
    assert [False, False, False, True] == [row["of_probes"] for row in table]
    assert 0 == uncertainty.as_table([]).num_rows


@pytest.mark.parametrize(
    ("ns", "expanded", "text"),
    [
        (100_021_470, 790, "100021.47 ± 0.79 µs"),  # JCGM 100:2008, 7.2.4: 100.021 47 g with 0.79 mg
        (10_057.62, 27, "10.058 ± 0.027 µs"),  # 7.2.6: 10.057 62 ohm with 27 milliohm
        (8_324_123, 42_300, "8.324 ± 0.042 ms"),
        (1_500, 996, "1.5 ± 1.0 µs"),
        (250, 1_260, "0.2 ± 1.3 µs"),
        (-90, 12, "\N{MINUS SIGN}90 ± 12 ns"),
        (123_456, 987_654, "120 ± 990 µs"),
        (3.0, float("nan"), "3.00 ns"),
        (float("nan"), 1.0, "\N{EN DASH}"),
    ],
)
def test_text_has_two_digits_of_uncertainty_and_the_value_to_match(ns, expanded, text):
    assert text == uncertain_text(ns, expanded)
