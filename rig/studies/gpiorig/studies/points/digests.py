"""The digest of a point: SHA-256 of all that makes its recording, and of nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture.recording.description import FORMAT
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.experiments.images import sha256
from gpiorig.studies.points import keys

_JUDGING = ("name", "assert", "thresholds", "quantities")  # keys of an experiment that change nothing in its run


def of_point(
    bench: Bench,
    experiment: Experiment,
    *,
    repeat: int,
    images: Mapping[str, str],
    warmup: str,
    place: str = "",
    record: bool = True,
) -> str:
    """The digest, in hexadecimal digits.

    Parameters
    ----------
    bench, experiment
        Without their names, paths of images, and what only judges a run.
    repeat
        Number of the repeat.
    images
        SHA-256 of each node's image; on boards the names that the study gives them.
    warmup
        As written.
    place
        Name of the bench in a plan.
    record
        Whether it is recorded.
    """
    of_bench, of_experiment = (keys.given(msgspec.to_builtins(part)) for part in (bench, experiment))
    del of_bench["name"]
    for node in of_bench["nodes"].values():
        node.pop("firmware", None)
    content = {
        "bench": of_bench,
        "experiment": {key: value for key, value in of_experiment.items() if key not in _JUDGING},
        "repeat": repeat,
        "images": dict(images),
        "warmup": warmup,
        "recording format": FORMAT,
        **({"place": place} if place else {}),
        **({} if record else {"record": False}),
    }
    return hashlib.sha256(canonical(content)).hexdigest()


def canonical(content: Any) -> bytes:
    """JSON in which equal content has equal bytes."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def of_file(path: Path) -> str:
    """The SHA-256 of an image; raises `FirmwareError` if it cannot be read."""
    return _of_state(path, path.stat().st_mtime_ns) if path.is_file() else sha256(path)


@cache
def _of_state(path: Path, changed_ns: int) -> str:
    return sha256(path)
