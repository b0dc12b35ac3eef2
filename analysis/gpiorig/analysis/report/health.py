"""The health of a recording: counts of all that was lost, damaged or not used, also where they are zero."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import NS_PER_S, count_text, time_text
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.timelines import PARTIAL, STATUS, Timelines
from gpiorig.analysis.packets.unattributed import REASONS
from gpiorig.analysis.report.blocks import Block, Heading, Section, Table, text, why_not
from gpiorig.analysis.report.data import ReportData

LISTED = 12  # packets of each kind, and gaps, that are listed


def section(data: ReportData) -> Section:
    """The section of the page."""
    blocks: list[Block] = [text(*(f"Check failed: {note}" for note in data.notes), look="bad")] if data.notes else []
    if data.doubts:
        blocks.append(text("Firmware did what the virtual bench does not model:", *data.doubts))
    blocks += _accounting(data)
    if data.timelines is not None:
        blocks += _excluded(data.timelines)
    blocks.append(Table("Losses", ("<what", "count"), tuple(losses(data)), narrow=True))
    events, hops = data.analysis.events, data.analysis.hops
    if len(events.gaps):
        blocks.append(_gaps(events))
    if hops is not None and len(hops.unattributed):
        blocks.append(_unattributed(hops))
    blocks += [Table(tally.title, ("<what", "count"), tally.rows, narrow=True) for tally in data.tallies]
    return Section("health", "Health of the recording", tuple(blocks), _line(data), unfolded=bool(data.notes))


def _line(data: ReportData) -> str:
    """Whether checks failed, and what was lost."""
    checks = f"{count_text(len(data.notes), 'check')} failed" if data.notes else "all checks passed"
    events = data.analysis.events
    return f"{checks}; {count_text(len(events.gaps), 'gap')}, {count_text(len(events.damaged), 'damaged frame')}"


def losses(data: ReportData) -> list[tuple[str, str]]:
    """Counts of all that was lost or not used."""
    rows: list[tuple[str, str]] = []
    events, hops, trips = data.analysis.events, data.analysis.hops, data.analysis.round_trips
    gap_ns = float((events.gaps[:, 1] - events.gaps[:, 0]).sum()) * float(NS_PER_S / events.samplerate_hz)
    rows.append(("gaps in the capture", f"{len(events.gaps)}" + (f" ({time_text(gap_ns)})" if gap_ns else "")))
    rows.append(("damaged frames on the symbol buses", f"{len(events.damaged)}"))
    if hops is not None:
        rows.append(("events without a packet", f"{len(hops.unattributed)}"))
        rows += [(f"    {reason}", f"{n}") for reason, n in hops.unattributed.counts().items()]
    if trips is not None:
        rows.append(("retries in software; duplicates received", f"{trips.retries}; {trips.duplicates}"))
        requests, replies = trips.read_again
        rows.append(("requests; replies that an application read again", f"{requests}; {replies}"))
        for direction, name in enumerate(("requests", "replies")):
            no_ack, busy = trips.no_ack[:, direction].sum(), trips.busy[:, direction].sum()
            rows.append((f"{name} without acknowledgement; without a free channel", f"{no_ack}; {busy}"))
    for name, log in data.analysis.logs.items():
        counts = f"{log.boots}; {len(log.errors)}; {len(log.malformed)}"
        rows.append((f"log of {name}: boots; errors; malformed lines", counts))
        if log.done.get("uart_dropped"):
            rows.append((f"log lines that {name} dropped", f"{log.done['uart_dropped']}"))
        if "probes" in log.done and name in events.node_names:
            counted = f"{log.done['probes']}; {events.frames(name)}"
            rows.append((f"frames of {name}: counted by the firmware; seen on the pins", counted))
    return rows


def _accounting(data: ReportData) -> list[Block]:
    """The packets counted by the firmware and on the pins."""
    account = data.analysis.account
    if account is None:
        reason = "No log of the initiator to compare with." if data.timelines is not None else (
            "The packets that each node sent and received are counted below."
        )  # fmt: skip
        return [why_not(reason)]
    rows = [("sent by the firmware's count", f"{account.total}"), ("timelined", f"{account.arrived}")]
    rows += [(f"lost by the firmware's log: {reason}", f"{n}") for reason, n in account.lost.items()]
    rows += [(f"neither: {reason}", f"{n}") for reason, n in account.not_arrived.items()]
    rows.append(("not accounted for", f"{account.unaccounted}"))
    blocks: list[Block] = [Table("Every packet accounted for", ("<what", "packets"), tuple(rows), narrow=True)]
    if account.given_up:
        late = "got their reply after the timeout of the firmware; they count as round trips."
        blocks.append(text(f"{account.given_up} of the packets timelined {late}"))
    if account.extra:
        blocks.append(text(f"On the pins, and not in the firmware's log: {count_text(account.extra, 'packet')}."))
    return blocks


def _excluded(lines: Timelines) -> list[Block]:
    """The number of packets for every reason, and the first of them with details."""
    blocks: list[Block] = []
    for key in range(PARTIAL, max(STATUS) + 1):
        rows = np.flatnonzero(lines.status == key)
        if len(rows):
            listed = [f"{lines.ids[row]}: {lines.detail(int(row))}".removesuffix(": ") for row in rows[:LISTED]]
            if len(rows) > LISTED:
                listed.append(f"and {len(rows) - LISTED} more, in packets.parquet")
            blocks += [Heading(f"{count_text(len(rows), 'packet')}: {STATUS[key]}"), text(*listed, look="mono")]
    return blocks


def _gaps(events: Events) -> Table:
    """Intervals of missing samples."""
    period_ns = float(NS_PER_S / events.samplerate_hz)
    rows = [
        (time_text(float(start) * period_ns, digits=7), time_text(float(end - start) * period_ns))
        for start, end in events.gaps[:LISTED].tolist()
    ]
    more = f"{len(events.gaps) - LISTED} more are in the recording." if len(events.gaps) > LISTED else ""
    return Table("Gaps", ("begins at", "length"), tuple(rows), narrow=True, note=more)


def _unattributed(hops: Hops) -> Table:
    """Number of events of each kind, for each reason."""
    at, events = hops.unattributed.positions, hops.events
    keys = np.stack([hops.unattributed.reasons, events.nodes[at], events.codes[at]], axis=1).astype(np.int64)
    kinds, counts = np.unique(keys, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[: 2 * LISTED]
    rows = tuple(
        (REASONS[reason], events.node_names[node], BY_CODE[code].name, f"{n}")
        for (reason, node, code), n in zip(kinds[order].tolist(), counts[order].tolist(), strict=True)
    )
    rest = f"{len(kinds) - len(rows)} further kinds are in unattributed.parquet." if len(kinds) > len(rows) else ""
    header = ("<reason", "<node", "<event", "count")
    return Table("Events without a packet", header, rows, note=rest)
