"""A second process that ends with this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import wait_until

from gpiorig.analysis import forked

KILLED = """
import os, time
from gpiorig.analysis import forked

def work(sender):
    sender.send(os.getpid())
    time.sleep(1000)

with forked.running(work) as receiver:
    print(receiver.recv(), flush=True)
    os.kill(os.getpid(), 9)
"""


def test_it_works_and_what_it_sends_is_received() -> None:
    """In another process, which is gone at the end of the block."""
    with forked.running(lambda sender: sender.send((os.getpid(), os.getppid()))) as receiver:
        number, parent = receiver.recv()
    assert (os.getpid(), True) == (parent, number != parent)
    assert not Path(f"/proc/{number}").exists()


def test_it_dies_with_a_parent_that_is_killed() -> None:
    """Nothing is left that holds the output open."""
    done = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, check=False)
    assert -9 == done.returncode
    wait_until(lambda: not Path(f"/proc/{int(done.stdout)}").exists())
