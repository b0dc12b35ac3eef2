"""Test helper: what sigrok-cli sees in a capture, by way of its VCD output and our VCD reader."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gpiorig.capture.edges.counts import ChannelCount, count
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.formats import module


def counted_by_sigrok(path: Path, scratch: Path) -> tuple[ChannelCount, ...]:
    """Return the edges of each channel of a file that sigrok-cli reads.

    Parameters
    ----------
    path
        The file.
    scratch
        Folder for the VCD file.
    """
    dump = scratch / f"{path.stem}.vcd"
    subprocess.run(["sigrok-cli", "-i", path, "-O", "vcd", "-o", dump], check=True, capture_output=True, timeout=120)
    return count(module("vcd").read(dump, ReadOptions())).channels


def counted_by_us(waveform: Waveform) -> tuple[ChannelCount, ...]:
    """Return the edges of each channel as our reader gives them."""
    return count(waveform).channels
