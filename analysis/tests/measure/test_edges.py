from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.measure import edges
from gpiorig.analysis.measure.edge_kinds import KINDS
from gpiorig.analysis.measure.edges import Instants
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Block, Waveform

NO_GAPS = no_gaps()


def capture(*blocks: tuple[list[tuple[int, int]], int, list[tuple[int, int]]]) -> Waveform:
    """Of channels A and B; each block: rows of sample and levels, its end, its gaps."""
    parts = [
        Block(
            samples=np.array([sample for sample, _ in rows], dtype=np.int64),
            levels=np.array([levels for _, levels in rows], dtype=np.uint64),
            end=end,
            gaps=np.array(gaps, dtype=np.int64).reshape(-1, 2),
        )
        for rows, end, gaps in blocks
    ]
    return Waveform(samplerate_hz=Fraction(1_000_000), channels=("A", "B"), read=lambda: iter(parts))


def edges_of(channel: str, samples: list[int], levels: list[int] | None = None) -> Instants:
    return Instants(
        channel, "edge", np.array(samples, dtype=np.int64), np.array(levels or [1] * len(samples), dtype=np.uint8)
    )


def plain_between(begins: list[int], ends: list[int], *, same: bool, longest: int) -> list[tuple[int, int]]:
    """The rule as text: the first end after a begin, unless another begin comes before it."""
    expected = []
    for place, begin in enumerate(begins):
        later = [end for end in ends if (end > begin if same else end >= begin)]
        following = begins[place + 1] if place + 1 < len(begins) else None
        if later and (following is None or (later[0] <= following if same else later[0] < following)):
            expected += [(begin, later[0] - begin)] if later[0] - begin <= longest else []
    return expected


def plain_skew(a: list[int], b: list[int]) -> list[tuple[int, int]]:
    """Pairs that are each other's nearest, the earlier of two equally near."""

    def nearest(at: int, there: list[int]) -> int:
        return min(range(len(there)), key=lambda i: (abs(there[i] - at), i))

    return [(at, b[nearest(at, b)] - at) for i, at in enumerate(a) if b and nearest(b[nearest(at, b)], a) == i]


sorted_samples = st.lists(st.integers(0, 60), unique=True, max_size=20).map(sorted)


def test_each_begin_takes_the_next_end():
    """A begin that another begin follows is unpaired, and so is an end without a begin."""
    pairs = edges.between(edges_of("A", [10, 20, 50]), edges_of("B", [5, 23, 24, 58]), gaps=NO_GAPS)

    assert [20, 50] == pairs.starts.tolist()
    assert [3, 8] == pairs.delays.tolist()
    assert (1, 2) == (pairs.unpaired_start, pairs.unpaired_end)
    assert "A edge to B edge" == pairs.name
    assert "width" == edges.between(edges_of("A", [1]), edges_of("A", [2]), gaps=NO_GAPS, name="width").name


def test_an_end_at_the_same_sample_is_after_the_begin_on_another_channel():
    """Two channels that change in one sample are 0 apart; one channel's next edge is a later one."""
    assert [0] == edges.between(edges_of("A", [10]), edges_of("B", [10]), gaps=NO_GAPS).delays.tolist()
    assert [] == edges.between(edges_of("A", [10]), edges_of("A", [10]), gaps=NO_GAPS).delays.tolist()


def test_pairs_that_are_too_long_are_unpaired_and_counted():
    pairs = edges.between(edges_of("A", [0, 100]), edges_of("B", [30, 110]), gaps=NO_GAPS, longest=10)

    assert [10] == pairs.delays.tolist()
    assert (1, 1, 1) == (pairs.unpaired_start, pairs.unpaired_end, pairs.too_long)


def test_nothing_is_measured_across_lost_samples():
    """A pair with a gap between its edges is refused and counted; a change seen only after a gap has no instant."""
    waveform = capture(([(0, 0), (10, 1), (40, 2), (50, 3), (60, 1)], 80, [(20, 40)]))
    instants, gaps = edges.instants(waveform, [("A", "rise"), ("B", "rise"), ("B", "fall")])
    rises_a, rises_b, falls_b = instants.values()

    assert [10, 50] == rises_a.samples.tolist()  # A is low again after the gap: when it fell is not known
    assert [] == rises_b.samples.tolist()
    pairs = edges.between(rises_a, falls_b, gaps=gaps)
    assert [10] == pairs.delays.tolist()
    lonely = edges.between(Instants("A", "rise", rises_a.samples[:1], rises_a.levels[:1]), falls_b, gaps=gaps)
    assert (0, 1, 1, 1) == (len(lonely.delays), lonely.unpaired_start, lonely.unpaired_end, lonely.across_gaps)


def test_edges_are_the_same_in_whatever_blocks_they_come():
    """A change between two blocks is an edge; one at the end of a gap of the block before is none."""
    rows = [(0, 0), (10, 1), (20, 3), (30, 2), (40, 1), (50, 0)]
    kinds = [(channel, kind) for channel in "AB" for kind in KINDS]
    at_once, _ = edges.instants(capture((rows, 60, [(35, 40)])), kinds)

    parts = [([row], row[0] + (5 if row[0] != 30 else 10), [(35, 40)] * (row[0] == 30)) for row in rows]
    cut, gaps = edges.instants(capture(([], 0, []), *parts, ([], 60, [])), kinds)

    assert [[35, 40]] == gaps.tolist()
    assert [10, 30, 50] == at_once["A", "edge"].samples.tolist()  # 40: after the gap
    assert [1, 0, 0] == at_once["A", "edge"].levels.tolist()
    assert ([20], []) == (at_once["B", "rise"].samples.tolist(), at_once["B", "fall"].samples.tolist())
    assert {key: instants.samples.tolist() for key, instants in at_once.items()} == {
        key: instants.samples.tolist() for key, instants in cut.items()
    }


