"""The program `gpiorig`; Ctrl-C ends it, without Python's traceback, also while its modules are imported."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line; an exit status."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gpiorig.rig import cli, signals

    status = cli.main()
    signals.end_at_once()  # Python's end has nothing to put in order, and would print a traceback
    return status


if __name__ == "__main__":
    sys.exit(main())
