"""The points of a study: bench, experiment, axis values and the number of the repeat, all checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture import toml_text
from gpiorig.rig import names, resources
from gpiorig.rig.bench import benches, checks
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiments import console_settings, images
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import runner
from gpiorig.rig.strict_toml import convert
from gpiorig.studies.pages.description import Value
from gpiorig.studies.points import digests, given_bench, keys, templates, warmup
from gpiorig.studies.points.axes import Combination, combinations
from gpiorig.studies.points.study import Study
from gpiorig.studies.points.study_file import BenchAsked
from gpiorig.studies.points.warmup import Warmup

VIRTUAL = "bench.virtual."  # keys that boards do not have
ROLES = {"initiator": "initiator", "responder": "responder"}


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the command line or the job of a plan sets for all points.

    Parameters
    ----------
    quick
        Whether the studies are cut down.
    bench, bench_file
        A bench in place of those that the studies ask for, and its file.
    images
        Images by the names that studies give them.
    place
        Name of the bench in a plan; part of the digests, so that equal benches have points of their own.
    is_remote
        Whether that is a bench of another machine, which has its images.
    judged
        Whether a check that fails makes a point fail.
    repeats, passes
        How many times the repeats of a study are recorded, and the passes of a plan until now.
    """

    quick: bool = False
    bench: Bench | None = None
    bench_file: Path = Path()
    images: Mapping[str, Path] = field(default_factory=dict)
    place: str = ""
    is_remote: bool = False
    judged: bool = True
    repeats: int = 1
    passes: int = 1

    @property
    def lane(self) -> str:
        """Name of the bench on which points are recorded one after another; empty for virtual boards alone."""
        return self.place or (self.bench.name if self.bench is not None and self.bench.virtual is None else "")


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """One run of a study.

    Parameters
    ----------
    study
        Name of the study.
    coordinates, repeat
        Value of each axis, and the number of the repeat from 0.
    bench, experiment, warmup
        What is recorded.
    firmware
        Image of each node; empty if refused.
    digest
        Hexadecimal digits that name its folder (docs/reference/studies.md).
    refusal
        Why the bench or the images given cannot run it; empty if they can.
    record
        Whether it is recorded; its numbers are of the images alone otherwise.
    """

    study: str
    coordinates: Mapping[str, Value]
    repeat: int
    bench: Bench
    experiment: Experiment
    warmup: Warmup | None
    firmware: Mapping[str, Path]
    digest: str
    refusal: str = ""
    record: bool = True


def points(study: Study, conditions: Conditions, repeats: Iterable[int]) -> list[Point]:
    """The points of some repeats; those of one combination lie next to each other.

    Raises
    ------
    BenchError
        A point is impossible: the message has the study, the values of its axes and the remedy.
    """
    chosen, repeats = combinations(study.file, quick=conditions.quick), list(repeats)
    _check_given_bench(study, chosen, conditions)
    every = [_point(study, combination, repeat, conditions) for combination in chosen for repeat in repeats]
    _check_patterns(study, every)
    return every


def repeats_of(study: Study, *, quick: bool) -> range:
    """The repeats of a study; with `[repeat.until]` the most that there can be."""
    repeat = study.file.repeat
    if quick:
        return range(study.file.quick.repeats)
    return range(repeat.until.most if repeat.until is not None else repeat.n)


