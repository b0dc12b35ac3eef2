"""What `gpiorig export` writes into a file, by its suffix and the options."""

from __future__ import annotations

import argparse

from gpiorig.analysis.tables.suffixes import SUFFIXES
from gpiorig.capture import formats
from gpiorig.rig.errors import RigError

# Formats of what is decoded; all others are of edges, a module of `gpiorig.capture.formats` each.
TRACES: dict[str, tuple[str, ...]] = {"perfetto": (".pftrace", ".perfetto-trace")}
FRAMES: dict[str, tuple[str, ...]] = {"pcap": (".pcapng",)}
_OF_RECORDINGS = {"trace": "a trace", "table": "a table"}
_WINDOW = ("channels", "packet", "begin", "end")
# Options that do not go with a kind, and why.
_REFUSED = {
    "edges": ((), ""),
    "trace": (("channels",), "a trace shows what was decoded"),
    "frames": (_WINDOW, "all frames are written"),
    "table": (_WINDOW, "the complete table is written"),
}


def of(options: argparse.Namespace) -> tuple[str, str]:
    """What is written ("edges", "trace", "frames", "table") and the name of the format; raises `RigError`."""
    suffix = options.output.suffix
    endings_of = {"trace": TRACES, "frames": FRAMES, "edges": _edge_formats()}
    if options.table != "edges":
        if options.written_as or suffix not in SUFFIXES:
            raise RigError(f"{options.output}: a table is a file that ends in {', '.join(SUFFIXES)}.")
        return "table", suffix[1:]
    fitting = [
        (name != suffix[1:], kind, name)  # where several have an ending, it is that of the format of its name
        for kind, endings in endings_of.items()
        for name, suffixes in endings.items()
        if options.written_as == name or (not options.written_as and suffix in suffixes)
    ]
    if fitting:
        return min(fitting)[1:]
    if options.written_as:
        raise RigError(
            f"--as {options.written_as}: no such format can be written; there are "
            f"{', '.join(name for suffixes in endings_of.values() for name in suffixes)}."
        )
    endings = [
        suffix for kind_suffixes in endings_of.values() for suffixes in kind_suffixes.values() for suffix in suffixes
    ]
    raise RigError(f"{options.output}: the output must be a file that ends in {', '.join(dict.fromkeys(endings))}.")


def _edge_formats() -> dict[str, tuple[str, ...]]:
    """Formats of edges that can be written, with their endings."""
    modules = {name: formats.module(name) for name in formats.names() if name not in FRAMES}
    return {name: module.SUFFIXES for name, module in modules.items() if hasattr(module, "write")}


def check(options: argparse.Namespace) -> None:
    """Refuse a file of no known format, and options that do not go with what is written.

    Raises
    ------
    RigError
        One of these.
    """
    kind, _ = of(options)
    content = "the round trip of a packet" if options.packet is not None else _OF_RECORDINGS.get(kind)
    if content is not None and options.source.is_file():
        raise RigError(
            f"{options.source}: {content} is made of a recording, which also names what its channels carry; give one."
        )
    refused, why = _REFUSED[kind]
    for name in refused:
        if getattr(options, name) is not None:
            flag = {"begin": "from", "end": "to"}.get(name, name)
            raise RigError(f"--{flag} does not go with {options.output.name}: {why}.")
