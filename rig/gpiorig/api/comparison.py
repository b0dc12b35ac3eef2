"""Two runs against each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from gpiorig.analysis.compare import comparison
from gpiorig.api.opening import open
from gpiorig.api.recording import Recording
from gpiorig.api.tabular import Tabular
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results.compare import Compared


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Tabular):
    """What changed from one run to another.

    Attributes
    ----------
    compared
        What `gpiorig compare` prints and judges.
    virtual
        Whether one of the runs is of a virtual bench.
    table
        A row for each delay, as `gpiorig compare -o FILE` writes it.
    """

    compared: Compared
    virtual: bool
    table: pa.Table

    @property
    def sentences(self) -> tuple[str, ...]:
        """As `gpiorig compare` prints them."""
        return self.compared.sentences

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the delays that changed."""
        return tuple(change.name for change in self.compared.comparison.changed)

    def __repr__(self) -> str:
        count = len(self.compared.comparison.changes)
        return f"<Difference: {len(self.changed)} of {count} delays changed>"


def compare(
    base: Recording | str | os.PathLike[str],
    new: Recording | str | os.PathLike[str],
    *,
    quantities: Sequence[str] = (),
    fresh: bool = False,
) -> Difference:
    """Compare two runs, as `gpiorig compare` does.

    Parameters
    ----------
    base, new
        Recordings, opened or their folders.
    quantities
        Quantities that are compared, too.
    fresh
        Analyse the recordings, whatever tables they have.
    """
    opened = [run if isinstance(run, Recording) else open(run) for run in (base, new)]
    before, now = (run.described for run in opened)
    virtual = any(run.virtual for run in opened)
    compared = comparing.compare(before, now, quantities, fresh=fresh)
    return Difference(compared, virtual, comparison.as_table(compared.comparison))
