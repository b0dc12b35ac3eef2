"""Starting the virtual bench as a child process, and finding its ends."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gpiorig.capture import log
from gpiorig.capture.recording.recording import BenchRemark
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.vbench import remarks
from gpiorig.vbench.ends.usb_bus import FOLDER_VARIABLE

# Of analyzers, serial ports and debug ports, by name; variables by which programs are on a modelled USB.
Endpoints = dict[str, dict[str, Any]]

SETTLE = "settle"  # the command that a virtual bench answers with {"settled": samples sent by analyzer}
REMARKS = "remarks"  # the command that it answers with {"remarks": what the models do not cover}

_START_SECONDS = 30.0
_STOP_SECONDS = 10.0
_ANSWER_SECONDS = 10.0
_SETTLE_SECONDS = 60.0  # samples of a full buffer may be in transit to a busy host


class VirtualBenchProcess:
    """A virtual bench in a process of its own; a context manager that ends it.

    `endpoints` names sigrok's driver per analyzer and the port (and its stamps file) per node. The two talk in lines:
    the bench's are JSON objects, its endpoints first, an error last if there is one; ours are commands.
    """

    def __init__(self, bench_file: Path, *, firmware: dict[str, Path]) -> None:
        images = [f"{name}={path}" for name, path in firmware.items()]
        command = [sys.executable, "-m", "gpiorig.rig", "bench", "virtual", "--json", str(bench_file)]
        for image in images:
            command += ["--firmware", image]
        log.runs(command)
        self._began_s = time.monotonic()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._lines: list[str] = []
        self._said = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._replaced: dict[str, str | None] = {}
        self.endpoints: Endpoints = self._await_endpoints()
        self._enter_usb()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):  # a bench that is killed may leave half a line
                with self._said:
                    self._lines.append(line)
                    self._said.notify_all()
        with self._said:
            self._ended = True
            self._said.notify_all()

    def _line(self, number: int, *, deadline_s: float) -> dict[str, Any] | None:
        """The line of this number, or None if it does not come."""
        with self._said:
            self._said.wait_for(lambda: self._ended or len(self._lines) > number, deadline_s)
            return dict(json.loads(self._lines[number])) if len(self._lines) > number else None

    def _await_endpoints(self) -> Endpoints:
        first = self._line(0, deadline_s=_START_SECONDS)
        if first is None:
            self.close()
            raise VirtualBenchError("the virtual bench did not start; its messages are above.")
        if "error" in first:
            self.close()
            raise VirtualBenchError(first["error"]["text"])
        log.LOG.info("the virtual bench serves %s", first)
        return first

    def _enter_usb(self) -> None:
        """Put programs that this process starts on the modelled USB of the bench, if it has one."""
        variables = self.endpoints["environment"]
        self._replaced = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)

    def _leave_usb(self) -> None:
        """Undo that; a bench that was killed has left the files of its bus."""
        if self._replaced:
            shutil.rmtree(Path(self.endpoints["environment"][FOLDER_VARIABLE]).parent, ignore_errors=True)
        for name, value in self._replaced.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def settle(self) -> dict[str, int]:
        """Wait until nothing more is to come, or 0.1 virtual seconds have passed; the samples each analyzer has sent.

        Raises
        ------
        VirtualBenchError
            The bench has stopped, or does not answer: its samples are not read.
        """
        answer = self._answer(SETTLE, deadline_s=_SETTLE_SECONDS)
        if answer is None or "settled" not in answer:
            self.check()
            raise VirtualBenchError(f"the virtual bench does not settle: its samples wait for {_SETTLE_SECONDS:g} s.")
        return dict(answer["settled"])

    def remarks(self) -> tuple[BenchRemark, ...]:
        """What firmware did until now that the models do not cover; of a bench that has stopped, until then."""
        answer = self._answer(REMARKS, deadline_s=_ANSWER_SECONDS)
        if answer is None:
            answer = next((line for line in map(json.loads, reversed(self._lines)) if REMARKS in line), None)
        return remarks.of_json(answer or {})

    def _answer(self, command: str, *, deadline_s: float) -> dict[str, Any] | None:
        """What the bench answers; None: it has stopped before, and its last line has the reason."""
        assert self._process.stdin is not None
        number = len(self._lines)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        return self._line(number, deadline_s=deadline_s)

    def check(self, *, patience_s: float = 0.0) -> None:
        """Raise `VirtualBenchError` with the bench's own words if it has stopped, or stops within `patience_s`."""
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return
        self._reader.join(_STOP_SECONDS)
        last = json.loads(self._lines[-1]) if self._lines else {}
        ended = {"text": f"the virtual bench ended with status {self._process.returncode}."}
        raise VirtualBenchError(last.get("error", ended)["text"])

    def close(self) -> None:
        """End the process; it stops when its standard input ends."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_STOP_SECONDS)
        self._leave_usb()
        if self._process.stdout is not None:
            self._process.stdout.close()
        log.ended("virtual bench", self._process.returncode, began_s=self._began_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
