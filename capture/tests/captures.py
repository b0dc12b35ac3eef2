"""Captures from a fake BeagleLogic server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from fake_beaglelogic import CHANNELS, FakeBeagleLogic

from gpiorig.capture.sigrok.capture import Capture, Request

RATE_HZ = 24_000_000
SEED = 7


def noise(samples: int) -> bytes:
    """Random levels on 14 channels in runs of 1 to 40 samples, two bytes each."""
    random = np.random.default_rng(SEED)
    levels = random.integers(0, 1 << 14, samples // 20 + 1, dtype=np.uint16)
    runs = np.repeat(levels, random.integers(1, 41, levels.size))
    return np.resize(runs, samples).astype("<u2").tobytes()


def start(server: FakeBeagleLogic, folder: Path, **options: object) -> Capture:
    settings: dict[str, object] = {"channels": CHANNELS, "samplerate_hz": RATE_HZ} | options
    return Capture.start(Request(driver=server.driver, **settings), folder)  # type: ignore[arg-type]


def has_ended(pid: int) -> bool:
    """Whether a process has ended; one that was killed and waits for its parent (state Z) has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
