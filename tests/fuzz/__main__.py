"""Coverage-guided fuzzing of all readers and decoders: `make fuzz SECONDS=600 TARGETS="sr vcd"`.

Each target runs in a process of its own, from the corpus that earlier runs left in build/fuzz. Status 1: something was
found, ever; build/fuzz/findings holds the inputs, made smaller, and where they fail.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "build" / "fuzz"
TOTALS = "totals.jsonl"
MEMORY = Path("/dev/shm")


def run(name: str, folder: Path, seconds: int) -> dict[str, float | str | int]:
    """Fuzz a target; what came of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "fuzz.worker", name, str(folder), str(seconds)]
    # A worker that libFuzzer ends deletes nothing; in memory, where there is such a file system.
    with tempfile.TemporaryDirectory(prefix="gpiorig-fuzz-", dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        environment = os.environ | {"TMPDIR": scratch}
        done = subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = done.stderr.decode(errors="replace")
    tried = [*re.findall(r"number_of_executed_units: (\d+)", text), *re.findall(r"^#(\d+)", text, re.M)] or ["0"]
    features = re.findall(r" ft: (\d+)", text) or ["0"]
    if done.returncode or not int(features[-1]):
        (folder / "findings" / f"{name}-end.txt").write_text(f"{name}: status {done.returncode}\n{text[-4000:]}")
    return {
        "target": name,
        "at": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "inputs": int(tried[0]),
        "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "features": int(features[-1]),
        "corpus": len(list((folder / "corpus" / name).glob("*"))),
        "status": done.returncode,
    }


def totals(folder: Path) -> dict[str, dict[str, float]]:
    """What all runs so far add up to, by target."""
    counts: dict[str, dict[str, float]] = {}
    if (folder / TOTALS).exists():
        for line in (folder / TOTALS).read_text().splitlines():
            row = json.loads(line)
            sums = counts.setdefault(row["target"], {"inputs": 0, "cpu_s": 0, "features": 0, "corpus": 0})
            sums["inputs"] += row["inputs"]
            sums["cpu_s"] += row["cpu_s"]
            sums["features"], sums["corpus"] = row["features"], row["corpus"]
    return counts


def main() -> int:
    """Fuzz, and print the totals."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all of them when none is named")
    parser.add_argument("--seconds", type=int, default=600, help="of all targets together (default: 600)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="corpus, findings and totals (default: build/fuzz)")
    options = parser.parse_args()
    from .catalog import TARGETS

    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    names = options.targets or list(TARGETS)
    (options.folder / "findings").mkdir(parents=True, exist_ok=True)
    for name in names:
        row = run(name, options.folder, max(1, options.seconds // len(names)))
        with (options.folder / TOTALS).open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(
            f"{name:16} {row['inputs']:>9} inputs  {row['cpu_s']:>7} CPU s  {row['features']:>6} features", flush=True
        )
    counts = totals(options.folder)
    print(f"\n{'all runs':16} {'inputs':>9} {'CPU s':>8} {'features':>9} {'corpus':>7}")
    for name, sums in sorted(counts.items()):
        print(f"{name:16} {sums['inputs']:9.0f} {sums['cpu_s']:8.0f} {sums['features']:9.0f} {sums['corpus']:7.0f}")
    print(
        f"{'together':16} {sum(sums['inputs'] for sums in counts.values()):9.0f} "
        f"{sum(sums['cpu_s'] for sums in counts.values()):8.0f}"
    )
    findings = sorted((options.folder / "findings").glob("*"))
    for path in findings:
        print(path)
        if path.suffix == ".txt":
            print("   ", path.read_text(errors="replace").split("\n", 1)[0])
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
