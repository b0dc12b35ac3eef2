"""An update of a capture that runs, as a table, a line or JSON."""

from __future__ import annotations

from dataclasses import asdict

from msgspec import structs

from gpiorig.analysis.number_text import number_text, time_text
from gpiorig.rig import text_table
from gpiorig.rig.live.distribution import RESOLUTION, Figures
from gpiorig.rig.live.watch import Update
from gpiorig.rig.recordings.provenance import VIRTUAL

NODE_COLUMNS = ("events", "events/s", "damaged", "sent", "delivered", "lost", "other", "unattributed")
FIGURE_COLUMNS = ("n", "median", "p99", "p2p")


def numbers(update: Update) -> Update:
    """All of it, for `--json`."""
    return structs.replace(update, remarks=tuple(remarks(update)))


def table(update: Update) -> str:
    """The table of the terminal."""
    blocks = [text_table.lines(head, rows, right=range(1, len(head))) for head, *rows in tables(update)]
    opening = [head(update), *([update.sentence] if update.sentence else []), *failed(update)]
    return "\n".join([*opening, *(line for lines in blocks for line in ("", *lines)), "", *remarks(update)])


def tables(update: Update) -> list[list[list[str]]]:
    """Nodes and, where there are some, delays: rows of cells, the first with the names of the columns."""
    node_rows = [
        [name, *(number_text(round(value)) for value in asdict(counts).values())]
        for name, counts in update.nodes.items()
    ]
    content = [[["node", *NODE_COLUMNS], *node_rows]]
    if update.delays:
        delay_rows = [[name, *_figures(delay.window), *_figures(delay.all)] for name, delay in update.delays.items()]
        window, total = f"last {update.window_s:g} s: n", "all: n"
        content.append([["delay", window, *FIGURE_COLUMNS[1:], total, *FIGURE_COLUMNS[1:]], *delay_rows])
    return content


def line(update: Update) -> str:
    """One line, where the output is not a terminal."""
    counts = list(update.nodes.values())
    events, sent, delivered, lost = (
        sum(getattr(node, name) for node in counts) for name in ("events", "sent", "delivered", "lost")
    )
    words = [f"{head(update)}; {number_text(events)} events; {sent} sent, {delivered} delivered, {lost} lost"]
    for name, delay in list(update.delays.items())[:1]:
        n, median, p99, p2p = _figures(delay.window)
        words.append(f"{name} of the last {update.window_s:g} s: n {n}, median {median}, p99 {p99}, p2p {p2p}")
    return "; ".join([*words, *filter(None, (update.last_problem, update.not_aligned.removesuffix(".")))])


def head(update: Update) -> str:
    """State, length, age of the newest sample, size."""
    age = "no sample" if update.age_s is None else f"newest sample {update.age_s:.1f} s old"
    age = f"{age}, " if update.state in ("waiting", "capturing") else ""
    lost = f", {number_text(update.lost_samples)} samples lost" if update.lost_samples else ""
    reason = f" ({update.reason})" if update.reason else ""
    changes = f"{number_text(update.changes)} changes"
    return f"{update.state}{reason}: {update.reached_s:.1f} s, {age}{changes}{lost}"


def failed(update: Update) -> list[str]:
    """The checks that have failed so far, of those that need no end of the recording."""
    lost = [f"Check failed: {number_text(update.lost_samples)} samples were lost."] if update.lost_samples else []
    return lost + [
        f"Check failed: {number_text(counts.damaged)} frames on the symbol bus of node {name} are damaged."
        for name, counts in update.nodes.items()
        if counts.damaged
    ]


def remarks(update: Update) -> list[str]:
    """The last damage, what the numbers are exact to, whose they are."""
    texts = [f"Last damage: {update.last_problem}."] if update.last_problem else []
    if update.not_aligned:
        texts.append(update.not_aligned)
    else:
        texts.append(
            f"A packet is counted {update.settle_s:g} s after it was sent. Quantiles of all: within {RESOLUTION:.1%}; "
            "everything else is exact."
        )
    if not update.is_last:
        texts.append("Provisional: logs of the nodes, causes and the other checks are in the report, after the end.")
    return [*texts, *([VIRTUAL] if update.virtual else [])]


def _figures(figures: Figures) -> list[str]:
    times_ns = (figures.median_ns, figures.p99_ns, figures.p2p_ns)
    return [number_text(figures.n), *(time_text(ns) if figures.n and ns is not None else "-" for ns in times_ns)]
