"""Logic analyzers as sigrok-cli sees them: finding the program, listing channels, understanding its complaints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.errors import AnalyzerError, CaptureError

SIGROK = "sigrok-cli"
INSTALL = "install it with `apt install sigrok-cli`"
SCAN_DEADLINE_S = 10.0  # a USB scan that loads firmware takes about 3 s

# What sigrok-cli says, what that means, what to do. The first match counts.
COMPLAINTS = (
    (r"Can't match samplerate (\d+), using (\d+)", "the analyzer would take another rate: {}", "ask for that rate"),
    (r"Failed to set device option 'samplerate'", "the samplerate is refused", "`sigrok-cli -d … --show` lists rates"),
    (r"Connection refused", "nothing answers at this address", "start the analyzer, or check its port"),
    (r"Address lookup failed|No route to host|timed out", "this address cannot be reached", "check host and port"),
    (r"BUSY|[Bb]usy|[Uu]nable to claim", "the analyzer is in use by another program", "close that program"),
    (r"ERROR_ACCESS|[Pp]ermission", "no permission for the analyzer", "install sigrok's udev rules, plug it in again"),
    (r"Driver \S+ not found", "sigrok-cli has no such driver", "`sigrok-cli -L` lists them"),
    (r"Invalid Parameters", "the driver does not understand this connection", "write conn=tcp-raw/HOST/PORT"),
    (r"No devices? found", "no such analyzer was found", "check its cable and power, and the driver's name"),
    (r"NO_DEVICE|disconnected|unplugged", "the analyzer was unplugged", "check its cable and record again"),
    (r"[Uu]nknown channel", "the analyzer has no such channel", "`sigrok-cli -d … --show` lists them"),
    (r"Insufficient buffer space", "the sample limit exceeds the analyzer's buffer", "capture without a limit"),
)


def find_sigrok() -> Path:
    """Return the path of sigrok-cli, or raise AnalyzerError."""
    path = shutil.which(SIGROK)
    if path is None:
        raise AnalyzerError(f"{SIGROK} is not installed", remedy=INSTALL)
    return Path(path)


def environment() -> dict[str, str]:
    """Return the environment for sigrok-cli: ours, with messages in English."""
    return os.environ | {"LC_ALL": "C.UTF-8"}


def versions() -> dict[str, str]:
    """Return the versions of sigrok-cli and its libraries, by name."""
    text, _ = _run(["--version"], where=SIGROK)
    found = re.findall(r"^(?:- )?(sigrok-cli|libsigrok|libsigrokdecode) (\d[\w.+-]*)", text, re.MULTILINE)
    return {name: version.split("/")[0] for name, version in found}


@dataclass(frozen=True, slots=True)
class Analyzer:
    """A logic analyzer that was found.

    Attributes
    ----------
    driver
        Driver and connection, as sigrok-cli takes them.
    description
        Its name, as the driver tells it.
    channels
        Channel names; their order is the order of the bits of a sample.
    """

    driver: str
    description: str
    channels: tuple[str, ...]

    def selection(self, wanted: Sequence[str]) -> dict[str, str]:
        """Return our name of each wanted channel, by the analyzer's.

        Parameters
        ----------
        wanted
            The analyzer's channel names; "P8_45=strobe" gives one another name.
        """
        names: dict[str, str] = {}
        for name in wanted:
            channel, _, ours = name.partition("=")
            names[channel] = ours or channel
        unknown = [channel for channel in names if channel not in self.channels]
        if unknown or not names:
            what = f"there is no channel {', '.join(unknown)}" if unknown else "no channels are asked for"
            raise AnalyzerError(what, where=self.driver, remedy=f"it has {' '.join(self.channels)}")
        return names


def scan(driver: str, *, deadline_s: float = SCAN_DEADLINE_S) -> Analyzer:
    """Find one analyzer and list its channels.

    Parameters
    ----------
    driver
        For instance "fx2lafw" or "beaglelogic:conn=tcp-raw/127.0.0.1/5555".
    deadline_s
        Seconds after which an analyzer that does not answer is an error.
    """
    text, said = _run(["-d", driver, "--scan"], where=driver, deadline_s=deadline_s)
    found = re.findall(r"^(\S+ - .*?) with \d+ channels?: (.*)$", text, re.MULTILINE)
    if not found:
        raise diagnose(said + "\nNo devices found", where=driver, what="")
    if len(found) > 1:
        raise AnalyzerError(
            f"{len(found)} analyzers were found",
            where=driver,
            remedy="choose one with :conn=… (`sigrok-cli -d … --scan`)",
        )
    return Analyzer(driver, found[0][0], tuple(found[0][1].split()))


def diagnose(stderr: str, *, where: str, what: str) -> AnalyzerError:
    """Turn what sigrok-cli said into an error.

    Parameters
    ----------
    stderr
        Its messages.
    where
        Driver and connection.
    what
        What went wrong, when none of the messages is understood.
    """
    said = " / ".join(line.strip() for line in stderr.splitlines() if line.strip())[-500:]
    for pattern, meaning, remedy in COMPLAINTS:
        if match := re.search(pattern, stderr):
            said_so = f"{meaning.format(match[0])} (sigrok-cli says: {said})"
            return AnalyzerError(said_so, where=where, remedy=remedy)
    return AnalyzerError(f"{what} (sigrok-cli says: {said or 'nothing'})", where=where, remedy="see its message")


def _run(arguments: list[str], *, where: str, deadline_s: float = SCAN_DEADLINE_S) -> tuple[str, str]:
    """Return what sigrok-cli writes to stdout and stderr."""
    command = [str(find_sigrok()), *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=deadline_s,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AnalyzerError(
            f"no answer in {deadline_s:g} s", where=where, remedy="is another program connected to this analyzer?"
        ) from error
    except OSError as error:
        raise CaptureError(f"cannot be run: {error.strerror}", where=command[0], remedy=INSTALL) from error
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        raise diagnose(said, where=where, what=f"exit status {done.returncode}")
    return done.stdout.decode(errors="replace"), said
