"""An analyzer that samples by the wall clock and loses samples without a word, by a plan.

It speaks the protocol of libsigrok's `beaglelogic` driver (src/hardware/beaglelogic/beaglelogic_tcp.c of 0.5.2) in a
process of its own. Bit k of a sample is bit k of its number / 256, so that each edge states when it was.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

SHIFT = 8  # a sample's levels are those of its number shifted by this
LOOK_S = 0.002
LARGEST = 1 << 20  # samples that are made at once
SETTINGS = {"samplerate": 1_000_000, "sampleunit": 0, "memalloc": 2**31 - 1, "bufunitsize": 1 << 20, "triggerflags": 0}
Lost = tuple[int, int]  # number of the first sample after the loss, as the host counts; how many were lost


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the analyzer does.

    Attributes
    ----------
    losses
        (seconds after its start, samples) of each loss.
    chronic
        (seconds, samples): how many are lost in each such time; None: none.
    ppm
        How much faster its clock runs than the host's.
    block_s
        Time between two of its blocks.
    buffer_bytes
        What it holds for a host that does not read; more is lost.
    """

    losses: list[tuple[float, int]] = field(default_factory=list)
    chronic: tuple[float, int] | None = None
    ppm: float = 0.0
    block_s: float = 0.004
    buffer_bytes: int = 1 << 20


class LossyAnalyzer:
    """A served analyzer, from outside its process; a context manager."""

    def __init__(self, plan: Plan) -> None:
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__), json.dumps(asdict(plan))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self.driver = f"beaglelogic:conn=tcp-raw/127.0.0.1/{int(self._process.stdout.readline())}"

    def __enter__(self) -> LossyAnalyzer:
        """Return the analyzer, which already listens."""
        return self

    def __exit__(self, *error: object) -> None:
        """End its process."""
        self._process.communicate(timeout=10)

    def lost(self) -> list[Lost]:
        """End its process; returns what its last capture lost."""
        output, _ = self._process.communicate(timeout=10)
        captures = [json.loads(line) for line in output.splitlines()]
        return [(at, samples) for at, samples in captures[-1]] if captures else []


class Sampler:
    """The samples of one capture."""

    def __init__(self, plan: Plan, rate_hz: int, unitsize: int) -> None:
        self._plan, self._rate_hz = plan, rate_hz * (1 + plan.ppm * 1e-6)
        self._dtype = np.dtype(f"<u{unitsize}")
        self._losses = sorted((round(at_s * rate_hz), samples) for at_s, samples in plan.losses)
        self._chronic = round(plan.chronic[0] * rate_hz) if plan.chronic else 0
        self._began_s = time.monotonic()
        self._number = self._sent = 0
        self._next_chronic = self._chronic
        self.lost: list[Lost] = []

    def take(self, room_bytes: int) -> bytes:
        """The samples since the last call, but for those that are lost, or do not fit into its buffer."""
        until = int((time.monotonic() - self._began_s) * self._rate_hz)
        if until - self._number < self._plan.block_s * self._rate_hz:
            return b""
        parts: list[bytes] = []
        while self._number < until:
            end = min(until, self._number + LARGEST, self._next_loss())
            size = (end - self._number) * self._dtype.itemsize
            if size > room_bytes:
                self._lose(until - self._number)
                break
            room_bytes -= size
            parts.append((np.arange(self._number, end) >> SHIFT).astype(self._dtype).tobytes())
            self._sent += end - self._number
            self._number = end
            while self._losses and self._losses[0][0] <= self._number:
                self._lose(self._losses.pop(0)[1])
            if self._plan.chronic and self._next_chronic <= self._number:
                self._next_chronic += self._chronic
                self._lose(self._plan.chronic[1])
        return b"".join(parts)

    def _next_loss(self) -> int:
        return min([at for at, _ in self._losses[:1]] + [self._next_chronic] * bool(self._chronic), default=1 << 62)

    def _lose(self, samples: int) -> None:
        self._number += samples
        if self.lost and self.lost[-1][0] == self._sent:
            self.lost[-1] = (self._sent, self.lost[-1][1] + samples)
        else:
            self.lost.append((self._sent, samples))


def serve(plan: Plan) -> None:
    """Serve one capture after another until standard input ends."""
    with socket.socket() as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 16384)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(listener.getsockname()[1], flush=True)
        while listener in (ready := select.select([listener, sys.stdin], [], [])[0]) and sys.stdin not in ready:
            client, _ = listener.accept()
            with client, contextlib.suppress(OSError):
                _serve(client, plan)


def _serve(client: socket.socket, plan: Plan) -> None:
    client.setblocking(False)
    settings, line, pending = dict(SETTINGS), b"", b""
    sampler: Sampler | None = None
    is_sampling = False
    try:
        while True:
            ready = select.select([client, sys.stdin], [client] if pending else [], [], LOOK_S)
            if sys.stdin in ready[0]:
                return
            if client in ready[0]:
                received = client.recv(4096)
                if not received:
                    return
                *lines, line = (line + received).split(b"\n")
                for words in (command.decode().strip("\0 \r").split() for command in lines):
                    if words == ["get"]:
                        sampler = Sampler(plan, settings["samplerate"], 1 if settings["sampleunit"] == 1 else 2)
                        is_sampling = True
                    elif words == ["close"]:
                        is_sampling, pending = False, b""
                    else:
                        client.send(_answer(words, settings).encode() + b"\n")
            if sampler is not None and is_sampling:
                pending += sampler.take(plan.buffer_bytes - len(pending))
            if pending:
                with contextlib.suppress(BlockingIOError):
                    pending = pending[client.send(pending) :]
    finally:
        if sampler is not None:
            print(json.dumps(sampler.lost), flush=True)


def _answer(words: list[str], settings: dict[str, int]) -> str:
    if words == ["version"]:
        return "BeagleLogic 1.0"
    if not words or words[0] not in settings:
        return "error"
    if len(words) == 1:
        return str(settings[words[0]])
    settings[words[0]] = int(words[1])
    return "ok"


if __name__ == "__main__":
    serve(Plan(**json.loads(sys.argv[1])))
