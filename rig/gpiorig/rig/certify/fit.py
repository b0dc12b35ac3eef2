"""A timing model fitted to the rows of a board: few settings, whole numbers, tried on the virtual board itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gpiorig.rig.certify.comparison import Values
from gpiorig.rig.certify.row_values import Value
from gpiorig.rig.plain_json import Result

Setting = tuple[str, int]
Model = Callable[[Mapping[str, int]], Values]

MOST = 8  # settings that a fit changes: with more the rows do not tell them from each other
TRIED = 4  # changes that are run, of those that promise most
GAIN = 9.0  # by which another setting must lower the sum of squares: 3 standard deviations of one row


class Residual(Result, frozen=True, kw_only=True):
    """A row after the fit: measured less model, in its unit, with the uncertainty of that."""

    row: str
    difference: float
    uncertainty: float


class Fit(Result, frozen=True, kw_only=True):
    """The settings of a board.

    Attributes
    ----------
    settings
        What is changed of the model.
    alternatives
        Of each: other settings that explain the rows as well, with their values.
    residuals
        The rows, worst first.
    runs
        How many settings the virtual board was run with.
    """

    settings: dict[str, int]
    alternatives: dict[str, tuple[str, ...]]
    residuals: tuple[Residual, ...]
    runs: int


class _Search:
    """Models that were run, and what they say of the measured rows."""

    def __init__(self, measured: Values, model: Model) -> None:
        self._model = model
        self._measured = {key: value for key, value in measured.items() if isinstance(value, Value)}
        self._values: dict[tuple[Setting, ...], dict[str, Value]] = {}

    @property
    def runs(self) -> int:
        return len(self._values)

    def values(self, settings: Mapping[str, int]) -> dict[str, Value]:
        """The rows of the model with these settings."""
        place = tuple(sorted(settings.items()))
        if place not in self._values:
            rows = self._model(settings)
            self._values[place] = {key: value for key, value in rows.items() if isinstance(value, Value)}
        return self._values[place]

    def residuals(self, settings: Mapping[str, int]) -> list[Residual]:
        """The rows, worst first."""
        model = self.values(settings)
        rows = [
            Residual(
                row=key,
                difference=value.value - model[key].value,
                uncertainty=value.uncertainty + model[key].uncertainty,
            )
            for key, value in self._measured.items()
            if key in model
        ]
        return sorted(rows, key=lambda residual: -_square(residual))

    def misfit(self, settings: Mapping[str, int]) -> float:
        """Sum over the rows of the square of difference by uncertainty."""
        return sum(map(_square, self.residuals(settings)))

    def moves(self, rows: Sequence[str], change: Setting) -> bool:
        """Whether a change is seen in one of these rows."""
        base, changed = self.values({}), self.values(dict([change]))
        return any(
            abs(changed[row].value - base[row].value) > changed[row].uncertainty + base[row].uncertainty
            for row in rows
            if row in base and row in changed
        )

    def predicted(self, settings: Mapping[str, int], change: Setting) -> float:
        """The misfit with one change more, if its effect is what it is on the model as it is: no run is needed."""
        base, now, changed = self.values({}), self.values(settings), self.values(dict([change]))
        total = 0.0
        for key, value in self._measured.items():
            if key in base and key in now and key in changed:
                expected = now[key].value + changed[key].value - base[key].value
                total += ((value.value - expected) / (value.uncertainty + now[key].uncertainty)) ** 2
        return total


def fit(measured: Values, model: Model, settings: Mapping[str, range], *, tick: Callable[[], object]) -> Fit:
    """Change as few settings as explain the rows: one after the other, that which explains most.

    Parameters
    ----------
    measured
        The rows of a board.
    model
        Runs the virtual board with settings of its model; returns its rows.
    settings
        The settings, and the values that each may have.
    tick
        Called for each setting that was tried.
    """
    search = _Search(measured, model)
    differing = [residual.row for residual in search.residuals({}) if _is_worse(residual)]
    changes = []
    for name, values in settings.items():
        if differing and any(search.moves(differing, (name, value)) for value in (values[0], values[-1])):
            changes += [(name, value) for value in values]
            for value in values:
                search.values({name: value})
        tick()
    chosen: dict[str, int] = {}
    while len(chosen) < MOST and any(_is_worse(residual) for residual in search.residuals(chosen)):
        better = _best(search, chosen, changes)
        if better is None:
            break
        chosen = better
    alternatives = {name: _alternatives(search, chosen, name, changes) for name in chosen}
    return Fit(
        settings=chosen,
        alternatives={name: equal for name, equal in alternatives.items() if equal},
        residuals=tuple(search.residuals(chosen)),
        runs=search.runs,
    )


def _best(search: _Search, chosen: dict[str, int], changes: list[Setting]) -> dict[str, int] | None:
    """The settings with the change that helps most; None: none helps."""
    candidates = []
    for name, value in changes:
        rest = {key: old for key, old in chosen.items() if key != name}
        if chosen.get(name) != value:
            candidates.append((search.predicted(rest, (name, value)), {**rest, name: value}))
    candidates.sort(key=lambda candidate: candidate[0])
    before = search.misfit(chosen)
    runs = [(search.misfit(settings), settings) for _, settings in candidates[:TRIED]]
    misfit, settings = min(runs, key=lambda run: run[0], default=(before, chosen))
    return settings if misfit < before - GAIN else None


def _alternatives(search: _Search, chosen: dict[str, int], name: str, changes: list[Setting]) -> tuple[str, ...]:
    """Changes in the place of a setting with which the rows are explained as well."""
    rest = {key: value for key, value in chosen.items() if key != name}
    limit = search.misfit(chosen) + GAIN
    promising = [change for change in changes if change[0] not in chosen and search.predicted(rest, change) <= limit]
    return tuple(f"{key} = {value}" for key, value in promising if search.misfit({**rest, key: value}) <= limit)


def _square(residual: Residual) -> float:
    return (residual.difference / residual.uncertainty) ** 2 if residual.uncertainty else 0.0


def _is_worse(residual: Residual) -> bool:
    return abs(residual.difference) > residual.uncertainty
