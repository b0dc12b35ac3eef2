from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from depth import by_depth
from hypothesis import given, settings
from vcd_files import CAPTURES, capture, same

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import HEAD_BYTES, flocklab_gpio, module, recognise
from gpiorig.capture.text import table_scan
from gpiorig.capture.text.writer import epoch_fraction


def read(path: Path, text: str, expected: str, **options: object) -> tuple[Waveform, Edges]:
    """Write a table, check which format it is taken for, and read it."""
    path.write_text(text)
    assert recognise(path) == expected
    waveform = module(expected).read(path, ReadOptions(**options))  # type: ignore[arg-type]
    return waveform, waveform.edges()


def test_saleae_with_gaps_and_a_channel_that_was_off(tmp_path: Path) -> None:
    """X is a gap, the last row of X the end; a channel that is X throughout is omitted."""
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
    """Units, separators and columns are found in the header, or given."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    edges = module("csv").read(path, ReadOptions(columns=columns)).edges()

    assert edges.samplerate_hz == rate
    assert edges.samples.tolist() == [15, 20]
    assert edges.levels.tolist() == [1, 0]


def test_times_that_count_samples(tmp_path: Path) -> None:
    """A column of sample numbers needs a samplerate, and is used unchanged."""
    text = "sample,A\n-5,0\n7,1\n"
    with pytest.raises(FormatError, match="--samplerate"):
        read(tmp_path / "a.csv", text, "csv")
    rate = Fraction(24_000_000)
    path = tmp_path / "a.csv"
    edges = module("csv").read(path, ReadOptions(samplerate_hz=rate)).edges()

    assert (edges.samplerate_hz, edges.samples.tolist()) == (rate, [-5, 7])


def test_rows_of_several_nodes_one_after_the_other(tmp_path: Path) -> None:
    """FlockLab's rows in the order of observers are merged; a first row gives the level before it as well."""
    text = (
        "timestamp,observer_id,node_id,pin_name,value\n"
        "100000000.1000000,4,4,LED1,0,5.0000000\n100000000.3000000,4,4,LED1,1,5.2\n100000000.5000000,4,4,nRST,1,5.4\n"
        "100000000.2000000,7,7,LED1,1,9.0\n100000000.4000000,7,7,LED1,0,9.2\n"
    )
    waveform, edges = read(tmp_path / "gpiotracing.csv", text, "flocklab_gpio")

    assert waveform.channels == ("4.LED1", "4.nRST", "7.LED1")
    assert edges.samples.tolist() == [1_000_000, 3_000_000, 4_000_000]
    assert edges.levels.tolist() == [0b110, 0b111, 0b011]
    assert edges.end == 5_000_001
    assert waveform.epoch == "1973-03-03T09:46:40+00:00"
    assert "2 slices" in waveform.source


def test_edges_of_one_instant_are_counted(tmp_path: Path) -> None:
    """The last level of an instant counts, and the number of edges that took is reported."""
    text = "timestamp,observer_id,node_id,pin_name,value\n1.0000000,1,1,A,0\n2.0,1,1,A,1\n2.0,1,1,A,0\n3.0,1,1,A,1\n"
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio")

    assert edges.samples.tolist() == [10_000_000, 30_000_000]
    assert waveform.remarks == ["changes that make no edge, since the same instant undoes them: 2"]


@pytest.mark.parametrize("header", ["Time [s],A", "timestamp,observer_id,node_id,pin_name,value", "time,A,B"])
def test_a_header_alone_is_an_empty_capture(tmp_path: Path, header: str) -> None:
    """A test in which no pin moved leaves such files; that is reported."""
    path = tmp_path / "a.csv"
    path.write_text(header + "\n")
    waveform = module(recognise(path)).read(path, ReadOptions())
    edges = waveform.edges()

    assert edges.samples.size == edges.end == 0
    assert ["it has no rows"] == waveform.remarks


def test_the_only_row_may_lack_a_line_end(tmp_path: Path) -> None:
    """A short file is not cut within its last row, which shows the columns."""
    waveform, edges = read(tmp_path / "a.csv", "A,Time [s]\n1,0.5", "csv")

    assert (waveform.channels, edges.levels.tolist()) == (("A",), [1])


