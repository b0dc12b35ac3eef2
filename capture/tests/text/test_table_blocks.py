"""Text tables at the limits of their reader: calls and blocks of any size, the finest and the farthest times."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import RateOrigin, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import module
from gpiorig.capture.text import table, table_parser, writer
from gpiorig.capture.text.table_order import group_column, groups_of
from gpiorig.capture.text.table_parser import GROUP, IGNORED, TIME, Layout, TableParser


def read(path: Path, text: str, name: str = "csv", **options: object) -> tuple[Waveform, Edges]:
    path.write_text(text)
    waveform = module(name).read(path, ReadOptions(**options))  # type: ignore[arg-type]
    return waveform, waveform.edges()


def refused(path: Path, text: str, **options: object) -> str:
    with pytest.raises(FormatError) as error:
        read(path, text, **options)
    return str(error.value)


SHORT = (
    "t,A\n" + "".join(f"{at},\n" for at in range(10)) + "9,1\n"
)  # rows of three bytes: more than a call has room for


@pytest.mark.parametrize("block_bytes", [12, 30, 1 << 20])
def test_more_rows_than_a_call_has_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    """Rows, slices, what follows the last row and the line of an error are found in each of the calls."""
    monkeypatch.setitem(TableParser.__init__.__kwdefaults__, "block_bytes", block_bytes)
    path = tmp_path / "a.csv"
    _, edges = read(path, SHORT)
    assert ([0, 9], [0, 1], 10) == (edges.samples.tolist(), edges.levels.tolist(), edges.end)

    waveform, edges = read(path, SHORT + "5,1\n6,0\n12,\n")
    assert ([0, 5, 6, 9], [0, 1, 0, 1], 12) == (edges.samples.tolist(), edges.levels.tolist(), edges.end)
    assert "2 slices" in waveform.source

    waveform, edges = read(path, SHORT + "End of data,,\n")
    assert 10 == edges.end
    assert ["line 13 and what follows are not rows, but the end: End of data"] == waveform.remarks
    waveform, _ = read(path, SHORT + ",,\n")
    assert ["line 13 and what follows are not rows, but the end: empty fields"] == waveform.remarks

    assert "a.csv, line 13: a level is not 0, 1, x" in refused(path, SHORT + "10,7\n11,0\n")


@pytest.mark.parametrize(("unit", "digits"), [("ms", 13), ("us", 16), ("ns", 19)])
def test_dates_in_another_unit_than_seconds(tmp_path: Path, unit: str, digits: int) -> None:
    """The error names the unit, with which the same table is read; also behind many other rows."""
    path = tmp_path / "a.csv"
    first = "16" + "0" * (digits - 2)
    for before in ("t,A\n", SHORT):
        text = f"{before}{first},0\n{first[:-1]}5,1\n"
        message = refused(path, text)
        assert f"they are in {unit}: add unit={unit} to --columns" in message
    _, edges = read(path, f"t,A\n{first},0\n{first[:-1]}5,1\n", columns={"unit": unit})
    assert 5 * edges.samplerate_hz / {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit] == edges.samples[1]
    assert "give the rate of the capture" in refused(path, "t,A\n1" + "0" * 14 + ",0\n")
    assert "add unit" not in refused(path, f"t,A\n{first}000000,0\n", columns={"unit": "us"})


@pytest.mark.parametrize("excess", [0, 1])
def test_the_longest_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    """A line that goes on in the next block counts as far as it was read."""
    monkeypatch.setattr(table_parser, "MAX_LINE_BYTES", 40)
    monkeypatch.setitem(TableParser.__init__.__kwdefaults__, "block_bytes", 40 + excess)
    path = tmp_path / "a.csv"
    text = "t,A\n" + "0" * 40 + "1,0\n2,1\n"
    if excess:
        assert "has a line of more than 40 bytes; is it a table?" in refused(path, text)
    else:
        assert [1, 2] == read(path, text)[1].samples.tolist()


@pytest.mark.parametrize("excess", [0, 1])
def test_the_longest_end_that_is_not_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    monkeypatch.setattr(table_parser, "CLOSING_BYTES", 9)
    text = "t,A\n1,0\n2,1\n" + "," * (8 + excess) + "\n"
    if excess:
        assert "line 4: a time is neither" in refused(tmp_path / "a.csv", text)
    else:
        assert [1, 2] == read(tmp_path / "a.csv", text)[1].samples.tolist()


def test_a_table_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 1 << 15)
    _, edges = read(tmp_path / "a.csv", "t,A\n" + "".join(f"{at},{at & 1}\n" for at in range(6000)))
    assert list(range(6000)) == edges.samples.tolist()


SAMPLES = [0, 1, 40_003, 80_005, 2_400_001]


@pytest.mark.parametrize(("unit", "digits"), [("us", 7), ("ms", 10), ("s", 13), ("ns", 4)])
@pytest.mark.parametrize("origin", [0, 8_999, 9_000, 90_000])
def test_the_samplerate_of_times_in_any_unit(tmp_path: Path, unit: str, digits: int, origin: int) -> None:
    """24 MHz are found in times with 13 digits of seconds; also hours later, where fewer digits fit."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    times = [(Fraction(sample, 24_000_000) + origin) * per_second * 10**digits for sample in SAMPLES]
    lines = [f"{writer.decimal(writer.nearest(time), digits)},{at & 1}" for at, time in enumerate(times)]
    waveform, edges = read(tmp_path / "a.csv", f"time [{unit}],A\n" + "\n".join(lines) + "\n")

    assert (24_000_000, RateOrigin.DERIVED) == (waveform.samplerate_hz, waveform.rate_origin)
    assert [origin * 24_000_000 + sample for sample in SAMPLES] == edges.samples.tolist()


