"""The command line: one module per verb in `commands/`, imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence

from gpiorig.rig import heap
from gpiorig.rig.commands import COMMANDS

EXIT_DONE, EXIT_CHECK_FAILED, EXIT_WRONG_USE = 0, 1, 2

DESCRIPTION = """\
Where a packet's time and jitter come from: GPIO probes on several boards, one logic analyzer,
per-packet timelines across nodes."""

EPILOG = """\
examples:
  gpiorig demo                                two virtual boards, a capture, a report
  gpiorig run bench.toml experiment.toml -o run
  gpiorig report run                          rebuild tables, figures and page of a recording
  gpiorig export run -o run.sr                look at it in PulseView

exit status: 0 done, 1 a check failed, 2 wrong use or bad input."""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; the verbs' own options come from their modules."""
    top = argparse.ArgumentParser(
        prog="gpiorig",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="print the version and leave")
    verbs = top.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        verbs.add_parser(name, help=summary, add_help=False)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; print an error as what, where, what to do."""
    heap.give_back()
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows ASCII only gets ? for µ, not a traceback
    if words[:1] == ["--version"]:
        from importlib.metadata import version

        print(f"gpiorig {version('gpiorig')}")
        return EXIT_DONE
    if not words or words[0] not in COMMANDS:
        top = parser()
        if not words:
            top.print_help()
            return EXIT_WRONG_USE
        top.parse_args(words)
        return EXIT_DONE
    return _run(words[0], words[1:])


def options_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    module = importlib.import_module(f"gpiorig.rig.commands.{command}")
    options = argparse.ArgumentParser(
        prog=f"gpiorig {command}",
        description=COMMANDS[command],
        epilog=module.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(options)
    return options


def _run(command: str, words: list[str]) -> int:
    parsed = options_of(command).parse_args(words)
    module = importlib.import_module(f"gpiorig.rig.commands.{command}")

    from gpiorig.analysis.errors import AnalysisError
    from gpiorig.capture.errors import CaptureError
    from gpiorig.rig.errors import RigError

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does: in order
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        return int(module.run(parsed))
    except (RigError, CaptureError, AnalysisError) as error:
        print(f"gpiorig {command}: error: {error}", file=sys.stderr)
        return EXIT_WRONG_USE
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_CHECK_FAILED
    except OSError as error:
        print(f"gpiorig {command}: error: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        print(f"gpiorig {command}: interrupted", file=sys.stderr)
        return EXIT_CHECK_FAILED


if __name__ == "__main__":
    sys.exit(main())
