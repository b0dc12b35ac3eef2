"""How a board takes an image: which tool, which chip it must find, and the end on the host that leads to this board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta

from gpiorig.rig.errors import BenchError

Address = Annotated[int, Meta(ge=0, lt=1 << 32)]
UsbIds = Annotated[str, Meta(pattern="^[0-9a-f]{4}:[0-9a-f]{4}$")]

EndKind = Literal["serial number", "usb", "remote_bitbang", "buspirate", "port"]
_KINDS: tuple[tuple[EndKind, str], ...] = (
    ("usb", r"usb:(?P<value>\d+-\d+(?:\.\d+)*)"),
    ("remote_bitbang", r"remote_bitbang://(?P<value>[\w.-]+:\d{1,5})"),
    ("buspirate", r"buspirate://(?P<value>/\S+)"),
    ("port", r"(?P<value>rfc2217://[\w.-]+:\d{1,5}|/\S+)"),
    ("serial number", r"(?P<value>[\w.:-]{1,64})"),
)


class Flash(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="method"):
    """The flash memory that images go to, and the chip that it is in.

    `usb_ids` is vendor and product of the adapter on the board, such as 0403:6010.
    """

    usb_ids: tuple[UsbIds, ...]
    device_id: int
    flash_address: Address
    flash_kib: Annotated[int, Meta(ge=1)]

    @property
    def addresses(self) -> range:
        """Where the flash memory is."""
        return range(self.flash_address, self.flash_address + 1024 * self.flash_kib)


class Adapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Adapters that are not on the board: their USB ids, and OpenOCD's commands for them."""

    usb_ids: tuple[UsbIds, ...]
    adapter: tuple[str, ...]


class Openocd(Flash, frozen=True, forbid_unknown_fields=True, tag="openocd"):
    """By OpenOCD: `adapter` are its commands before the script `target`, `reset` those after it.

    `other_adapters` can lead to the board as well, in place of the one on it.

    `device_id` are the lower 12 bits of the chip's identity, DEV_ID of an STM32's DBGMCU_IDCODE; other addresses are of
    its flash size and its unique id, which has `uid_words` words of 32 bits.
    """

    adapter: tuple[str, ...]
    target: str
    device_id_address: Address
    flash_kib_address: Address
    uid_address: Address
    uid_words: Annotated[int, Meta(ge=1, le=4)] = 3
    reset: tuple[str, ...] = ()
    other_adapters: tuple[Adapter, ...] = ()

    @property
    def adapters(self) -> dict[str, tuple[str, ...]]:
        """OpenOCD's commands by the USB ids of every adapter that may lead to the board, those on it first."""
        own = dict.fromkeys(self.usb_ids, self.adapter)
        return own | {ids: other.adapter for other in self.other_adapters for ids in other.usb_ids}


class Bsl(Flash, frozen=True, forbid_unknown_fields=True, tag="bsl"):
    """By the bootstrap loader of an MSP430, over the node's serial port; `device_id` is what the loader answers."""


Method = Openocd | Bsl


@dataclass(frozen=True, slots=True)
class DebugEnd:
    """`debug` of a node: serial number or USB path of an adapter, or the address of what takes the place of one."""

    kind: EndKind
    value: str

    def __str__(self) -> str:
        """As a message names it."""
        return f"{self.kind} {self.value}"


class _Node(Protocol):
    @property
    def debug(self) -> str | None: ...


def debug_end(text: str) -> DebugEnd:
    """The end that `debug` of a node names.

    Raises
    ------
    BenchError
        It is none.
    """
    for kind, pattern in _KINDS:
        if match := re.fullmatch(pattern, text):
            return DebugEnd(kind, match["value"])
    raise BenchError(
        f"`{text}` is not a debug adapter. Give its serial number, its USB path as usb:1-2.3, or "
        "remote_bitbang://HOST:PORT, or buspirate:///dev/PORT; for a bootstrap loader also its port."
    )


def check(nodes: Mapping[str, _Node], *, what: str) -> None:
    """Raise `BenchError` if `debug` of a node cannot be, or is another node's as well."""
    owners: dict[DebugEnd, str] = {}
    for name, node in nodes.items():
        if node.debug is None:
            continue
        try:
            end = debug_end(node.debug)
        except BenchError as error:
            raise BenchError(f"{what}: nodes.{name}.debug: {error}") from error
        if (owner := owners.setdefault(end, name)) != name:
            raise BenchError(
                f"{what}: nodes.{owner} and nodes.{name} have the same `debug`, {node.debug}; each node has an "
                "adapter of its own."
            )
