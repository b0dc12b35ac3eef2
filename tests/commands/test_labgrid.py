"""The driver of labgrid against labgrid's own coordinator, exporter, client and pytest plugin, on a served bench."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig_running
from patience import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("labgrid") is None, reason="labgrid is not installed: `make labgrid` runs these tests"
    ),
]
PAGE = ROOT / "docs" / "guide" / "labgrid.md"
IMAGES = '"initiator": "build/app.elf", "responder": "build/app.elf"'
IMAGE = ROOT / "firmware-gpio-probes" / "build" / "iotlab-m3" / "reference.elf"
# In place of ssh: what is asked of a connection is granted, and a command runs here.
SSH = """#!/bin/sh
control=
while :; do
    case "$1" in
        -O) control=1; shift 2 ;;
        -o) shift 2 ;;
        -*) shift ;;
        *) break ;;
    esac
done
shift
[ -n "$control" ] && exit 0
[ "$1" = -- ] && shift
exec sh -c "$*"
"""


def block(name: str) -> str:
    """A file that the page shows, by the name in its first line."""
    text = re.search(rf"^```\w+\n(##? {re.escape(name)}\b.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert text is not None
    return text[1]


class Lab:
    """labgrid's processes in a folder, and its client."""

    def __init__(self, folder: Path, address: str, path: Path) -> None:
        self.folder = folder
        self._environment = os.environ | {"LG_COORDINATOR": address, "PATH": f"{path}:{os.environ['PATH']}"}

    def start(self, program: str, *words: str, until: str) -> subprocess.Popen[str]:
        """A process of labgrid that has printed a line."""
        code = f"import sys; from labgrid.remote.{program} import main; sys.exit(main())"
        with (self.folder / f"{program}.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-u", "-c", code, *words],
                stdout=log,
                stderr=log,
                text=True,
                env=self._environment,
                cwd=self.folder,
            )
        wait_until(lambda: until in (self.folder / f"{program}.log").read_text() or process.poll() is not None)
        assert process.poll() is None, (self.folder / f"{program}.log").read_text()
        return process

    def client(self, *words: str) -> str:
        """A command of labgrid-client, which must succeed."""
        code = "import sys; from labgrid.remote.client import main; sys.exit(main())"
        done = self._run("-c", code, *words)
        assert 0 == done.returncode, done.stdout + done.stderr
        return done.stdout

    def pytest(self) -> subprocess.CompletedProcess[str]:
        """The test of the page, with the environment of the page."""
        words = ("-q", "-p", "no:cacheprovider", "--basetemp", "made", "--lg-env", "env.yaml", "test_m3.py")
        return self._run("-m", "pytest", *words)

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            text=True,
            timeout=400,
            env=self._environment,
            cwd=self.folder,
            check=False,
        )


@contextlib.contextmanager
def served(bench: Path, *, erased: bool) -> Iterator[None]:
    """Serve a bench, whose file is written; the initiator's flash memory may be erased."""
    words = ("demo", "--pace", "real-time", "--json", "--bench-file", bench)
    with gpiorig_running("bench", "virtual", *words, *["--firmware", "initiator=/dev/null"] * erased) as process:
        assert process.stdout is not None
        assert "analyzers" in json.loads(process.stdout.readline())
        yield


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A coordinator, and what the page's test needs but for an exporter."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ssh").write_text(SSH)
    (tmp_path / "bin" / "ssh").chmod(0o755)
    tool = Path(sys.executable).with_name("gpiorig")
    (tmp_path / "env.yaml").write_text(block("env.yaml") + f"tools: {{gpiorig: {tool}}}\n")
    (tmp_path / "test_m3.py").write_text(block("test_m3.py").replace(IMAGES, f'"initiator": "{IMAGE}"'))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    lab = Lab(tmp_path, address, tmp_path / "bin")
    with contextlib.ExitStack() as stack:
        stack.enter_context(ended(lab.start("coordinator", "-l", address, until="Coordinator ready")))
        yield lab


@contextlib.contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """End it afterwards."""
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.timeout(900)  # real boards take their time, and virtual ones of a busy machine longer
@pytest.mark.parametrize("kind", ["GpiorigBench", "NetworkGpiorigBench"])
def test_the_test_of_the_page(lab: Lab, kind: str) -> None:
    """Exported, reserved, acquired, flashed, run and asserted; without the place, labgrid refuses."""
    bench, is_here = lab.folder / "served.toml", kind == "GpiorigBench"
    text = block("exporter.yaml").replace("/srv/bench/bench.toml", str(bench))
    if is_here:
        text = re.sub(r" +host: .*\n", "", text).replace("Network", "")
    (lab.folder / "exporter.yaml").write_text(text)
    words = ("-n", "here", "--hostname", "localhost", "exporter.yaml")
    with served(bench, erased=is_here), ended(lab.start("exporter", *words, until="Exporter ready")):
        wait_until(lambda: f"here/m3-bench/{kind}" in lab.client("resources"))
        lab.client("-p", "m3", "create")
        lab.client("-p", "m3", "add-match", "*/m3-bench/*")
        lab.client("-p", "m3", "set-tags", "board=m3")
        refused = lab.pytest()
        assert refused.returncode != 0 and "acquired" in refused.stdout + refused.stderr

        reservation = lab.client("reserve", "--shell", "board=m3").strip()
        token = reservation.rpartition("=")[2]
        lab.client("wait", token)
        lab.client("-p", "m3", "acquire")
        done = lab.pytest()
        assert 0 == done.returncode and "1 passed" in done.stdout, done.stdout + done.stderr
        lab.client("-p", "m3", "release")
