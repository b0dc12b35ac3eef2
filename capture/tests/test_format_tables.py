from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from test_format_vcd import CAPTURES, capture, same

from gpiorig.capture import table
from gpiorig.capture.edges import Edges
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import ReadOptions, flocklab_gpio, module, recognise
from gpiorig.capture.textwriter import epoch_fraction
from gpiorig.capture.waveform import Waveform


def read(path: Path, text: str, expected: str, **options: object) -> tuple[Waveform, Edges]:
    """Write a table, check which format it is taken for, and read it."""
    path.write_text(text)
    assert recognise(path) == expected
    waveform = module(expected).read(path, ReadOptions(**options))  # type: ignore[arg-type]
    return waveform, waveform.edges()


def test_saleae_with_gaps_and_a_channel_that_was_off(tmp_path: Path) -> None:
    """X is a gap, the last row of X the end; a channel that is X throughout is left out."""
    text = "Time [s],Channel 0,Channel 1,Off\n-0.5,0,1,X\n0.125000000,1,1,X\n0.2,X,1,X\n0.3,0,1,X\n1.0,X,X,X\n"
    waveform, edges = read(tmp_path / "a.csv", text, "saleae_csv")

    assert waveform.channels == ("Channel 0", "Channel 1")
    assert edges.samplerate_hz == 10**9
    assert edges.samples.tolist() == [-500_000_000, 125_000_000, 300_000_000]
    assert edges.levels.tolist() == [2, 3, 2]
    assert edges.gaps.tolist() == [[200_000_000, 300_000_000]]
    assert edges.end == 10**9


def test_saleae_logic_1_and_dates(tmp_path: Path) -> None:
    """Logic 1 writes a blank after the comma and 15 digits; dates become an epoch and samples from its second."""
    one = "Time[s], Channel 0, Channel 1\n0.000000000000000, 0, 1\n-0.000000375000000, 0, 1\n".replace("-", "")
    _, edges = read(tmp_path / "a.csv", one, "saleae_csv", samplerate_hz=Fraction(8_000_000))
    dates = "Time [s],A\n2024-05-06T07:08:09.999999999+00:00,0\n2024-05-06T07:08:10.000000001+00:00,1\n"
    waveform, dated = read(tmp_path / "b.csv", dates, "saleae_csv")

    assert edges.end == 4
    assert waveform.epoch == "2024-05-06T07:08:09+00:00"
    assert dated.samples.tolist() == [999_999_999, 1_000_000_001]


def test_times_keep_every_digit(tmp_path: Path) -> None:
    """Seconds since 1970 with 12 digits, which no float64 and no int64 holds, give exact differences."""
    text = "timestamp,a\n1617181723.123456789012,0\n1617181723.123456789013,1\n"
    waveform, edges = read(tmp_path / "a.csv", text, "csv")

    assert edges.samples.tolist() == [123456789012, 123456789013]
    assert waveform.epoch == "2021-03-31T09:08:43+00:00"


@pytest.mark.parametrize(
    ("text", "columns", "rate"),
    [
        ("t;pin;state\n1.5;A;1\n2;A;0\n", {"unit": "us"}, 10**7),
        ("when,what,to\n1.5,A,high\n2,A,low\n", {"time": "when", "unit": "us", "channel": "what", "level": "3"}, 10**7),
        ("Time (us)|A\n1.5|1\n2|0\n", {}, 10**7),
        ("# made by hand\ntime_us\tA\n1.5\t1\n2\t0\n", {}, 10**7),
        ("1.5e-6,1\n2e-6,0\n", {}, 10**7),
    ],
)
def test_columns_by_header_or_by_option(tmp_path: Path, text: str, columns: dict[str, str], rate: int) -> None:
    """Units, separators and columns are found in the header, or said."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    edges = module("csv").read(path, ReadOptions(columns=columns)).edges()

    assert edges.samplerate_hz == rate
    assert edges.samples.tolist() == [15, 20]
    assert edges.levels.tolist() == [1, 0]


def test_times_that_count_samples(tmp_path: Path) -> None:
    """A column of sample numbers needs a samplerate, and is taken as it is."""
    text = "sample,A\n-5,0\n7,1\n"
    with pytest.raises(FormatError, match="--samplerate"):
        read(tmp_path / "a.csv", text, "csv")
    rate = Fraction(24_000_000)
    path = tmp_path / "a.csv"
    edges = module("csv").read(path, ReadOptions(samplerate_hz=rate)).edges()

    assert (edges.samplerate_hz, edges.samples.tolist()) == (rate, [-5, 7])


def test_rows_of_several_nodes_one_after_the_other(tmp_path: Path) -> None:
    """FlockLab's rows that lie observer by observer are merged; a first row tells the level before it as well."""
    text = (
        "# timestamp,observer_id,node_id,pin_name,value\n"
        "100000000.1000000,4,4,LED1,0,5.0000000\n100000000.3000000,4,4,LED1,1,5.2\n100000000.5000000,4,4,nRST,1,5.4\n"
        "100000000.2000000,7,7,LED1,1,9.0\n100000000.4000000,7,7,LED1,0,9.2\n"
    )
    waveform, edges = read(tmp_path / "gpiotracing.csv", text, "flocklab_gpio")

    assert waveform.channels == ("4.LED1", "4.nRST", "7.LED1")
    assert edges.samples.tolist() == [1_000_000, 3_000_000, 4_000_000]
    assert edges.levels.tolist() == [0b110, 0b111, 0b011]
    assert edges.end == 5_000_001
    assert waveform.epoch == "1973-03-03T09:46:40+00:00"
    assert "2 pieces" in waveform.source


