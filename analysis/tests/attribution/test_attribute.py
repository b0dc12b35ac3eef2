"""Attribution of a route: injected structures are found on their steps, and none in runs without structure."""

from __future__ import annotations

import json

import numpy as np
import pytest
from attributioncases import MS, STRUCTURELESS, activity, covariates, others_on_air, route, series, starts
from depth import by_depth, fewest, most
from locking import locked

from gpiorig.analysis.attribution import attribute, findings


@pytest.mark.slow
def test_structureless_runs(monkeypatch) -> None:
    """Findings in no more runs than the level allows: ten kinds of delays with activities, covariates, frames."""
    runs, level, count = by_depth(40, 200), 0.05, []
    monkeypatch.setattr(attribute, "LEVEL", level)
    for run in range(runs):
        kind = list(STRUCTURELESS)[run % len(STRUCTURELESS)]
        rng = np.random.default_rng(run)
        begun = starts(rng, 300, irregular=bool(run // 10 % 2))
        end = int(begun[-1]) + 2 * MS
        tasks = activity("a: 1", 1.0013 * MS, end), activity("a: 2", 1.31 * MS, end)
        delays = np.rint(STRUCTURELESS[kind](rng, 300)).astype(np.int64)
        air = others_on_air(rng, delays, begun, repeated=0.02 * (run % 3)) if run // 20 % 2 else None
        attribution = series(delays, begun, *tasks, air=air, **covariates(rng, 300))
        result = attribute.attribute_series(attribution)
        assert result.tests >= 7
        if result.findings:
            count.append((run, kind, result.findings))
    assert len(count) <= most(runs, level, risk=0.01), count


@pytest.fixture(scope="module")
def mixed():
    """Steps of 400 packets: a lattice, a beat, pre-emption, a bimodal queue, nothing, and one that is constant."""
    rng = np.random.default_rng(1)
    n = 400
    begun = starts(rng, n)
    lattice = 3420 + 7680 * rng.integers(0, 8, n) + rng.integers(0, 2, n)
    hit = ((begun + lattice - 500) / MS % 1 < 0.15) * 600
    beaten = np.rint(2000 + hit + rng.normal(0, 20, n))
    preempted = np.where(rng.random(n) < 0.08, rng.uniform(1000, 9000, n), 0)
    longer = np.rint(4000 + preempted + rng.normal(0, 20, n))
    queue = np.rint(np.where(rng.random(n) < 0.3, 9000, 500) + rng.normal(0, 200, n))
    nothing = np.rint(rng.exponential(500, n))
    still = 700 + rng.integers(0, 3, n)
    samples = np.stack([lattice, beaten, longer, queue, nothing, still], axis=1)
    own = np.zeros((n, 6))
    own[:, 2] = preempted / 24
    end = int(begun[-1]) + 10 * MS
    tasks = {"a: task": activity("a: task", MS, end), "b: slot": activity("b: slot", 1.7 * MS, end)}
    given = {"pre-empted time, µs": own, "retries": rng.poisson(0.3, n).astype(float)}
    return locked((route(samples, begun), given, tasks))


@pytest.mark.slow
def test_every_structure_is_found_on_its_step(mixed) -> None:
    path, given, tasks = mixed
    result = attribute.attribute(path, covariates=given, activities=tasks)
    assert [f"step {i}" for i in range(6)] + ["total"] == [attribution.step for attribution in result]
    kinds = [[finding.kind for finding in attribution.findings] for attribution in result]
    assert ["lattice"] == kinds[0]
    assert "beat" == kinds[1][0]
    assert (["dependence"], ["modes"], [], []) == tuple(kinds[2:6])
    assert "beats with a: task" in result[1].sentence
    assert "depends on pre-empted time, µs: 1.00 µs" in result[2].sentence
    assert "No finding in 7 tests on 400 packets at level 0.01; a structure that makes" in result[4].sentence
    assert "Does not vary by more than the resolution (83.3 ns): nothing to test." == result[5].sentence
    assert [7, 7, 7, 7, 7, 0] == [attribution.tests for attribution in result[:6]]


@pytest.mark.slow
def test_equal_data_give_equal_results(mixed) -> None:
    path, given, tasks = mixed
    first, second = (findings.as_table(attribute.attribute(path, covariates=given, activities=tasks)) for _ in range(2))
    assert first.equals(second)


@pytest.mark.slow
def test_shares_do_not_see_shift_and_scale(mixed) -> None:
    path, given, _ = mixed
    moved = route(path.steps.samples * 2 + 100, path.starts)
    first = attribute.attribute(path, covariates=given)[:4]
    second = attribute.attribute(moved, covariates={name: 2 * values for name, values in given.items()})[:4]
    for a, b in zip(first, second, strict=True):
        assert [f.kind for f in a.findings if f.kind != "beat"] == [f.kind for f in b.findings if f.kind != "beat"]
    assert [f.share for f in first[2].findings] == pytest.approx([f.share for f in second[2].findings], rel=1e-3)


def test_a_step_is_tested_against_its_own_nodes() -> None:
    """The total delay is tested against all; a step on the air against both of its ends."""
    rng = np.random.default_rng(3)
    samples = rng.integers(0, 1000, (200, 3))
    begun = starts(rng, 200)
    end = int(begun[-1]) + MS
    tasks = {name: activity(name, p * MS, end) for name, p in (("a: x", 1.1), ("b: y", 1.7), ("b: z", 2.3))}
    result = attribute.attribute(route(samples, begun, nodes=("a", "b", "a > b")), activities=tasks)
    assert [6, 7, 8, 8] == [attribution.tests for attribution in result]


@pytest.mark.slow
def test_the_whole_delay_depends_on_what_is_known_of_its_steps() -> None:
    """The sum of a covariate over the steps without those where it is unknown."""
    rng = np.random.default_rng(8)
    own = np.where(rng.random((300, 3)) < 0.3, rng.uniform(10, 100, (300, 3)), 0)
    samples = np.rint(5000 + 24 * own + rng.normal(0, 5, (300, 3)))
    own[:, 1] = np.nan
    result = attribute.attribute(route(samples, starts(rng, 300)), covariates={"pre-empted time, µs": own})
    assert [True, False, True, True] == [
        "dependence" in [f.kind for f in attribution.findings] for attribution in result
    ]
    slope = next(f for f in result[3].findings if f.kind == "dependence").numbers["slope"]
    assert slope.low <= 1000 <= slope.high


def test_who_waits_longer_is_not_delayed_by_what_runs_meanwhile() -> None:
    """A task occupies the processor for a quarter of a wait, however long: it does not cause the wait."""
    rng = np.random.default_rng(9)
    wait = rng.uniform(10_000, 60_000, 300)
    met = wait / 24 / 4 + rng.normal(0, 20, 300)
    waiting = attribute.attribute_series(series(wait, starts(rng, 300), **{"pre-empted time, µs": met}))
    assert () == waiting.findings
    working = attribute.attribute_series(series(5000 + 24 * met, starts(rng, 300), **{"pre-empted time, µs": met}))
    assert ["dependence"] == [f.kind for f in working.findings]


@pytest.mark.parametrize("n", [0, 1, 2, 29])
def test_few_packets_tell_nothing(n: int) -> None:
    result = attribute.attribute(route(np.arange(2 * n).reshape(n, 2), np.arange(n, dtype=np.int64)))
    assert 3 == len(result)
    assert {((), 0)} == {(attribution.findings, attribution.tests) for attribution in result}
    assert all("fewer than 30 tell nothing" in attribution.sentence for attribution in result)


def test_degenerate_delays_do_not_raise() -> None:
    """Equal instants, unknown covariates, two values, one outlier."""
    n = 100
    odd = np.zeros((n, 3), dtype=np.int64)
    odd[::2, 0], odd[50, 1], odd[:, 2] = 50, 1000, np.arange(n)
    path = route(odd, np.zeros(n, dtype=np.int64))
    result = attribute.attribute(path, covariates={"unknown": np.full(n, np.nan), "constant": np.ones(n)})
    assert all(attribution.sentence for attribution in result)
    assert not result[1].findings
    assert not [
        f for attribution in result for f in attribution.findings if not np.isfinite(f.p_value) or not 0 <= f.share <= 1
    ]


def test_what_is_finer_than_the_resolution_is_not_found() -> None:
    """Every second delay is one sample longer, one is far out: the analyzer does not resolve that."""
    delays = 1000 + np.arange(400) % 2
    delays[7] = 1044
    result = attribute.attribute_series(series(delays, starts(np.random.default_rng(4), 400)))
    assert () == result.findings
    assert result.tests > 0


def test_a_trend_is_no_jump_and_a_jump_no_trend() -> None:
    rng = np.random.default_rng(5)
    begun = starts(rng, 400)
    slope = attribute.attribute_series(series(5000 + 3 * np.arange(400) + rng.normal(0, 200, 400), begun))
    jump = attribute.attribute_series(series(5000 + 900 * (np.arange(400) > 170) + rng.normal(0, 200, 400), begun))
    assert ["trend"] == [f.kind for f in slope.findings if f.kind in {"trend", "change"}]
    assert ["change"] == [f.kind for f in jump.findings if f.kind in {"trend", "change"}]


def test_many_packets_are_thinned_out_and_it_says_so() -> None:
    rng = np.random.default_rng(6)
    n = 20_000
    result = attribute.attribute(route(1000 + 500 * rng.integers(0, 6, (n, 1)), starts(rng, n)))
    assert (
        "5 tests on 2\N{NARROW NO-BREAK SPACE}048 packets of 20\N{NARROW NO-BREAK SPACE}000 packets chosen at random"
        in result[0].sentence
    )
    assert ["lattice"] == [f.kind for f in result[0].findings]


@pytest.mark.slow
def test_the_detectable_share_is_detected_four_times_in_five() -> None:
    """The detectable share of a sentence without finding, with one covariate of that share: 0.8, within 0.05."""
    tests, n, runs = 7, 400, by_depth(100, 300)
    share = attribute._detectable(n=n, tests=tests)
    count = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        c = rng.normal(size=n)
        x = 10_000 + 1000 * (np.sqrt(share) * c + np.sqrt(1 - share) * rng.normal(size=n))
        attribution = attribute.dependence.test(x.astype(np.int64), c, name="c", period_ns=1.0)
        assert attribution is not None
        count += attribution.p_value < 0.01 / tests
    assert fewest(runs, 0.75) <= count <= most(runs, 0.85)


@pytest.mark.slow
def test_the_table_has_a_row_per_finding(mixed) -> None:
    path, given, tasks = mixed
    result = attribute.attribute(path, covariates=given, activities=tasks)
    table = findings.as_table(result)
    assert sum(max(1, len(attribution.findings)) for attribution in result) == table.num_rows
    rows = table.to_pylist()
    assert ("step 0", "lattice", 0.01) == tuple(rows[0][k] for k in ("step", "kind", "level"))
    low, high = json.loads(rows[0]["numbers"])["period_ns"][1:]
    assert low < 320_000 < high
    quiet = next(row for row in rows if row["step"] == "step 4")
    assert (None, None, None) == (quiet["kind"], quiet["p_value"], quiet["numbers"])
    assert quiet["sentence"].startswith("No finding")
    assert 0 == findings.as_table(()).num_rows
