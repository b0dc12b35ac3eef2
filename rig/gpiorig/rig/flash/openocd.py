"""OpenOCD as a child process that carries out Tcl commands.

Its Tcl RPC (OpenOCD's manual, "Tcl Scripting API": a command and its result end with 0x1A each) goes over its standard
input and output, so others cannot use it, and OpenOCD ends when we end.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from gpiorig.capture import log
from gpiorig.capture.log import LOG
from gpiorig.rig.errors import FlashError

START = "gdb_port disabled; telnet_port disabled; tcl_port pipe; noinit"

_END = b"\x1a"
_STOP_S = 10.0
_ERROR = re.compile(r"^(?:.*\bError: |(?=.*\bUNEXPECTED\b))(.*)$", re.MULTILINE)
_LONGEST_REASON = 3  # lines
MAX_LOGGED = 200  # characters of a command, and of its result, in the log: they may have the content of memory


class Openocd:
    """A running OpenOCD; a context manager that ends it.

    Parameters
    ----------
    words
        Of its command line, after those that make it listen to us.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._log = tempfile.TemporaryFile()
        self._began_s = time.monotonic()
        command = ["openocd", "-c", START, *words]
        log.runs(command)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,  # Ctrl-C is ours: a chip is not left halted
                bufsize=0,
            )
        except FileNotFoundError as error:
            self._log.close()
            raise FlashError("openocd is not installed. Run `apt-get install openocd`.") from error

    def call(self, command: str, *, deadline_s: float) -> str:
        """Carry out a Tcl command; its result.

        Raises
        ------
        FlashError
            It failed, with OpenOCD's own words, or took longer than the deadline.
        """
        logged_before, began_s = len(self.log), time.monotonic()
        answer = self._exchange(f"format {{%d %s}} [catch {{{command}}} m] $m", deadline_s)
        if answer is None:
            self._process.kill()  # its late answer would be taken for that of the next command
            raise FlashError(f"OpenOCD does not end `{command}` within {deadline_s:.0f} s.")
        code, _, result = answer.partition(" ")
        took_s, outcome = time.monotonic() - began_s, "done" if code == "0" else "failed"
        LOG.info(
            "openocd: `%s`: %s after %.2f s: %s", command[:MAX_LOGGED], outcome, took_s, result[:MAX_LOGGED].strip()
        )
        if code != "0":
            reasons = _ERROR.findall(self.log[logged_before:]) or [result.strip() or "it gives no reason"]
            raise FlashError(f"OpenOCD, `{command}`: {'; '.join(reasons[-_LONGEST_REASON:])}")
        return result.strip()

    def _exchange(self, command: str, deadline_s: float) -> str | None:
        """What OpenOCD answers, or None if it does not."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        end_s, answer = time.monotonic() + deadline_s, b""
        try:
            self._process.stdin.write(command.encode() + _END)
        except BrokenPipeError:
            raise self._ended() from None
        while not answer.endswith(_END):
            if not select.select([self._process.stdout], [], [], max(0.0, end_s - time.monotonic()))[0]:
                return None
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise self._ended()
            answer += data
        return answer[:-1].decode(errors="replace")

    def _ended(self) -> FlashError:
        return FlashError(f"OpenOCD ended: {'; '.join(_ERROR.findall(self.log)[-_LONGEST_REASON:]) or self.log[-200:]}")

    @property
    def log(self) -> str:
        """What OpenOCD has printed until now."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def close(self) -> None:
        """End it: its standard input ends."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        log.ended("openocd", self._process.returncode, began_s=self._began_s, messages=self.log)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
