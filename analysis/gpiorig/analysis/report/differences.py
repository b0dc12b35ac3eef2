"""What a page of several runs begins with: the difference of each run to the reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from gpiorig.analysis.compare import against_model, differences, sentences
from gpiorig.analysis.compare.comparison import Change
from gpiorig.analysis.compare.pair import Pair
from gpiorig.analysis.figures import difference as figure
from gpiorig.analysis.figures.palette import FAINT, INK, KIND_COLOURS
from gpiorig.analysis.number_text import DASH, count_text, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT
from gpiorig.analysis.report.blocks import Block, Details, Picture, Section, Table, text, why_not
from gpiorig.analysis.report.runs import Difference
from gpiorig.analysis.report.texts import p_text
from gpiorig.analysis.statistics import intervals

DRAWN = 10  # delays in the figure, the total first
_HEADER = ("<delay", "median before", "after", "<difference of the median", "<of p99", "moved most by", "p", "<verdict")


def section(compared: Difference, number: int) -> Section:
    """The figure, the table, and what is set differently; `number` makes the names unique."""
    title = f"{compared.base.name} and {compared.new.name}"
    blocks: list[Block] = [_set_up(compared)]
    if compared.pair is None or not compared.pair.now.complete:
        blocks.insert(0, why_not(compared.sentence))
    else:
        rows = _drawn(compared.pair)
        names = (compared.base.name, compared.new.name)
        virtual = compared.base.data.virtual or compared.new.data.virtual
        draw = partial(_figure, compared.pair, rows, names=names, noun=compared.base.noun, virtual=virtual)
        caption = (
            f"Hollow: {names[0]}; filled: {names[1]}. Circles and dark bars: median; diamonds and pale bars: p95. "
            "Thick lines, and lines on bars: 95 % interval. The delays that changed most, in the order of the path."
        )
        blocks.append(Picture(f"difference-{number}", draw, f"What changed from {names[0]} to {names[1]}", caption))
        blocks += _against_model(compared)
        blocks += _tables(compared.pair, compared.base.noun)
        lines = [*compared.pair.sentences, *(f"Threshold {verdict}" for verdict in compared.verdicts)]
        blocks.append(Details("In sentences", (text(*lines),)))
    return Section(f"difference-{number}", title, tuple(blocks))


def _against_model(compared: Difference) -> list[Block]:
    """A row per step of a measured run and the model's; nothing for two runs of one kind."""
    if compared.pair is None or not compared.pair.against_model:
        return []
    total, *steps = compared.pair.against_model
    rows = (against_model.cells(total, name=compared.base.noun), *map(against_model.cells, steps))
    note = (
        "The total, then the steps that differ, the largest share of the total first. ± is of the instruments (k = 2), "
        "the doubt that of the timing model: by how much hardware may be faster and slower. A step differs where "
        "neither these nor the 95 % interval of the medians explain the difference."
    )
    return [Table("Measured, and by the model", against_model.HEADER, rows, note)]


def _drawn(compared: Pair) -> list[Change]:
    """The delays that moved most, changed ones first, in the order of the path; the total is always among them."""
    total, *others = compared.comparison.changes
    known = [change for change in others if not math.isnan(change.moved_ns)]
    most = sorted(known, key=lambda change: (not change.changed, -change.moved_ns))[: DRAWN - 1]
    changed = [change for change in most if change.changed] or most[:4]
    return [total, *(change for change in others if change in changed)]


def _figure(compared: Pair, changes: Sequence[Change], *, names: tuple[str, str], noun: str, virtual: bool):  # type: ignore[no-untyped-def]
    return figure.draw([_row(compared, change, noun) for change in changes], names=names, virtual=virtual)


