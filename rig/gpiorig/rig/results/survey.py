"""Recordings without round trips: the packets of all nodes over all hops, and what each node logged and counted."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events import events
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets import accounting, checks, hop_routes, hops, node_accounts, reordering
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.node_accounts import NodeAccount
from gpiorig.analysis.packets.reordering import Reordering
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.report import ReportData
from gpiorig.analysis.tables import hops as hop_tables
from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.experiments import destinations
from gpiorig.rig.progress import watched
from gpiorig.rig.recordings import provenance
from gpiorig.rig.results import pipeline, studying, summary

COUNTS = ("sent", "received", "lost", "dropped", "exhausted", "uart_dropped", "errors")


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """What can be said of any recording.

    Attributes
    ----------
    app
        The application that ran.
    events
        All events, by node.
    logs
        What each node logged.
    hops
        Every packet on its way; None if there is none.
    routes
        The same by the paths that packets took.
    reordering
        Between every two nodes.
    accounts
        What each node's log says, held against the pins.
    no_packets
        Why there is none.
    """

    app: str
    events: Events
    logs: dict[str, NodeLog]
    hops: Hops | None
    routes: tuple[Route, ...]
    reordering: tuple[Reordering, ...]
    accounts: tuple[NodeAccount, ...]
    no_packets: str = ""


def survey(recording: Recording) -> Survey:
    """Decode the recording and follow its packets; pure but for reading it."""
    info = recording.info
    bench = benches.of_recording(recording)
    seen = events.from_waveform(watched(recording.waveform(), "decoding"), pipeline.wiring(bench))
    logs = {node: node_log.parse(recording.serial(node).data, node=node) for node in bench.nodes}
    app = str(info.parameters.get("app", ""))
    to = destinations.of_nodes(info.parameters, bench)
    try:
        found = hops.build(seen, header_ns=destinations.headers_ns(bench), destinations=to)
    except EventError as error:
        return Survey(app, seen, logs, None, (), (), (), no_packets=str(error))
    return Survey(
        app=app,
        events=seen,
        logs=logs,
        hops=found,
        routes=hop_routes.routes(found),
        reordering=reordering.find(found),
        accounts=node_accounts.compare(found, logs),
    )


def report_data(found: Survey, recording: Recording) -> ReportData:
    """What the report is made of; its notes are the checks that failed. Reads the whole recording to verify it."""
    info = recording.info
    study = None
    if found.hops is not None:
        subject = studying.of_hops(found.hops, found.routes)
        study = studying.study(recording, subject, events=found.events, logs=found.logs)
    return ReportData(
        title=info.experiment,
        virtual=info.virtual,
        packets=None,
        timelines=None,
        steps=None,
        logs=found.logs,
        provenance=provenance.of(recording, found.logs),
        notes=(*failed_checks(found, recording), *(study.audit.foreign if study and study.audit else ())),
        study=study,
        events=found.events,
        tallies=summary.tallies(found.hops) if found.hops is not None else (),
    )


def write(found: Survey, recording: Recording, data: ReportData) -> None:
    """The tables of the events, of the hops and of the study, into the recording folder."""
    stages.write(stages.events(found.events), recording.folder / "events.parquet")
    stages.write(stages.damaged(found.events), recording.folder / "damaged.parquet")
    if found.hops is not None:
        for name, made in hop_tables.TABLES.items():
            stages.write(made(found.hops), recording.folder / f"{name}.parquet")
    if data.study:
        studying.write(data.study, recording)


def failed_checks(found: Survey, recording: Recording) -> list[str]:
    """What is wrong with the recording, a sentence each; empty when all is well."""
    failed = pipeline.signal_checks(found.events, found.logs, recording)
    shown = recording.info.parameters.get("probes", "normal") in pipeline.SHOWN
    if found.hops is None:
        if not shown or _nothing_sent(found.logs):
            return failed
        return [*failed, *checks.silent_nodes(found.events), found.no_packets]
    failed += accounting.doubts(found.hops)
    for account in found.accounts:
        failed += account.problems()
    if not accounting.account(found.hops).adds_up:
        failed.append("Transmissions, receptions or events are lost in the accounting.")
    return failed


def _nothing_sent(logs: dict[str, NodeLog]) -> bool:
    """Whether the nodes themselves say that they sent no packet."""
    return any(each.done for each in logs.values()) and not any(each.sent for each in logs.values())


def numbers(found: Survey, *, folder: Path) -> dict[str, Any]:
    """The headline numbers, for `--json`."""
    accounts = {account.node: account for account in found.accounts}
    return {
        "app": found.app,
        "events": len(found.events),
        "damaged": len(found.events.damaged),
        "nodes": {
            node: {
                "frames": found.events.frames(node),
                **each.done,
                "packet_lines": len(each.sequences),
                **(_account_numbers(accounts[node]) if node in accounts else {}),
            }
            for node, each in found.logs.items()
        },
        **(summary.numbers(found.hops, found.routes, found.reordering) if found.hops is not None else {}),
        "recording": str(folder),
    }


def _account_numbers(account: NodeAccount) -> dict[str, Any]:
    return {
        "seen_sent": account.seen_sent,
        "seen_received": account.seen_received,
        "outcomes": [
            {"logged": logged, "seen": seen, "packets": n} for (logged, seen), n in sorted(account.outcomes.items())
        ],
    }


def sentences(found: Survey) -> list[str]:
    """What each node counted, and what became of the packets."""
    lines = [f"{found.app}: {len(found.events)} events, {len(found.events.damaged)} damaged frames."]
    for node, each in found.logs.items():
        said = ", ".join(f"{key} {each.done[key]}" for key in COUNTS if key in each.done)
        lines.append(f"{node}: {said or 'no counts'}; {found.events.frames(node)} frames seen.")
    if found.hops is None:
        lines.append(f"{found.no_packets[0].upper()}{found.no_packets[1:]}")
    else:
        lines += summary.sentences(found.hops, found.routes, found.reordering)
    return lines
