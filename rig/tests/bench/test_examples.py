"""The bench files that come with gpiorig: each can be, and fits its analyzers."""

from __future__ import annotations

import msgspec
import pytest

from gpiorig.rig import resources
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.run import bench_findings


@pytest.mark.parametrize("name", resources.benches())
def test_nothing_is_wrong(name: str) -> None:
    """Lines, symbols, channels, rates, options; but a Pico cannot sample without an end, as its file states."""
    file = resources.benches()[name]

    wrong = [finding.what for finding in bench_findings.of_file(benches.load(file), file) if finding.verdict == "wrong"]

    if name == "pico-two-telosb":
        assert "does not sample without an end" in wrong.pop()
    assert [] == wrong


def test_the_eight_channels_can_be_tried_without_boards() -> None:
    """The virtual bench has the wiring of two M3 on an FX2 analyzer, channel for channel."""
    real, virtual = (benches.load(resources.benches()[name]) for name in ("fx2-two-m3", "eight-channels"))
    channels = {f"D{number}": channel for number, channel in enumerate(BEAGLELOGIC_CHANNELS[:8])}

    for name, node in real.nodes.items():
        lines = {line: channels[channel] for line, channel in node.lines.items()}
        assert virtual.nodes[name] == msgspec.structs.replace(node, serial=None, lines=lines)
    assert [real.analyzers["la"].samplerate_hz] == [analyzer.samplerate_hz for analyzer in virtual.analyzers.values()]
