"""The world of a virtual bench: the settings of its bench file reach the boards, and what cannot be is refused."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from virtualbench import bench_text, capture, changes, served

from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError, VirtualBenchError
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.timing import PARAMETERS

STROBE = "P8_45"
PER_MS = 24_000  # samples


def ticks(folder: Path, tick: Path, virtual: str, *, ms: int = 30) -> list[int]:
    """The samples at which the strobe of the board changes."""
    with served(folder, bench_text(virtual=virtual), tick) as process:
        return [int(sample) for sample in changes(capture(process, "la", samples=ms * PER_MS), STROBE)]


@pytest.mark.slow
def test_brown_out(tmp_path: Path, tick: Path) -> None:
    """Without supply the line is still; with it again the board begins as from reset."""
    fault = '[[virtual.faults]]\nkind = "brown_out"\nnode = "node"\nat_us = 10_300\noff_us = 5_000\n'
    faulty = ticks(tmp_path, tick, fault)

    quiet = [sample for sample in faulty if 10.4 * PER_MS < sample < 15.3 * PER_MS]
    assert not quiet
    first = faulty[0]
    again = min(sample for sample in faulty if sample > 15.3 * PER_MS)
    assert abs(again - 15.3 * PER_MS - first) <= 1


@pytest.mark.slow
def test_clock_step(tmp_path: Path, tick: Path) -> None:
    """Until the step a board does what it does without; from there on it is 1 % faster."""
    fault = '[[virtual.faults]]\nkind = "clock_step"\nnode = "node"\nat_us = 10_300\nppb = 10_000_000\n'
    (tmp_path / "plain").mkdir()
    faulty, plain = np.array(ticks(tmp_path, tick, fault)), np.array(ticks(tmp_path / "plain", tick, ""))

    step = 10.3 * PER_MS
    expected = np.where(plain < step, plain, step + (plain - step) / 1.01)
    assert np.all(np.abs(faulty[: len(plain)] - expected) <= 1)


@pytest.mark.slow
def test_a_study(tmp_path: Path, tick: Path) -> None:
    """A board with slower branches comes later to its first edge; the tick is the timer's, whatever the core."""
    (tmp_path / "slow").mkdir()
    slow = ticks(tmp_path / "slow", tick, "[virtual.timing]\nexception_entry = 16\nflash_wait_states = 16\n")
    plain = ticks(tmp_path, tick, "")

    assert slow[0] > plain[0]
    assert len(slow) == len(plain)


@pytest.mark.slow
def test_timing_of_one_node(tmp_path: Path, tick: Path) -> None:
    """A node's own setting has precedence over that of all; a board without it keeps the other."""
    tables = {
        "all": "[virtual.timing]\nexception_entry = 16\nflash_wait_states = 16\n",
        "node": "[virtual.timing]\nexception_entry = 16\n[virtual.nodes.node.timing]\nflash_wait_states = 16\n",
        "before": "[virtual.timing]\nflash_wait_states = 1\nexception_entry = 16\n"
        "[virtual.nodes.node.timing]\nflash_wait_states = 16\n",
        "neither": "[virtual.timing]\nexception_entry = 16\n",
    }
    edges = {}
    for name, table in tables.items():
        (tmp_path / name).mkdir()
        edges[name] = ticks(tmp_path / name, tick, table)

    assert edges["all"] == edges["node"] == edges["before"] != edges["neither"]


def test_parameters_of_the_timing_model() -> None:
    """Every parameter is one of the boards' library and the other way round, and its range includes the model."""
    with closing(VirtualBoards(seed=1)) as boards:
        boards.change_timing({name: parameter.cortex_m3.model for name, parameter in PARAMETERS.items()})
        with pytest.raises(VirtualBenchError) as refused:
            boards.change_timing({"nothing": 0})

    assert list(PARAMETERS) == str(refused.value).partition("there are: ")[2].split(", ")
    for parameter in PARAMETERS.values():
        for core in filter(None, (parameter.cortex_m3, parameter.cortex_m4, parameter.nrf52840)):
            assert core.lowest <= core.model <= core.highest


@pytest.mark.slow
def test_a_late_board(tmp_path: Path, tick: Path) -> None:
    """A board whose supply comes 4 ms later does everything 4 ms later."""
    (tmp_path / "late").mkdir()
    late = ticks(tmp_path / "late", tick, "[virtual.nodes.node]\nstarts_us = 4_000\n")
    in_time = ticks(tmp_path, tick, "")

    assert abs(late[-1] - in_time[len(late) - 1] - 4 * PER_MS) <= 1


@pytest.mark.parametrize(
    ("virtual", "message"),
    [
        (
            "[virtual.timing]\nrefil = 3\n",
            "virtual.timing: there is no setting `refil`; known: flash_wait_states, flash_",
        ),
        (
            '[[virtual.faults]]\nkind = "brown_out"\nnode = "x"\nat_us = 1\noff_us = 1\n',
            "no node `x`; the bench has node",
        ),
        ('[[virtual.faults]]\nkind = "brown"\nnode = "node"\nat_us = 1\noff_us = 1\n', "brown"),
        (
            '[[virtual.interferers]]\npattern = "periodic"\ncentre_khz = 2_480_000\nlevel_dbm = -50\nburst_us = 10\n'
            "every_us = 5\n",
            "every_us is 5, less than burst_us",
        ),
        (
            '[[virtual.interferers]]\npattern = "on_off"\ncentre_khz = 2_480_000\nlevel_dbm = -50\nburst_us = 10\n'
            "every_us = 50\n",
            "on_us",
        ),
        (
            '[[virtual.interferers]]\npattern = "poisson"\ncentre_khz = 2_480_000\nlevel_dbm = -50\nburst_us = 10\n'
            "every_us = 50\nlevels_dbm = { y = -90 }\n",
            "no node `y`",
        ),
        ('[virtual.nodes.node.clock_drift]\nkind = "ramp"\nppb = 5\n', "span_ms"),
        ('[virtual.nodes.node]\nbuild_code = "F0"\n', "build_code is `F0`; iotlab-m3 has no nRF52840. Delete it."),
    ],
)
def test_what_cannot_be_is_refused(virtual: str, message: str) -> None:
    """One clear error that names the place."""
    with pytest.raises(BenchError, match=message):
        benches.loads(bench_text(virtual=virtual))
