"""The library of the modelled USB, by its C interface (rig/vbench/usbbus/src/plug.rs)."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from gpiorig.rig.errors import VirtualBenchError
from gpiorig.vbench.ends.usb_tree import PluggedDevice

LIBRARY = Path(__file__).with_name("libusbbus.so")
USBFS_MB = 16  # Linux, drivers/usb/core/devio.c: usbfs_memory_mb
_ANSWER_BYTES = 1 << 16


def library_file() -> Path:
    """The file of the library.

    Raises
    ------
    VirtualBenchError
        It is not built.
    """
    if not LIBRARY.exists():
        raise VirtualBenchError(f"{LIBRARY}: the modelled USB is not built. Run `make native`.")
    return LIBRARY


def devices(folder: Path) -> list[PluggedDevice]:
    """What is on the bus of a folder at this moment."""
    answer = ctypes.create_string_buffer(_ANSWER_BYTES)
    size = _library().usbbus_devices(str(folder).encode(), answer, _ANSWER_BYTES)
    if size < 0:
        raise VirtualBenchError(f"{folder}: the modelled USB cannot be read; the reason is above.")
    rows = (dict(word.split("=", 1) for word in line.split()) for line in answer.value.decode().splitlines())
    return [_device(row) for row in rows if row["present"] == "1"]


def unplug(folder: Path, device: int) -> None:
    """Pull the cable of a device, by its number in the file of the bus."""
    if _library().usbbus_unplug(str(folder).encode(), device):
        raise VirtualBenchError(f"{folder}: device {device} is not in its file.")


def plug(folder: Path, device: int) -> None:
    """Plug a device in again."""
    if _library().usbbus_plug(str(folder).encode(), device):
        raise VirtualBenchError(f"{folder}: device {device} is not in its file.")


def _device(row: dict[str, str]) -> PluggedDevice:
    path = f"{row['bus']}-{row['port']}"
    return PluggedDevice(path=path, address=int(row["address"]), vendor=row["vid"], product=row["pid"])


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(library_file()))
    library.usbbus_devices.restype = ctypes.c_int
    library.usbbus_devices.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    for function in (library.usbbus_unplug, library.usbbus_plug):
        function.restype, function.argtypes = ctypes.c_int, [ctypes.c_char_p, ctypes.c_int]
    return library
