"""Events of many ping-pongs, made at once and with known truth: for the speed table and for tests at scale.

Every packet is what the reference firmware does, cut down to forty events: the send calls of three layers, the driver,
the lines of the radio, the interrupt, the way up; there and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import DamagedFrames, Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture import mapped

RATE_HZ = Fraction(24_000_000)
HEADER_NS = 192_000
PERIOD = 480_000
NODES = ("initiator", "responder")
# of one direction: event, at the receiver, with an id, milestone
LEG = (
    ("app.tx.enter", False, True, "app.tx"),
    ("udp.tx.enter", False, True, "udp.tx"),
    ("mac.tx.enter", False, True, "mac.tx"),
    ("mac.sequence", False, True, ""),
    ("driver.exec.enter", False, True, "driver.exec"),
    ("driver.exec.exit", False, True, "driver.exec.exit"),
    ("mac.tx.exit", False, True, ""),
    ("app.tx.exit", False, True, ""),
    ("tap.frame_timestamp.enter", True, False, "air.start"),
    ("tap.irq.enter", True, False, "irq"),
    ("isr.radio.enter", True, False, "isr.radio"),
    ("isr.radio.exit", True, False, ""),
    ("driver.isr.enter", True, False, "driver.isr"),
    ("tap.irq.exit", True, False, ""),
    ("driver.rx_read.enter", True, False, "driver.rx_read"),
    ("driver.rx_read.exit", True, True, "driver.rx_read.exit"),
    ("mac.rx.enter", True, True, "mac.rx"),
    ("udp.rx.enter", True, True, "udp.rx"),
    ("app.rx.enter", True, True, "app.rx"),
    ("driver.isr.exit", True, False, ""),
)
EVENTS_PER_PACKET = 2 * len(LEG)
CALIBRATION = 84  # 3.5 us
BACKOFF = 7680  # 320 us
AIR, IRQ = 8, 9
_CODES = np.array([BY_NAME[name].code for name, *_ in LEG], dtype=np.uint8)
_RECEIVED = np.array([received for _, received, _, _ in LEG])
_NODES = np.concatenate([_RECEIVED, ~_RECEIVED]).astype(np.uint16)
_HAS_ID = np.array([has_id for _, _, has_id, _ in LEG] * 2)
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is known of every packet.

    Attributes
    ----------
    milestones
        Names, in the order of the path.
    samples
        int64[p, m], their instants.
    """

    milestones: tuple[str, ...]
    samples: NDArray[np.int64]


