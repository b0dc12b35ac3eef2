"""What the options of reports name is what can be written."""

from __future__ import annotations

from gpiorig.analysis.decoderhost import table
from gpiorig.analysis.report import FIGURE_FORMATS, TABLE_FORMATS
from gpiorig.analysis.tables.suffixes import SUFFIXES
from gpiorig.rig.arguments import reading_options, written_files


def test_formats_are_those_that_are_written() -> None:
    """The room of the arguments imports nothing heavy, so it has them a second time."""
    assert {"figures": tuple(FIGURE_FORMATS), "tables": tuple(TABLE_FORMATS)} == reading_options.FORMATS
    assert (table.SUFFIXES, set(FIGURE_FORMATS)) == (
        written_files.DECODED,
        {suffix[1:] for suffix in written_files.FIGURES},
    )
    assert {*written_files.DELAYS, *written_files.RESULTS} < set(SUFFIXES)
