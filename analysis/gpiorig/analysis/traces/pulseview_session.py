"""PulseView sessions (.pvs): which decoders run on a .sr file, the look of its channels, markers, cursors, zoom.

PulseView loads `NAME.pvs` with `NAME.sr`. The format is Qt's INI; its keys and the encoding of their values were
learned from PulseView 0.4.2, which stores the same on leaving, in `[Session0]` of its PulseView.conf.

Sections are `[General]`, one for each channel (name, enabled, color), `[decode_signalN]`, `[view0]` (scale in s per
pixel, offsets in pixels) and `[meta_objN]` (`time_marker` or `selection`). Channels of a decode signal are counted
through all decoders of its stack; an option's value is the bytes of its GVariant, type `s` with a zero at the end, type
`x` with 8 bytes, least significant first. Times are boost text archives.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.atomic_file import replacing

UART_CHANNELS = ("rx", "tx")  # libsigrokdecode 0.5.3, decoders/uart/pd.py
SPI_CHANNELS = ("clk", "miso", "mosi", "cs")  # the same, decoders/spi/pd.py

# Format of pv::util::Timestamp, a boost cpp_dec_float<24>: six limbs of eight digits each.
_LIMBS, _LIMB = 6, 10**8
_TOP = 45  # pixels above the middle of the first trace
_AS_FIRST_SAMPLE = 2  # of a decoder's channel: its level before the data, from the first sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One decoder of a stack.

    Parameters
    ----------
    decoder
        Its id, such as ``gpio_probe``.
    declared
        Ids of all its channels, required ones first, in its order; PulseView counts them.
    channels
        Connected channels: id -> name of the channel.
    options
        Options that differ from their defaults.
    hidden_rows
        Numbers of annotation rows not to be shown.
    """

    decoder: str
    declared: tuple[str, ...] = ()
    channels: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str | int] = field(default_factory=dict)
    hidden_rows: tuple[int, ...] = ()

    def words(self) -> str:
        """Argument of sigrok-cli's ``-P``."""
        return ":".join([self.decoder, *(f"{key}={value}" for key, value in {**self.channels, **self.options}.items())])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Decoders, each fed by the one before it, shown as one trace.

    Parameters
    ----------
    name
        Name of the trace.
    layers
        The decoders, the one that reads channels first.
    colour
        ``#RRGGBB``.
    """

    name: str
    layers: tuple[Layer, ...]
    colour: str

    def words(self) -> str:
        """Argument of sigrok-cli's ``-P``."""
        return ",".join(layer.words() for layer in self.layers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """View of a channel of the .sr file."""

    name: str
    colour: str
    shown: bool = True
    height: int = 22  # pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Content of a .pvs file; times are in s from the first sample of the .sr file.

    Parameters
    ----------
    signals, stacks
        Channels and decoders.
    markers
        Text and time of each.
    cursors
        Times of the two cursors, whose distance PulseView shows; None for no cursors.
    window
        The interval to show.
    width
        Pixels it is shown on.
    """

    signals: tuple[Signal, ...]
    stacks: tuple[Stack, ...]
    markers: tuple[tuple[str, Fraction], ...] = ()
    cursors: tuple[Fraction, Fraction] | None = None
    window: tuple[Fraction, Fraction]
    width: int = 1300


def write(path: Path, session: Session) -> None:
    """Write a session next to its .sr file."""
    with replacing(path) as new:
        new.write_text("\n".join(_lines(session)) + "\n", encoding="ascii", errors="backslashreplace")


def timestamp(seconds: Fraction) -> str:
    """Return a time as PulseView stores it: a boost text archive of the number, 40 decimal digits or more."""
    limbs, exponent = [0] * _LIMBS, 0
    if seconds:
        size = abs(seconds)
        while size >= Fraction(_LIMB) ** (exponent + 1):
            exponent += 1
        while size < Fraction(_LIMB) ** exponent:
            exponent -= 1
        digits = int(size / Fraction(_LIMB) ** (exponent - _LIMBS + 1))
        for place in reversed(range(_LIMBS)):
            digits, limbs[place] = divmod(digits, _LIMB)
    values = [*limbs, exponent * 8, int(seconds < 0), 0, _LIMBS]
    return "22 serialization::archive 18 0 0 0 0 " + " ".join(map(str, values))


def _lines(session: Session) -> Iterator[str]:
    metas = [
        *({"type": "time_marker", "time": timestamp(at), "text": _quoted(text)} for text, at in session.markers),
        *([_cursors(session.cursors)] if session.cursors else []),
    ]
    yield from ("[General]", f"decode_signals={len(session.stacks)}", "views=1", f"meta_objs={len(metas)}")
    for signal in session.signals:
        yield from ("", f"[{_key(signal.name)}]", f"name={_quoted(signal.name)}")
        yield from (f"enabled={str(signal.shown).lower()}", f"color={_argb(signal.colour)}")
    for number, stack in enumerate(session.stacks):
        yield from ("", f"[decode_signal{number}]", *_stack(stack))
    first, last = session.window
    yield from ("", "[view0]", f"scale={float((last - first) / session.width):.12g}", f"offset={timestamp(first)}")
    yield f"v_offset={-_TOP}"
    for signal in session.signals:
        yield f"{_key(signal.name)}\\trace_height={signal.height}"
    for number, meta in enumerate(metas):
        yield from ("", f"[meta_obj{number}]", "assoc_view=0", *(f"{key}={value}" for key, value in meta.items()))


def _cursors(times: tuple[Fraction, Fraction]) -> dict[str, str]:
    return {"type": "selection", "start_time": timestamp(times[0]), "end_time": timestamp(times[1])}


def _stack(stack: Stack) -> Iterator[str]:
    yield from (f"name={_quoted(stack.name)}", "enabled=true", f"color={_argb(stack.colour)}")
    yield from ("conversion_type=0", "conv_options=0", f"decoders={len(stack.layers)}")
    connected: list[tuple[str, str]] = []
    for number, layer in enumerate(stack.layers):
        key = f"decoder{number}"
        yield from (f"{key}\\id={layer.decoder}", f"{key}\\visible=true", f"{key}\\options={len(layer.options)}")
        for place, (name, value) in enumerate(layer.options.items()):
            kind, raw = ("x", struct.pack("<q", value)) if isinstance(value, int) else ("s", f"{value}\0".encode())
            yield from (f"{key}\\option{place}\\name={name}", f"{key}\\option{place}\\type={kind}")
            yield f'{key}\\option{place}\\value="@ByteArray({_escaped(raw)})"'
        for row in layer.hidden_rows:
            yield f"{key}\\row{row}\\visible=false"
        connected += [(channel, layer.channels.get(channel, "")) for channel in layer.declared]
    yield f"channels={len(connected)}"
    for number, (channel, signal) in enumerate(connected):
        yield from (f"channel{number}\\name={channel}", f"channel{number}\\initial_pin_state={_AS_FIRST_SAMPLE}")
        if signal:
            yield f"channel{number}\\assigned_signal_name={_quoted(signal)}"


def _argb(colour: str) -> int:
    return 0xFF000000 | int(colour.removeprefix("#"), 16)


def _quoted(text: str) -> str:
    """A string value of Qt's INI format."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(name: str) -> str:
    """A name of a section or key: Qt writes all but letters, digits, ``_``, ``-`` and ``.`` as ``%XX``."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-.") else f"%{ord(c):02X}" for c in name)


def _escaped(raw: bytes) -> str:
    """Bytes within quotes: text with zeros at its end, or every byte in hexadecimal, so that no escape runs on."""
    text = raw.rstrip(b"\0")
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in text):
        return text.decode("ascii") + "\\0" * (len(raw) - len(text))
    return "".join(f"\\x{byte:x}" for byte in raw)
