"""What `gpiorig bench check --live` finds on this machine: program, permissions, firmware, USB, disk."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding, Verdict
from gpiorig.rig.host import bandwidth, permissions, programs, sigrok_usb
from gpiorig.rig.host.permissions import MayUse
from gpiorig.rig.run import captures

_MIN_FREE_BYTES = 1 << 30


def of_bench(
    bench: Bench,
    *,
    sys: Path | None = None,
    dev: Path | None = None,
    places: Sequence[Path] | None = None,
    may_use: MayUse = permissions.may_use,
) -> list[Finding]:
    """What this machine lacks for the bench; `places` are the folders of sigrok's firmware."""
    devices = tree.devices(sys)
    analyzers = {name: _of_driver(str(analyzer.driver), devices) for name, analyzer in bench.analyzers.items()}
    searched = sigrok_usb.folders() if places is None else places
    return [
        _sigrok(),
        *(
            finding
            for name, plugged in analyzers.items()
            for finding in _analyzer(name, plugged, dev, searched, may_use)
        ),
        *_buses(bench, analyzers),
        *_debug(bench, devices, dev, may_use),
        disk(Path()),
    ]


def disk(folder: Path) -> Finding:
    """The space for recordings in a folder."""
    free = shutil.disk_usage(folder).free
    what = f"{free / 1e9:.1f} GB are free in {folder.absolute()}"
    if free < _MIN_FREE_BYTES:
        return Finding("disk", "wrong", f"{what}; make room, or record to another disk")
    return Finding("disk", "right", what)


def _sigrok() -> Finding:
    version = programs.SIGROK.version()
    if version is None:
        return Finding("sigrok-cli", "wrong", f"is not installed: {programs.SIGROK.remedy}")
    return Finding("sigrok-cli", "right", f"version {version}")


def _of_driver(driver: str, devices: Sequence[UsbDevice]) -> list[UsbDevice]:
    """The devices that a driver of a bench file may mean: all of its kind, or the one of its connection."""
    name, _, options = driver.partition(":")
    plugged = [device for device, analyzer in sigrok_usb.attached(devices).items() if analyzer.driver == name]
    connection = options.removeprefix("conn=")
    return [
        device
        for device in plugged
        if connection in ("", f"usb:{device.path}", f"{device.bus}.{device.address}", device.ids.replace(":", "."))
    ]


def _analyzer(
    name: str, plugged: Sequence[UsbDevice], dev: Path | None, places: Sequence[Path], may_use: MayUse
) -> Iterator[Finding]:
    about = f"analyzers.{name}"
    for device, known in sigrok_usb.attached(plugged).items():
        yield _permission(about, device, dev, may_use)
        if absent := sigrok_usb.missing(known, places):
            yield Finding(about, "wrong", f"{known.name} lacks firmware {', '.join(absent)}: {known.remedy}")
        elif known.firmware:
            yield Finding(about, "right", f"the firmware of {known.name} is there")
        if device.mbps < tree.HIGH_SPEED_MBPS:
            what = f"is on the USB at {device.mbps:g} Mbit/s; use a port and a cable for 480 Mbit/s, without an old hub"
            yield Finding(about, "wrong", what)


def _buses(bench: Bench, analyzers: dict[str, list[UsbDevice]]) -> Iterator[Finding]:
    """What all analyzers on a bus send together."""
    shared: dict[int, list[str]] = defaultdict(list)
    controllers = {}
    for name, plugged in analyzers.items():
        if len(plugged) == 1:
            shared[plugged[0].bus].append(name)
            controllers[plugged[0].bus] = plugged[0].controller
    for bus, names in shared.items():
        total = sum(_bytes_s(bench, name) for name in names)
        what = (
            f"{', '.join(names)} send {total / 1e6:.1f} MB/s on this bus of {controllers[bus]}; "
            f"USB 2 takes {bandwidth.HIGH_SPEED_BYTES_S / 1e6:.1f} MB/s at most"
        )
        verdict: Verdict = "right"
        if total > bandwidth.HIGH_SPEED_BYTES_S:
            verdict, what = "wrong", f"{what}: plug one into a port of another controller, or sample fewer channels"
        yield Finding(f"USB bus {bus}", verdict, what)


def _bytes_s(bench: Bench, name: str) -> int:
    channels = [channel.partition("=")[0] for channel in captures.channels(bench, name)]
    return bandwidth.bytes_s(str(bench.analyzers[name].driver), channels, bench.analyzers[name].samplerate_hz)


def _debug(bench: Bench, devices: Sequence[UsbDevice], dev: Path | None, may_use: MayUse) -> Iterator[Finding]:
    """The debug adapters that nodes name by serial number or USB path; an address is tried by `gpiorig flash` only."""
    for name, node in bench.nodes.items():
        if node.debug is None or "://" in node.debug or node.debug.startswith("/"):
            continue
        about = f"nodes.{name}.debug"
        plugged = [device for device in devices if node.debug in (device.serial, f"usb:{device.path}")]
        if len(plugged) == 1:
            yield _permission(about, plugged[0], dev, may_use)
        elif plugged:
            paths = ", ".join(f"usb:{device.path}" for device in plugged)
            yield Finding(
                about, "wrong", f"{len(plugged)} USB devices have the serial number {node.debug}: write {paths}"
            )
        else:
            yield Finding(
                about, "wrong", f"no USB device has {node.debug}; `gpiorig bench scan` lists those that are there"
            )


def _permission(about: str, device: UsbDevice, dev: Path | None, may_use: MayUse) -> Finding:
    file = device.file(dev)
    if may_use(file):
        return Finding(about, "right", f"{device.name or device.ids} at USB path {device.path} may be used")
    return Finding(about, "wrong", f"no permission for {file}: {permissions.remedy(file, device.ids)}")
