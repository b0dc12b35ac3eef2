"""Text without what names a person, a machine or a device: users, host names, homes, secrets, serial numbers."""

from __future__ import annotations

import os
import pwd
import re
import socket
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpiorig.capture.usb import tree

_HOMES = re.compile(r"(?<![\w/])(/(?:home|Users))/([^/\s\"':,;]+)")
_SECRET = re.compile(r"TOKEN|SECRET|PASS|CREDENTIAL|_KEY$")  # in the name of a variable
_MIN_SECRET, _MIN_NAME = 8, 2  # characters: a shorter value is as likely any word
_KEPT = 4  # characters of a serial number
# Where serial numbers of devices stand: names of udev, `debug` of a bench file, OpenOCD's command, and our own log.
_SERIALS = tuple(
    re.compile(pattern)
    for pattern in (
        r"/dev/serial/by-id/usb-[^\s\"']*_([^_\s\"']+?)-(?:if|port)\d+",
        r"\bdebug\s*=\s*\\?[\"'](?!usb:|/|\w+://)([\w.:-]+)",
        r"\badapter serial ([\w.:-]+)",
        r"^\s+usb [\d.-]+: .*, serial (\S+), ",
    )
)
_WORD = "A-Za-z0-9"


@dataclass(slots=True)
class Anonymous:
    """Replaces what is private, and counts it.

    Attributes
    ----------
    names
        What a text stands for what is replaced, by what is replaced: user and host names, homes, secrets.
    serials
        Serial numbers, which are shortened.
    counts
        How often each kind was replaced.
    """

    names: Mapping[str, str]
    serials: frozenset[str]
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, texts: Iterable[str], environment: Mapping[str, str] = os.environ) -> Anonymous:
        """What is private on this machine and, as far as its form shows that, in texts that come from another one."""
        joined = "\n".join(texts)
        users, homes = _account()
        users |= {environment.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
        users |= {match[2] for match in _HOMES.finditer(joined)}
        hosts = {socket.gethostname(), socket.gethostname().partition(".")[0]}
        names = dict.fromkeys(users - {"root"}, "USER") | dict.fromkeys(hosts - {"localhost"}, "HOST")
        names = {name: text for name, text in names.items() if len(name) >= _MIN_NAME}
        homes = {home.rstrip("/") for home in {*homes, environment.get("HOME", "")}}
        names |= dict.fromkeys((home for home in homes if home), "~")
        names |= {
            value: f"${name}"
            for name, value in environment.items()
            if _SECRET.search(name.upper()) and len(value) >= _MIN_SECRET
        }
        serials = {match[1] for pattern in _SERIALS for line in joined.splitlines() for match in pattern.finditer(line)}
        serials |= {device.serial for device in tree.devices() if device.serial}
        return cls(names, frozenset(serial for serial in serials if len(serial) > _KEPT))

    def text(self, text: str) -> str:
        """A text without them."""
        for name in sorted(self.names, key=len, reverse=True):
            text = self._replaced(text, name, self.names[name], self.names[name])
        for serial in sorted(self.serials, key=len, reverse=True):
            text = self._replaced(text, serial, f"...{serial[-_KEPT:]}", "serial number")
        return text

    def _replaced(self, text: str, value: str, by: str, kind: str) -> str:
        pattern = rf"(?<![{_WORD}]){re.escape(value)}(?![{_WORD}])"
        text, count = re.subn(pattern, lambda _: by, text, flags=re.IGNORECASE)
        self.counts[kind] += count
        return text


def _account() -> tuple[set[str], set[str]]:
    """The names of this user, and the home."""
    try:
        account = pwd.getpwuid(os.getuid())
    except KeyError:  # in a container, a number without a name
        return set(), set()
    return {account.pw_name, account.pw_gecos.partition(",")[0]}, {account.pw_dir}
