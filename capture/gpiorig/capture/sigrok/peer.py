"""Whether the other end of another process's TCP connection is still there.

When an analyzer at a server dies, sigrok-cli calls it an end in order, and then spins instead of ending. Silence alone
proves nothing, since a virtual analyzer is silent while virtual time stands still. The kernel knows. Linux only;
elsewhere the answer is always "still there".
"""

from __future__ import annotations

import re
from pathlib import Path

ESTABLISHED = "01"  # include/net/tcp_states.h of Linux


class Peer:
    """The far end of a process's connection.

    Parameters
    ----------
    pid
        Process number.
    expected
        Whether the process has a TCP connection at all. If not, its far end is never gone.
    """

    def __init__(self, pid: int, *, expected: bool) -> None:
        self._pid = pid
        self._expected = expected and Path(f"/proc/{pid}/net/tcp").exists()
        self._gone_at_s: float | None = None

    def gone_s(self, now_s: float) -> float:
        """Return for how long, in seconds until `now_s`, there has been no open connection."""
        if not self._expected or is_connected(self._pid):
            self._gone_at_s = None
            return 0.0
        if self._gone_at_s is None:
            self._gone_at_s = now_s
        return now_s - self._gone_at_s


def is_connected(pid: int) -> bool:
    """Return whether a process has a TCP connection that neither end has closed."""
    try:
        targets = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir() if entry.is_symlink()]
    except OSError:
        return True  # a descriptor was closed while we looked, or the process has ended: ask again
    sockets = {match[1] for target in targets if (match := re.fullmatch(r"socket:\[(\d+)\]", target))}
    return bool(sockets & _established(pid))


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
