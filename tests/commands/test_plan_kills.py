"""A plan on the virtual bench that is killed at random moments, and one whose bench fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import gpiorig
from plan_kills import PLAN, VICTIMS, trial

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import resources
from gpiorig.studies.plans import journal

DEMO = resources.benches()["demo"]


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_points_that_are_killed(tmp_path: Path) -> None:
    """20 points, 50 kills: it ends, nothing flushed is lost, each gap is a record, no point is missing."""
    counts, faults = trial(tmp_path, runs=20, kills=50, seed=3, victims=tuple(VICTIMS))

    assert [] == faults
    assert 20 == counts["complete"]


@pytest.mark.slow
def test_a_plan_that_is_killed_continues(tmp_path: Path) -> None:
    """One kill: the point is recorded again, or was complete already."""
    counts, faults = trial(tmp_path, runs=1, kills=1, seed=3, packets=20, longest_s=3, victims=("plan",))

    assert [] == faults
    assert (1, 1) == (counts["complete"], counts["plan killed"])


FAULTS = {
    "dies": ("analyzer", ""),
    "brown_out": ("board", 'node = "responder"\noff_us = 60_000_000'),
    "stalls": ("analyzer", ""),
}


@pytest.mark.deep
@pytest.mark.parametrize("kind", FAULTS)
def test_a_bench_that_fails(tmp_path: Path, kind: str) -> None:
    """A dead analyzer, a dead board, a silent virtual analyzer, with the real programs: named, and kept."""
    cause, keys = FAULTS[kind]
    (tmp_path / "bench.toml").write_text(
        f'{DEMO.read_text()}\n[[virtual.faults]]\nkind = "{kind}"\nat_us = 300_000\n{keys}\n'
    )
    text = PLAN.format(packets=20, runs=1, never=1).replace('file = "demo"', 'file = "bench.toml"')
    (tmp_path / "plan.toml").write_text(text)

    done = gpiorig("study", "run", tmp_path / "plan.toml")
    failed = [record for record in journal.read(tmp_path / "out").records if record.event == "failed"]

    assert 1 == done.status
    assert {cause} == {record.cause for record in failed}
    assert {"responder" if cause == "board" else ""} == {record.node for record in failed}
    assert Recording.open(tmp_path / "out" / failed[0].folder).edges().samples.size


@pytest.mark.deep
def test_a_port_that_is_gone(tmp_path: Path) -> None:
    """The node of the port is named; nothing was recorded, so nothing is kept."""
    lines = "{{ strobe = 'D{}', d0 = 'D{}', d1 = 'D{}' }}"
    board = '[nodes.{}]\nboard = "iotlab-m3"\nserial = "/dev/ttyNONE{}"\nlines = {}\n'
    nodes = [
        board.format(name, at, lines.format(at, at + 1, at + 2)) for at, name in ((0, "initiator"), (3, "responder"))
    ]
    analyzer = '[analyzers.la]\ndriver = "demo:logic_channels=16:analog_channels=0"\nsamplerate_hz = 24_000_000\n'
    (tmp_path / "bench.toml").write_text(f'name = "unplugged"\n{analyzer}{"".join(nodes)}')
    text = PLAN.format(packets=20, runs=2, never=1).replace('file = "demo"', 'file = "bench.toml"')
    (tmp_path / "plan.toml").write_text(text)

    done = gpiorig("study", "run", tmp_path / "plan.toml")
    records = list(journal.read(tmp_path / "out").records)

    assert 1 == done.status
    assert [("board", "initiator", "")] == [
        (record.cause, record.node, record.folder) for record in records if record.event == "failed"
    ]
    assert ["quarantined", "skipped", "skipped"] == [record.event for record in records][-4:-1]
