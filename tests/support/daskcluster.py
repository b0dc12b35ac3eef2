"""A Dask cluster as a user starts one: a scheduler and workers as processes, with certificates of the guide."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from commandline import ROOT
from patience import PATIENCE_S, wait_until

GUIDE = ROOT / "docs" / "guide" / "many.md"
TLS = {"ca-file": "ca", "cert": "cert", "key": "key"}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs.

    Attributes
    ----------
    address
        Of its scheduler.
    scheduler
        Its process.
    workers
        Their processes, each with one thread.
    """

    address: str
    scheduler: int
    workers: tuple[int, ...]


def certificates(folder: Path) -> dict[str, str]:
    """Make the certificates by the guide's commands; returns the guide's variables for whoever uses the cluster."""
    text = GUIDE.read_text().partition("### Certificates")[2].partition("```")[2].partition("```")[0]
    lines = text.strip().splitlines()
    for command in (line for line in lines if line.startswith("openssl")):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    variables = [line.removeprefix("export ").partition("=") for line in lines if line.startswith("export")]
    assert len(variables) == len(TLS)
    return {name: value.replace("$PWD", str(folder)) for name, _, value in variables}


@contextlib.contextmanager
def cluster(folder: Path, *, workers: int) -> Iterator[Cluster]:
    """Start a scheduler and workers, whose certificates are in the folder."""
    described = folder / "scheduler.json"
    options = [f"--tls-{option}={folder}/{name}.pem" for option, name in TLS.items()]
    common = ["--no-dashboard", "--scheduler-file", str(described), *options]
    with contextlib.ExitStack() as stack:

        def start(*words: str) -> int:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *common],
                env=os.environ | {"DASK_TEMPORARY_DIRECTORY": str(folder)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait, PATIENCE_S)
            stack.callback(process.terminate)
            return process.pid

        stack.callback(described.unlink, missing_ok=True)
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: described.is_file() and described.stat().st_size > 0)
        started = tuple(start("worker", "--nthreads", "1", "--no-nanny") for _ in range(workers))
        yield Cluster(str(json.loads(described.read_text())["address"]), scheduler, started)
