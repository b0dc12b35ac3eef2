"""Reassembly of the reference firmware, compiled for the PC with a pool of its own and a clock that the test sets."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from itertools import permutations
from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "firmware-gpio-probes/reference"

DATAGRAM_MAX = 40 + 8 + 219  # IPv6 and UDP headers, the longest payload
TIMEOUT_US = 3_000_000  # reassembly.c
PLACES = 2  # reassembly.c
PACKETS = 4  # below

# What the kernel and the board have for the firmware.
BOARD = """
#ifndef BOARD_H
#define BOARD_H
typedef int irq_state;
static inline irq_state irq_lock(void) { return 0; }
static inline void irq_unlock(irq_state state) { (void)state; }
#endif
"""
LIMITS = f"#define PACKETS {PACKETS}u\n#define QUEUE_LENGTH_MAX 8u\n#define PAYLOAD_MAX 219u\n"
HARNESS = """
#include <stddef.h>
#include <string.h>
#include "alarm.h"
#include "board_limits.h"
#include "reassembly.h"
#include "sixlowpan.h"
#include "timer.h"

struct actor sixlowpan_actor;
static uint32_t now_us;

uint32_t timer_now(void) { return now_us; }
void actor_signal(struct actor *to, uint16_t bits) { (void)to; (void)bits; }
bool actor_pass(struct actor *to, struct message message) { (void)to; (void)message; return false; }
bool actor_post(struct actor *to, struct message message) { (void)to; (void)message; return false; }
void alarm_set(struct alarm *alarm, uint32_t deadline_us) { alarm->deadline_us = deadline_us; }
void alarm_cancel(struct alarm *alarm) { (void)alarm; }

