"""Finding, loading and running decoders: what sigrok leaves to chance, and gaps, which it does not know."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from gpiorig.analysis.decoderhost import source
from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.host import decode
from gpiorig.analysis.decoderhost.library import Library, search_path
from gpiorig.analysis.decoderhost.outputs import OutputKind, Selection, meta_text
from gpiorig.analysis.decoderhost.stack import UNMAPPED, parse_stacks
from gpiorig.analysis.decoderhost.table import Row, RowSink, decode_table, file_of
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import FormatError

HEAD = """
import sigrokdecode as srd
from {package}.texts import TEXT

class Decoder(srd.Decoder):
    api_version = 3
    id = name = longname = desc = '{package}'
    license = 'mit'
    inputs = {inputs}
    outputs = {outputs}
    annotations = (('one', 'One'), ('two', 'Two'))
    annotation_rows = (('both', 'Both', (0, 1)),)
    binary = (('raw', 'Raw'),)
    options = (
        {{'id': 'text', 'desc': '', 'default': 'a', 'values': ('a', 'b')}},
        {{'id': 'number', 'desc': '', 'default': 10}},
        {{'id': 'share', 'desc': '', 'default': 0.5}},
    )
    def reset(self):
        pass
    def metadata(self, key, value):
        self.rate = value
    def start(self):
        self.ann = self.register(srd.OUTPUT_ANN)
        self.py = self.register(srd.OUTPUT_PYTHON)
        self.bin = self.register(srd.OUTPUT_BINARY)
        self.meta = self.register(srd.OUTPUT_META, meta=(int, 'Edges', 'Number of edges'))
"""
LOWER = """
    channels = ({'id': 'data', 'name': 'D', 'desc': 'D'},)
    optional_channels = ({'id': 'more', 'name': 'M', 'desc': 'M'},)
    def decode(self):
        edges = 0
        try:
            while True:
                self.wait({0: 'e'})
                edges += 1
                self.put(self.samplenum, self.samplenum + 1, self.ann, [0, [TEXT, 'short']])
                self.put(self.samplenum, self.samplenum + 1, self.bin, [0, bytes([edges])])
                self.put(self.samplenum, self.samplenum, self.py, ['EDGE', (edges, b'x')])
        except EOFError:
            self.put(0, self.samplenum, self.meta, edges)
            raise
"""
UPPER = """
    def decode(self, ss, es, data):
        import lower.texts
        if data[1][0] == 2:
            raise ValueError('two is too many')
        self.put(ss, es, self.ann, [1, ['%s of %d' % (lower.texts.TEXT, self.rate)]])
        self.put(ss, es, self.ann, ['no class', []])
