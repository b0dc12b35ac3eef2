"""What the rows that differ come down to: settings of the model, clocks, thresholds, each with its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpiorig.analysis.number_text import plus_minus
from gpiorig.rig.certify.comparison import Comparison
from gpiorig.rig.certify.fit import Fit
from gpiorig.rig.certify.row_values import CLOCK, CRYSTAL, SQUARE
from gpiorig.rig.plain_json import Number, Result

CLOCK_ROWS = (CLOCK, CRYSTAL)


class Cause(Result, frozen=True, kw_only=True):
    """A difference by its name in a bench file of a virtual bench.

    Attributes
    ----------
    name
        As ``virtual.timing.refill``, or the row where no setting of a bench file stands for it.
    about
        The node, pair or analyzer.
    value, uncertainty, unit
        Of the bench: a setting's value; else by how much it differs from the model.
    model
        The setting's value in the model.
    rows
        The rows that it explains.
    alternatives
        Settings that explain them as well.
    """

    name: str
    about: str
    value: float
    uncertainty: float
    unit: str
    model: Number = None
    rows: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()

    def __str__(self) -> str:
        number = plus_minus(self.value, self.uncertainty, sign="+") if self.uncertainty else f"{self.value:g}"
        model = "" if self.model is None else f", the model has {self.model:g}"
        as_well = f"; as well: {', '.join(self.alternatives)}" if self.alternatives else ""
        return f"{self.name} of {self.about}: {number} {self.unit}{model}{as_well}"


def named(
    comparisons: Sequence[Comparison],
    fits: Mapping[str, Fit],
    *,
    models: Mapping[str, Mapping[str, int]],
    places: Mapping[str, str],
) -> list[Cause]:
    """The causes.

    Parameters
    ----------
    comparisons
        All rows.
    fits
        Of each node whose model was fitted.
    models
        The settings of each node's model, as they are.
    places
        The analyzer of each node's line.
    """
    causes = list(_settings(fits, models))
    explained = {(node, row) for node, fit in fits.items() for row in _explained(fit)}
    differing = [row for row in comparisons if row.verdict == "differs"]
    clocks = [row for row in differing if row.row in CLOCK_ROWS]
    causes += _clocks(clocks, comparisons, places)
    for row in differing:
        if row.row in CLOCK_ROWS or (row.about, row.row) in explained:
            continue
        causes.append(_threshold(row, places) if row.row == SQUARE else _of_row(row))
    return causes


def _settings(fits: Mapping[str, Fit], models: Mapping[str, Mapping[str, int]]) -> Iterator[Cause]:
    for node, fit in fits.items():
        for name, value in fit.settings.items():
            yield Cause(
                name=f"virtual.timing.{name}",
                about=node,
                value=value,
                uncertainty=0.0,
                unit="cycles",
                model=models.get(node, {}).get(name),
                alternatives=fit.alternatives.get(name, ()),
            )


def _explained(fit: Fit) -> list[str]:
    """The rows that agree with the fitted model."""
    return [residual.row for residual in fit.residuals if abs(residual.difference) <= residual.uncertainty]


def _clocks(differing: Sequence[Comparison], rows: Sequence[Comparison], places: Mapping[str, str]) -> list[Cause]:
    """The clocks of nodes; where all of an analyzer's nodes differ alike it is the analyzer's."""
    causes = []
    steady = [row for row in differing if row.row == _steadiest(row.about, rows)]
    for analyzer in dict.fromkeys(places.values()):
        here = [row for row in rows if row.row == _steadiest(row.about, rows) and places.get(row.about) == analyzer]
        off = [row for row in steady if places[row.about] == analyzer]
        if len(off) > 1 and len(off) == len(here) and _alike(off):
            mean = sum(row.difference or 0.0 for row in off) / len(off)
            widest = max(row.uncertainty or 0.0 for row in off)
            name, about = f"virtual.analyzers.{analyzer}.clock_ppb", analyzer
            text = tuple(f"{row.about}: {row.row}" for row in off)
            causes.append(Cause(name=name, about=about, value=-mean, uncertainty=widest, unit="ppm", rows=text))
            continue
        causes += [
            Cause(
                name=f"virtual.nodes.{row.about}.clock_ppb",
                about=row.about,
                value=row.difference or 0.0,
                uncertainty=row.uncertainty or 0.0,
                unit="ppm",
                rows=(row.row,),
            )
            for row in off
        ]
    minor = [row for row in differing if row not in steady]
    return causes + [_of_row(row) for row in minor]


def _steadiest(node: str, rows: Sequence[Comparison]) -> str:
    """The clock row that stands for a node: its crystal's, if the processor runs on another clock."""
    return CRYSTAL if any(row.about == node and row.row == CRYSTAL for row in rows) else CLOCK


def _alike(rows: Sequence[Comparison]) -> bool:
    sizes = [row.difference or 0.0 for row in rows]
    return max(sizes) - min(sizes) <= 2 * max(row.uncertainty or 0.0 for row in rows)


def _threshold(row: Comparison, places: Mapping[str, str]) -> Cause:
    """Highs are shorter and lows longer by what rising edges come later: half of the row."""
    return Cause(
        name=f"virtual.analyzers.{places[row.about]}.thresholds",
        about=f"{row.about}.strobe",
        value=-(row.difference or 0.0) / 2,
        uncertainty=(row.uncertainty or 0.0) / 2,
        unit="ns, rising edges later than falling ones",
        rows=(row.row,),
    )


def _of_row(row: Comparison) -> Cause:
    return Cause(
        name=row.row,
        about=row.about,
        value=row.difference or 0.0,
        uncertainty=row.uncertainty or 0.0,
        unit=row.unit,
        rows=(row.row,),
    )
