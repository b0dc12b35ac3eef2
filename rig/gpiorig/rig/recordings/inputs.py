"""What a command is given to read: a recording, or a file of any known format, with what the file does not state."""

from __future__ import annotations

import argparse
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.capture import formats
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import parse_samplerate
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import table_columns
from gpiorig.rig.verbosity import note

if TYPE_CHECKING:
    from gpiorig.capture.frames.frames import Frames
    from gpiorig.capture.text.node_lines import LineBlock, NodeLines

    Content = Waveform | NodeLines | Frames


OF_TABLES = {"channel", "level", "levels", "group"}  # of `table_columns.ROLES`: lines of a log have none


def read_options(options: argparse.Namespace) -> ReadOptions:
    """Return the options as the readers take them."""
    return ReadOptions(
        samplerate_hz=None if options.samplerate is None else parse_samplerate(options.samplerate) or None,
        unitsize=options.unitsize,
        channels=tuple(options.channels.split(",")) if options.channels else (),
        columns=table_columns.columns(options.columns or ""),
        recover=options.recover,
    )


def open_file(
    path: Path, options: argparse.Namespace, *, remarks: bool = True, as_sigrok: bool = False
) -> tuple[str, Content]:
    """Open a file; returns the name of its format, and what is in it.

    Parameters
    ----------
    path, options
        The file, and the options of `gpiorig.rig.arguments.input_options`.
    remarks
        Print what the reader of a capture or a log remarks, on stderr, once all of it is read; False for a command that
        does so itself.
    as_sigrok
        As of `ReadOptions`.
    """
    name = format_of(path, options)
    module = formats.module(name)
    if not path.exists():
        raise RigError(f"{path}: there is no such file; check the name.")
    try:
        content = module.read(path, dataclasses.replace(read_options(options), as_sigrok=as_sigrok))
    except IsADirectoryError as error:
        raise RigError(f"{path}: is a folder but not a recording; give a file.") from error
    return name, with_remarks(path, content) if remarks else content


def format_of(path: Path, options: argparse.Namespace) -> str:
    """The name of a file's format; text whose columns or channels are named is a table, one of known width samples."""
    if options.format:
        return str(options.format)
    is_table = bool(options.channels) or not OF_TABLES.isdisjoint(read_options(options).columns)
    try:
        name = formats.recognise(path)
    except FormatError:
        if path.is_file() and options.unitsize:
            return "raw"
        if path.is_file() and (options.columns or options.channels):
            return "csv"
        raise
    return "csv" if name == "text_log" and is_table else name


def with_remarks(path: Path, content: Content) -> Content:
    """A capture or a log whose remarks are printed, on stderr, when it has been read, each of them once."""
    reported: set[str] = set()

    def warn(remarks: Iterable[str]) -> None:
        for remark in remarks:
            if remark not in reported:
                note(f"{path}: {remark}")
            reported.add(remark)

    def blocks(waveform: Waveform) -> Iterator[Block]:
        yield from waveform.read()
        warn(waveform.remarks)

    if isinstance(content, Waveform):
        return dataclasses.replace(content, read=lambda: blocks(content))

    from gpiorig.capture.text.node_lines import NodeLines, irregularities  # after the check: a capture does not need it

    def lines(log: NodeLines) -> Iterator[LineBlock]:
        dirt: Counter[str] = Counter()
        for block in log.read():
            dirt.update(block.dirt)
            yield block
        warn(irregularities(dirt))

    if isinstance(content, NodeLines):
        return dataclasses.replace(content, read=lambda: lines(content))
    return content
