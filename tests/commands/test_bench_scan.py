"""`gpiorig bench scan` and `bench check --live` on a served virtual bench, with the real sigrok-cli."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commandline import gpiorig, gpiorig_running

from gpiorig.rig.bench import benches


@pytest.mark.slow
def test_a_served_bench_is_found_and_checked(tmp_path: Path) -> None:
    """The boards that answer and the analyzer are in the file, which stands the check and is not replaced.

    A port that is in use is left alone.
    """
    served, scanned = tmp_path / "served.toml", tmp_path / "scanned.toml"
    serving = ("bench", "virtual", "mixed", "--pace", "real-time", "--json", "--bench-file", served)
    with gpiorig_running(*serving) as process:
        assert process.stdout is not None
        ends = json.loads(process.stdout.readline())
        ports = {node: end["path"] for node, end in ends["serial"].items()}
        scan = (
            "bench",
            "scan",
            "--analyzer",
            ends["analyzers"]["la"],
            "--port",
            ports["m3"],
            "--port",
            ports["telosb"],
        )
        first = gpiorig(*scan, "-o", scanned)
        again = gpiorig(*scan, "-o", scanned)
        checks = [gpiorig("bench", "check", file, "--live", "--json") for file in (served, scanned)]
        with Path(ports["m3"]).open() as port, subprocess.Popen(["sleep", "60"], stdin=port) as other:
            left_alone = gpiorig(*scan, "--json").numbers
            in_use = gpiorig("bench", "check", served, "--live")
            other.kill()

    assert (0, f"{scanned}: analyzers: 1, boards: 2; edit and check it\n") == (first.status, first.stdout)
    assert 2 == again.status
    assert "is there; give --force to replace it" in again.stderr
    nodes = benches.load(scanned).nodes.values()
    assert {("iotlab-m3", ports["m3"]), ("telosb", ports["telosb"])} == {(node.board, node.serial) for node in nodes}
    assert [0, 0] == [check.status for check in checks], [check.stdout for check in checks]
    assert {"sigrok-cli", "disk"} <= {finding["about"] for finding in checks[0].numbers["findings"]}
    assert f"in use by sleep ({other.pid}); left alone" == left_alone["ports"][0][1]["reason"]
    assert f"WRONG: nodes.m3.serial: {ports['m3']} is in use by sleep ({other.pid}); end that program" in in_use.stdout
    assert "telosb" == left_alone["ports"][1][1]["pairs"]["board"]


def test_doctor_names_what_installs_a_missing_program(tmp_path: Path) -> None:
    """Without sigrok-cli nothing can be captured: status 1; programs for a single purpose are not needed."""
    done = gpiorig("doctor", path=str(tmp_path))

    assert 1 == done.status, done.stderr
    assert "  MISSING: sigrok-cli (captures): apt install sigrok-cli\n" in done.stdout
    assert "  not here: openocd (flashes boards with an STM32): apt install openocd\n" in done.stdout
    assert done.stdout.endswith("something that is needed is missing.\n")


def test_nothing_is_connected() -> None:
    """A scan of a port that is not there: a bench file to be completed, with the reason in it; status 1."""
    done = gpiorig("bench", "scan", "--port", "/dev/ttyNONE7")

    assert 1 == done.status
    assert "# /dev/ttyNONE7: " in done.stdout
    assert "by --analyzer DRIVER, its ports by --port PORT" in done.stdout
