"""An SSH server of one's own on this machine, with keys of its own, for as long as a test lasts."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patience import wait_until

SSHD = "/usr/sbin/sshd"
CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey {place}/host
AuthorizedKeysFile {place}/user.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
SetEnv HOME={place}/home
"""
SEPARATION = Path("/run/sshd")  # which sshd wants when root starts it


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs.

    Attributes
    ----------
    address
        ``ssh://USER@HOST:PORT``.
    client
        The program that reaches it, with its options.
    home
        The home folder there.
    process
        Its number.
    """

    address: str
    client: list[str]
    home: Path
    process: int

    def cut(self) -> int:
        """Kill the server's side of all connections; returns how many there were."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        for child in children:
            os.kill(int(child), 9)
        return len(children)


def is_installed() -> bool:
    """Whether there is a server and a client."""
    return Path(SSHD).exists() and shutil.which("ssh") is not None


@contextlib.contextmanager
def served(place: Path) -> Iterator[Server]:
    """A server whose keys and home folder are below a folder."""
    (place / "home").mkdir(parents=True)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / key], check=True)
    port = _free_port()
    (place / "config").write_text(CONFIG.format(place=place, port=port))
    (place / "known").write_text(f"[127.0.0.1]:{port} {(place / 'host.pub').read_text()}")
    is_ours = os.getuid() == 0 and not SEPARATION.exists()
    if is_ours:
        SEPARATION.mkdir(mode=0o755)
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", place / "config"], stderr=log, start_new_session=True)
    try:
        wait_until(lambda: b"Server listening" in (place / "log").read_bytes() or process.poll() is not None)
        assert process.poll() is None, (place / "log").read_text()
        options = {"IdentityFile": place / "user", "UserKnownHostsFile": place / "known", "BatchMode": "yes"}
        words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        address = f"ssh://{getpass.getuser()}@127.0.0.1:{port}"
        yield Server(address, ["ssh", "-F", "none", *words], place / "home", process.pid)
    finally:
        process.terminate()
        process.wait()
        if is_ours:
            SEPARATION.rmdir()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port
