"""What `gpiorig bench check` looks at beyond the text of a bench file."""

from __future__ import annotations

import os
import pty
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.rig.bench import benches, drivers, symbols, usb_memory
from gpiorig.rig.errors import BenchError
from gpiorig.rig.run import bench_findings, captures
from gpiorig.rig.run.bench_findings import Finding

BENCH = """
name = "two M3"
[analyzers.la]
driver = "fx2lafw:conn=1.12"
samplerate_hz = 24_000_000
[nodes.a]
board = "iotlab-m3"
serial = "/dev/ttyUSB1"
lines = { strobe = "D0", d0 = "D1", d1 = "D2", "tap.irq" = "D3" }
[nodes.b]
board = "iotlab-m3"
serial = "/dev/ttyUSB3"
lines = { strobe = "D4", d0 = "D5", d1 = "D6", "tap.irq" = "D7" }
"""


def of_text(text: str, folder: Path) -> list[Finding]:
    """The findings of a bench file in this folder."""
    return bench_findings.of_file(benches.loads(text), folder / "bench.toml")


def test_a_bench_that_can_work(tmp_path: Path) -> None:
    """Everything is right, and each analyzer and node was looked at."""
    findings = of_text(BENCH, tmp_path)

    looked_at = {"analyzers.la", *(f"nodes.{node}.{part}" for node in "ab" for part in ("lines", "symbol_ns"))}
    assert looked_at == {finding.about for finding in findings}
    assert {"right"} == {finding.verdict for finding in findings}


@pytest.mark.parametrize(
    ("old", "new", "about", "what"),
    [
        ('"D7"', '"Z0"', "analyzers.la", "has no channel Z0; it has D0, D1"),
        ("24_000_000", "24_000_001", "analyzers.la", "the nearest that it takes"),
        ('"D7"', '"D9"', "analyzers.la", "takes 12000000 Hz at most with D0, D1, D2, D3, D4, D5, D6, D9"),
        ('"D7"', '"D9"', "analyzers.la", "and boards with 8 channels have no D9"),
        ("24_000_000", "48_000_000", "analyzers.la", "which are 48.0 MB/s; USB 2 carries 41.0 MB/s"),
        ('"fx2lafw:conn=1.12"', '"saleae-logic16"', "analyzers.la", "has no channel D0"),
        (
            "[nodes.a]",
            "config = { voltage_threshold = '1.4-1.4' }\n[nodes.a]",
            "analyzers.la",
            "fx2lafw (libsigrok 0.5.2) has no option voltage_threshold in `config`; its options: none",
        ),
        ('board = "iotlab-m3"', 'board = "nucleo-l476rg"', "nodes.a.lines", "has no pin for tap.irq; it has strobe"),
        ("[nodes.b]", 'firmware = "gone.elf"\n[nodes.b]', "nodes.a.firmware", "gone.elf: No such file"),
        ("[nodes.b]", 'firmware = "notes.txt"\n[nodes.b]', "nodes.a.firmware", "notes.txt is not an ELF image"),
    ],
)
def test_what_cannot_work(old: str, new: str, about: str, what: str, tmp_path: Path) -> None:
    """Channels and rates that the driver refuses, pins that the board has not, images that are not there."""
    assert old in BENCH
    (tmp_path / "notes.txt").write_text("not an image")

    wrong = [finding for finding in of_text(BENCH.replace(old, new, 1), tmp_path) if finding.verdict == "wrong"]

    assert [about] == [finding.about for finding in wrong]
    assert what in wrong[0].what


