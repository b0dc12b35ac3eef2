"""The virtual bench in `make bench`: simulated time and instructions per second, and what boards and packets cost.

The Rust examples measure themselves, without Python: wall time, and the processor time of their one thread. On a busy
machine only the second is meaningful; the load is printed with the table.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from commandline import ROOT

EXAMPLES = ROOT / "target" / "release" / "examples"
IMAGE = ROOT / "rig" / "vbench" / "vboards" / "tests" / "data" / "pingpong.elf"
SLICES_NS = (1_000, 4_000, 16_000)


@dataclass(frozen=True, slots=True)
class Ping:
    """The output of `bench_speed` for pairs of boards that ping each other."""

    boards: int
    requests: int
    replies: int
    virtual_s: float
    wall_s: float
    processor_s: float
    instructions: int
    edge_hash: str

    @property
    def board_s(self) -> float:
        """Virtual seconds times boards."""
        return self.boards * self.virtual_s


def example(name: str, *words: str | Path | int) -> str:
    """Run an example of the crate, as `make` built it."""
    done = subprocess.run([EXAMPLES / name, *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def ping(boards: int, packets: int, interval_us: int, slice_ns: int = 16_000) -> Ping:
    """Every pair of `boards` exchanges `packets` requests and replies."""
    lines = example("bench_speed", IMAGE, boards, packets, interval_us, slice_ns).split()
    values = dict(line.split("=", 1) for line in lines)
    return Ping(
        boards=int(values["boards"]),
        requests=int(values["requests"]),
        replies=int(values["replies"]),
        virtual_s=float(values["virtual_s"]),
        wall_s=float(values["wall_s"]),
        processor_s=float(values["processor_s"]),
        instructions=int(values["instructions"]),
        edge_hash=values["edge_hash"],
    )


def mips(name: str) -> int:
    """Best of the runs of a core's example, in processor time."""
    match = re.search(r"best of \d+: (\d+) MIPS", example(name))
    assert match, f"{name} prints no result"
    return int(match[1])


def costs(busy: Ping, quiet: Ping) -> tuple[float, float]:
    """Processor seconds per board and virtual second, and per request: two runs, two unknowns."""
    requests = busy.requests - quiet.requests * busy.board_s / quiet.board_s
    per_request = (busy.processor_s - quiet.processor_s * busy.board_s / quiet.board_s) / requests
    return (quiet.processor_s - quiet.requests * per_request) / quiet.board_s, per_request


def row(what: str, wall: str, processor: str, wanted: str) -> None:
    """One line of the table."""
    print(f"{what:<52} {wall:>12} {processor:>16}   {wanted}", flush=True)


def ping_row(what: str, run: Ping, wanted: str) -> None:
    """One line about simulated time."""
    wall, processor = run.virtual_s / run.wall_s, run.virtual_s / run.processor_s
    row(what, f"{wall:.1f} s/s", f"{processor:.1f} s/s", wanted)


def table() -> None:
    """Print the table of the virtual bench."""
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"\nvirtual bench, one thread; {os.cpu_count()} processors, load {load} (1, 5, 15 min) before it began")
    row("", "wall time", "processor time", "to be reached on a free core")
    busy = ping(2, 1000, 200_000)
    ping_row("two M3, 5 requests and replies a second", busy, "120 s/s")
    quiet = ping(2, 100, 20_000_000)
    ping_row("two M3, one request in 20 s", quiet, "")
    ping_row("32 M3 in 16 pairs, each sends a packet a second", ping(32, 20, 1_000_000), "5 s/s")
    row("ARMv7-M core", "", f"{mips('core_speed')} MIPS", "100 MIPS")
    row("MSP430 core", "", f"{mips('msp430_speed')} MIPS", "75 MIPS")
    per_board_s, per_request = costs(busy, quiet)
    row("a sleeping M3, per virtual second", "", f"{per_board_s * 1e3:.3f} ms", "")
    row("a request and its reply, both boards", "", f"{per_request * 1e3:.3f} ms", "")
    hashes = {ping(2, 100, 200_000, slice_ns).edge_hash for slice_ns in SLICES_NS}
    same = "the same" if len(hashes) == 1 else "DIFFERENT"
    print(f"edges with slices of 1, 4 and 16 us: {same} ({', '.join(sorted(hashes))})")


if __name__ == "__main__":
    table()
