"""Bench files for tests of modes: any boards, all within range of each other, one analyzer on their buses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from gpiorig.rig import boards
from gpiorig.rig.bench import BEAGLELOGIC_CHANNELS

TAPS = ("tap.irq", "tap.frame_timestamp")


def bench_text(nodes: Mapping[str, str], *, loss_ppm: int = 0) -> str:
    """A virtual bench with these nodes, name to board; the taps of as many as the analyzer has channels for."""
    channels = iter(BEAGLELOGIC_CHANNELS)
    lines = {
        name: {line: next(channels) for line in ("strobe", *boards.load(board).data_lines)}
        for name, board in nodes.items()
    }
    for name, board in nodes.items():
        for tap in TAPS:
            if tap in boards.load(board).pins and (channel := next(channels, None)):
                lines[name][tap] = channel
    text = ['name = "modes"', "[analyzers.la]", "samplerate_hz = 24_000_000"]
    for name, board in nodes.items():
        text += [f"[nodes.{name}]", f'board = "{board}"', f"[nodes.{name}.lines]"]
        text += [f'"{line}" = "{channel}"' for line, channel in lines[name].items()]
    text += ["[virtual]", "seed = 1", "[virtual.analyzers.la]", "clock_ppb = -3_000"]
    for number, name in enumerate(nodes):
        text += [f"[virtual.nodes.{name}]", f"clock_ppb = {12_000 - 9_000 * number}"]
    for sender, receiver in permutations(nodes, 2):
        text += ["[[virtual.links]]", f'from = "{sender}"', f'to = "{receiver}"', "delay_ps = 10_000"]
        text += [f"loss_ppm = {loss_ppm}"] if loss_ppm else []
    return "\n".join(text) + "\n"
