"""Analyzers that a plan can choose from: the drivers that have a file, by the channels that their boards have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from gpiorig.rig.bench import drivers
from gpiorig.rig.bench.drivers import Driver

MAX_HZ = 1_000_000_000  # what a bench file can have
RELEASE = "0.5.2"  # the libsigrok that Debian 12 and 13 have


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of analyzer.

    Attributes
    ----------
    name
        As on the command line: the driver's, with the number of channels where boards of a driver differ.
    driver, described
        Sigrok's driver, and its file.
    channels
        The channels that it has.
    usb_ids
        What `lsusb` shows of it.
    """

    name: str
    driver: str
    described: Driver
    channels: tuple[str, ...]
    usb_ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """For text: what it is, and how many channels it has."""
        return f"{self.described.name}, {len(self.channels)} channels"

    def connection(self, number: int, count: int) -> str:
        """The driver with its connection, to be completed: of the analyzer `number` of `count`."""
        if self.described.connection:
            places = self.described.connection.replace("HOST", f"HOST{number + 1}" if count > 1 else "HOST")
            return f"{self.driver}:{places.replace('ACM0', f'ACM{number}')}"
        return f"{self.driver}:conn=usb:{number + 1}-4" if count > 1 else self.driver


def all_models() -> list[Model]:
    """All of them: those first that are cheap, on the USB, and have a released driver that samples without an end."""
    return sorted((model for name in drivers.names() for model in _of_driver(name)), key=_preference)


def of_channels(driver: str, channels: Sequence[str]) -> Model:
    """The model of an analyzer that is connected: sigrok's driver, which need not have a file, and its channels."""
    name = driver.partition(":")[0]
    described = drivers.known(driver)
    if described is None:
        described = Driver(name, "", tuple(channels), threshold="not known", min_hz=1, max_hz=MAX_HZ)
    if drivers.is_local(driver):
        described = msgspec.structs.replace(described, network_bytes_s=None)
    return Model(name, name, described, tuple(channels), ())


def _of_driver(name: str) -> Iterator[Model]:
    described = drivers.known(name)
    assert described is not None  # `name` is that of a file
    sizes = {entry.channels or len(described.channels) for entry in described.usb} or {len(described.channels)}
    for size in sizes:
        ids = [entry.id for entry in described.usb if (entry.channels or len(described.channels)) == size]
        suffix = "" if size == min(sizes) else f"-{size}"
        yield Model(f"{name}{suffix}", name, described, described.channels[:size], tuple(ids))


def _preference(model: Model) -> tuple[bool, bool, bool, int, str]:
    facts = model.described
    return (not facts.continuous, facts.libsigrok != RELEASE, not facts.usb, len(model.channels), model.name)
