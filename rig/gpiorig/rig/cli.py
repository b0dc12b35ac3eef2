"""The command line: the options and the work of a verb, in `commands/`, are imported only when it is called."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import keyword
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

from gpiorig.capture import log, memory
from gpiorig.capture.errors import Error, SerialPortError
from gpiorig.capture.recording import new_folder
from gpiorig.rig import signals, terminal
from gpiorig.rig.arguments import COMMANDS, GROUPS, ROOM_OF, STUDY_VERBS, common_options, overwriting, places
from gpiorig.rig.arguments.parser import EXIT_WRONG_USE, Parser, WrongUse, did_you_mean, leaves
from gpiorig.rig.distributions import STUDIES
from gpiorig.rig.errors import Interrupted
from gpiorig.rig.verbosity import SHOWN

EXIT_DONE = 0
EXIT_SIGNAL = 128  # and the number of the signal, as shells have it

DESCRIPTION = """\
Where a packet's time and jitter come from: GPIO probes on several boards, one logic analyzer,
per-packet timelines across nodes."""

EPILOG = """\
examples:
  gpiorig demo                                two virtual boards, a capture, a report
  gpiorig run bench.toml experiment.toml -o run
  gpiorig report run                          rebuild tables, figures and page of a recording
  gpiorig export run --pulseview --open       look at it in PulseView, decoded
  gpiorig --completion bash > ~/.local/share/bash-completion/completions/gpiorig
                                              also zsh (a folder of `fpath`), fish: completes commands, options,
                                              their values, names of benches and experiments, files

`gpiorig COMMAND --help` shows the options and examples of a command.
exit status: 0 done, 1 a check failed, 2 wrong use or bad input, 130 interrupted (Ctrl-C; 143 SIGTERM, 129 SIGHUP),
141 the output was closed.
`gpiorig capture` and `gpiorig view` that Ctrl-C ends are done."""

LOGGED = ("demo", "run", "capture", "serial")  # what makes a recording, with its log in it
COMPLETION = "--completion"
SHELLS = ("bash", "zsh", "fish")
HELP_WORDS = ("-h", "--help", "help")
OTHER_WORDS = {
    "record": "capture",
    "version": "--version",
    "scan": "bench scan",
    "list": "bench list",
    "plan": "bench plan",
    "verify": "bench verify",
    "check": "bench check",
    "show": "info",
    "live": "view --follow",
    "open": "view",
    "plot": "report",
    "convert": "export",
    "diff": "compare",
    "test": "compare",
    "jitter": "measure",
    "query": "store query",
}


def help_text() -> str:
    """The commands in their groups, with examples and exit statuses."""
    width = max(map(len, COMMANDS))
    groups = [
        "\n".join([f"{group}:", *(f"  {name:{width}}  {summary}" for name, summary in commands.items())])
        for group, commands in GROUPS.items()
    ]
    return "\n\n".join(
        ["usage: gpiorig COMMAND ...   gpiorig --help | --version | --completion SHELL", DESCRIPTION, *groups, EPILOG]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; print an error as what, where, what to do."""
    memory.reuse()
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows ASCII only gets ? for µ, not a traceback
    with terminal.shown():
        return _main(words)


