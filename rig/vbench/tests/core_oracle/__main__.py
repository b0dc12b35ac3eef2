"""`python -m core_oracle <comparisons per core> [seed [cores]]`: the long run; the numbers go into the documentation.

It tells how far it is now and then, writes every difference in full to `core_oracle-<core>-<seed>.txt` and ends with
one line of JSON per core.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from core_oracle.compare import Comparison
from core_oracle.machines import CORES
from core_oracle.vectors import HALF_END, NO_ROW, ROWS, blocks, exclusives, singles

BATCH = 10_000
TOLD_EVERY = 500_000


def compare(core: str, wanted: int, seed: int) -> bool:
    """Runs one core; true if nothing differs."""
    begin = time.monotonic()
    comparison = Comparison(core)
    tally = comparison.tally
    differences = Path(f"core_oracle-{core}-{seed}.txt")
    differences.unlink(missing_ok=True)
    rng = np.random.default_rng([seed, CORES.index(core)])
    comparison.run(singles(rng, 0, halves=range(HALF_END)))
    reported = written = 0
    while tally.compared < wanted:
        comparison.run(singles(rng, 3 * BATCH // 4))
        comparison.run(blocks(rng, BATCH // 4, dsp=core != "m3"))
        comparison.run(exclusives(rng, BATCH // 100))
        if len(tally.differences) > written:
            differences.write_text("\n".join(tally.differences) + "\n")
            written = len(tally.differences)
        if tally.compared >= reported + TOLD_EVERY:
            reported = tally.compared
            print(f"{core}: {tally.compared} compared, {len(tally.differences)} mismatches", flush=True)
    result = {
        "core": core,
        "seed": seed,
        "compared": tally.compared,
        "faults on both sides": tally.faults,
        "excluded": tally.excluded,
        "mismatches": len(tally.differences),
        "seconds": round(time.monotonic() - begin),
        "rows never run without fault": [ROWS[i].name for i in np.flatnonzero(tally.rows[:NO_ROW] == 0)],
    }
    print(json.dumps(result), flush=True)
    return not tally.differences


def main() -> None:
    wanted = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    agreed = [compare(core, wanted, seed) for core in sys.argv[3:] or CORES]
    sys.exit(not all(agreed))


if __name__ == "__main__":
    main()
