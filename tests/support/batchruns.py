"""Recordings of five packets for tests of `gpiorig batch`, which differ in their seeds."""

from __future__ import annotations

import shutil
from pathlib import Path

import directbench
import modebench
from commandline import ROOT

PINGPONG = ROOT / "experiments" / "pingpong.toml"
RUNS = 6


def bench_text(seed: int) -> str:
    """The bench of two boards with a seed."""
    text = modebench.bench_text({"initiator": "iotlab-m3", "responder": "iotlab-m3"})
    return text.replace("seed = 1\n", f"seed = {seed}\n")


def record_few(folder: Path) -> None:
    """Recordings of five packets, which differ in their seeds."""
    for number in range(1, RUNS + 1):
        directbench.record(folder / "made", bench_text(number), PINGPONG.read_text(), packets=5)
        (folder / "made" / "run").rename(folder / f"run{number}")
        shutil.rmtree(folder / "made")
