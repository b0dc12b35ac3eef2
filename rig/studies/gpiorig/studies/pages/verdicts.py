"""Verdicts: whether the values of a study agree with what its document states, statement by statement."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpiorig.studies.pages import judgements, orders, published, rules, tables
from gpiorig.studies.pages.description import Published, Rule
from gpiorig.studies.pages.judgements import DISAGREES, NO_VALUE, UNJUDGED, VERDICTS, Judgement, Verdict
from gpiorig.studies.pages.published import Stated, where_text
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE
from gpiorig.studies.pages.statistics import Coordinates

CACHED = 100  # studies, which pages, tables and the catalogue ask several times; there are 65
BESIDE = "beside: "  # before the verdict on a system that is not the document's
QUICK = "quick run: fewer packets, repeats or values than the study asks for"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One statement of a document, and what the values here are to it.

    Parameters
    ----------
    published
        The table of the study file that it is from.
    y, expected
        The expression, and what is expected of it, with the source.
    judgements
        For each combination at which the document's own system is.
    beside
        Those at other combinations.
    """

    published: Published
    y: str
    expected: str
    judgements: tuple[Judgement, ...]
    beside: tuple[Judgement, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The weakest verdict of the document's own system."""
        return judgements.weakest(judgement.verdict for judgement in self.judgements)

    @property
    def rows(self) -> list[tuple[bool, Judgement]]:
        """Each judgement, and whether it is beside the document's own system; those are the last."""
        return [(False, judgement) for judgement in self.judgements] + [(True, judgement) for judgement in self.beside]

    @property
    def decisive(self) -> str:
        """The numbers of the judgements that made the verdict, one of them if they are many."""
        those = [judgement for judgement in self.judgements if judgement.verdict == self.verdict]
        if not those:
            return ""
        example = those[0]
        at = f"{example.place}: " if example.place else ""
        more = f" (and {len(those) - 1} more of {len(self.judgements)})" if len(those) > 1 else ""
        text = "; ".join(part for part in (example.here, example.why) if part)
        return f"{at}{text}{more}"


@lru_cache(maxsize=CACHED)
def of_study(results: StudyResults) -> tuple[Expectation, ...]:
    """The expectations of a study, in the order of its file."""
    return tuple(expectation for entry in results.published for expectation in _of_published(results, entry))


def verdict_text(judgement: Judgement, *, is_beside: bool) -> str:
    """The verdict of a row, which does not count where it is beside the document's own system."""
    return f"{BESIDE if is_beside else ''}{judgement.verdict}"


def counts(expectations: Iterable[Expectation]) -> dict[Verdict, int]:
    """How many expectations have each verdict."""
    counted = Counter(expectation.verdict for expectation in expectations)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def counts_text(counted: Mapping[Verdict, int]) -> str:
    """``3 agree in size, 1 disagrees, 2 cannot be judged``; empty without expectations."""
    return ", ".join(
        f"{count} {verdict.replace('agrees', 'agree') if count > 1 else verdict}"
        for verdict, count in counted.items()
        if count
    )


def sentence(results: StudyResults, expectations: Sequence[Expectation]) -> str:
    """The verdict of a figure: its expectations counted, and what is beside them."""
    if not expectations:
        return ""
    place = results.place or results.name
    of = ", ".join(f"{axis} {' or '.join(map(str, values))}" for axis, values in results.subject.items())
    subject = f" (the verdict is that of {of})" if of else ""
    return f"Verdict on {place}{subject}: {counts_text(counts(expectations))}."


def disagreements(expectations: Iterable[Expectation]) -> list[str]:
    """A sentence for each expectation that disagrees: numbers, most likely reason, deciding experiment."""
    return [
        f"Disagrees: {expectation.expected}; here {expectation.decisive}. {reason_text(expectation.published)}"
        for expectation in expectations
        if expectation.verdict == DISAGREES
    ]


def reason_text(published: Published | None) -> str:
    """The most likely reason of a disagreement and the experiment that would decide it, as the study file has them."""
    if published is None or not published.disagrees_because:
        return "The study file states no reason."
    because = f"Most likely: {published.disagrees_because.rstrip('.')}."
    return f"{because} It would be decided by: {published.decided_by.rstrip('.')}." if published.decided_by else because


def _of_published(results: StudyResults, entry: Published) -> list[Expectation]:
    if not (entry.values or entry.order or entry.rule):
        judgement = Judgement({}, UNJUDGED, "", why=entry.cannot_be_judged or "the study file has no rule for it")
        return [Expectation(entry, entry.y, _text(entry.text, entry), (judgement,))]
    expectations = []
    stated = published.stated([entry])
    for curve in published.curves(stated, entry.along):
        expected = "; ".join(_stated_text(of) for of in curve)
        expectations.append(
            _expectation(results, entry, entry.y, _text(expected, entry), _of_values(results, entry, curve))
        )
    if entry.order:
        text = entry.text or orders.order_text(entry.order)
        judged = rules.of_order(entry.order, tables.cells_of(results, entry.y))
        expectations.append(_expectation(results, entry, entry.y, _text(text, entry), judged))
    if entry.rule:
        judged = [judgement for rule in entry.rule for judgement in _of_rule(results, rule)]
        ys = "; ".join(dict.fromkeys(rule.y for rule in entry.rule))
        expectations.append(_expectation(results, entry, ys, _text(entry.text, entry), judged))
    return expectations


def _of_values(results: StudyResults, entry: Published, curve: Sequence[Stated]) -> list[Judgement]:
    cells = tables.cells_of(results, entry.y)
    if len(curve) > 1:
        return rules.of_curve(curve, cells)
    fitting = [cell for cell in cells if curve[0].fits({**cell.coordinates, NODE: cell.node})]
    return [rules.of_size(curve[0], cell) for cell in fitting]


def _of_rule(results: StudyResults, rule: Rule) -> list[Judgement]:
    """Judgements with the expression in front of the values; one at least counts: a statement agrees by all rules."""
    judged = rules.of_rule(rule, tables.cells_of(results, rule.y), results.axes)
    if not any(_is_subject(results, judgement.at) for judgement in judged):
        judged.append(Judgement({}, UNJUDGED, NO_VALUE, why="not among the values here"))
    return [dataclasses.replace(judgement, here=f"{rule.y}: {judgement.here}") for judgement in judged]


def _expectation(
    results: StudyResults, entry: Published, y: str, expected: str, judged: Sequence[Judgement]
) -> Expectation:
    judged = [_shortened(results, _of_run(results, judgement), hidden=_hidden(judged)) for judgement in judged]
    of_subject = tuple(judgement for judgement in judged if _is_subject(results, judgement.at))
    beside = tuple(judgement for judgement in judged if not _is_subject(results, judgement.at))
    if not of_subject:
        of_subject = (Judgement({}, UNJUDGED, NO_VALUE, why="not among the values here"),)
    return Expectation(entry, y, expected, of_subject, beside)


def _of_run(results: StudyResults, judgement: Judgement) -> Judgement:
    """A quick run decides nothing: its judgement states what its values would give."""
    if not results.quick or judgement.here.endswith(NO_VALUE):
        return judgement
    why = "; ".join(part for part in (f"{QUICK}; its values would give: {judgement.verdict}", judgement.why) if part)
    return dataclasses.replace(judgement, verdict=UNJUDGED, why=why)


def _hidden(judged: Sequence[Judgement]) -> bool:
    """Whether all judgements are of one node."""
    return len({judgement.at.get(NODE, "") for judgement in judged} - {""}) < 2


def _shortened(results: StudyResults, judgement: Judgement, *, hidden: bool) -> Judgement:
    """Without the axes that have one value here."""
    single = {axis for axis, values in results.axes.items() if len(set(values)) < 2} - results.subject.keys()
    at = {axis: value for axis, value in judgement.at.items() if axis not in single and not (hidden and axis == NODE)}
    return dataclasses.replace(judgement, at=at)


def _is_subject(results: StudyResults, at: Coordinates) -> bool:
    return all(axis not in at or at[axis] in values for axis, values in results.subject.items())


def _stated_text(of: Stated) -> str:
    at = where_text(of.where)
    return f"{at}: {of.text}" if at else of.text


def _text(expected: str, entry: Published) -> str:
    """What is expected with its source, and n where it is stated."""
    return f"{expected.rstrip('.')}, {entry.source}"
