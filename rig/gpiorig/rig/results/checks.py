"""Checks of a recording and of its analysis: what failed, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from gpiorig.analysis.clocks import break_causes
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.number_text import count_text, number_text
from gpiorig.analysis.packets import accounting, timelines
from gpiorig.analysis.quantities import littles_law
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards
from gpiorig.rig.recordings.opened import SHOWN


def failed_checks(analysis: Analysis, recording: Recording) -> list[str]:
    """What is wrong with a recording or with its analysis, a sentence each; empty without a fault.

    Reads all of the recording to verify it.
    """
    # The causes of what the others find.
    failed = break_causes.problems(
        analysis.events, analysis.logs, steady_ppm=steady_ppm(analysis.logs), bounds=recording.info.bounds
    )
    failed += signal_checks(analysis.events, analysis.logs, recording)
    failed += [account.problem for account in littles_law.accounts(Recorded(analysis)) if account.problem]
    if analysis.hops is None:
        has_probes = recording.info.parameters.get("probes", "normal") in SHOWN
        if not has_probes or not _probed(analysis.events, recording) or _nothing_sent(analysis.logs):
            return failed
        no_packets = [analysis.no_packets] if recording.info.experiment or not len(analysis.events) else []
        return [*failed, *_silent_nodes(analysis.events, recording), *no_packets]
    failed += _silent_nodes(analysis.hops.events, recording)
    if recording.info.experiment:  # of another application it is not known what it should send
        failed += accounting.indistinct(analysis.hops)
    for account in analysis.accounts:
        problems = account.problems()
        failed += [*_damaged_lines(analysis.logs.get(account.node)), *problems] if problems else []
    if not accounting.account(analysis.hops).adds_up:
        failed.append("Transmissions, receptions or events are missing from the accounting.")
    if analysis.timelines is not None and not timelines.steps_add_up(analysis.timelines, analysis.routes[0].steps):
        failed.append("The steps of a packet do not add up to its round trip.")
    return failed


def steady_ppm(logs: Mapping[str, NodeLog]) -> dict[str, float]:
    """By how much the rate of a node's timer changes without a fault, of those that have no crystal."""
    board_names = boards.names()
    named = {node: log.identity.get("board", "") for node, log in logs.items()}
    rates = {node: boards.load(board).timer_ppm for node, board in named.items() if board in board_names}
    return {node: ppm for node, ppm in rates.items() if ppm is not None}


def _silent_nodes(events: Events, recording: Recording) -> list[str]:
    """A sentence for each node whose symbol bus is recorded and shows nothing."""
    return accounting.silent_nodes(events, among=_probed(events, recording))


def _probed(events: Events, recording: Recording) -> list[str]:
    """The nodes whose symbol bus is recorded."""
    return [node for node in events.node_names if f"{node}.strobe" in recording.info.channels]


def _nothing_sent(logs: Mapping[str, NodeLog]) -> bool:
    """Whether the nodes themselves report that they sent no packet."""
    return any(log.done for log in logs.values()) and not any(log.sent for log in logs.values())


def signal_checks(seen: Events, logs: Mapping[str, NodeLog], recording: Recording) -> list[str]:
    """What is wrong with the capture or with the events, whatever its packets do."""
    failed = [f"{_within(problem, recording)}." for problem in recording.verify()]
    failed += _damaged_frames(seen)
    probed = _probed(seen, recording)
    for node, frames, sent in frame_counts(seen, logs):
        if node not in probed:
            continue
        boots = logs[node].boots if node in logs else 0
        if boots > 1:
            failed.append(f"Node {node} booted {boots} times.")
        elif sent and not frames and recording.info.parameters.get("probes", "normal") in {"normal", "doubled"}:
            failed.append(
                f"Node {node} sent {sent} frames on its symbol bus, none was seen: "
                "look at the clips of its strobe and data lines."
            )
        # The firmware counts from its reset on, so the two can be compared where the analyzer saw that, too: the serial
        # port may have been open earlier.
        elif boots == 1 and _boot_seen(seen, node) and sent is not None and sent != frames:
            failed.append(
                f"Node {node} sent {count_text(sent, 'frame')} on its symbol bus, {number_text(frames)} were seen."
            )
    return failed + _event_log_checks(logs)


def _within(text: str, recording: Recording) -> str:
    """A text that names files by their place in the recording: a report does not depend on where that is."""
    return text.replace(f"{recording.folder}/", "").replace(f"{recording.folder}: ", "")


def _damaged_frames(seen: Events) -> list[str]:
    """A sentence for each node with damaged frames on its symbol bus."""
    return [
        f"{number_text(damaged)} of {count_text(seen.frames(node), 'frame')} on the symbol bus of node {node} are "
        "damaged: look at its leads and ground, the threshold, the samplerate and `bus_width`; `gpiorig bench verify` "
        "names a lead that is wrong."
        for node in seen.node_names
        if (damaged := int((seen.damaged.nodes == seen.node(node)).sum()))
    ]


def _damaged_lines(log: NodeLog | None) -> list[str]:
    """A sentence on the lines of a node that came damaged: packets are missing for that."""
    if log is None or not log.malformed:
        return []
    return [
        f"{count_text(len(log.malformed), 'line')} of node {log.node} came damaged over its serial port, "
        f"the first as {log.malformed[0]!r}: look at cable, baudrate and ground, and whether the host was busy."
    ]


def _event_log_checks(logs: Mapping[str, NodeLog]) -> list[str]:
    """What the nodes' own event logs lack."""
    failed = []
    for node, log in logs.items():
        event_log = log.event_log
        if event_log is not None and event_log.lost:
            failed.append(
                f"Node {node} lost {event_log.lost} events of its event log: its ring was full. Build with a larger "
                "LOG=, or let it send while idle (`log = true` in the experiment)."
            )
        elif event_log is not None and event_log.missing:
            failed.append(f"{event_log.missing} records of the event log of node {node} were lost on its serial line.")
    return failed


def _boot_seen(seen: Events, node: str) -> bool:
    return bool(((seen.codes == BY_NAME["rig.boot"].code) & (seen.nodes == seen.node(node))).any())


def frame_counts(seen: Events, logs: Mapping[str, NodeLog]) -> list[tuple[str, int, int | None]]:
    """Frames of each node: seen on its symbol bus, and sent as its firmware counted."""
    counted = {node: log.done.get("probes") for node, log in logs.items()}
    return [(node, seen.frames(node), counted.get(node)) for node in seen.node_names]
