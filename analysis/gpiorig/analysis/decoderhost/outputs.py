"""What comes out of decoders, which of it is wanted, and how sigrok-cli prints it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.library import Kind
from gpiorig.analysis.decoderhost.stack import Layer, Stack

UINT64 = (1 << 64) - 1


class OutputKind(Enum):
    """The kinds of sigrokdecode.OUTPUT_*, in its order."""

    ANNOTATION = "annotation"
    PYTHON = "python"
    BINARY = "binary"
    META = "meta"


@dataclass(frozen=True, slots=True)
class Output:
    """One registered output of a decoder.

    Attributes
    ----------
    number
        What `put` takes.
    kind
        What goes through it.
    source
        What it is printed as: the name of the instance, unless the decoder wants another one.
    stack
        Number of the stack.
    layer
        The decoder.
    meta_type, meta_name, meta_description
        Of a value.
    """

    number: int
    kind: OutputKind
    source: str
    stack: int
    layer: Layer
    meta_type: type | None = None
    meta_name: str = ""
    meta_description: str = ""


class Sink(Protocol):
    """Takes what was chosen. Samples are those of the capture; `start` and `end` may be in any order."""

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        """Take texts, the longest first, of annotation class `number`."""

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        """Take an object that goes to the decoder above."""

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        """Take bytes of binary class `number`."""

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        """Take a value."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted of each kind: classes by decoder id, None for all of them. An absent decoder: nothing of it.

    Attributes
    ----------
    wanted
        By kind and decoder id.
    """

    wanted: dict[OutputKind, dict[str, set[int] | None]] = field(default_factory=dict)

    @classmethod
    def everything(cls, stacks: Sequence[Stack], *kinds: OutputKind) -> Selection:
        """All outputs of some kinds."""
        ids = {layer.kind.id for stack in stacks for layer in stack.layers}
        return cls({kind: dict.fromkeys(ids) for kind in kinds})

    def classes(self, kind: OutputKind, decoder_id: str) -> set[int] | None:
        """Return the classes that are wanted of a decoder; None for all of them."""
        return self.wanted.get(kind, {}).get(decoder_id, set())

    def add(self, kind: OutputKind, text: str, stacks: Sequence[Stack]) -> None:
        """Understand -A, -B or -M: "uart=rx-data:tx-data,spi"; annotations by class or row, as with sigrok-cli.

        Raises
        ------
        DecoderError
            No stack has that decoder, or the decoder no such class.
        """
        kinds = {layer.kind.id: layer.kind for stack in stacks for layer in stack.layers}
        chosen = self.wanted.setdefault(kind, {})
        for part in text.split(","):
            decoder_id, _, names = part.partition("=")
            if decoder_id not in kinds:
                raise DecoderError(f"no stack has a decoder {decoder_id!r}; there are {', '.join(kinds)}")
            if not names:
                chosen[decoder_id] = None
                continue
            numbers = chosen.setdefault(decoder_id, set())
            for name in filter(None, names.split(":")):
                row_numbers = _numbers(kind, kinds[decoder_id], name)
                if numbers is not None:
                    numbers |= row_numbers


def _numbers(kind: OutputKind, decoder: Kind, name: str) -> set[int]:
    if kind is OutputKind.ANNOTATION:
        classes: Sequence[str] = decoder.annotations
        rows = decoder.rows
    else:
        classes = decoder.binaries if kind is OutputKind.BINARY else ()
        rows = {}
    for number, known in enumerate(classes):
        if _canonical(known) == _canonical(name):
            return {number}
    for row, numbers in rows.items():
        if _canonical(row) == _canonical(name):
            return set(numbers)
    known_names = ", ".join((*classes, *rows)) or "none"
    raise DecoderError(f"{decoder.id} has no {kind.value} {name!r}; it has {known_names}")


def _canonical(name: str) -> str:
    """sigrok-cli compares letters and digits only."""
    return re.sub("[^a-z0-9]", "", name.lower())


def annotation_line(output: Output, start: int, end: int, texts: Sequence[str], *, samplenum: bool) -> str:
    """Return an annotation as sigrok-cli prints it, without the line's end.

    Parameters
    ----------
    output, start, end, texts
        The annotation.
    samplenum
        With sample numbers, as --protocol-decoder-samplenum does.
    """
    span = f"{start & UINT64}-{end & UINT64} " if samplenum else ""
    return f"{span}{output.source}: {texts[0] if texts else '(null)'}"


def meta_line(output: Output, start: int, end: int, value: int | float, *, samplenum: bool) -> str:
    """Return a value as sigrok-cli prints it, without the line's end."""
    span = f"{start & UINT64}-{end & UINT64} " if samplenum else ""
    return f"{span}{output.source}: {output.meta_name}: {meta_text(value)}"


def meta_text(value: int | float) -> str:
    """Return a value as g_variant_print writes it: a double with 17 digits and a point."""
    text = f"{value:.17g}" if isinstance(value, float) else str(value)
    return text if isinstance(value, int) or re.search("[.eEnN]", text) else f"{text}.0"
