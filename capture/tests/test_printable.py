"""Text of nodes and files, made fit for a terminal and for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.capture import formats
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import csv as tables
from gpiorig.capture.printable import printable, printable_lines
from gpiorig.capture.text import cells

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    """Neither C0 nor C1, nor what changes the direction of text; JSON reads the characters back."""
    shown = printable(text)

    assert not [sign for sign in shown if unicodedata.category(sign) == "Cc"]
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2028\u2029")
    plain = text.replace("\\", "").replace('"', "")
    assert plain == json.loads(f'"{printable(plain)}"')
    assert printable_lines(text).replace("\n", "").replace("\t", "") == printable(
        text.replace("\n", "").replace("\t", "")
    )


def test_ordinary_text_stays_as_it_is() -> None:
    """Letters and signs of every script, and blanks."""
    assert "µ ± 5 % é 温度 \N{NO-BREAK SPACE}x" == printable("µ ± 5 % é 温度 \N{NO-BREAK SPACE}x")
    assert ("\\u001b[2J\\u009b", "a\n\tb\\u000d") == (printable("\x1b[2J\x9b"), printable_lines("a\n\tb\r"))


@given(st.text(alphabet="'=+-@\t\ra1 "))
def test_a_guarded_cell_is_text_and_comes_back(text: str) -> None:
    """Whatever apostrophes there were before; in Python as in Arrow's columns."""
    guarded = cells.guarded(text)
    batch = pa.record_batch({"text": [text, None], "number": [-1, 1]})
    columns = cells.guarded_columns(batch)

    assert not guarded.startswith(FORMULAS)
    assert text == cells.unguarded(guarded)
    assert [guarded, None] == columns.column("text").to_pylist()
    assert [-1, 1] == columns.column("number").to_pylist()
    assert [text, None] == cells.unguarded_columns(pa.Table.from_batches([columns])).column("text").to_pylist()


def waveform(*names: str) -> Waveform:
    """Channels of these names, all of which rise at sample 1."""
    levels = np.array([0, (1 << len(names)) - 1], np.uint64)
    block = Block(np.arange(2), levels, 3, np.empty((0, 2), np.int64))
    return Waveform(samplerate_hz=Fraction(1_000_000), channels=names, read=lambda: iter([block]))


def test_names_of_channels_that_are_formulas(tmp_path: Path) -> None:
    """Our table has them guarded, and is restored on reading; a third-party table is read unchanged."""
    names = ("=cmd|' /C calc'!A0", "-1", "'=x", "''@y", "'plain", "sum")
    path, foreign = tmp_path / "x.csv", tmp_path / "y.csv"
    tables.write(path, waveform(*names))
    header = next(csv.reader(io.StringIO(path.read_text().splitlines()[1])))
    foreign.write_text("Time [s],'=x\n0,0\n1,1\n")

    assert not [cell for cell in header if cell.startswith(FORMULAS)]
    assert names == tables.read(path, ReadOptions()).channels
    assert ("-1", "sum") == tables.read(path, ReadOptions(channels=("-1", "sum"))).channels
    assert ("'=x",) == tables.read(foreign, ReadOptions()).channels


@pytest.mark.parametrize("format_", ["csv", "sr", "flocklab_gpio"])
@pytest.mark.parametrize("name", ["a\nb", "a\rb", "\x1b[31mred", "a\x9bb"])
def test_a_name_that_no_header_can_hold(format_: str, name: str, tmp_path: Path) -> None:
    """A line end or a control character in a name is one error that shows it escaped, and no file."""
    with pytest.raises(FormatError, match="which the header of this format cannot hold") as caught:
        formats.module(format_).write(tmp_path / "x", waveform("ok", name))

    assert printable(str(caught.value)) == str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["7.=cmd", "=7.pin", "7.a,b"])
def test_flocklab_cannot_quote(name: str, tmp_path: Path) -> None:
    """A formula or a comma in a cell is one error."""
    with pytest.raises(CaptureError, match="which this format cannot quote; write CSV"):
        formats.module("flocklab_gpio").write(tmp_path / "x.csv", waveform("ok", name))


def test_names_of_other_scripts_in_a_vcd_file(tmp_path: Path) -> None:
    """UTF-8, as we write it; what is not UTF-8 is Latin-1."""
    vcd = formats.module("vcd")
    vcd.write(tmp_path / "x.vcd", waveform("\u00e4", "\u00e0", "\u6e29\u5ea6"))
    assert ("\u00e4", "\u00e0", "\u6e29\u5ea6") == vcd.read(tmp_path / "x.vcd", ReadOptions()).channels

    text = (tmp_path / "x.vcd").read_text().replace("\u6e29\u5ea6", "t").encode("latin-1")
    (tmp_path / "y.vcd").write_bytes(text)
    assert ("\u00e4", "\u00e0", "t") == vcd.read(tmp_path / "y.vcd", ReadOptions()).channels
