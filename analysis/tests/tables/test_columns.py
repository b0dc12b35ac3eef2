"""Columns: what Arrow makes of the same values, value for value, and without pandas."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis import columns
from gpiorig.analysis.columns import COUNT, FLAG, NUMBER, TEXT

OF_KIND = {
    TEXT: st.text(),
    COUNT: st.integers(-(2**63), 2**63 - 1),
    NUMBER: st.floats() | st.integers(-(2**53), 2**53),
    FLAG: st.booleans(),
}


@settings(deadline=None)  # Arrow imports pandas at the first value
@given(st.data(), st.sampled_from([*OF_KIND]), st.booleans())
def test_values_are_those_that_arrow_makes(data, kind, nan_is_null):
    content = data.draw(st.lists(st.none() | OF_KIND[kind], max_size=30))
    made = columns.values(content, kind, nan_is_null=nan_is_null)
    expected = pa.array(content, kind, from_pandas=nan_is_null)
    made.validate(full=True)
    assert (expected.type, expected.null_count) == (made.type, made.null_count)
    assert repr(expected.to_pylist()) == repr(made.to_pylist())


def test_a_fraction_is_not_a_count():
    with pytest.raises(TypeError, match="int64"):
        columns.values([1, 2.5], COUNT)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("known", [{}, {0: "a"}, {0: "a", 1: "b", 3: "a"}, {5: "x", 2: "y", 100: "x", 127: "z"}])
def test_names_are_those_of_the_keys(dtype, known):
    """Keys without a name, below and above those with one, have none; a name is stored once."""
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    keys = np.array([*range(max(least, -1), 128), greatest], dtype)
    named = columns.names(keys, known)
    named.validate(full=True)
    assert [known.get(key) for key in keys.tolist()] == named.to_pylist()
    assert len(set(known.values())) == len(named.dictionary)


@pytest.mark.parametrize("width", [0, 1, 3, 7])
def test_a_part_of_a_flattened_matrix_is_that_part_of_the_whole(width):
    rows = np.arange(10, 15)
    cells = [(row, column) for row in rows.tolist() for column in range(width)]
    for start in range(len(cells) + 1):
        for stop in range(start, len(cells) + 3):
            values, column = columns.flattened(rows, width, slice(start, stop))
            assert cells[start:stop] == list(zip(values.tolist(), column.tolist(), strict=True))


def test_absent_numbers_are_null():
    samples = np.array([3, -1, 0, 7] * 5)[::2]  # neither contiguous nor a whole number of bytes of flags
    assert [3, 0] * 5 == columns.nullable(samples).to_pylist()
    samples = np.array([3, -1, 0])
    assert [3, None, 0] == columns.nullable(samples).to_pylist()
    assert [30.0, None, 0.0] == columns.ns(samples, 100_000_000).to_pylist()
    assert math.isnan(columns.array(np.array([np.nan])).to_pylist()[0])


def test_no_column_imports_pandas():
    """Half a second of each report, where it is installed."""
    code = """
import sys
import numpy
from gpiorig.analysis import columns
content = {"names": columns.names(numpy.arange(3), {0: "a"}), "texts": ["a", "b", "a"], "flags": numpy.ones(3, bool)}
content |= {"ns": columns.ns(numpy.arange(-1, 2), 1), "known": columns.values([1.5, None, 2], columns.NUMBER)}
assert columns.plain(columns.table(content, 1)).num_rows == 3
sys.exit("pandas" in sys.modules)
"""
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode
