from __future__ import annotations

import pytest
from capture_reference import reference_edges
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.capture.edges.extractor import ALL_CHANNELS, EdgeExtractor
from gpiorig.capture.errors import CaptureError

runs = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 150)), max_size=25)


def extract(extractor: EdgeExtractor, chunks: list[bytes]) -> list[tuple[int, int]]:
    rows = []
    for chunk in chunks:
        samples, levels = extractor.feed(chunk)
        rows += list(zip(samples.tolist(), levels.tolist(), strict=True))
    return rows


@pytest.mark.slow
@given(
    runs=runs,
    unitsize=st.integers(1, 8),
    used=st.sampled_from([ALL_CHANNELS, 0x3FFF, 0x8001, 1, 0]),
    chunk=st.integers(1, 300),
    capacity=st.integers(1, 9),
    odd=st.integers(0, 7),
)
def test_any_stream_in_any_pieces_gives_the_edges_of_the_plain_version(
    runs: list[tuple[int, int]], unitsize: int, used: int, chunk: int, capacity: int, odd: int
) -> None:
    data = b"".join(level.to_bytes(8, "little")[:unitsize] * count for level, count in runs)
    data = data[: len(data) - odd] if len(data) > odd else data
    extractor = EdgeExtractor(unitsize=unitsize, used=used, capacity=capacity)
    actual = extract(extractor, [data[at : at + chunk] for at in range(0, len(data), chunk)])

    assert reference_edges(data, unitsize=unitsize, used=used) == actual
    assert (len(data) // unitsize, len(data) % unitsize) == (extractor.samples_seen, extractor.tail_bytes)


def test_an_empty_piece_changes_nothing() -> None:
    extractor = EdgeExtractor(unitsize=2)

    assert [] == extract(extractor, [b""])
    assert 0 == extractor.samples_seen


def test_the_first_sample_after_lost_ones_is_an_edge_also_where_no_level_changed() -> None:
    extractor = EdgeExtractor(unitsize=1)
    before = extract(extractor, [b"\1\1\0"])
    extractor.lose(5)

    assert [(0, 1), (2, 0)] == before
    assert [(8, 0), (10, 3)] == extract(extractor, [b"\0\0", b"\3"])
    assert 11 == extractor.samples_seen


@pytest.mark.parametrize("unitsize", [0, 9])
def test_a_sample_has_one_to_eight_bytes(unitsize: int) -> None:
    with pytest.raises(CaptureError, match=f"samples of {unitsize} bytes"):
        EdgeExtractor(unitsize=unitsize)


def test_a_piece_of_more_edges_than_a_call_holds() -> None:
    """It takes as many calls as are needed."""
    data = bytes([0, 1, 1, 0, 2, 2, 2, 3, 0, 0, 1])

    for capacity in (1, 2, 3, 11):
        assert reference_edges(data, unitsize=1) == extract(EdgeExtractor(unitsize=1, capacity=capacity), [data])
