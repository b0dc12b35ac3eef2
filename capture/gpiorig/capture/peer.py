"""Whether the other end of another process's TCP connection is still there.

sigrok-cli does not notice that an analyzer behind TCP has died: it spins and says nothing. Silence alone proves
nothing, since a virtual analyzer is silent while virtual time stands still. The kernel knows. Linux only; on another
system there are no connections to see, and the answer is always "still there".
"""

from __future__ import annotations

import re
from pathlib import Path

ESTABLISHED = "01"  # include/net/tcp_states.h of Linux


class Peer:
    """The far ends of a process's connections.

    Parameters
    ----------
    pid
        Process number.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._connections: frozenset[str] = frozenset()
        self._gone_at_s: float | None = None

    def gone_s(self, now_s: float) -> float:
        """Return for how long, in seconds, a connection that was there has been closed by its far end; 0 if none."""
        current = connections(self._pid)
        self._connections = self._connections or current
        if not self._connections - current:
            self._gone_at_s = None
            return 0.0
        if self._gone_at_s is None:
            self._gone_at_s = now_s
        return now_s - self._gone_at_s


def connections(pid: int) -> frozenset[str]:
    """Return the established TCP connections of a process, as socket inode numbers."""
    sockets = set()
    try:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = str(entry.readlink())
            except OSError:
                continue  # closed meanwhile
            if match := re.fullmatch(r"socket:\[(\d+)\]", target):
                sockets.add(match[1])
        return frozenset(sockets & _established(pid))
    except OSError:
        return frozenset()


def _established(pid: int) -> set[str]:
    inodes = set()
    for table in ("tcp", "tcp6"):
        path = Path(f"/proc/{pid}/net/{table}")
        if not path.exists():
            continue
        for line in path.read_text().splitlines()[1:]:
            fields = line.split()
            if len(fields) > 9 and fields[3] == ESTABLISHED:
                inodes.add(fields[9])
    return inodes
