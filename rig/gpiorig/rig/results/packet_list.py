"""The packets of a recording as rows: when each was sent, how long it took, its steps; `packets_work` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import msgspec

from gpiorig.analysis.packets import delivery, timelines
from gpiorig.analysis.tables import registry, stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import reported_tables
from gpiorig.rig.results.analyse import analyse

if TYPE_CHECKING:
    import pyarrow as pa

ROUND_TRIPS = "round_trips"
TABLES = ("packets", "steps", ROUND_TRIPS)
LOST = (timelines.STATUS[timelines.LOST], *(delivery.STATUS[status] for status in delivery.LOST))
# A reply is part of the round trip in whose row its request is. Steps are listed for the packets that are wanted only.
_QUERY = """
WITH sums AS (
    SELECT packet_row, sum(duration_ns) AS delay_ns, max(duration_ns) FILTER (step = $by) AS by_ns
    FROM steps GROUP BY packet_row
), rows AS (
    SELECT packet_row, packets.id, origin, packets.start_sample, packets.start_sample / $rate AS sent_s,
        coalesce(rtt_ns, sums.delay_ns) AS delay_ns, coalesce(trips.status, packets.status) AS status, by_ns
    FROM packets LEFT JOIN trips USING (packet_row) LEFT JOIN sums USING (packet_row)
    WHERE packet_row NOT IN (SELECT reply_row FROM trips WHERE reply_row IS NOT NULL)
), chosen AS MATERIALIZED (SELECT * FROM rows WHERE {condition} ORDER BY {order} LIMIT {count}),
longest AS (
    SELECT packet_row, list(
            {{'step': step, 'node': node, 'duration_ns': duration_ns}} ORDER BY duration_ns DESC, step
        )[:$steps] AS steps
    FROM steps WHERE packet_row IN (SELECT packet_row FROM chosen) GROUP BY packet_row
)
SELECT chosen.* EXCLUDE (by_ns), coalesce(steps, []) AS steps
FROM chosen LEFT JOIN longest USING (packet_row) ORDER BY {order}
"""


class PacketStep(Result, frozen=True, kw_only=True):
    """A step of a packet."""

    step: str
    node: str
    duration_ns: float


class PacketRow(Result, frozen=True, kw_only=True):
    """A packet: its row in `packets.parquet`, when it was sent, its delay, and its longest steps."""

    packet_row: int
    id: int
    origin: str
    start_sample: int
    sent_s: Number
    delay_ns: Number
    status: str
    steps: tuple[PacketStep, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which packets, and how many of their steps.

    Attributes
    ----------
    slowest, fastest
        How many of them, by the delay or by the step `by`; None: all, in the order in which they were sent.
    by
        Name of a step; empty: the delay.
    lost
        Only those that did not arrive.
    id
        Only those with this id.
    steps
        Number of longest steps.
    """

    slowest: int | None = None
    fastest: int | None = None
    by: str = ""
    lost: bool = False
    id: int | None = None
    steps: int = 3


def tables(recording: Recording, *, fresh: bool = False) -> Mapping[str, pa.Table]:
    """The tables of a recording's packets: those of its report, if they are newer than it, otherwise analysed.

    Raises
    ------
    RigError
        The recording shows no packets.
    """
    if not fresh and reported_tables.are_current(recording, [name for name in TABLES if name != ROUND_TRIPS]):
        paths = {name: recording.folder / f"{name}.parquet" for name in TABLES}
        return {name: stages.read(path) for name, path in paths.items() if path.is_file()}
    analysis = analyse(open_recording(recording))
    contents = {name: registry.table(analysis, name) for name in TABLES}
    if contents["packets"] is None:
        raise RigError(f"{recording.folder}: {analysis.no_packets or 'no packets.'}")
    return {name: content for name, content in contents.items() if content is not None}


def packets(contents: Mapping[str, pa.Table], chosen: Chosen, *, samplerate_hz: float) -> list[PacketRow]:
    """The rows.

    Raises
    ------
    RigError
        No packet has the step, or the id.
    """
    database = duckdb.connect()
    for name in ("packets", "steps"):
        if name in contents:
            database.register(name, contents[name])
    if "steps" not in contents:
        database.execute("CREATE TABLE steps (packet_row INT, step TEXT, node TEXT, duration_ns DOUBLE)")
    if ROUND_TRIPS in contents:
        database.register("trips", contents[ROUND_TRIPS].select(["packet_row", "reply_row", "status", "rtt_ns"]))
    else:
        database.execute("CREATE TABLE trips (packet_row INT, reply_row INT, status TEXT, rtt_ns DOUBLE)")
    sort = "by_ns" if chosen.by else "delay_ns"
    count = chosen.slowest if chosen.slowest is not None else chosen.fastest
    down = "DESC" if chosen.slowest is not None else ""
    conditions = [
        *([f"{sort} IS NOT NULL"] if count is not None else []),
        *(["status IN $lost"] if chosen.lost else []),
        *(["id = $id"] if chosen.id is not None else []),
    ]
    query = _QUERY.format(
        condition=" AND ".join(["true", *conditions]),
        order="start_sample" if count is None else f"{sort} {down}, start_sample",
        count="NULL" if count is None else count,
    )
    given = {
        "rate": samplerate_hz,
        "steps": chosen.steps,
        "by": _step(contents, chosen.by),
        "lost": LOST,
        "id": chosen.id,
    }
    used = {name: value for name, value in given.items() if f"${name}" in query}
    rows = msgspec.convert(database.sql(query, params=used).to_arrow_table().to_pylist(), list[PacketRow])
    if chosen.id is not None and not rows:
        raise RigError(f"id {chosen.id}: not in this recording; `gpiorig packets` without --id lists all packets.")
    return rows


def short_names(contents: Mapping[str, pa.Table]) -> dict[str, str]:
    """A short name for each step, by its name: up to the last colon, where only one step begins so."""
    if "steps" not in contents:
        return {}
    names = sorted(contents["steps"]["step"].unique().to_pylist())
    cut = {name: name.rpartition(": ")[0] if name.count(": ") > 1 else name for name in names}
    return {name: short if [*cut.values()].count(short) == 1 else name for name, short in cut.items()}


def _step(contents: Mapping[str, pa.Table], sought: str) -> str:
    """The step of a name or a short name."""
    names = short_names(contents)
    if not sought:
        return ""
    for name, short in names.items():
        if sought in (name, short):
            return name
    raise RigError(f"no step {sought!r}; available steps: {', '.join(names.values()) or 'none'}.")
