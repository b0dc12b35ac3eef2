"""The SPI buses of radios that a recording shows."""

from __future__ import annotations

from dataclasses import dataclass

from gpiorig.capture.buses import spi
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.opened import Opened


@dataclass(frozen=True, slots=True)
class RadioBus:
    """The SPI bus of a node's radio: its decoder, and where its lines are among the recorded channels."""

    node: str
    chip: str
    lines: spi.SpiLines


def for_recording(opened: Opened, channels: tuple[str, ...]) -> tuple[RadioBus, ...]:
    """Return the buses of all nodes whose SPI lines are wired.

    Raises
    ------
    RigError
        There is none, or its radio has no decoder.
    """
    bench, folder = opened.known_bench, opened.recording.folder
    buses = []
    for name, node in bench.nodes.items():
        if not {"spi_clk", "spi_mosi", "tap.select"} <= node.lines.keys():
            continue
        radio = opened.boards[name].radio
        if radio.decoder is None:
            raise RigError(f"{folder}: node {name}: there is no decoder of the {radio.name}'s SPI bus.")
        buses.append(RadioBus(name, radio.decoder, spi.lines_of(channels, name)))
    if not buses:
        raise RigError(
            f"{folder}: no radio's SPI bus was recorded. Name the lines spi_clk, spi_mosi, spi_miso and "
            "tap.select of a node in the bench file, and record again."
        )
    return tuple(buses)
