"""An operator's way from boards on the table to a verified report, on a served virtual bench of each board type.

The programs are those of a real bench: sigrok-cli, OpenOCD, python-msp430-tools.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from commandline import ROOT, gpiorig, gpiorig_running
from depth import by_depth
from patience import PATIENCE_S

from gpiorig.rig.bench import benches, virtual_ids

DATA = ROOT / "tests" / "data"
PACKETS = 10
BUS = ("strobe", "d0", "d1")
BENCHES = {
    "iotlab-m3": ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml",
    "nucleo-l476rg": DATA / "spirit1_bench.toml",
    "telosb": DATA / "probe_effect_telosb_bench.toml",
    "nrf52840dk": DATA / "nrf52840dk_fx2_bench.toml",  # its analyzer is an FX2 on a modelled USB
}
# Boards that come with an erased flash memory. The loader of a TelosB needs a minute for an image.
ERASED = {
    "iotlab-m3": "initiator",
    "nucleo-l476rg": "responder",
    "telosb": by_depth("", "initiator"),
    "nrf52840dk": "responder",
}


@pytest.mark.slow
@pytest.mark.parametrize("board", by_depth([board for board in BENCHES if board != "nrf52840dk"], list(BENCHES)))
def test_from_the_scan_to_the_verified_report(tmp_path: Path, board: str) -> None:
    """Scan, check, flash, bench verify, run, report, verify: each states what is there, and nothing is wrong."""
    bench, recording, erased = tmp_path / "bench.toml", tmp_path / "run", ERASED[board]
    serving = ("bench", "virtual", BENCHES[board], "--pace", "real-time", "--json", "--bench-file", bench)
    empty = ("--firmware", f"{erased}=/dev/null") if erased else ()
    with gpiorig_running(*serving, *empty) as process, ExitStack() as stack:
        assert process.stdout is not None
        ends = json.loads(process.stdout.readline())
        ports = {node: end["path"] for node, end in ends["serial"].items()}
        stack.enter_context(patch.dict(os.environ, ends["environment"]))

        words = [word for port in ports.values() for word in ("--port", port)]
        scan = gpiorig("bench", "scan", "--analyzer", ends["analyzers"]["la"], *words, "--json")
        assert 0 == scan.status, scan.stderr
        answers = {port["device"]: (answer["pairs"] or {}).get("board") for port, answer in scan.numbers["ports"]}
        assert {port: None if node == erased else board for node, port in ports.items()} == answers

        check = gpiorig("bench", "check", bench, "--live", "--json")
        assert 0 == check.status, check.stdout
        nodes = benches.load(bench).nodes
        assert {"right"} == {finding["verdict"] for finding in check.numbers["findings"]}

        flash = gpiorig("flash", bench, *by_depth(() if erased else ("responder",), ()), "--only-different", "--json")
        assert 0 == flash.status, flash.stdout
        flashed = {result["node"]: result for result in flash.numbers["nodes"]}
        assert all(("flashed" if node == erased else "same") == result["verdict"] for node, result in flashed.items())
        assert all(result["content_sha256"] == result["read_back_sha256"] for result in flashed.values())

        verify = gpiorig("bench", "verify", bench, "--duration", "1s", "--json")
        assert 0 == verify.status, verify.stdout
        identities = verify.numbers["identities"]
        assert all(virtual_ids.of_answer(identity) for identity in identities.values()), identities
        findings = verify.numbers["findings"]
        carried = {finding["about"] for finding in findings if finding["what"].endswith(" carries it")}
        buses = {f"nodes.{name}.lines.{line}" for name, node in nodes.items() for line in node.lines if line in BUS}
        assert buses <= carried
        for node, result in flashed.items():
            assert result["uid"] in (None, identities[node]["uid"])

        run = gpiorig("run", bench, "pingpong", "-o", recording, "--packets", str(PACKETS), "--no-report")
        process.communicate(timeout=PATIENCE_S)
        assert (tmp_path / "bench.certificate.json").read_bytes() == (recording / "certificate.json").read_bytes()

    report = gpiorig("report", recording, "--json")
    assert PACKETS == report.numbers["packets_timelined"]
    # Virtual time is not real time: on a slow host the run notices that the analyzer did not keep up with the clock.
    if run.status or report.status:
        assert re.search(r"the analyzer sent \d+\.\d+ s of samples in", run.stderr)

    reproduced = gpiorig("report", "--reproduce", recording, "--json")
    assert 0 == reproduced.status, reproduced.stdout
    (numbers,) = reproduced.numbers["runs"]
    verdicts = {file["name"]: file["verdict"] for file in numbers["files"]}
    assert {"same"} == set(verdicts.values())
    assert {"edges/000001.seg", "certificate.json", "events.parquet", "report/report.html"} <= verdicts.keys()
