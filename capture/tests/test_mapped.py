"""Mapped arrays: values stay what they are, their memory goes back to the system, and their files leave nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpiorig.capture import mapped

WORK = """
import numpy as np
from gpiorig.capture import mapped

def resident_mib():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) // 1024

before = resident_mib()
arrays = [mapped.full(5 << 20, number, np.int64) for number in range(5)]
mapped.relieve(beyond=0)
relieved = resident_mib()
sums = [int(array.sum()) // (5 << 20) for array in arrays]
for _ in range(2):
    for array in arrays:
        for start in range(0, len(array), 1 << 18):
            array[start : start + (1 << 18)].sum()
            mapped.relieve()
print(before, relieved, resident_mib(), *sums)
"""


@dataclass(frozen=True)
class _Stage:
    name: str
    values: NDArray[Any]
    pair: tuple[NDArray[Any], ...]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/statm and posix_fallocate are of Linux")
def test_memory_goes_back_and_values_stay() -> None:
    """Of five arrays of 40 MiB nothing is in memory when it is given back, and a part while they are read."""
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    before, relieved, read, *values = map(int, done.stdout.split())
    assert values == [0, 1, 2, 3, 4]
    assert relieved < before + 20
    assert read < before + 20 + mapped.RESIDENT // (1 << 20)


def test_an_array_stays_in_memory_where_no_file_can_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A folder that is not there, as a disk without room: the same values."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    monkeypatch.setattr(mapped, "LARGE", 1)
    values = mapped.stored(np.arange(1000))
    assert values.tolist() == list(range(1000))
    assert values.base is not None or values.flags.owndata


def test_files_have_no_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Nothing is in the folder while the array is there, so nothing is left when a process is killed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(mapped, "LARGE", 1)
    values = mapped.full((3, 4), 7, np.int32)
    assert not list(tmp_path.iterdir())
    assert values.tolist() == [[7] * 4] * 3
    assert not values.flags.owndata


def test_a_stage_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays and tuples of arrays are mapped once; one value that is shown often takes no file."""
    monkeypatch.setattr(mapped, "LARGE", 1)
    often = np.broadcast_to(np.int64(-1), 50)
    stage = mapped.settled(_Stage("x", np.arange(5), (np.arange(3.0), often)))
    assert (stage.name, stage.values.tolist(), stage.pair[0].tolist()) == ("x", [0, 1, 2, 3, 4], [0, 1, 2])
    assert stage.pair[1] is often
    again = mapped.settled(stage)
    assert again.values is stage.values
    assert again.pair[0] is stage.pair[0]


@pytest.mark.parametrize("large", [1, 1 << 20])
def test_a_growing_column_holds_all_parts(monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    """In order, whatever their sizes; taken, it begins again."""
    monkeypatch.setattr(mapped, "LARGE", large)
    column, expected = mapped.Growing(np.int32), list[int]()
    for count in (0, 1, 5, 0, 200, 3):
        part = np.arange(len(expected), len(expected) + count, dtype=np.int32)
        column.append(part)
        expected += part.tolist()
    assert column.take().tolist() == expected
    assert column.take().tolist() == []
