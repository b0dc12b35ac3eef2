"""labgrid: a bench as a resource, and the driver that flashes and records it (docs/guide/labgrid.md).

An environment of labgrid imports this module by name, `imports: [gpiorig.api.labgrid]`; `import gpiorig` does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attr
from labgrid.driver.common import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.resource.common import NetworkResource, Resource
from labgrid.step import step
from labgrid.util.managedfile import ManagedFile

from gpiorig.api.opening import open as opened
from gpiorig.api.recording import Recording

StrPath = str | os.PathLike[str]
TOOL = "gpiorig"  # its name among the `tools` of an environment
STOP_S = 30.0  # that a command has to end in order
DONE = (0, 1)  # exit statuses of a command that has printed its result


@target_factory.reg_resource
@attr.s(eq=False)
class GpiorigBench(Resource):
    """A bench that is attached to the machine of the tests.

    Parameters
    ----------
    bench
        Its file, or the name of one that comes with gpiorig.
    """

    bench: str = attr.ib(validator=attr.validators.instance_of(str))


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkGpiorigBench(NetworkResource):
    """A bench at another machine, which is reached by SSH and has gpiorig installed.

    Parameters
    ----------
    host
        That machine.
    bench
        As of `GpiorigBench`, there.
    """

    bench: str = attr.ib(validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class GpiorigDriver(Driver):
    """Flashes the boards of a bench, and runs experiments on it, by the commands of gpiorig where the bench is.

    Parameters
    ----------
    timeout_s
        How long a command may take.
    """

    bindings = {"bench": {"GpiorigBench", "NetworkGpiorigBench"}}  # noqa: RUF012  # as labgrid has it
    timeout_s: float = attr.ib(default=600.0, converter=float)

    @Driver.check_active
    @step(args=["images"])
    def flash(
        self, images: Mapping[str, StrPath] | None = None, *, experiment: StrPath | None = None
    ) -> dict[str, dict[str, Any]]:
        """Flash the boards that do not hold their image, and read them back (docs/guide/flash.md).

        Parameters
        ----------
        images
            ELF files at this machine by node: only these boards are flashed. None: all, with those of the bench file.
        experiment
            The kernel and probes of the bench file's images; a file here, or a name.

        Returns
        -------
        dict
            By node what `gpiorig flash --json` prints.

        Raises
        ------
        ExecutionError
            A board does not hold its image.
        """
        given = images or {}
        words = [
            *given,
            "--only-different",
            "--json",
            *(f"--firmware={node}={self._file(image)}" for node, image in given.items()),
        ]
        words += [] if experiment is None else [f"--experiment={self._file(experiment)}"]
        done = self._gpiorig("flash", self.bench.bench, *words)
        if done.returncode not in DONE:
            raise _failed(done)
        nodes = {node["node"]: node for node in json.loads(done.stdout)["nodes"]}
        failed = [f"{name}: {node['what']}" for name, node in nodes.items() if node["verdict"] == "failed"]
        if failed:
            raise ExecutionError("; ".join(failed), *_lines((done.stdout, done.stderr)))
        return nodes

    @Driver.check_active
    @step(args=["experiment", "packets"])
    def run(self, experiment: StrPath, output: StrPath, *, packets: int | None = None) -> Recording:
        """Run an experiment; the recording comes to this machine.

        Parameters
        ----------
        experiment
            A file here, or the name of one that comes with gpiorig.
        output
            Folder of the recording, which must not exist.
        packets
            In place of the experiment's number.

        Returns
        -------
        Recording
            As `gpiorig.open` gives it; its `state` says whether it is complete.

        Raises
        ------
        ExecutionError
            There is no recording.
        """
        words = ["run", self.bench.bench, self._file(experiment), "--no-report", "--json"]
        words += [] if packets is None else [f"--packets={packets}"]
        if not isinstance(self.bench, NetworkResource):
            self._recorded(*words, "-o", str(output))
            return opened(output)
        folder = self._there("mktemp", "-d").stdout.strip()
        try:
            self._recorded(*words, "-o", f"{folder}/recording")
            self._fetch(f"{folder}/recording", Path(output))
        finally:
            self._there("rm", "-rf", folder)
        return opened(output)

    def _recorded(self, *words: str) -> None:
        done = self._gpiorig(*words)
        if done.returncode not in DONE:
            raise _failed(done)

    def _file(self, path: StrPath) -> str:
        """The path where the bench is of a file here; a name remains one."""
        if not Path(path).is_file():
            return str(path)
        copy = ManagedFile(str(path), self.bench)
        copy.sync_to_resource()
        there: str = copy.get_remote_path()
        return there

    def _fetch(self, folder: str, output: Path) -> None:
        """Copy a folder from where the bench is, which must not be here."""
        output.mkdir(parents=True)
        command = self.bench.wrap_command(["tar", "-C", folder, "-cf", "-", "."])
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                archive.extractall(output, filter="data")
        if process.returncode:
            raise ExecutionError(f"{folder} could not be copied from {self.bench.host}: tar ended so.")

    def _gpiorig(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of gpiorig where the bench is: here that of this Python, unless the environment names another."""
        environment = self.target.env
        tool = environment.config.get_tool(TOOL) if environment else TOOL
        is_here = not isinstance(self.bench, NetworkResource)
        program = [sys.executable, "-P", "-m", "gpiorig.rig"] if is_here and tool == TOOL else [tool]
        return self._there(*program, *words)

    def _there(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command where the bench is; one that takes too long is ended."""
        command = self.bench.wrap_command(list(words))
        self.logger.info("%s", command)
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                texts = process.communicate(timeout=self.timeout_s)
            except subprocess.TimeoutExpired:
                process.terminate()
                texts = _end(process)
                raise ExecutionError(f"{command}: not finished within {self.timeout_s:g} s.", *_lines(texts)) from None
        return subprocess.CompletedProcess(command, process.returncode, *texts)


def _end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process that was asked to end has printed."""
    try:
        return process.communicate(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


def _failed(done: subprocess.CompletedProcess[str]) -> ExecutionError:
    """The error of a command, with its last line as the reason."""
    lines = _lines((done.stdout, done.stderr))
    reason = lines[1][-1] if lines[1] else f"status {done.returncode}"
    return ExecutionError(f"{' '.join(done.args)}: {reason}", *lines)


def _lines(texts: Sequence[str]) -> list[list[str]]:
    return [text.splitlines() for text in texts]
