"""VCD files from drawn edges, and the edges that must come back."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from gpiorig.capture.edges.waveform import Block, Waveform

HEAD = "$timescale 1 ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$scope module dut $end\n"
HEAD += '$var reg 4 " bus [3:0] $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n'
CAPTURES = st.builds(
    lambda steps, levels, rate, start: (steps, levels, rate, start),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=40),
    st.lists(st.integers(0, 15), min_size=41, max_size=41),
    st.sampled_from([Fraction(24_000_000), Fraction(10**7), Fraction(16_000_000), Fraction(10**9), Fraction(10**8, 3)]),
    st.integers(0, 10**9),
)


def capture(drawn: tuple[list[int], list[int], Fraction, int], *, gap: bool) -> Waveform:
    """A capture of four channels, with a gap before its last row if wanted."""
    steps, levels, rate, start = drawn
    samples = start + np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)
    chosen = np.array(levels[: samples.size], dtype=np.uint64)
    end = int(samples[-1]) + 7
    gaps = [[int(samples[-2]) + 1, int(samples[-1])]] if gap and steps[-1] > 1 else []
    names = ("a.x", "a.y", "b.x", "z")

    def blocks() -> list[Block]:
        return [Block(samples, chosen, end, np.array(gaps, dtype=np.int64).reshape(-1, 2))]

    return Waveform(
        samplerate_hz=rate, channels=names, read=lambda: iter(blocks()), epoch="2024-05-06T07:08:09.25+00:00"
    )


def same(expected: Waveform, actual: Waveform) -> None:
    """Both have the same edges, gaps and end; rows that change nothing do not count."""
    a, b = expected.edges(), actual.edges()
    assert (a.samplerate_hz, a.channels, a.start, a.end) == (b.samplerate_hz, b.channels, b.start, b.end)
    assert a.gaps.tolist() == b.gaps.tolist()
    for name in a.channels:
        assert [part.tolist() for part in a.channel(name)] == [part.tolist() for part in b.channel(name)]
        assert a.initial_level(name) == b.initial_level(name)
    assert expected.epoch == actual.epoch
