"""`gpiorig radio`: the frames that went over the radios' SPI buses, or the transfers of these."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from msgspec import UNSET, UnsetType

from gpiorig.analysis.delays.instruments import Analyzer
from gpiorig.analysis.radio import radio_frames, spi_frames
from gpiorig.capture.buses import spi
from gpiorig.capture.buses.spi import SpiLines
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.rig import plain_json, verbosity
from gpiorig.rig.commands.files.radio import channels_of
from gpiorig.rig.errors import RigError
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import inputs, radio_buses, radio_decoders, standing, time_base
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.recordings.radio_buses import RadioBus
from gpiorig.rig.recordings.time_base import TimeBaseNumbers


class FrameRow(Result, frozen=True, kw_only=True):
    """A frame that a radio sent or gave to its processor; `start` and `end` in samples, `octets` in hexadecimal."""

    node: str
    start: int
    end: int
    sent: bool
    sequence: int | None
    octets: str
    has_fcs: bool
    crc_ok: bool | None
    lqi: int | None
    rssi_dbm: int | None


class TransferRow(Result, frozen=True, kw_only=True):
    """A transfer; `start` and `end` in samples, what went over both lines in hexadecimal, null without the line."""

    node: str
    start: int
    end: int
    mosi: str | None
    miso: str | None
    left_over_bits: int
    cut: bool


class RadioNumbers(Result, frozen=True, kw_only=True):
    """Frames of the radios' buses, or with `--transfers` the transfers."""

    samplerate_hz: int | float
    state: str | None
    remarks: tuple[str, ...]
    time_base: TimeBaseNumbers
    frames: tuple[FrameRow, ...] | UnsetType = UNSET
    transfers: tuple[TransferRow, ...] | UnsetType = UNSET


RESULTS = {"radio": (RadioNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Decode and print."""
    waveform, buses, analyzer = _from_recording(options) if options.file.is_dir() else _from_file(options)
    waveform, base_of = time_base.watch(waveform, analyzer=analyzer)
    rows: list[Any] = [row for bus in buses for row in (_transfers if options.transfers else _frames)(waveform, bus)]
    rows.sort(key=lambda row: (row.start, row.node))
    rate = waveform.samplerate_hz
    source = standing.announced(options.file, waveform, as_json=options.json)
    if options.json:
        print(
            plain_json.text(
                RadioNumbers(
                    samplerate_hz=int(rate) if rate.denominator == 1 else float(rate),
                    **source.as_json(),
                    time_base=base_of().numbers(),
                    frames=UNSET if options.transfers else tuple(rows),
                    transfers=tuple(rows) if options.transfers else UNSET,
                )
            )
        )
        return 0
    for sentence in base_of().sentences():
        verbosity.note(f"{options.file}: {sentence}")
    for row in rows:
        head = f"{_seconds(row.start, rate)} {row.node:<12}".rstrip()
        print(head, *(_transfer_words(row) if options.transfers else _frame_words(row)))
    return 0


def _from_recording(options: argparse.Namespace) -> tuple[Waveform, tuple[RadioBus, ...], Analyzer | None]:
    opened = open_recording(options.file)
    waveform = opened.recording.waveform()
    buses = radio_buses.for_recording(opened, waveform.channels)
    chosen = tuple(bus for bus in buses if options.node in (None, bus.node))
    if not chosen:
        raise RigError(
            f"{options.file}: no SPI bus of {options.node}; available nodes: {', '.join(b.node for b in buses)}."
        )
    return waveform, chosen, opened.instruments.reference


def _from_file(options: argparse.Namespace) -> tuple[Waveform, tuple[RadioBus, ...], Analyzer | None]:
    _, waveform = inputs.open_file(options.file, options)
    if not isinstance(waveform, Waveform):
        raise RigError(f"{options.file}: has no levels of channels to decode; give a capture of a logic analyzer.")
    return waveform, (RadioBus("", options.chip or "", _lines(options.lines, waveform.channels)),), None


def _lines(text: str, channels: tuple[str, ...]) -> SpiLines:
    places: dict[str, int] = {}
    for line, name in channels_of(text).items():
        if name not in channels:
            raise RigError(f"--lines: no channel `{name}`; available channels: {', '.join(filter(None, channels))}.")
        places[line] = channels.index(name)
    return SpiLines(clk=places["clk"], mosi=places.get("mosi"), miso=places.get("miso"), select=places["select"])


def _frames(waveform: Waveform, bus: RadioBus) -> Iterator[FrameRow]:
    frames = spi_frames.read(waveform, bus.lines, decoder=radio_decoders.load(bus.chip), node=bus.node)
    for i in range(len(frames)):
        yield FrameRow(
            node=bus.node,
            start=int(frames.start[i]),
            end=int(frames.end[i]),
            sent=bool(frames.sent[i]),
            sequence=_known(int(frames.sequence[i]), -1),
            octets=frames.frame(i).hex(),
            has_fcs=bool(frames.has_fcs[i]),
            crc_ok=None if frames.crc[i] < 0 else bool(frames.crc[i]),
            lqi=_known(int(frames.lqi[i]), -1),
            rssi_dbm=_known(int(frames.rssi_dbm[i]), radio_frames.UNKNOWN_RSSI),
        )


def _transfers(waveform: Waveform, bus: RadioBus) -> Iterator[TransferRow]:
    for block in spi.read(waveform, bus.lines):
        mosi, miso = block.mosi.astype("u1").tobytes(), block.miso.astype("u1").tobytes()
        for i in range(len(block)):
            octets = slice(int(block.offsets[i]), int(block.offsets[i + 1]))
            yield TransferRow(
                node=bus.node,
                start=int(block.start[i]),
                end=int(block.end[i]),
                mosi=None if bus.lines.mosi is None else mosi[octets].hex(),
                miso=None if bus.lines.miso is None else miso[octets].hex(),
                left_over_bits=int(block.left_over[i]),
                cut=bool(block.flags[i]),
            )


def _known(value: int, unknown: int) -> int | None:
    return None if value == unknown else value


def _frame_words(row: FrameRow) -> Iterator[str]:
    yield "TX" if row.sent else "RX"
    yield "   -" if row.sequence is None else f"{row.sequence:>4}"
    yield f"{len(row.octets) // 2:>3}"
    yield row.octets
    crc = None if row.crc_ok is None else ("wrong", "ok")[row.crc_ok]
    for name, quality in {"CRC": crc, "LQI": row.lqi, "dBm": row.rssi_dbm}.items():
        if quality is not None:
            yield f"{name}={quality}"


def _transfer_words(row: TransferRow) -> Iterator[str]:
    for line, octets in {"mosi": row.mosi, "miso": row.miso}.items():
        if octets is not None:
            yield f"{line} {octets or '-'}"
    if row.left_over_bits:
        yield f"and {row.left_over_bits} bits"
    if row.cut:
        yield "cut"


def _seconds(sample: int, rate: Fraction) -> str:
    """To the nanosecond below; samples are in the JSON output."""
    ns = sample * 10**9 // rate
    return f"{'-' if ns < 0 else ''}{abs(ns) // 10**9}.{abs(ns) % 10**9:09d}"
