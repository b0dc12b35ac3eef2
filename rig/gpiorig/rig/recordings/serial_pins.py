"""The nodes' lines as the analyzer saw them on `uart_tx`, and how much later the recorder had them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.buses import uart, uart_lines
from gpiorig.capture.buses.uart import UartFormat
from gpiorig.capture.buses.uart_lines import UartLine
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.opened import open_recording

LINE = "uart_tx"


def nodes(recording: Recording) -> tuple[str, ...]:
    """The nodes whose TX line is on the analyzer."""
    names = [name.rpartition(".") for name in recording.info.channels]
    return tuple(node for node, _, line in names if line == LINE)


def lines(recording: Recording, node: str, *, baudrate: int | None) -> Iterator[UartLine]:
    """The lines of a node, from its pin.

    Parameters
    ----------
    recording
        With the channel `<node>.uart_tx`.
    node
        Name of the node.
    baudrate
        Bits per second, 8N1; None: that of its bench.
    """
    if node not in nodes(recording):
        available = ", ".join(nodes(recording)) or "no node"
        raise RigError(f"{recording.folder}: no channel {node}.{LINE}; the analyzer is on that of {available}.")
    if baudrate is None:
        baudrate = open_recording(recording).known_bench.nodes[node].bits_per_second
    return uart_lines.lines(uart.decode(recording.waveform(), f"{node}.{LINE}", UartFormat(baudrate=baudrate)))


def all_lines(
    recording: Recording, node_names: Sequence[str], *, baudrate: int | None
) -> Iterator[tuple[UartLine, str]]:
    """The lines of several nodes with the node's name, in the order of their ends."""

    def ends(node: str) -> Iterator[tuple[int, UartLine, str]]:
        for line in lines(recording, node, baudrate=baudrate):
            yield line.end, line, node

    for _, line, node in heapq.merge(*map(ends, node_names), key=itemgetter(0)):
        yield line, node


def nanoseconds(recording: Recording, sample: int) -> int:
    """Time of a sample since sample 0, rounded down."""
    return int(sample * 10**9 / recording.info.samplerate_hz)


def latencies_ns(recording: Recording, node: str, *, baudrate: int | None) -> NDArray[np.int64]:
    """How much later than its last stop bit each line was in the recorder.

    Lines are paired by their texts, in order; what only one of the two has is omitted. The virtual bench's timestamps
    and samples begin together; the host's clock and the analyzer's do not, so there the fastest line counts as 0, and
    the drift between the two clocks is in the numbers.

    Returns
    -------
    numpy.ndarray
        int64, shape (n,).
    """
    on_pin = list(lines(recording, node, baudrate=baudrate))
    recorded = recording.serial(node).lines()
    texts = [line.text for line in on_pin]
    pairs = SequenceMatcher(None, texts, recorded.texts, autojunk=False).get_matching_blocks()
    latencies_ns = [
        int(recorded.stamps_ns[pair.b + at]) - nanoseconds(recording, on_pin[pair.a + at].end)
        for pair in pairs
        for at in range(pair.size)
    ]
    latencies = np.array(latencies_ns, dtype=np.int64)
    if latencies.size and recording.info.serial_clock == "host":
        latencies -= latencies.min()
    return latencies
