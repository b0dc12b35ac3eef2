"""Experiment files: which node does what, with which settings."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.toml import load as load_toml

# A packet id has 16 bits and 0 is none, so one run has at most this many packets.
MAX_PACKETS = 65_535


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the reference firmware, as its `set` command takes them (firmware-gpio-probes/README.md)."""

    channel: int = 26
    interval_us: int = 20_000
    timeout_us: int = 15_000
    payload: int = 32
    backoff: bool = True
    seed: int = 1


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ping-pong between two nodes of a bench."""

    name: str
    initiator: str
    responder: str
    packets: int
    settings: Settings = Settings()


def load(path: Path, bench: Bench) -> Experiment:
    """The checked experiment of a file; raises `BenchError` with the file, the key and the remedy."""
    return check(load_toml(path, Experiment, what="experiment file"), bench, what=f"experiment file {path}")


def check(experiment: Experiment, bench: Bench, *, what: str) -> Experiment:
    """The experiment itself, if this bench can do it."""
    for role in ("initiator", "responder"):
        node = getattr(experiment, role)
        if node not in bench.nodes:
            raise BenchError(f"{what}: {role} is `{node}`; the bench has {', '.join(bench.nodes)}.")
    if experiment.initiator == experiment.responder:
        raise BenchError(f"{what}: initiator and responder are the same node; name two.")
    if not 1 <= experiment.packets <= MAX_PACKETS:
        raise BenchError(f"{what}: packets is {experiment.packets}; it must be 1 to {MAX_PACKETS} (16-bit packet id).")
    return experiment
