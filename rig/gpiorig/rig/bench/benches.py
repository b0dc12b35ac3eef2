"""Bench files: read, complete with their boards, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.checks import check
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.rig.strict_toml import parse


def load(path: Path) -> Bench:
    """The checked bench of a file; raises `BenchError` with the file, the key and the remedy."""
    what = f"bench file {path}"
    return check(_with_boards(load_toml(path, Bench, what="bench file"), path.parent, what=what), what=what)


def loads(text: str, *, what: str = "bench", is_recorded: bool = False) -> Bench:
    """As `load`, from text; that of a recording, which is there already, needs no virtual bench."""
    bench = _with_boards(parse(text, Bench, what=what), None, what=what)
    return check(bench, what=what, is_recorded=is_recorded)


def recorded_text(path: Path) -> str:
    """The text of a bench file as a recording has it: with the boards that are files of their own."""
    text = path.read_text(encoding="utf-8")
    raw = parse(text, Bench, what=f"bench file {path}")
    named = {node.board for node in raw.nodes.values() if isinstance(node.board, str)} - (raw.boards or {}).keys()
    described = {name: boards.load_file(path.parent / name) for name in sorted(named) if boards.is_file(name)}
    if not described:
        return text
    tables = {name: _without_none(msgspec.to_builtins(board)) for name, board in described.items()}
    return f"{text.rstrip()}\n\n# Boards of files next to the bench file.\n{tomli_w.dumps({'boards': tables})}"


def from_recording(recording: Recording) -> Bench:
    """The bench that a recording was made on.

    Raises
    ------
    BenchError
        It has none, as an imported one, or one that is wrong.
    """
    if not recording.info.bench and not any(recording.info.channels):
        raise BenchError(
            f"{recording.folder}: contains no edges of an analyzer. `gpiorig info` shows its content, "
            "for packets all of it; read lines of nodes with `gpiorig serial`, `latency` or `clocks`."
        )
    if not recording.info.bench:
        raise BenchError(
            f"{recording.folder}: has no bench, which names what its channels carry, so its edges are not events: "
            "give its file to `gpiorig report --bench`, or use `measure`, `decode` or `export`, which need none."
        )
    return loads(recording.info.bench, what=f"bench in {recording.folder}", is_recorded=True)


def _with_boards(bench: Bench, folder: Path | None, *, what: str) -> Bench:
    """The bench with the description of each board that is not gpiorig's, from its `boards` or from a file."""
    nodes = {}
    for name, node in bench.nodes.items():
        board = node.board
        if isinstance(board, str) and board in (bench.boards or {}):
            board = (bench.boards or {})[board]
        elif isinstance(board, str) and boards.is_file(board) and folder is not None:
            try:
                board = boards.load_file(folder / board)
            except BenchError as error:
                raise BenchError(f"{what}: nodes.{name}.board: {error}") from error
        nodes[name] = msgspec.structs.replace(node, board=board)
    return msgspec.structs.replace(bench, nodes=nodes)


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}
