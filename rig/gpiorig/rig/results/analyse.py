"""From an opened recording to its analysis: the only place where its edges become events and its text logs."""

from __future__ import annotations

import dataclasses

from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events import events
from gpiorig.analysis.logs import node_log
from gpiorig.rig.progress import counted, watched
from gpiorig.rig.recordings.opened import Opened

NO_BUS = "no node has a symbol bus among its lines, so the pins show no packets."


def analyse(opened: Opened) -> Analysis:
    """Run all stages; pure but for reading the recording. On a terminal it shows its progress.

    Raises
    ------
    BenchError
        The recording has no bench, or the experiment names a node that the bench does not have.
    """
    bench, recording, ends = opened.known_bench, opened.recording, opened.ends
    stage = events.from_waveform(watched(recording.waveform(), "decoding"), opened.wiring)
    nodes = dict.fromkeys([*bench.nodes, *recording.nodes])
    serial = {node: recording.serial(node).data for node in recording.nodes}
    logs = {node: node_log.parse(serial.get(node, b""), node=node) for node in nodes}  # not recorded: an empty one
    with counted(len(stage), "packets") as done:
        analysed = analysis.analyse(
            stage,
            logs,
            header_ns=opened.header_ns,
            destinations=opened.destinations,
            ends=ends,
            sent=bool(recording.info.experiment),
            progress=done,
        )
    probed = {lines.name for lines in opened.wiring if lines.bus is not None}
    accounts = tuple(account for account in analysed.accounts if account.node in probed)
    no_packets = analysed.no_packets if probed or not analysed.no_packets else NO_BUS
    return dataclasses.replace(analysed, accounts=accounts, no_packets=no_packets)
