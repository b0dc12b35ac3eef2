"""A plugin of pytest: nothing may be left of a run of the tests, neither processes nor files; else the run fails.

All processes that descend from the run carry a variable in their environment, those with a new parent too. The run's
TMPDIR and HOME are fresh folders; caches and toolchains stay the user's. Under pytest-xdist the controller looks,
once, when its workers have ended.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest

MARK = "GPIORIG_TEST_RUN"
PATIENCE_S = 10.0  # a process may still be about to end when the last test is over
# What a build or a tool keeps in the checkout on purpose; paths as git prints them, folders with a slash at the end.
KEPT = re.compile(r"(^|/)(__pycache__|\.\w+_cache|\.hypothesis|\.venv|target|build|dist)/|\.(pyc|so)$")
# What stays in the user's home: where it is by default, by the variable that names it.
USER_FOLDERS = {"XDG_CACHE_HOME": ".cache", "CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv"}
OWN_FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")  # which else would lead out of the run's home


class Run:
    """One run of the tests.

    Parameters
    ----------
    root
        The checkout.
    temporary
        An empty folder, for all temporary files of the run.
    home
        An empty folder, the home of the run.
    """

    def __init__(self, root: Path, temporary: Path, home: Path) -> None:
        self._root, self._temporary, self._home = root, temporary, home
        for variable, name in USER_FOLDERS.items():
            if (folder := Path.home() / name).is_dir():
                os.environ.setdefault(variable, str(folder))
        for variable in OWN_FOLDERS:
            os.environ.pop(variable, None)
        os.environ["HOME"] = str(home)
        self._mark = str(uuid.uuid4())
        self._before = self._files()
        os.environ[MARK], os.environ["TMPDIR"] = self._mark, str(temporary)
        tempfile.tempdir = None  # is asked for again

    def leftovers(self) -> list[str]:
        """What is left of the run, a line each; processes are ended."""
        left = processes(self._mark)
        end_s = time.monotonic() + PATIENCE_S
        while left and time.monotonic() < end_s:
            time.sleep(0.05)
            left = processes(self._mark)
        for number in left:
            os.kill(number, signal.SIGKILL)
        lines = [f"process {number}: {command}" for number, command in left.items()]
        lines += [f"temporary file or folder: {path}" for path in self._temporary.iterdir()]
        lines += [f"in the home: {path}" for path in self._home.rglob("*") if path.is_file()]
        return sorted(lines + [f"file or folder: {path}" for path in self._files() - self._before])

    def _files(self) -> set[Path]:
        """Files of the checkout that git does not track, build places apart."""
        command = ["git", "-C", self._root, "status", "--porcelain", "--ignored", "--untracked-files=normal", "-z"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\0")
        names = {line[3:] for line in listed if line.startswith(("?? ", "!! "))}
        return {self._root / name for name in names if not KEPT.search(name)}


def processes(mark: str) -> dict[int, str]:
    """Command lines of the processes of a run, by number."""
    variable = f"{MARK}={mark}".encode()
    running = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if variable in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
                running[int(folder.name)] = b" ".join(words).decode(errors="replace")
        except OSError:
            continue  # it has ended, or is somebody else's
    return running


_run = pytest.StashKey[Run]()
_left = pytest.StashKey[list[str]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Look before any test, and before workers start."""
    config = session.config
    if not hasattr(config, "workerinput"):
        folders = config._tmp_path_factory  # type: ignore[attr-defined]
        temporary, home = (folders.mktemp(name, numbered=False) for name in ("temporary", "home"))
        config.stash[_run] = Run(config.rootpath, temporary, home)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Look when fixtures are torn down and workers have ended."""
    run = session.config.stash.get(_run, None)
    if run is not None:
        session.config.stash[_left] = left = run.leftovers()
        if left and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what is left."""
    left = config.stash.get(_left, [])
    if left:
        terminalreporter.section("left behind by the tests", red=True, bold=True)
        for line in left:
            terminalreporter.line(line, red=True)
