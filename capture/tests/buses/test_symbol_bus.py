from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from capture_reference import frame_symbols, reference_bus
from decoded_bus import decode, stream
from depth import by_depth
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpiorig.capture.buses import symbol_bus
from gpiorig.capture.buses.symbol_bus import BusDecoder, BusFrames, BusLines, joined
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError

GAP = 10  # 400 ns at 24 MHz
SYMBOL = 3  # samples a symbol is held at least

Rows = list[tuple[int, int]]
Plain = tuple[list[tuple[int, int, int]], list[tuple[int, int]]]

widths = st.sampled_from([1, 2, 4, 8])
events = st.tuples(st.integers(1, 127), st.none() | st.integers(0, 0xFFFF))


def bus(width: int, *, settle: int = 1) -> BusLines:
    """The strobe on channel 5, data lines scattered, other channels between."""
    data = (0, 2, 1, 4, 9, 63, 7, 8)[:width]
    return BusLines(strobe=5, data=data, frame_gap_samples=GAP, settle_samples=settle)


def levels(symbol: int, strobe: int, lines: BusLines) -> int:
    return strobe << lines.strobe | sum((symbol >> line & 1) << channel for line, channel in enumerate(lines.data))


def train(symbol_runs: list[list[int]], lines: BusLines, *, spacing: int = SYMBOL) -> Rows:
    """Rows of frames 50 samples apart, the first at sample 100."""
    rows, strobe, at = [(0, 0)], 0, 100
    for symbols in symbol_runs:
        for symbol in symbols:
            strobe ^= 1
            rows.append((at, levels(symbol, strobe, lines)))
            at += spacing
        at += 50
    return rows


def arrays(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=np.uint64)


def plain(frames: BusFrames) -> Plain:
    good = zip(frames.samples.tolist(), frames.codes.tolist(), frames.ids.tolist(), strict=True)
    bad = zip(frames.damaged_samples.tolist(), frames.damaged_symbols.tolist(), strict=True)
    return list(good), list(bad)


def decode_in_blocks(rows: Rows, lines: BusLines, block: int) -> Plain:
    decoder = BusDecoder(lines)
    samples, level = arrays(rows)
    parts = [decoder.feed(samples[at : at + block], level[at : at + block]) for at in range(0, len(rows), block)]
    return plain(joined([*parts, decoder.finish()]))


def reference(rows: Rows, lines: BusLines) -> Plain:
    gap, settle = lines.frame_gap_samples, lines.settle_samples
    return reference_bus(rows, strobe=lines.strobe, data=lines.data, frame_gap=gap, settle=settle)


def test_golden_frames() -> None:
    """Worked by hand from docs/reference/line-code.md: code 6 is nibbles 0, 6; check 9 -> 3 -> 6^6 = 0."""
    assert [0, 0, 1, 2, 0, 0] == frame_symbols(6, None, width=2)
    rows = train([[0, 0, 1, 2, 0, 0]], bus(2))

    assert ([(100, 6, -1)], []) == decode_in_blocks(rows, bus(2), 100)


@settings(max_examples=by_depth(40, 400))
@given(width=widths, frames=st.lists(events, max_size=12), block=st.integers(1, 40))
def test_frames_come_back_in_any_cut(width: int, frames: list[tuple[int, int | None]], block: int) -> None:
    lines = bus(width)
    rows = train([frame_symbols(code, packet_id, width=width) for code, packet_id in frames], lines)
    good, bad = decode_in_blocks(rows, lines, block)

    assert [(code, -1 if packet_id is None else packet_id) for code, packet_id in frames] == [row[1:] for row in good]
    assert [] == bad


@settings(max_examples=by_depth(40, 400))
@given(
    width=widths,
    edits=st.lists(
        st.tuples(events, st.sampled_from(["lose", "double", "flip", "keep"]), st.integers(0, 27), st.integers(1, 255)),
        max_size=10,
    ),
)
def test_a_lost_a_doubled_or_a_wrong_symbol_damages_its_frame_only(
    width: int, edits: list[tuple[tuple[int, int | None], str, int, int]]
) -> None:
    """With one error in a frame the frame is damaged, and its neighbours are not."""
    trains, expected = [], []
    for (code, packet_id), edit, place, wrong in edits:
        symbols = frame_symbols(code, packet_id, width=width)
        place %= len(symbols)
        if edit == "lose":
            del symbols[place]
        elif edit == "double":
            symbols.insert(place, symbols[place])
        elif edit == "flip":
            symbols[place] ^= (wrong % (2**width - 1) + 1) if width < 8 else 1 << wrong % 8
        trains.append(symbols)
        expected.append(len(symbols) if edit != "keep" else (code, -1 if packet_id is None else packet_id))
    rows = train(trains, bus(width))
    good, bad = decode_in_blocks(rows, bus(width), 1000)
    decoded = sorted([(row[0], row[1:]) for row in good] + [(row[0], row[1]) for row in bad], key=lambda row: row[0])

    assert expected == [what for _, what in decoded]
    assert reference(rows, bus(width)) == (good, bad)