@pytest.mark.parametrize(
    ("times", "remarks"),
    [
        (["0.000000000", "0.000012345"], []),
        (["0.0000000000", "0.0000123457"], ["give the rate"]),
        (["0.00000000000000000", "0.00001234570000001"], ["digits beyond are dropped"]),
    ],
)
def test_what_is_said_of_times_on_no_usual_rate(tmp_path: Path, times: list[str], remarks: list[str]) -> None:
    waveform, edges = read(tmp_path / "a.csv", "time,A\n" + "".join(f"{at},{n}\n" for n, at in enumerate(times)))

    assert len(remarks) == len(waveform.remarks)
    assert all(remark in text for remark, text in zip(remarks, waveform.remarks, strict=True))
    assert ("digits beyond" in remarks[0]) == ("digits beyond" in waveform.remarks[0]) if remarks else True
    assert RateOrigin.TIMES is waveform.rate_origin
    assert 10 ** min(len(times[0]) - 2, 15) == edges.samplerate_hz


def test_where_a_samplerate_is_from(tmp_path: Path) -> None:
    """The note of our own writer, an option, the times."""
    note = "# gpiorig: samplerate 24000000/1 Hz, epoch \n"
    text = "Time [s],A\n0.0,0\n0.5,1\n"
    assert RateOrigin.FILE is read(tmp_path / "a.csv", note + text)[0].rate_origin
    rate = Fraction(1000)
    assert RateOrigin.OPTION is read(tmp_path / "a.csv", note + text, samplerate_hz=rate)[0].rate_origin
    assert RateOrigin.OPTION is read(tmp_path / "a.csv", text, samplerate_hz=rate)[0].rate_origin
    assert RateOrigin.TIMES is read(tmp_path / "a.csv", text)[0].rate_origin


@pytest.mark.parametrize(("end", "open_ended"), [("X", False), ("1", True)])
def test_a_table_ends_at_its_last_row_where_that_is_unknown(tmp_path: Path, end: str, open_ended: bool) -> None:
    assert open_ended == read(tmp_path / "a.csv", f"t,A\n0,0\n1,1\n2,{end}\n")[0].open_ended
    group = read(tmp_path / "a.csv", "t,g,A\n0,5,0\n1,5,1\n", columns={"group": "g"})[0]
    assert (False, []) == (group.open_ended, group.remarks), "one group alone has no gap"


def test_a_channel_that_was_off_before_the_others(tmp_path: Path) -> None:
    """The first column is X throughout; also where the channels are named by the reader."""
    text = "{}-0.5,X,1,0\n0.125,X,0,0\n0.2,X,0,1\n"
    waveform, edges = read(tmp_path / "a.csv", text.format("Time [s],Off,A,B\n"), "csv")
    assert (("A", "B"), [1, 0, 2]) == (waveform.channels, edges.levels.tolist())
    waveform, edges = read(tmp_path / "a.csv", text.format(""), "csv", channels=("x", "y", "z"))
    assert (("y", "z"), [1, 0, 2]) == (waveform.channels, edges.levels.tolist())


def test_channels_that_rows_name_are_chosen(tmp_path: Path) -> None:
    text = "time,pin,level\n0,A,1\n1,B,1\n2,AB,1\n3,A,0\n"
    waveform, edges = read(tmp_path / "a.csv", text, channels=("A*",))
    assert (("A", "AB"), [1, 3, 2]) == (waveform.channels, edges.levels.tolist()[-3:])


