"""Runs as tests see them: quantities by name, limits, comparison with an earlier run, and the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpiorig import Recording
from gpiorig.analysis.compare import limits, sentences, thresholds
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.analysis.quantities import names, values
from gpiorig.analysis.quantities.names import is_quantity
from gpiorig.analysis.quantities.series import NONE
from gpiorig.capture.recording.recording import REPORT
from gpiorig.capture.recording.recording import Recording as Described
from gpiorig.rig.results import compare as comparing
from pytest_gpiorig import accuracy, lock
from pytest_gpiorig.judgement import CannotBeJudged, Judgement, Value
from pytest_gpiorig.quantity import Quantity, Statistic

LONGEST_STEPS, MOST_VALUES = 3, 5


@dataclass(frozen=True, eq=False)  # no slots: what is computed is cached
class Run:
    """A recording of an experiment, and what tests ask of it.

    An attribute is the quantity of that name, ``run.rtt``; of names with blanks and arrows it is an item,
    ``run["mac.tx -> mac.rx"]``.

    Parameters
    ----------
    recording
        As `gpiorig.open` gives it: tables, figures, sentences.
    origin
        Where it is from, as the summary has it: ``bench lab.toml``, ``virtual bench demo``, ``replay of DIR``.
    place
        A folder for its tables and its page.
    """

    recording: Recording
    origin: str
    place: Path

    @property
    def folder(self) -> Path:
        """The folder of the recording."""
        return self.recording.path

    @property
    def replayed(self) -> bool:
        """Whether nothing was measured in this session."""
        return self.origin.startswith("replay")

    def __getattr__(self, name: str) -> Quantity:
        __tracebackhide__ = True
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            names.parse(name)
        except QuantityError as error:
            raise AttributeError(f"a run has no {name!r}, and as a quantity it is not understood: {error}") from None
        return self[name]

    def __getitem__(self, name: str) -> Quantity:
        """A quantity of docs/guide/quantities.md; raises `QuantityError` if the recording does not show it."""
        __tracebackhide__ = True
        try:
            series = values.series_of(name, self.recording._recorded)
        except QuantityError as error:
            raise QuantityError(str(error)) from None  # a traceback of the analysis says nothing more
        return Quantity(names.parse(name).name, series, self._expanded, self._evidence)

    def __repr__(self) -> str:
        return f"<run: {self.origin}, {self.folder}>"

    def assert_limits(self, *texts: str) -> None:
        """Fail unless the run meets limits, written as ``rtt.p99 < 9 ms`` (docs/guide/compare.md).

        Raises
        ------
        AssertionError
            One is not met, or cannot be judged; it names all of these.
        """
        __tracebackhide__ = True
        failed = []
        for text in texts:
            limit = limits.assertion(text)
            statistic = Statistic(self[limit.quantity], limit.statistic)
            amount = text.partition(limit.relation)[2].strip()
            try:
                is_met = statistic.holds(limit.relation, amount)
            except CannotBeJudged:
                is_met = False
            if not is_met:
                failed.append(statistic.judge(limit.relation, amount).sentence)
        if failed:
            raise AssertionError("\n".join(failed))

    def assert_against(self, base: str | os.PathLike[str], *texts: str) -> None:
        """Fail where a delay changed from an earlier recording, by more than thresholds allow.

        Parameters
        ----------
        base
            Folder of the earlier recording.
        texts
            Thresholds such as ``rtt.p99 +5 %``; none: those of the experiment, and without these any change.

        Raises
        ------
        AssertionError
            A threshold is exceeded, or a change is not known; without thresholds, a delay or the loss changed.
        """
        __tracebackhide__ = True
        recordings = Described.open(Path(base)), self.recording.described
        judged = [limits.threshold(text) for text in texts or comparing.thresholds(*recordings)]
        asked = [limit.quantity for limit in judged if is_quantity(limit.quantity)]
        compared = comparing.compare(*recordings, asked)
        outcomes = [thresholds.judge(limit, compared.before, compared.now, compared.comparison) for limit in judged]
        resolution_ns = compared.comparison.resolution_ns
        failed = [
            sentences.outcome_sentence(outcome, resolution_ns=resolution_ns) for outcome in outcomes if outcome.failed
        ]
        if not judged and compared.comparison.differs:
            failed = ["the runs differ, and no threshold allows it"]
        if not compared.comparison.new_complete:
            failed.append("no packet of the new run is complete on the pins")
        if failed:
            raise AssertionError("\n".join([*failed, f"compared with {base}:", *compared.sentences]))

    @cached_property
    def page(self) -> Path:
        """The report's page, written on demand, with its tables; by one of the session's processes."""
        page = self.place / REPORT / "report.html"
        with lock.of_folder(self.place):
            return page if page.is_file() else self.recording._reported.write(root=self.place)

    @cached_property
    def _expanded(self) -> accuracy.Expanded:
        opened, _ = self.recording._analysed
        return accuracy.of_recording(self.recording._reported.data.evaluation, opened.instruments)

    def _evidence(self, judgement: Judgement) -> Iterator[str]:
        """The distribution and the packet that was slowest, or fastest; of the first few values that decide."""
        for value in judgement.decisive[:MOST_VALUES]:
            if len(judgement.values) > 1:
                yield f"{value.series.name}: {value.text}"
            yield from judgement.distribution(value)
            yield from self._packet(value, slowest=judgement.relation.startswith("<"))
        if len(judgement.decisive) > MOST_VALUES:
            yield f"and {len(judgement.decisive) - MOST_VALUES} more"

    def _packet(self, value: Value, *, slowest: bool) -> Iterator[str]:
        """The packet with the greatest or the least value, and its longest steps."""
        series = value.series
        if series.quantity.kind.single or not len(series.values) or series.values.min() == series.values.max():
            return
        at = int(series.values.argmax() if slowest else series.values.argmin())
        recorded = self.recording._recorded
        row, rate = int(series.packets[at]), recorded.events.samplerate_hz
        extreme = "greatest" if slowest else "least"
        start_text = time_text(float(series.starts[at] * NS_PER_S / rate), digits=6)
        if row == NONE:
            yield f"{extreme}: at {start_text}"
            return
        packet = int(recorded.packets().packets.ids[row])
        yield f"{extreme}: packet {packet} (gpiorig packets {self.folder} --id {packet}), sent at {start_text}"
        yield from self._longest_steps(row)

    def _longest_steps(self, row: int) -> Iterator[str]:
        steps = self.recording.steps.select(["packet_row", "step", "duration_ns"]).to_pydict()
        durations: dict[str, list[float]] = {}
        of_packet: dict[str, float] = {}
        for packet, step, duration_ns in zip(*steps.values(), strict=True):
            durations.setdefault(step, []).append(duration_ns)
            if packet == row:
                of_packet[step] = duration_ns
        for step, duration_ns in sorted(of_packet.items(), key=lambda item: -item[1])[:LONGEST_STEPS]:
            usual = sorted(durations[step])[len(durations[step]) // 2]
            yield f"  {time_text(duration_ns)} {step} (median {time_text(usual)})"
