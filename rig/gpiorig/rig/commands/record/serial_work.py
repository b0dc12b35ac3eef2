"""`gpiorig serial`: the lines of the nodes, live from their ports or from a recording."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType

from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.serial.aggregator import Costs, addressed, errors_ns, measure_line_ns, replay
from gpiorig.capture.serial.lines import LineAssembler, SerialLine, all_lines
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.reader import SerialReader
from gpiorig.capture.serial.record import Entry, Kind, RecordFile
from gpiorig.rig import plain_json, terminal
from gpiorig.rig.bench import benches
from gpiorig.rig.commands.record.serial import is_of_recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.host import log_file
from gpiorig.rig.recordings import serial_pins, standing
from gpiorig.rig.recordings.serial_errors import AggregatorErrors, HostErrors, LineErrors, quantiles
from gpiorig.rig.recordings.serial_view import (
    Form,
    LineRow,
    PinLineRow,
    SerialView,
)
from gpiorig.rig.recordings.standing import Standing

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


POLL_S = 0.1


WAKE_NS, READ_NS = 20_000, 10_000  # assumptions about an ordinary PC, as `VirtualSerial` of vbench.description.ends


BAUDRATE = 115_200


RESULTS = {"serial": (LineRow, PinLineRow, HostErrors, AggregatorErrors)}


def run(options: argparse.Namespace) -> int:
    """Show a recording, or ports."""
    return _recorded(Path(options.source[0]), options) if is_of_recording(options) else _live(options)


def _view(nodes: Sequence[str], options: argparse.Namespace) -> SerialView:
    form: Form = "json" if options.json else "iotlab" if options.iotlab else "people"
    return SerialView(nodes, form=form, absolute=options.absolute)


def _recorded(folder: Path, options: argparse.Namespace) -> int:
    recording = Recording.open(folder)
    source = standing.announced(folder, as_json=options.audit)
    if options.pins:
        return _on_pins(recording, options, source)
    nodes = tuple(options.node) or recording.nodes
    if unknown := sorted(set(nodes) - set(recording.nodes)):
        raise RigError(
            f"{folder}: no serial record of {unknown[0]}; available nodes: {', '.join(recording.nodes) or 'none'}."
        )
    with contextlib.ExitStack() as stack:
        files = {node: stack.enter_context(RecordFile(recording.serial_path(node))) for node in nodes}
        if options.aggregator:
            return _aggregated(recording, files, options, source)
        _show_records(folder, files, options)
    return 0


def _show_records(folder: Path, files: dict[str, RecordFile], options: argparse.Namespace) -> None:
    """Print the lines of a recording, those that are still being recorded too where that is asked for."""
    view = _view(list(files), options)
    if not options.follow:
        for line in all_lines({node: file.read() for node, file in files.items()}):
            view.show(line)
    assemblers = {node: LineAssembler(node) for node in files}
    following = options.follow
    while following:
        following = Recording.open(folder).info.state == "capturing"  # asked before the last look
        lines = [line for node, file in files.items() for entry in file.read() for line in assemblers[node].feed(entry)]
        for line in sorted(lines, key=lambda line: line.stamp_ns):
            view.show(line)
        view.flush()
        if following:
            time.sleep(POLL_S)
    for file in files.values():
        if file.torn:
            print(f"gpiorig serial: {file.torn}: the last record was cut short", file=sys.stderr)


def _aggregated(
    recording: Recording, files: dict[str, RecordFile], options: argparse.Namespace, source: Standing
) -> int:
    epoch_ns = None
    if recording.info.serial_clock == "virtual":
        epoch_ns = _epoch_ns(recording)
    line_ns = measure_line_ns() if options.print_cost is None else int(options.print_cost * 10**9)
    costs = Costs(wake_ns=WAKE_NS, read_ns=READ_NS, line_ns=line_ns)
    lines = replay({node: file.read() for node, file in files.items()}, costs, virtual_epoch_ns=epoch_ns)
    if not options.audit:
        output = terminal.verbatim()
        for line in lines:
            print(line, file=output)
        return 0
    result = AggregatorErrors(
        **quantiles(errors_ns(lines)), line_cost_ns=line_ns, virtual=recording.info.virtual, **source.as_json()
    )
    print(plain_json.text(result))
    return 0


def _epoch_ns(recording: Recording) -> int:
    begin = datetime.fromisoformat(recording.info.epoch.wall)
    return int(begin.timestamp()) * 10**9 + begin.microsecond * 1000


def _on_pins(recording: Recording, options: argparse.Namespace, source: Standing) -> int:
    nodes = tuple(options.node) or serial_pins.nodes(recording)
    if not nodes:
        raise RigError(f"{recording.folder}: no node's uart_tx is on the analyzer.")
    if options.audit:
        latencies = {
            node: LineErrors(**quantiles(serial_pins.latencies_ns(recording, node, baudrate=options.baudrate)))
            for node in nodes
        }
        zero = "sample 0" if recording.info.serial_clock == "virtual" else "the fastest line"
        print(
            plain_json.text(HostErrors(nodes=latencies, zero=zero, virtual=recording.info.virtual, **source.as_json()))
        )
        return 0
    view, epoch_ns = _view(nodes, options), _epoch_ns(recording)
    for line, node in serial_pins.all_lines(recording, nodes, baudrate=options.baudrate):
        if options.json:
            row = PinLineRow(
                start_sample=line.start, end_sample=line.end, node=node, text=line.text, errors=line.errors
            )
            print(plain_json.text(row, ascii=False))
            continue
        end_ns = serial_pins.nanoseconds(recording, line.end)
        view.show(SerialLine(end_ns, epoch_ns + end_ns, node, Kind.RECEIVED, line.text))
    return 0


def _live(options: argparse.Namespace) -> int:
    wanted = _ports(options)
    span_s = None if options.duration is None else float(options.duration)
    recording = _create(options.output, wanted) if options.output is not None else None
    news: SimpleQueue[tuple[str, Entry]] = SimpleQueue()
    view = _view(tuple(wanted), options)
    assemblers = {node: LineAssembler(node) for node in wanted}
    end_s = None if span_s is None else time.monotonic() + span_s
    with ExitStack() as stack:
        if recording is not None:
            stack.enter_context(log_file.writing(recording.folder))
            stack.push(_Ending(recording, wanted))
        reader = stack.enter_context(SerialReader())
        ports = {}
        for node, (device, baudrate) in wanted.items():
            record = recording.serial_path(node) if recording is not None else None
            port = SerialPort(node, device, baudrate=baudrate, record=record, reconnect=True, reader=reader, news=news)
            ports[node] = stack.enter_context(port)
        for text in options.send:
            _send(text, ports)
        Thread(target=_read_input, args=(ports,), daemon=True).start()
        try:
            while end_s is None or time.monotonic() < end_s:
                try:
                    _show(news, assemblers, view)
                except Empty:
                    view.flush()
                for port in ports.values():
                    port.check()
        except KeyboardInterrupt:
            pass  # the way to stop
    while not news.empty():
        _show(news, assemblers, view)
    view.flush()
    return _account(list(ports.values()))


class _Ending:
    """Ends a recording of ports as it deserves; one whose ports could not all be opened is deleted."""

    def __init__(self, recording: Recording, ports: dict[str, tuple[str, int]]) -> None:
        self._recording, self._ports = recording, ports

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not all(self._recording.serial_path(node).exists() for node in self._ports):
            shutil.rmtree(self._recording.folder)
        elif isinstance(error, Exception) and not isinstance(error, BrokenPipeError):
            self._recording.finish(problems=[str(error)])
        else:  # also when the reader of our output has gone
            self._recording.finish()


def _show(news: SimpleQueue[tuple[str, Entry]], assemblers: dict[str, LineAssembler], view: SerialView) -> None:
    node, entry = news.get(timeout=POLL_S)
    for line in assemblers[node].feed(entry):
        view.show(line)


def _ports(options: argparse.Namespace) -> dict[str, tuple[str, int]]:
    """Port and baud rate of each node."""
    ports: dict[str, tuple[str, int]] = {}
    for source in options.source:
        if source.endswith(".toml"):
            ports |= _bench_ports(Path(source))
            continue
        node, equals, device = source.partition("=")
        if not equals or not NAME.fullmatch(node):
            node, device = re.sub(r"[^A-Za-z0-9]+", "-", source.rpartition("/")[2]), source
        if node in ports:
            raise RigError(f"two ports are named {node}; name them: a={ports[node][0]} b={device}.")
        ports[node] = (device, options.baudrate or BAUDRATE)
    if unknown := sorted(set(options.node) - set(ports)):
        raise RigError(f"no node {unknown[0]}; available nodes: {', '.join(ports)}.")
    return {node: port for node, port in ports.items() if not options.node or node in options.node}


def _bench_ports(path: Path) -> dict[str, tuple[str, int]]:
    bench = benches.load(path)
    if bench.virtual is not None:
        raise RigError(f"{path}: a virtual bench; `gpiorig bench virtual {path}` serves it and prints its ports.")
    return {name: (node.serial or "", node.bits_per_second) for name, node in bench.nodes.items()}


def _create(folder: Path, ports: dict[str, tuple[str, int]]) -> Recording:
    info = RecordingInfo(
        samplerate=f"{10**9}/1",  # no samples here; of the timestamps
        channels=(),
        epoch=Epoch(wall=datetime.now(UTC).isoformat(), note="start on the host's clock"),
        parameters={f"port.{node}": device for node, (device, _) in ports.items()},
        tools={"gpiorig": version("gpiorig")},
    )
    return Recording.create(folder, info)


def _read_input(ports: dict[str, SerialPort]) -> None:
    rest = b""
    while data := os.read(sys.stdin.fileno(), 4096):  # sys.stdin's own lock would block the end
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            _send(line.decode(errors="replace"), ports)


def _send(line: str, ports: dict[str, SerialPort]) -> None:
    nodes, text = addressed(line, ports)
    for node in nodes:
        try:
            if node in ports:
                ports[node].write_line(text)
            else:
                print(f"gpiorig serial: no node {node}; available nodes: {', '.join(ports)}", file=sys.stderr)
        except SerialPortError as error:
            print(f"gpiorig serial: {error}", file=sys.stderr)


def _account(ports: list[SerialPort]) -> int:
    """Print what was received, and whether anything is known to be lost."""
    lost = False
    for port in ports:
        counts = port.counts
        wrong = {name: count for name, count in counts.driver.items() if count}
        words = [f"{counts.bytes} bytes", f"at most {counts.most_waiting_bytes} waiting"]
        words += [f"port gone {counts.losses} times"] if counts.losses else []
        words += [f"{count} {name.replace('_', ' ')} errors" for name, count in wrong.items()]
        print(f"gpiorig serial: {port.node}: {', '.join(words)}", file=sys.stderr)
        lost = lost or counts.losses > 0 or bool(wrong.keys() & {"overrun", "buffer_overrun"})
    return int(lost)
