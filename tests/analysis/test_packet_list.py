"""`gpiorig packets`: rows that agree with the tables, from the report's tables or without them."""

from __future__ import annotations

import csv
import os
import shutil
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from commandline import Demo, gpiorig

from gpiorig.rig.results import packet_list
from gpiorig.rig.results.packet_list import Chosen, PacketStep

RATE_HZ = 1_000_000.0


def contents(*, answered: bool) -> dict[str, pa.Table]:
    """Packets 0 (7 us), 1 (lost) and 2 (9 us); answered: 2 is the reply of 0, and 0 took 20 us."""
    tables = {
        "packets": pa.table({
            "packet_row": [0, 1, 2],
            "id": [5, 6, 5],
            "origin": ["a", "a", "b"],
            "start_sample": [10, 20, 30],
            "status": ["delivered", "sent, read by no other node", "delivered"],
        }),
        "steps": pa.table({
            "packet_row": [0, 0, 2],
            "step": ["hop 1: mac to driver", "hop 1: radio wait: done to air", "hop 1: mac to driver"],
            "node": ["a", "a", "b"],
            "duration_ns": [3000.0, 4000.0, 9000.0],
        }),
    }  # fmt: skip
    if answered:
        trips = {"packet_row": [0], "reply_row": [2], "status": ["timelined, every step known"], "rtt_ns": [20000.0]}
        tables["round_trips"] = pa.table(trips)
    return tables


def ids(chosen: Chosen, *, answered: bool = False) -> list[tuple[int, float | None]]:
    rows = packet_list.packets(contents(answered=answered), chosen, samplerate_hz=RATE_HZ)
    return [(row.packet_row, row.delay_ns) for row in rows]


def test_rows() -> None:
    """In the order of sending; a delay is that of the round trip, or the sum of the steps; a reply has no row."""
    assert [(0, 7000.0), (1, None), (2, 9000.0)] == ids(Chosen())
    assert [(0, 20000.0), (1, None)] == ids(Chosen(), answered=True)


def test_choice() -> None:
    """By delay, by a step (its short name as well), by status, by id; what has no delay is neither slow nor fast."""
    assert [(2, 9000.0), (0, 7000.0)] == ids(Chosen(slowest=5))
    assert [(0, 7000.0)] == ids(Chosen(fastest=1))
    assert [(0, 7000.0)] == ids(Chosen(fastest=1, by="hop 1: mac to driver"))
    assert [(0, 7000.0)] == ids(Chosen(slowest=5, by="hop 1: radio wait"))
    assert [(1, None)] == ids(Chosen(lost=True))
    assert [(0, 7000.0), (2, 9000.0)] == ids(Chosen(id=5))


def test_steps_are_the_longest() -> None:
    """As many as asked for, the longest first."""
    (row, *_) = packet_list.packets(contents(answered=False), Chosen(steps=1), samplerate_hz=RATE_HZ)
    assert (PacketStep(step="hop 1: radio wait: done to air", node="a", duration_ns=4000.0),) == row.steps
    assert 10e-6 == pytest.approx(row.sent_s)


@pytest.mark.slow
def test_steps_add_up_and_tables_agree(demo: Demo, tmp_path: Path) -> None:
    """All steps of a packet are its delay; rows are the same from tables, from old tables, and from the recording."""
    done = gpiorig("packets", demo.folder, "--csv", "--steps", "99")
    sums: dict[str, float] = defaultdict(float)
    delays = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        sums[row["packet_row"]] += float(row["duration_ns"])
        delays[row["packet_row"]] = float(row["delay_ns"])
    assert 60 == len(delays)
    assert delays == pytest.approx(dict(sums))

    copy = shutil.copytree(demo.folder, tmp_path / "run")
    old = copy / "packets.parquet"
    pa.parquet.write_table(pa.parquet.read_table(old).slice(0, 1), old)  # shows which rows were read
    counts = [len(gpiorig("packets", copy, *words, "--json").numbers["packets"]) for words in ((), ("--fresh",))]
    os.utime(old, ns=(0, 0))
    stale = gpiorig("packets", copy, "--json").numbers["packets"]
    assert [1, 60] == counts
    assert stale == gpiorig("packets", demo.folder, "--json").numbers["packets"]


@pytest.mark.slow
def test_slowest_as_text(demo: Demo) -> None:
    """A row per packet, with its longest steps; the virtual bench is named."""
    done = gpiorig("packets", demo.folder, "--slowest", "2")
    slowest = gpiorig("packets", demo.folder, "--slowest", "1", "--json").numbers["packets"][0]
    lines = done.stdout.splitlines()

    assert ["id", "sent", "at", "delay", "longest", "steps", "from", "status"] == lines[0].split()
    assert str(slowest["id"]) == lines[1].split()[0]
    assert "radio wait" in lines[1] and "timelined" in lines[1]
    assert "2 packets." == lines[3] and "  Virtual bench" in done.stated


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--slowest", "0"), "--slowest 0: give at least 1"),
        (("--by", "x"), "--by sorts the packets of --slowest or --fastest"),
        (("--id", "999"), "id 999: not in this recording"),
        (("--slowest", "--by", "radio"), "no step 'radio'; available steps: "),
        (("--slowest", "--lost"), "not allowed with argument"),
    ],
)
def test_wrong_use(demo: Demo, words: tuple[str, ...], expected: str) -> None:
    """One line that names the remedy."""
    done = gpiorig("packets", demo.folder, *words)
    assert (2, "", 1) == (done.status, done.stdout, len(done.stderr.splitlines()))
    assert expected in done.stderr