void wait_us(uint32_t us) { now_us += us; reassembly_expire(); }
uint32_t free_packets(void)
{
    struct packet *taken[PACKETS + 1];
    uint32_t count = 0;
    while ((taken[count] = packet_alloc()) != NULL) { count++; }
    for (uint32_t i = 0; i < count; i++) { packet_free(taken[i]); }
    return count;
}
uint32_t add(uint16_t source, uint16_t size, uint16_t tag, uint16_t offset, const uint8_t *part, uint16_t length,
             uint8_t *out)
{
    struct fragment fragment = { .size = size, .tag = tag, .offset = offset };
    struct packet *packet = packet_alloc(), *whole;
    uint32_t made = 0;
    packet->source = source;
    packet->destination = 1;
    packet->length = length;
    memcpy(packet_data(packet), part, length);
    whole = reassembly_add(packet, &fragment);
    packet_free(packet);
    if (whole != NULL) {
        made = whole->length;
        memcpy(out, packet_data(whole), made);
        packet_free(whole);
    }
    return made;
}
"""


class Reassembly:
    """The firmware's reassembly: parts in, datagrams out."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def add(self, datagram: bytes, offset: int, length: int, *, tag: int = 1, source: int = 2) -> bytes | None:
        """Hand in a part; the datagram if it is complete now."""
        return self.add_part(datagram[offset : offset + length], len(datagram), offset, tag=tag, source=source)

    def add_part(self, part: bytes, size: int, offset: int, *, tag: int = 1, source: int = 2) -> bytes | None:
        """The same, with a size that may be wrong."""
        out = ctypes.create_string_buffer(512)
        length = self._library.add(source, size, tag, offset, part, len(part), out)
        return out.raw[:length] if length else None

    def wait(self, us: int) -> None:
        """Let time go by."""
        self._library.wait_us(us)

    @property
    def free(self) -> int:
        """Packets left in the pool."""
        return int(self._library.free_packets())

    @property
    def incomplete(self) -> int:
        """Datagrams given up."""
        return int(self._library.reassembly_incomplete())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled sources."""
    folder = tmp_path_factory.mktemp("fragments")
    for name, text in (("board.h", BOARD), ("board_limits.h", LIMITS), ("harness.c", HARNESS)):
        (folder / name).write_text(text)
    folders = [
        folder,
        REFERENCE / "stack",
        REFERENCE / "kernel",
        REFERENCE / "kernel/events",
        REFERENCE.parent / "include",
    ]
    sources = [folder / "harness.c", REFERENCE / "stack/packet.c", REFERENCE / "stack/reassembly.c"]
    options = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-shared",
        "-fPIC",
        "-DGPIORIG_OFF",
        *(f"-I{folder}" for folder in folders),
    ]
    path = folder / "fragments.so"
    subprocess.run(["cc", *options, "-o", path, *sources], check=True)
    return path


@pytest.fixture
def reassembly(library: Path, tmp_path: Path) -> Reassembly:
    """As after reset: a copy of the library has variables of its own."""
    return Reassembly(ctypes.CDLL(str(shutil.copy(library, tmp_path))))


def parts(datagram: bytes, size: int) -> list[tuple[int, int]]:
    """Offset and length of its parts; all but the last are `size` long, a multiple of 8."""
    return [(at, min(size, len(datagram) - at)) for at in range(0, len(datagram), size)]


@pytest.mark.parametrize("length", [49, 144, 200, DATAGRAM_MAX])
def test_any_order_makes_it_whole(reassembly: Reassembly, length: int) -> None:
    """Whatever order the parts come in, the last one completes the datagram, byte for byte, and no buffer is kept."""
    datagram = random.Random(length).randbytes(length)
    for tag, order in enumerate(permutations(parts(datagram, 96))):
        *first, last = (reassembly.add(datagram, *part, tag=tag) for part in order)
        assert [None] * len(first) == first
        assert datagram == last
    assert (PACKETS, 0) == (reassembly.free, reassembly.incomplete)


def test_repetitions_are_ignored(reassembly: Reassembly) -> None:
    """A part that comes twice counts once."""
    datagram = bytes(range(200))
    assert reassembly.add(datagram, 0, 96) is None
    assert reassembly.add(datagram, 0, 96) is None
    assert reassembly.add(datagram, 96, 96) is None
    assert datagram == reassembly.add(datagram, 192, 8)


def test_an_overlap_voids_what_there_is(reassembly: Reassembly) -> None:
    """RFC 4944 5.3: a part that overlaps another one with other bounds."""
    datagram = bytes(range(200))
    assert reassembly.add(datagram, 0, 96) is None
    assert reassembly.add(datagram, 88, 96) is None
    assert (PACKETS, 1) == (reassembly.free, reassembly.incomplete)


def test_datagrams_do_not_mix(reassembly: Reassembly) -> None:
    """Two senders with the same tag, part by part in turn."""
    one, other = bytes([1] * 120), bytes([2] * 120)
    assert reassembly.add(one, 0, 96, source=2) is None
    assert reassembly.add(other, 0, 96, source=3) is None
    assert one == reassembly.add(one, 96, 24, source=2)
    assert other == reassembly.add(other, 96, 24, source=3)


def test_what_never_comes_is_given_up(reassembly: Reassembly) -> None:
    """After the timeout, not before, the buffer is back and the datagram is counted."""
    datagram = bytes(120)
    assert reassembly.add(datagram, 0, 96) is None
    reassembly.wait(TIMEOUT_US - 1)
    assert (PACKETS - 1, 0) == (reassembly.free, reassembly.incomplete)
    reassembly.wait(1)
    assert (PACKETS, 1) == (reassembly.free, reassembly.incomplete)


def test_the_oldest_makes_room(reassembly: Reassembly) -> None:
    """With all places taken, the datagram that has waited longest is given up for a new one."""
    datagrams = [bytes([tag] * 120) for tag in range(PLACES + 1)]
    for tag, datagram in enumerate(datagrams):
        assert reassembly.add(datagram, 0, 96, tag=tag) is None
        reassembly.wait(1)
    assert 1 == reassembly.incomplete
    assert reassembly.add(datagrams[0], 96, 24, tag=0) is None
    assert datagrams[PLACES] == reassembly.add(datagrams[PLACES], 96, 24, tag=PLACES)


@pytest.mark.parametrize(
    ("size", "offset", "length"),
    [(DATAGRAM_MAX + 1, 0, 96), (100, 96, 8), (200, 0, 95), (100, 104, 8)],
    ids=["too long", "past the end", "off the grid", "behind the end"],
)
def test_what_cannot_be_is_dropped(reassembly: Reassembly, size: int, offset: int, length: int) -> None:
    """A part that does not fit a datagram takes no buffer."""
    assert reassembly.add_part(bytes(length), size, offset) is None
    assert PACKETS == reassembly.free
