"""What this user may use: files of devices, their groups, and the udev rule that gives them one."""

from __future__ import annotations

import grp
import os
from collections.abc import Callable, Iterable
from pathlib import Path

GROUP = "plugdev"  # as in Debian's rules of sigrok and OpenOCD
RULES = "/etc/udev/rules.d/60-gpiorig.rules"

MayUse = Callable[[Path], bool]


def may_use(file: Path) -> bool:
    """Whether this process may read and write a file."""
    return os.access(file, os.R_OK | os.W_OK)


def remedy(file: Path, ids: str) -> str:
    """What makes a file of a device usable: its group, or a udev rule where that is root's."""
    owner = group(file)
    if owner not in (None, "root"):
        return f"sudo adduser $USER {owner}, then log in again"
    return f"{install(rule([ids]))}; then sudo adduser $USER {GROUP}, log in again, plug it in again"


def group(file: Path) -> str | None:
    """The group of a file; None: it has no name here, or the file is absent."""
    try:
        return grp.getgrgid(file.stat().st_gid).gr_name
    except (OSError, KeyError):
        return None


def rule(ids: Iterable[str]) -> str:
    """The udev rules that give devices with these ids to the group and to who sits at the machine."""
    pairs = (pair.split(":") for pair in ids)
    return "\n".join(
        f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{vendor}", ATTR{{idProduct}}=="{product}", '
        f'MODE="0660", GROUP="{GROUP}", TAG+="uaccess"'
        for vendor, product in pairs
    )


def install(rules: str) -> str:
    """The command that installs rules."""
    return f"echo '{rules}' | sudo tee -a {RULES} && sudo udevadm control --reload && sudo udevadm trigger"


def lacking_groups(wanted: Iterable[str]) -> list[str]:
    """The groups that this process is not in; none for root."""
    if os.geteuid() == 0:
        return []
    own = set()
    for number in os.getgroups():
        try:
            own.add(grp.getgrgid(number).gr_name)
        except KeyError:  # it has no name here
            continue
    return [name for name in wanted if name not in own]
