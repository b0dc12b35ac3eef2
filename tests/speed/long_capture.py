"""A long capture through the real sigrok-cli, as fast as the machine allows: `python …/long_capture.py [SAMPLES]`.

A server that speaks the protocol of the `beaglelogic` driver sends 16-bit samples of 14 channels, one of which changes
every 5 ms at 24 MS/s; `gpiorig capture` records them. Prints the rate, the headroom, and how the memory of the
recording process grew. The default is 10 minutes at 24 MS/s: 14.4 G samples, 28.8 GB.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from commandline import ROOT

sys.path.insert(0, str(ROOT / "capture" / "tests"))

from fake_beaglelogic import FakeBeagleLogic

SAMPLES = 14_400_000_000
EVERY = 120_000  # samples between two changes
PERIODS = 10
TICK_S = 0.25


def pattern(unit: int) -> Iterator[bytes]:
    """Channel 1 high for `EVERY` samples, low for as many, on and on."""
    piece = (bytes(unit * EVERY) + b"\1".ljust(unit, b"\0") * EVERY) * PERIODS
    return itertools.repeat(piece)


def serve() -> None:
    """Serve until standard input ends; says its driver string first."""
    with FakeBeagleLogic(pattern) as server:
        print(server.driver, flush=True)
        sys.stdin.read()


def record(samples: int, folder: Path) -> tuple[dict[str, object], list[int]]:
    """Record so many samples; returns what `gpiorig capture --json` says, and its resident memory over time in KiB."""
    server = subprocess.Popen(
        [sys.executable, __file__, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert server.stdout is not None
    try:
        command = [
            sys.executable,
            "-m",
            "gpiorig.rig.cli",
            "capture",
            "-d",
            server.stdout.readline().strip(),
            "--virtual",
        ]
        command += ["--samplerate", "24MHz", "--samples", str(samples), "-o", str(folder), "--json"]
        capture = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        memory = []
        while capture.poll() is None:
            memory.append(resident(capture.pid))
            time.sleep(TICK_S)
        output = capture.communicate()[0]
        return json.loads(output), memory
    finally:
        server.kill()
        server.communicate()


def resident(pid: int) -> int:
    """Resident memory of a process in KiB; 0 when it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(lines[0].split()[1]) if lines else 0


def main() -> None:
    """Record and print."""
    if sys.argv[1:] == ["serve"]:
        serve()
        return
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    with tempfile.TemporaryDirectory() as folder:
        output, memory = record(samples, Path(folder) / "run")
    facts = output["capture"]
    assert isinstance(facts, dict)
    print(
        f"{output['state']}: {facts['samples']} samples in {facts['wall_s']} s, {facts['rows']} rows {output['reason']}"
    )
    print(f"{samples / facts['wall_s'] / 1e6:.0f} M samples/s = {samples / facts['wall_s'] / 24e6:.1f} x 24 MS/s")
    print(
        ", ".join(f"{name} {facts[name]}" for name in ("reader_busy", "writer_busy", "pipe_fullest", "queue_fullest"))
    )
    tenth = max(len(memory) // 10, 1)
    print(
        "resident MiB over time:",
        " ".join(f"{kib / 1024:.1f}" for kib in memory[::tenth]),
        f"max {max(memory) / 1024:.1f}",
    )


if __name__ == "__main__":
    main()
