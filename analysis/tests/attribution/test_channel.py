"""The parts of the channel's share: against plain versions, and as properties of any packets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpiorig.analysis.attribution import channel, shares
from gpiorig.analysis.attribution.on_air import Wait

NONE = np.zeros(0, dtype=np.int64)


@pytest.mark.parametrize("seed", range(10))
def test_shares_of_groups_add_up_to_the_whole(seed: int) -> None:
    """For any groups of packets no share is negative, and empty groups have none."""
    rng = np.random.default_rng(seed)
    delays = rng.lognormal(3, 1, 200)
    divided = shares.joining(delays, rng.choice([0, 1, 3], 200), 4)
    assert 1 == pytest.approx(sum(share.value for share in divided))
    assert min(share.value for share in divided) >= 0
    assert 0 == divided[2].value
    for share in divided:
        assert share.low <= share.value <= share.high


def test_a_share_is_what_its_packets_add_to_the_sum_of_squares() -> None:
    delays = np.append(np.arange(30.0), [400.0, 500.0])
    groups = np.append(np.zeros(30, dtype=np.int64), [1, 1])
    one, other = (share.value for share in shares.joining(delays, groups, 2))
    total = 32 * np.var(delays)
    assert (30 * np.var(np.arange(30.0)) / total, 1 - 30 * np.var(np.arange(30.0)) / total) == pytest.approx(
        (one, other)
    )


@pytest.mark.parametrize("seed", range(5))
def test_levels_explain_what_is_between_them(seed: int) -> None:
    """Against the analysis of variance of those that are on a level."""
    rng = np.random.default_rng(seed)
    levels = 1000.0 * rng.integers(0, 8, 300)
    delays, own = levels + rng.normal(0, 40, 300), rng.random(300) < 0.8
    delays[~own] += 20_000
    x, y = delays[own], levels[own]
    expected = (np.sum((x - x.mean()) ** 2) - np.sum((x - y - (x - y).mean()) ** 2)) / (300 * np.var(delays))
    assert expected == pytest.approx(shares.within(delays, own, levels).value)


@pytest.mark.parametrize("seed", range(10))
def test_the_test_for_others_is_the_log_rank_test(seed: int) -> None:
    """Against a plain version: where waits end, those that met others by then among all that still wait."""
    rng = np.random.default_rng(seed)
    delays = rng.integers(1, 30, 80)
    others = np.where(rng.random(80) < 0.6, rng.uniform(0, 30, 80), np.inf)
    others = np.where(others < delays, others, np.inf)
    most, difference, variance = 20.0, 0.0, 0.0
    for instant in sorted({int(share) for share in delays if share <= most}):
        waiting = delays >= instant
        exposed = waiting & (others < instant)
        ended = int(np.sum(delays == instant))
        n, n1 = int(waiting.sum()), int(exposed.sum())
        difference += int(np.sum(exposed & (delays == instant))) - ended * n1 / n
        variance += ended * (n1 / n) * (1 - n1 / n) * (n - ended) / max(n - 1, 1)
    expected = stats.norm.cdf(difference / np.sqrt(variance))
    assert expected == pytest.approx(channel._held_up(delays, others, most))


@pytest.mark.parametrize("window", [1, 50, 400, 3000])
def test_the_chance_of_meeting_others_is_what_is_counted(window: int) -> None:
    """A window of the given samples at any time of the recording."""
    rng = np.random.default_rng(1)
    starts = np.sort(rng.choice(100_000, 60, replace=False)).astype(np.int64) * 10
    ends = np.minimum(starts + 150, np.append(starts[1:] - 1, 1_000_000))
    air = Wait(NONE.astype(float), NONE.astype(bool), starts, ends, 1_000_000)
    begun = np.arange(1_000_000 - window)
    first = np.searchsorted(ends, begun, side="right")
    met = np.append(starts, 1 << 60)[first] < begun + window
    assert met.mean() == pytest.approx(air.chance(window), abs=0.005)


def test_without_others_there_is_nothing_to_test() -> None:
    """Nothing on the air, and all within one backoff: no finding is possible."""
    delays = np.repeat(np.arange(8) * 7680 + 3420, 20)
    at = channel.split(delays, Wait(np.full(160, np.inf), np.zeros(160, dtype=bool), NONE, NONE, 1_000_000))
    assert isinstance(at, channel.Split)
    assert (1.0, 0.0, False) == (at.p_busy, at.chance, bool(at.long.any()))
    assert channel.test(delays, at, period_ns=41.7, level=0.01) is None
    assert channel.together([]) is None


@pytest.mark.parametrize("free", [channel.MIN_FREE - 1, channel.MIN_FREE])
def test_waits_that_met_nothing_show_one_backoff(free: int) -> None:
    """If there are enough of them; irregular ones to their longest, within the resolution."""
    delays = np.append(np.random.default_rng(3).integers(100, 900, free - 1), [1000, 1002, 1003])
    others = np.where(np.arange(len(delays)) < free, np.inf, 50.0)
    at = channel.split(delays, Wait(others, np.zeros(len(delays), dtype=bool), NONE, NONE, 1_000_000))
    if free < channel.MIN_FREE:
        assert str(at).startswith(f"{free} packets met nothing on the air, fewer than {channel.MIN_FREE}: ")
    else:
        assert isinstance(at, channel.Split)
        assert [1003] == delays[at.long].tolist()


def test_the_waits_of_a_packet_together() -> None:
    """A packet has the flags of each; what it met counts where that wait was long; the smaller chance counts twice."""
    flags = np.array([True, False, False]), np.array([False, True, False])
    parts = [
        channel.Split(~met, long, met, np.ones(3, dtype=bool), chance, p_busy, p_repeated, 900.0)
        for met, long, chance, p_busy, p_repeated in zip(flags, flags, (0.1, 0.2), (0.01, 0.3), (0.9, 0.7), strict=True)
    ]
    both = channel.together(parts)
    assert both is not None
    assert [[False, False, True], [True, True, False], [True, True, False], [True, True, False]] == [
        flag.tolist() for flag in (both.free, both.long, both.repeated, both.met)
    ]
    assert (0.2, 0.02, 1.0) == (both.chance, both.p_busy, both.p_repeated)
    assert np.isnan(both.most)
    single = channel.together(parts[:1])
    assert single is not None
    assert (0.01, 900.0) == (single.p_busy, single.most)


@pytest.mark.parametrize("p_repeated", [1e-6, 1.0])
def test_the_share_of_the_channel_is_that_of_both_causes(p_repeated: float) -> None:
    """Of packets that met others, that were repeated, which are all long, and that are long for an unknown cause."""
    rng = np.random.default_rng(7)
    delays = rng.integers(0, 1000, 300)
    met, repeated, unknown = (np.arange(300) % 10 == place for place in (1, 2, 3))
    delays[met] += 7000
    delays[repeated] += 9000
    delays[unknown] += 4000
    split = channel.Split(
        free=~met & ~repeated,
        long=met | repeated | unknown,
        repeated=repeated,
        met=met,
        chance=0.2,
        p_busy=1e-6,
        p_repeated=p_repeated,
        most=1000.0,
    )
    found = channel.test(delays, split, period_ns=41.7, level=0.01)
    assert found is not None
    busy, again, one = (found.numbers[f"{cause}_share"].value for cause in ("busy", "retries", "one_backoff"))
    assert min(busy, again) > 0.1
    assert busy + again == pytest.approx(found.share)
    assert 1 == pytest.approx(found.share + one + found.numbers["unexplained_share"])
    assert [30, 30, 30] == [found.numbers[f"{cause}_packets"] for cause in ("busy", "retried", "unexplained")]
    assert 41_700 == pytest.approx(found.numbers["one_backoff_ns"])