def _point(study: Study, combination: Combination, repeat: int, conditions: Conditions) -> Point:
    record = study.file.record
    what = f"{study.what}{': ' if combination.text else ''}{combination.text}"
    settings = {**combination.settings, **_seeds(study, combination, repeat)}  # into tables that an axis sets, too
    asked = _asked(study, settings, what=what)
    bench = _bench(study, asked, conditions, settings, what=what)
    settings = {one: value for key, value in settings.items() for one in keys.spread(key, bench.nodes)}
    settings |= _phases(study, bench, repeat)
    experiment, warm = _experiment(study, bench, settings, quick=conditions.quick, what=what)
    wanted = {
        key.partition(".")[2]: name for key, name in settings.items() if key.startswith(f"{keys.IMAGE}.") and name
    }
    refusal = _image_refusal(wanted, conditions)
    if not refusal:
        bench = _with_images(bench, {node: conditions.images[name] for node, name in wanted.items()})
    try:
        runner.check_shown(bench, experiment)
    except BenchError as error:
        raise BenchError(f"{what}: {error}") from error
    firmware: dict[str, Path] = {}
    hashes = {node: f"image {name}" for node, name in wanted.items()}
    try:
        console_settings.check(experiment, bench)
        if not refusal and not (conditions.is_remote and record):
            firmware = images.images(bench, experiment, bench_file=Path())
        if bench.virtual is not None or not record:
            hashes |= {node: digests.of_file(path) for node, path in firmware.items()}
    except (BenchError, FirmwareError) as error:
        refusal = refusal or str(error)
    return Point(
        study=study.name,
        coordinates=combination.coordinates,
        repeat=repeat,
        bench=bench,
        experiment=experiment,
        warmup=warm,
        firmware={} if refusal else firmware,
        digest=digests.of_point(
            bench,
            experiment,
            repeat=repeat,
            images=hashes,
            warmup=warm.text if warm else "",
            place=conditions.place,
            record=record,
        ),
        refusal=refusal,
        record=record,
    )


def _seeds(study: Study, combination: Combination, repeat: int) -> dict[str, int]:
    """The keys that get another seed in each repeat; one that an axis sets is that axis'."""
    return {key: 1 + repeat for key in study.file.repeat.seeds if key not in combination.settings}


def _phases(study: Study, bench: Bench, repeat: int) -> dict[str, int]:
    """Random phases, the same ones for the repeat and the key at all times, so that studies may share a point."""
    phases = {}
    for pattern, largest in study.file.repeat.phases.items():
        if pattern.startswith(VIRTUAL) and bench.virtual is None:
            continue
        for key in keys.spread(pattern, bench.nodes):
            drawn = hashlib.sha256(f"{repeat}\n{key}".encode()).digest()
            phases[key] = int.from_bytes(drawn) % (largest + 1)
    return phases


def _asked(study: Study, settings: Mapping[str, Any], *, what: str) -> BenchAsked:
    """The bench of the study with the keys that are varied; those of `[virtual]` and of single nodes come later."""
    tree: dict[str, Any] = msgspec.to_builtins(study.file.bench)
    for key, value in sorted(
        settings.items(), key=lambda item: item[0] != "bench.nodes"
    ):  # the nodes of patterns first
        parts = key.split(".")
        if parts[0] == keys.BENCH and parts[1:2] != ["virtual"] and not (parts[1:2] == ["nodes"] and len(parts) > 2):
            for one in keys.spread(key, tree["nodes"]):
                keys.put(tree, one.partition(".")[2], value)
    return convert(tree, BenchAsked, what=f"{what}: bench")


def _bench(study: Study, asked: BenchAsked, conditions: Conditions, settings: Mapping[str, Any], *, what: str) -> Bench:
    """The bench of a point, with the keys of a virtual bench that are varied."""
    if conditions.bench is not None:
        wanted = list(conditions.bench.nodes) if asked.file else list(asked.nodes)
        tree = given_bench.tree(conditions.bench, conditions.bench_file, wanted)
    elif asked.file:
        file = names.KINDS["bench"]().get(asked.file, study.path.parent / asked.file)
        of_file = benches.load(file)
        tree = given_bench.tree(of_file, file, list(of_file.nodes))
    else:
        virtual = templates.bench(asked, what=what)
        tree = given_bench.tree(virtual, study.path, list(virtual.nodes))
    if "virtual" not in tree:
        return convert(tree, Bench, what=f"{what}: bench")
    tree["virtual"] = keys.merged(tree["virtual"], asked.virtual)
    for key, value in settings.items():
        if key.startswith((VIRTUAL, "bench.nodes.")):
            for one in keys.spread(key, tree["nodes"]):
                keys.put(tree, one.partition(".")[2], value)
    for node in tree["nodes"].values():
        if node.get("console") == "":  # our reference firmware among others
            del node["console"]
    return checks.check(convert(tree, Bench, what=f"{what}: bench"), what=f"{what}: bench")


