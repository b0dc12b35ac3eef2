"""The numbers that the commands give for stored recordings are as before, value for value.

The recordings are of virtual benches, 2026-11-28: `pingpong` 25 packets (`gpiorig run demo pingpong --packets 25`),
`interference` 25, `queue` 30, `mixed` 16, `payload` 6, and `slots` 12 (slots-multi-hop on tests/data/line_bench.toml).
That a number is as before does not make it right: tests of its room hold it against something else. Where a change is
meant, the failure names the file to take.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commandline import gpiorig
from held import HERE, drawn, hold, numbers_in, rounded, sums

from gpiorig.analysis.figures import plates
from gpiorig.analysis.figures.packet_window import PacketWindows
from gpiorig.analysis.report import page
from gpiorig.analysis.report.blocks import Details, Hero, Picture, Section, Viewer, pictures
from gpiorig.analysis.report.packet_columns import PacketColumns
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import plain_json
from gpiorig.rig.results import report

RECORDINGS = ("pingpong", "interference", "queue", "mixed", "payload", "slots")
DRAWN = ("pingpong", "interference", "slots")  # whose figures are drawn, too
PACKETS = 3  # of a recording, that are looked at with everything around them
FEW = 12  # different texts of a column that are counted one by one
NODES = {"mixed": ("telosb", "m3")}
CALLS = (
    "packets RUN --json --steps 3",
    "clocks RUN --json",
    "info RUN --json",
    "measure RUN --period A.strobe --nominal 1us --json",
    "measure RUN --width A.d0:high --json",
    "measure RUN --skew A.strobe B.strobe --max-gap 20ms --json",
    "measure RUN --start A.tap.frame_timestamp:rise --end A.strobe --json",
)
EXPORTS = ("vcd", "csv", "pftrace")


@pytest.mark.parametrize("name", RECORDINGS)
def test_numbers_are_as_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of report, tables, figures, exported files, and of the commands that look at a recording."""
    monkeypatch.chdir(tmp_path)
    hold(name, values(_unpacked(name)))


def test_a_comparison_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two recordings whose second has a third node in the way."""
    monkeypatch.chdir(tmp_path)
    done = gpiorig("compare", *map(_unpacked, ("pingpong", "interference")), "--assert", "rtt.p99 +1 %", "--json")
    assert 0 == done.status, done.stderr
    hold("compared", dict(_leaves("compare", done.numbers)))


def _unpacked(name: str) -> Path:
    with tarfile.open(HERE / f"{name}.tar.xz") as archive:
        archive.extractall(filter="data")
    return Path(name)


def values(run: Path) -> dict[str, Any]:
    """Numbers of a recording by name, and those within texts, which are free to change their words.

    Of a table: of each column how many values there are, their sum, and the sum of each times its row; of texts, how
    often each occurs. Of a part of the page: how many numbers it shows, and such sums. Of a figure: the same of its
    lines, bars and points, and how many texts it has. Of an exported file: the start of its SHA-256.
    """
    reported = report.of(Recording.open(run))
    reported.write_tables()
    found = dict(_leaves("report", plain_json.plain(reported.numbers)))
    for path in sorted(run.glob("*.parquet")):
        found |= _columns(path.stem, pq.read_table(path))
    for name, rows in json.loads((run / "report" / "study.json").read_text()).items():
        found |= _columns(f"study {name}", pa.Table.from_pylist(rows))
    a, b = NODES.get(run.name, ("initiator", "responder"))
    for call in CALLS:
        done = gpiorig(*call.replace("RUN", run.name).replace("A.", f"{a}.").replace("B.", f"{b}.").split())
        assert 0 == done.status, done.stderr
        found |= dict(_leaves(call, json.loads(done.stdout)))
    for suffix in EXPORTS:
        file = run / f"exported.{suffix}"
        assert 0 == gpiorig("export", run, "-o", file).status
        found[f"export {suffix}"] = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    sections = page.run_sections(reported.data)
    for section in sections:
        for number, numbers in enumerate(_shown(section)):
            found[f"page {section.id} {number}"] = [len(numbers), *sums(numbers)]
    windows, hops = PacketWindows(reported.data.analysis), reported.data.analysis.hops
    for identity in np.unique(hops.packets.ids)[:PACKETS].tolist() if hops is not None else ():
        view = windows.view(identity)
        content = [] if view is None else numbers_in(json.dumps(view.as_dict()))
        found[f"packet {identity}"] = [len(content), *sums(content)]
    if (trips := reported.data.analysis.round_trips) is not None:
        for row in trips.timelines.complete[:PACKETS].tolist():
            found |= drawn(f"plate {row}", plates.packet(trips, row=row, virtual=True))
    if run.name in DRAWN:
        for picture in pictures(sections):
            found |= drawn(f"figure {picture.name}", picture.drawn())
    return found


def _shown(block: Any) -> Iterator[list[float]]:
    """The numbers in each part of a page that is not a figure."""
    match block:
        case Details() | Section():
            for part in block.blocks:
                yield from _shown(part)
        case Picture():
            pass
        case Viewer():
            yield numbers_in(json.dumps(block.content))
        case Hero(columns=PacketColumns(header=header)):
            yield numbers_in(json.dumps(header))
        case _:
            yield numbers_in(json.dumps(asdict(block), default=str))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Numbers and words of an object of JSON; a list of more than `FEW` objects becomes a table."""
    match value:
        case dict():
            for key, item in value.items():
                yield from _leaves(f"{name} {key}", item)
        case [{}, *_] if len(value) > FEW:
            yield from _columns(name, pa.Table.from_pylist(value)).items()
        case list():
            for number, item in enumerate(value):
                yield from _leaves(f"{name} {number}", item)
        case bool() | None:
            yield name, value
        case int() | float():
            yield name, rounded(value)
        case str() if numbers := numbers_in(value):
            yield name, numbers
        case _:
            pass


def _columns(name: str, table: pa.Table) -> dict[str, Any]:
    found: dict[str, Any] = {f"{name} rows": table.num_rows}
    for column, kind in zip(table.column_names, table.schema.types, strict=True):
        items = table[column].to_pylist()
        if pa.types.is_nested(kind):
            items = [json.dumps(item) for item in items]
        present = [(row, item) for row, item in enumerate(items, start=1) if item is not None]
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            rows = np.array([row for row, _ in present], dtype=float)
            found[f"{name} {column}"] = [len(present), *sums([float(item) for _, item in present], rows)]
        else:
            counted = Counter(str(item) for _, item in present)
            found[f"{name} {column}"] = sorted(counted.values()) if len(counted) <= FEW else len(counted)
    return found
