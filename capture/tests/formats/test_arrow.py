"""Edges as Parquet and Arrow tables, and the rounding of their times."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from random_capture import assert_same, random_capture

from gpiorig.capture import formats
from gpiorig.capture.edges import arrow_table
from gpiorig.capture.edges.nanoseconds import nearest_ns
from gpiorig.capture.edges.select import channels
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import arrow, parquet


@pytest.mark.parametrize("module", [parquet, arrow])
@pytest.mark.parametrize("rows", [1, 7, arrow_table.ROWS])
def test_what_is_written_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, rows: int
) -> None:
    """Samples, levels, gaps, end, channels and rate, however the table is cut into batches."""
    monkeypatch.setattr(arrow_table, "ROWS", rows)
    for seed in range(4):
        edges, waveform = random_capture(seed)
        path = tmp_path / f"{seed}{module.SUFFIXES[0]}"
        assert "samples are exact" in module.write(path, waveform)
        assert module is formats.module(formats.recognise(path))
        assert_same(
            channels(waveform, ["a.x", "a.y", "b.x"]).edges(),
            channels(module.read(path), ["a.x", "a.y", "b.x"]).edges(),
        )
        assert edges.samplerate_hz == module.read(path).samplerate_hz


def test_a_table_reads_well_without_us(tmp_path: Path) -> None:
    """A column for each channel, unknown intervals marked, units and rate in the metadata."""
    edges, waveform = random_capture(1)
    path = tmp_path / "edges.parquet"
    parquet.write(path, waveform)
    table = pa.parquet.read_table(path)
    assert ["sample", "time_ns", "known", "a.x", "a.y", "b.x"] == table.column_names
    assert len(edges.gaps) + 1 == table["known"].to_pylist().count(False)
    assert edges.end == table["sample"][-1].as_py()
    assert b"24000000" == table.schema.metadata[b"samplerate_hz"]


@pytest.mark.parametrize("module", [parquet, arrow])
def test_other_tables_are_refused(tmp_path: Path, module: ModuleType) -> None:
    """A table of something else, and a file that is cut short."""
    other = tmp_path / "other.parquet"
    pa.parquet.write_table(pa.table({"x": [1]}), other)
    with pytest.raises(FormatError, match="not one of edges" if module is parquet else "not an? .*readable"):
        module.read(other)
    path = tmp_path / "cut"
    module.write(path, random_capture(0)[1])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"not an? .*readable"):
        module.read(path)


@pytest.mark.parametrize("rate", [Fraction(24_000_000), Fraction(10**9), Fraction(100, 7), Fraction(3 * 10**10)])
def test_times_are_the_nearest_ns(rate: Fraction) -> None:
    """Against exact arithmetic, also before sample 0, and such that the samples follow from them."""
    samples = np.random.default_rng(1).integers(-(10**12), 10**12, 500)
    if rate < 10**6:
        samples //= 10**6
    times_ns = nearest_ns(samples, rate)
    for sample, ns in zip(samples.tolist(), times_ns.tolist(), strict=True):
        assert abs(Fraction(sample * 10**9) / rate - ns) <= Fraction(1, 2)
        assert rate > 10**9 or sample == round(ns * rate / 10**9)


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(24_000_000), Fraction(10**15), Fraction(10**17, 3)])
@pytest.mark.parametrize("sign", [1, -1])
def test_times_beyond_64_bits_are_one_error(rate: Fraction, sign: int) -> None:
    """The last sample that fits is rounded, one that does not is refused with its number."""
    last = min(int((2**63 - 1) * rate / 10**9) - 1, 2**63 - 1)
    assert sign == np.sign(nearest_ns(np.array([sign * last]), rate)[0])
    if last < 2**62:
        with pytest.raises(CaptureError, match=f"sample {last * 2} at .* is more than 292 years from sample 0"):
            nearest_ns(np.array([0, sign * last * 2]), rate)


def test_half_a_ns_too_many_for_64_bits_is_the_same_error() -> None:
    """At 2/3 GHz this sample is at 2**63 - 1/2 ns, which would be rounded up."""
    with pytest.raises(CaptureError, match="more than 292 years"):
        nearest_ns(np.array([(2**64 - 1) // 3]), Fraction(2 * 10**9, 3))


@pytest.mark.parametrize("module", [parquet, arrow])
def test_damaged_tables_give_a_capture_or_one_error(tmp_path: Path, module: ModuleType) -> None:
    """Whatever bytes are changed."""
    path = tmp_path / "damaged"
    module.write(path, random_capture(0)[1])
    content = path.read_bytes()
    random = np.random.default_rng(3)
    for _ in range(150):
        damaged = bytearray(content)
        for at in random.integers(0, len(damaged), 3).tolist():
            damaged[at] = int(random.integers(256))
        path.write_bytes(damaged)
        try:
            module.read(path).edges()
        except CaptureError as error:
            assert 1 == len(str(error).splitlines())


def table_of(samples: list[int], known: list[bool], *, rate: str = "1000") -> list[pa.RecordBatch]:
    """A table of one channel, in batches of two rows."""
    metadata = {b"format": arrow_table.FORMAT, b"samplerate_hz": rate.encode(), b"channels": b'["a"]', b"epoch": b""}
    names, types = ["sample", "time_ns", "known", "a"], [pa.int64(), pa.int64(), pa.bool_(), pa.bool_()]
    form = pa.schema(list(zip(names, types, strict=True)), metadata=metadata)
    return [
        pa.record_batch(
            [samples[at : at + 2], samples[at : at + 2], known[at : at + 2], known[at : at + 2]], schema=form
        )
        for at in range(0, len(samples), 2)
    ]


@pytest.mark.parametrize(
    "samples", [[0, 5, 5, 9], [0, 5, 4, 9], [0, 0, 5, 9], [0, 5, 9, 9], [5, 4, 8, 9], [0, 5, 9, 8]]
)
def test_samples_that_do_not_increase_are_damage(samples: list[int]) -> None:
    """Within a batch, and from one to the next; a row that is not known and waits for the next one, too."""
    for known in ([True] * 3, [True, False, True]):
        batches = table_of(samples, [*known, False])
        waveform = arrow_table.read(Path("a"), batches[0].schema, lambda batches=batches: iter(batches))  # type: ignore[misc]
        with pytest.raises(FormatError, match="samples do not increase"):
            waveform.edges()


def test_blocks_of_a_table_end_after_their_rows() -> None:
    """Rows are before the end of their block; where a row waits, that is where it is."""
    batches = table_of([0, 5, 7, 9, 12, 20], [True, True, True, False, True, False])
    blocks = list(arrow_table.read(Path("a"), batches[0].schema, lambda: iter(batches)).read())

    assert [[0, 5], [7], [12]] == [block.samples.tolist() for block in blocks if block.samples.size]
    assert [6, 9, 20] == [block.end for block in blocks]
    assert [[9, 12]] == [gap for block in blocks for gap in block.gaps.tolist()]
    for rate in ("0", "-5"):
        with pytest.raises(FormatError, match="other columns than its metadata"):
            arrow_table.read(Path("a"), table_of([0, 1], [True, False], rate=rate)[0].schema, lambda: iter(()))


def test_batches_have_as_many_rows_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """From that number on; the rest and the row of the end are the last one."""
    monkeypatch.setattr(arrow_table, "ROWS", 4)
    samples = np.arange(10)
    blocks = [Block(samples[at : at + 2], samples[at : at + 2].astype(np.uint64), at + 2) for at in range(0, 10, 2)]
    waveform = Waveform(samplerate_hz=Fraction(1000), channels=("a",), read=lambda: iter(blocks))

    assert [4, 4, 3] == [batch.num_rows for batch in arrow_table.batches(waveform)]