def _main(words: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        from gpiorig.rig.arguments import completers

        completers.complete(tree())
    if words[:1] == ["--version"]:
        from importlib.metadata import version

        print(f"gpiorig {version('gpiorig')}")
        return EXIT_DONE
    if not words or words[0] in HELP_WORDS:
        return _help(words)
    if words[0].partition("=")[0] == COMPLETION:
        return _guarded(COMPLETION, words, _print_completion)
    if words[0] not in COMMANDS:
        hint = did_you_mean(words[0], COMMANDS, OTHER_WORDS)
        print(f"gpiorig: error: no command {words[0]!r}{hint}; `gpiorig --help` lists them", file=sys.stderr)
        return EXIT_WRONG_USE
    return _guarded(words[0], words[1:], _run)


def _help(words: list[str]) -> int:
    """Print the help of everything, or of the command after the word `help`."""
    if words[:1] == ["help"] and len(words) > 1:
        return _main([*words[1:], "--help"])
    print(help_text())
    return EXIT_DONE if words else EXIT_WRONG_USE


def _print_completion(_: str, words: list[str]) -> int:
    """Print the script that completes words in a shell."""
    shell = tree().parse_args(words).completion
    from argcomplete.shell_integration import shellcode

    print(shellcode(["gpiorig"], shell=shell))
    return EXIT_DONE


def module(part: str, command: str) -> ModuleType:
    """The "arguments" of a verb, or its work ("commands"); a name that is a keyword of Python ends in an underscore."""
    if command in STUDY_VERBS:
        return STUDIES.module(f"{part}.{command}", needed_by=f"gpiorig {command}")
    name = f"{command}_work" if part == "commands" else f"{command}{'_' * keyword.iskeyword(command)}"
    return importlib.import_module(f"gpiorig.rig.commands.{ROOM_OF[command]}.{name}")


def options_of(command: str, parser: Callable[..., Parser] = Parser) -> Parser:
    """The parser of one command; `parser` makes an empty one."""
    arguments = module("arguments", command)
    options = parser(prog=f"gpiorig {command}", description=COMMANDS[command], epilog=arguments.EPILOG)
    arguments.add_arguments(options)
    for leaf in leaves(options):
        common_options.add_arguments(leaf)
    return options


def tree() -> Parser:
    """The parser of all commands, for completion and for the manual page; a call needs that of its command only."""
    top = Parser(prog="gpiorig", description=DESCRIPTION, epilog=EPILOG)
    top.add_argument("--version", action="store_true", help="print the version and leave")
    completion = "print the script that completes words in this shell, and leave"
    top.add_argument(COMPLETION, choices=SHELLS, metavar="SHELL", help=f"{completion}: {', '.join(SHELLS)}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if name in STUDY_VERBS and not STUDIES.is_installed:
            continue
        options_of(name, partial(commands.add_parser, name, help=summary))
    return top


def _run(command: str, words: list[str]) -> int:
    parser = options_of(command)
    parsed = parser.parse_args(words)
    SHOWN.quiet, SHOWN.verbose = parsed.quiet, bool(parsed.verbose)
    log.begin(sys.stderr if parsed.verbose > 1 else None)
    log.LOG.info("%s", shlex.join(["gpiorig", command, *words]))
    overwriting.check(parsed)
    _check(command, parser, parsed)
    return _worked(command, parsed)


def _worked(command: str, parsed: argparse.Namespace) -> int:
    """Do the work; the exit status."""
    work = module("commands", command)
    try:
        with signals.raised():
            status = int(work.run(parsed))
            sys.stdout.flush()
    except Exception as error:
        if command in LOGGED and parsed.output is not None:
            _keep_log(parsed.output, error)
        raise
    except KeyboardInterrupt as end:
        if command in LOGGED and parsed.output is not None and (parsed.output / new_folder.DESCRIPTION).is_file():
            end.add_note(f"{parsed.output} has what was recorded until then; `gpiorig info {parsed.output}` shows it")
        raise
    return status


def _check(command: str, parser: Parser, parsed: argparse.Namespace) -> None:
    """Refuse options that do not go together, and files that are not there, before the work is imported."""
    if check := getattr(module("arguments", command), "check", None):
        check(parsed)
    places.check(parser, parsed)


def _keep_log(output: Path, error: Exception) -> None:
    """Keep the log of a recording that did not come about, as soon as a program was run for it; the error names it."""
    from gpiorig.rig.host import log_file

    if log.has_run_programs() and not (output / log.NAME).exists() and (path := log_file.saved(output, error)):
        error.add_note(f"log: {path}")


def _guarded(command: str, words: list[str], run: Callable[[str, list[str]], int]) -> int:
    """Run a command, and turn what ends it into a line and an exit status."""
    try:
        return run(command, words)
    except SystemExit as end:  # of a parser: its help, or wrong use
        if isinstance(end, WrongUse):
            _print_object(end, end.text, words)
        return int(end.code or EXIT_DONE)
    except BaseException as error:
        return _ended(error, command, words)


def _ended(error: BaseException, command: str, words: list[str]) -> int:
    """Print what ended a command; its exit status."""
    match error:
        case Error():
            text, status = f"error: {error}", EXIT_WRONG_USE
        case BrokenPipeError():  # the reader of our output has gone
            text, status = "", EXIT_SIGNAL + signal.SIGPIPE
        case OSError():
            text, status = f"error: {error.filename or 'output'}: {error.strerror or error}", EXIT_WRONG_USE
        case KeyboardInterrupt():
            number = error.number if isinstance(error, Interrupted) else signal.SIGINT
            text, status = "interrupted", EXIT_SIGNAL + number
        case Exception() if interruption := signals.converted():
            text, status = "interrupted", EXIT_SIGNAL + interruption.number
        case Exception():
            text, status = f"error: {_unexpected(error, [command, *words])}", EXIT_WRONG_USE
        case _:
            raise error
    if text:
        _print_object(error, text.removeprefix("error: "), words)
    notes = getattr(error, "__notes__", ())
    _flush("".join(f"{line}\n" for line in (f"gpiorig {command}: {text}", *notes)) if text else "")
    return status


def _print_object(error: BaseException, text: str, words: Sequence[str]) -> None:
    """With --json an error is an object on stdout, too."""
    if "--json" not in words:
        return

    from gpiorig.rig import plain_json

    node = {"node": error.node} if isinstance(error, SerialPortError) else {}
    failure = plain_json.Failure(kind=type(error).__name__, text=text, **node)
    with contextlib.suppress(OSError):  # stdout is closed: the line on stderr states it
        print(plain_json.text(plain_json.Failed(error=failure)))


def _flush(line: str) -> None:
    """Print the last line; what cannot be written is dropped, else Python complains about it once more at its end."""
    for stream, text in ((sys.stdout, ""), (sys.stderr, line)):
        try:
            stream.write(text)
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unexpected(error: Exception, words: list[str]) -> str:
    """An error that is our fault, or that of a library, in one line; the traceback goes to a file."""
    import platform
    import tempfile
    import traceback
    from importlib.metadata import version

    first = (str(error).splitlines() or [""])[0][:200]
    summary = f"{type(error).__name__}{': ' if first else ''}{first}"
    report = f"gpiorig {version('gpiorig')}, Python {platform.python_version()}, {platform.platform()}\n{words}\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="gpiorig-", suffix=".traceback.txt", encoding="utf-8", errors="backslashreplace", delete=False
        ) as file:
            file.write(f"{report}\n{''.join(traceback.format_exception(error))}")
    except OSError:
        return (
            f"{summary}; this is a fault of gpiorig, and its traceback could not be saved: run it again with some space"
        )
    return f"{summary}; this is a fault of gpiorig: please report it, with {file.name}"


if __name__ == "__main__":
    sys.exit(main())
