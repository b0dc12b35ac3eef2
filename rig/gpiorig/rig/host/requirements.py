"""What gpiorig needs on a machine, and what of it is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import native
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.usb import tree
from gpiorig.rig import resources
from gpiorig.rig.host import permissions, ports, programs, sigrok_usb
from gpiorig.rig.host.scan import debug_adapters

_GROUPS = {"dialout": "opens serial ports", "plugdev": "uses analyzers and debug adapters"}
_RULES = {
    "60-libsigrok.rules": ("gives analyzers to plugdev", "apt install libsigrok4"),
    "60-openocd.rules": ("gives debug adapters to plugdev", "apt install openocd"),
}
_RULE_FOLDERS = ("/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")
_FX2 = "fx2lafw-sigrok-fx2-8ch.fw"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A thing that gpiorig uses: what it is for, what of it is there (None: nothing), what installs it."""

    name: str
    purpose: str
    present: str | None
    remedy: str
    needed: bool = False


def all_of_them(*, sys: Path | None = None) -> Iterator[Requirement]:
    """Libraries, images, programs, firmware of analyzers, groups and rules."""
    yield _native()
    in_checkout = resources.checkout() is not None
    present = "libvboards.so" if resources.virtual("boards/libvboards.so") else None
    remedy = "make native, in the checkout" if in_checkout else "pip install 'gpiorig[virtual]'"
    yield Requirement("virtual boards", "virtual benches", present, remedy, needed=in_checkout)
    images = resources.images()
    present = f"{len(images)} images" if images else None
    remedy = f"make -C {resources.FIRMWARE}, in the checkout" if in_checkout else remedy
    yield Requirement("reference firmware", "the demo, flashing", present, remedy)
    for program in programs.PROGRAMS:
        yield Requirement(program.name, program.purpose, program.version(), program.remedy, needed=program.needed)
    tools = programs.msp430_tools()
    yield Requirement(programs.MSP430_TOOLS, "flashes a TelosB", tools, programs.MSP430_REMEDY)
    yield from _firmware(sys)
    yield from _access(sys)


def _native() -> Requirement:
    try:
        native.library()
    except CaptureError as error:
        return Requirement("native library", "everything", None, error.remedy, needed=True)
    return Requirement("native library", "everything", native.LIBRARY, "", needed=True)


def _firmware(sys: Path | None) -> Iterator[Requirement]:
    """Firmware that sigrok loads: that of FX2 clones, and of each analyzer that is plugged in."""
    places = sigrok_usb.folders()
    folder = next((str(place) for place in places if (place / _FX2).is_file()), None)
    yield Requirement("firmware fx2lafw", "captures with FX2 clones", folder, "apt install sigrok-firmware-fx2lafw")
    for device, analyzer in sigrok_usb.attached(tree.devices(sys)).items():
        if not analyzer.firmware:
            continue
        absent = sigrok_usb.missing(analyzer, places)
        yield Requirement(
            f"firmware of {analyzer.name}",
            f"the analyzer at USB path {device.path}",
            None if absent else ", ".join(analyzer.firmware),
            f"{', '.join(absent)}: {analyzer.remedy}",
            needed=True,
        )


def _access(sys: Path | None) -> Iterator[Requirement]:
    """Groups and udev rules; needed as soon as something that they are for is plugged in."""
    plugged = tree.devices(sys)
    usable = {
        "dialout": bool(ports.ports(sys)),
        "plugdev": bool(sigrok_usb.attached(plugged)) or any(device.ids in debug_adapters() for device in plugged),
    }
    absent = permissions.lacking_groups(_GROUPS)
    for group, purpose in _GROUPS.items():
        present = None if group in absent else "root or a member"
        remedy = f"sudo adduser $USER {group}, then log in again"
        yield Requirement(f"group {group}", purpose, present, remedy, needed=usable[group])
    for name, (purpose, remedy) in _RULES.items():
        present = next((folder for folder in _RULE_FOLDERS if Path(folder, name).is_file()), None)
        yield Requirement(f"udev {name}", purpose, present, remedy)