def _row(compared: Pair, change: Change, noun: str) -> figure.Row:
    runs = compared.before, compared.now
    statistics = [statistic for statistic, *_ in figure.MARKS]
    base, new = (
        {name: intervals.for_statistic(run.samples(change.name), name, unit=run.period_ns) for name in statistics}
        for run in runs
    )
    moved = {
        name: change.median_ns if name == "median" else differences.between(*runs, change.name, name)
        for name in statistics
    }
    return figure.Row(_short(change.name, noun), _colour(compared, change.name), base, new, moved)


def _short(name: str, noun: str) -> str:
    """The name of a delay without its explanation."""
    if name in (RTT, ONE_WAY):
        return noun
    way, _, rest = name.partition(": ")
    return f"{way} {rest.partition(': ')[0]}".rstrip()


def _colour(compared: Pair, name: str) -> str:
    if name in (RTT, ONE_WAY):
        return INK
    kind = compared.now.kinds.get(name, compared.before.kinds.get(name))
    return KIND_COLOURS[kind] if kind is not None else FAINT


def _tables(compared: Pair, noun: str) -> list[Block]:
    """The delays that changed, the largest move first, then the others, folded; loss and kinds of steps."""
    result = compared.comparison
    changed = result.changed
    total = result.changes[0]
    shown = [total, *(change for change in changed if change is not total)]
    others = [change for change in result.changes if change not in shown]
    rows = [_cells(compared, change, noun) for change in shown]
    rows.append(_loss(compared))
    note = (
        "A verdict is that of gpiorig compare: changed where the tests are significant at 1 % after the correction for "
        f"their number and a quantile moved by more than {time_text(result.resolution_ns)}. Intervals: 95 %."
    )
    blocks: list[Block] = [Table("Before and after", _HEADER, tuple(rows), note)]
    if others:
        title = f"{count_text(len(others), 'delay')} did not change measurably"
        blocks.append(
            Details(title, (Table(title, _HEADER, tuple(_cells(compared, one, noun) for one in others), look="dense"),))
        )
    kinds = _kinds(compared)
    return [*blocks, Table("Mean by kind of step", ("<kind of step", "before", "after", "difference"), kinds)]


def _cells(compared: Pair, change: Change, noun: str) -> tuple[str, ...]:
    resolution_ns = compared.comparison.resolution_ns
    unknown = math.isnan(change.median_ns.value)
    return (
        noun if change.name in (RTT, ONE_WAY) else change.name,
        time_text(change.base_median_ns, digits=4),
        time_text(change.new_median_ns, digits=4),
        *(
            sentences.signed_text(interval, share=False, resolution_ns=resolution_ns).replace("95 % interval ", "")
            for interval in (change.median_ns, change.p99_ns)
        ),
        time_text(change.moved_ns),
        p_text(change.p_corrected),
        "unknown" if unknown else "changed" if change.changed else "no change",
    )


def _loss(compared: Pair) -> tuple[str, ...]:
    result = compared.comparison
    before, after = (share_text(loss.value) for loss in (result.base_loss, result.new_loss))
    verdict = "changed" if result.loss_changed else "no change"
    return ("lost packets", before, after, DASH, DASH, DASH, p_text(result.p_loss), verdict)


def _kinds(compared: Pair) -> tuple[tuple[str, ...], ...]:
    """The mean time in each kind of steps."""
    rows = []
    for kind in Kind:
        names = [name for name, own in compared.now.kinds.items() if own is kind and name in compared.before.values]
        if names:
            before, after = (
                sum(float(run.values[name].mean()) * run.period_ns for name in names if len(run.values[name]))
                for run in (compared.before, compared.now)
            )
            sign = "+" if after > before else ""
            rows.append((kind.text, time_text(before, digits=4), time_text(after, digits=4),
                         f"{sign}{time_text(after - before)}"))  # fmt: skip
    return tuple(rows)


def _set_up(compared: Difference) -> Block:
    """What is different in the set-ups."""
    rows = compared.set_differently
    if not rows:
        return text("Nothing is known to be different in their set-ups.")
    header = ("<what", f"<{compared.base.name}", f"<{compared.new.name}")
    return Table("Set differently", header, tuple(rows), narrow=True)
