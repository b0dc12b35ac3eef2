"""What `gpiorig bench check --live` finds on this machine: program, permissions, firmware, USB, disk."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpiorig.capture.sigrok import priority
from gpiorig.capture.usb import connection, tree
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench import drivers, usb_memory
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding, Verdict
from gpiorig.rig.host import permissions, ports, programs, sigrok_usb
from gpiorig.rig.host.permissions import MayUse
from gpiorig.rig.run import usb_load

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
        *_buses(bench, analyzers, devices, dev),
        *_usb_memory(bench, analyzers, sys),
        *_priority(analyzers),
        *_debug(bench, devices, dev, may_use),
        disk(Path()),
    ]


def disk(folder: Path) -> Finding:
    """The space for recordings in a folder."""
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB are free in {folder.absolute()}"
    if free < _MIN_FREE_BYTES:
        return Finding("disk", "wrong", f"{text}; make room, or record to another disk")
    return Finding("disk", "right", text)


def _sigrok() -> Finding:
    version = programs.SIGROK.version()
    if version is None:
        return Finding("sigrok-cli", "wrong", f"is not installed: {programs.SIGROK.remedy}")
    return Finding("sigrok-cli", "right", f"version {version}")


def _of_driver(driver: str, devices: Sequence[UsbDevice]) -> list[UsbDevice]:
    """The devices that a driver of a bench file may mean: all of its kind, or the one of its connection."""
    name, _, options = driver.partition(":")
    plugged = [device for device, analyzer in sigrok_usb.attached(devices).items() if analyzer.driver == name]
    place = options.removeprefix("conn=")
    return [
        device
        for device in plugged
        if place in ("", f"usb:{device.path}", f"{device.bus}.{device.address}", device.ids.replace(":", "."))
    ]


def _analyzer(
    name: str, plugged: Sequence[UsbDevice], dev: Path | None, places: Sequence[Path], may_use: MayUse
) -> Iterator[Finding]:
    about = f"analyzers.{name}"
    for device, model in sigrok_usb.attached(plugged).items():
        yield _permission(about, device, dev, may_use)
        if absent := sigrok_usb.missing(model, places):
            yield Finding(about, "wrong", f"{model.name} lacks firmware {', '.join(absent)}: {model.remedy}")
        elif model.firmware:
            yield Finding(about, "right", f"the firmware of {model.name} is there")
        if device.mbps < tree.HIGH_SPEED_MBPS:
            text = f"is on the USB at {device.mbps:g} Mbit/s; use a port and a cable for 480 Mbit/s, without an old hub"
            yield Finding(about, "wrong", text)


def _buses(
    bench: Bench, analyzers: dict[str, list[UsbDevice]], devices: Sequence[UsbDevice], dev: Path | None
) -> Iterator[Finding]:
    """What all analyzers on a bus send together."""
    shared: dict[int, dict[str, UsbDevice]] = defaultdict(dict)
    for name, plugged in analyzers.items():
        if len(plugged) == 1:
            shared[plugged[0].bus][name] = plugged[0]
    for bus, ours in shared.items():
        total = sum(usb_load.bytes_s(bench, name) for name in ours)
        controller = next(iter(ours.values())).controller
        text = (
            f"{', '.join(ours)} send {total / 1e6:.1f} MB/s on this bus of {controller}; "
            f"USB 2 carries {drivers.HIGH_SPEED_BYTES_S / 1e6:.1f} MB/s"
        )
        verdict: Verdict = "right"
        if total > drivers.HIGH_SPEED_BYTES_S:
            verdict, text = "wrong", f"{text}: plug one into a port of another controller, or sample fewer channels"
        strangers = [
            device for device in sigrok_usb.attached(devices) if device.bus == bus and device not in ours.values()
        ]
        for device in strangers:
            users = ports.holders(str(device.file(dev)))
            used = f", in use by {', '.join(users)}" if users else ""
            text += f"; {connection.described(device)} is on it, too{used}, and not of this bench"
        yield Finding(f"USB bus {bus}", verdict, text)


def _usb_memory(bench: Bench, analyzers: dict[str, list[UsbDevice]], sys: Path | None) -> Iterator[Finding]:
    """What this kernel gives for transfers of all devices, against what the analyzers need together."""
    needed_bytes = usb_load.transfer_bytes(bench)
    root = sys or tree.root()
    try:
        given_mb = int((root / usb_memory.PARAMETER).read_text())
    except (OSError, ValueError):  # the kernel has no USB, or does not show it
        return
    if not needed_bytes or not any(analyzers.values()):
        return
    text = f"{usb_memory.need(needed_bytes)}, and this kernel gives"
    if given_mb == 0:
        yield Finding("USB memory", "right", f"{text} as much as is asked for")
    elif needed_bytes < given_mb * usb_memory.MEGABYTE:
        yield Finding("USB memory", "right", f"{text} {given_mb} MB to all devices")
    else:
        remedy = usb_memory.remedy(needed_bytes, str(root))
        yield Finding("USB memory", "wrong", f"{text} {given_mb} MB to all devices: {remedy}")


def _priority(analyzers: dict[str, list[UsbDevice]]) -> Iterator[Finding]:
    """Whether a capture from the USB may come before other programs."""
    if not any(analyzers.values()):
        return
    if priority.is_permitted():
        yield Finding("priority", "right", "captures may have real-time priority")
        return
    limits = f"{permissions.GROUP} - rtprio {priority.PRIORITY}"
    text = (
        "captures have no real-time priority, so that a busy host ends them earlier: "
        f"echo '@{limits}' | sudo tee /etc/security/limits.d/gpiorig.conf, then log in again"
    )
    yield Finding("priority", "unknown", text)


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
