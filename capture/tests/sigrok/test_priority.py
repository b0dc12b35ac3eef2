"""Real-time priority, where it is permitted and where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_sigrok import install
from patience import PATIENCE_S

from gpiorig.capture.sigrok.capture import Capture, Request
from gpiorig.capture.sigrok.priority import is_permitted

ASKED = """
import os, resource
from gpiorig.capture.sigrok import priority
resource.setrlimit(resource.RLIMIT_RTPRIO, ({limit}, {limit}))
os.setuid(65534)
raised = priority.raise_priority()
print(priority.is_permitted(), raised, os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root's rights away")
@pytest.mark.parametrize("limit", [0, 10])
def test_a_user_needs_the_limit(limit: int) -> None:
    """With `rtprio 10`, as the check of a bench advises, a user has it; without it nothing changes."""
    done = subprocess.run(
        [sys.executable, "-c", ASKED.format(limit=limit)], capture_output=True, text=True, check=False
    )
    if "not allowed to raise maximum limit" in done.stderr:
        pytest.skip("needs CAP_SYS_RESOURCE")

    assert " ".join([str(limit == 10)] * 3) == done.stdout.strip()


@pytest.mark.skipif(not is_permitted(), reason="needs real-time priority")
@pytest.mark.parametrize("driver", ["fx2lafw", "demo"])
def test_a_capture_from_the_usb_comes_first(driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sigrok-cli runs round-robin; that of an analyzer which does not lose samples by waiting runs as usual."""
    install(monkeypatch, tmp_path / "bin")
    (tmp_path / "edges").mkdir()
    request = Request(driver=driver, channels=["D0"], samplerate_hz=24_000_000, silence_s=PATIENCE_S)
    with Capture.start(request, tmp_path / "edges") as capture:
        capture.wait_quiet(1000, deadline_s=PATIENCE_S)
        policy = os.sched_getscheduler(capture._session.process.pid) & ~os.SCHED_RESET_ON_FORK

    assert (os.SCHED_RR if driver == "fx2lafw" else os.SCHED_OTHER) == policy
