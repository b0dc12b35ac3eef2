"""What a person with USB analyzers meets first, on sigrok's unmodified drivers and a modelled USB."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from commandline import gpiorig
from modelledusb import captured, plugged
from patience import wait_until

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok import analyzer
from gpiorig.capture.usb import tree
from gpiorig.rig.bench import drivers, usb_memory
from gpiorig.rig.verify import noise
from gpiorig.vbench.ends.usb_bus import UsbBus

pytestmark = pytest.mark.slow  # each starts sigrok-cli, in real time

BENCH = """
name = "M3"
[analyzers.la]
driver = "fx2lafw:conn=usb:1-3"
samplerate_hz = 24_000_000
[nodes.a]
board = "iotlab-m3"
console = "none"
lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
"""


def test_two_fresh_boards_are_found_at_the_first_try(tmp_path: Path) -> None:
    """`bench scan` names the ports that they stay at; a capture without a port names both."""
    with plugged("device model=fx2 port=3", "device model=fx2 port=4"):
        scanned = gpiorig("bench", "scan").stdout
        several = gpiorig("capture", "-d", "fx2lafw", "--samplerate", "24MHz", "-o", tmp_path / "run")

    assert 'driver = "fx2lafw:conn=usb:1-3"' in scanned
    assert "# analyzer: fx2lafw:conn=usb:1-4 - Saleae Logic" in scanned
    assert 2 == several.status
    assert "choose one: fx2lafw:conn=usb:1-3, fx2lafw:conn=usb:1-4" in several.stderr


def test_a_bench_with_a_fresh_board_is_right_at_the_first_try(tmp_path: Path) -> None:
    """`bench check --live` waits for it; it computes memory and bus, and a node without a console has no port."""
    (bench := tmp_path / "bench.toml").write_text(BENCH)
    with plugged("device model=fx2 port=3"):
        right = gpiorig("bench", "check", bench, "--live")
    with plugged("device model=fx2 port=3 firmware=loaded", usbfs_mb=4):
        wrong = gpiorig("bench", "check", bench, "--live")
        command = re.search(r"`(echo .* \| sudo tee \S+)`", wrong.stdout)
        assert command is not None
        subprocess.run(command[1].replace("sudo ", ""), shell=True, check=True, stdout=subprocess.DEVNULL)
        after = gpiorig("bench", "check", bench, "--live")

    assert 0 == right.status, right.stdout
    assert "la send 24.0 MB/s on this bus of modelled-usb; USB 2 carries 41.0 MB/s" in right.stdout
    assert "need 7.3 MB for their transfers together, and this kernel gives 16 MB" in right.stdout
    assert (1, 0) == (wrong.status, after.status)


@pytest.mark.parametrize(
    ("model", "channels", "rate_hz"),
    [("fx2", 8, 24_000_000), ("fx2-16", 16, 12_000_000), ("fx2", 8, 1_000_000)],
)
def test_transfers_are_those_of_the_driver(model: str, channels: int, rate_hz: int) -> None:
    """As many as the driver reports to submit, and as large as those that it gets."""
    arguments = ["-l", "4", "-d", "fx2lafw", "-c", f"samplerate={rate_hz}", "--time", "100", "-O", "null"]
    with plugged(f"device model={model} port=3 firmware=loaded"):
        done = subprocess.run(["sigrok-cli", *arguments], capture_output=True, text=True, check=True, timeout=20)
    described = drivers.known("fx2lafw")
    assert described is not None
    transfers = usb_memory.transfers("fx2lafw", described.channels[:channels], rate_hz)
    assert transfers is not None

    assert transfers.count == done.stderr.count("submitting transfer: ")
    assert transfers.size_bytes == max(map(int, re.findall(r"COMPLETED received (\d+) bytes", done.stderr)))


def test_an_address_becomes_its_port(tmp_path: Path) -> None:
    """A recording has the port, although a fresh board changes the address that was given."""
    with plugged("device model=fx2 port=3") as bus:
        (device,) = [device for device in tree.devices() if device.path == "1-3"]
        driver = f"fx2lafw:conn={device.bus}.{device.address}"
        result = captured(bus, tmp_path / "run", driver=driver, duration="0.3s")

    assert result.recording is not None and result.against_truth is not None
    assert "fx2lafw:conn=usb:1-3" == result.recording.info.analyzer
    assert 0 == result.against_truth.wrong


def test_an_unplugged_capture_is_resumed(tmp_path: Path) -> None:
    """With the same duration it records the rest, at the same port, with the firmware loaded again."""
    fault = "fault kind=unplug back_s=0.2 at_s=0.3"
    with plugged("device model=fx2 port=3", fault) as bus:
        fresh = tree.devices()
        first = captured(bus, tmp_path / "run", driver="fx2lafw:conn=usb:1-3", duration="7s")
        assert first.recording is not None
        until = first.recording.edges().end
        wait_until(lambda: len(tree.devices()) == 1 and tree.devices()[0].address > fresh[0].address + 1)
        resumed = gpiorig("capture", "--resume", "-o", tmp_path / "run", "--duration", "7s")
    recording = Recording.open(tmp_path / "run")
    gap_end = int(recording.edges().gaps[-1, 1])

    assert "it was unplugged" in first.recording.info.reason
    assert until < 7 * 24_000_000 == recording.edges().end
    assert (1, True) == (resumed.status, gap_end < 7 * 24_000_000)


def test_a_device_is_listed_once_sysfs_shows_it() -> None:
    """As of libusb on Linux: a program never meets an address whose port cannot be looked up."""
    bus = UsbBus(["device model=fx2 port=3 firmware=loaded"])
    with patch.dict(os.environ, bus.environment):
        listed = analyzer.scan("fx2lafw")
        (tree.root() / "bus/usb/devices/1-3").unlink()
        with pytest.raises(AnalyzerError, match="no such analyzer was found"):
            analyzer.scan("fx2lafw")
    bus.close()

    assert "fx2lafw:conn=usb:1-3" in listed.description


def test_noise_of_a_board_is_recognised(tmp_path: Path) -> None:
    """8 noisy samples in each 2048, as WeActStudio/LogicAnalyzerV1#7 has them; a board without has none."""
    places = []
    for more in ("noise_samples=8 noise_every=2048", ""):
        with plugged(f"device model=fx2 port=3 firmware=loaded {more}") as bus:
            result = captured(bus, tmp_path / f"run{len(places)}", duration="0.3s")
        assert result.recording is not None
        places.append(noise.place(result.recording.edges()))

    assert places[0] is not None
    assert (2048, None) == (places[0][0], places[1])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-c", "D0,D9", "--samplerate", "24MHz"), "channel D9; it has D0 D1 D2 D3 D4 D5 D6 D7"),
        (("--samplerate", "48MHz"), "which are 48.0 MB/s; USB 2 carries 41.0 MB/s"),
        (("-d", "fx2lafw:conn=usb:1-7", "--samplerate", "24MHz"), "nothing is plugged in at USB port 1-7; on the USB"),
        (("-d", "saleae-logic16:conn=usb:1-3", "--samplerate", "16MHz"), "which is not an analyzer of this driver"),
    ],
)
def test_what_cannot_be_leaves_no_folder(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    """It is refused before, with the rate that would be taken or the device that is there."""
    driver = () if "-d" in options else ("-d", "fx2lafw")
    with plugged("device model=fx2 port=3 firmware=loaded"):
        done = gpiorig("capture", *driver, *options, "--duration", "1s", "-o", tmp_path / "run")

    assert (2, False) == (done.status, (tmp_path / "run").exists())
    assert reason in done.stderr


def test_firmware_of_another_version(tmp_path: Path) -> None:
    """The driver opens such a board all the same."""
    with plugged("device model=fx2 port=3 firmware=loaded firmware_version=2.0"):
        done = gpiorig("capture", "-d", "fx2lafw", "--samplerate", "24MHz", "-o", tmp_path / "run")

    assert (2, False) == (done.status, (tmp_path / "run").exists())
    assert "firmware that this driver was not made for (Expected firmware version 1.x, got 2.0)" in done.stderr


@pytest.mark.deep
@pytest.mark.parametrize(
    ("model", "driver", "channels", "rate", "words"),
    [
        ("dslogic", "dreamsourcelab-dslogic", 12, "25MHz", ("--config", "continuous=on")),
        ("logic16", "saleae-logic16", 8, "32MHz", ()),
        ("logic16", "saleae-logic16", 12, "25MHz", ()),
    ],
)
def test_a_lost_transfer_of_other_analyzers(
    model: str,
    driver: str,
    channels: int,
    rate: str,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At its place by the layout of their samples; what a Logic16 with rotated channels sent is cut out."""
    described = drivers.known(driver)
    assert described is not None
    for usb in described.usb:
        for file in usb.firmware:
            (tmp_path / file).write_bytes(bytes(1024))
    monkeypatch.setenv("SIGROK_FIRMWARE_DIR", str(tmp_path))
    wanted = ",".join(map(str, range(channels)))
    with plugged(f"device model={model} port=3", "fault kind=failed at_s=0.3") as bus:
        result = captured(bus, tmp_path / "run", "-c", wanted, *words, driver=driver, rate=rate, duration="0.8s")
    assert result.recording is not None and result.against_truth is not None
    (loss,) = result.recording.info.losses
    ((start, samples),) = result.lost
    rotates = (model, channels) == ("logic16", 12)

    assert (start, 0) == (loss.start, result.against_truth.wrong)
    assert abs(loss.samples - samples) <= loss.uncertainty
    assert ("the driver mixes up the channels" in loss.found_by) == (loss.end > loss.start) == rotates


@pytest.mark.deep
def test_an_analyzer_that_stays_away(tmp_path: Path) -> None:
    """`--restart` states what it waited for."""
    with plugged("device model=fx2 port=3 firmware=loaded", "fault kind=unplug at_s=0.3") as bus:
        result = captured(bus, tmp_path / "run", "--restart", "2s", driver="fx2lafw:conn=usb:1-3", duration="20s")

    assert result.recording is not None
    reason = result.recording.info.reason
    assert "it was unplugged, and it did not come back in 2 s: nothing is plugged in at USB port 1-3" in reason
