"""Two runs as a pair: the delays that both have, what changed, and the sentences on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.compare import against_model, comparison, sentences
from gpiorig.analysis.compare.against_model import Row
from gpiorig.analysis.compare.comparison import Comparison, Watch
from gpiorig.analysis.compare.delays import Accuracy, Delays
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT
from gpiorig.analysis.quantities.delays import NONE_COMPLETE

Values = Mapping[str, NDArray[np.int64]]  # in samples, by the name of the series


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs, compared.

    Attributes
    ----------
    before, now
        The delays that both have, and their quantities.
    comparison
        The changes.
    joined
        Delays that were joined because only one of the runs has them apart.
    against_model
        Where one of the runs is of a virtual bench, and both are complete: what its model has right and wrong.
    """

    before: Delays
    now: Delays
    comparison: Comparison
    joined: tuple[Joined, ...]
    against_model: tuple[Row, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What changed, or what a model has wrong, and which packets were compared."""
        lines = sentences.sentences(self.comparison, against_model=self.against_model)
        return [*lines, *joined_sentences(self.joined), *_routes(self.before, self.now)]


def pair(before: Delays, now: Delays, *, values: tuple[Values, Values] = ({}, {}), watch: Watch = iter) -> Pair:
    """Compare two runs, and their quantities; `obstacle` tells whether they can be compared.

    Parameters
    ----------
    before, now
        Base and new run.
    values
        Their quantities.
    watch
        As in `comparison.compare`.
    """
    before, now, joined = common(before, now)
    before, now = (replace(run, values={**run.values, **more}) for run, more in zip((before, now), values, strict=True))
    compared = comparison.compare(before, now, watch=watch)
    is_model = before.virtual != now.virtual and before.accuracies and now.accuracies and now.complete
    return Pair(before, now, compared, joined, against_model.rows(before, now, compared) if is_model else ())


def obstacle(before: Delays, now: Delays) -> str:
    """Why two runs cannot be compared, a clause; empty if they can."""
    if not before.complete:
        return f"{NONE_COMPLETE}, so there is nothing to compare with"
    if now.complete and not set(before.values) & set(now.values):
        return (
            f"the runs have no delay in common: the base has {', '.join(list(before.values)[:2])} …, the new one "
            f"{', '.join(list(now.values)[:2])} …"
        )
    return ""


def _routes(before: Delays, now: Delays) -> list[str]:
    """Which packets were compared, if they went different ways."""
    same = before.route == now.route or not now.complete
    return [] if same else [f"Compared: {before.route} of the base, {now.route} of the new run."]


@dataclass(frozen=True, slots=True)
class Joined:
    """Steps that are compared as one.

    Parameters
    ----------
    name
        Name of the delay that they make.
    base, new
        Names of the steps in either run, in the order of the path.
    """

    name: str
    base: tuple[str, ...]
    new: tuple[str, ...]


def common(base: Delays, new: Delays) -> tuple[Delays, Delays, tuple[Joined, ...]]:
    """Both runs with their common delays, and the steps that were joined for that.

    A common delay is from one milestone that both have to the next, whatever is between in one of them. The steps of a
    run follow each other along the path, each from one milestone to the next. Steps that only one run has lie between
    steps that both have, so their sum is from one common milestone to another: where one run has two steps and the
    other has one, the two together are what the one is.

    Runs over different routes, and runs without a common step, are returned unchanged.
    """
    steps = [[name for name in run.values if name not in (RTT, ONE_WAY)] for run in (base, new)]
    shared = [name for name in steps[0] if name in steps[1]]
    if base.route != new.route or not shared or shared != [name for name in steps[1] if name in steps[0]]:
        return base, new, ()
    parts = _parts(steps[0], steps[1], shared)
    runs = [
        _joined_delays(run, parts, {part.name: names for part, names in zip(parts, part_steps, strict=True)})
        for run, part_steps in ((base, [part.base for part in parts]), (new, [part.new for part in parts]))
    ]
    return runs[0], runs[1], tuple(part for part in parts if part.base != part.new)


def joined_sentences(joined: Sequence[Joined]) -> list[str]:
    """Sentences on the delays for which several steps of a run were joined."""
    return [
        f"{part.name}: in the {run} this is {', '.join(names)} together."
        for part in joined
        for run, names in (("base", part.base), ("new run", part.new))
        if len(names) > 1
    ]


def _parts(base: Sequence[str], new: Sequence[str], shared: Sequence[str]) -> list[Joined]:
    """Parts of the path between milestones that both have.

    A step that both name alike begins at another milestone in one of them where only one run has steps before it: then
    it is of the part. At the end of the path it is the step before.
    """
    parts: list[Joined] = []
    place = [0, 0]
    for name in (*shared, None):
        at = [len(run) if name is None else run.index(name) for run in (base, new)]
        base_steps, new_steps = tuple(base[place[0] : at[0]]), tuple(new[place[1] : at[1]])
        alike = (name,) if name is not None else ()
        if base_steps and new_steps:
            parts.append(_part(base_steps, new_steps))
        elif base_steps or new_steps:
            before = parts.pop() if name is None else Joined("", (), ())
            parts.append(_part((*before.base, *base_steps, *alike), (*before.new, *new_steps, *alike)))
            alike = ()
        parts += [Joined(part, (part,), (part,)) for part in alike]
        place = [end + 1 for end in at]
    return parts


def _part(base: tuple[str, ...], new: tuple[str, ...]) -> Joined:
    """A part named as the only step of one run, if the other run has no step of that name; else by all of its steps."""
    fewer, more = sorted((base, new), key=len)
    if len(fewer) == 1 and fewer[0] not in more:
        return Joined(fewer[0], base, new)
    rest = [name.partition(": ")[2] or name for name in more[1:]]
    return Joined(" + ".join([more[0], *rest]), base, new)


def _joined_delays(run: Delays, parts: Sequence[Joined], names: Mapping[str, tuple[str, ...]]) -> Delays:
    values = {name: run.values[name] for name in (RTT, ONE_WAY) if name in run.values}
    values |= {part.name: np.sum([run.values[step] for step in names[part.name]], axis=0) for part in parts}
    kinds = {part.name: run.kinds[names[part.name][-1]] for part in parts if names[part.name][-1] in run.kinds}
    accuracies = {name: run.accuracies[name] for name in (RTT, ONE_WAY) if name in run.accuracies}
    if run.accuracies:
        accuracies |= {
            part.name: Accuracy.joined([run.accuracies[step] for step in names[part.name]]) for part in parts
        }
    return replace(run, values=values, kinds=kinds, accuracies=accuracies)
