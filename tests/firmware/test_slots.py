"""Clock and plans of the slotted MACs of the reference firmware, compiled for the PC."""

from __future__ import annotations

import ctypes
import math
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

STACK = Path(__file__).resolve().parents[2] / "firmware-gpio-probes/reference/stack"

# The plans are headers of inline functions; this gives them names that can be called.
EXPORTS = """
#include "slot_clock.h"
#include "slots_plan.h"
#include "tdma_plan.h"
uint32_t frame_us(uint32_t rdc) { return tdma_frame_us(rdc); }
uint32_t sync_turn(uint32_t frame, uint32_t frame_us)
{
    return tdma_sync_turn(frame, tdma_sync_frames(TDMA_SYNC_US, frame_us));
}
uint32_t beacon_slot_us(uint32_t slot) { return tdma_beacon_slot_us(slot); }
uint32_t packet_slot_us(uint32_t frame_us, uint32_t slot) { return tdma_packet_slot_us(frame_us, slot); }
uint32_t offset_us(uint32_t frame_us, uint32_t random) { return tdma_offset_us(frame_us, random); }
uint16_t cell(uint16_t address, uint16_t slotframe) { return slots_cell(address, slotframe); }
int use(uint32_t asn, uint16_t slotframe, uint16_t own, uint16_t send, uint8_t level)
{
    struct slot_node node = { own, send, level };
    return slots_use(&node, slots_place(asn, slotframe));
}
int next_is(uint32_t asn, uint16_t slotframe)
{
    struct slot_place place = slots_place(asn, slotframe), after = slots_place(asn + 1, slotframe);
    slots_next(&place, slotframe);
    return place.cell == after.cell && place.turn == after.turn;
}
"""

GUARD_US, EXCHANGE_US, BEACONS_US = 500, 10_000, 13_000  # tdma_plan.h
IDLE, SEND_BEACON, HEAR_BEACON, SEND, HEAR = range(5)  # enum slot_use, slots_plan.h
LEVELS = 3


class Clock(ctypes.Structure):
    """struct slot_clock."""

    _fields_ = (
        ("number", ctypes.c_uint32),
        ("start_us", ctypes.c_uint32),
        ("period_q8", ctypes.c_uint32),
        ("nominal_us", ctypes.c_uint32),
        ("fraction", ctypes.c_uint8),
        ("heard", ctypes.c_uint8),
        ("heard_number", ctypes.c_uint32),
        ("heard_us", ctypes.c_uint32),
        ("error_us", ctypes.c_int32),
    )


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The library."""
    folder = tmp_path_factory.mktemp("plans")
    (folder / "exports.c").write_text(EXPORTS)
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-ftrapv", "-shared", "-fPIC", "-I", STACK]
    library = folder / "plans.so"
    subprocess.run(["cc", *options, "-o", library, folder / "exports.c", STACK / "slot_clock.c"], check=True)
    loaded = ctypes.CDLL(str(library))
    for name in ("frame_us", "sync_turn", "beacon_slot_us", "packet_slot_us", "offset_us", "slot_clock_start_us"):
        getattr(loaded, name).restype = ctypes.c_uint32
    loaded.slot_clock_hear.restype = ctypes.c_bool
    loaded.slot_clock_is_synchronised.restype = ctypes.c_bool
    return loaded


@pytest.mark.parametrize(("rdc", "frame_us"), [(10, 130_000), (15, 87_000), (20, 65_000)])
def test_frames_are_those_of_the_paper(plans: ctypes.CDLL, rdc: int, frame_us: int) -> None:
    """T_MAC is that of table 1 of Rodriguez-Zurrunero et al. (2019), and 13 ms are its share by table 1."""
    assert frame_us == plans.frame_us(rdc)
    assert rdc == round(100 * BEACONS_US / frame_us)


@pytest.mark.parametrize("frame_us", [130_000, 87_000, 65_000])
def test_tdma_slots_lie_side_by_side(plans: ctypes.CDLL, frame_us: int) -> None:
    """Beacon slots between two guard times fill 13 ms; packet slots fill the rest; a packet ends within its slot."""
    ends = [plans.beacon_slot_us(slot) for slot in range(4)]
    assert [GUARD_US, BEACONS_US - GUARD_US] == [ends[0], ends[3]]
    assert {4000} == {b - a for a, b in pairwise(ends)}
    slots = [plans.packet_slot_us(frame_us, slot) for slot in range(4)]
    assert BEACONS_US == slots[0] and frame_us - 3 < slots[3] <= frame_us
    length_us = slots[1] - slots[0]
    offsets = [plans.offset_us(frame_us, number) for number in range(0, 100_000, 7)]
    assert GUARD_US == min(offsets)
    assert max(offsets) + EXCHANGE_US <= length_us < max(offsets) + EXCHANGE_US + 100


@pytest.mark.parametrize("frame_us", [130_000, 87_000, 65_000])
def test_synchronisation_packets_come_every_ten_seconds(plans: ctypes.CDLL, frame_us: int) -> None:
    """Often in the first 48 frames, every 10 s (to a frame) after that; one hop further one frame later."""
    turns = [plans.sync_turn(frame, frame_us) for frame in range(2000)]
    for level in range(LEVELS):
        frames = [frame for frame, turn in enumerate(turns) if turn == level]
        gaps = [b - a for a, b in pairwise(frames)]
        assert {LEVELS} == set(gaps[:15])
        assert {math.ceil(10_000_000 / frame_us)} == set(gaps[16:])


def test_slots_agree_between_nodes(plans: ctypes.CDLL) -> None:
    """At most one level sends a beacon in a slot, and the level below receives it; packets go to their receiver."""
    for slotframe in (3, 11, 101):
        own, other = plans.cell(2, slotframe), plans.cell(1, slotframe)
        for asn in range(4 * LEVELS * slotframe):
            uses = [plans.use(asn, slotframe, own, 0, level) for level in range(LEVELS + 1)]
            assert uses.count(SEND_BEACON) <= 1
            for level in range(1, LEVELS + 1):
                assert (uses[level] == HEAR_BEACON) == (uses[level - 1] == SEND_BEACON)
            sender = plans.use(asn, slotframe, other, own, 1)
            assert (sender == SEND) == (uses[0] == HEAR)


def test_the_cell_follows_the_address(plans: ctypes.CDLL) -> None:
    """Never the beacons' cell; neighbouring addresses have different ones."""
    for slotframe in range(3, 102):
        cells = [plans.cell(address, slotframe) for address in range(3 * slotframe)]
        assert set(range(1, slotframe)) == set(cells)
        assert all(a != b for a, b in pairwise(cells))