def test_a_long_header_whose_first_row_is_cut_in_the_head(tmp_path: Path) -> None:
    """A file is recognised by its first 4096 bytes, which may end within a row."""
    names = [f"channel_with_a_long_name_{number:02}_{'x' * 50}" for number in range(50)]
    text = f"time,{','.join(names)}\n" + "0.0000001" + ",0" * 50 + "\n" + "0.0000002" + ",1" * 50 + "\n"
    _, edges = read(tmp_path / "a.csv", text, "csv")

    assert len(",".join(names)) < HEAD_BYTES < len(text)
    assert ([1, 2], tuple(names)) == (edges.samples.tolist(), edges.channels)


@pytest.mark.parametrize("rate_hz", [80_000, 16_000_000, 24_000_000, 12_500_000, 500_000_000])
def test_the_samplerate_of_times_with_many_digits_is_derived(tmp_path: Path, rate_hz: int) -> None:
    """Logic 1 writes 15 digits whatever the rate: the lowest usual one on whose samples all times fall."""
    at = [0, 1, 40_003, 80_005, 80_006 + 2**30]
    lines = [f"{sample / rate_hz:.15f}, {number & 1}, {number >> 1 & 1}" for number, sample in enumerate(at)]
    waveform, edges = read(tmp_path / "a.csv", "Time[s], A, B\n" + "\n".join(lines) + "\n", "saleae_csv")

    assert (rate_hz, at) == (edges.samplerate_hz, edges.samples.tolist())
    assert ["its samplerate is derived: the lowest usual one on whose samples all times fall"] == waveform.remarks


def test_times_on_no_usual_rate_keep_their_resolution(tmp_path: Path) -> None:
    """That is reported, with the way out."""
    waveform, edges = read(tmp_path / "a.csv", "time,A\n0.0000000000,0\n0.0000123457,1\n0.0314159265,0\n", "csv")

    assert (10**10, [0, 123457, 314159265]) == (edges.samplerate_hz, edges.samples.tolist())
    assert "the samples of no usual rate" in waveform.remarks[0] and "--samplerate" in waveform.remarks[0]


