"""From a recording to its numbers and its report: the stages of the analysis, one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gpiorig.analysis.events import events
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import association as packets
from gpiorig.analysis.packets import checks, routes, timelines
from gpiorig.analysis.packets import reconciliation as accounting
from gpiorig.analysis.packets.association import Packets
from gpiorig.analysis.packets.reconciliation import Reconciliation
from gpiorig.analysis.packets.timelines import Steps, Timelines
from gpiorig.analysis.report import ReportData, delay_summaries
from gpiorig.analysis.statistics import summary as statistics
from gpiorig.analysis.statistics.summary import Summary
from gpiorig.analysis.tables import stages as tables
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import destinations
from gpiorig.rig.experiments.experiment import ROUND_TRIPS
from gpiorig.rig.plain_json import without_nan
from gpiorig.rig.progress import counted, watched
from gpiorig.rig.recordings import provenance
from gpiorig.rig.results import studying

SHOWN = ("normal", "doubled")  # probes that are on the pins
_NS_PER_MS, _NS_PER_US = 1e6, 1e3


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """Every stage of one recording.

    Attributes
    ----------
    events, packets, timelines, steps
        The stages.
    rtt
        Statistics of the round-trip time.
    step_summaries
        Statistics of each step, in the order of the path.
    logs
        What each node logged.
    reconciliation
        What became of every packet the firmware says it sent.
    """

    events: Events
    packets: Packets
    timelines: Timelines
    steps: Steps
    rtt: Summary
    step_summaries: tuple[Summary, ...]
    logs: dict[str, NodeLog]
    reconciliation: Reconciliation

    @property
    def samplerate_hz(self) -> Fraction:
        """Samples per second, exact."""
        return self.timelines.samplerate_hz


def wiring(bench: Bench) -> tuple[NodeLines, ...]:
    """The recorded channels of each node: `node.line`."""
    lines = []
    for name, node in bench.nodes.items():
        board = boards.load(node.board)
        data = tuple(f"{name}.{line}" for line in board.data_lines)
        not_spans = {"strobe", *benches.OTHER_LINES, *board.data_lines}
        lines.append(
            NodeLines(
                name=name,
                bus=Bus(
                    strobe=f"{name}.strobe",
                    data=data,
                    frame_gap_ns=board.frame_gap_ns,
                    settle_ns=benches.settle_ns(bench, name),
                ),
                lines={line: f"{name}.{line}" for line in node.lines if line not in not_spans},
            )
        )
    return tuple(lines)


def analyse(recording: Recording) -> Result:
    """Run all stages; pure but for reading the recording."""
    info = recording.info
    bench = benches.of_recording(recording)
    roles = {role: str(info.parameters.get(role, "")) for role in ("initiator", "responder")}
    for role, node in roles.items():
        if node not in bench.nodes:
            raise BenchError(
                f"{recording.folder}: parameters.{role} is `{node}`; the bench has {', '.join(bench.nodes)}."
            )
    request, reply = (boards.load(bench.nodes[roles[to]].board).radio for to in ("responder", "initiator"))
    stage = events.from_waveform(watched(recording.waveform(), "decoding"), wiring(bench))
    with counted(len(stage), "packets") as done:
        associated = packets.associate(
            stage,
            initiator=roles["initiator"],
            responder=roles["responder"],
            header_ns=destinations.headers_ns(bench),
            progress=done,
        )
    lines = timelines.build(associated, header_ns=(request.frame_timestamp_ns, reply.frame_timestamp_ns))
    associated, steps = associated.without_workings(), timelines.steps(lines)
    nodes = sorted({*recording.nodes, *roles.values()})
    logs = {node: node_log.parse(recording.serial(node).data, node=node) for node in nodes}
    reconciliation = accounting.reconcile(lines, logs[roles["initiator"]])
    lost = int(np.count_nonzero(lines.status == timelines.LOST))
    rate = lines.samplerate_hz
    return Result(
        events=stage,
        packets=associated,
        timelines=lines,
        steps=steps,
        rtt=statistics.summarize(lines.rtt[lines.timelined], samplerate_hz=rate, lost=lost),
        step_summaries=tuple(
            statistics.summarize(steps.samples[:, column], samplerate_hz=rate, lost=lost)
            for column in range(len(steps.steps))
        ),
        logs=logs,
        reconciliation=reconciliation,
    )


def write_tables(result: Result, recording: Recording, data: ReportData, *, folder: Path) -> None:
    """Every stage as Parquet into the recording, some as CSV into a folder; the same result gives the same bytes."""
    named = delay_summaries(data)
    named |= dict(zip((step.name for step in result.steps.steps), result.step_summaries, strict=True))
    study = data.study.routes[0] if data.study and data.study.routes else None
    uncertainties, costs = (study.uncertainties, study.costs) if study else ((), None)

    def steps(part: slice) -> pa.Table:
        return tables.steps(result.steps, part=part, uncertainties=uncertainties, costs=costs)

    stages: dict[str, tuple[int, Callable[[slice], pa.Table]]] = {
        "events": (len(result.events), lambda part: tables.events(result.events, packets=result.packets, part=part)),
        "packets": (len(result.packets), lambda part: tables.packets(result.packets, result.timelines, part=part)),
        "timelines": (len(result.timelines), lambda part: tables.timelines(result.timelines, part=part)),
        "steps": (result.steps.samples.size, steps),
    }
    tables.write_all((make, rows, recording.folder / f"{name}.parquet") for name, (rows, make) in stages.items())
    tables.write_all((make, rows, folder / f"{name}.csv") for name, (rows, make) in stages.items() if name != "events")
    whole = {
        "damaged": tables.damaged(result.events),
        "unattributed": tables.unattributed(result.packets),
        "summary": tables.summary(named, samplerate_hz=result.samplerate_hz, uncertainties=uncertainties, costs=costs),
    }
    for name, table in whole.items():
        tables.write(table, recording.folder / f"{name}.parquet")
    tables.write(whole["summary"], folder / "summary.csv")
    if data.study:
        studying.write(data.study, recording)


def numbers(result: Result, recording: Recording) -> dict[str, Any]:
    """The headline numbers, for `--json`; times in ms for the round trip, in us for steps."""
    rtt = result.rtt
    found: dict[str, Any] = {
        "packets_sent": result.reconciliation.sent,
        "packets_timelined": result.reconciliation.timelined,
        "lost": sum(result.reconciliation.lost.values()),
        "rtt_ms": {
            "min": rtt.min_ns / _NS_PER_MS,
            "p5": rtt.p5_ns / _NS_PER_MS,
            "median": rtt.median_ns / _NS_PER_MS,
            "p95": rtt.p95_ns / _NS_PER_MS,
            "p99": rtt.p99_ns / _NS_PER_MS,
            "max": rtt.max_ns / _NS_PER_MS,
            "p2p": rtt.peak_to_peak_ns / _NS_PER_MS,
            "iqr": rtt.iqr_ns / _NS_PER_MS,
            "std": rtt.std_ns / _NS_PER_MS,
        },
        "steps": [
            {
                "name": step.name,
                "node": step.node,
                "median_us": summary.median_ns / _NS_PER_US,
                "p2p_us": summary.peak_to_peak_ns / _NS_PER_US,
            }
            for step, summary in zip(result.steps.steps, result.step_summaries, strict=True)
        ],
        "seed": recording.info.parameters.get("bench_seed"),
    }
    return {key: without_nan(value) for key, value in found.items()}


def report_data(result: Result, recording: Recording) -> ReportData:
    """What the report is made of; its notes are the checks that failed. Reads the whole recording to verify it."""
    info = recording.info
    route = routes.round_trips(result.timelines, result.steps)
    subject = studying.of_round_trips(result.packets, route)
    study = studying.study(recording, subject, events=result.events, logs=result.logs)
    return ReportData(
        title=info.experiment,
        virtual=info.virtual,
        packets=result.packets,
        timelines=result.timelines,
        steps=result.steps,
        reconciliation=result.reconciliation,
        logs=result.logs,
        study=study,
        provenance=provenance.of(recording, result.logs),
        notes=(*failed_checks(result, recording), *(study.audit.foreign if study.audit else ())),
    )


def failed_checks(result: Result, recording: Recording) -> list[str]:
    """What is wrong with a recording or with what was made of it, a sentence each; empty when all is well."""
    account = result.reconciliation
    found = signal_checks(result.events, result.logs, recording)
    found += checks.silent_nodes(result.events)
    found += checks.equal_ids(result.packets.initiator, result.packets.ids)
    if account.unaccounted:
        found.append(f"{account.unaccounted} packets are neither timelined nor lost.")
    if not timelines.steps_add_up(result.timelines, result.steps):
        found.append("The steps of a packet do not add up to its round trip.")
    return found


def signal_checks(seen: Events, logs: dict[str, NodeLog], recording: Recording) -> list[str]:
    """What is wrong with the capture or with the events, whatever they are about."""
    found = [f"{problem}." for problem in recording.verify()]
    if len(seen.damaged):
        found.append(f"{len(seen.damaged)} frames on the symbol buses are damaged.")
    for node, frames, sent in frame_counts(seen, logs):
        boots = logs[node].boots if node in logs else 0
        if boots > 1:
            found.append(f"Node {node} booted {boots} times.")
        elif sent and not frames and recording.info.parameters.get("probes", "normal") in {"normal", "doubled"}:
            found.append(
                f"Node {node} sent {sent} frames on its symbol bus, none was seen: "
                "look at the clips of its strobe and data lines."
            )
        # The firmware counts from its reset on, so the two can be compared where the analyzer saw that, too: the serial
        # port may have been open earlier.
        elif boots == 1 and _boot_seen(seen, node) and sent is not None and sent != frames:
            found.append(f"Node {node} sent {sent} frames on its symbol bus, {frames} were seen.")
    return found + _event_log_checks(logs)


def _event_log_checks(logs: dict[str, NodeLog]) -> list[str]:
    """What the nodes' own event logs lack."""
    found = []
    for node, each in logs.items():
        noted = each.event_log
        if noted is not None and noted.lost:
            found.append(
                f"Node {node} lost {noted.lost} events of its event log: its ring was full. Build with a larger LOG=, "
                "or let it send while idle (`log = true` in the experiment)."
            )
        elif noted is not None and noted.missing:
            found.append(f"{noted.missing} records of the event log of node {node} were lost on its serial line.")
    return found


def _boot_seen(seen: Events, node: str) -> bool:
    return bool(((seen.codes == BY_NAME["rig.boot"].code) & (seen.nodes == seen.node(node))).any())


def frame_counts(seen: Events, logs: dict[str, NodeLog]) -> list[tuple[str, int, int | None]]:
    """Of each node the frames seen on its symbol bus, and those its firmware says it sent."""
    counted = {node: each.done.get("probes") for node, each in logs.items()}
    return [(node, seen.frames(node), counted.get(node)) for node in seen.node_names]


def has_round_trips(recording: Recording) -> bool:
    """Whether the packets of this recording make round trips that the pins show."""
    parameters = recording.info.parameters
    return parameters.get("probes", "normal") in SHOWN and parameters.get("app", "pingpong") in ROUND_TRIPS
