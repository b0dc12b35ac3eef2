"""The addresses of the pages of some runs, and the answer to each."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from gpiorig.analysis import report
from gpiorig.analysis.report.files import PAGE
from gpiorig.analysis.report.served_blocks import Served, ServedRun
from gpiorig.rig.results import several
from gpiorig.rig.view.answers import Answer, NoAnswerError, as_json, to
from gpiorig.rig.view.shown_capture import ShownCapture
from gpiorig.rig.view.shown_run import ShownRun

_RUN = re.compile(r"/runs/(\d{1,4})/(.*)")
_COMPARE = re.compile(r"/compare/(\d{1,4}(?:/\d{1,4})+)/")
_PACKET = re.compile(r"packet/(\d{1,10})")
BINS = 1000  # of a window of edges, where the request does not state how many


class Site:
    """The runs that are shown.

    Parameters
    ----------
    runs
        Recordings and files, in the order of their numbers, from 1.
    folder
        Where pages are written.
    """

    def __init__(self, runs: Sequence[ShownRun | ShownCapture], folder: Path) -> None:
        self._runs, self._folder = runs, folder
        self._pages: dict[str, bytes] = {}
        self._drawing = threading.Lock()  # figures are drawn by one thread only; what is drawn already does not wait

    def prepare(self) -> None:
        """Make the page of each run whose capture has ended."""
        for number, run in enumerate(self._runs, start=1):
            if not run.is_captured:
                self._page(number)

    def answer(self, path: str, query: Mapping[str, str]) -> Answer:
        """Answer a request.

        Raises
        ------
        NoAnswerError
            There is nothing at this address, or a value of the query cannot be understood.
        """
        if path == "/":
            return to("/runs/1/")
        if path == "/favicon.ico":
            return Answer(b"", status=HTTPStatus.NO_CONTENT)
        if match := _COMPARE.fullmatch(path):
            return Answer(self._comparison([int(number) for number in match[1].split("/")]))
        if match := _RUN.fullmatch(path):
            return self._of_run(int(match[1]), match[2], query)
        raise NoAnswerError(HTTPStatus.NOT_FOUND, f"{path}: nothing is here; the first page is at /.")

    def _of_run(self, number: int, what: str, query: Mapping[str, str]) -> Answer:
        run = self._run(number)
        if what == "live":
            return as_json(run.live(_integer(query, "after") or 0))
        if not what:
            return Answer(self._page(number))
        with run.working:
            if match := _PACKET.fullmatch(what):
                return as_json(run.packet(int(match[1]), _integer(query, "at")))
            if what == "edges":
                from_ns, to_ns = (_number(query, name) for name in ("from_ns", "to_ns"))
                return as_json(run.edges(from_ns, to_ns, bins=_integer(query, "bins") or BINS))
        raise NoAnswerError(HTTPStatus.NOT_FOUND, f"{what}: a run has packet/ID, edges and live.")

    def _run(self, number: int) -> ShownRun | ShownCapture:
        if not 1 <= number <= len(self._runs):
            raise NoAnswerError(HTTPStatus.NOT_FOUND, f"no run {number}; there are {len(self._runs)}.")
        return self._runs[number - 1]

    def _page(self, number: int) -> bytes:
        run = self._run(number)
        name = f"{number}{'-live' if run.is_captured else ''}.html"

        def write() -> Path:
            served = Served(_place(number), self._names, (number, number), run.folder)
            with run.working:
                run.write_page(self._folder / name, served)
            return self._folder / name

        return self._drawn(name, write)

    def _drawn(self, name: str, write: Callable[[], Path]) -> bytes:
        """A page that was written before, or is now."""
        if name not in self._pages:
            with self._drawing:
                if name not in self._pages:
                    self._pages[name] = write().read_bytes()
        return self._pages[name]

    def _comparison(self, numbers: Sequence[int]) -> bytes:
        """The page of several runs."""
        chosen = [self._run(number) for number in numbers]
        if len({*numbers}) < len(numbers):
            raise NoAnswerError(HTTPStatus.NOT_FOUND, "a run is not compared with itself; give each once.")
        name = "-".join(map(str, numbers))

        def write() -> Path:
            compared = []
            for number, run in zip(numbers, chosen, strict=True):
                with run.working:
                    run.analysis  # noqa: B018  refuses a run whose capture runs
                    compared.append(ServedRun(_place(number), run.folder, run.panel))
            shown = several.runs({run.name: run.reported for run in chosen})
            served = Served("", self._names, tuple(numbers), compared=tuple(compared))
            report.write_set(self._folder / name, shown, served=served)
            return self._folder / name / PAGE

        return self._drawn(name, write)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(run.name for run in self._runs)


def _place(number: int) -> str:
    """Where the answers about a run are."""
    return f"/runs/{number}"


def _number(query: Mapping[str, str], name: str) -> float:
    try:
        value = float(query[name])
    except (KeyError, ValueError):
        value = math.nan
    if not abs(value) < 1e18:
        raise NoAnswerError(HTTPStatus.BAD_REQUEST, f"{name}={query.get(name, '')}: give a number of ns.")
    return value


def _integer(query: Mapping[str, str], name: str) -> int | None:
    if name not in query:
        return None
    if not re.fullmatch(r"-?\d{1,18}", query[name]):
        raise NoAnswerError(HTTPStatus.BAD_REQUEST, f"{name}={query[name]}: give an integer.")
    return int(query[name])
