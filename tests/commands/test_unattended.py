"""What the tables of docs/evidence/unattended.md show, in small: a plan with trouble, and a part of a week."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import troubled_plan
import week
from commandline import ROOT
from flushed import Flushed

# Of 1 M lines, which take 160 MiB if all are kept; what waits for a busy disk comes and goes.
SLOPE_MIB = 32
DIGEST = 32 * "0f"


@pytest.mark.deep
@pytest.mark.timeout(1800)
@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small disk, which takes root")
def test_a_plan_with_all_kinds_of_trouble(tmp_path: Path) -> None:
    """Each kind twice: all points are complete, each attempt and each gap is a record, nothing flushed is lost."""
    troubles = dict.fromkeys(troubled_plan.TROUBLES, 2)
    counts, faults, ends = troubled_plan.trial(tmp_path, runs=5, troubles=troubles, seed=4)

    assert [] == faults
    assert 5 == counts["complete"]
    assert troubles == {what: causes.total() for what, causes in ends.items()}


def test_what_is_lost_is_noticed(tmp_path: Path) -> None:
    """A recording that was moved is found; one that is shorter than before, or gone, is lost."""
    segment = tmp_path / "points" / DIGEST / "recording" / "edges" / "000001.seg"
    segment.parent.mkdir(parents=True)
    segment.write_bytes(b"flushed")
    flushed = Flushed(tmp_path)
    flushed.look()
    (tmp_path / "kept").mkdir()
    moved = (tmp_path / "points" / DIGEST / "recording").rename(tmp_path / "kept" / f"{DIGEST[:16]}-attempt-1")

    assert [] == flushed.lost()
    (moved / "edges" / "000001.seg").write_bytes(b"flush")
    assert 1 == len(flushed.lost())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze (apt: systemd)")
def test_the_unit_of_the_guide_is_valid(tmp_path: Path) -> None:
    """Systemd has no objection to a key or a value; only the program is put in the place of that of the guide."""
    guide = (ROOT / "docs/guide/many.md").read_text()
    unit = tmp_path / "gpiorig-study.service"
    unit.write_text(
        re.sub("(?<=^ExecStart=)[^ ]+", f'"{sys.executable}"', guide.split("```ini\n")[1].split("```")[0], flags=re.M)
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", unit],
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stdout + done.stderr)


@pytest.mark.deep
def test_a_part_of_a_week_on_32_ports(tmp_path: Path) -> None:
    """Bytes in are bytes stored; open files stay, and memory does in the second half."""
    lines = week.WEEK_S // 10
    result = week.run(tmp_path / "run", lines=lines, settled=0.5)

    assert (week.PORTS, result["bytes_sent"]) == (result["ports_with_equal_sha256"], result["bytes_stored"])
    assert week.PORTS * lines * week.LINE_BYTES == result["bytes_sent"]
    assert result["memory_slope_mib"] < SLOPE_MIB
    assert result["files_fewest"] == result["files_most"]
