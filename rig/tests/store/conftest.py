"""What the tests of the store register: a recording, and the quantities of a point."""

from __future__ import annotations

from pathlib import Path

import directbench
import pyarrow as pa
import pyarrow.parquet
import pytest
import shared
from storecases import PACKETS

from gpiorig.rig import resources


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording, not to be written to."""

    def make(folder: Path) -> None:
        bench, experiment = resources.benches()["demo"], resources.experiments()["pingpong"]
        directbench.record(folder / "base", bench.read_text(), experiment.read_text(), packets=PACKETS)

    return shared.filled(tmp_path_factory, "store-recording", make) / "base" / "run"


@pytest.fixture(scope="module")
def quantities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of quantities as a study keeps it."""
    path = tmp_path_factory.mktemp("quantities") / "quantities.parquet"
    content = {"quantity": ["rtt", "rtt", "loss"], "node": ["", "", ""], "value": [1.0, 3.0, None]}
    pa.parquet.write_table(pa.table(content), path)
    return path
