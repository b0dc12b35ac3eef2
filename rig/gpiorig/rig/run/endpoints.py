"""The ends of a bench on the host: sigrok's drivers and serial ports, those of a file or of a virtual bench."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from gpiorig.capture.errors import CaptureError, SerialPortError
from gpiorig.capture.recording.recording import BenchRemark, Recording
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.rig.bench import virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.distributions import VBENCH


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the host finds the parts of a bench: sigrok's driver of each analyzer, each node's port and virtual stamps.

    `check` raises what ended a virtual bench. `settle`, of a virtual bench, waits until nothing more is to come and
    returns how many samples each analyzer has sent; `remarks` is what firmware did until now that it does not model.
    """

    drivers: dict[str, str]
    ports: dict[str, str]
    stamps: dict[str, Path] = dataclasses.field(default_factory=dict)
    check: Callable[[], None] = lambda: None
    settle: Callable[[], dict[str, int]] | None = None
    remarks: Callable[[], Sequence[BenchRemark]] = tuple


class Served(Protocol):
    """The part `served` of the virtual bench."""

    def __call__(self, bench_file: Path, *, firmware: dict[str, Path]) -> AbstractContextManager[Endpoints]:
        """The ends of the bench of a file, which is started with these images and ended afterwards."""


def of_file(bench: Bench) -> Endpoints:
    """The ends that the file of a real bench names."""
    return Endpoints(
        drivers={name: analyzer.driver or "" for name, analyzer in bench.analyzers.items()},
        ports={name: node.serial for name, node in bench.nodes.items() if node.serial},
    )


@contextlib.contextmanager
def available(bench: Bench, bench_file: Path, firmware: dict[str, Path]) -> Iterator[Endpoints]:
    """The ends of a real bench are in its file; a virtual one is started and reports where they are."""
    if bench.virtual is None:
        yield of_file(bench)
        return
    served: Served = VBENCH.load("served", needed_by=f"bench file {bench_file}")
    with served(bench_file, firmware=firmware) as ends:
        yield ends


@contextlib.contextmanager
def serial_ports(
    bench: Bench, ends: Endpoints, recording: Recording, *, recorded: bool = True
) -> Iterator[dict[str, SerialPort]]:
    """The nodes' ports, open and recorded; a virtual bench waits for a reader also where they are not `recorded`."""
    with _naming_nodes(ends), contextlib.ExitStack() as stack:
        reader = stack.enter_context(SerialReader())
        yield {
            name: stack.enter_context(
                SerialPort(
                    name,
                    port,
                    baudrate=bench.nodes[name].bits_per_second,
                    record=recording.serial_path(name) if recorded else None,
                    stamps=ends.stamps.get(name),
                    reader=reader,
                )
            )
            for name, port in ends.ports.items()
        }


def bench_s(bench: Bench, ports: Mapping[str, SerialPort]) -> float:
    """How far the time of a virtual bench is, which its analyzers sample from the beginning; 0: not known."""
    if not virtual_section.has_own_time(bench):
        return 0.0
    return max((port.bench_ns or 0 for port in ports.values()), default=0) / 1e9


def with_remarks(recording: Recording, ends: Endpoints) -> Recording:
    """The recording with the remarks of a virtual bench in its description; its state stays."""
    remarks = tuple(ends.remarks())
    return recording.update(bench_remarks=remarks) if remarks else recording


@contextlib.contextmanager
def _naming_nodes(ends: Endpoints) -> Iterator[None]:
    """Enter the node into errors of its port."""
    try:
        yield
    except SerialPortError as error:
        error.node = {port: node for node, port in ends.ports.items()}.get(error.where, "")
        raise


@contextlib.contextmanager
def incomplete_on_failure(
    recording: Recording, ends: Endpoints, virtual: Callable[[], bool | None] | None = None
) -> Iterator[None]:
    """Finish a recording that fails as incomplete; without a sample its folder is deleted.

    `virtual` states whether the boards are, by what they have answered until then.
    """
    try:
        yield
    except BaseException as error:
        # Such as a full disk, which is what `error` is about, or a folder without a sample that is deleted already.
        with contextlib.suppress(OSError, CaptureError):
            mark = recording.info.virtual if virtual is None else virtual()
            incomplete = recording.finish(problems=[_reason(error)], virtual=mark)
            with_remarks(incomplete, ends).discard()
        # A virtual bench that has stopped knows better why nothing came than the one who waited.
        if isinstance(error, Exception):
            ends.check()
        raise


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "interrupted by SIGINT"
    return str(error) or type(error).__name__