def test_flocklab_on_the_samples_of_a_rate(tmp_path: Path) -> None:
    """Since 1970 with 7 digits, on samples of 1 MHz: the first edge and the burst at the end are where they are."""
    rows = ["1600000001.0000200,7,A,1", "1600000002.0000210,7,A,0", "1600000003.5,7,A,1", "1600000003.5,7,A,0"]
    text = "# timestamp,node_id,pin_name,value\n" + "\n".join(rows) + "\n"
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio", samplerate_hz=Fraction(1_000_000))

    assert [20, 1_000_021] == edges.channel("7.A")[0].tolist()
    assert "2020-09-13T12:26:41+00:00" == waveform.epoch
    assert ["node 7 ends with 2 rows of one time, back and forth: its end, omitted"] == waveform.remarks


@pytest.mark.parametrize("block_bytes", [16, 40, 64, 1 << 20])
def test_the_burst_at_the_end_is_counted_over_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    """Of each pin its first level, and how many rows share its last time, wherever blocks are cut."""
    monkeypatch.setitem(TableParser.__init__.__kwdefaults__, "block_bytes", block_bytes)
    rows = [(1, "A", 0), (1, "A", 1), (2, "B", 1), (3, "A", 0), (3, "B", 0), (3, "A", 1), (3, "A", 0), (3, "B", 1)]
    text = "timestamp,node_id,pin_name,value\n" + "".join(f"{t}.0,1,{pin},{value}\n" for t, pin, value in rows)
    waveform, edges = read(tmp_path / "a.csv", text, "flocklab_gpio")

    assert "node 1 ends with 5 rows of one time, back and forth: its end, omitted" in waveform.remarks
    assert (1, 1) == (edges.initial_level("1.A"), edges.initial_level("1.B"))


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        (["0,1", "5,1", "5,1", "0,2", "5,2"], 1),
        (["0,1", "5,1", "0,1", "5,2"], None),
        (["0,1", "5,1", "7,1"], None),
        (["0,a", "5,a", "0,b", "5,b"], None),
        (["0,1", "5", "0,2", "5,2"], None),
        (["0,-1", "5,-1", "0,-2", "5,-2"], 1),
        (["2024-01-01T00:00:05,1", "2024-01-01T00:00:05,1", "2024-01-01T00:00:00,2"], 1),
    ],
)
def test_the_column_of_groups_changes_wherever_times_go_back(rows: list[str], place: int | None) -> None:
    """Equal times do not go back; a group is an integer in each of the rows."""
    assert place == group_column([row.split(",") for row in rows], 0, [1])


def test_groups_are_looked_for_in_columns_that_are_not_in_use(tmp_path: Path) -> None:
    """Comments and empty lines are not rows; where groups are named already, there are no others."""
    path = tmp_path / "a.csv"
    path.write_text("0,1,7\n#x,y,z\n5,1,7\n\n0,0,8\n5,1,8\n")
    assert 2 == groups_of(path, Layout(roles=(TIME, 0), channels=("a",), comment="#", columns=3))
    assert 2 == groups_of(path, Layout(roles=(TIME, 0, IGNORED), channels=("a",), comment="#"))
    assert None is groups_of(path, Layout(roles=(TIME, 0, GROUP), channels=("a",), comment="#"))
    assert None is groups_of(path, Layout(roles=(0, 1), channels=("a", "b"), comment="#", columns=3))


def test_numbers_are_written_and_rounded_plainly() -> None:
    """Halves up, every digit, a sign only of what is negative."""
    for number in range(-7, 8):
        for under in (1, 2, 3, 4):
            value = Fraction(number, under)
            assert (value + Fraction(1, 2)) // 1 == writer.nearest(value)
            assert (3 * value + Fraction(1, 4) + Fraction(1, 2)) // 1 == writer.scaler(value, Fraction(1, 4))(3)
    for value, text in ((0, "0.00"), (-1, "-0.01"), (-100, "-1.00"), (12345, "123.45")):
        assert text == writer.decimal(value, 2)
    assert ("0", "-3") == (writer.decimal(0, 0), writer.decimal(-3, 0))
    for epoch, instant in (("1970-01-01T00:00:02.25+00:00", Fraction(9, 4)), ("1970-01-01T00:00:02", 2), ("", 0)):
        assert instant == writer.epoch_fraction(epoch)
    for rate, digits, exact in ((1, 0, True), (8, 3, True), (24_000_000, 10, False), (3, 3, False)):
        assert (digits, exact) == writer.digits_for(Fraction(rate))
