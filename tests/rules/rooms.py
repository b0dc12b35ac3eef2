"""The rooms of each component, in the order of their imports."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPONENTS = ("capture", "analysis", "rig", "vbench", "studies")
FOLDERS = {"vbench": "rig/vbench", "studies": "rig/studies"}  # of components that do not lie at the root
API = "api"  # what `import gpiorig` offers, above all components; in the portion of rig
# The rooms of each component; a module imports its own room and those before it. First are the flat modules.
ROOMS = {
    "capture": (
        *("", "edges", "frames", "serial", "buses", "sync", "archive", "text", "recording", "usb", "sigrok"),
        *("formats", "power"),
    ),
    "analysis": (
        *(
            "",
            "statistics",
            "events",
            "logs",
            "decoderhost",
            "radio",
            "packets",
            "delays",
            "processor",
            "attribution",
            "clocks",
        ),
        *(
            "audit",
            "probe_effect",
            "evaluation",
            "energy",
            "quantities",
            "tables",
            "compare",
            "figures",
            "traces",
            "measure",
            "report",
        ),
    ),
    "rig": (
        *(
            "",
            "bench",
            "host",
            "experiments",
            "recordings",
            "run",
            "planning",
            "flash",
            "verify",
            "results",
            "certify",
            "store",
        ),
        *("live", "export", "view", "probes", "measure"),
        *("arguments", "commands", "cli", "__main__"),
    ),
    "vbench": ("", "description", "boards", "ends", "serving"),
    "studies": ("", "pages", "batch", "points", "plans", "arguments", "commands"),
    API: ("",),
}


def portion(component: str) -> Path:
    """The folder of a component's portion of `gpiorig`."""
    return ROOT / FOLDERS.get(component, component) / "gpiorig"
