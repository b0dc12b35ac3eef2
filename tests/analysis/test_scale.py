"""The analysis at scale: true on synthetic events, equal to plain versions, and the same however it is cut."""

from __future__ import annotations

import random

import numpy as np
import pytest
from processor import events_of
from synthetic_events import EVENTS_PER_PACKET, HEADER_NS, NODES, RATE_HZ, disturbed, ping_pongs, truth
from tripcases import analysed, trips

from gpiorig.analysis.delays import instruments
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.evaluation import analysis, evaluator
from gpiorig.analysis.events import events as events_module
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import spans, timelines
from gpiorig.analysis.packets.timelines import COMPLETE
from gpiorig.analysis.tables import registry, stages
from gpiorig.capture import mapped

INITIATOR, RESPONDER = NODES


def arrays(analysis):
    """All that is known of the events and of the round trips."""
    lines, steps = analysis.timelines, timelines.steps(analysis.timelines)
    counts = (analysis.request_of, analysis.directions, analysis.replies, analysis.transmissions, analysis.receptions)
    left = analysis.hops.unattributed
    events = (analysis.hops.visit_of, analysis.hops.ways, left.positions, left.reasons)
    return [array.tobytes() for array in (*counts, *events, lines.samples, lines.status, steps.rows, steps.samples)]


@pytest.mark.slow
def test_a_wrap_of_the_ids_merges_nothing():
    """More packets than there are ids: every milestone of every packet is where it was made."""
    events = ping_pongs(70_000, first_id=123)
    lines = trips(events, header_ns=HEADER_NS).timelines
    expected = truth(events)
    assert expected.milestones == tuple(milestone.name for milestone in lines.milestones)
    assert np.array_equal(expected.samples, lines.samples)
    assert (lines.status == COMPLETE).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_where_it_is_cut_changes_nothing(monkeypatch, seed):
    """Losses, duplicates, late replies, jumps and wraps of ids, gaps: byte for byte the same in blocks of any size."""
    events = disturbed(400, seed=seed)
    monkeypatch.setattr(events_module, "SLICE_EVENTS", len(events))
    expected = arrays(trips(events))
    for piece in (7, 40, 1_009):
        monkeypatch.setattr(events_module, "SLICE_EVENTS", piece)
        assert expected == arrays(trips(events))


@pytest.mark.slow
def test_arrays_in_files_change_nothing(monkeypatch, tmp_path):
    """The tables of a recording with losses, gaps and late replies: byte for byte, with every array in a file."""
    fx2 = Instruments(instruments.by_driver("fx2lafw", samplerate_hz=RATE_HZ))
    written = []
    for large, resident in ((mapped.LARGE, mapped.RESIDENT), (1, 0)):
        monkeypatch.setattr(mapped, "LARGE", large)
        monkeypatch.setattr(mapped, "RESIDENT", resident)
        folder = tmp_path / str(large)
        folder.mkdir()
        analysis = analysed(disturbed(300, seed=4))
        registry.write(analysis, evaluator.evaluate(analysis, fx2, None), folder=folder)
        written.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert len(written[0]) > 10
    assert written[0] == written[1]


def test_an_index_holds_what_a_search_finds(monkeypatch):
    """Positions of every event of every node, in blocks that divide nothing evenly."""
    events = disturbed(50, seed=1)
    monkeypatch.setattr(events_module, "SLICE_EVENTS", 101)
    index = Index(events)
    for code, event in BY_CODE.items():
        for node in range(len(NODES)):
            expected = np.flatnonzero((events.codes == code) & (events.nodes == node))
            assert expected.tolist() == index.positions(event.name, node=node).tolist()


def test_progress_adds_up_to_all_events():
    events, counted = disturbed(100, seed=2), []
    analysis.analyse(events, {}, header_ns={}, progress=counted.append)
    assert len(events) == sum(counted)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("table", [*registry.NAMES[3:], "events"])
def test_parts_are_written_as_the_whole(monkeypatch, tmp_path, table, suffix):
    """Byte for byte, for a number of rows that parts do not divide."""
    monkeypatch.setattr(stages, "ROW_GROUP", 777)
    stage = registry.TABLES[registry.NAMES.index(table)]
    rows, make = stage.parts(analysed(disturbed(1_000, seed=3)), None)
    whole, parts = tmp_path / f"whole{suffix}", tmp_path / f"parts{suffix}"
    stages.write(make(slice(None)), whole)
    stages.write_parts(make, rows, parts)
    assert rows > 777
    assert whole.read_bytes() == parts.read_bytes()


@pytest.mark.parametrize("seed", range(20))
def test_exits_end_the_enters_that_a_plain_walk_gives_them(seed):
    """Spans of several packets open at once, ids on one side only, lost ends, gaps."""
    rng = random.Random(seed)
    ids = [rng.choice([-1, 0, 1, 2]) if seed % 3 else 0 for _ in range(400)]
    names = [rng.choice(["udp.tx.enter", "udp.tx.exit", "mac.rx.enter", "mac.rx.exit"]) for _ in ids]
    if seed % 4 == 1:
        ids = [-1 if name.endswith("enter") else id_ for name, id_ in zip(names, ids, strict=True)]
    if seed % 4 == 2:
        ids = [-1 if name.endswith("exit") else abs(id_) for name, id_ in zip(names, ids, strict=True)]
    log = [(10 * at, name, id_) for at, (name, id_) in enumerate(zip(names, ids, strict=True))]
    events = events_of(log, gaps=[(1_001, 1_005), (2_001, 2_009)], end=4_000)
    expected = []
    waiting = {"udp.tx": [], "mac.rx": []}
    for position, (at, name, id_) in enumerate(log):
        point, _, kind = name.rpartition(".")
        if kind == "enter":
            waiting[point].append(position)
            continue
        for fits in (id_, -1, None if id_ < 0 else -1):
            chosen = [enter for enter in waiting[point] if fits is None or log[enter][2] == fits]
            if chosen:
                waiting[point].remove(chosen[-1])
                if not any(log[chosen[-1]][0] < start < at for start in (1_001, 2_001)):
                    expected.append((chosen[-1], position))
                break
    assert expected == list(zip(*(pair.tolist() for pair in spans.pairs(events)), strict=True))


def test_synthetic_packets_have_forty_events():
    """What the goal of the speed table counts."""
    assert 40 == EVENTS_PER_PACKET
    assert 40 * 3 == len(ping_pongs(3))
