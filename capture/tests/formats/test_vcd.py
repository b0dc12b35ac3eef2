from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vcd_files import CAPTURES, HEAD, capture, same

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform, waveform_of
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import recognise, vcd


def read(path: Path, text: str, **options: object) -> tuple[Waveform, Edges]:
    path.write_text(text)
    waveform = vcd.read(path, ReadOptions(**options))  # type: ignore[arg-type]
    return waveform, waveform.edges()


def test_scopes_vectors_and_initial_levels(tmp_path: Path) -> None:
    """Bits of a vector are channels, the outermost scope is dropped, and levels of $dumpvars hold from the start."""
    text = HEAD + '#0 $dumpvars 1! b0101 " $end\n#5 0!\n#7\nb11 "\n#9\n'
    waveform, edges = read(tmp_path / "a.vcd", text)

    assert waveform.channels == ("clk", "dut.bus[0]", "dut.bus[1]", "dut.bus[2]", "dut.bus[3]")
    assert edges.samples.tolist() == [0, 5, 7]
    assert edges.levels.tolist() == [0b01011, 0b01010, 0b00110]
    assert (edges.samplerate_hz, edges.end) == (10**9, 9)


def test_times_and_levels_that_are_not_plain(tmp_path: Path) -> None:
    """A time that comes twice, an edge that is undone in its instant, x next to known levels, reals and comments."""
    text = HEAD + '#3 1! b0x1 "\n#3 0!\n#4 1!\n#4 $comment 0! $end r1.5 % s# %\n#6 x!\n#8 1!\n'
    waveform, edges = read(tmp_path / "a.vcd", text, channels=("clk", "dut*"))

    assert edges.samples.tolist() == [3, 4, 6, 8]
    assert edges.levels.tolist() == [0b00010, 0b00011, 0b00010, 0b00011]
    assert waveform.remarks == ["changes that make no edge, since the same instant undoes them: 1"]
    assert edges.end == 9


def test_where_nothing_is_known_there_is_a_gap(tmp_path: Path) -> None:
    """$dumpoff and $dumpon make a gap."""
    text = HEAD + '#0 1! b0 "\n#10 $dumpoff x! bx " $end\n#20 $dumpon 1! b1 " $end\n#30\n'
    _, edges = read(tmp_path / "a.vcd", text)

    assert edges.gaps.tolist() == [[10, 20]]
    assert edges.samples.tolist() == [0, 20]
    assert edges.end == 30


def test_times_are_put_on_the_samples_of_a_rate(tmp_path: Path) -> None:
    """Times that sigrok rounds to 100 ps at 24 MHz give the sample numbers back, by its comment or by an option."""
    head = HEAD.replace("1 ns", "100 ps")
    body = "#0 0!\n#417 1!\n#8333 0!\n#10000000417 1!\n#10000000833\n"
    comment = "$comment Acquisition with 1/8 channels at 24 MHz $end\n"
    by_comment, edges = read(tmp_path / "a.vcd", comment + head + body, channels=("clk",))
    _, by_option = read(tmp_path / "b.vcd", head + body, channels=("clk",), samplerate_hz=Fraction(24_000_000))
    off, _ = read(tmp_path / "c.vcd", head + "#0 0!\n#600 1!\n", channels=("clk",), samplerate_hz=Fraction(24_000_000))

    assert edges.samples.tolist() == by_option.samples.tolist() == [0, 1, 20, 24_000_001]
    assert edges.end == 24_000_002
    assert by_comment.remarks == []
    assert off.remarks == ["1 times are more than their last digit off the samples of 24000000 Hz"]


def test_more_channels_than_fit_have_to_be_chosen(tmp_path: Path) -> None:
    """A file of 100 wires is refused with the option that helps, and read when some are chosen."""
    wires = "".join(f"$var wire 1 n{number} w{number} $end\n" for number in range(100))
    text = f"$timescale 1 us $end\n{wires}$enddefinitions $end\n#1 1n99 0n5\n#2 0n99\n#3\n"
    with pytest.raises(FormatError, match="--channels"):
        read(tmp_path / "a.vcd", text)
    _, edges = read(tmp_path / "a.vcd", text, channels=("w99", "w5"))

    assert edges.channels == ("w99", "w5")
    assert edges.channel("w99")[0].tolist() == [2]


def test_bits_of_a_vector_are_chosen(tmp_path: Path) -> None:
    """One bit of a vector can be a channel, whatever the others do."""
    _, edges = read(tmp_path / "a.vcd", HEAD + '#0 b0000 "\n#4 b0100 "\n#6 b0011 "\n#7\n', channels=("*[[]2]", "clk"))

    assert edges.channels == ("dut.bus[2]", "clk")
    assert edges.channel("dut.bus[2]")[0].tolist() == [4, 6]