def test_places_are_kept_up_without_division(plans: ctypes.CDLL) -> None:
    """One step on is the place of the next slot number."""
    choose = random.Random(154)
    for slotframe in (3, 11, 101):
        assert all(plans.next_is(choose.randrange(2**32 - 1), slotframe) for _ in range(2000))


def follow(
    plans: ctypes.CDLL, ppm: float, *, nominal_us: int, beat: int, beacons: int, jitter_us: int = 0, start_us: int = 0
) -> tuple[Clock, list[int]]:
    """A clock that is `ppm` fast receives a beacon every `beat` periods; how far off it was at each, in us."""
    choose = random.Random(int(ppm) + nominal_us)
    clock = Clock()
    plans.slot_clock_reset(ctypes.byref(clock), nominal_us)
    errors = []
    for number in range(0, beat * beacons, beat):
        local_us = start_us + round(number * nominal_us * (1 + ppm / 1e6)) + choose.randint(-jitter_us, jitter_us)
        while clock.heard == 2 and clock.number < number:
            plans.slot_clock_advance(ctypes.byref(clock), 1)
        if plans.slot_clock_hear(ctypes.byref(clock), number, ctypes.c_uint32(local_us)) and number > beat:
            errors.append(clock.error_us)
    return clock, errors


@pytest.mark.parametrize("ppm", [-2000, -40, 0, 0.3, 40, 2000, 3900])
@pytest.mark.parametrize(("nominal_us", "beat"), [(130_000, 77), (65_000, 154), (10_000, 33), (15_000, 303)])
def test_a_clock_keeps_step(plans: ctypes.CDLL, ppm: float, nominal_us: int, beat: int) -> None:
    """From the third beacon on a steady clock, however far off, is right to 1/256 us per period, and a us or two."""
    for start_us in (0, 2**32 - 30_000_000):
        clock, errors = follow(plans, ppm, nominal_us=nominal_us, beat=beat, beacons=12, start_us=start_us)
        assert 10 == len(errors)
        assert max(map(abs, errors)) <= 2 + beat / 256
        assert abs((clock.period_q8 / 256 / nominal_us - 1) * 1e6 - ppm) <= 1 + 1e6 / 256 / nominal_us


def test_a_clock_follows_jitter_but_not_another_clock(plans: ctypes.CDLL) -> None:
    """Stamps that are up to 5 us off move it by no more than a few times that; a foreign beacon restarts it."""
    clock, errors = follow(plans, 40, nominal_us=10_000, beat=33, beacons=100, jitter_us=5)
    assert max(map(abs, errors)) <= 4 * 5
    assert plans.slot_clock_is_synchronised(ctypes.byref(clock))
    assert not plans.slot_clock_hear(ctypes.byref(clock), 12, clock.start_us + 5000)
    assert not plans.slot_clock_is_synchronised(ctypes.byref(clock))


def test_a_late_beacon_leaves_the_present_period(plans: ctypes.CDLL) -> None:
    """A beacon handled in the period after its own corrects that one."""
    clock, _ = follow(plans, 0, nominal_us=10_000, beat=33, beacons=5)
    number, start_us = clock.number, clock.start_us
    plans.slot_clock_advance(ctypes.byref(clock), 33)
    plans.slot_clock_advance(ctypes.byref(clock), 1)
    assert plans.slot_clock_hear(ctypes.byref(clock), number + 33, start_us + 330_007)
    assert (number + 34, 7) == (clock.number, clock.error_us)
    assert abs(clock.start_us - (start_us + 340_007)) <= 1
