"""Memory of arrays: what is freed stays for the next ones, until it is given back."""

from __future__ import annotations

import subprocess
import sys

import pytest

WORK = """
import numpy as np
from gpiorig.capture import memory

def resident_mib():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) // 1024

memory.reuse()
for _ in range(60):
    arrays = [np.ones(1 << 19) for _ in range(10)]
    del arrays
before = resident_mib()
arrays = [np.ones(1 << 19) for _ in range(60)]
above = np.ones(1 << 19)
del arrays
freed = resident_mib()
memory.give_back()
print(before, freed, resident_mib())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mallopt is of glibc")
def test_arrays_are_reused_and_given_back() -> None:
    """Of 60 times 40 MiB one place is used; 240 MiB below an array that stays go back when they are asked for."""
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    before, freed, given_back = map(int, done.stdout.split())
    assert before < 150
    assert freed > before + 100
    assert given_back < before + 20
