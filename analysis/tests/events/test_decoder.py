"""Events from blocks of edges: the same whatever the blocks are, and the same as bus by bus and line by line."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from decoded_bus import decode

from gpiorig.analysis.events import events
from gpiorig.analysis.events.decoder import KNOWN_CODES
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture.buses.symbol_bus import BusLines
from gpiorig.capture.edges.waveform import Block, Waveform

FRAME_GAP = 10  # samples: 400 ns at 24 MHz, as in the wiring of the bench


def plain(edges, wiring):
    """Bus by bus and line by line, then sorted: sample, node, place in the wiring, code, id; damaged frames."""
    rows, damaged = [], []
    for node, lines in enumerate(wiring):
        data = tuple(edges.index(channel) for channel in lines.bus.data)
        bus = BusLines(strobe=edges.index(lines.bus.strobe), data=data, frame_gap_samples=FRAME_GAP)
        frames = decode(edges, bus, codes=KNOWN_CODES)
        seen = zip(frames.samples.tolist(), frames.codes.tolist(), frames.ids.tolist(), strict=True)
        rows += [(sample, node, 0, code, id_) for sample, code, id_ in seen]
        damaged += [(sample, node) for sample in frames.damaged_samples.tolist()]
        for place, (point, channel) in enumerate(lines.lines.items(), start=1):
            for sample, level in zip(*(column.tolist() for column in edges.channel(channel)), strict=True):
                if sample not in edges.gaps[:, 1]:
                    code = BY_NAME[f"{point}.{'enter' if level else 'exit'}"].code
                    rows.append((sample, node, place, code, -1))
    return [(sample, node, code, id_) for sample, node, _, code, id_ in sorted(rows)], sorted(damaged)


def in_blocks(edges, random, blocks):
    """The edges in this number of blocks, cut anywhere; a gap is in the block before its end or in that of its end."""
    cuts = [0, *np.sort(random.integers(0, len(edges.samples) + 1, blocks - 1)).tolist(), len(edges.samples)]

    def read():
        reported = 0
        for first, last in pairwise(cuts):
            known = int(edges.samples[last]) if last < len(edges.samples) else edges.end
            begun = int(np.searchsorted(edges.gaps[:, 1], known, side="right"))
            yield Block(edges.samples[first:last], edges.levels[first:last], known, edges.gaps[reported:begun])
            reported = begun

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read)


def gapped(edges, random, gaps):
    """The edges without those in a few intervals of lost samples."""
    starts = np.sort(random.choice(np.arange(1_000, edges.end - 3_000, 2_500), gaps, replace=False))
    lost = np.stack([starts, starts + random.integers(1, 2_000, gaps)], axis=1)
    keep, samples, levels = np.ones(len(edges.samples), dtype=bool), edges.samples, edges.levels
    for start, end in lost.tolist():
        keep &= (samples < start) | (samples >= end)
    after = np.searchsorted(samples, lost[:, 1], side="right") - 1
    all_samples = np.concatenate([samples[keep], lost[:, 1]])
    unique, first = np.unique(all_samples, return_index=True)
    all_levels = np.concatenate([levels[keep], levels[after]])[first]
    return dataclasses.replace(edges, samples=unique, levels=all_levels, gaps=lost)


@pytest.mark.parametrize("seed", range(12))
def test_blocks_change_nothing(new_bench, wiring, seed):
    """Random blocks, empty ones too; damaged frames; frames, lines and levels cut by gaps."""
    random = np.random.default_rng(seed)
    bench = new_bench(seed=seed)
    for id_ in range(1, 6):
        bench.round_trip(id_)
    bench.damage_frame(1, "udp.rx.enter", 3)
    edges = gapped(bench.edges(), random, seed)
    expected, damaged = plain(edges, wiring)
    for blocks in (1, 2, 40, 400):
        got = events.from_waveform(in_blocks(edges, random, blocks), wiring)
        columns = (got.samples, got.nodes, got.codes, got.ids)
        assert expected == list(zip(*(column.tolist() for column in columns), strict=True))
        assert damaged == list(zip(got.damaged.samples.tolist(), got.damaged.nodes.tolist(), strict=True))
        assert len(damaged) + sum(code < 128 for *_, code, _ in expected) == got.frames_seen.sum()
        assert edges.gaps.tolist() == got.gaps.tolist()
        assert (edges.start, edges.end) == (got.start, got.end)


def test_a_silent_bus_holds_nothing_back(new_bench, wiring):
    """A frame is over when its gap has gone by, not when the next one begins: what comes after it need not wait."""
    bench = new_bench()
    bench.emit(0, "udp.tx.enter", 1)
    for id_ in range(50):
        bench.emit(1, "udp.rx.enter", id_)
    edges = bench.edges()
    decoder = events.EventDecoder(edges.channels, edges.samplerate_hz, wiring)
    half = len(edges.samples) // 2
    decoder.feed(Block(edges.samples[:half], edges.levels[:half], int(edges.samples[half])))
    assert decoder.waiting <= 1


@pytest.mark.parametrize("seed", range(3))
def test_events_that_are_taken_early_are_the_same(new_bench, wiring, seed):
    """Taken after each block, events and damaged frames are those of all at once, in order, and none is kept."""
    random = np.random.default_rng(seed)
    bench = new_bench(seed=seed)
    for id_ in range(1, 6):
        bench.round_trip(id_)
    bench.damage_frame(1, "udp.rx.enter", 3)
    edges = gapped(bench.edges(), random, seed)
    expected = events.from_edges(edges, wiring)
    decoder, parts = events.EventDecoder(edges.channels, edges.samplerate_hz, wiring), []
    for block in in_blocks(edges, random, 40).read():
        decoder.feed(block)
        parts.append(decoder.take())
    parts.append(decoder.finish())
    assert 0 == len(decoder.take().samples)
    for name in ("samples", "nodes", "codes", "ids"):
        assert getattr(expected, name).tolist() == np.concatenate([getattr(part, name) for part in parts]).tolist()
    for name in ("samples", "nodes", "symbols"):
        early = np.concatenate([getattr(part, f"damaged_{name}") for part in parts])
        assert sorted(getattr(expected.damaged, name).tolist()) == sorted(early.tolist())
    assert expected.frames_seen.tolist() == parts[-1].frames_seen.tolist()


@pytest.mark.slow
def test_no_block_is_no_event(wiring, bench):
    """A capture without samples."""
    waveform = Waveform(
        samplerate_hz=bench.edges().samplerate_hz, channels=bench.edges().channels, read=lambda: iter([])
    )
    got = events.from_waveform(waveform, wiring)
    assert (0, 0, 0) == (len(got), got.start, got.end)
    assert [0, 0] == got.frames_seen.tolist()
