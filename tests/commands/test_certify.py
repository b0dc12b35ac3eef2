"""`gpiorig bench certify` on virtual benches with errors in their bench files: each is named, with its size."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commandline import gpiorig
from depth import DEEP

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.provenance import VIRTUAL

pytestmark = pytest.mark.xdist_group("certify")
deep = pytest.mark.skipif(not DEEP, reason="takes a minute each: make test-deep")

CHANNELS = (45, 46, 43, 44, 41, 42, 39, 40, 27, 29, 28, 30, 21, 20)  # of a BeagleLogic: P8_45 and so on
DATA_LINES = {
    "iotlab-m3": 2,
    "nrf52840dk": 2,
    "nucleo-l476rg-at86rf231": 2,
    "nucleo-l476rg-mrf24j40": 2,
    "telosb": 4,
}
TAPS = {
    "nrf52840dk": ("tap.tx_active", "tap.frame_timestamp"),
    "nucleo-l476rg-mrf24j40": ("tap.irq", "tap.select"),
}
# Of an MRF24J40 from its interrupt for a frame to the sender's for the acknowledgement: aTurnaroundTime of 12 symbols,
# 11 bytes (IEEE 802.15.4-2006, 6.4.1, 7.2.2.3), half of the 14.2 us that two receivers take (docs/evidence/silicon.md).
ACKNOWLEDGED_US = 12 * 16 + 11 * 32 + 14.2 / 2


def node(name: str, board: str = "iotlab-m3", *, at: int = 0) -> str:
    """A node with its symbol bus and the radio's taps, on the channels from `at` on."""
    taps = TAPS.get(board, ("tap.irq", "tap.frame_timestamp"))
    lines = ["strobe", *(f"d{number}" for number in range(DATA_LINES[board])), *taps]
    wired = [f'"{line}" = "P8_{channel}"' for line, channel in zip(lines, CHANNELS[at:], strict=False)]
    return "\n".join([f'[nodes.{name}]\nboard = "{board}"\n[nodes.{name}.lines]', *wired, ""])


INITIATOR, RESPONDER = node("initiator"), node("responder", at=7)
HEAD = 'name = "certified"\n[analyzers.la]\nsamplerate_hz = 24_000_000\n'
LINK = '[[virtual.links]]\nfrom = "initiator"\nto = "responder"\n'


def certified(
    folder: Path, virtual: str, *words: str, nodes: str = INITIATOR, duration: str = "1s"
) -> tuple[int, dict[str, Any]]:
    """Exit status and results of a bench with such a `[virtual]` section."""
    bench = folder / "bench.toml"
    bench.write_text(f"{HEAD}{nodes}\n[virtual]\n{virtual}\n")
    run = gpiorig("bench", "certify", bench, "-o", folder / "out", "--json", "--duration", duration, *words)
    assert run.status in (0, 1), run.stderr
    return run.status, run.numbers


def test_a_clock_and_a_threshold_are_named_with_their_sizes(tmp_path: Path) -> None:
    """Nothing else differs; page, fragment, archive are there, and the recording in it is read."""
    planted = (
        "[virtual.nodes.initiator]\nclock_ppb = 200_000\n[virtual.analyzers.la.thresholds]\nP8_45 = {rise_ps=300_000}"
    )

    status, numbers = certified(tmp_path, planted, "--part", "lines")

    assert 1 == status
    clock, threshold = numbers["causes"]
    assert "virtual.nodes.initiator.clock_ppb" == clock["name"]
    assert 200 == pytest.approx(clock["value"], abs=clock["uncertainty"])
    assert ("virtual.analyzers.la.thresholds", "initiator.strobe") == (threshold["name"], threshold["about"])
    assert 300 == pytest.approx(threshold["value"], abs=threshold["uncertainty"])
    assert max(clock["uncertainty"], threshold["uncertainty"]) < 15
    fitted = re.search(r"\[virtual\.nodes\.initiator\].*\nclock_ppb = (\d+)", Path(numbers["fragment"]).read_text())
    assert fitted is not None
    assert 200_000 == pytest.approx(int(fitted[1]), abs=1e3 * clock["uncertainty"])
    page = Path(numbers["page"]).read_text()
    assert "differs" in page and VIRTUAL in page
    with zipfile.ZipFile(numbers["archive"]) as archive:
        archive.extractall(tmp_path / "sent")
    assert "complete" == Recording.open(tmp_path / "sent" / "out" / "rows").info.state
    assert {"certify.json", "bench.toml", "twin.toml", "virtual.toml"} <= {
        path.name for path in (tmp_path / "sent" / "out").iterdir()
    }


