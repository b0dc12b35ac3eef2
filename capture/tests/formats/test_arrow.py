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
