"""Two boards on the eight channels of an FX2 analyzer: one data line and both radio taps each."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import ROOT, Demo
from directbench import record

from gpiorig.rig import resources
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.headline import headline

WAITS = {f"{way}: radio wait: exec done to first bit on air" for way in ("request", "reply")}


@pytest.mark.slow
def test_the_headline_is_that_of_the_demo(demo: Demo, tmp_path: Path) -> None:
    """The same steps, air and radio waits; the waits make the jitter; the longer frames of the bus cost 1 %."""
    bench, experiment = resources.benches()["eight-channels"], ROOT / "experiments/pingpong.toml"
    recording = record(tmp_path, bench.read_text(), experiment.read_text(), packets=60)
    numbers = plain(headline(analyse(open_recording(recording)), recording))
    (ours,), (demos,) = numbers["routes"], demo.numbers["routes"]
    pairs = list(zip(ours["steps"], demos["steps"], strict=True))

    assert (0, 60, 60) == (numbers["damaged"], numbers["packets_sent"], numbers["packets_timelined"])
    assert [(step["name"], step["node"]) for step in demos["steps"]] == [
        (ours["name"], ours["node"]) for ours, _ in pairs
    ]
    for step, other in pairs:
        if "air: first bit" in step["name"] or step["name"] in WAITS:
            assert other["median_us"] == pytest.approx(step["median_us"], abs=0.1)
        assert (step["p2p_us"] > 1_000) == (step["name"] in WAITS)
    assert demos["delay_ms"]["p2p"] == pytest.approx(ours["delay_ms"]["p2p"], abs=0.001)
    assert 1 < ours["delay_ms"]["median"] / demos["delay_ms"]["median"] < 1.02