def ping_pongs(packets: int, *, seed: int = 1, first_id: int = 0, burst: int = 0) -> Events:
    """Events of good ping-pongs, one every 20 ms; ids count on and wrap, without 0. `truth` tells their milestones.

    With a calibration burst of the given number of events of each node after them.
    """
    count = packets * EVENTS_PER_PACKET
    samples, ids = (mapped.zeros(count + len(NODES) * burst, kind) for kind in (np.int64, np.int32))
    nodes, codes = (mapped.zeros(len(samples), kind) for kind in (np.uint16, np.uint8))
    samples[count:] = packets * PERIOD + CALIBRATION * np.arange(len(NODES) * burst)
    ids[count:], codes[count:] = np.tile(np.arange(burst), len(NODES)), BY_NAME["rig.calibrate"].code
    nodes[count:] = np.repeat(np.arange(len(NODES)), burst)
    random = np.random.default_rng(seed)
    for start in range(0, packets, _PIECE):
        rows = np.arange(start, min(start + _PIECE, packets))
        at = slice(start * EVENTS_PER_PACKET, (start + len(rows)) * EVENTS_PER_PACKET)
        samples[at] = _instants(rows, random).reshape(-1)
        ids[at] = _ids((rows + first_id - 1) % 0xFFFF + 1).reshape(-1)
        nodes[at], codes[at] = np.tile(_NODES, len(rows)), np.tile(_CODES, 2 * len(rows))
        mapped.relieve()
    return Events(
        samples=samples,
        nodes=nodes,
        codes=codes,
        ids=ids,
        node_names=NODES,
        samplerate_hz=RATE_HZ,
        damaged=DamagedFrames(
            samples=np.zeros(0, dtype=np.int64),
            nodes=np.zeros(0, dtype=np.uint16),
            symbols=np.zeros(0, dtype=np.int32),
        ),
        frames_seen=np.array([count // 2, count // 2]),
        gaps=np.zeros((0, 2), dtype=np.int64),
        start=0,
        end=packets * PERIOD + PERIOD,
    )


def truth(events: Events) -> Truth:
    """The milestones of what `ping_pongs` made."""
    table = events.samples.reshape(-1, EVENTS_PER_PACKET)
    header = int(Fraction(HEADER_NS, 1_000_000_000) * RATE_HZ)
    names, columns = [], []
    for leg, direction in enumerate(("request", "reply")):
        for place, (*_, milestone) in enumerate(LEG):
            if milestone:
                names.append(f"{direction}.{milestone}")
                columns.append(table[:, leg * len(LEG) + place] - (header if place == AIR else 0))
    return Truth(milestones=tuple(names), samples=np.stack(columns, axis=1))


def disturbed(packets: int, *, seed: int) -> Events:
    """Ping-pongs and what goes wrong with them.

    Requests and replies are lost, frames received twice, replies come after the next packet has left, events are lost
    one by one, ids jump, samples are lost.
    """
    random = np.random.default_rng(seed)
    good = ping_pongs(packets, seed=seed, first_id=0x10000 - packets // 3)
    place = np.tile(np.arange(EVENTS_PER_PACKET), packets)
    row = np.repeat(np.arange(packets), EVENTS_PER_PACKET)
    fate = random.random(packets)[row]
    keep = random.random(len(row)) > 0.003
    keep &= ~((fate < 0.04) & (place >= AIR)) & ~((fate >= 0.04) & (fate < 0.08) & (place >= len(LEG) + AIR))
    late = (fate >= 0.08) & (fate < 0.1) & (place >= len(LEG))
    samples = np.where(late, good.samples + 3 * PERIOD // 2, good.samples)
    jump = random.integers(0, 1 << 16, 3)[np.searchsorted([packets // 3, packets // 2], row)]
    ids = np.where(good.ids >= 0, (good.ids + jump - 1) % 0xFFFF + 1, -1)
    again = (fate >= 0.1) & (fate < 0.13) & (place >= AIR) & (place < len(LEG) - 3) & keep
    chosen = np.concatenate([np.flatnonzero(keep), np.flatnonzero(again)])
    samples = np.concatenate([samples[keep], samples[again] + 9_000])
    order = np.argsort(samples, kind="stable")
    chosen, samples = chosen[order], samples[order]
    lost = np.sort(random.integers(0, good.end, 4))
    gaps = np.stack([lost, lost + 5_000], axis=1)
    seen = ~((samples[:, np.newaxis] >= gaps[:, 0]) & (samples[:, np.newaxis] < gaps[:, 1])).any(axis=1)
    chosen, samples = chosen[seen], samples[seen]
    return Events(
        samples=samples,
        nodes=good.nodes[chosen],
        codes=good.codes[chosen],
        ids=ids[chosen].astype(np.int32),
        node_names=NODES,
        samplerate_hz=RATE_HZ,
        damaged=good.damaged,
        frames_seen=good.frames_seen,
        gaps=gaps,
        start=0,
        end=good.end + 2 * PERIOD,
    )


def _instants(rows: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    spaces = random.integers(100, 400, (len(rows), EVENTS_PER_PACKET), dtype=np.int64)
    for leg in (0, len(LEG)):
        spaces[:, leg + AIR] += 4608 + BACKOFF * random.integers(0, 8, len(rows))
        spaces[:, leg + IRQ] += 30_720
    instants: NDArray[np.int64] = np.cumsum(spaces, axis=1) + (rows * PERIOD)[:, np.newaxis]
    return instants


def _ids(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    ids = np.where(_HAS_ID, numbers[:, np.newaxis], -1)
    sequence = np.flatnonzero(np.tile(_CODES, 2) == BY_NAME["mac.sequence"].code)
    ids[:, sequence] = numbers[:, np.newaxis] & 0xFF
    return ids
