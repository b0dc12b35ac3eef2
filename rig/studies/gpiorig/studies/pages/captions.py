"""Captions of a study's figures: what is drawn, n, repeats, boards, and where published values are from."""

from __future__ import annotations

from collections.abc import Sequence

from gpiorig.analysis.figures.study_panels import SHOWN_REPEATS
from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.statistics.repeats import MIN_REPEATS
from gpiorig.studies.pages.description import Published, Show
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import is_level
from gpiorig.studies.pages.statistics import ONE_RUN, Estimate, fewer
from gpiorig.studies.pages.values import Group

QUICK = "Quick run: fewer packets, repeats or values than the study asks for."
VIRTUAL = "Virtual bench: not a hardware measurement."


def caption(results: StudyResults, show: Show, groups: Sequence[Group]) -> str:
    """The sentences below a figure."""
    cells = [cell for group in groups for cell in group.cells]
    estimates = [cell.estimate for cell in cells if cell.estimate]
    sentences = [_drawn(show, estimates), _numbers(estimates)]
    if any(is_level(show, cell.coordinates) for cell in cells):
        sentences.append("Horizontal lines: values of the combinations that the legend names.")
    if any(cell.failed for cell in cells):
        crosses = "Points that failed" if show.kind in ("table", "ecdf") else "Crosses: points that failed; they"
        sentences.append(f"{crosses} are in no mean, and are listed below.")
    sentences += results.settings
    expressions = {group.expression.text for group in groups}
    sentences += [_published(one, show) for one in results.published if one.values and one.y in expressions]
    sentences += [QUICK] if results.quick else []
    sentences += [VIRTUAL] if any(point.virtual for point in results.points) else []
    return " ".join(sentence for sentence in sentences if sentence)


def _drawn(show: Show, estimates: Sequence[Estimate]) -> str:
    """What marks, bars and boxes are."""
    repeats = max((estimate.repeats for estimate in estimates), default=0)
    if show.kind == "ecdf":
        return "Distribution functions, one for each repeat." if repeats > 1 else "Distribution functions of one run."
    if show.kind == "box":
        box = "range, 5 to 95 %, quartiles and median"
        return f"Boxes: {box}, each the mean over the repeats." if repeats > 1 else f"Boxes of one run: {box}."
    if show.kind == "table":
        return "Means over the repeats." if repeats > 1 else f"Of {ONE_RUN}."
    if repeats == 1:
        return f"Bars with caps: 95 % interval of {ONE_RUN.replace(': its interval', ', which')}."
    interval = f"bars with caps are the 95 % interval of the mean (from {MIN_REPEATS} repeats on)"
    dots = "; dots are the repeats" if repeats <= SHOWN_REPEATS else ""
    return f"Means over the repeats; {interval}{dots}." if repeats else ""


def _numbers(estimates: Sequence[Estimate]) -> str:
    """Repeats, and packets of each."""
    if not estimates:
        return "No values yet."
    n = sorted({end for estimate in estimates for end in estimate.n})
    values = f"n = {n[0]}" if n[0] == n[-1] else f"n = {n[0]} to {n[-1]}"
    asked = max(estimate.asked for estimate in estimates)
    short = [estimate for estimate in estimates if estimate.repeats < estimate.asked]
    text = f"{count_text(asked, 'repeat')}, {values} in each."
    if short:
        least = min(short, key=lambda estimate: estimate.repeats)
        places = f"{len(short)} of {len(estimates)} values"
        text += f" {places} are means of fewer repeats ({fewer(least.repeats, least.asked)} at least)."
    return text


def _published(one: Published, show: Show) -> str:
    """Where hollow marks are from."""
    n = f" (n = {one.n})" if one.n is not None else ""
    place = " at half the height" if show.kind == "ecdf" else ""
    differs = f"; there: {one.differs}" if one.differs else ""
    return f"Hollow or shaded{place}: published in {one.source}{n}{differs}."
