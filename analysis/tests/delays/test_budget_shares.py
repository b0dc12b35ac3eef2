"""Shares of resamples and the price of an event, against plain versions and by hand."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.analysis.delays import budget_shares
from gpiorig.analysis.delays.budget_shares import Summands, Total
from gpiorig.analysis.delays.calibration import price
from gpiorig.analysis.delays.instruments import Node
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.statistics import dependence, resampling
from gpiorig.analysis.statistics.value_series import ValueSeries

KNOWN = Node(bus_width=2, symbol_ns=125, frame_gap_ns=400, mark_ns=192_000)
PACKETS = 300
SAMPLES = np.random.default_rng(1).integers(0, 1000, (PACKETS, 3)) + np.array([0, 5000, 100])
TOTAL = SAMPLES.sum(axis=1)


def summands(rows: np.ndarray, slow: np.ndarray | None = None) -> Summands:
    """Columns that have shares in their own sum."""
    return Summands(lambda packets: rows[packets], Total(ValueSeries(rows.sum(axis=1)), slow))


def slowest(total: np.ndarray) -> np.ndarray:
    return budget_shares.slowest(ValueSeries(total))


def of_time(rows: np.ndarray) -> np.ndarray:
    return SAMPLES[rows].mean(axis=0) / TOTAL[rows].mean()


def of_variance(rows: np.ndarray) -> np.ndarray:
    total = TOTAL[rows]
    return np.array([np.cov(step, total, ddof=0)[0, 1] for step in SAMPLES[rows].T]) / total.var()


def of_tail(rows: np.ndarray) -> np.ndarray:
    """Of the ten slowest, by sorting."""
    slow = rows[np.argsort(-TOTAL[rows], kind="stable")][:10]
    return (SAMPLES[slow].mean(axis=0) - SAMPLES[rows].mean(axis=0)) / (TOTAL[slow].mean() - TOTAL[rows].mean())


@pytest.mark.parametrize("kind", ["time", "variance", "tail"])
def test_shares_of_resamples_are_the_plain_ones(kind: str) -> None:
    """Of all packets, of resamples with their own slowest, and without one block."""
    plain = {"time": of_time, "variance": of_variance, "tail": of_tail}[kind]
    assert len(np.unique(TOTAL)) > PACKETS * 0.9
    assert 10 == slowest(TOTAL).sum()
    shares = getattr(budget_shares, f"{kind}_shares")(summands(SAMPLES))
    plan = resampling.resample(PACKETS, 1)
    assert plan.weights.shape == (len(shares.replicates), PACKETS)  # independent: a cell is a packet
    every = np.arange(PACKETS)
    assert plain(every) == pytest.approx(shares.value)
    expected = [plain(np.repeat(every, row.astype(int))) for row in plan.weights[90:130]]
    assert np.array(expected) == pytest.approx(shares.replicates[90:130])
    if kind != "tail":  # there the number of the slowest is a share of those that are left
        assert np.array([plain(every[row > 0]) for row in plan.without[:5]]) == pytest.approx(shares.jackknife[:5])


def test_the_slowest_of_resamples_of_cells_are_the_plain_ones() -> None:
    """More packets than cells, in groups of equal delays: the last of the slowest counts as a fraction."""
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 40, (5000, 2)) * np.array([1, 100])
    columns = summands(rows)
    total, count = rows.sum(axis=1), int(columns.total.slow.sum())
    shares = budget_shares.tail_shares(columns)
    block, _ = dependence.block_of([dependence.measure(columns.total.slow), columns.total.squares])
    plan = resampling.resample(len(rows), block)
    for replicate, weights in zip(shares.replicates[:20], plan.weights[:20], strict=True):
        times = np.repeat(weights, plan.sizes).astype(int)
        order = np.repeat(np.argsort(-total, kind="stable"), times[np.argsort(-total, kind="stable")])
        places = len(order) * count / len(rows)
        part = np.clip(places - np.arange(len(order)), 0, 1)[:, None]
        slow = (rows[order] * part).sum(axis=0) / places - rows[order].mean(axis=0)
        assert slow / slow.sum() == pytest.approx(replicate, rel=1e-9)


def test_a_share_next_to_nothing_in_the_tail_is_exact() -> None:
    """Of a column that the slowest packets hardly differ in: to the last bits of the rational number.

    Sums of differences from a mean that is not a whole number are off by 4e-10 of it.
    """
    rng = np.random.default_rng(18)
    rows = np.stack([rng.integers(35_000, 36_000, 20_000), rng.exponential(40_000, 20_000).astype(np.int64)], axis=1)
    slow = np.flatnonzero(slowest(rows.sum(axis=1)))

    def excess(samples: np.ndarray) -> Fraction:
        return Fraction(int(samples[slow].sum()), len(slow)) - Fraction(int(samples.sum()), len(samples))

    rows[slow, 0] -= round(excess(rows[:, 0]))
    expected = [float(excess(column) / excess(rows.sum(axis=1))) for column in rows.T]
    shares = budget_shares.tail_shares(summands(rows))
    assert 0 < abs(expected[0]) < 1e-5
    assert len(slow) == summands(rows).total.slow.sum()
    assert expected == pytest.approx(shares.value.tolist(), rel=1e-14, abs=0)


@pytest.mark.parametrize(("packets", "slow", "note"), [(400, 6, ""), (400, 7, "are 1.8 %"), (40, 10, ""), (40, 11, "")])
def test_which_slowest_packets_are_a_tail(packets: int, slow: int, note: str) -> None:
    """Up to 1.5 % without a remark, and up to a quarter at all."""
    total = np.arange(packets) * 10
    steps = np.stack([total // 3, total - total // 3], axis=1)
    shares = budget_shares.tail_shares(summands(steps, total >= total[-slow]))
    assert note in shares.note
    assert ("are not a tail" in shares.note) == (slow / packets > 0.25) == bool(np.isnan(shares.value).all())
    assert ("of all, not" in shares.note) == (1.5 < 100 * slow / packets <= 25)


def test_an_interval_needs_five_blocks() -> None:
    rows = np.random.default_rng(1).normal(0.5, 0.1, (200, 2))
    for blocks, has_interval in ((resampling.MIN_BLOCKS - 1, False), (resampling.MIN_BLOCKS, True)):
        shares = budget_shares.Shares(np.array([0.4, 0.6]), rows, rows[:blocks], blocks, "test", "")
        assert has_interval == math.isfinite(shares.interval((0, 1)).low)


@pytest.mark.parametrize("total", [[10, 20, 30], [0, 0, 0, 0, 7]])
def test_a_resample_of_equal_packets_has_no_shares(total: list[int]) -> None:
    """One of packets that all have the mean does not vary, and one of packets that took no time has none to share."""
    totals = np.array(total)
    steps = np.stack([totals, 0 * totals], axis=1)
    for shares in (budget_shares.variance_shares(summands(steps)), budget_shares.time_shares(summands(steps))):
        assert [1.0, 0.0] == pytest.approx(shares.value)
        known = shares.replicates[np.isfinite(shares.replicates).all(axis=1)]
        assert np.tile([1.0, 0.0], (len(known), 1)) == pytest.approx(known)
    assert 0 < len(known) <= len(shares.replicates)


def test_delays_that_vary_for_a_while_need_long_blocks() -> None:
    """Signs by chance, so that the delays do not depend on each other, and the same size 50 times in a row.

    The slowest are anywhere: they do not bunch.
    """
    random = np.random.default_rng(2)
    size = np.repeat(random.integers(1, 1000, 40), 50)
    total = 10_000 + size * random.choice([-1, 1], len(size))
    total[random.choice(len(total), 20, replace=False)] = 11_100
    steps = np.stack([total // 2, total - total // 2], axis=1)
    slow = slowest(total)
    assert (20, 1) == (slow.sum(), dependence.block_for(slow)[0])
    columns = summands(steps, slow)
    of_time, of_tail = budget_shares.time_shares(columns), budget_shares.tail_shares(columns)

    assert of_tail.method == budget_shares.variance_shares(columns).method != of_time.method


def test_the_slowest_are_one_percent_or_ten() -> None:
    for packets, count in ((5, 5), (10, 10), (1000, 10), (1001, 11), (2000, 20)):
        assert count == slowest(np.arange(packets)).sum()
    assert 15 == slowest(np.minimum(np.arange(100), 85)).sum()


def burst(new_bench, samples: list[int]):
    stage = new_bench().events()
    n = len(samples)
    return dataclasses.replace(
        stage,
        samples=np.array(samples),
        nodes=np.zeros(n, dtype=np.uint16),
        codes=np.full(n, BY_NAME["rig.calibrate"].code, dtype=np.uint8),
        ids=np.arange(n, dtype=np.int32),
    )


def test_what_is_known_of_the_price_of_an_event(new_bench) -> None:
    """Spacings of 70, 80 and 90 samples: 10 samples / √3; of a single one nothing is known below a sample."""
    three, single = (burst(new_bench, samples) for samples in ([0, 70, 150, 240], [0, 80]))
    period_ns = 1e9 / float(three.samplerate_hz)
    node = three.node_names[0]
    for events, standard in ((three, 10 / math.sqrt(3)), (single, 1.0)):
        cost = price(events, node=node, known=KNOWN)
        assert cost is not None
        assert (80 * period_ns, standard * period_ns) == pytest.approx((cost.with_id, cost.with_id_standard))
    assert price(single, node=three.node_names[1], known=KNOWN) is None
