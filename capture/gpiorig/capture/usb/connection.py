"""What a driver string names on the USB: `conn=usb:1-3` is a port, and stays; libsigrok takes `conn=BUS.ADDRESS`.

An address is another one each time that a device is plugged in, and after its firmware is loaded; libsigrok 0.5.2 takes
no port (src/usb.c, sr_usb_find). So a port is looked up at each start.
"""

from __future__ import annotations

import re

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice

_PORT = re.compile(r"(?<=:conn=)usb:([^:]*)")
_ADDRESS = re.compile(r"(?<=:conn=)(\d{1,3})\.(\d{1,3})(?=:|$)")  # four digits each are vendor and product


def port(driver: str) -> str | None:
    """The path of the port that a driver string names, such as ``1-3``; None: it names none."""
    match = _PORT.search(driver)
    return match[1] if match else None


def by_port(driver: str) -> str:
    """A driver string with the port in place of an address; unchanged where sysfs shows no such device."""
    match = _ADDRESS.search(driver)
    if match is None:
        return driver
    at = (int(match[1]), int(match[2]))
    paths = [device.path for device in tree.devices() if (device.bus, device.address) == at]
    return _ADDRESS.sub(f"usb:{paths[0]}", driver) if paths else driver


def by_address(driver: str) -> str:
    """A driver string as libsigrok takes it, with the address that the device at its port has now.

    Raises
    ------
    AnalyzerError
        Nothing is plugged in at the port, or a hub with several devices.
    """
    path = port(driver)
    if path is None:
        return driver
    devices = tree.devices()
    there = next((device for device in devices if device.path == path), None)
    on_hub = [device for device in devices if device.path.startswith(f"{path}.")]
    if there is None:
        plugged = ", ".join(map(described, devices)) or "nothing"
        raise AnalyzerError(f"nothing is plugged in at USB port {path}", where=driver, remedy=f"on the USB: {plugged}")
    if on_hub:
        ports = ", ".join(map(described, on_hub))
        raise AnalyzerError(f"a hub is plugged in at USB port {path}", where=driver, remedy=f"name one of {ports}")
    return _PORT.sub(f"{there.bus}.{there.address}", driver)


def described(device: UsbDevice) -> str:
    """A device as a driver string names it, with what it is."""
    return f"usb:{device.path} ({' '.join(filter(None, (device.name, device.ids)))})"