@given(
    width=widths,
    steps=st.lists(st.tuples(st.integers(1, 14), st.integers(0, 2**64 - 1), st.booleans()), max_size=120),
    block=st.integers(1, 50),
    settle=st.integers(1, 5),
)
def test_noise_gives_what_the_plain_version_gives(
    width: int, steps: list[tuple[int, int, bool]], block: int, settle: int
) -> None:
    lines = bus(width, settle=settle)
    rows, at, strobe = [(0, 0)], 0, 0
    for pause, noise, toggle in steps:
        at += pause
        strobe ^= toggle
        row = (at, noise & ~(1 << lines.strobe) | strobe << lines.strobe)
        if row[1] != rows[-1][1]:
            rows.append(row)

    assert reference(rows, lines) == decode_in_blocks(rows, lines, block)


@given(width=widths, frame=events, late=st.lists(st.booleans(), min_size=28, max_size=28))
def test_a_skew_of_one_sample_does_no_harm(width: int, frame: tuple[int, int | None], late: list[bool]) -> None:
    """Each symbol's data may change with the strobe or one sample later."""
    lines = bus(width)
    rows, strobe, before = [(0, 0)], 0, 0
    for number, symbol in enumerate(frame_symbols(*frame, width=width)):
        strobe ^= 1
        at = 100 + SYMBOL * number
        if late[number]:
            rows.append((at, levels(before, strobe, lines)))
            at += 1
        if rows[-1][1] != levels(symbol, strobe, lines):
            rows.append((at, levels(symbol, strobe, lines)))
        before = symbol
    code, packet_id = frame

    assert ([(100, code, -1 if packet_id is None else packet_id)], []) == decode_in_blocks(rows, lines, 7)


def test_an_unknown_code_is_damage() -> None:
    rows = train([frame_symbols(6, None, width=2), frame_symbols(7, 1, width=2)], bus(2))
    samples, level = arrays(rows)
    decoder = BusDecoder(bus(2), codes=[7])
    parts = [decoder.feed(samples, level), decoder.finish()]

    assert ([(168, 7, 1)], [(100, 6)]) == plain(joined(parts))


def test_a_gap_ends_a_frame_and_its_levels_are_no_event() -> None:
    """Samples 106 to 500 are lost: the frame that was being sent is damaged, the next one is complete."""
    lines = bus(2)
    symbols = frame_symbols(9, 77, width=2)
    before = [row for row in train([symbols], lines) if row[0] < 106]
    after = [(500, levels(3, 1, lines))]
    after += [(600 + SYMBOL * n, levels(symbol, n % 2, lines)) for n, symbol in enumerate(symbols)]
    samples, level = arrays(before + after)
    edges = Edges(
        samples=samples,
        levels=level,
        samplerate_hz=Fraction(24_000_000),
        channels=tuple(f"channel{number}" for number in range(10)),
        start=0,
        end=1000,
        gaps=np.array([[106, 500]], dtype=np.int64),
    )

    assert ([(600, 9, 77)], [(100, 2)]) == plain(decode(edges, lines))
    for cut in range(len(samples) + 1):  # the gap may come with any block that does not end before it
        first = Block(samples[:cut], level[:cut], 1000, edges.gaps if cut >= len(before) else no_gaps())
        second = Block(samples[cut:], level[cut:], 1000, no_gaps() if cut >= len(before) else edges.gaps)
        waveform = Waveform(
            samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=lambda parts=(first, second): iter(parts)
        )
        parts = list(stream(waveform, lines))
        assert ([(600, 9, 77)], [(100, 2)]) == plain(joined(parts))


