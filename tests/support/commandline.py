"""Running the command line in tests, as a user does."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

import schemas
from matplotlib.figure import Figure

from gpiorig.analysis.report.blocks import Picture
from gpiorig.rig import cli
from gpiorig.rig.recordings.provenance import NOT_ASKED, VIRTUAL

ROOT = Path(__file__).resolve().parents[2]
# What `rig.recordings.standing` prints of a recording that is complete, and of files.
STATED = re.compile(
    r"^[^\n]+: (?:complete|a file, whose state is not known)\n(?:  [^\n]+\n)*"
    rf"|^[^\n]+: (?:{re.escape(VIRTUAL)}|{re.escape(NOT_ASKED)})\n",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished `gpiorig` command; `stated` is what stderr has of recordings that are complete, `stderr` the rest."""

    status: int
    stdout: str
    stderr: str
    stated: str = ""

    @classmethod
    def of(cls, status: int, stdout: str, stderr: str) -> Finished:
        """With what is on stderr in two parts."""
        return cls(status, stdout, STATED.sub("", stderr), "".join(match[0] for match in STATED.finditer(stderr)))

    @property
    def numbers(self) -> dict[str, Any]:
        """Its output as the one JSON object it should be."""
        numbers = json.loads(self.stdout)
        assert isinstance(numbers, dict)
        return numbers


def gpiorig(*words: str | Path, path: str | None = None, figures: bool = False) -> Finished:
    """Run the command line in this process, or with another PATH in a process of its own.

    The start of a process costs more than most commands, and the figures most of a report: without `figures` a report's
    are blank. The demo that tests share is made by a process as a user starts it, and has them all.
    """
    if path is not None:
        return gpiorig_process(*words, environment={"PATH": path})
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    drawn = contextlib.nullcontext() if figures else patch.object(Picture, "drawn", lambda _: Figure(figsize=(1, 1)))
    with drawn, redirect_stdout(io.StringIO()) as stdout, redirect_stderr(io.StringIO()) as stderr:
        try:
            status = cli.main([str(word) for word in words])
        except SystemExit as end:  # argparse ends so
            status = int(end.code or 0)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    schemas.hold([*map(str, words)], stdout.getvalue())
    return Finished.of(status, stdout.getvalue(), stderr.getvalue())


def gpiorig_process(
    *words: str | Path, environment: Mapping[str, str] | None = None, deadline_s: float = 280
) -> Finished:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "gpiorig.rig", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=deadline_s,
        env=os.environ | (environment or {}),
        check=False,
    )
    schemas.hold([*map(str, words)], done.stdout)
    return Finished.of(done.returncode, done.stdout, done.stderr)


@contextmanager
def gpiorig_running(
    *words: str | Path, ignore: bool = False, stdin: IO[str] | int | None = subprocess.PIPE
) -> Iterator[subprocess.Popen[str]]:
    """A command that runs meanwhile, in a session of its own.

    It receives SIGINT and SIGHUP as from a terminal, although the tests may ignore them (background, nohup);
    or it ignores both.
    """
    signals = f"--{'ignore' if ignore else 'default'}-signal=INT,HUP"
    process = subprocess.Popen(
        ["env", signals, sys.executable, "-m", "gpiorig.rig", *map(str, words)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo recording and what the command printed."""

    folder: Path
    numbers: dict[str, Any]


def record_demo(folder: Path, *words: str, as_a_user: bool = False) -> Demo:
    """`gpiorig demo` into a folder, successfully; as a user does, in a process of its own and with figures."""
    run = gpiorig_process if as_a_user else gpiorig
    done = run("demo", "-o", folder, "--json", *words)
    assert (0, "") == (done.status, done.stderr)
    return Demo(folder, done.numbers)
