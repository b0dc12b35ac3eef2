"""The analysis at scale: true on synthetic events, equal to plain versions, and the same however it is cut."""

from __future__ import annotations

import random

import numpy as np
import pytest
from processor import events_of
from synthetic_events import EVENTS_PER_PACKET, HEADER_NS, NODES, disturbed, ping_pongs, truth

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.ids import PACKET_LAYERS, SEQUENCE
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import association, reconciliation, spans, timelines
from gpiorig.analysis.packets.timelines import COMPLETE
from gpiorig.analysis.tables import stages

INITIATOR, RESPONDER = NODES


def associate(events):
    return association.associate(events, initiator=INITIATOR, responder=RESPONDER)


def arrays(found):
    """All that was found for the events and the packets."""
    lines = timelines.build(found, header_ns=HEADER_NS)
    steps = timelines.steps(lines)
    kept = (found.packet_of, found.direction_of, found.completion_of, found.transmissions, found.receptions)
    listed = (found.unattributed.positions, found.unattributed.reasons, found.answered, found.in_gap)
    return [each.tobytes() for each in (*kept, *listed, lines.samples, lines.status, steps.rows, steps.samples)]


@pytest.mark.slow
def test_a_wrap_of_the_ids_merges_nothing():
    """More packets than there are ids: every milestone of every packet is where it was made."""
    events = ping_pongs(70_000, first_id=123)
    lines = timelines.build(associate(events), header_ns=HEADER_NS)
    expected = truth(events)
    assert expected.milestones == tuple(milestone.name for milestone in lines.milestones)
    assert np.array_equal(expected.samples, lines.samples)
    assert (lines.status == COMPLETE).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_where_it_is_cut_changes_nothing(monkeypatch, seed):
    """Losses, duplicates, late replies, jumps and wraps of ids, gaps: byte for byte the same in pieces of any size."""
    events = disturbed(400, seed=seed)
    monkeypatch.setattr(completions, "PIECE", len(events))
    expected = arrays(associate(events))
    for piece in (7, 40, 1_009):
        monkeypatch.setattr(completions, "PIECE", piece)
        assert expected == arrays(associate(events))


def plainly(events):
    """Packet and direction of every event with an id, one after the other."""
    calls: dict[int, int] = {}
    latest: dict[int, tuple[int, str]] = {}
    rows = 0
    found = []
    for node, code, identity in zip(events.nodes.tolist(), events.codes.tolist(), events.ids.tolist(), strict=True):
        event = BY_CODE[code]
        if identity < 0 or event.layer not in PACKET_LAYERS or event.name == SEQUENCE:
            found.append(None)
            continue
        if event.name == "app.tx.enter" and node == 0:
            calls[identity] = rows
            rows += 1
        if event.direction != "none":
            latest[node] = identity, event.direction
        known, way = latest.get(node, (-1, ""))
        row = calls.get(identity, -1)
        # An id of half a round ago is of a packet that is not known.
        if row < 0 or rows - 1 - row >= 1 << 15 or known != identity:
            found.append((-1, -1))
        else:
            found.append((row, int((way == "tx") != (node == 0))))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_ids_mean_what_a_plain_loop_takes_them_for(seed):
    events = disturbed(400, seed=seed)
    found = associate(events)
    actual = list(zip(found.packet_of.tolist(), found.direction_of.tolist(), strict=True))
    for expected, given in zip(plainly(events), actual, strict=True):
        assert expected in (None, given)


def test_an_index_holds_what_a_search_finds(monkeypatch):
    """Positions of every event of every node, in pieces that divide nothing evenly."""
    events = disturbed(50, seed=1)
    monkeypatch.setattr(completions, "PIECE", 101)
    index = completions.Index(events)
    for code, event in BY_CODE.items():
        for node in range(len(NODES)):
            expected = np.flatnonzero((events.codes == code) & (events.nodes == node))
            assert expected.tolist() == index.of(event.name, node=node).tolist()


def test_progress_adds_up_to_all_events(monkeypatch):
    monkeypatch.setattr(completions, "PIECE", 1_000)
    events, told = disturbed(100, seed=2), []
    association.associate(events, initiator=INITIATOR, responder=RESPONDER, progress=told.append)
    assert len(events) == sum(told)
    assert len(told) > 3


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("table", ["events", "packets", "timelines", "steps"])
def test_parts_are_written_as_the_whole(monkeypatch, tmp_path, table, suffix):
    """Byte for byte, for a number of rows that parts do not divide."""
    monkeypatch.setattr(stages, "ROW_GROUP", 777)
    found = associate(disturbed(1_000, seed=3))
    lines = timelines.build(found, header_ns=HEADER_NS)
    steps = timelines.steps(lines)
    make, rows = {
        "events": (lambda part: stages.events(found.events, packets=found, part=part), len(found.events)),
        "packets": (lambda part: stages.packets(found, lines, part=part), len(found)),
        "timelines": (lambda part: stages.timelines(lines, part=part), len(lines)),
        "steps": (lambda part: stages.steps(steps, part=part), steps.samples.size),
    }[table]
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
            chosen = [each for each in waiting[point] if fits is None or log[each][2] == fits]
            if chosen:
                waiting[point].remove(chosen[-1])
                if not any(log[chosen[-1]][0] < start < at for start in (1_001, 2_001)):
                    expected.append((chosen[-1], position))
                break
    assert expected == list(zip(*(each.tolist() for each in spans.pairs(events)), strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_logged_packets_find_those_that_were_seen(seed):
    """The next one with the number, unless it is half a round away: against a walk number by number."""
    rng = np.random.default_rng(seed)
    sent = (np.arange(3_000) + 64_000) & 0xFFFF
    logged = sent[rng.random(len(sent)) > rng.choice([0.0, 0.01, 0.5])]
    seen = sent[rng.random(len(sent)) > rng.choice([0.0, 0.01, 0.5])]
    if seed % 5 == 0:
        seen = np.where(rng.random(len(seen)) < 0.02, rng.integers(0, 1 << 16, len(seen)), seen)
    expected, at = [], 0
    for number in logged.tolist():
        ahead = at
        while ahead < len(seen) and (number - int(seen[ahead])) & 0x8000 == 0 and seen[ahead] != number:
            ahead += 1
        found = ahead < len(seen) and seen[ahead] == number
        expected.append(ahead if found else -1)
        at = ahead + found
    assert expected == reconciliation._match(logged.astype(np.int32), seen.astype(np.int32)).tolist()


def test_synthetic_packets_have_forty_events():
    """What the goal of the speed table counts."""
    assert 40 == EVENTS_PER_PACKET
    assert 40 * 3 == len(ping_pongs(3))
