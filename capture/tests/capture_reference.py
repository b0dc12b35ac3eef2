"""Plain, slow versions of the native kernels: written from the documents, not from the kernels."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence


def reference_edges(data: bytes, *, unitsize: int, used: int = -1) -> list[tuple[int, int]]:
    """Return (sample, levels) of every change of a used channel, and of the first sample."""
    rows: list[tuple[int, int]] = []
    for sample in range(len(data) // unitsize):
        level = int.from_bytes(data[sample * unitsize : (sample + 1) * unitsize], "little") & used
        if not rows or rows[-1][1] != level:
            rows.append((sample, level))
    return rows


def check_nibble(nibbles: Sequence[int]) -> int:
    """Return the check over the nibbles of header and id (docs/reference/line-code.md)."""
    check = 9
    for nibble in nibbles:
        check = ((check << 1 | check >> 3) & 15) ^ nibble
    return check


def frame_symbols(code: int, packet_id: int | None, *, width: int) -> list[int]:
    """Return the symbols of one event on a bus of `width` data lines."""
    bits = f"{code:08b}" if packet_id is None else f"{code | 0x80:08b}{packet_id:016b}"
    check = check_nibble([int(bits[at : at + 4], 2) for at in range(0, len(bits), 4)])
    bits += f"{check ^ 15:04b}{check:04b}" if width == 8 else f"{check:04b}"
    return [int(bits[at : at + width], 2) for at in range(0, len(bits), width)]


def reference_bus(
    rows: Sequence[tuple[int, int]],
    *,
    strobe: int,
    data: Sequence[int],
    frame_gap: int,
    settle: int = 1,
    codes: Sequence[int] = range(1, 128),
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
    """Return the events (sample, code, id or -1) and damaged frames (sample, symbols) on a symbol bus."""
    width = len(data)
    toggles = [later[0] for before, later in itertools.pairwise(rows) if (before[1] ^ later[1]) >> strobe & 1]
    instants = [sample for sample, _ in rows]

    def symbol(sample: int) -> int:
        """The levels in force `settle` samples after the strobe edge, or at the next strobe edge if that is sooner."""
        due = min([sample + settle, *(later for later in toggles if later > sample)])
        levels = rows[bisect.bisect_right(instants, due) - 1][1]
        return sum((levels >> channel & 1) << line for line, channel in enumerate(data))

    bursts: list[list[int]] = []
    for sample in toggles:
        if not bursts or sample - bursts[-1][-1] >= frame_gap:
            bursts.append([])
        bursts[-1].append(sample)
    events, damaged = [], []
    for burst in bursts:
        bits = "".join(f"{symbol(sample):0{width}b}" for sample in burst)
        code = int(bits[1:8], 2) if len(bits) >= 8 else 0
        has_id = bits[0] == "1"
        packet_id = int(bits[8:24], 2) if has_id and len(bits) >= 24 else -1
        good = code in codes and frame_symbols(code, packet_id if has_id and packet_id >= 0 else None, width=width)
        if good and good == [symbol(sample) for sample in burst]:
            events.append((burst[0], code, packet_id))
        else:
            damaged.append((burst[0], len(burst)))
    return events, damaged
