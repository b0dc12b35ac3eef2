"""Unmodified drivers of libsigrok on the modelled USB bus: every sample against the truth, each fault once."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from patience import wait_until

from usbbus import LIBRARY, Bus, Entry, counter, edges_of, expected_edges

HALF_PERIOD_NS = 50_000
SIGNAL = f"half_period_ns={HALF_PERIOD_NS}"
# A FIFO that keeps what a busy machine fetches late; an FX2's holds 85 us.
PATIENT = f"fifo_bytes=1e9 {SIGNAL}"
FX2 = f"device model=fx2 firmware=loaded {PATIENT}"
FX2_AT_24_MHZ = ("-d", "fx2lafw", "-c", "samplerate=24m")
STREAM = ("-c", "samplerate=25m:continuous=on")
TWELVE = ",".join(map(str, range(12)))
DSLOGIC_FILES = ("dreamsourcelab-dslogic-plus-fx2.fw", "dreamsourcelab-dslogic-plus-fpga.fw")
LOGIC16_FILES = ("saleae-logic16-fx2.fw", "saleae-logic16-fpga-18.bitstream", "saleae-logic16-fpga-33.bitstream")
IMPORTERS = ("sigrok", "ftdi1", "jaylink")


def hold(bus: Bus, samples: np.ndarray) -> Entry:
    """Hold the samples of the first start against the truth; returns its end."""
    start, end = bus.truth("start")[0], bus.truth("end")[0]
    times_ns, levels = counter(start, half_period_ns=HALF_PERIOD_NS, samples=end["sample"])
    places, expected = expected_edges(start, times_ns, levels, samples=samples.size, losses=bus.truth("lost"))
    seen, seen_levels = edges_of(samples)
    assert places.size > 100
    assert places.tolist() == seen.tolist()
    assert expected.tolist() == seen_levels.tolist()
    return end


def test_fresh_board(tmp_path: Path) -> None:
    """A scan loads the firmware; the board leaves the bus and is back at another address; every sample holds."""
    bus = Bus(tmp_path / "usb", f"device model=fx2 port=1.3 renumerate_s=0.3 ppm=37 {PATIENT}")
    before = bus.devices()[0]
    assert ("none", "1") == (before["firmware"], before["present"])
    assert "Saleae Logic with 8 channels" in bus.sigrok("-d", "fx2lafw", "--scan").stdout
    during = bus.devices()[0]
    assert ("loaded", "0", "1.3") == (during["firmware"], during["present"], during["port"])
    time.sleep(0.3)
    after = bus.devices()[0]
    assert "1" == after["present"]
    assert after["address"] != before["address"]
    samples, _ = bus.capture(*FX2_AT_24_MHZ, "--time", "1000")
    assert 24_000_000 == samples.size
    assert "closed" == hold(bus, samples).keys["kind"]


@pytest.mark.parametrize(
    ("device", "arguments", "files", "rate_hz"),
    [
        ("fx2-16 ppm=-80", ("fx2lafw", "-c", "samplerate=12m"), (), 12_000_000),
        ("dslogic", ("dreamsourcelab-dslogic", *STREAM, "-C", TWELVE), DSLOGIC_FILES, 25_000_000),
        ("logic16", ("saleae-logic16", "-c", "samplerate=25m", "-C", TWELVE), LOGIC16_FILES, 25_000_000),
    ],
    ids=["fx2-16", "dslogic", "logic16"],
)
def test_models(tmp_path: Path, device: str, arguments: tuple[str, ...], files: tuple[str, ...], rate_hz: int) -> None:
    """The other analyzers, fresh, at the most that they stream: drivers load firmware and wait."""
    bus = Bus(tmp_path / "usb", f"device model={device} renumerate_s=0.2 {PATIENT}")
    bus.firmware(*files)
    samples, messages = bus.capture("-d", *arguments, "--time", "400", unit=2)
    assert rate_hz * 2 // 5 == samples.size, messages
    hold(bus, samples)


@pytest.mark.parametrize(
    ("fault", "message", "losses", "end"),
    [
        ("kind=lost n=24064", "", ["lost"], "closed"),
        ("kind=failed n=2", "TRANSFER_ERROR", ["failed", "failed"], "closed"),
        ("kind=overflow", "TRANSFER_OVERFLOW", ["overflow"], "closed"),
        ("kind=empty n=3", "COMPLETED received 0 bytes", [], "closed"),
        ("kind=stall", "TRANSFER_STALL", [], "stall"),
        ("kind=fifo", "TIMED_OUT received 0 bytes", [], "fifo"),
        ("kind=unplug back_s=0.1", "", [], "unplug"),
        ("kind=die", "", [], "die"),
    ],
)
def test_faults(tmp_path: Path, fault: str, message: str, losses: list[str], end: str) -> None:
    """What a fault leaves of a capture is exactly what the truth states."""
    bus = Bus(tmp_path / "usb", FX2, f"fault {fault} at_s=0.053")
    address = bus.devices()[0]["address"]
    samples, messages = bus.capture(*FX2_AT_24_MHZ, "--time", "150")
    assert message in messages
    assert losses == [entry.keys["kind"] for entry in bus.truth("lost")]
    assert end == hold(bus, samples).keys["kind"]
    assert (3_600_000 == samples.size) == (end == "closed")
    if end == "unplug":
        time.sleep(0.1)
        device = bus.devices()[0]
        assert ("1", "none", "1") == (device["present"], device["firmware"], device["port"])
        assert device["address"] != address


def test_hang(tmp_path: Path) -> None:
    """Nothing ends by its timeout any more; a key ends sigrok-cli, which takes its transfers back."""
    bus = Bus(tmp_path / "usb", FX2, "fault kind=hang at_s=0.05")
    arguments = ["sigrok-cli", *FX2_AT_24_MHZ, "--continuous", "-O", "binary", "-o", str(bus.folder / "samples")]
    process = subprocess.Popen(arguments, env=bus.environment, stdin=subprocess.PIPE)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.6)
        process.communicate(b"\n", timeout=5)
    finally:
        process.kill()
        process.wait()
    assert 0 == process.returncode
    assert "hang" == hold(bus, np.fromfile(bus.folder / "samples", dtype=np.uint8)).keys["kind"]


def test_rotated_channels(tmp_path: Path) -> None:
    """After four lost words each channel of a Logic16 shows the fourth after it: the driver counts channels on."""
    bus = Bus(tmp_path / "usb", f"device model=logic16 firmware=loaded {PATIENT}", "fault kind=rotate n=4 at_s=0.05")
    bus.firmware(*LOGIC16_FILES)
    samples, _ = bus.capture("-d", "saleae-logic16", "-c", "samplerate=25m", "-C", TWELVE, "--time", "100", unit=2)
    (loss,) = bus.truth("lost")
    assert 8 == loss["bytes"]
    rotated = samples[loss["sample"] + 64 :].astype(np.uint32)
    levels = (rotated << 4 | rotated >> 8) & 0xFFF
    # Channels 8 to 11 take their words from the next group, which is 16 samples later.
    levels = (levels[16:] & 0xFF0) | (levels[:-16] & 0xF)
    for part in (samples[: loss["sample"]], levels):
        counts = edges_of(part)[1]  # the signal counts
        assert counts.size > 900
        assert {1} == set((np.diff(counts) % 4096).tolist())


def test_noise(tmp_path: Path) -> None:
    """Samples are wrong in their places of a block only."""
    quiet = f"fifo_bytes=1e9 half_period_ns={10**15}"
    bus = Bus(tmp_path / "usb", f"device model=fx2 firmware=loaded noise_samples=8 noise_every=2048 {quiet}")
    samples, _ = bus.capture(*FX2_AT_24_MHZ, "--time", "50")
    wrong = np.flatnonzero(samples)
    assert wrong.size > 4000
    assert set(range(8)) == set((wrong % 2048).tolist())


def test_host_stall(tmp_path: Path) -> None:
    """No transfer ends while the host reads no events; then all that have ended come at once, in their order."""
    bus = Bus(tmp_path / "usb", FX2, "host stall at_s=0.05 for_s=0.2")
    samples, messages = bus.capture(*FX2_AT_24_MHZ, "--time", "400")
    assert 9_600_000 == samples.size
    hold(bus, samples)
    instants_s = [float(s) for s in re.findall(r"sr: \[00:(\d+\.\d+)\] fx2lafw: receive_transfer", messages)]
    assert 0.19 < np.diff(instants_s).max()


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([f"{FX2} open_error=ACCESS"], "LIBUSB_ERROR_ACCESS"),
        ([f"{FX2} claim_error=BUSY"], "Another program or driver has already claimed it"),
        ([FX2, "host usbfs_mb=4"], "Failed to submit transfer: LIBUSB_ERROR_NO_MEM"),
        ([f"device model=dslogic firmware=loaded {PATIENT}"], "No devices found"),
        ([f"{FX2} colour=red"], "bus: line 1: `colour`: no such key here"),
    ],
    ids=["access", "busy", "memory", "other-driver", "bad-file"],
)
def test_refusals(tmp_path: Path, items: list[str], message: str) -> None:
    """A capture that cannot start names the reason."""
    samples, messages = Bus(tmp_path / "usb", *items).capture(*FX2_AT_24_MHZ, "--time", "100")
    assert 0 == samples.size
    assert message in messages


def test_two_boards(tmp_path: Path) -> None:
    """Two processes read two boards, which are theirs; usbfs' memory is one for both: a third board has none."""
    bus = Bus(tmp_path / "usb", FX2, f"{FX2} port=2", f"{FX2} port=3")
    addresses = [device["address"] for device in bus.devices()]
    arguments = ["-c", "samplerate=24m", "--time", "500", "-O", "binary"]
    captures = [
        ["sigrok-cli", *arguments, "-d", f"fx2lafw:conn=1.{address}", "-o", name]
        for address, name in zip(addresses[:2], "ab", strict=True)
    ]
    processes = [subprocess.Popen(capture, env=bus.environment, cwd=bus.folder) for capture in captures]
    try:
        wait_until(lambda: len(bus.truth("start")) == 2)
        for address, message in ((addresses[0], "has already claimed it"), (addresses[2], "LIBUSB_ERROR_NO_MEM")):
            assert message in bus.sigrok(*arguments, "-d", f"fx2lafw:conn=1.{address}", "-o", "/dev/null").stderr
        assert [0, 0] == [process.wait(5) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert [12_000_000] * 2 == [(bus.folder / name).stat().st_size for name in "ab"]


def test_plugs(tmp_path: Path) -> None:
    """A cable that is pulled ends a capture, and keeps its port: the board comes back without firmware."""
    bus = Bus(tmp_path / "usb", FX2)
    address = bus.devices()[0]["address"]
    arguments = ["sigrok-cli", *FX2_AT_24_MHZ, "--time", "60000", "-O", "binary", "-o", str(bus.folder / "samples")]
    process = subprocess.Popen(arguments, env=bus.environment)
    try:
        wait_until(lambda: bool(bus.truth("start")))
        time.sleep(0.1)
        bus.unplug(0)
        assert 0 == process.wait(5)
    finally:
        process.kill()
        process.wait()
    assert "unplug" == hold(bus, np.fromfile(bus.folder / "samples", dtype=np.uint8)).keys["kind"]
    assert ("0", "1") == (bus.devices()[0]["present"], bus.devices()[0]["port"])
    assert "" == bus.sigrok("-d", "fx2lafw", "--scan").stdout
    bus.plug(0)
    device = bus.devices()[0]
    assert ("1", "none") == (device["present"], device["firmware"])
    assert device["address"] != address


def test_every_function_is_there() -> None:
    """What libsigrok, its libraries and OpenOCD import of libusb is exported."""

    def names(path: str, which: str) -> set[str]:
        listing = subprocess.run(["nm", "-D", which, path], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"\b(libusb_\w+)", listing))

    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    importers = re.findall(rf"lib(?:{'|'.join(IMPORTERS)})\.so\.\d+ .* => (\S+)", cache)
    importers += filter(None, [shutil.which("openocd")])
    imported = set().union(*(names(path, "--undefined-only") for path in importers))
    assert {"libusb_submit_transfer", "libusb_get_pollfds"} <= imported
    assert set() == imported - names(str(LIBRARY), "--defined-only")
