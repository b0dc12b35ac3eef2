"""Prints the sizes of the reference firmware's images as a table: `make sizes` builds them all and calls it."""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path


def row(folder: Path, board: str, kernel: str, probes: str) -> str:
    """A line of the table, from the output of `size` for the image."""
    name = board + f"-{kernel}" * (kernel != "events") + f"-{probes}" * (probes != "normal")
    try:
        text, data, bss, *_ = (folder / name / "reference.size").read_text().splitlines()[1].split()
    except FileNotFoundError:
        return f"| {board} | {kernel} | {probes} | not built |||"
    return f"| {board} | {kernel} | {probes} | {text} | {data} | {bss} |"


def main() -> int:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="folder of the images")
    for name in ("boards", "kernels", "probes"):
        parser.add_argument(f"--{name}", nargs="+", required=True)
    arguments = parser.parse_args()
    print("| board | kernel | probes | text, bytes | data | bss |\n|---|---|---|---:|---:|---:|")
    for choice in itertools.product(arguments.boards, arguments.kernels, arguments.probes):
        print(row(arguments.build, *choice))
    return 0


if __name__ == "__main__":
    sys.exit(main())
