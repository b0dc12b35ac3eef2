"""Tables as LaTeX: what comes out is a tabular of booktabs, and no text is a command."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.errors import TableError
from gpiorig.analysis.tables import latex, stages


def test_a_table_is_a_tabular_with_the_rules_of_booktabs():
    content = pa.table({"step": ["a_b & c"], "median_ns": [1234567.8], "packets": [1000], "known": [True]})
    assert [
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"step & median\_ns & packets & known \\",
        r"\midrule",
        r"a\_b \& c & 1.23457$\,\cdot\,10^{6}$ & 1000 & yes \\",
        r"\bottomrule",
        r"\end{tabular}",
    ] == latex.tabular(content).splitlines()


def test_numbers_have_true_minus_signs_and_unknown_ones_are_a_dash():
    content = pa.table({"x_ns": [-1.5, None, float("nan"), 2e-12, float("inf")]})
    cells = [line.removesuffix(r" \\") for line in latex.tabular(content).splitlines()[4:-2]]
    assert ["$-$1.5", "--", "--", r"2$\,\cdot\,10^{-12}$", "--"] == cells


@pytest.mark.slow
@given(st.text())
def test_no_text_is_a_command(text):
    """Taking away what stands for a sign leaves nothing that LaTeX would act upon."""
    escaped = latex.escape(text)
    left = re.sub(r"\\[a-z]+\{\}|\\[{}$&%#_]|~", "", escaped)
    assert not set(left) & set(r"\{}$&%#_^~")
    assert "\n" not in escaped


@given(st.lists(st.tuples(st.text(max_size=5), st.integers(), st.floats(allow_nan=True)), max_size=5))
def test_every_row_has_as_many_cells_as_columns(rows):
    content = pa.table(
        {
            "a": pa.array([row[0] for row in rows], pa.string()),
            "b": pa.array([row[1] % 2**40 for row in rows], pa.int64()),
            "c": pa.array([row[2] for row in rows], pa.float64()),
        }
    )
    lines = latex.tabular(content).split("\n")
    assert len(rows) + 7 == len(lines)  # with the empty rest after the last line's end
    for line in [lines[2], *lines[4 : 4 + len(rows)]]:
        assert 2 == len(re.findall(r"(?<!\\)&", line)), line


def test_the_suffix_says_latex_and_it_is_not_read_back(tmp_path):
    path = tmp_path / "x.tex"
    stages.write(pa.table({"a": [1]}), path)
    assert path.read_text().startswith(r"\begin{tabular}{r}")
    with pytest.raises(TableError, match="use the Parquet file"):
        stages.read(path)