"""


def write_decoder(folder: Path, name: str, body: str, *, inputs: str, outputs: str = "[]") -> None:
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .pd import Decoder\n")
    (package / "texts.py").write_text(f"TEXT = 'edge of {name}'\n")
    (package / "pd.py").write_text(HEAD.format(package=name, inputs=inputs, outputs=outputs) + body)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = tmp_path / "decoders"
    write_decoder(folder, "lower", LOWER, inputs="['logic']", outputs="['edges']")
    write_decoder(folder, "upper", UPPER, inputs="['edges']")
    return Library([folder])


def wave(*blocks: Block, rate: int = 1_000_000, channels: tuple[str, ...] = ("CLK", "DATA", "")) -> Waveform:
    return Waveform(samplerate_hz=Fraction(rate), channels=channels, read=lambda: iter(blocks))


def block(rows: Mapping[int, int], end: int, gaps: tuple[tuple[int, int], ...] = ()) -> Block:
    return Block(
        np.array(list(rows), dtype=np.int64),
        np.array(list(rows.values()), dtype=np.uint64),
        end,
        np.array(gaps, dtype=np.int64).reshape(-1, 2),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", "there is no decoder 'nothing'; looked in"),
        ("lower:data=NOPE", "lower:data=NOPE: the capture has no such channel; it has CLK, DATA"),
        ("lower:more=CLK", "lower needs the channel data"),
        ("lower:dato=CLK", "lower has no channel or option 'dato'; it has data, more, text, number, share"),
        ("lower:data=CLK:text=c", "lower:text=c: must be one of a, b"),
        ("lower:data=CLK:number=1_0", "must be an integer"),
        ("lower:data=CLK:share=x", "must be a number"),
        ("lower:data", "has no value"),
        ("lower:data=CLK:data=DATA", "is given twice"),
        ("upper", "upper takes edges; put a decoder that gives it before"),
        ("lower:data=CLK,lower", "lower takes logic, but lower below it gives edges"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, message: str, library: Library) -> None:
    """Where sigrok-cli decodes something else in silence, the error names what there is."""
    with pytest.raises(DecoderError, match=message.replace("(", r"\(")):
        parse_stacks([text], library, ("CLK", "DATA", ""))


@pytest.mark.parametrize(("text", "number"), [("0x1F", 31), ("017", 15), ("-3", -3), ("0", 0), ("+8", 8)])
def test_numbers_are_those_of_strtoll(text: str, number: int, library: Library) -> None:
    """Hexadecimal and octal as in C."""
    [stack] = parse_stacks([f"lower:data=CLK:number={text}:share=1e-3"], library, ("CLK",))

    assert {"text": "a", "number": number, "share": 0.001} == stack.layers[0].options


def test_default_channels(library: Library) -> None:
    """Without any channel the first is bit 0 and so on, as far as the capture goes."""
    [stack] = parse_stacks(["lower"], library, ("CLK",))
    assert (0, UNMAPPED) == stack.bits
    [stack] = parse_stacks(["lower:data=DATA"], library, ("CLK", "DATA"))
    assert (1, UNMAPPED) == stack.bits


def test_search_path_is_that_of_libsigrokdecode(tmp_path: Path) -> None:
    """The environment's folder first, the user's, the installed ones; those that exist."""
    own, home, system = tmp_path / "own", tmp_path / "home", tmp_path / "system"
    for folder in (own, home / "libsigrokdecode" / "decoders", system / "libsigrokdecode" / "decoders"):
        folder.mkdir(parents=True)
    environment = {
        "SIGROKDECODE_DIR": str(own),
        "XDG_DATA_HOME": str(home),
        "XDG_DATA_DIRS": f"{tmp_path}/nothing:{system}",
    }
    folders = [folder for folder in search_path(environment) if folder.is_relative_to(tmp_path)]

    assert [own, home / "libsigrokdecode" / "decoders", system / "libsigrokdecode" / "decoders"] == folders


def test_decoders_are_loaded_apart(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of decoders are not Python's, and another `sigrokdecode` in the environment is not theirs."""
    monkeypatch.setitem(sys.modules, "sigrokdecode", None)  # an import of it fails
    before = set(sys.modules)
    kind = library.load("lower")

    assert kind.channels == ("data", "more")
    assert before == set(sys.modules)