@pytest.mark.parametrize(
    ("rate", "hold", "what"),
    [
        (
            "16_000_000",
            "",
            "125 ns are 2 samples of analyzer la, and a symbol needs 3: build its image with -DGPIORIG_HOLD_NS=188 and "
            "write `symbol_ns = 188` into [nodes.a], or sample at 24000000 Hz or more",
        ),
        (
            "24_000_000",
            "symbol_ns = 100",
            "100 ns are 2.4 samples of analyzer la, and a symbol needs 3: build its image",
        ),
        ("16_000_000", "symbol_ns = 188", ""),
        ("12_000_000", "symbol_ns = 250", ""),
        ("48_000_000", "symbol_ns = 63", ""),
        ("24_000_000", "", ""),
    ],
)
def test_a_symbol_lasts_three_samples(rate: str, hold: str, what: str, tmp_path: Path) -> None:
    """With the hold that the bench file gives; the finding names the build option and the line to write."""
    text = BENCH.replace("24_000_000", rate).replace("lines = {", f"{hold}\nlines = {{").replace("fx2lafw", "demo")
    bench = benches.loads(text)
    by_subject = {finding.about: finding for finding in of_text(text, tmp_path)}

    assert ("wrong" if what else "right") == by_subject["nodes.a.symbol_ns"].verdict
    assert what in by_subject["nodes.a.symbol_ns"].what
    if what:
        with pytest.raises(
            BenchError, match=r"^bench two M3: nodes\.a\.symbol_ns: .* Build its image with -DGPIORIG_HOLD"
        ):
            symbols.refuse_short(bench)
    else:
        symbols.refuse_short(bench)


def test_a_telosb_has_no_other_hold() -> None:
    """So the remedy is the samplerate alone."""
    text = """
name = "TelosB"
[analyzers.la]
driver = "demo"
samplerate_hz = 1_100_000
[nodes.a]
board = "telosb"
serial = "/dev/ttyUSB1"
lines = { strobe = "D0", d0 = "D1", d1 = "D2", d2 = "D3", d3 = "D4" }
"""
    assert ["sample at 1578948 Hz or more"] == [symbol.remedy for symbol in symbols.short_symbols(benches.loads(text))]


def test_options_of_the_analyzer_go_to_sigrok() -> None:
    """As it writes them, before those of the command line; each analyzer has its own."""
    text = BENCH.replace("[nodes.a]", "config = { voltage_threshold = '1.4-1.4', continuous = true }\n[nodes.a]", 1)
    source = captures.source(benches.loads(text), "la", Analyzer("fx2lafw", "FX2", tuple(f"D{n}" for n in range(8))))

    request = captures.Options(config=["captureratio=10"]).request(benches.loads(text), "la", source)

    assert ["voltage_threshold=1.4-1.4", "continuous=on", "captureratio=10"] == list(request.config)


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    """Of a driver without an entry in the table, channels and rates are neither right nor wrong."""
    findings = of_text(BENCH.replace("fx2lafw:conn=1.12", "demo"), tmp_path)

    assert ["unknown"] == [finding.verdict for finding in findings if finding.about == "analyzers.la"]


def test_several_analyzers_need_the_sync_line(tmp_path: Path) -> None:
    """A run refuses such a bench, and the check reports it before."""
    two = BENCH.replace(
        "[nodes.a]", 'sync = "D8"\n[analyzers.lb]\ndriver = "demo"\nsamplerate_hz = 24_000_000\n[nodes.a]'
    )
    bench = two.replace('"D', '"la:D').replace('sync = "la:', 'sync = "')

    wrong = [finding for finding in of_text(bench, tmp_path) if finding.verdict == "wrong"]

    assert ["analyzers.la", "analyzers.lb"] == [finding.about for finding in wrong]  # the first: D8 at 24 MHz
    assert "has no `sync`" in wrong[1].what


def test_a_port_has_one_node(tmp_path: Path) -> None:
    """By its name or by a link to it, as those in /dev/serial/by-id are."""
    port, link = tmp_path / "ttyUSB1", tmp_path / "by-id"
    port.touch()
    link.symlink_to(port)

    for a, b in ((port, port), (port, link)):
        with pytest.raises(BenchError, match=r"nodes\.a and nodes\.b have the same `serial`"):
            benches.loads(BENCH.replace("/dev/ttyUSB1", str(a)).replace("/dev/ttyUSB3", str(b)))