def test_a_skew_has_a_sign_and_pairs_equal_directions():
    """A rise is compared with a rise, and each edge is used once."""
    first = edges_of("A", [10, 20, 100], [1, 0, 1])
    second = edges_of("B", [8, 23, 170, 300], [1, 0, 1, 0])

    skews = edges.skew(first, second, gaps=NO_GAPS, longest=50)

    assert [(10, -2), (20, 3)] == list(zip(skews.starts.tolist(), skews.delays.tolist(), strict=True))
    assert (1, 2, 1) == (skews.unpaired_start, skews.unpaired_end, skews.too_long)


@given(sorted_samples, sorted_samples, st.booleans(), st.integers(1, 80))
def test_pairs_are_those_of_the_rule(begins: list[int], ends: list[int], same: bool, longest: int):
    """The vectorised pairing equals the rule taken word by word, and every edge is paired or counted."""
    matched = edges.between(edges_of("A", begins), edges_of("A" if same else "B", ends), gaps=NO_GAPS, longest=longest)
    pairs = list(zip(matched.starts.tolist(), matched.delays.tolist(), strict=True))

    assert plain_between(begins, ends, same=same, longest=longest) == pairs
    assert (len(begins), len(ends)) == (len(pairs) + matched.unpaired_start, len(pairs) + matched.unpaired_end)


@given(sorted_samples, sorted_samples, st.booleans(), st.integers(1, 80), st.lists(st.integers(0, 60), max_size=4))
def test_pairs_do_not_depend_on_the_stretches_that_are_read(
    begins: list[int], ends: list[int], same: bool, longest: int, cuts: list[int]
):
    """A begin whose end comes later is kept open; gaps count from where they are known."""
    gaps = np.array([[20, 25], [40, 41]])
    a, b = (np.array(samples, dtype=np.int64) for samples in (begins, ends))
    whole = edges.between(edges_of("A", begins), edges_of("A" if same else "B", ends), gaps=gaps, longest=longest)
    pairing, starts, delays = edges.Between(same=same, longest=longest), [], []
    for low, high in itertools.pairwise([-1, *sorted(cuts), 61]):
        parts = [samples[(samples >= low) & (samples < high)] for samples in (a, b)]
        found = pairing.feed(*parts, gaps[gaps[:, 1] <= high])
        starts += found[0].tolist()
        delays += found[1].tolist()

    assert (whole.starts.tolist(), whole.delays.tolist()) == (starts, delays)
    counts = pairing.counts("")
    for name in ("unpaired_start", "unpaired_end", "too_long", "across_gaps"):
        assert getattr(whole, name) == getattr(counts, name), name


def test_pairs_do_not_depend_on_the_pieces_they_are_made_in(monkeypatch: pytest.MonkeyPatch):
    """Instants beyond what a float holds exactly, in blocks of three begins."""
    far = 1 << 60
    draw = np.random.default_rng(5)
    begins, ends = (sorted(draw.choice(200, 40, replace=False).tolist()) for _ in range(2))
    moved = [edges_of(name, [far + at for at in instants]) for name, instants in (("A", begins), ("B", ends))]
    gaps = np.array([[far + 90, far + 95]])

    at_once = edges.between(*moved, gaps=gaps, longest=3), edges.skew(*moved, gaps=gaps, longest=3)
    monkeypatch.setattr(edges, "_CHUNK", 3)
    in_blocks = edges.between(*moved, gaps=gaps, longest=3), edges.skew(*moved, gaps=gaps, longest=3)

    expected = [(at, d) for at, d in plain_between(begins, ends, same=False, longest=3) if not at < 95 <= at + d]
    assert expected == list(zip((at_once[0].starts - far).tolist(), at_once[0].delays.tolist(), strict=True))
    for one, other in zip(at_once, in_blocks, strict=True):
        assert one.too_long > 0
        assert (one.starts.tolist(), one.delays.tolist()) == (other.starts.tolist(), other.delays.tolist())
        assert (one.unpaired_end, one.too_long, one.across_gaps) == (
            other.unpaired_end,
            other.too_long,
            other.across_gaps,
        )


@given(sorted_samples, sorted_samples)
def test_skews_are_those_of_the_rule_and_change_sign_with_the_channels(a: list[int], b: list[int]):
    """Mutual nearest neighbours, by the rule; B against A is minus A against B where no tie decides."""
    skews = edges.skew(edges_of("A", a), edges_of("B", b), gaps=NO_GAPS)

    assert plain_skew(a, b) == list(zip(skews.starts.tolist(), skews.delays.tolist(), strict=True))


@pytest.mark.slow
@given(sorted_samples, sorted_samples, st.integers(-1000, 1000))
def test_a_shift_in_time_changes_no_delay(begins: list[int], ends: list[int], shift: int):
    before = edges.between(edges_of("A", begins), edges_of("B", ends), gaps=NO_GAPS)
    after = edges.between(
        edges_of("A", [at + shift for at in begins]), edges_of("B", [at + shift for at in ends]), gaps=NO_GAPS
    )

    assert before.delays.tolist() == after.delays.tolist()
