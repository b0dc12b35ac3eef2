"""± of tables: captures of recorders at 40 samplerates, printed in 40 ways; the true delays are within it as stated."""

from __future__ import annotations

from pathlib import Path

import printed_captures
from depth import DEEP, by_depth, fewest, most
from printed_captures import ROUNDINGS, SAMPLERATES_HZ

LEAST, MOST = 0.95, 0.999
# Two samples in a printed step: every other one is half way and rounded up or down, which nothing in the times shows.
HALF_WAY = 0.92
EDGES = by_depth(6000, 40_000)
CASES = [
    (rate_hz, rounding, 1000 * row + column)
    for row, rate_hz in enumerate(SAMPLERATES_HZ)
    for column, rounding in enumerate(ROUNDINGS)
    if DEEP or (7 * row + column) % 40 == 0
]


def test_the_true_delays_are_within_what_is_stated_as_often_as_is_stated(tmp_path: Path) -> None:
    """In 95 to 99.9 % in each way; all 1600 as deep, otherwise each samplerate and each way of printing once."""
    assert (40, 40, by_depth(40, 1600)) == (len(SAMPLERATES_HZ), len(ROUNDINGS), len(CASES))
    outside, shares = [], []
    for rate_hz, rounding, seed in CASES:
        within, _, base = printed_captures.coverage(tmp_path / "t.csv", rate_hz, rounding, count=EDGES, seed=seed)
        periods = EDGES // 2 - 1
        is_half_way = abs(float(base.step.step_s) * rate_hz - 2) < 1e-9
        covered = round(within * periods)
        if not fewest(periods, HALF_WAY if is_half_way else LEAST) <= covered <= most(periods, MOST):
            outside.append((rate_hz, rounding, within))
        shares.append(within)

    assert [] == outside
    assert LEAST < sum(shares) / len(shares) < MOST
