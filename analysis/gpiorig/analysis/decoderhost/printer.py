"""Prints what sigrok-cli prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gpiorig.analysis.decoderhost.errors import Outside
from gpiorig.analysis.decoderhost.native import Lines
from gpiorig.analysis.decoderhost.outputs import Output, annotation_line, meta_line


class Printer:
    """A sink of text; annotations go to its lines without a call of Python.

    Parameters
    ----------
    write
        Takes lines, many at a time.
    write_bytes
        Takes the bytes of binary outputs.
    samplenum
        With sample numbers, as --protocol-decoder-samplenum does.
    limit
        Bytes of lines from which on they are written.
    """

    def __init__(
        self, write: Callable[[str], object], *, write_bytes: Callable[[bytes], object], samplenum: bool, limit: int
    ) -> None:
        # Not a method of its own: the lines would keep it, and it the lines.
        self.lines, self.samplenum = Lines(partial(_write_lines, write), limit), samplenum
        self._write_bytes = write_bytes

    def flush(self) -> None:
        """Write what has come together."""
        try:
            self.lines.flush()
        except Outside as outside:
            raise outside.error from None

    def _add(self, line: str) -> None:
        self.lines.add(line.encode(errors="replace").decode() + "\n")  # halves of pairs of surrogates as "?"

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        """Print an annotation."""
        self._add(annotation_line(output, start, end, texts, samplenum=self.samplenum))

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        """Objects are not printed."""
        raise NotImplementedError("objects are not printed")

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        """Write bytes."""
        self._write_bytes(data)

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        """Print a value."""
        self._add(meta_line(output, start, end, value, samplenum=self.samplenum))


def _write_lines(write: Callable[[str], object], lines: bytes) -> None:
    """Write lines, in the midst of a decoder's put()."""
    try:
        write(lines.decode())
    except Exception as error:
        raise Outside(error) from error
