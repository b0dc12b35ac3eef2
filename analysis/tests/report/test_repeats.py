"""Repeats and differences of runs: statistics, verdicts and words of small cases that are known."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import evaluations
import numpy as np
import pytest
from drawnaxes import bars
from reportcases import PLAIN, data_of, interval, one_way, routes_of

from gpiorig.analysis.number_text import DASH
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.report import (
    differences,
    repeats,
    runs,
    several_runs,
)  # fmt: skip
from gpiorig.analysis.report.runs import Difference, Run
from gpiorig.analysis.report.served_blocks import Served
from gpiorig.capture.edges.waveform import VIRTUAL_MARK


def run_of(name, *totals, loss=0.0, noun="delay", digest=""):
    """A run as far as repeats need it: delays in samples of 1 µs."""
    known = SimpleNamespace(values={"total": np.array(totals)}, period_ns=1000.0, loss=lambda: interval(loss))
    return SimpleNamespace(name=name, delays=known, noun=noun, digest=digest)


def test_a_statistic_of_each_repeat():
    """In ns; of two delays or more; the share of lost packets is one of them."""
    set_up = [run_of("a", 1, 3, loss=0.5), run_of("b", 5), run_of("c")]
    assert [2000.0] == repeats.values(set_up, "mean").tolist()
    assert [0.5, 0.0, 0.0] == repeats.values(set_up, "loss").tolist()


def test_the_table_of_repeats():
    """None without a repeat; a mean with its spread of several, alone of one, and differences."""
    base = [run_of("a", 1, 3, loss=0.5), run_of("b", 3, 5, loss=0.25)]
    assert repeats.section([base[:1], [run_of("c", 1, 2)]]) is None
    (table,) = repeats.section([base, [run_of("c", 2, 2)]]).blocks
    assert ("<a (2 repeats)", "<c", "<c: difference") == table.header[1:]
    rows = {row[0]: row[1:] for row in table.rows}
    assert ("3.000 µs ± 1.4 µs", "2.000 µs") == rows["mean"][:2]
    assert ("38 % ± 18 %", "0 %") == rows["loss"][:2]


def test_the_difference_of_repeats_in_words():
    def words(*medians):
        new = [run_of(str(n), median, median) for n, median in enumerate(medians)]
        return repeats.sentence(
            [run_of("base", 10, 10), *(run_of(str(n), 10 + n, 10 + n) for n in (1, 2))], new, "x 1 → 2"
        )

    assert words(19, 20, 21).startswith("x 1 → 2: +9.00 µs in the median delay (95 % interval ")
    assert words(1, 2, 3).startswith("x 1 → 2: \N{MINUS SIGN}9.00 µs in the median delay (95 % interval ")
    assert "does not change beyond the spread of the repeats" in words(10, 11, 13)


def pair_of(changes, kinds, *, total=1000.0):
    rows = [
        SimpleNamespace(name="total", mean_ns=interval(total)),
        *(SimpleNamespace(name=name, mean_ns=interval(ns)) for name, ns in changes.items()),
    ]
    return SimpleNamespace(comparison=SimpleNamespace(changes=rows), now=SimpleNamespace(kinds=kinds))


@pytest.mark.parametrize(
    ("changes", "total", "expected"),
    [
        ({"a": 300.0, "b": 200.0, "c": 400.0}, 1000.0, ", 50 % of the change of its mean on the air"),
        ({"a": 300.0, "b": 199.0, "c": 400.0}, 1000.0, ""),
        ({"a": -900.0, "b": 0.0, "c": 100.0}, -1000.0, ", 90 % of the change of its mean on the air"),
        ({"a": 1200.0, "c": -200.0}, 1000.0, ", > 99.9 % of the change of its mean on the air"),
        ({"x": 900.0}, 1000.0, ""),
        ({"a": 900.0}, 0.0, ""),
    ],
)
def test_where_the_mean_changed(changes, total, expected):
    """The kind of steps with half of it or more."""
    kinds = {"a": Kind.AIR, "b": Kind.AIR, "c": Kind.MAC}
    assert expected == runs._place(pair_of(changes, kinds, total=total))


def test_a_run_that_cannot_be_compared():
    """For the obstacle, or because no packet of it is complete; then only the loss is judged."""
    base, new = (Run(name, routes_of(20)) for name in ("before", "after"))
    assert Difference(base, new, None, "why").sentence == "after cannot be compared with before: why."
    empty = SimpleNamespace(now=SimpleNamespace(complete=False), against_model=())
    compared = Difference(base, new, empty)
    assert "after cannot be compared with before: no packet of it is complete on the pins." == compared.sentence
    section = differences.section(compared, 2)
    assert "no packet of it is complete" in section.blocks[0].lines[0]


def test_times_of_a_run():
    """In samples; of those quantities that are times and have values."""
    delays_ns = np.array([1000, 2000])
    series = Series(
        "a > b", parse("mac.tx -> mac.rx"), delays_ns, Fraction(1), delays_ns, np.full(2, -1, dtype=np.int32)
    )
    empty = replace(series, node="c", values=np.zeros(0, dtype=np.int64))
    run = Run("r", replace(routes_of(20), quantities=(series, empty)))
    assert [[24, 48]] == [values.tolist() for values in run.times().values()]


def test_the_page_of_all_runs_of_a_server():
    """Of more than two: of two their lists choose."""
    addresses = {n: Served("", tuple("abcd"[:n]), (1, 2)).comparison for n in (2, 3, 4)}
    assert {2: "", 3: "/compare/1/2/3/", 4: "/compare/1/2/3/4/"} == addresses


def test_the_opening_of_several_runs():
    """So many runs are over each other; more are counted. A p99 needs a hundred packets."""
    most = several_runs.MAX_STAIRCASES
    for count in (most, most + 1):
        (section,) = several_runs._opening([Run(str(n), routes_of(99 + n)) for n in range(count)])
        assert most == len(section.blocks[0].runs)
        assert (count > most) == (len(section.blocks) == 2)
    assert [False, True] == ["p99" in row[2] for row in section.blocks[0].runs[:2]]
    assert [] == several_runs._opening([Run("r", one_way(**PLAIN))])


def test_sentences_of_several_runs():
    """Of two runs the difference is the lead; of more each has a line, and is folded under it."""
    base, new = (Run(name, routes_of(20), digest=name) for name in ("before", "after"))
    compared = [Difference(base, new, None, "why")] * 2
    assert [2, 4] == [len(several_runs._lines([base, new], compared[:n])) for n in (1, 2)]
    for n, line in ((1, ""), (2, compared[0].sentence)):
        sections = several_runs._difference_sections(compared[:n], [[base], [new]])
        assert [line] * n == [section.line for section in sections]
    assert compared[0].sentence == several_runs.lead(compared, [[base], [new]])
    assert "the median delay" in several_runs.lead(compared, [[base, base], [new]])
    assert compared[0].sentence == several_runs.lead(compared, [[base, base]])
    assert "" == several_runs.lead([], [[base]])


def test_runs_without_a_packet_side_by_side():
    """A row of dashes; the name of the delay is that of all runs."""
    section = several_runs._side_by_side([Run("r", routes_of(20)), Run("e", one_way(**PLAIN))], virtual=False)
    full, empty = section.blocks[0].rows
    assert ("e", "one way", DASH, "0", *[DASH] * 5) == empty and len(full) == len(empty)
    assert "The delay of every run" == section.blocks[1].title


def test_kinds_before_and_after():
    """The mean in each kind of steps, with the sign of its change."""

    def side(*means):
        values = {str(n): np.array([mean, mean]) for n, mean in enumerate(means)}
        return SimpleNamespace(values=values, period_ns=1000.0, kinds={"0": Kind.AIR, "1": Kind.AIR, "2": Kind.MAC})

    rows = differences._kinds(SimpleNamespace(before=side(1, 2, 5), now=side(2, 4, 5)))
    assert {(Kind.AIR.text, "3.000 µs", "6.000 µs", "+3.00 µs"), (Kind.MAC.text, "5.000 µs", "5.000 µs", "0")} == set(
        rows
    )


def test_the_figure_of_a_difference():
    """The bars of the total are the changes of its median and of its p95; one virtual run marks the figure."""
    base, new = (evaluations.one_way(packets=80, seed=seed) for seed in (1, 2))
    later = new.steps.samples + np.array([0, 24_000, 0, 0])
    later[:, 1] += 250 * np.arange(80)
    new = replace(new, steps=replace(new.steps, samples=later))
    made = [Run(name, one_way(route, **PLAIN)) for name, route in (("before", base), ("after", new))]
    for virtual in (False, True):
        made[1] = Run("after", replace(made[1].data, virtual=virtual))
        figure = differences.section(runs.difference(*made), 2).blocks[1].draw()
        assert virtual == (VIRTUAL_MARK in [text.get_text() for text in figure.texts])
    widths = [width for _, _, width, _ in bars(figure.axes[1])[:2]]
    totals = [data.data.evaluation.routes[0].numbers.total for data in made]
    expected = [getattr(totals[1], name) - getattr(totals[0], name) for name in ("median_ns", "p95_ns")]
    assert expected == pytest.approx(widths, rel=0.01)
    assert abs(expected[0] - expected[1]) > 0.1 * expected[0]
    assert all(
        patch.get_facecolor()[:3] == figure.axes[1].patches[0].get_facecolor()[:3]
        for patch in figure.axes[1].patches[:2]
    )


def test_what_was_changed():
    """At most two by name; seeds, versions and names only where nothing else differs; switches are on and off."""
    base = {"setting backoff": "True", "setting seed": "1", "bench virtual.seed": "1", "version of numpy": "2"}

    def opening(**changed):
        set_up = base | {name.replace("_", " "): value for name, value in changed.items()}
        runs_ = (Run("a", routes_of(20), base), Run("b", routes_of(20), set_up))
        return Difference(*runs_, None, "why").opening

    assert "backoff on → off" == opening(setting_backoff="False", setting_seed="2", version_of_numpy="3")
    assert "a → b" == opening(setting_seed="2")
    three = {"setting_backoff": "False", "setting_payload": "64", "analyzer": "x"}
    assert "backoff on → off, payload none → 64, 1 more" == opening(**three)
    nothing = Run("b", routes_of(20))
    assert "a → b" == Difference(Run("a", routes_of(20), base), nothing, None, "why").opening


def test_the_colours_of_a_comparison():
    """The kind with most of the change; where nothing changed, the kinds that cause the jitter of the reference."""
    run = Run("a", routes_of(50))
    changed = Difference(run, run, pair_of({"a": 900.0}, {"a": Kind.AIR}))
    assert {Kind.AIR} == changed.changed_kinds
    assert {Kind.RADIO_WAIT} == Difference(run, run, pair_of({"a": 900.0}, {"a": Kind.AIR}, total=0.0)).changed_kinds
    assert {Kind.RADIO_WAIT} == Difference(run, run, None, "why").changed_kinds


def test_only_the_loss_is_judged_without_a_complete_packet(monkeypatch):
    monkeypatch.setattr(runs, "_verdict", lambda limit, pair: limit.quantity)
    limits = (SimpleNamespace(quantity="delay"), SimpleNamespace(quantity="loss"))
    base, new = Run("before", routes_of(20)), Run("after", routes_of(20), limits=limits)
    for complete, judged in ((False, ["loss"]), (True, ["delay", "loss"])):
        assert judged == Difference(base, new, SimpleNamespace(now=SimpleNamespace(complete=complete))).verdicts
    assert [] == Difference(base, new, None, "why").verdicts


@pytest.mark.parametrize(
    ("marks", "expected"), [((True, None), True), ((None, False), None), ((False, False), False), ((True, False), True)]
)
def test_whether_a_page_of_runs_is_virtual(monkeypatch, tmp_path, marks, expected):
    """If one of them is; not known, if it is not known of one and none is."""
    written = {}
    monkeypatch.setattr(several_runs, "write_page", lambda path, **options: written.update(options))
    plain = routes_of(20)
    made = [Run(str(n), replace(plain, virtual=bool(mark), asked=mark is not None)) for n, mark in enumerate(marks)]
    several_runs.write_set(tmp_path, made)
    assert expected == written["virtual"]


def test_the_name_of_the_delay_of_all_runs(new_bench):
    """Round-trip time, if it is that of each of them."""
    bench = new_bench()
    bench.round_trip(1)
    trips = Run("t", data_of(bench))
    assert (
        "The round-trip time of every run" == several_runs._side_by_side([trips, trips], virtual=False).blocks[1].title
    )
    both = several_runs._side_by_side([trips, Run("r", routes_of(20))], virtual=False)
    assert "The delay of every run" == both.blocks[1].title