@pytest.mark.parametrize(
    ("driver", "channels", "rate_hz", "takes"),
    [
        ("saleae-logic16", 9, 32_000_000, True),
        ("saleae-logic16", 10, 32_000_000, False),
        ("saleae-logic16", 16, 16_000_000, True),
        ("saleae-logic16", 3, 100_000_000, True),
        ("saleae-logic16", 4, 100_000_000, False),
        ("fx2lafw", 8, 24_000_000, True),
        ("fx2lafw", 1, 48_000_000, False),
        ("fx2lafw", 9, 24_000_000, False),
        ("fx2lafw", 16, 12_000_000, True),
        ("beaglelogic", 14, 100_000_000, True),
        ("beaglelogic", 14, 100_000_001, False),
        ("dreamsourcelab-dslogic", 12, 25_000_000, True),
        ("dreamsourcelab-dslogic", 13, 25_000_000, False),
    ],
)
def test_rates_of_many_channels(driver: str, channels: int, rate_hz: int, takes: bool) -> None:
    """The limits that hardware-bom.md names."""
    known = drivers.known(driver)
    assert known is not None

    assert takes == (known.refusal(known.channels[:channels], rate_hz) is None)


@pytest.mark.parametrize("name", drivers.names())
def test_the_table_of_analyzers(name: str) -> None:
    """What each file states fits together: needed options exist, limits leave a rate, USB ids have their form."""
    driver = drivers.known(f"{name}:conn=1.12")
    assert driver is not None

    assert len(set(driver.channels)) == len(driver.channels)
    assert list(driver.rates_hz) == sorted(set(driver.rates_hz))
    assert driver.needs.keys() <= driver.options.keys()
    assert driver.max_rate_hz(driver.channels) in driver.rates
    assert driver.usb or driver.connection
    for usb in driver.usb:
        assert re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", usb.id)
        assert (name, usb) == drivers.of_usb(["1d6b:0002", usb.id])[usb.id]


def test_an_analyzer_that_needs_an_option_or_has_no_end(tmp_path: Path) -> None:
    """A DSLogic streams only when asked; a Pico is for recordings of a known length, from its first channel on."""
    dslogic = BENCH.replace('"D', '"').replace("24_", "25_").replace("fx2lafw:conn=1.12", "dreamsourcelab-dslogic")
    streams = dslogic.replace("[nodes.a]", "config = { continuous = true }\n[nodes.a]")
    pico = BENCH.replace("24_", "20_").replace("fx2lafw:conn=1.12", "raspberrypi-pico:conn=/dev/ttyACM0")

    def wrong(text: str) -> list[str]:
        return [finding.what for finding in of_text(text, tmp_path) if finding.about == "analyzers.la"]

    assert wrong(dslogic)[0].endswith("ends when its memory is full; write `config = { continuous = true }`")
    assert "takes its channels at 25000000 Hz" in wrong(streams)[0]
    hole, endless = wrong(pico.replace('"D0"', '"D8"').replace('"D1"', '"D10"'))
    assert hole.endswith("use D2, D3, D4, D5, D6, D7, D8, D9")
    assert "does not sample without an end" in endless


@pytest.mark.parametrize(
    ("driver", "channels", "rate_hz", "count", "size_bytes", "held_ms"),
    [
        ("fx2lafw", 8, 24_000_000, 32, 240_128, 320),
        ("fx2lafw", 16, 12_000_000, 32, 120_320, 160),
        ("fx2lafw:conn=usb:1-3", 8, 1_000_000, 32, 10_240, 328),
        ("dreamsourcelab-dslogic", 16, 20_000_000, 10, 401_408, 100),
        ("dreamsourcelab-dslogic", 12, 25_000_000, 10, 380_928, 102),
        ("saleae-logic16", 16, 16_000_000, 32, 320_000, 320),
        ("saleae-logic16", 12, 25_000_000, 32, 375_296, 320),
    ],
)
def test_transfers_of_the_drivers(
    driver: str, channels: int, rate_hz: int, count: int, size_bytes: int, held_ms: int
) -> None:
    """By hand from the drivers' get_buffer_size and get_number_of_transfers; the FX2's also from runs of the driver."""
    known = drivers.known(driver)
    assert known is not None
    transfers = usb_memory.transfers(driver, known.channels[:channels], rate_hz)
    assert transfers is not None

    assert (count, size_bytes, held_ms) == (transfers.count, transfers.size_bytes, round(transfers.held_s * 1000))


