"""A virtual bench whose analyzer is on a modelled USB: captured as a real one, through sigrok's driver of it."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, gpiorig, gpiorig_process, gpiorig_running
from patience import PATIENCE_S, wait_until
from virtualbench import bench_text, served

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.usb import tree as sysfs
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.vbench.boards import truth
from gpiorig.vbench.ends import usb_bus, usbbus

ANALYZER = "[analyzers.la]\nsamplerate_hz = {rate}_000_000\n"
ON_USB = 'pace = "real-time"\n{more}[virtual.analyzers.la]\nusb = "{usb}"\nclock_ppb = 37_000\n'
SYMBOL_NS = 250  # three samples at 12 MS/s; the board has no bus
FOLLOWS_S = 0.1  # a device that comes or goes is in sysfs within this


def text(*, rate: int = 24, usb: str = "fx2lafw", channels: str = "D0 D1 D2 D7", more: str = "") -> str:
    bench = bench_text(
        analyzers=ANALYZER.format(rate=rate), virtual=ON_USB.format(usb=usb, more=more), channels=channels.split()
    )
    return bench.replace("[nodes.node]\n", f"[nodes.node]\nsymbol_ns = {SYMBOL_NS}\n")


def test_faults_and_devices_as_the_library_takes_them() -> None:
    """A line for each, which the library understands; firmware that is not free has a placeholder."""
    faults = [
        'kind = "usb_lost"\nat_us = 1\nlost_bytes = 24_064',
        'kind = "usb_failed"\nat_us = 1_500_000\ntransfers = 3\ncapture = 2',
        *(f'kind = "usb_{kind}"\nat_us = 1_000_000' for kind in ("stall", "hang", "empty", "fifo_full", "unplug")),
        'kind = "usb_unplug"\nat_us = 1_000_000\nback_s = 2.5',
    ]
    sections = "".join(f"[[virtual.faults]]\n{fault}\n" for fault in faults)
    bench = benches.loads(text(usb="dreamsourcelab-dslogic", channels="0 1 2 15") + sections)

    bus = usb_bus.of_bench(bench, {"la": 4000})
    assert bus is not None
    try:
        lines = (bus.folder / "bus").read_text().splitlines()
        assert [
            "device model=dslogic bus=1 port=1 signal=beaglelogic 127.0.0.1:4000",
            "fault kind=lost device=0 run=1 at_s=0.000001 n=24064",
            "fault kind=failed device=0 run=2 at_s=1.500000 n=3",
            "fault kind=stall device=0 run=1 at_s=1.000000",
            "fault kind=hang device=0 run=1 at_s=1.000000",
            "fault kind=empty device=0 run=1 at_s=1.000000 n=1",
            "fault kind=fifo device=0 run=1 at_s=1.000000",
            "fault kind=unplug device=0 run=1 at_s=1.000000",
            "fault kind=unplug device=0 run=1 at_s=1.000000 back_s=2.5",
            "host usbfs_mb=16",
        ] == lines
        assert ["1-1"] == [device.path for device in usbbus.devices(bus.folder)]
        firmware = Path(bus.environment["SIGROK_FIRMWARE_DIR"])
        assert (firmware / "dreamsourcelab-dslogic-plus-fpga.fw").is_file()
    finally:
        bus.close()
    assert not bus.folder.parent.exists()


def test_a_bus_that_cannot_be_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library names the line on stderr."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(VirtualBenchError, match="the modelled USB cannot be read"):
        usb_bus.UsbBus(["device model=none"])
    assert [] == list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("usb", "rate", "channels", "config"),
    [
        ("fx2lafw", 24, "D0 D1 D2 D7", ""),
        pytest.param("fx2lafw-16", 12, "D15 D14 D9 D3", "", marks=pytest.mark.deep),
        pytest.param("dreamsourcelab-dslogic", 25, "0 1 2 15", "continuous = true", marks=pytest.mark.deep),
        pytest.param("saleae-logic16", 16, "0 1 2 15", "", marks=pytest.mark.deep),
    ],
)
def test_each_edge_is_at_its_sample(
    tmp_path: Path, tick: Path, usb: str, rate: int, channels: str, config: str
) -> None:
    """A board that ticks, and its truth in picoseconds: one instant of the first sample explains all edges."""
    file, run = tmp_path / "bench.toml", tmp_path / "run"
    bench = text(rate=rate, usb=usb, channels=channels, more=f'truth = "{tmp_path / "truth"}"\n')
    file.write_text(
        bench.replace("[nodes.node]", f"config = {{ {config} }}\n[nodes.node]" if config else "[nodes.node]")
    )
    variables = dict(os.environ)
    done = gpiorig("capture", "--bench", file, "--firmware", f"node={tick}", "--duration", "500ms", "-o", run)

    assert 0 == done.status, done.stderr
    recording = Recording.open(run)
    assert ("complete", rate * 500_000) == (recording.info.state, recording.edges().end)
    samples, _ = recording.edges().channel("node.strobe")
    instants_ps, _ = truth.read(tmp_path / "truth", benches.load(file)).channel("node.strobe")
    per_ps = rate * 1e6 * (1 + 37e-6) / 1e12
    assert len(samples) > 480
    fits = [
        np.ptp(samples - instants_ps[first : first + len(samples)] * per_ps)
        for first in range(len(instants_ps) - len(samples) + 1)
    ]
    assert min(fits) < 1
    assert variables == dict(os.environ)


@pytest.mark.slow
def test_a_served_bench_is_used_as_a_real_one(tmp_path: Path, tick: Path) -> None:
    """With its variables: found by its port, captured; what the host shows follows a plug within 0.1 s."""
    file, real = tmp_path / "bench.toml", tmp_path / "served.toml"
    file.write_text(text())
    words = ("bench", "virtual", file, "--firmware", f"node={tick}", "--bench-file", real, "--json")
    with gpiorig_running(*words) as bench:
        assert bench.stdout is not None
        ends = json.loads(bench.stdout.readline())
        variables = ends["environment"]
        assert benches.load(real).analyzers["la"].driver == "fx2lafw:conn=usb:1-1"
        assert f"GPIORIG_USB={variables['GPIORIG_USB']} " in real.read_text().splitlines()[1]
        capture = ("capture", "--bench", real, "--no-serial", "--duration", "300ms", "-o", tmp_path / "run")
        done = gpiorig_process(*capture, environment=variables)
        assert 0 == done.status, done.stderr
        assert "complete" == Recording.open(tmp_path / "run").info.state

        folder, seen = Path(variables["GPIORIG_USB"]), Path(variables["SYSFS_PATH"])
        assert min(_waited_s(folder, seen) for _ in range(3)) < FOLLOWS_S
        bench.communicate(timeout=PATIENCE_S)  # closes its standard input
        assert 0 == bench.returncode
    assert not folder.exists()


@pytest.mark.slow
def test_nothing_is_left_of_a_bench_that_is_killed(tmp_path: Path, tick: Path) -> None:
    """Neither the files of its bus nor the variables of the process that started it."""
    variables = dict(os.environ)
    with served(tmp_path, text(), tick) as bench:
        folder = Path(os.environ["GPIORIG_USB"])
        assert (folder / "bus").is_file()
        bench._process.kill()

    assert not folder.parent.exists()
    assert variables == dict(os.environ)


@pytest.mark.deep
def test_an_experiment_runs_through_the_usb(tmp_path: Path) -> None:
    """`gpiorig run` on two boards with the wiring of `fx2-two-m3`: every packet is there, and a check of the report."""
    bench = (ROOT / "rig/vbench/gpiorig/vbench/benches/eight-channels.toml").read_text()
    for number, channel in enumerate(BEAGLELOGIC_CHANNELS[:8]):
        bench = bench.replace(f'"{channel}"', f'"D{number}"')
    bench = bench.replace("[virtual]\n", '[virtual]\npace = "real-time"\n')
    file = tmp_path / "bench.toml"
    file.write_text(bench.replace("[virtual.analyzers.la]\n", '[virtual.analyzers.la]\nusb = "fx2lafw"\n'))
    done = gpiorig("run", file, "pingpong", "--packets", "30", "-o", tmp_path / "run", "--json")

    assert 0 == done.status, done.stderr
    assert 30 == done.numbers["packets_timelined"]


def _waited_s(folder: Path, seen: Path) -> float:
    """How long a device that is plugged in again is unseen."""
    address = sysfs.devices(seen)[0].address
    usbbus.unplug(folder, 0)
    wait_until(lambda: not sysfs.devices(seen))
    usbbus.plug(folder, 0)
    began_s = time.monotonic()
    wait_until(lambda: [device.address for device in sysfs.devices(seen)] not in ([], [address]))
    return time.monotonic() - began_s
