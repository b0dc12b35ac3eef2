"""`gpiorig view --follow`: show the results of a capture while it runs."""

from __future__ import annotations

import argparse
import shutil
from fractions import Fraction

from gpiorig.capture.printable import printable_lines
from gpiorig.rig import plain_json, terminal
from gpiorig.rig.live import view
from gpiorig.rig.live.watch import Update, Watch

WINDOW_S, SETTLE_S, INTERVAL_S = Fraction(30), Fraction(2), Fraction(2)
CLEAR_BELOW = "\x1b[J"
NEWLINE = "\n"


def run(options: argparse.Namespace) -> int:
    """Show updates until the capture has ended; 1 if its recording is not complete."""
    given = (options.window, options.settle, options.interval)
    defaults = (WINDOW_S, SETTLE_S, INTERVAL_S)
    window_s, settle_s, interval_s = (
        default if time is None else time for time, default in zip(given, defaults, strict=True)
    )
    watch = Watch(options.recordings[0], window_s=window_s, settle_s=settle_s)
    drawn = 0
    for update in watch.updates(float(interval_s)):
        drawn = _show(update, as_json=options.json, drawn=drawn)
        if update.is_last:
            return 0 if update.state == "complete" else 1
    raise AssertionError("the updates of a capture end with its last one")


def _show(update: Update, *, as_json: bool, drawn: int) -> int:
    """Print an update, on a terminal in place of the last one, of which `drawn` lines are there; the lines of this."""
    output = terminal.unfiltered()
    if as_json:
        print(plain_json.text(view.numbers(update)), file=output, flush=True)
        return 0
    if not output.isatty():
        print(printable_lines(view.line(update)), file=output, flush=True)
        return 0
    columns, rows = shutil.get_terminal_size()
    lines = [text[: columns - 1] for text in printable_lines(view.table(update)).splitlines()]
    if len(lines) > rows - 1 and not update.is_last:  # what is above the screen cannot be drawn again
        lines = [*lines[: rows - 2], "…"]
    up = f"\x1b[{drawn}A\r{CLEAR_BELOW}" if drawn else ""
    print(f"{up}{NEWLINE.join(lines)}", file=output, flush=True)
    return len(lines)