def test_edges_of_one_instant_are_counted(tmp_path: Path) -> None:
    """The last level of an instant counts, and it is said how many edges that took."""
    text = "timestamp,observer_id,node_id,pin_name,value\n1.0000000,1,1,A,0\n2.0,1,1,A,1\n2.0,1,1,A,0\n3.0,1,1,A,1\n"
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio")

    assert edges.samples.tolist() == [10_000_000, 30_000_000]
    assert waveform.remarks == ["1 changes are undone or repeated in the same instant: the last one counts"]


@pytest.mark.parametrize("header", ["Time [s],A", "timestamp,observer_id,node_id,pin_name,value", "time,A,B"])
def test_a_header_alone_is_an_empty_capture(tmp_path: Path, header: str) -> None:
    """A test in which no pin moved leaves such files."""
    path = tmp_path / "a.csv"
    path.write_text(header + "\n")
    edges = module(recognise(path)).read(path, ReadOptions()).edges()

    assert edges.samples.size == edges.end == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Time [s],A\n0.1,0\n0.2,7\n", "line 3: a level"),
        ("Time [s],A\n0.1,0\nx,1\n", "line 3: a time"),
        ("Time [s],A\n0.1,0\n0.2\n", "line 3: columns are missing"),
        ("Time [s],A\n1e30,0\n", "64 bits"),
        ("Time [s],A,A\n0.1,0,0\n", "occurs twice"),
        ("Trigger [s],Time [s],A\n0,0,1.2\n", "voltages"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    """What cannot be read is one error that says what and where."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=says):
        module("saleae_csv").read(path, ReadOptions()).edges()


def test_a_file_without_any_order_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More steps back than can be merged in bounded memory are an error that says how to sort the file."""
    monkeypatch.setattr(table, "MOST_RUNS", 3)
    path = tmp_path / "a.csv"
    path.write_text("time,A\n" + "".join(f"{9 - number},1\n" for number in range(9)))
    with pytest.raises(FormatError, match="sort"):
        module("csv").read(path, ReadOptions())


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(drawn=CAPTURES)
def test_a_table_is_read_back(tmp_path_factory: pytest.TempPathFactory, drawn: object) -> None:
    """Samples, levels, gaps, end, samplerate, names and epoch are the same after writing and reading a CSV table."""
    path = tmp_path_factory.getbasetemp() / "round.csv"
    for gap in (False, True):
        expected = capture(drawn, gap=gap)  # type: ignore[arg-type]
        module("csv").write(path, expected)
        same(expected, module("csv").read(path, ReadOptions()))


@settings(max_examples=30, deadline=None)
@given(drawn=CAPTURES)
def test_flocklab_is_read_back_within_100_ns(tmp_path_factory: pytest.TempPathFactory, drawn: object) -> None:
    """Each edge that is more than 100 ns from the next is there, no more than 100 ns early; exact at 10 MHz."""
    path = tmp_path_factory.getbasetemp() / "round_flocklab.csv"
    expected = capture(drawn, gap=False)  # type: ignore[arg-type]
    said = flocklab_gpio.write(path, expected)
    waveform = flocklab_gpio.read(path, ReadOptions())
    found, edges = waveform.edges(), expected.edges()
    scale = 10**7 / edges.samplerate_hz
    offset = (epoch_fraction(expected.epoch) - epoch_fraction(waveform.epoch)) * 10**7

    assert (said == "") == (scale.denominator == 1)
    for ours, theirs in (("a.x", "a.x"), ("z", "0.z")):
        expected_at = [offset + int(sample) * scale for sample in edges.channel(ours)[0]]
        found_at = found.channel(theirs)[0].tolist()
        apart = all(b - a >= 1 for a, b in pairwise(expected_at))
        if apart and expected_at and expected_at[0] - offset - edges.start * scale >= 1:
            assert len(found_at) == len(expected_at)
            assert all(0 <= e - f < 1 for e, f in zip(expected_at, found_at, strict=True))


def test_flocklab_cannot_say_that_samples_are_lost(tmp_path: Path) -> None:
    """A gap is refused, and no file is left."""
    expected = capture(([5, 9], [0, 1, 0], Fraction(10**7), 0), gap=True)
    with pytest.raises(CaptureError, match="lost"):
        flocklab_gpio.write(tmp_path / "a.csv", expected)

    assert list(tmp_path.iterdir()) == []
