"""A served virtual bench at cables, and its real bench file; its ports, its analyzer and its power come and go."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from relays import AnalyzerCable, SerialCable

from gpiorig.rig.bench import benches
from gpiorig.vbench.serving import real_bench


class Desk:
    """Two virtual boards at the pace of the clock, and the file of the bench that they are for the host.

    Parameters
    ----------
    place
        A folder for the names of the ports.
    text
        The file of a virtual bench with one analyzer.

    Attributes
    ----------
    bench_file
        The file of the real bench.
    ports, analyzer
        The cables.
    """

    def __init__(self, place: Path, text: str) -> None:
        self._served, self.bench_file = place / "served.toml", place / "bench.toml"
        self._served.write_text(text.replace("[virtual]\n", '[virtual]\npace = "real-time"\n', 1))
        bench = benches.load(self._served)
        self.ports = {node: SerialCable(place / f"tty-{node}") for node in bench.nodes}
        self.analyzer = AnalyzerCable()
        ends = {
            "analyzers": dict.fromkeys(bench.analyzers, self.analyzer.driver),
            "serial": {node: {"path": str(port.link)} for node, port in self.ports.items()},
            "debug": {},
            "environment": {},
        }
        real_bench.write(self.bench_file, bench, self._served, ends)
        self._process: subprocess.Popen[str] | None = None
        for port in self.ports.values():
            port.plug()

    def power_on(self) -> None:
        """Start the boards and the analyzer."""
        words = [sys.executable, "-m", "gpiorig.rig.cli", "bench", "virtual", str(self._served), "--json"]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True, env=os.environ
        )
        assert self._process.stdout is not None
        ends = json.loads(self._process.stdout.readline())
        (driver,) = ends["analyzers"].values()
        self.analyzer.analyzer = int(driver.rpartition("/")[2])
        for node, port in self.ports.items():
            port.connect(ends["serial"][node]["path"])

    def power_off(self) -> None:
        """Kill them."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def close(self) -> None:
        """End all."""
        self.power_off()
        self.analyzer.release()
        self.analyzer.pull()
        for port in self.ports.values():
            port.close()

    def __enter__(self) -> Desk:
        self.power_on()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """A disk of its own at a folder, for root; it ends with what is on it."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "gpiorig-test", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
