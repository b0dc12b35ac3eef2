"""Starting the virtual bench beside us, and finding its ends."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gpiorig.rig.errors import VirtualBenchError

_START_SECONDS = 30.0
_STOP_SECONDS = 10.0


class VirtualBenchProcess:
    """A virtual bench in a process of its own; a context manager that ends it.

    `endpoints` names sigrok's driver per analyzer and the port (and its stamps file) per node.
    """

    def __init__(self, bench_file: Path, *, firmware: dict[str, Path]) -> None:
        images = [f"{name}={path}" for name, path in firmware.items()]
        command = [sys.executable, "-m", "gpiorig.rig.cli", "bench", "virtual", "--json", str(bench_file)]
        for image in images:
            command += ["--firmware", image]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._lines: list[str] = []
        self._first = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.endpoints: dict[str, dict[str, Any]] = self._await_endpoints()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
            self._first.set()
        self._first.set()

    def _await_endpoints(self) -> dict[str, dict[str, Any]]:
        if not self._first.wait(_START_SECONDS) or not self._lines:
            self.close()
            raise VirtualBenchError("the virtual bench did not start; its messages are above.")
        first = json.loads(self._lines[0])
        if "error" in first:
            self.close()
            raise VirtualBenchError(first["error"])
        return dict(first)

    def check(self, *, patience_s: float = 0.0) -> None:
        """Raise `VirtualBenchError` with the bench's own words if it has stopped, or stops within `patience_s`."""
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return
        self._reader.join(_STOP_SECONDS)
        last = json.loads(self._lines[-1]) if self._lines else {}
        raise VirtualBenchError(last.get("error", f"the virtual bench ended with status {self._process.returncode}."))

    def close(self) -> None:
        """End the process; it stops when its standard input ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_STOP_SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