def test_times_as_python_prints_floats(tmp_path: Path) -> None:
    """More digits than 64 bits hold: on the samples of the rate that is given, and derived where one fits."""
    text = "time,A\n1.25e-05,0\n0.30000000000000004,1\n3.7500000000000003e-01,0\n"
    for options, rate in (({}, 80_000), ({"samplerate_hz": Fraction(24_000_000)}, 24_000_000)):
        _, edges = read(tmp_path / "a.csv", text, "csv", **options)
        assert edges.samplerate_hz == rate
        assert edges.samples.tolist() == [rate // 80_000, rate * 3 // 10, rate * 3 // 8]


V1 = (
    "1600000001.0000200,7,7,INT1,1\n1600000002.0000210,7,7,INT1,0\n1600000003.0000190,7,7,INT1,1\n"
    "1600000001.5000200,8,8,INT1,1\n1600000002.5000210,8,8,INT1,0\n"
)


def test_rows_of_flocklab_1_are_edges_and_those_of_flocklab_2_levels(tmp_path: Path) -> None:
    """The header gives the version: in 1, also the first row of each pin is an edge, and none is lost."""
    header = "timestamp,observer_id,node_id,pin_name,value\n"
    _, one = read(tmp_path / "a.csv", "# " + header + V1, "flocklab_gpio")
    _, two = read(tmp_path / "a.csv", header + V1, "flocklab_gpio")

    assert [[200, 10_000_210, 20_000_190], [5_000_200, 15_000_210]] == [
        one.channel(n)[0].tolist() for n in one.channels
    ]
    assert [[10_000_210, 20_000_190], [15_000_210]] == [two.channel(name)[0].tolist() for name in two.channels]
    assert (0, 3) == (int(one.levels[0]), int(two.levels[0]))


def test_the_first_edge_of_flocklab_1_at_a_whole_second(tmp_path: Path) -> None:
    """The capture begins before it."""
    text = "# timestamp,node_id,pin_name,value\n1600000001.0000000,7,INT1,0\n1600000001.5,7,INT1,1\n"
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio")

    assert ([0, 5_000_000], 1) == (edges.channel("7.INT1")[0].tolist(), int(edges.levels[0]))
    assert waveform.epoch == "2020-09-13T12:26:41+00:00"


ACTUATION = (
    "1600000000.0000000,1600000000.0000300,7,7,RST,0\n1600000001.0000000,1600000001.0000020,7,7,SIG1,1\n"
    "1600000002.0000000,1600000002.0000060,7,7,SIG1,0\n1600000003.0000000,1600000003.0000040,1,1,SIG1,1\n"
)
MADE_UP = "names that the file does not have are made up: D0; --channels names them"
PLANNED = "timestamp_planned,timestamp_executed,observer_id,node_id,pin_name,value\n"


@pytest.mark.parametrize("comment", ["", "# "])
@pytest.mark.parametrize("order", [1, -1])
def test_flocklab_actuation(tmp_path: Path, comment: str, order: int) -> None:
    """Channels are pins of nodes, at the executed times; each row is an edge, whichever node comes first."""
    lines = ACTUATION.splitlines(keepends=True)[::order]
    _, edges = read(tmp_path / "a.csv", comment + PLANNED + "".join(lines), "flocklab_actuation")
    samples = {name: edges.channel(name)[0].tolist() for name in edges.channels}

    assert {"7.RST": [300], "7.SIG1": [10_000_020, 20_000_060], "1.SIG1": [30_000_040]} == samples
    assert 1 << edges.channels.index("7.RST") == int(edges.levels[0])


@pytest.mark.parametrize(("time", "first"), [("2", 20), ("1", 0)])
def test_flocklab_actuation_without_a_header(tmp_path: Path, time: str, first: int) -> None:
    """Nothing is invented: it is refused until its columns are named."""
    path = tmp_path / "a.csv"
    path.write_text(ACTUATION)
    with pytest.raises(FormatError, match=r"column 2 holds '1600000000.0000300'.*--columns time"):
        recognise(path)
    columns = {"time": time, "node": "4", "channel": "5", "level": "6"}
    edges = module("csv").read(path, ReadOptions(columns=columns)).edges()

    assert ("7.RST", "7.SIG1", "1.SIG1") == edges.channels
    assert Fraction(10**7 + first, 10**7) == Fraction(int(edges.channel("7.SIG1")[0][0])) / edges.samplerate_hz


@pytest.mark.parametrize(
    ("comment", "channels", "remarks"),
    [
        ("# time [ms], irq", ("irq",), []),
        (
            "# made by hand, in a hurry",
            ("D0",),
            ["names that the file does not have are made up: D0; --channels names them"],
        ),
        ("# time, 13", ("D0",), ["names that the file does not have are made up: D0; --channels names them"]),
    ],
)
def test_a_comment_above_the_rows_may_be_their_header(
    tmp_path: Path, comment: str, channels: tuple[str, ...], remarks: list[str]
) -> None:
    """With as many names as columns, one of them a time; prose stays a comment, and made-up names are reported."""
    waveform, edges = read(tmp_path / "a.csv", f"# log\n{comment}\n0.5,0\n0.7,1\n", "csv")

    assert (channels, remarks) == (waveform.channels, waveform.remarks)
    assert (10_000 if channels == ("irq",) else 10) == edges.samplerate_hz


def test_the_burst_at_the_end_of_a_flocklab_trace(tmp_path: Path) -> None:
    """Rows back and forth at an observer's last instant are its end, not edges; of one observer only."""
    text = (
        "timestamp,observer_id,node_id,pin_name,value\n1600000001.0,7,7,LED1,0\n1600000003.0,7,7,LED1,1\n"
        "1600000003.2,7,7,LED1,1\n1600000003.2,7,7,LED1,0\n"
        "1600000001.0,8,8,LED1,0\n1600000004.0,8,8,LED1,1\n"
    )
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio")

    assert [[20], [30]] == [edges.channel(name)[0].tolist() for name in edges.channels]
    assert ["node 7 ends with 2 rows of one time, back and forth: its end, omitted"] == waveform.remarks


@pytest.mark.parametrize("end", [",,\n", "END\n", "\x1a", ",,\n,,\n\n", "End of data,,\n\x1a\n", ";"])
def test_what_follows_the_last_row_is_omitted(tmp_path: Path, end: str) -> None:
    """With a remark; anywhere else it is an error."""
    text = "time,A,B\n0.1,0,1\n0.2,1,1\n"
    waveform, edges = read(tmp_path / "a.csv", text + end, "csv")

    assert ([1, 2], 3) == (edges.samples.tolist(), edges.end)
    assert waveform.remarks[0].startswith("line 4 and what follows are not rows, but the end: ")
    with pytest.raises(FormatError, match="line 4: a time is neither a number nor a date"):
        read(tmp_path / "a.csv", text + end.rstrip("\n") + "\n0.3,0,1\n", "csv")


PORT = "no, sample, ms, port\n{0}, 0, 0.0, {1}\n{0}, 5, 0.005, {2}\n{0}, 90, 0.090, {1}\n{3}, 0, 0.0, {2}\n"


@pytest.mark.parametrize(("first", "second"), [("0011 0101", "1011 0101 "), ("0" * 16, "1" + "0" * 15)])
@pytest.mark.parametrize("packets", [(1, 2), (-3, 4), (1, 1)])
def test_a_port_in_one_field(tmp_path: Path, first: str, second: str, packets: tuple[int, int]) -> None:
    """A channel for each bit, the last is 0; packets begin again at 0 and have a gap between them."""
    path = tmp_path / "a.csv"
    text = PORT.format(packets[0], first, second, packets[1])
    path.write_text(text if packets[0] != packets[1] else "".join(text.splitlines(keepends=True)[:4]))
    with pytest.raises(FormatError, match=r"column 'port' holds several levels in one field.*levels=port"):
        recognise(path)
    width = len(first.replace(" ", ""))
    columns = {"levels": "port", "group": "no"}
    for time, rate in (("sample", Fraction(10**6)), ("ms", None)):
        edges = module("csv").read(path, ReadOptions(samplerate_hz=rate, columns=columns | {"time": time})).edges()
        assert tuple(f"port[{bit}]" for bit in range(width)) == edges.channels
        assert 10**6 == edges.samplerate_hz
        highest = 1 << width - 1
        low = int(first.replace(" ", ""), 2)
        assert [(0, low), (5, low | highest), (90, low), (92, low | highest)][: edges.samples.size] == list(
            zip(edges.samples.tolist(), edges.levels.tolist(), strict=True)
        )
        assert ([[91, 92]] if packets[0] != packets[1] else []) == edges.gaps.tolist()


def test_a_port_of_another_width_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,port\n0,0011\n1,00110\n")
    with pytest.raises(FormatError, match="line 3: the levels of a port are not the bits of the first row"):
        module("csv").read(path, ReadOptions(columns={"levels": "port"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Time [s],A\n0.1,0\n0.2,7\n", "line 3: a level"),
        ("Time [s],A\n0.1,0\nx,1\n", "line 3: a time"),
        ("Time [s],A\n0.1,0\n0.2\n", "line 3: columns are missing"),
        ("Time [s],A\n1e30,0\n", "64 bits"),
        ("Time [s],A,A\n0.1,0,0\n", "occurs twice"),
        ("Trigger [s],Time [s],A\n0,0,1.2\n", "voltages"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    """Each fault is one error with its place."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        module("saleae_csv").read(path, ReadOptions()).edges()


def test_a_file_without_any_order_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More steps back than can be merged in bounded memory are an error whose remedy is to sort the file."""
    monkeypatch.setattr(table_scan, "MAX_RUNS", 3)
    path = tmp_path / "a.csv"
    path.write_text("time,A\n" + "".join(f"{9 - number},1\n" for number in range(9)))
    with pytest.raises(FormatError, match="sort"):
        module("csv").read(path, ReadOptions())


@settings(max_examples=by_depth(20, 200), deadline=None)
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
    rounding = flocklab_gpio.write(path, expected)
    waveform = flocklab_gpio.read(path, ReadOptions())
    read_back, edges = waveform.edges(), expected.edges()
    scale = 10**7 / edges.samplerate_hz
    offset = (epoch_fraction(expected.epoch) - epoch_fraction(waveform.epoch)) * 10**7

    assert (rounding == "") == (scale.denominator == 1)
    for name, written in (("a.x", "a.x"), ("z", "0.z")):
        expected_at = [offset + int(sample) * scale for sample in edges.channel(name)[0]]
        read_at = read_back.channel(written)[0].tolist()
        apart = all(b - a >= 1 for a, b in pairwise(expected_at))
        if apart and expected_at and expected_at[0] - offset - edges.start * scale >= 1:
            assert len(read_at) == len(expected_at)
            assert all(0 <= e - f < 1 for e, f in zip(expected_at, read_at, strict=True))


def test_flocklab_cannot_say_that_samples_are_lost(tmp_path: Path) -> None:
    """A gap is refused, and no file is left."""
    expected = capture(([5, 9], [0, 1, 0], Fraction(10**7), 0), gap=True)
    with pytest.raises(CaptureError, match=r"samples 6 to 14 are not known.*--to 6sa"):
        flocklab_gpio.write(tmp_path / "a.csv", expected)

    assert list(tmp_path.iterdir()) == []


def test_channels_of_a_table_are_chosen_or_named(tmp_path: Path) -> None:
    """Names of the file choose; where it has none, those that are given name its columns, whatever is in them."""
    waveform, edges = read(tmp_path / "a.csv", "time,A,B,C\n1,0,1,0\n2,1,1,1\n", "csv", channels=("A", "C"))
    assert (("A", "C"), [0, 3]) == (waveform.channels, edges.levels.tolist())

    waveform, edges = read(tmp_path / "b.csv", "1,0,1\n2,1,1\n", "csv", channels=("a[0]", "b*"))
    assert (("a[0]", "b*"), [2, 3]) == (waveform.channels, edges.levels.tolist())

    waveform, edges = read(tmp_path / "c.csv", "time,A1,B,A2\n1,0,1,0\n2,1,1,0\n", "csv", channels=("A*",))
    assert (("A1", "A2"), [0, 1]) == (waveform.channels, edges.levels.tolist())
    for channels in (("A", "B"), ("B", "A")):
        waveform, edges = read(tmp_path / "d.csv", "time,A,B\n1,0,X\n2,1,X\n", "csv", channels=channels)
        assert (("A",), [0, 1]) == (waveform.channels, edges.levels.tolist()), "B was off throughout"


def test_names_with_commas_and_quotes_are_read_back(tmp_path: Path) -> None:
    names = ('a,"b"', "c,d", '"', "plain")
    block = Block(np.array([0, 3]), np.array([1, 14], dtype=np.uint64), 5)
    content = Waveform(samplerate_hz=Fraction(10), channels=names, read=lambda: iter([block]))
    path = tmp_path / "a.csv"
    module("csv").write(path, content)

    assert 'Time [s],"a,""b""","c,d","""",plain' == path.read_text().splitlines()[1]
    same(content, module("csv").read(path, ReadOptions()))


def test_flocklab_rows_as_its_observers_write_them(tmp_path: Path) -> None:
    """The observer has the node's number; a channel without a node is of node 0."""
    block = Block(np.array([0, 3]), np.array([1, 2], dtype=np.uint64), 5)
    content = Waveform(samplerate_hz=Fraction(10), channels=("7.LED1", "INT1"), read=lambda: iter([block]))
    flocklab_gpio.write(tmp_path / "a.csv", content)

    assert [
        "timestamp,observer_id,node_id,pin_name,value",
        "0.0000000,7,7,LED1,1",
        "0.0000000,0,0,INT1,0",
        "0.3000000,7,7,LED1,0",
        "0.3000000,0,0,INT1,1",
    ] == (tmp_path / "a.csv").read_text().splitlines()[:5]


SIGROK = "; CSV generated by libsigrok 0.5.2\n"
CHANNELS = "; Channels (2/2): a, b\n"
SAMPLERATE = "; Samplerate: 1 MHz\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CHANNELS + "logic,logic\n1,0\n", "lacks channels or samplerate"),
        (SAMPLERATE + "logic,logic\n1,0\n", "lacks channels or samplerate"),
        (CHANNELS + SAMPLERATE, "lacks channels or samplerate"),
        (CHANNELS + SAMPLERATE + "\n1,0\n", "lacks channels or samplerate"),
        (CHANNELS + SAMPLERATE + "us,logic,logic\n0,1,0\n", "has no time in its first row; write it as VCD"),
        (CHANNELS + SAMPLERATE + "logic\n1\n", "has 1 columns; its header names 2 channels"),
        (CHANNELS + SAMPLERATE + "us,x,logic,logic\n1,1,1,0\n", "has 4 columns; its header names 2 channels"),
    ],
)
def test_what_sigrok_clis_tables_must_have(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(SIGROK + text)
    with pytest.raises(FormatError, match=message):
        module("sigrok_csv").read(path, ReadOptions())


@pytest.mark.parametrize("names", ["logic,logic\n", "us,logic,logic\n"])
def test_a_table_of_sigrok_cli_without_rows_is_empty(tmp_path: Path, names: str) -> None:
    _, edges = read(tmp_path / "a.csv", SIGROK + CHANNELS + SAMPLERATE + names, "sigrok_csv")
    assert (0, ("a", "b")) == (edges.samples.size, edges.channels)


def test_a_table_of_sigrok_cli_of_one_row(tmp_path: Path) -> None:
    """With and without names above it, with and without a time."""
    for text in ("1,0\n", "logic,logic\n1,0\n", "41,1,0\n", "ns,logic,logic\n41,1,0\n"):
        _, edges = read(tmp_path / "a.csv", SIGROK + CHANNELS + SAMPLERATE + text, "sigrok_csv")
        assert ([0], [1], 1) == (edges.samples.tolist(), edges.levels.tolist(), edges.end)
