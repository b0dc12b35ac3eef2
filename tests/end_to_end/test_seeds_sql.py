"""The queries of docs/guide/seeds-sql.md give the numbers of docs/seeds.md, to the last digit shown."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import seedssql
from commandline import ROOT, gpiorig

from gpiorig.rig.store.store import Store
from gpiorig.studies.points import study_paths

# Delays, shares, goodput, threads, tasks, differences, ratios; with one run, and with four.
STUDIES = (
    "000-summary 000-queue 000-threads 000-aggregator-round-trip 001-frame 003-fig4-loop 003-fig8a-sending 004-waits"
)
REPEATED = ROOT / "tests" / "data" / "repeated-study.toml"


@pytest.mark.deep
def test_sql_gives_the_numbers_of_the_report(tmp_path: Path) -> None:
    """Values, standard deviations, intervals of repeats, n and ratios; no other statistic is compared."""
    files = [REPEATED, *(study_paths.files()[name] for name in STUDIES.split())]
    output, store = tmp_path / "results", tmp_path / "store"
    run = gpiorig("study", "run", *files, "--quick", "-o", output, "--store", store)
    assert 0 == run.status, run.stderr

    numbers = list(seedssql.compared(output, Store(store)))

    assert [] == [number for number in numbers if number[-1]]
    kinds = Counter(name.startswith("published ") for _, name, _ in numbers)
    assert kinds[False] > 100 and kinds[True] > 20
    for heading in ("Peak-to-peak", "Shares, counts and rates", "Ratio to published values"):
        assert 3 == Store(store).query(seedssql.query(heading)).num_rows
