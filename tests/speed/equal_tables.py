"""Whether two versions of the analysis give equal tables and sentences: bit for bit, and 1e-12 relative for fractions.

`python tests/speed/equal_tables.py make FOLDER [RECORDING ...]` analyses, with the version that it runs in, ping-pongs
made at once, such with losses, the stored recordings, and those given, which are copied.
`python tests/speed/equal_tables.py compare BEFORE AFTER` lists what differs in two such folders, or in any two folders
of tables; its exit status is 1 if anything does.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

RELATIVE = 1e-12
STORED = Path(__file__).parent.parent / "values" / "recordings"
MADE = {"pingpongs": 20_000, "disturbed": 4_000}  # packets
SENTENCES = "report.txt"


def make(folder: Path, recordings: list[Path]) -> None:
    """Analyse everything into subfolders of a new folder."""
    folder.mkdir(parents=True)
    for name, packets in MADE.items():
        _synthetic(name, packets, folder / name)
    for archive in sorted(STORED.glob("*.tar.xz")):
        with tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
    for recording in recordings:
        shutil.copytree(recording, folder / recording.name)
    for recording in sorted(path.parent for path in folder.glob("*/recording.toml")):
        command = [sys.executable, "-m", "gpiorig.rig", "report", recording.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        (recording / SENTENCES).write_text(f"{done.returncode}\n{done.stdout}{done.stderr}")


def _synthetic(name: str, packets: int, folder: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
    import bench_analysis
    import synthetic_events

    from gpiorig.analysis.delays import instruments
    from gpiorig.analysis.delays.instruments import Instruments
    from gpiorig.analysis.evaluation import evaluator
    from gpiorig.analysis.tables import registry

    makers = {
        "pingpongs": lambda: synthetic_events.ping_pongs(packets, burst=64),
        "disturbed": lambda: synthetic_events.disturbed(packets, seed=5),
    }
    folder.mkdir()
    analysis = bench_analysis.of_events(makers[name]())
    fx2 = Instruments(instruments.by_driver("fx2lafw", samplerate_hz=synthetic_events.RATE_HZ))
    registry.write(analysis, evaluator.evaluate(analysis, fx2, None), folder=folder)


def differences(before: Path, after: Path) -> Iterator[str]:
    """What differs: a file, a column, a value."""
    patterns = ("*.parquet", "study.json", SENTENCES)
    names = {
        path.relative_to(folder) for folder in (before, after) for pattern in patterns for path in folder.rglob(pattern)
    }
    if not names:
        yield "no table in either folder"
    for name in sorted(names):
        files = before / name, after / name
        absent = [str(file) for file in files if not file.is_file()]
        if absent:
            yield f"no {absent[0]}"
        elif name.suffix == ".parquet":
            yield from (f"{name}: {text}" for text in _columns(*map(pq.read_table, files)))
        elif name.suffix == ".json":
            yield from (f"{name}{text}" for text in _values(*(json.loads(file.read_text()) for file in files)))
        elif files[0].read_text() != files[1].read_text():
            yield f"{name}: the sentences differ"


def _columns(before: pa.Table, after: pa.Table) -> Iterator[str]:
    if before.schema != after.schema or before.schema.metadata != after.schema.metadata:
        yield "the columns, their types or the samplerate differ"
        return
    if before.num_rows != after.num_rows:
        yield f"{before.num_rows} rows, now {after.num_rows}"
        return
    for name in before.column_names:
        columns = before[name].combine_chunks(), after[name].combine_chunks()
        if pa.types.is_floating(columns[0].type):
            nulls = [column.is_null().to_numpy(zero_copy_only=False) for column in columns]
            values = [pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False) for column in columns]
            close = np.isclose(values[1], values[0], rtol=RELATIVE, atol=0, equal_nan=True)
            differs = (nulls[0] != nulls[1]) | ~close
            if differs.any():
                row = int(np.flatnonzero(differs)[0])
                yield f"{name}: {np.count_nonzero(differs)} rows; row {row}: {values[0][row]!r}, now {values[1][row]!r}"
        elif not columns[0].equals(columns[1]):
            yield f"{name} differs"


def _values(before: Any, after: Any, at: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in before:
            yield from _values(before[key], after[key], f"{at}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _values(*pair, f"{at}[{number}]")
    elif isinstance(before, float) and isinstance(after, float):
        if not math.isclose(before, after, rel_tol=RELATIVE):
            yield f"{at}: {before!r}, now {after!r}"
    elif before != after or type(before) is not type(after):
        yield f"{at}: {before!r}, now {after!r}"


def main(arguments: list[str]) -> int:
    """Make, or compare."""
    match arguments:
        case ["make", folder, *recordings]:
            make(Path(folder), [Path(recording) for recording in recordings])
            return 0
        case ["compare", before, after]:
            texts = list(differences(Path(before), Path(after)))
            print("\n".join(texts) if texts else "all tables and sentences are equal")
            return 1 if texts else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
