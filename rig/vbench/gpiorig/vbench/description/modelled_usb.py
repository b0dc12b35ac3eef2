"""Analyzers of a virtual bench that are devices on a modelled USB, and the faults of that USB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.rig.bench import drivers
from gpiorig.rig.errors import BenchError

UsbModel = Literal["fx2lafw", "fx2lafw-16", "dreamsourcelab-dslogic", "saleae-logic16"]


@dataclass(frozen=True, slots=True)
class Model:
    """A device of a modelled USB.

    Attributes
    ----------
    device
        What the library calls it (rig/vbench/usbbus).
    driver
        Sigrok's driver of it.
    channel_count
        How many of the driver's channels it has, from the first one on.
    closed_id
        Its USB id, as ``vvvv:pppp``, if no Debian package has the firmware that the driver loads into it.
    """

    device: str
    driver: str
    channel_count: int
    closed_id: str | None = None

    @property
    def channels(self) -> tuple[str, ...]:
        """The driver's channel names, in the order of the bits of a sample."""
        facts = drivers.known(self.driver)
        return facts.channels[: self.channel_count] if facts else ()

    @property
    def closed_firmware(self) -> tuple[str, ...]:
        """The files of its firmware, if that is not free."""
        entries = drivers.of_usb([self.closed_id] if self.closed_id else ())
        return tuple(name for _, entry in entries.values() for name in entry.firmware)


MODELS: dict[UsbModel, Model] = {
    "fx2lafw": Model("fx2", "fx2lafw", 8),
    "fx2lafw-16": Model("fx2-16", "fx2lafw", 16),
    "dreamsourcelab-dslogic": Model("dslogic", "dreamsourcelab-dslogic", 16, "2a0e:0020"),
    "saleae-logic16": Model("logic16", "saleae-logic16", 16, "21a9:1001"),
}

Instant = Annotated[int, Meta(ge=0, le=10**12)]  # us after the start of the capture; up to 11 days
Count = Annotated[int, Meta(ge=1, le=1_000_000)]


class UsbFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A fault of the USB at an instant of a capture of an analyzer.

    Attributes
    ----------
    at_us
        When, in us after the start of the capture.
    capture
        Which capture, from 1; one after `--restart` counts.
    analyzer
        Whose; the only one, if it is not given.
    """

    at_us: Instant
    capture: Count = 1
    analyzer: str = ""


class _Transfers(UsbFault, frozen=True, kw_only=True):
    """A fault of N transfers in a row.

    Attributes
    ----------
    transfers
        How many.
    """

    transfers: Count = 1


class UsbLost(UsbFault, frozen=True, kw_only=True, tag="usb_lost"):
    """N bytes of samples vanish, and nothing shows it.

    Attributes
    ----------
    lost_bytes
        How many.
    """

    lost_bytes: Annotated[int, Meta(ge=1, le=2**40)] = 512


class UsbFailed(_Transfers, frozen=True, kw_only=True, tag="usb_failed"):
    """Transfers end with an error of the bus."""


class UsbStall(UsbFault, frozen=True, kw_only=True, tag="usb_stall"):
    """The device stalls its endpoint: each transfer from then on ends so."""


class UsbHang(UsbFault, frozen=True, kw_only=True, tag="usb_hang"):
    """No transfer ends any more."""


class UsbEmpty(_Transfers, frozen=True, kw_only=True, tag="usb_empty"):
    """Transfers end without an error and without a sample."""


class UsbFifoFull(UsbFault, frozen=True, kw_only=True, tag="usb_fifo_full"):
    """The host came too late: the device's FIFO is full, and the device stops sampling."""


class UsbUnplug(UsbFault, frozen=True, kw_only=True, tag="usb_unplug"):
    """The device is unplugged, and perhaps plugged in again, at another address.

    Attributes
    ----------
    back_s
        When it is back, in s after `at_us`; by default it stays away.
    """

    back_s: Annotated[float, Meta(gt=0, le=86_400)] | None = None


AnyUsbFault = UsbLost | UsbFailed | UsbStall | UsbHang | UsbEmpty | UsbFifoFull | UsbUnplug


def check(models: Mapping[str, UsbModel | None], *, pace: str, what: str) -> None:
    """Raise `BenchError` if analyzers with these models cannot be at this pace."""
    modelled = [name for name, model in models.items() if model is not None]
    if modelled and pace != "real-time":
        raise BenchError(
            f"{what}: virtual.analyzers.{modelled[0]}.usb: a device on the USB keeps the host's time, not that of a "
            f'bench at the pace `{pace}`. Write `pace = "real-time"` in [virtual].'
        )


def check_fault(fault: AnyUsbFault, models: Mapping[str, UsbModel | None], *, what: str) -> None:
    """Raise `BenchError` if the fault is about an analyzer that the bench does not have, or that is not on the USB."""
    place = f"{what}: virtual.faults, {type(fault).__struct_config__.tag}"
    if fault.analyzer not in models and (fault.analyzer or len(models) > 1):
        raise BenchError(f"{place}: analyzer is `{fault.analyzer}`; the bench has {', '.join(sorted(models))}.")
    name = fault.analyzer or next(iter(models))
    if models[name] is None:
        raise BenchError(
            f'{place}: analyzer `{name}` is not on the USB. Write `usb = "{next(iter(MODELS))}"` in '
            f"[virtual.analyzers.{name}], or another of {', '.join(MODELS)}."
        )
