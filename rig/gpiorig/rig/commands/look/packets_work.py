"""`gpiorig packets`: the packets of a recording, with their delays and longest steps."""

from __future__ import annotations

import argparse
import csv
import sys

from gpiorig.analysis.number_text import DASH, count_text, time_text
from gpiorig.rig import plain_json, text_table
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import packet_list
from gpiorig.rig.results.packet_list import PacketRow

COLUMNS = ("packet_row", "id", "origin", "start_sample", "sent_s", "delay_ns", "status")
STEP_COLUMNS = ("step", "node", "duration_ns")


class Packets(Result, frozen=True, kw_only=True):
    """Packets of a recording in the order that is asked for."""

    run: str
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]
    packets: tuple[PacketRow, ...]


RESULTS = {"packets": (Packets,)}


def run(options: argparse.Namespace) -> int:
    """Read or analyse, choose, print."""
    recording = Given.of(options).open(options.recording)
    chosen = packet_list.Chosen(
        options.slowest, options.fastest, options.by or "", options.lost, options.id, options.steps
    )
    contents = packet_list.tables(recording, fresh=options.fresh)
    rows = packet_list.packets(contents, chosen, samplerate_hz=float(recording.info.samplerate_hz))
    source = standing.announced(options.recording, as_json=options.json)
    if options.json:
        run = str(options.recording)
        result = Packets(run=run, virtual=recording.info.virtual, **source.as_json(), packets=tuple(rows))
        print(plain_json.text(result))
    elif options.csv:
        _print_csv(rows)
    else:
        _print(rows, packet_list.short_names(contents))
    return 0


def _print_csv(rows: list[PacketRow]) -> None:
    """A row per packet and step; a packet without steps has one row."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*COLUMNS, *STEP_COLUMNS])
    for row in rows:
        for step in row.steps or (None,):
            writer.writerow(
                [*(getattr(row, name) for name in COLUMNS), *(getattr(step, name, "") for name in STEP_COLUMNS)]
            )


def _print(rows: list[PacketRow], steps: dict[str, str]) -> None:
    header = ["id", "sent at", "delay", "longest steps", "from", "status"]
    cells = [
        [
            str(row.id),
            f"{row.sent_s:.6f} s",
            DASH if row.delay_ns is None else time_text(row.delay_ns, digits=4),
            "; ".join(f"{steps[s.step]} {time_text(s.duration_ns)} ({s.node})" for s in row.steps) or DASH,
            row.origin,
            row.status,
        ]
        for row in rows
    ]
    lines = text_table.lines(header, cells, right=(0, 1, 2))
    print("\n".join([*lines, f"{count_text(len(rows), 'packet')}."]))
