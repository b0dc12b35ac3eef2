"""Options that had another name, or another form: the old name leads to the new one."""

from __future__ import annotations

# By command: the old option, and what to write.
RENAMED: dict[str, dict[str, str]] = {
    "batch": {"--from": "--list FILE"},
    "clocks": {"-o": "--figure FILE"},
    "export": {
        "--format": "--as NAME",
        "--from-sample": "--from 240000sa",
        "--to-sample": "--to 480000sa",
    },
    "measure": {"--from": "--start CH", "--to": "--end CH"},
    "pulseview": {
        "--from-sample": "--from 240000sa",
        "--to-sample": "--to 480000sa",
        "--margin-us": "--margin 100us",
    },
    "serial": {"--print-us": "--print-cost 100us"},
}
# By command: an option that had a number without a unit before, and what to write.
WITH_UNIT: dict[str, dict[str, str]] = {
    "capture": {"--restart": "60s", "--silence": "2s"},
    "clocks": {"--slack": "1s"},
    "live": {"--interval": "2s"},
    "pulseview": {"--around": "1200000sa"},
    "serial": {"--duration": "90s"},
}
