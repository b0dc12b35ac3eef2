"""The stacks of `-P`: decoders from the bottom up, the channels of the lowest, options of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.library import Kind, Library

UNMAPPED = -1
LOGIC = "logic"
OCTAL = re.compile(r"[+-]?0[0-7]+")
INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One decoder of a stack.

    Attributes
    ----------
    name
        Instance name, such as "spi-1".
    kind
        The decoder.
    options
        Value of every option.
    """

    name: str
    kind: Kind
    options: dict[str, str | int | float]


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Decoders on top of each other.

    Attributes
    ----------
    number
        1 for the first -P.
    layers
        From the bottom up.
    bits
        Bit of the capture for each channel of the lowest decoder; UNMAPPED for an optional one that is not given.
    """

    number: int
    layers: tuple[Layer, ...]
    bits: tuple[int, ...]


def parse_stacks(specifications: Sequence[str], library: Library, channels: Sequence[str]) -> list[Stack]:
    """Understand the texts of several -P, such as "spi:clk=SCK:mosi=MOSI,at86rf2xx".

    Without any channel, a decoder's first channel is bit 0 and so on, as with sigrok-cli.

    Parameters
    ----------
    specifications
        One text for each stack.
    library
        Where decoders are loaded from.
    channels
        Channel names of the capture, bit 0 first; "" for a bit that is not in use.

    Raises
    ------
    DecoderError
        There is no such decoder, channel, option or value, or the stack does not fit together.
    """
    stacks: list[Stack] = []
    count: dict[str, int] = {}
    for number, specification in enumerate(specifications, start=1):
        layers: list[Layer] = []
        bits: tuple[int, ...] = ()
        for text in specification.split(","):
            decoder_id, *pairs = text.split(":")
            kind = library.load(decoder_id)
            given = _pairs(decoder_id, pairs)
            wires = {name: given.pop(name) for name in kind.channels if name in given}
            options = _options(kind, given)
            if layers:
                _check_fit(layers[-1].kind, kind, wires)
            else:
                bits = _bits(kind, wires, channels)
            count[decoder_id] = count.get(decoder_id, 0) + 1
            layers.append(Layer(f"{decoder_id}-{count[decoder_id]}", kind, options))
        stacks.append(Stack(number, tuple(layers), bits))
    return stacks


def _pairs(decoder_id: str, texts: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise DecoderError(f"{decoder_id}: {text!r} has no value; write {decoder_id}:{name or 'NAME'}=VALUE")
        if name in given:
            raise DecoderError(f"{decoder_id}: {name} is given twice; give it once")
        given[name] = value
    return given


def _check_fit(below: Kind, kind: Kind, wires: dict[str, str]) -> None:
    if wires:
        raise DecoderError(
            f"{kind.id}: {next(iter(wires))} is a channel, but a decoder on top of another is given none (nor does "
            "sigrok-cli give it any); put it first in a stack of its own"
        )
    if not set(kind.inputs) & set(below.outputs):
        gives = ", ".join(below.outputs) or "nothing"
        raise DecoderError(f"{kind.id} takes {', '.join(kind.inputs)}, but {below.id} below it gives {gives}")


def _bits(kind: Kind, wires: dict[str, str], channels: Sequence[str]) -> tuple[int, ...]:
    if LOGIC not in kind.inputs:
        raise DecoderError(
            f"{kind.id} takes {', '.join(kind.inputs)}; put a decoder that gives it before: -P X,{kind.id}"
        )
    known = ", ".join(name for name in channels if name)
    if not wires:
        default = [bit if bit < len(channels) and channels[bit] else UNMAPPED for bit in range(len(kind.channels))]
        bits = dict(zip(kind.channels, default, strict=True))
    else:
        for name, channel in wires.items():
            if channel not in channels or not channel:
                raise DecoderError(f"{kind.id}:{name}={channel}: the capture has no such channel; it has {known}")
        bits = {name: channels.index(wires[name]) if name in wires else UNMAPPED for name in kind.channels}
    for name in kind.channels[: kind.required]:
        if bits[name] == UNMAPPED:
            raise DecoderError(f"{kind.id} needs the channel {name}: add {name}=CHANNEL, one of {known}")
    return tuple(bits.values())


def _options(kind: Kind, given: dict[str, str]) -> dict[str, str | int | float]:
    for name in given:
        if name not in kind.options:
            known = ", ".join((*kind.channels, *kind.options)) or "none at all"
            raise DecoderError(f"{kind.id} has no channel or option {name!r}; it has {known}")
    chosen = dict(kind.options)
    for name, text in given.items():
        value = _converted(kind.id, name, text, kind.options[name])
        allowed = kind.values.get(name, (value,))
        if value not in allowed:
            raise DecoderError(f"{kind.id}:{name}={text}: must be one of {', '.join(str(one) for one in allowed)}")
        chosen[name] = value
    return chosen


def _converted(decoder_id: str, name: str, text: str, default: str | int | float) -> str | int | float:
    """The type is that of the default; numbers are what strtoll with base 0 and strtod take, as in sigrok-cli."""
    if isinstance(default, str):
        return text
    try:
        if isinstance(default, float):
            return float(text)
        if INTEGER.fullmatch(text) is None:
            raise ValueError
        return int(text, 8 if OCTAL.fullmatch(text) else 0)
    except ValueError as error:
        what = "a number" if isinstance(default, float) else "an integer, such as 10 or 0x0a"
        raise DecoderError(f"{decoder_id}:{name}={text}: must be {what}") from error
