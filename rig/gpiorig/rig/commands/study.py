"""`gpiorig study`: the figures and tables of study files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from gpiorig.rig import names, resources
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.campaign import points, study
from gpiorig.rig.campaign.points import Conditions
from gpiorig.rig.errors import BenchError


def run(options: argparse.Namespace) -> int:
    """List, record, or report."""
    conditions = _conditions(options)
    studies = study.load_all(options.files or list(resources.studies().values()))
    rows = [
        {"study": one.name, "document": one.file.document, "figure": one.file.figure, "title": one.file.title,
         "points": len(points.points(one, conditions, points.repeats_of(one, quick=conditions.quick)))}
        for one in studies
    ]  # fmt: skip
    if options.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        print(f"{row['study']}: {row['document']}, {row['figure']}: {row['title']}; {row['points']} points")
    return 0


def _conditions(options: argparse.Namespace) -> Conditions:
    file = names.bench(options.bench) if options.bench is not None else Path()
    bench = benches.load(file) if options.bench is not None else None
    return Conditions(options.quick, bench, file, dict(_image(item) for item in options.image))


def _image(item: str) -> tuple[str, Path]:
    name, equals, path = item.partition("=")
    if not (name and equals and path):
        raise BenchError(f"--image {item}: give NAME=ELF, with a name that the studies use.")
    if not Path(path).is_file():
        raise BenchError(f"--image {item}: there is no file {path}. Give the path of an ELF image.")
    return name, Path(path).absolute()
