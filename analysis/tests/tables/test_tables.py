"""Tables: what is written comes back, and equal data give equal bytes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import evaluations
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from network import Network
from tripcases import analysed

from gpiorig.analysis.attribution import findings
from gpiorig.analysis.audit.results import Audit
from gpiorig.analysis.compare import comparison
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.delays import budget, instruments, jitter, uncertainty
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.errors import TableError
from gpiorig.analysis.evaluation import evaluator
from gpiorig.analysis.evaluation.analysis import Analysis, analyse
from gpiorig.analysis.evaluation.evaluation import Evaluation
from gpiorig.analysis.statistics import summary
from gpiorig.analysis.tables import evaluation as summaries
from gpiorig.analysis.tables import registry, stages
from gpiorig.analysis.tables.suffixes import SUFFIXES


@pytest.fixture
def all_tables(bench):
    bench.damage_frame(1, "udp.rx.enter", 7)
    bench.log.append((1, bench.now - 500, "tap.irq.enter", None))
    events = bench.events()
    analysis = analysed(events)
    lines = analysis.timelines
    rtt = summary.summarize(lines.rtt[lines.timelined], samplerate_hz=lines.samplerate_hz)
    return {
        **{name: registry.table(analysis, name) for name in registry.NAMES},
        "summary": stages.summary({"round trip": rtt}, samplerate_hz=lines.samplerate_hz),
    }


def test_parquet_comes_back_equal_with_the_samplerate(all_tables, tmp_path):
    for name, table in all_tables.items():
        path = tmp_path / f"{name}.parquet"
        stages.write(table, path)
        assert table.equals(stages.read(path), check_metadata=True), name
        assert Fraction(24_000_000) == stages.samplerate_hz(stages.read(path))


def test_csv_holds_the_same_values(all_tables, tmp_path):
    for name, table in all_tables.items():
        path = tmp_path / f"{name}.csv"
        stages.write(table, path)
        again = stages.read(path)
        assert table.column_names == again.column_names
        for column in table.column_names:
            if pa.types.is_integer(table[column].type) or pa.types.is_floating(table[column].type):
                assert table[column].to_pylist() == again[column].to_pylist(), (name, column)
        with pytest.raises(TableError, match="no samplerate"):
            stages.samplerate_hz(again)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_data_give_equal_bytes(all_tables, tmp_path, suffix):
    for name, table in all_tables.items():
        paths = [tmp_path / f"{name}{i}{suffix}" for i in range(2)]
        for path in paths:
            stages.write(table, path)
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_contents(all_tables, bench):
    steps = all_tables["steps"].to_pylist()
    assert 39 * 19 == len(steps)
    first = [row for row in steps if row["packet_row"] == 0]
    truth = bench.truth[0]
    assert truth["reply.app.rx"] - truth["request.app.tx"] == sum(row["duration_samples"] for row in first)
    assert first[0]["duration_samples"] * 125 / 3 == pytest.approx(first[0]["duration_ns"])
    row = all_tables["round_trips"].to_pylist()[6]
    assert "missing: request.udp.rx" == row["detail"]
    assert 1 == row["request_transmissions"]
    assert None is all_tables["timelines"].to_pylist()[6]["request.udp.rx_sample"]
    left = ["udp.checksum.enter", "udp.checksum.exit", "tap.irq.enter"]
    assert left == all_tables["unattributed"]["event"].to_pylist()
    assert 1 == len(all_tables["damaged"])
    named = all_tables["events"].to_pylist()[0]
    assert ("initiator", "isr.timer.enter", "isr", None, None) == tuple(
        named[key] for key in ("node", "event", "layer", "id", "packet_row")
    )


def test_answers_and_readings_are_those_of_a_plain_walk(bench):
    """Of packets and transmissions, in parts of seven rows as in one."""
    analysis = analysed(bench.events())
    hops, trips = analysis.hops, analysis.round_trips
    answers = dict(zip(trips.requests.tolist(), trips.replies.tolist(), strict=True))
    expected = {
        ("packets", "answer_row"): [answers.get(row, -1) for row in range(len(hops.packets))],
        ("transmissions", "readings"): [
            hops.receptions.transmissions.tolist().count(row) for row in range(len(hops.transmissions))
        ],
    }
    for (name, column), values in expected.items():
        rows, make = registry.TABLES[registry.NAMES.index(name)].parts(analysis, None)
        parts = [make(slice(start, min(start + 7, rows))) for start in range(0, rows, 7)]
        for content in (make(slice(None)), pa.concat_tables(parts)):
            assert [None if value < 0 else value for value in values] == content[column].to_pylist()
    assert 1 < len(set(answers.values()))


def test_row_groups_have_limits_of_numbers(all_tables, tmp_path):
    """A query for a time reads the groups that have it."""
    path = tmp_path / "events.parquet"
    stages.write(all_tables["events"], path)
    group = pa.parquet.ParquetFile(path).metadata.row_group(0)
    limits = {group.column(place).path_in_schema: group.column(place).statistics for place in range(group.num_columns)}
    assert all_tables["events"]["sample"][0].as_py() == limits["sample"].min
    assert all_tables["events"]["sample"][-1].as_py() == limits["sample"].max


def test_an_error_of_a_table_is_one_of_all(all_tables, tmp_path):
    def fails(part: slice) -> pa.Table:
        raise TableError("cannot be made")

    jobs = [(lambda part: all_tables["events"], 5, tmp_path / "events.parquet"), (fails, 9, tmp_path / "steps.parquet")]
    with pytest.raises(TableError, match="cannot be made"):
        stages.write_all(jobs)


def test_unknown_suffix_and_missing_file(all_tables, tmp_path):
    with pytest.raises(TableError, match="suffix"):
        stages.write(all_tables["steps"], tmp_path / "steps.xlsx")
    with pytest.raises(TableError, match="no table"):
        stages.read(tmp_path / "steps.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(TableError, match="analyse again"):
        stages.read(tmp_path / "broken.parquet")


def routes_of_unequal_length() -> tuple[Analysis, Evaluation]:
    """Twelve packets one way, one the other: its statistics are not defined."""
    network = Network("ab")
    for number in range(12):
        network.frame(number * 2_400_000, "a", number, {"b": "deliver"})
    network.frame(100_000_000, "b", 99, {"a": "deliver"})
    analysis = analyse(network.events(), {}, header_ns=network.headers())
    analyzer = instruments.by_driver("fx2lafw", samplerate_hz=Fraction(24_000_000))
    return analysis, evaluator.evaluate(analysis, Instruments(analyzer), None)


def test_routes_with_one_packet_have_their_rows() -> None:
    """A column that is undefined in one route is joined with the same column of the others."""
    _, evaluation = routes_of_unequal_length()
    steps = registry.evaluation_tables(evaluation)["route_steps"]

    assert {"a > b", "b > a"} == set(steps["route"].to_pylist())


def test_tables_of_an_earlier_report_are_deleted(tmp_path: Path) -> None:
    """Those that the new one does not have: who reads them would take them for its own."""
    (tmp_path / "round_trips.parquet").write_bytes(b"earlier")
    (tmp_path / "audit.parquet").write_bytes(b"earlier")
    (tmp_path / "notes.txt").write_bytes(b"own")
    analysis, evaluation = routes_of_unequal_length()
    registry.write(analysis, evaluation, folder=tmp_path)

    assert (tmp_path / "hops.parquet").exists()
    assert (tmp_path / "notes.txt").exists()
    assert [] == [name for name in ("round_trips", "audit") if (tmp_path / f"{name}.parquet").exists()]


def test_a_table_has_the_same_columns_and_types_without_a_row() -> None:
    known, equal = (evaluations.about(evaluations.one_way(equal=equal)) for equal in (False, True))
    no_steps = replace(known.route, steps=replace(known.route.steps, steps=()))
    no_shares = replace(known.budget, steps=(), by_kind=(), by_node=())
    nothing = Audit(fits=(), matchings=(), comparisons=(), stages=(), stability=(), notes=())
    run = Delays({"rtt": np.arange(100)}, {}, sent=100, lost=0, samplerate_hz=Fraction(24_000_000))
    compared = comparison.compare(run, run)
    versions = [
        *([table(audit) for audit in (evaluations.audit(), nothing)] for table in summaries.AUDIT_TABLES.values()),
        [summaries.steps(evaluated) for evaluated in (known, equal, replace(known, route=no_steps))],
        [budget.as_table(shares) for shares in (known.budget, equal.budget, no_shares)],
        [jitter.as_table(measures) for measures in (known.jitter, equal.jitter, ())],
        [findings.as_table(results) for results in (known.attributions, equal.attributions, ())],
        [uncertainty.as_table(routes) for routes in ([("route", known.uncertainties)], [])],
        [comparison.as_table(replace(compared, changes=changes)) for changes in (compared.changes, ())],
    ]
    for first, *others in versions:
        assert first.num_rows
        assert 0 == others[-1].num_rows
        for other in others:
            assert first.schema == other.schema
