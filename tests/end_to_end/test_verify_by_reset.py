"""`gpiorig bench verify --reset adapter`: boards without a console send their proof when they are reset."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig, gpiorig_running
from depth import by_depth

BENCHES = {
    "openocd": ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml",
    "dtr": ROOT / "tests/data/probe_effect_telosb_bench.toml",
}


@pytest.mark.slow
@pytest.mark.parametrize("way", by_depth(["openocd"], [*BENCHES]))
def test_boards_are_reset_by_their_adapters(tmp_path: Path, way: str) -> None:
    bench = tmp_path / "bench.toml"
    with gpiorig_running(
        "bench", "virtual", BENCHES[way], "--pace", "real-time", "--json", "--bench-file", bench
    ) as process:
        assert process.stdout is not None
        nodes = json.loads(process.stdout.readline())["serial"]
        text = bench.read_text()
        if way == "openocd":
            text = re.sub(r"^serial = .*$", 'console = "none"', text, flags=re.M)
        bench.write_text(text)
        done = gpiorig("bench", "verify", bench, "--reset", "adapter", "--duration", "1s", "--json")
    assert 0 == done.status, f"{done.stdout}{done.stderr}"
    carried = {finding["about"] for finding in done.numbers["findings"] if finding["what"].endswith(" carries it")}
    assert {f"nodes.{node}.lines.{line}" for node in nodes for line in ("strobe", "d0", "d1")} <= carried
    assert (way == "dtr") == bool(done.numbers["identities"])
