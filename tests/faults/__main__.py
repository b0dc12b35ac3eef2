"""Score the corpus: `make faults`; status 1 when something is not as expected, and it is printed."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import corpus


def main() -> int:
    """Score, print, and bring the document up to date."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="only these rows of the table")
    options = parser.parse_args()
    cases = [case for case in corpus.cases() if not options.formats or case.format in options.formats]
    failed, begin = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gpiorig-faults-") as name:
        for number, case in enumerate(cases):
            seen = corpus.score(case, Path(name) / str(number))
            if seen:
                failed.append(case)
                print(f"{case.format}: {case.name}: expected {case.verdict}: {seen}", flush=True)
    print(corpus.table(cases))
    print(f"{len(cases) - len(failed)} of {len(cases)} as expected, in {time.monotonic() - begin:.0f} s")
    if not options.formats:
        corpus.write_document(cases)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
