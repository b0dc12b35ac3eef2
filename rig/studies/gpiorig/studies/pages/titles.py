"""Titles of what a study shows, and headings of its values: labels in place of expressions, where the file has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.results import StudyResults

_NAMED = 3  # expressions in a title
_KINDS: Mapping[str, str] = {
    "line": "curves",
    "bars": "bars",
    "stack": "stacked bars",
    "ecdf": "distribution functions",
    "histogram": "histograms",
    "box": "boxes",
    "dots": "dots",
    "scatter": "each value",
    "table": "table",
}
_STATISTICS = {"p2p": "peak to peak", "std": "standard deviation"}  # others are words


def of_shows(shows: Sequence[Show]) -> list[str]:
    """The title of each: its own, or what it shows; equal ones have their kinds and, if these are equal, numbers."""
    titles = _distinct([show.title or _contents(show) for show in shows], [_KINDS[show.kind] for show in shows])
    numbers = [f"{1 + titles[:at].count(title)}" for at, title in enumerate(titles)]
    return _distinct(titles, numbers)


def _distinct(titles: Sequence[str], marks: Sequence[str]) -> list[str]:
    """Each title, with its mark where it is there several times."""
    counts = Counter(titles)
    return [f"{title}: {mark}" if counts[title] > 1 else title for title, mark in zip(titles, marks, strict=True)]


def heading(results: StudyResults, show: Show, text: str) -> str:
    """An expression as the show, or another one, labels it; a statistic of a labelled quantity next to its label."""
    labels = {key: label for drawn in results.shows for key, label in drawn.labels.items()} | show.labels
    if text in labels:
        return labels[text]
    name, _, statistic = text.rpartition(".")
    return f"{labels[name]}, {_STATISTICS.get(statistic, statistic)}" if name in labels else text


def _contents(show: Show) -> str:
    if show.kind == "table":
        return "Values"
    if len(show.y) <= _NAMED:
        return ", ".join(show.labels.get(text, text) for text in show.y)
    return show.y_title or f"{show.y[0]} and {len(show.y) - 1} further values"
