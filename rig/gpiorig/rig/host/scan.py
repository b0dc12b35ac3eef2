"""What of a bench is connected to this machine: analyzers, serial ports and who answers there, debug adapters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sigrok import analyzer as sigrok
from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.flashing import Openocd
from gpiorig.rig.host import identify, ports, sigrok_usb
from gpiorig.rig.host.identify import Answer
from gpiorig.rig.host.ports import Port

# The adapter of the IoT-LAB M3, whose first interface is JTAG (RIOT 2024.01, boards/common/iotlab).
FT2232H = "0403:6010"
_JTAG = Answer(reason="the JTAG interface of its adapter; not asked")


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found; `troubles` are things that are there and cannot be used, each with what to do."""

    analyzers: tuple[sigrok.Analyzer, ...]
    ports: tuple[tuple[Port, Answer], ...]
    adapters: tuple[UsbDevice, ...]
    troubles: tuple[str, ...]

    def debug_of(self, port: Port) -> str | None:
        """What a bench file names the debug adapter of a port's board by: its serial number where no other has it."""
        if port.usb is None or port.usb.ids not in debug_adapters():
            return None
        twins = [device for device in self.adapters if device.serial == port.usb.serial]
        return port.usb.key if len(twins) < 2 else f"usb:{port.usb.path}"


def debug_adapters() -> frozenset[str]:
    """Vendor and product of the adapters that OpenOCD flashes our boards by."""
    methods = [boards.load(name).flash for name in boards.names()]
    return frozenset(ids for method in methods if isinstance(method, Openocd) for ids in method.adapters)


def scan(
    *, drivers: Sequence[str] = (), devices: Sequence[str] = (), sys: Path | None = None, dev: Path = ports.DEV
) -> Scan:
    """Look at the USB and ask what answers.

    Parameters
    ----------
    drivers, devices
        Analyzers as sigrok names them, and ports, that are asked although they are not on the USB.
    sys, dev
        Where sysfs and the files of devices are.
    """
    attached = tree.devices(sys)
    analyzers, troubles = _analyzers(attached, drivers)
    known = {port.device: port for port in ports.ports(sys, dev)}
    asked = [known.get(device) or Port(device) for device in devices]
    others = [port for port in known.values() if port not in asked]
    return Scan(
        analyzers=tuple(analyzers),
        ports=tuple(
            [(port, identify.identify(port.device)) for port in asked] + [(port, _ask(port)) for port in others]
        ),
        adapters=tuple(device for device in attached if device.ids in debug_adapters()),
        troubles=tuple(troubles),
    )


def _ask(port: Port) -> Answer:
    if port.usb is not None and port.usb.ids == FT2232H and port.interface == 0:
        return _JTAG
    return identify.identify(port.device)


def _analyzers(attached: Iterable[UsbDevice], drivers: Sequence[str]) -> tuple[list[sigrok.Analyzer], list[str]]:
    """What sigrok finds of the analyzers on the USB and of those that are named."""
    there = sigrok_usb.attached(attached)
    analyzers, troubles = [], []
    for device, analyzer in there.items():
        if absent := sigrok_usb.missing(analyzer, sigrok_usb.folders()):
            troubles.append(f"{analyzer.name} at {device.path} lacks firmware {', '.join(absent)}: {analyzer.remedy}")
    for driver in dict.fromkeys([*drivers, *(analyzer.driver for analyzer in there.values())]):
        try:
            analyzers += sigrok.scan_all(driver)
        except CaptureError as error:
            troubles.append(str(error))
    return analyzers, troubles