def test_a_file_without_changes_is_an_empty_capture(tmp_path: Path) -> None:
    """Declarations alone are not an error."""
    _, edges = read(tmp_path / "a.vcd", HEAD)

    assert edges.samples.size == edges.end == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "#5 1!\n#4 0!\n", r"near line 11: .*back in time"),
        (HEAD + "#5 1!\nhello\n", r"line 10.*'hello'"),
        (HEAD + "#5 1!\n1%\n", r"line 10.*'1%' is of a variable that is not declared"),
        (HEAD + f"#{10**30} 1!\n", "64 bits"),
        (HEAD.replace("1 ns", "3 ns"), "not a timescale"),
        (HEAD.replace("$timescale 1 ns $end\n", "$scope module x $end $upscope $end\n"), "no \\$timescale"),
        ("$date today $end\n", "enddefinitions"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """Each fault is one error with its place."""
    with pytest.raises(FormatError, match=message):
        read(tmp_path / "a.vcd", text)


@settings(max_examples=60, deadline=None)
@given(drawn=CAPTURES, gap=st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, drawn: object, gap: bool) -> None:
    """Samples, levels, gaps, end, samplerate, names and epoch are the same after writing and reading."""
    path = tmp_path_factory.getbasetemp() / "round.vcd"
    expected = capture(drawn, gap=gap)  # type: ignore[arg-type]
    vcd.write(path, expected)

    assert recognise(path) == "vcd"
    same(expected, vcd.read(path, ReadOptions()))


def test_the_writer_says_what_it_rounds(tmp_path: Path) -> None:
    """A rate that divides a unit of time is exact; 24 MHz is not, and is reported as rounded."""
    edges = Edges.from_blocks(
        [(np.array([0], dtype=np.int64), np.array([1], dtype=np.uint64))],
        samplerate_hz=Fraction(10**7),
        channels=["a"],
        end=5,
    )
    exact = vcd.write(tmp_path / "a.vcd", waveform_of(edges))
    rounded = vcd.write(tmp_path / "b.vcd", Waveform(**{**fields(edges), "samplerate_hz": Fraction(24_000_000)}))

    assert exact == ""
    assert "$timescale 100 ns" in (tmp_path / "a.vcd").read_text()
    assert rounded.startswith("times are rounded to 100 ps")
    back = vcd.read(tmp_path / "b.vcd", ReadOptions())
    assert (Fraction(24_000_000), "") == (back.samplerate_hz, back.epoch)


def fields(edges: Edges) -> dict[str, object]:
    """Arguments of a Waveform of these edges."""
    waveform = waveform_of(edges)
    return {"samplerate_hz": waveform.samplerate_hz, "channels": waveform.channels, "read": waveform.read}


def head(*sections: str) -> str:
    return "$timescale 1 ns $end\n" + "".join(f"${section} $end\n" for section in sections) + "$enddefinitions $end\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            head(*(f"var wire 999999 a{number} v{number}" for number in range(300))),
            "names of .* characters and more in all",
            id="three hundred million bits",
        ),
        pytest.param(
            head(*[f"scope module {'s' * 200}"] * 250, *(f"var wire 100 a{number} v" for number in range(200))),
            "names of .* characters and more in all",
            id="deep scopes",
        ),
        pytest.param(head(*["scope module s"] * 257, "var wire 1 a v"), "more than 256 scopes", id="deeper scopes"),
        pytest.param(
            head(*(f"var wire 1 {number:x} {'v' * 80}" for number in range(170_000))), "more than 16 MiB", id="many"
        ),
        pytest.param(head(f"var wire 2 a v[{'9' * 5000}:0]"), "a variable of bits", id="range"),
        pytest.param(head(f"comment gpiorig: samplerate {'9' * 5000}/1 Hz, epoch "), "a samplerate of nan", id="note"),
        pytest.param(
            head(f"comment Acquisition with 1/1 channels at {'9' * 400} Hz"), "is not a samplerate", id="sigrok's note"
        ),
        pytest.param(head("comment gpiorig: samplerate 0/1 Hz, epoch "), "a samplerate of", id="a rate of 0"),
        pytest.param(head("var wire \u0661 a v"), "has a .var", id="a digit of another script"),
        pytest.param(head("var real 64 a v"), "declares no variable of bits", id="no variable"),
        pytest.param("$comment" + " " * 300_000 + "x $enddefinitions $end", "no .timescale", id="blanks"),
        pytest.param("$c " * 300_000 + "$enddefinitions $end", "no .timescale", id="no end"),
    ],
)
def test_a_head_that_is_damaged_or_hostile_is_refused_at_once(tmp_path: Path, text: str, expected: str) -> None:
    """In time and memory that the length of the head bounds."""
    path = tmp_path / "x.vcd"
    path.write_text(text, encoding="latin-1" if text.isascii() else "utf-8")
    began_s = time.process_time()
    with pytest.raises(FormatError, match=expected) as caught:
        vcd.read(path, ReadOptions())
    assert str(path) in str(caught.value)
    assert time.process_time() - began_s < 2