def test_what_is_not_known_of_transfers() -> None:
    """Of other drivers nothing is computed."""
    assert None is usb_memory.transfers("demo", ["D0"], 1_000_000)


def test_usb_memory_of_a_bench(tmp_path: Path) -> None:
    """Beyond Linux's 16 MB for all devices together the check names the command; one FX2 takes 7.3 of them."""
    recipe = Path(str(files("gpiorig.rig"))) / "benches"

    def memory(text: str) -> list[str]:
        return [finding.what for finding in of_text(text, tmp_path) if finding.about == "USB memory"]

    assert [] == memory(BENCH)
    (what,) = memory((recipe / "logic16-21-m3.toml").read_text())
    assert "need 68.4 MB for their transfers together" in what
    assert "`echo 96 | sudo tee /sys/module/usbcore/parameters/usbfs_memory_mb`" in what


@pytest.fixture
def ports() -> Iterator[list[str]]:
    """Two serial ports."""
    ends = [pty.openpty() for _ in range(2)]
    yield [os.ttyname(node) for _, node in ends]
    for end in ends:
        for descriptor in end:
            os.close(descriptor)


def test_live(ports: list[str]) -> None:
    """Each analyzer is asked and each port opened; all that is wrong is found, not the first fault only."""
    bench = BENCH.replace("fx2lafw:conn=1.12", "demo").replace("/dev/ttyUSB1", ports[0])
    there = benches.loads(bench.replace("/dev/ttyUSB3", ports[1]))
    absent = benches.loads(bench.replace('"demo"', '"beaglelogic:conn=tcp-raw/127.0.0.1/1"').replace('"D7"', '"Z0"'))
    lacking = benches.loads(bench.replace('"D7"', '"Z0"').replace("/dev/ttyUSB3", ports[1]))

    assert ["right"] * 3 == [finding.verdict for finding in bench_findings.live(there)]
    analyzer, first, second = bench_findings.live(absent)
    assert ("wrong", "right", "wrong") == (analyzer.verdict, first.verdict, second.verdict)
    assert "nothing answers at this address" in analyzer.what
    assert "/dev/ttyUSB3: there is no such port" in second.what
    assert "there is no channel Z0" in bench_findings.live(lacking)[0].what


def test_a_node_without_a_console_has_no_port(ports: list[str]) -> None:
    """Nothing is opened for it, and nothing is wrong with it."""
    text = BENCH.replace("fx2lafw:conn=1.12", "demo").replace("/dev/ttyUSB1", ports[0])
    silent = text.replace('serial = "/dev/ttyUSB3"', 'console = "none"')

    findings = bench_findings.live(benches.loads(silent))

    assert [("analyzers.la", "right"), ("nodes.a.serial", "right")] == [(item.about, item.verdict) for item in findings]


def test_a_run_refuses_what_the_driver_would_not_take() -> None:
    """Before there is a folder: with the reason that `bench check` gives."""
    bench = benches.loads(BENCH.replace("24_000_000", "48_000_000").replace("[nodes.a]", "[nodes.a]\nsymbol_ns = 63"))

    def listed(driver: str) -> Analyzer:
        return Analyzer(driver, "FX2", tuple(f"D{number}" for number in range(8)))

    with pytest.raises(BenchError, match=r"analyzers\.la: fx2lafw \(libsigrok 0\.5\.2\) takes 24000000 Hz at most"):
        captures.sources(bench, {"la": "fx2lafw"}, listed)
