"""Numbers that pages compute themselves: gaps, repeats, kinds of steps, change points."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from reportcases import PLAIN, evaluated

from gpiorig.analysis.compare import comparison
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.number_text import DASH, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report import delays, differences, health, pictures, repeats, runs, served_page
from gpiorig.analysis.report.blocks import Section


def packets(new_bench, count: int = 12):
    bench = new_bench()
    for id_ in range(1, count + 1):
        bench.round_trip(id_)
    return bench


@pytest.mark.parametrize("count", [health.LISTED, health.LISTED + 2])
def test_gaps_are_added_and_listed(new_bench, count):
    """Gaps of 3 us each, 10 us apart; of 2 more than are listed it says 2."""
    gaps = [(place * 240 + 24, place * 240 + 96) for place in range(count)]  # 24 samples a us
    events = packets(new_bench, 1).events(gaps=gaps)
    analysis = SimpleNamespace(events=events, hops=None, round_trips=None, logs={})
    lost = dict(health.losses(SimpleNamespace(analysis=analysis)))
    assert f"{count} ({time_text(3000.0 * count)})" == lost["gaps in the capture"]
    table = health._gaps(events)
    assert (health.LISTED, count > health.LISTED) == (len(table.rows), table.note.startswith("2 more"))
    assert (time_text(11_000.0, digits=7), time_text(3000.0)) == table.rows[1]


def run(names: dict[str, int], *, kind: Kind = Kind.SOFTWARE, rate: int = 500_000_000) -> Delays:
    noise = np.random.default_rng(2).integers(0, 9, 60)
    values = {name: median + noise for name, median in names.items()}
    steps = {name: kind for name in names if name != "rtt"}
    return Delays(values, steps, 60, 0, Fraction(rate))


def test_the_mean_of_a_kind_is_that_of_its_steps():
    """Of 2 ns a sample, in both runs; steps that one run lacks do not count."""
    before, now = run({"rtt": 9000, "a": 2000, "b": 3000}), run({"rtt": 9000, "a": 2500, "b": 3000, "c": 7000})
    [row] = differences._kinds(SimpleNamespace(before=before, now=now))
    mean = 2 * float(np.random.default_rng(2).integers(0, 9, 60).mean())
    expected = [time_text(2 * part + 2 * mean, digits=4) for part in (5000, 5500)]
    assert expected == [cell for cell in row if cell in expected]


def test_the_delays_that_are_drawn_moved_most():
    """The total and the largest changes, at most as many as there is room for; without changes four others."""
    names = [f"step {place:02}" for place in range(differences.DRAWN + 3)]
    base = run(dict.fromkeys(names, 1000) | {"rtt": 9000})
    base = Delays({"rtt": base.values["rtt"], **base.values}, base.kinds, 60, 0, base.samplerate_hz)
    compared = comparison.compare(base, base)
    moves = dict(zip(names, np.random.default_rng(1).permutation(len(names)) * 100.0 + 10.0, strict=True))
    total, *others = compared.changes

    def drawn(changed):
        changes = [SimpleNamespace(name=change.name, changed=changed, moved_ns=moves[change.name]) for change in others]
        pair = SimpleNamespace(comparison=SimpleNamespace(changes=(total, *changes)))
        return [change.name for change in differences._drawn(pair)]

    most = sorted(names, key=lambda name: -moves[name])
    for changed, room in ((True, differences.DRAWN - 1), (False, 4)):
        assert ["rtt", *sorted(most[:room])] == drawn(changed)


def test_repeats_have_a_spread_from_two_on():
    def text(values):
        set_up = [SimpleNamespace(value=value) for value in values]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(repeats, "values", lambda runs, statistic: np.array([run.value for run in runs]))
            return repeats._mean_text(set_up, "mean").replace("µ", "u")

    assert [DASH, "5 us"] == [text([]), text([5000.0]).replace(".000", "")]
    assert text([4000.0, 6000.0]).replace(".000", "").startswith("5 us ± 1.4")


def test_runs_of_one_digest_are_repeats_and_others_stand_alone():
    several = [
        SimpleNamespace(name=name, digest=digest) for name, digest in zip("abcde", ("x", "", "y", "x", ""), strict=True)
    ]
    assert ["ad", "b", "c", "e"] == ["".join(run.name for run in group) for group in runs.set_ups(several)]


def test_change_points_are_samples_after_the_first_packet():
    finding = SimpleNamespace(kind="change", numbers={"at_1_s": 1.5, "at_2_s": 3.0, "level_1_ns": 7.0})
    steps = SimpleNamespace(samplerate_hz=Fraction(1000))
    evaluation = SimpleNamespace(route=SimpleNamespace(steps=steps, starts=np.array([500, 600])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "total_findings", lambda of: [finding, SimpleNamespace(kind="trend", numbers={})])
        assert [2000, 3500] == pictures._changes(evaluation)


def test_the_mean_time_of_preemption(new_bench):
    evaluation = evaluated(packets(new_bench), **PLAIN | {"occupancy": True}).evaluation.routes[0]
    occupancy, period_ns = evaluation.occupancy, 1e9 / float(evaluation.route.steps.samplerate_hz)
    for column in np.flatnonzero(occupancy.known).tolist():
        mean_ns = float(occupancy.preempted_samples[:, column].mean()) * period_ns
        assert time_text(mean_ns) == delays._preempted(evaluation, column)
    assert occupancy.preempted_samples[:, occupancy.known].any()


def test_edges_are_beneath_the_packets_or_first():
    panel, packets_, other = object(), Section("packets", "", ("p",)), Section("health", "", ("h",))
    with_packets = served_page.with_panel([packets_, other], panel)
    assert [("packets", ("p", panel)), ("health", ("h",))] == [(part.id, part.blocks) for part in with_packets]
    assert ["edges", "health"] == [part.id for part in served_page.with_panel([other], panel)]