def _experiment(
    study: Study, bench: Bench, settings: Mapping[str, Any], *, quick: bool, what: str
) -> tuple[Experiment, Warmup | None]:
    own = dict(study.file.experiment)
    base = _base(study, own.pop("base", ""))
    tree = keys.merged(ROLES | base | {"name": study.name}, {key: own[key] for key in own if key != keys.NODES})
    for pattern, table in own.get(keys.NODES, {}).items():
        for node in keys.matching(pattern, bench.nodes):
            tree = keys.merged(tree, {keys.NODES: {node: table}})
    for key, value in settings.items():
        if key.partition(".")[0] not in (keys.BENCH, keys.IMAGE):
            keys.put(tree, key, value)
    if quick:
        cuts = {"packets": study.file.quick.packets, "duration_s": study.file.quick.duration_s}
        tree |= {key: min(tree.get(key, most), most) for key, most in cuts.items() if most is not None}
    text = tree.pop("warmup", None)
    experiment = experiments.check(convert(tree, Experiment, what=what), bench, what=what)
    return experiment, warmup.parse(text, what=what) if text is not None else None


def _base(study: Study, name: object) -> dict[str, Any]:
    if not name:
        return {}
    file = resources.experiments().get(str(name), study.path.parent / str(name))
    try:
        return toml_text.decode(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BenchError(
            f"{study.what}: experiment.base is `{name}`: {error}. Name one of {', '.join(resources.experiments())}, or "
            "give a path from the study's folder."
        ) from error


def _image_refusal(wanted: Mapping[str, str], conditions: Conditions) -> str:
    missing = sorted({name for name in wanted.values() if name not in conditions.images})
    return (
        f"no image {' and '.join(missing)}: give {' '.join(f'--image {name}=ELF' for name in missing)}"
        if missing
        else ""
    )


def _with_images(bench: Bench, files: Mapping[str, Path]) -> Bench:
    nodes = {
        name: msgspec.structs.replace(node, firmware=str(files[name].absolute())) if name in files else node
        for name, node in bench.nodes.items()
    }
    return msgspec.structs.replace(bench, nodes=nodes)


def _check_given_bench(study: Study, chosen: Sequence[Combination], conditions: Conditions) -> None:
    """Raise `BenchError` with all that the bench lacks for any point."""
    if conditions.bench is None:
        return
    phrases: dict[str, None] = {}
    for combination in chosen:
        asked = _asked(study, combination.settings, what=f"{study.what}: {combination.text}")
        phrases |= dict.fromkeys(given_bench.lacking(conditions.bench, asked, what=study.what))
    if phrases:
        raise BenchError(
            f"{study.what}: bench {conditions.bench_file} lacks {'; '.join(phrases)}. Add them to the bench, or run "
            "without --bench on the virtual one."
        )


def _check_patterns(study: Study, every: Sequence[Point]) -> None:
    """Raise `BenchError` for a name with ``*`` that no node of any point has."""
    patterns = {f"experiment.nodes.{pattern}": pattern for pattern in study.file.experiment.get(keys.NODES, {})}
    for key in [
        *(key for axis in study.file.vary for key in (axis.key, *axis.set) if key),
        *study.file.repeat.seeds,
        *study.file.repeat.phases,
    ]:
        parts = key.split(".")
        place = keys.node_part(parts)
        patterns |= {key: parts[place]} if place is not None else {}
    nodes = dict.fromkeys(name for point in every for name in point.bench.nodes)
    for key, pattern in patterns.items():
        if keys.ANY in pattern and not keys.matching(pattern, nodes):
            raise BenchError(f"{study.what}: `{key}`: no node is called `{pattern}`; its nodes: {', '.join(nodes)}.")
