"""The host, as a recording states it: system, machine, processor; without its name and its users."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

_MODEL = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


def facts(cpuinfo: Path = Path("/proc/cpuinfo")) -> dict[str, str]:
    """System with its version, machine, processor and the number of processors."""
    try:
        model = _MODEL.search(cpuinfo.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        model = None
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": model[1].strip() if model else "",
        "processors": f"{os.cpu_count()} processors",
    }
