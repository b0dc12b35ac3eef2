"""How wide PulseView shows traces: from the size of its window as it was when it was closed."""

from __future__ import annotations

import configparser
import os
import re
import struct
from collections.abc import Iterable
from pathlib import Path

FRESH_WIDTH = 1000  # of the window of a PulseView 0.4.2 that was not used before
# With Debian's default font: a character of a channel's label, what is around it, and the scroll bar.
_CHARACTER, _AROUND, _SCROLL_BAR = 8, 50, 15
_NARROWEST = 300
# QWidget::saveGeometry of Qt 5, big endian: magic, version, frame, normal geometry, screen, maximized, full screen,
# from version 2 on the screen's width, from version 3 on the geometry.
_GEOMETRY = struct.Struct(">IHH4i4ii??")
_MAGIC = 0x1D9D0CB
_REST = struct.Struct(">i4i")
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_PLAIN = {b"0": b"\0", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def traces_width(labels: Iterable[str]) -> int:
    """Pixels for the traces, next to the labels of these channels."""
    widest = max((len(label) for label in labels), default=0)
    return max(_NARROWEST, window_width() - widest * _CHARACTER - _AROUND - _SCROLL_BAR)


def window_width() -> int:
    """Width of PulseView's window in pixels, as it was when it was closed; of a fresh one, if that is not known."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    try:
        text = (Path(folder) / "sigrok" / "PulseView.conf").read_text(encoding="utf-8", errors="replace")
        settings = configparser.ConfigParser(interpolation=None, strict=False)
        settings.read_string(text)
        return _width(_bytes(settings["MainWindow"]["geometry"]))
    except (OSError, configparser.Error, KeyError, ValueError, struct.error):
        return FRESH_WIDTH


def _bytes(value: str) -> bytes:
    """A byte array of Qt's INI format."""
    array = re.fullmatch(r'"?@ByteArray\((.*)\)"?', value, re.DOTALL)
    if array is None:
        raise ValueError(value)
    raw = array[1].encode("latin-1")
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]) if match[1] else _PLAIN.get(match[2], match[2]), raw)


def _width(saved: bytes) -> int:
    magic, version, *numbers = _GEOMETRY.unpack_from(saved)
    if magic != _MAGIC:
        raise ValueError(magic)
    left, _, right, _ = numbers[5:9]  # of the normal geometry, after the minor version and the frame
    if version >= 3:
        _, left, _, right, _ = _REST.unpack_from(saved, _GEOMETRY.size)
    return int(right - left + 1)
