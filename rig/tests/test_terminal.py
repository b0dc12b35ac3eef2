"""What the commands print cannot command a terminal; progress bars can, and so can formats of others in a file."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from tqdm import tqdm

from gpiorig.rig import terminal


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def on_terminal() -> Iterator[tuple[Terminal, Terminal]]:
    """Standard output and error are a terminal, and `shown` is on."""
    streams = Terminal(), Terminal()
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        with terminal.shown():
            yield streams
        assert (sys.stdout, sys.stderr) == streams


def test_messages_have_no_control_characters() -> None:
    """On both streams, for a while; lines and tabs stay."""
    with on_terminal() as streams:
        for stream in (sys.stdout, sys.stderr):
            print("channel a\x1b[2J\r\x9b:\t1 edge\n  b", file=stream)

    assert ["channel a\\u001b[2J\\u000d\\u009b:\t1 edge\n  b\n"] * 2 == [stream.getvalue() for stream in streams]


def test_a_format_of_others_is_escaped_on_a_terminal_only() -> None:
    """What sigrok-cli prints, or IoT-LAB's aggregator, is byte for byte in a file."""
    file = io.StringIO()
    with on_terminal() as streams:
        print("text\x1b[2J", file=terminal.verbatim())
    with redirect_stdout(file), terminal.shown():
        print("text\x1b[2J", file=terminal.verbatim())

    assert ("text\\u001b[2J\n", "text\x1b[2J\n") == (streams[0].getvalue(), file.getvalue())


def test_progress_bars_are_drawn() -> None:
    """Two of them, one below the other, move the cursor."""
    looks = {"total": 2, "mininterval": 0, "ncols": 60, "disable": None}
    with on_terminal() as streams, tqdm(desc="outer", **looks) as outer:
        with tqdm(desc="inner", leave=False, **looks) as inner:
            inner.update(1)
        outer.update(1)

    drawn = streams[1].getvalue()
    assert "\\u00" not in drawn
    assert "\router:  50%" in drawn
    assert "\rinner:  50%" in drawn
    assert "\x1b[A" in drawn