def test_a_board_with_another_image_shows_no_row(tmp_path: Path) -> None:
    """A lead that is off: each row states why it was not measured, and none differs."""
    fault = '[[virtual.faults]]\nkind = "stuck"\nchannel = "P8_45"\nlevel = 0'

    status, numbers = certified(tmp_path, fault, "--part", "lines")

    rows = [row for row in numbers["rows"] if row["about"] == "initiator"]
    assert (0, {"not measured"}) == (status, {row["verdict"] for row in rows})
    assert all("no code of a row on P8_45" in row["reason"] for row in rows)


def test_the_radio_is_started_by_its_line_too(tmp_path: Path) -> None:
    """Where SLP_TR is wired: tTR10 of 16 us, 6 bytes up to the length (802.15.4, 6.3), tIRQ of 9 us (Atmel 8111C)."""
    nodes = f'{INITIATOR}"tap.slp_tr" = "P8_42"\n{RESPONDER}'

    status, numbers = certified(tmp_path, "", "--part", "radio", "--packets", "20", nodes=nodes)

    (start,) = (row for row in numbers["rows"] if row["row"] == "radio.start")
    assert (0, "initiator > responder", "agrees") == (status, start["about"], start["verdict"])
    assert 16 + 6 * 32 + 9 == pytest.approx(start["measured"]["value"], abs=0.2)  # edges of two radios' clocks
    assert {"train.toml", "train", "train-twin"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_a_radio_that_shows_no_start_of_frame(tmp_path: Path) -> None:
    """An MRF24J40 has rows by its interrupts, without its ticks; an acknowledgement 5 us late is seen in one."""
    nodes = node("initiator", "nucleo-l476rg-mrf24j40") + node("responder", "nucleo-l476rg-mrf24j40", at=7)
    late = '[[virtual.links]]\nfrom = "responder"\nto = "initiator"\ndelay_ps = 5_000_000'

    status, numbers = certified(tmp_path, late, "--part", "radio", "--packets", "40", nodes=nodes)

    rows = {(row["about"], row["row"]): row for row in numbers["rows"]}
    assert 1 == status
    assert {("initiator > responder", "radio.acknowledged"), ("responder > initiator", "radio.sent")} == {
        place for place, row in rows.items() if row["verdict"] == "differs"
    }
    for place in ("initiator > responder", "responder > initiator"):
        row = rows[place, "radio.acknowledged"]
        expected_us = ACKNOWLEDGED_US + 5 * (place == "initiator > responder")
        crystal_us = 0.05  # what both radios do begins at an edge of 20 MHz
        assert ACKNOWLEDGED_US == pytest.approx(row["model"]["value"], abs=row["model"]["uncertainty"] + crystal_us)
        assert expected_us == pytest.approx(row["measured"]["value"], abs=row["measured"]["uncertainty"] + crystal_us)


def test_one_image_is_not_two(tmp_path: Path) -> None:
    """--no-flash on boards needs the part whose image they hold; then nothing was begun."""
    bench = tmp_path / "bench.toml"
    wired = INITIATOR.replace('board = "iotlab-m3"', 'board = "iotlab-m3"\nserial = "/dev/ttyUSB0"')
    bench.write_text(f'{HEAD}driver = "fx2lafw"\n{wired}'.replace("P8_4", "D"))

    run = gpiorig("bench", "certify", bench, "-o", tmp_path / "out", "--no-flash")

    assert 2 == run.status
    assert "add --part lines, or --part radio" in run.stderr
    assert not (tmp_path / "out").exists()


SETTINGS = {
    "load": 2,
    "multiply_accumulate": 2,
    "special_register": 2,
    "exception_entry": 14,
    "tail_chain": 8,
    "unaligned": 2,
    "dma_hold": 0,
    "dma_transfer": 6,
}


@deep
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_the_model_is_named_with_its_value(tmp_path: Path, name: str) -> None:
    """The one that was planted, alone; with it in the bench file of the twin no row differs."""
    status, numbers = certified(tmp_path, f"[virtual.timing]\n{name} = {SETTINGS[name]}", "--part", "lines")

    assert 1 == status
    assert [(f"virtual.timing.{name}", SETTINGS[name])] == [
        (cause["name"], cause["value"]) for cause in numbers["causes"]
    ]
    residuals = numbers["fits"]["initiator"]["residuals"]
    assert all(abs(row["difference"]) <= row["uncertainty"] for row in residuals)
    assert f"[virtual.nodes.initiator.timing]\n{name} = {SETTINGS[name]}\n" in Path(numbers["fragment"]).read_text()


@deep
def test_three_settings_at_once_are_named(tmp_path: Path) -> None:
    """None hides another."""
    planted = {"store_indexed": 2, "special_register": 2, "load": 2}
    text = "\n".join(f"{name} = {value}" for name, value in planted.items())

    _, numbers = certified(tmp_path, f"[virtual.timing]\n{text}", "--part", "lines")

    assert planted == numbers["fits"]["initiator"]["settings"]


@deep
def test_an_analyzers_rate_is_not_a_clock_of_each_board(tmp_path: Path) -> None:
    """All clocks are off alike: one cause, which has the analyzer's name."""
    planted = "[virtual.analyzers.la]\nclock_ppb = 300_000"

    _, numbers = certified(tmp_path, planted, "--part", "lines", nodes=INITIATOR + RESPONDER)

    (cause,) = numbers["causes"]
    assert ("virtual.analyzers.la.clock_ppb", "la") == (cause["name"], cause["about"])
    assert 300 == pytest.approx(cause["value"], abs=cause["uncertainty"])


@deep
@pytest.mark.parametrize(
    ("planted", "row", "size_us"),
    [
        ("delay_ps = 500_000", "radio.end", 0.5),
        ('jitter = "uniform"\njitter_ps = 4_000_000', "radio.end.spread", 4 / 12**0.5),
    ],
)
def test_an_error_of_the_air_is_seen_in_a_row_of_the_radio(
    tmp_path: Path, planted: str, row: str, size_us: float
) -> None:
    """An acknowledgement that comes later, or at random: of the frames whose sender waits for it."""
    _, numbers = certified(
        tmp_path, f"{LINK}{planted}", "--part", "radio", "--packets", "200", nodes=INITIATOR + RESPONDER
    )

    cause = next(cause for cause in numbers["causes"] if cause["name"] == row)
    assert "responder > initiator" == cause["about"]
    assert size_us == pytest.approx(cause["value"], abs=cause["uncertainty"])


@deep
@pytest.mark.parametrize("board", DATA_LINES)
def test_nothing_differs_on_an_unaltered_bench(tmp_path: Path, board: str) -> None:
    """Two boards, lines and radio: each row of both agrees with the twin's."""
    nodes = node("initiator", board) + node("responder", board, at=7)
    seconds = "8s" if board == "telosb" else "1s"  # rounds of 2.5 s

    status, numbers = certified(tmp_path, "seed = 7", "--packets", "200", nodes=nodes, duration=seconds)

    assert [] == [row for row in numbers["rows"] if row["verdict"] == "differs"]
    assert (0, []) == (status, numbers["causes"])
    of_radio = "radio.sent" if board == "nucleo-l476rg-mrf24j40" else "radio.air"
    assert any(row["row"] == of_radio and row["verdict"] == "agrees" for row in numbers["rows"])
