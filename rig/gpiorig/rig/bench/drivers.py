"""Supported analyzers: channels, rates, options and firmware of sigrok's drivers, one TOML file each, data only.

A connected analyzer reports what it takes itself (`gpiorig bench check --live`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import parse

Option = str | int | float | bool
# What a USB 2 bus carries: 10 of the 13 bulk transactions of 512 bytes that fit a microframe (USB 2.0, table 5-10; 13
# are 53.2 MB/s). An FX2 streams fairly reliably at 30 MB/s, perhaps at 40 (Ho-Ro/Hantek6022API#7). 48 MB/s is the most
# that one was seen to send in a speed test (ataradov/usb-sniffer#23, #28), and it buffers for 85 us only.
HIGH_SPEED_BYTES_S = 10 * 512 * 8000


class UsbId(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A USB device: vendor and product as ``vvvv:pppp``, its name, how many of the channels it has (None: all).

    `firmware` are the files that the driver loads into it.
    """

    id: str
    name: str
    channels: int | None = None
    firmware: tuple[str, ...] = ()


class Driver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a driver takes, and what its analyzers need.

    Attributes
    ----------
    libsigrok
        The release that the numbers are of, or after which it came.
    channels
        Its channel names, in its order; with `contiguous` they are used from the first one on without a hole.
    rates_hz, min_hz, max_hz
        Its samplerates, in rising order, or the range of all integers.
    wide_from, wide_max_hz
        With the channel at this place or one after it, it takes this rate at most.
    max_product_hz
        Rate times channels is this at most.
    continuous
        Whether the driver declares that it samples without an end, which `gpiorig run` asks for.
    options, needs
        What `config` may have, with a description each; what it must have for a recording of any length.
    usb, connection
        How it is found: on USB, or by what follows its name in `driver`.
    network_bytes_s
        What its network carries, of one that is not on USB.
    firmware_from
        Where the firmware that it loads comes from.
    threshold, levels
        Its inputs; what `config` has for boards of 3.0 and 3.3 V.
    """

    name: str
    libsigrok: str
    channels: tuple[str, ...]
    threshold: str
    rates_hz: tuple[int, ...] = ()
    min_hz: int = 0
    max_hz: int = 0
    wide_from: int | None = None
    wide_max_hz: int = 0
    max_product_hz: int | None = None
    contiguous: bool = False
    continuous: bool = True
    options: dict[str, str] = {}
    needs: dict[str, Option] = {}
    levels: dict[str, Option] = {}
    usb: tuple[UsbId, ...] = ()
    connection: str = ""
    network_bytes_s: int | None = None
    firmware_from: str = ""

    @property
    def rates(self) -> Sequence[int]:
        """Its samplerates in Hz, in rising order."""
        return self.rates_hz or range(self.min_hz, self.max_hz + 1)

    def refusal(self, channels: Sequence[str], rate_hz: int) -> str | None:
        """Why it would not take these channels at this rate, and what it would take; None: it takes them."""
        unknown = [name for name in channels if name not in self.channels]
        if unknown:
            return f"has no channel {', '.join(unknown)}; it has {', '.join(self.channels)}"
        first = self.channels[: len(channels)]
        if self.contiguous and set(channels) != set(first):
            return f"takes channels from its first one on without a hole; use {', '.join(first)}"
        if rate_hz not in self.rates:
            return f"does not take {rate_hz} Hz; {self._near(rate_hz)}"
        max_hz = self.max_rate_hz(channels)
        if rate_hz <= max_hz:
            return None
        refusal = f"takes {max_hz} Hz at most with {', '.join(channels)}; {rate_hz} Hz are asked for"
        if wide := self.wide(channels):
            return f"{refusal}, and boards with {self.wide_from} channels have no {', '.join(wide)}"
        sent = self.bytes_s(channels, rate_hz)
        if self.streams_on_usb and sent > HIGH_SPEED_BYTES_S:
            return f"{refusal}, which are {sent / 1e6:.1f} MB/s; USB 2 carries {HIGH_SPEED_BYTES_S / 1e6:.1f} MB/s"
        return refusal

    def wide(self, channels: Sequence[str]) -> list[str]:
        """Those of the channels that boards with fewer channels lack, and that make its samples wider."""
        return [] if self.wide_from is None else [name for name in channels if name in self.channels[self.wide_from :]]

    def bytes_s(self, channels: Sequence[str], rate_hz: int) -> int:
        """What it sends each second: fx2lafw a byte or two for each sample, others a bit for each channel."""
        if self.wide_from is None:
            return rate_hz * len(channels) // 8
        return rate_hz * (2 if self.wide(channels) else 1)

    def network_max_hz(self, channels: Sequence[str]) -> int | None:
        """The highest samplerate that its network carries with these channels; None: it is not on one."""
        if self.network_bytes_s is None or not channels:
            return None
        return 8 * self.network_bytes_s // len(channels)

    @property
    def streams_on_usb(self) -> bool:
        """Whether what it sends must fit a USB 2 bus while it samples."""
        return bool(self.usb) and self.continuous

    def max_rate_hz(self, channels: Sequence[str]) -> int:
        """The highest samplerate with these of its channels."""
        limits = [self.rates[-1]]
        if self.wide(channels):
            limits.append(self.wide_max_hz)
        if self.streams_on_usb and channels:
            limits.append(max(rate for rate in self.rates if self.bytes_s(channels, rate) <= HIGH_SPEED_BYTES_S))
        if self.max_product_hz is not None and channels:
            limits.append(max(rate for rate in self.rates if rate * len(channels) <= self.max_product_hz))
        return min(limits)

    def config_refusal(self, config: Mapping[str, Option]) -> str | None:
        """Why its options cannot be these; None: they can."""
        unknown = sorted(config.keys() - self.options.keys())
        if unknown:
            options = ", ".join(f"{key} ({meaning})" for key, meaning in self.options.items()) or "none"
            return f"has no option {', '.join(unknown)} in `config`; its options: {options}"
        lacking = [key for key, value in self.needs.items() if config.get(key) != value]
        if lacking:
            pairs = ", ".join(f"{key} = {str(self.needs[key]).lower()}" for key in lacking)
            return f"ends when its memory is full; write `config = {{ {pairs} }}`"
        return None

    def _near(self, rate_hz: int) -> str:
        if not self.rates_hz:
            return f"it takes {self.min_hz} to {self.max_hz} Hz"
        below = [rate for rate in self.rates_hz if rate < rate_hz][-1:]
        above = [rate for rate in self.rates_hz if rate > rate_hz][:1]
        return f"the nearest that it takes are {' and '.join(f'{rate} Hz' for rate in below + above)}"


def names() -> list[str]:
    """Names of the drivers that have a file."""
    entries = (files("gpiorig.rig") / "analyzers").iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def known(driver: str) -> Driver | None:
    """What is known of a driver as the bench file names it, such as ``fx2lafw:conn=1.12``."""
    name = driver.partition(":")[0]
    return _load(name) if name in names() else None


def refusals(
    driver: str, channels: Sequence[str], rate_hz: int, config: Mapping[str, Option], *, one_shot: bool = False
) -> list[str]:
    """Why a driver would not take these; nothing of a driver that has no file.

    `one_shot`: a number of samples is asked for, which also an analyzer that samples into a memory of its own takes.
    """
    described = known(driver)
    if described is None:
        return []
    needs = {**described.needs, **config} if one_shot else config
    name = f"{driver.partition(':')[0]} (libsigrok {described.libsigrok})"
    reasons = [described.refusal(channels, rate_hz), described.config_refusal(needs)]
    if not described.continuous and not one_shot:
        reasons.append("does not sample without an end; record with `gpiorig capture --one-shot --duration TIME`")
    return [f"{name} {reason}" for reason in reasons if reason]


def is_local(driver: str) -> bool:
    """Whether a driver's connection stays on this machine, as that of a virtual bench that is served."""
    return any(f"/{host}/" in driver for host in ("127.0.0.1", "localhost"))


def of_usb(ids: Iterable[str]) -> dict[str, tuple[str, UsbId]]:
    """The driver and the entry of each of these USB ids (``vvvv:pppp``) that is an analyzer's."""
    entries = {entry.id: (name, entry) for name in names() for entry in _load(name).usb}
    return {id_: entries[id_] for id_ in ids if id_ in entries}


@cache
def _load(name: str) -> Driver:
    driver = parse(
        (files("gpiorig.rig") / "analyzers" / f"{name}.toml").read_text(), Driver, what=f"analyzer file {name}.toml"
    )
    if not driver.rates_hz and not driver.max_hz:
        raise BenchError(f"analyzer file {name}.toml: give `rates_hz`, or `min_hz` and `max_hz`.")
    return driver
