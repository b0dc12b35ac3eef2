"""The section of measured energies: of nodes by state and layer, and of packets and their steps, each with ±."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from gpiorig.analysis.number_text import DASH, count_text, number_text, prefixed_text, time_text
from gpiorig.analysis.report.blocks import Section, Table, text
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.tables.energy import LAYER, NODE, OUTSIDE, PACKET, STATE, STEP
from gpiorig.capture.units import TIME_NS

_PARTS = {NODE: "all", STATE: "state", LAYER: "layer", OUTSIDE: "outside steps"}
_NOTE = (
    "± is an expanded uncertainty (k = 2): alignment, sample period, noise, instrument. States, layers, and steps with "
    "what is outside them each add up to the node's energy. Of packets and steps the mean of the values and of their ±."
)


def sections(data: ReportData) -> list[Section]:
    """The section, if a power trace lies beside the recording."""
    if data.energy is None:
        return []
    table, samplerate_hz = data.energy.table, float(data.analysis.events.samplerate_hz)
    kinds = ", ".join(pc.unique(table["standing"]).to_pylist())
    nodes = Table(
        f"Energy of nodes: {kinds}",
        ("<node", "<of", "<part", "time", "energy", "mean power"),
        tuple(_part(row, samplerate_hz) for row in table.to_pylist() if row["of"] in _PARTS),
        note=_NOTE,
    )
    packets = Table(
        f"Energy of packets and their steps: {kinds}",
        ("<node", "<of", "<step", "values", "lacking", "mean", "least", "largest"),
        tuple(row for of in (PACKET, STEP) for row in _means(table.filter(pc.equal(table["of"], of)), of)),
    )
    line = count_text(len(pc.unique(table["node"])), "node")
    return [Section("energy", "Energy", (text(*data.energy.sentences), nodes, packets), f"{kinds}; {line}")]


def _part(row: dict[str, object], samplerate_hz: float) -> tuple[str, ...]:
    seconds = float(str(row["samples"])) / samplerate_hz
    power = DASH if row["energy_j"] is None else prefixed_text(float(str(row["energy_j"])) / seconds, "W")
    of = str(row["of"])
    name = "" if of in (NODE, OUTSIDE) else str(row["name"])
    return str(row["node"]), _PARTS[of], name, time_text(seconds * TIME_NS["s"]), energy_text(row), power


def energy_text(row: dict[str, object]) -> str:
    """``846.8 µJ ± 12 µJ``; a dash for what the trace lacks."""
    if row["energy_j"] is None:
        return DASH
    energy, doubt = (float(str(row[name])) for name in ("energy_j", "uncertainty_j"))
    return f"{prefixed_text(energy, 'J')} ± {prefixed_text(doubt, 'J', digits=2)}"


def _means(rows: pa.Table, of: str) -> list[tuple[str, ...]]:
    """A row for each node and name, in the order of the table."""
    statistics = [("energy_j", "mean"), ("uncertainty_j", "mean"), ("energy_j", "min"), ("energy_j", "max"),
                  ("energy_j", "count"), ("samples", "count")]  # fmt: skip
    grouped = rows.group_by(["node", "name"], use_threads=False).aggregate(statistics)
    return [
        (
            row["node"],
            of,
            "" if of == PACKET else row["name"],
            number_text(row["energy_j_count"]),
            number_text(row["samples_count"] - row["energy_j_count"]),
            energy_text({"energy_j": row["energy_j_mean"], "uncertainty_j": row["uncertainty_j_mean"]}),
            *(_plain(row[f"energy_j_{end}"]) for end in ("min", "max")),
        )
        for row in grouped.to_pylist()
    ]


def _plain(joules: float | None) -> str:
    return DASH if joules is None else prefixed_text(joules, "J")
