"""An application of one's own: an image with probes that starts alone and takes no command, and its bench."""

from __future__ import annotations

import re
from pathlib import Path

import images
from commandline import ROOT, gpiorig_process

SOURCES = "../tests/glue/foreign/own"
ADDRESSES = {"client": 1, "server": 2}
DEMO_NAMES = {"initiator": "client", "responder": "server"}


def image(node: str) -> Path:
    """The image of a node; the client sends a packet every 20 ms, the server answers."""
    peer = next(address for name, address in ADDRESSES.items() if name != node)
    program = [f"PROGRAM_own={SOURCES} $(PROGRAM_reference)", f"DEFINES=-DADDRESS={ADDRESSES[node]}u -DPEER={peer}u"]
    return images.build("iotlab-m3", "PROGRAM=own", *program, program="own")


def bench_text() -> str:
    """The bench of the demo, with names that no experiment knows."""
    return named((ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml").read_text())


def named(text: str) -> str:
    """A bench file with the nodes `client` and `server` in place of the demo's."""
    return re.sub("|".join(DEMO_NAMES), lambda name: DEMO_NAMES[name[0]], text)


def firmware() -> list[str]:
    """The images as the command line takes them."""
    return [word for node in ADDRESSES for word in ("--firmware", f"{node}={image(node)}")]


def record(folder: Path, *words: str) -> None:
    """`gpiorig capture --bench` of 0.99 s, which end between two packets, into `folder / "run"`, successfully."""
    bench = folder / "bench.toml"
    bench.write_text(bench_text())
    done = gpiorig_process(
        "capture", "--bench", bench, *firmware(), "--duration", "990ms", "-o", folder / "run", "--json", *words
    )
    assert (0, "") == (done.status, done.stderr)
    assert ("complete", 23_760_000, "") == tuple(done.numbers[key] for key in ("state", "samples", "stopped"))
