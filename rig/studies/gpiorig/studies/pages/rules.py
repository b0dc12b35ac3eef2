"""Rules of statements: range, ratio, monotony, independence, order; and curves of published values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.studies.pages import amounts, bounds, judgements, orders, published, tables, troubles
from gpiorig.studies.pages.bounds import Bounds, Place
from gpiorig.studies.pages.description import Rule, Value
from gpiorig.studies.pages.judgements import NO_VALUE, ORDER, SHAPE, SIZE, UNJUDGED, Judgement, Verdict
from gpiorig.studies.pages.published import Stated, where_text
from gpiorig.studies.pages.selection import coordinates_of
from gpiorig.studies.pages.statistics import Cell, Estimate

Ends = Sequence[Mapping[str, Value]]


def of_rule(rule: Rule, cells: Sequence[Cell], axes: Mapping[str, Sequence[Value]]) -> list[Judgement]:
    """The judgements of a rule, one for each combination of the axes that it does not name."""
    return _OF_KIND[rule.kind](rule, cells, axes)


def of_order(ends: Ends, cells: Sequence[Cell]) -> list[Judgement]:
    """The judgements of an order."""
    return [_ordered(dict(rest), ends, group) for rest, group in orders.by_rest(ends, cells).items()]


def of_size(stated: Stated, cell: Cell) -> Judgement:
    """The judgement of one published value; the cell has its unit."""
    ratio = published.difference(stated, cell)[1]
    at = {axis: value for axis, value in coordinates_of(cell).items() if axis not in stated.where}
    return _ranged(at, stated.bounds, cell, ratio)


def of_curve(curve: Sequence[Stated], cells: Sequence[Cell]) -> list[Judgement]:
    """The judgements of a curve: by size; where that does not agree by shape, where neither does by order.

    The shape agrees if each growth from one published value to the next is within what their bounds allow.
    """
    ends = [stated.where for stated in curve]
    return [_curved(dict(rest), curve, group) for rest, group in orders.by_rest(ends, cells).items()]


def _range(rule: Rule, cells: Sequence[Cell], axes: Mapping[str, Sequence[Value]]) -> list[Judgement]:
    limits = _limits(rule)
    at = [cell for cell in cells if all(coordinates_of(cell).get(axis) == value for axis, value in rule.at.items())]
    return [_ranged(coordinates_of(cell), limits, cell, math.nan) for cell in at]


def _ranged(at: Mapping[str, Value], limits: Bounds, cell: Cell, ratio: float) -> Judgement:
    estimate = cell.estimate
    if estimate is None:
        return _lacking(at, [cell], limits.text)
    if limits.unit not in ("1", estimate.unit):
        why = f"the unit differs: published {limits.unit}, here {estimate.unit}"
        return Judgement(at, UNJUDGED, tables.estimate_text(estimate), limits.text, why=why)
    place = limits.place_of(estimate.interval)
    why = "" if place in ("inside", "outside") else _undecided(limits, estimate.interval, [estimate])
    verdict = judgements.of_places([place], agrees=SIZE)
    return Judgement(at, verdict, tables.estimate_text(estimate), limits.text, ratio, why)


def _ratio(rule: Rule, cells: Sequence[Cell], axes: Mapping[str, Sequence[Value]]) -> list[Judgement]:
    limits, judged = _limits(rule), []
    for rest, group in orders.by_rest((rule.over, rule.at), cells).items():
        estimates = _estimates(group)
        if estimates is None:
            judged.append(_lacking(dict(rest), group, limits.text))
            continue
        base, new = estimates
        quotient = bounds.ratio(base, new)
        of_which = f"{tables.estimate_text(new)} over {tables.estimate_text(base)}"
        bound = f"{limits.text} of {where_text(rule.at)} over {where_text(rule.over)}"
        if math.isnan(quotient.value):
            judged.append(Judgement(dict(rest), UNJUDGED, of_which, bound, why=quotient.note))
            continue
        place = limits.place_of(quotient)
        why = "" if place in ("inside", "outside") else _undecided(limits, quotient, estimates)
        verdict = judgements.of_places([place], agrees=SIZE)
        judged.append(Judgement(dict(rest), verdict, f"{_quotient(quotient)}: {of_which}", bound, quotient.value, why))
    return judged


def _monotony(rule: Rule, cells: Sequence[Cell], axes: Mapping[str, Sequence[Value]]) -> list[Judgement]:
    ends = _along(rule, axes)
    return of_order(ends if rule.direction == "rising" else ends[::-1], cells)


def _independence(rule: Rule, cells: Sequence[Cell], axes: Mapping[str, Sequence[Value]]) -> list[Judgement]:
    ends, share = _along(rule, axes), amounts.parse(rule.within)[0]
    limits, judged = Bounds(-math.inf, 1 + share, "1"), []
    bound = f"changes by at most {100 * share:g} %"
    for rest, group in orders.by_rest(ends, cells).items():
        estimates = _estimates(group)
        if estimates is None or len(estimates) < 2:
            judged.append(_lacking(dict(rest), group, bound))
            continue
        by_size = [sorted(pair, key=lambda estimate: estimate.value) for pair in itertools.combinations(estimates, 2)]
        quotients = [bounds.ratio(least, most) for least, most in by_size]
        places = [limits.place_of(quotient) for quotient in quotients]
        widest = max(range(len(quotients)), key=lambda number: quotients[number].value)
        verdict = judgements.of_places(places, agrees=SHAPE)
        why = _undecided(limits, quotients[widest], by_size[widest]) if verdict == UNJUDGED else ""
        here = f"largest over smallest {_quotient(quotients[widest])}, of {len(estimates)} values"
        judged.append(Judgement(dict(rest), verdict, here, bound, why=why))
    return judged


def _ordered(at: Mapping[str, Value], ends: Ends, group: Sequence[Cell | None]) -> Judgement:
    bound = orders.order_text(ends)
    if _estimates(group) is None:
        return _lacking(at, group, bound)
    pairs = orders.pairs(ends, [cell for cell in group if cell is not None])
    places = [pair.place for pair in pairs]
    verdict = judgements.of_places(places, agrees=ORDER)
    wrong = [pair for pair in pairs if pair.place == "outside"]
    open_ = [pair for pair in pairs if pair.place not in ("inside", "outside")]
    why = "; ".join(pair.text for pair in wrong)
    if verdict == UNJUDGED:
        nearest = min(open_, key=lambda pair: abs(pair.apart.value))
        why = f"{nearest.text}: {bounds.undecided(nearest.apart, nearest.here, abs(nearest.apart.value))}"
    here = "; ".join(f"{where_text(end)} {_brief(cell)}" for end, cell in zip(ends, group, strict=True))
    return Judgement(at, verdict, here, bound, why=why)


def _curved(at: Mapping[str, Value], curve: Sequence[Stated], group: Sequence[Cell | None]) -> Judgement:
    bound = "; ".join(stated.bounds.text for stated in curve)
    estimates = _estimates(group)
    if estimates is None:
        return _lacking(at, group, bound)
    cells = [cell for cell in group if cell is not None]
    here = "; ".join(f"{where_text(stated.where)} {_brief(cell)}" for stated, cell in zip(curve, cells, strict=True))
    ratio = [published.difference(stated, cell)[1] for stated, cell in zip(curve, cells, strict=True)]
    growths, pairs = _growths(curve, estimates), _curve_pairs(curve, cells)
    places: dict[Verdict, Sequence[Place]] = {
        SIZE: [stated.bounds.place_of(estimate.interval) for stated, estimate in zip(curve, estimates, strict=True)],
        SHAPE: [growth.place_of(of) for growth, of in growths],
        ORDER: [pair.place for pair in pairs],
    }
    verdicts = [judgements.of_places(of, agrees=level) for level, of in places.items()]
    agreeing = [verdict for verdict in verdicts if verdict in places]
    verdict = agreeing[0] if agreeing else UNJUDGED if UNJUDGED in verdicts else judgements.DISAGREES
    ratios = ", ".join(map(amounts.ratio_text, ratio))
    growth_text = ", ".join(f"{_quotient(of)}, published {growth.text}" for growth, of in growths)
    why = f"ratios {ratios}; growth {growth_text}"
    if verdict == UNJUDGED:
        nearest = min(pairs, key=lambda pair: abs(pair.apart.value))
        why = f"{bounds.undecided(nearest.apart, nearest.here, abs(nearest.apart.value))}; {why}"
    return Judgement(at, verdict, here, bound, why=why)


def _growths(curve: Sequence[Stated], estimates: Sequence[Estimate]) -> list[tuple[Bounds, Interval]]:
    """What the growth from one published value to the next may be, and what it is here."""
    growths = []
    for (less, more), (base, new) in zip(itertools.pairwise(curve), itertools.pairwise(estimates), strict=True):
        least = more.bounds.least / less.bounds.most if less.bounds.most > 0 else -math.inf
        most = more.bounds.most / less.bounds.least if less.bounds.least > 0 else math.inf
        growths.append((Bounds(least, most, "1"), bounds.ratio(base, new)))
    return growths


def _curve_pairs(curve: Sequence[Stated], cells: Sequence[Cell]) -> list[orders.Pair]:
    by_value = sorted(range(len(curve)), key=lambda number: curve[number].value)
    return orders.pairs([curve[number].where for number in by_value], [cells[number] for number in by_value])


def _along(rule: Rule, axes: Mapping[str, Sequence[Value]]) -> list[dict[str, Value]]:
    return [{**rule.at, rule.along: value} for value in dict.fromkeys(axes.get(rule.along, ()))]


def _limits(rule: Rule) -> Bounds:
    ends = {"low": rule.low, "high": rule.high}
    return bounds.bounds({name: end for name, end in ends.items() if end is not None})


def _estimates(group: Sequence[Cell | None]) -> list[Estimate] | None:
    """All estimates; None if one is missing."""
    estimates = [cell.estimate for cell in group if cell is not None and cell.estimate is not None]
    return estimates if len(estimates) == len(group) else None


def _lacking(at: Mapping[str, Value], group: Sequence[Cell | None], bound: str) -> Judgement:
    reasons = [troubles.brief(cell) for cell in group if cell is not None and cell.estimate is None]
    why = next((reason for reason in reasons if reason), "not among the values here")
    return Judgement(at, UNJUDGED, NO_VALUE, bound, why=why)


def _brief(cell: Cell | None) -> str:
    return tables.brief(cell.estimate if cell else None)


def _quotient(quotient: Interval) -> str:
    text = amounts.ratio_text(quotient.value)
    if not quotient.is_bounded:
        return text
    return f"{text} ({amounts.ratio_text(quotient.low)} to {amounts.ratio_text(quotient.high)})"


def _undecided(limits: Bounds, interval: Interval, estimates: Sequence[Estimate]) -> str:
    ends = [end for end in (limits.least, limits.most) if math.isfinite(end)]
    return bounds.undecided(interval, estimates, min(abs(interval.value - end) for end in ends))


_OF_KIND = {"range": _range, "ratio": _ratio, "monotony": _monotony, "independence": _independence}
