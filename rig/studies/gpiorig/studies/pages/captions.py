"""Captions of a study's figures: what is drawn, n, repeats, boards, and where published values are from."""

from __future__ import annotations

from collections.abc import Sequence

from gpiorig.analysis.figures.study_distributions import SCATTERED, WHISKER
from gpiorig.analysis.figures.study_panels import SHOWN_REPEATS
from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.statistics.repeats import MIN_REPEATS
from gpiorig.studies.pages.description import Published, Show
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import is_level
from gpiorig.studies.pages.statistics import ONE_RUN, Estimate, fewer
from gpiorig.studies.pages.values import Group

_UNCROSSED = ("table", "ecdf", "histogram", "scatter")  # kinds without crosses of failed points
QUICK = "Quick run: fewer packets, repeats or values than the study asks for."
_BOX = (
    f"Boxes: quartiles and median; whiskers end at the last value within {WHISKER} interquartile ranges of the box, "
    "circles are the outliers beyond them."
)
_OF_REPEATS = " Quartiles and whisker ends are means over the repeats, the outliers are those of all repeats."
_PUBLISHED = {
    "ecdf": "Hollow or shaded at half the height",
    "histogram": "Hollow or shaded at half the height",
    "scatter": "Hollow at the right edge, or shaded",
    "stack": "Dashed parts",
}
DOUBT = "Intervals have what all values may be off alike (k = 2), which repeats do not narrow."
VIRTUAL = "Virtual bench: not a hardware measurement."


def caption(results: StudyResults, show: Show, groups: Sequence[Group]) -> str:
    """The sentences below a figure."""
    cells = [cell for group in groups for cell in group.cells]
    estimates = [cell.estimate for cell in cells if cell.estimate]
    sentences = [_drawn(show, estimates), _numbers(estimates)]
    sentences += [DOUBT] if any(estimate.doubt for estimate in estimates) else []
    if any(is_level(show, cell.coordinates) for cell in cells):
        sentences.append("Horizontal lines: values of the combinations that the legend names.")
    if any(cell.failed for cell in cells):
        crosses = "Points that failed" if show.kind in _UNCROSSED else "Crosses: points that failed; they"
        sentences.append(f"{crosses} are in no mean, and are listed below.")
    sentences += results.settings
    expressions = {group.expression.text for group in groups}
    drawn = (f"{text}.median" for text in expressions if any(group.runs for group in groups))
    expressions |= {*drawn} if show.kind != "table" else set()
    if show.kind != "table":
        sentences += [_published(one, show) for one in results.published if one.values and one.y in expressions]
    sentences += [QUICK] if results.quick else []
    sentences += [VIRTUAL] if any(point.virtual for point in results.points) else []
    return " ".join(sentence for sentence in sentences if sentence)


def _drawn(show: Show, estimates: Sequence[Estimate]) -> str:
    """What marks, bars and boxes are; empty without values."""
    if not estimates:
        return ""
    if all(estimate.is_exact for estimate in estimates):
        return "Bytes of functions and objects in the images' ELF files, exact; `image` is all that is loaded."
    repeats = max(estimate.repeats for estimate in estimates)
    several = repeats > 1
    if show.kind == "ecdf":
        return "Distribution functions, one for each repeat." if several else "Distribution functions of one run."
    if show.kind == "histogram":
        return "Shares of the values in equal bins" + (", the mean over the repeats of each." if several else ".")
    if show.kind == "box":
        return _BOX + (_OF_REPEATS if several else f" They are of {ONE_RUN}.")
    if show.kind == "scatter":
        thinned = f"; of more than {SCATTERED} evenly thinned ones, the least and the largest among them"
        return f"Every value of {'the earliest repeat' if several else 'one run'}{thinned}."
    if show.kind == "table":
        return "Means over the repeats." if several else f"Of {ONE_RUN}."
    if show.kind == "stack":
        return f"Parts are {'means over the repeats' if several else f'of {ONE_RUN}'}, the sum is above them."
    if repeats == 1:
        return f"Bars with caps: 95 % interval of {ONE_RUN.replace(': its interval', ', which')}."
    interval = f"bars with caps are the 95 % interval of the mean (from {MIN_REPEATS} repeats on)"
    dots = "; dots are the repeats" if repeats <= SHOWN_REPEATS else ""
    return f"Means over the repeats; {interval}{dots}."


def _numbers(estimates: Sequence[Estimate]) -> str:
    """Repeats, and packets of each."""
    if not estimates:
        return "No values yet."
    if all(estimate.is_exact for estimate in estimates):
        return ""
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
    marks = _PUBLISHED.get(show.kind, "Hollow or shaded")
    differs = f"; there: {one.differs}" if one.differs else ""
    return f"{marks}: published in {one.source}{n}{differs}."
