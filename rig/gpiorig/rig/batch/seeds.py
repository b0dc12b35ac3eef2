"""Recordings of a virtual bench with one seed each."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomli_w

from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import console_settings, images
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import runner

SEED_LIMIT = 2**32  # of the firmware's setting


@dataclass(frozen=True, slots=True)
class Seeded:
    """What is recorded, with which seed.

    Parameters
    ----------
    bench_file, experiment_file
        Files that every worker can read.
    seed
        Of the virtual bench; the firmware gets it modulo 2^32.
    packets
        In place of the experiment's number.
    """

    bench_file: Path
    experiment_file: Path
    seed: int
    packets: int | None


def parse(text: str) -> list[int]:
    """Seeds as ``1-10`` or ``1,4,7-9``."""
    seeds: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) < int(first):
            raise RigError(f"--seeds {text}: {part!r} is not a seed or a range; write them as 1-10 or 1,4,7-9.")
        seeds |= dict.fromkeys(range(int(first), int(last or first) + 1))
    return [*seeds]


def check(bench_file: Path, experiment_file: Path, packets: int | None) -> None:
    """Refuse what cannot be recorded with several seeds, before anything is recorded."""
    bench = benches.load(bench_file)
    if bench.virtual is None:
        raise RigError(
            f"{bench_file}: is a real bench, one resource that one recording at a time uses, and it has no seed; "
            "record it with `gpiorig run`, then give the recordings to `gpiorig batch`."
        )
    experiments.load(experiment_file, bench, packets=packets)


def record(asked: Seeded, folder: Path) -> None:
    """Record into a folder; a complete recording of the same is kept, one that was interrupted is replaced."""
    content = tomllib.loads(asked.bench_file.read_text(encoding="utf-8"))
    content["virtual"]["seed"] = asked.seed
    with tempfile.TemporaryDirectory(prefix="gpiorig-batch-") as temporary:
        bench_file = Path(temporary) / "bench.toml"
        bench_file.write_text(tomli_w.dumps(content), encoding="utf-8")
        bench = benches.load(bench_file)
        experiment = _with_seed(
            experiments.load(asked.experiment_file, bench, packets=asked.packets), bench, asked.seed
        )
        firmware = images.images(bench, experiment, bench_file=asked.bench_file.resolve())
        if not _is_recorded(folder, bench_file.read_text(encoding="utf-8"), bench, experiment, firmware):
            runner.run(bench, experiment, bench_file=bench_file, output=folder, firmware=firmware)


def _with_seed(experiment: Experiment, bench: Bench, seed: int) -> Experiment:
    """The experiment with the seed in its settings, where all firmwares have this setting."""
    consoles = [console for console in bench.described_consoles.values() if console is not None]
    if not all("seed" in console_settings.known(console) for console in consoles):
        return experiment
    settings = msgspec.structs.replace(experiment.settings, seed=seed % SEED_LIMIT)
    return msgspec.structs.replace(experiment, settings=settings)


def _is_recorded(folder: Path, text: str, bench: Bench, experiment: Experiment, firmware: dict[str, Path]) -> bool:
    """Whether the folder holds the complete recording; the rest of an interrupted one is deleted.

    Raises
    ------
    RigError
        It holds something else.
    """
    if not (folder / DESCRIPTION).exists():
        return False
    recording = Recording.open(folder)
    info, hashes = recording.info, {name: images.sha256(path) for name, path in firmware.items()}
    if (info.bench, info.parameters, info.firmware) != (text, runner.parameters(bench, experiment), hashes):
        raise RigError(
            f"{folder}: holds a recording of another bench, experiment or image; choose another folder with -o, or "
            "delete this one."
        )
    if recording.state == "capturing":
        raise RigError(f"{folder}: another program is recording into it; wait for its end.")
    if recording.state != "complete":
        shutil.rmtree(folder)
    return recording.state == "complete"