def test_broken_decoders_are_said(tmp_path: Path) -> None:
    """A syntax error, another API version, no Decoder."""
    for name, text in (
        ("syntax", "class ("),
        ("version", "import sigrokdecode\nclass Decoder(sigrokdecode.Decoder):\n    api_version = 2"),
        ("empty", ""),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
        with pytest.raises(DecoderError, match=f"the decoder '{name}'"):
            Library([tmp_path]).load(name)


def test_table(library: Library) -> None:
    """Outputs are rows; a decoder that raises loses one input, malformed output is dropped; notes report both."""
    stacks = parse_stacks(["lower:data=CLK,upper"], library, ("CLK", "DATA"))
    waveform = wave(block({0: 0, 10: 1, 12: 3, 20: 2}, 25), block({30: 1}, 40))
    table, outcome = decode_table(waveform, stacks, selection=Selection.everything(stacks, *OutputKind))
    rows = [(row["start"], row["decoder"], row["kind"], row["class"], row["text"]) for row in table.to_pylist()]

    assert [
        (10, "lower-1", "annotation", "one", "edge of lower"),
        (10, "lower-1", "binary", "raw", None),
        (10, "upper-1", "annotation", "two", "edge of lower of 1000000"),
        (10, "lower-1", "python", None, '["EDGE", [1, "b\'x\'"]]'),
        (20, "lower-1", "annotation", "one", "edge of lower"),
        (20, "lower-1", "binary", "raw", None),
        (20, "lower-1", "python", None, '["EDGE", [2, "b\'x\'"]]'),
        (30, "lower-1", "annotation", "one", "edge of lower"),
        (30, "lower-1", "binary", "raw", None),
        (30, "upper-1", "annotation", "two", "edge of lower of 1000000"),
        (30, "lower-1", "python", None, '["EDGE", [3, "b\'x\'"]]'),
        (0, "lower-1", "meta", "Edges", "3"),
    ] == rows
    assert {"both", None} == set(table["row"].to_pylist())
    assert [b"\1", b"\2", b"\3"] == [data for data in table["data"].to_pylist() if data]
    assert outcome.failed == 3
    whats = [failure.what for failure in outcome.failures]
    assert ["ValueError: two is too many"] == [what for what in whats if "ValueError" in what]
    assert all("pd.py" in failure.trace[-1] for failure in outcome.failures if failure.trace)


def test_decoders_start_anew_after_a_gap(library: Library) -> None:
    """At a gap a decoder is ended and a new one begins; a change across the gap is no edge."""
    stacks = parse_stacks(["lower:data=CLK"], library, ("CLK", "DATA"))
    waveform = wave(
        block({0: 0, 5: 1, 100: 0, 105: 1, 108: 0}, 110, ((20, 100),)),
        block({}, 300, ((110, 300),)),
        block({300: 1, 310: 0}, 320),
    )
    wanted = Selection.everything(stacks, OutputKind.ANNOTATION, OutputKind.META)
    table, outcome = decode_table(waveform, stacks, selection=wanted)
    rows = [(row["start"], row["text"]) for row in table.to_pylist() if row["kind"] == "annotation"]

    assert [5, 105, 108, 310] == [start for start, _ in rows]
    assert ["1", "2", "1"] == [row["text"] for row in table.to_pylist() if row["kind"] == "meta"]
    assert (2, 0) == (outcome.gaps, outcome.failed)


@pytest.mark.parametrize(("kept_rows", "readings"), [(5, 1), (4, 3)])
def test_a_capture_is_read_once_for_several_stacks(
    kept_rows: int, readings: int, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its edges fit in memory; else once for each; with the same outputs."""
    monkeypatch.setattr(source, "KEPT_ROWS", kept_rows)
    stacks = parse_stacks(["lower:data=CLK", "lower:data=DATA", "lower:data=CLK"], library, ("CLK", "DATA"))
    blocks = (block({0: 0, 10: 1, 12: 3}, 25), block({30: 1, 35: 2}, 40))
    begun: list[int] = []
    waveform = dataclasses.replace(wave(), read=lambda: iter((begun.append(1), *blocks)[1:]))
    table, _ = decode_table(waveform, stacks, selection=Selection.everything(stacks, OutputKind.ANNOTATION))

    starts = [(row["stack"], row["start"]) for row in table.to_pylist()]
    assert [(1, 10), (1, 35), (2, 12), (2, 30), (2, 35), (3, 10), (3, 35)] == starts
    assert readings == len(begun)


def test_negative_sample_numbers(library: Library) -> None:
    """A capture that begins before its sample 0 is decoded from there; the outputs have its sample numbers."""
    stacks = parse_stacks(["lower:data=CLK"], library, ("CLK", "DATA"))
    waveform = wave(block({-100: 0, -90: 1, 7: 0}, 20))
    table, _ = decode_table(waveform, stacks, selection=Selection.everything(stacks, OutputKind.ANNOTATION))

    assert [(-90, -89), (7, 8)] == [(row["start"], row["end"]) for row in table.to_pylist()]


def test_selection_of_classes_and_rows(library: Library) -> None:
    """As -A of sigrok-cli: by class or row, whatever the case; an unknown one is an error with those there are."""
    stacks = parse_stacks(["lower:data=CLK"], library, ("CLK", "DATA"))
    selection = Selection()
    selection.add(OutputKind.ANNOTATION, "lower=TWO", stacks)
    assert {1} == selection.classes(OutputKind.ANNOTATION, "lower")
    selection.add(OutputKind.ANNOTATION, "lower=b-oth", stacks)
    assert {0, 1} == selection.classes(OutputKind.ANNOTATION, "lower")
    assert set() == selection.classes(OutputKind.BINARY, "lower")
    with pytest.raises(DecoderError, match="lower has no annotation 'three'; it has one, two, both"):
        selection.add(OutputKind.ANNOTATION, "lower=three", stacks)
    with pytest.raises(DecoderError, match="no stack has a decoder 'upper'; there are lower"):
        selection.add(OutputKind.META, "upper", stacks)


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (9600.0, "9600.0"), (0.1, "0.10000000000000001"), (1e30, "1e+30")]
)
def test_values_are_written_as_glib_does(value: float, text: str) -> None:
    """A double has a point or an exponent."""
    assert text == meta_text(value)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_files_hold_every_row(suffix: str, library: Library, tmp_path: Path) -> None:
    """A file that is written batch by batch holds what the table does."""
    stacks = parse_stacks(["lower:data=CLK"], library, ("CLK", "DATA"))
    waveform = wave(block({0: 0, 10: 1, 20: 0}, 25))
    wanted = Selection.everything(stacks, *OutputKind)
    path = tmp_path / f"out{suffix}"
    with file_of(path, batch_rows=2) as sink:
        decode(waveform, stacks, selection=wanted, sink=sink)
    table, _ = decode_table(waveform, stacks, selection=wanted)

    if suffix == ".parquet":
        assert table.to_pylist() == pyarrow.parquet.read_table(path).to_pylist()
    elif suffix == ".csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [str(row["start"]) for row in table.to_pylist()] == [row["start"] for row in rows]
        assert {"edge of lower | short", ""} == {row["texts"] for row in rows}
        assert ["01", "02"] == [row["data"] for row in rows if row["kind"] == "binary"]
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["end"] for row in table.to_pylist()] == [row["end"] for row in rows]
        assert ["EDGE", [1, "b'x'"]] == next(row["text"] for row in rows if row["kind"] == "python")


def test_other_files_are_refused(tmp_path: Path) -> None:
    """The suffixes that can be written are named."""
    with pytest.raises(DecoderError, match=r"use \.parquet, \.csv, \.jsonl"):
        with file_of(tmp_path / "out.xlsx"):
            pass


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_a_file_is_whole_or_as_it_was(suffix: str, tmp_path: Path) -> None:
    """Where decoding ends in an error, a table of before stays, and no part of a new one is left."""
    path = tmp_path / f"out{suffix}"
    path.write_text("before")
    with pytest.raises(RuntimeError, match="disk"), file_of(path):
        raise RuntimeError("disk full")

    assert ["before"] == [file.read_text() for file in tmp_path.iterdir()]


def test_errors_from_outside_are_no_failures_of_decoders(library: Library) -> None:
    """A damaged capture or a full disk ends decoding with its own error, not with one of the decoder's."""
    stacks = parse_stacks(["lower:data=CLK"], library, ("CLK", "DATA"))
    wanted = Selection.everything(stacks, OutputKind.ANNOTATION)

    def damaged() -> Iterator[Block]:
        yield block({0: 0, 5: 1}, 10)
        raise FormatError("is damaged")

    def full(rows: list[Row]) -> None:
        raise OSError("no space left")

    broken = dataclasses.replace(wave(), read=damaged)
    with pytest.raises(FormatError, match="is damaged"):
        decode_table(broken, stacks, selection=wanted)
    with pytest.raises(OSError, match="no space left"):
        decode(wave(block({0: 0, 5: 1}, 10)), stacks, selection=wanted, sink=RowSink(full, batch_rows=1))