@given(
    width=widths,
    frames=st.lists(events, min_size=1, max_size=6),
    start=st.integers(1, 700),
    length=st.integers(1, 300),
    pause=st.integers(GAP + 1, 60),
)
@example(width=2, frames=[(1, 1)], start=30, length=13, pause=20)  # its last six symbols look like a frame of their own
def test_lost_samples_invent_no_event_and_each_frame_they_touch_is_damaged_or_lost(
    width: int, frames: list[tuple[int, int | None]], start: int, length: int, pause: int
) -> None:
    """Events are those sent; a frame that is a frame gap away from the loss is an event."""
    lines, stop = bus(width), start + length
    rows, sent, strobe, at = [(0, 0)], {}, 0, 20
    for code, packet_id in frames:
        symbols = frame_symbols(code, packet_id, width=width)
        sent[at] = (at + SYMBOL * len(symbols), (code, -1 if packet_id is None else packet_id))
        for symbol in symbols:
            strobe ^= 1
            rows.append((at, levels(symbol, strobe, lines)))
            at += SYMBOL
        at += pause
    at_stop = max(row for row in rows if row[0] <= stop)[1]
    left = [row for row in rows if row[0] < start] + [(stop, at_stop)] + [row for row in rows if row[0] > stop]
    samples, level = arrays(left)
    gaps = np.array([[start, stop]], dtype=np.int64)
    edges = Edges(
        samples=samples,
        levels=level,
        samplerate_hz=Fraction(24_000_000),
        channels=tuple(map(str, range(64))),
        start=0,
        end=stop + at,
        gaps=gaps,
    )

    good, bad = plain(decode(edges, lines))

    assert all(sent.get(sample, (0, ()))[1] == (code, packet_id) for sample, code, packet_id in good)
    untouched = {first for first, (end, _) in sent.items() if end < start or first >= stop + GAP}
    assert untouched <= {sample for sample, *_ in good}
    assert all(start - GAP - SYMBOL * 28 <= sample < stop + GAP for sample, _ in bad)


def test_an_empty_capture_has_no_frames() -> None:
    edges = Edges.from_blocks([], samplerate_hz=Fraction(1), channels=("a",), end=0, gaps=no_gaps())

    assert ([], []) == plain(decode(edges, bus(1)))


@pytest.mark.parametrize(
    ("strobe", "data", "gap", "expected"),
    [
        (0, (1, 2, 3), 10, "symbol bus of 3 data lines; use 1, 2, 4 or 8"),
        (0, (0,), 10, "not different"),
        (64, (1,), 10, "numbers below 64"),
        (0, (1,), 1, "higher samplerate"),
    ],
)
def test_a_bus_that_cannot_be_is_refused(strobe: int, data: tuple[int, ...], gap: int, expected: str) -> None:
    with pytest.raises(CaptureError, match=expected):
        BusLines(strobe=strobe, data=data, frame_gap_samples=gap)


def test_a_code_is_a_number_from_1_to_127() -> None:
    with pytest.raises(CaptureError, match="128 is not an event code"):
        BusDecoder(bus(1), codes=[128])


@pytest.mark.parametrize("edges_of_a_call", [1, 2, 3, 8, 200])
def test_calls_that_are_full_of_frames(monkeypatch: pytest.MonkeyPatch, edges_of_a_call: int) -> None:
    """Each edge a frame of its own, each of them damaged: a call has room for all, and for the one before."""
    monkeypatch.setattr(symbol_bus, "BLOCK", edges_of_a_call)
    lines = bus(8)
    single = [(100 + GAP * at, levels(at, ~at & 1, lines)) for at in range(21)]
    rows = [(0, 0), *single, *((at + 1000, level) for at, level in train([frame_symbols(6, 5, width=8)] * 4, lines))]
    expected = reference(rows, lines)

    assert len(expected[1]) > 20 and len(expected[0]) == 4
    for block in (len(rows), 10):
        assert expected == decode_in_blocks(rows, lines, block)


def test_a_frame_is_over_after_its_gap() -> None:
    """Not a sample sooner; the decoder goes on with the levels that are in force."""
    lines = bus(8)
    rows = train([frame_symbols(6, None, width=8), frame_symbols(7, 9, width=8)], lines)
    length = len(frame_symbols(6, None, width=8))
    decoder = BusDecoder(lines)
    samples, level = arrays(rows)
    assert decoder.open_since is None
    assert ([], []) == plain(decoder.settle(50))
    assert ([], []) == plain(decoder.feed(samples[: length + 1], level[: length + 1]))
    end = int(samples[length]) + GAP

    assert ([], []) == plain(decoder.settle(end - 1))
    assert 100 == decoder.open_since
    assert ([(100, 6, -1)], []) == plain(decoder.settle(end))
    assert decoder.open_since is None
    assert ([], []) == plain(decoder.feed(samples[length + 1 :], level[length + 1 :]))
    assert reference(rows, lines) == plain(joined([BusDecoder(lines).feed(samples, level), decoder.finish()]))


def test_the_shortest_gap_of_a_bus() -> None:
    assert 2 == BusLines(strobe=0, data=(1,), frame_gap_samples=2).frame_gap_samples
    with pytest.raises(CaptureError, match="a frame gap of 1 samples; capture at a higher samplerate"):
        BusLines(strobe=0, data=(1,), frame_gap_samples=1)
