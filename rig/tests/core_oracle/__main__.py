"""`python -m core_oracle <comparisons per core> [seed]`: the long run; the numbers go into the documentation."""

from __future__ import annotations

import sys
import time

import numpy as np

from core_oracle.compare import Comparison
from core_oracle.machines import CORES
from core_oracle.vectors import NO_ROW, ROWS, blocks, exclusives, singles

BATCH = 10_000


def main() -> None:
    wanted = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cores = sys.argv[3:] or CORES
    failed = False
    for core in cores:
        begin = time.monotonic()
        comparison = Comparison(core)
        tally = comparison.tally
        rng = np.random.default_rng([seed, CORES.index(core)])
        comparison.run(singles(rng, 0, every_half=True))
        while tally.compared < wanted:
            comparison.run(singles(rng, 3 * BATCH // 4))
            comparison.run(blocks(rng, BATCH // 4, dsp=core != "m3"))
            comparison.run(exclusives(rng, BATCH // 100))
        seconds = time.monotonic() - begin
        rest = [ROWS[i].name for i in np.flatnonzero(tally.rows[:NO_ROW] == 0)]
        print(
            f"{core}: {tally.compared} compared, {tally.faults} of them faults on both sides, {tally.excluded} excluded"
        )
        print(f"{core}: {tally.mismatches} mismatches, {seconds:.0f} s; rows never run without fault: {rest}")
        print("\n".join(tally.shown), flush=True)
        failed |= tally.mismatches > 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
