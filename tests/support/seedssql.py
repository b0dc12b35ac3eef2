"""The numbers of studies by the queries of docs/guide/seeds-sql.md, next to those of `gpiorig study report`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from commandline import ROOT, gpiorig

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics.repeats import MIN_REPEATS
from gpiorig.rig.store.store import Store
from gpiorig.studies.pages import amounts
from gpiorig.studies.pages.expressions import Expression, Term, parse
from gpiorig.studies.points import study

PAGE = (ROOT / "docs" / "guide" / "seeds-sql.md").read_text(encoding="utf-8")
MEAN, TERMS, OVER_TIME = "Mean of repeats", "Two terms", "Quantities over time"
AGGREGATES = {
    "": "avg(value)",
    "mean": "avg(value)",
    "median": "median(value)",
    "min": "min(value)",
    "max": "max(value)",
    "std": "stddev(value)",
    "p2p": "max(value) - min(value)",
    "iqr": "quantile_cont(value, 0.75) - quantile_cont(value, 0.25)",
}
NS = 1e-9  # the store's unit of times, in s


@dataclass(frozen=True, slots=True)
class Row:
    """A value at a combination and node; `ends` of the interval of the mean, None without one."""

    value: float
    sd: float | None
    ends: tuple[float, float] | None
    repeats: int
    n: int


Place = tuple[frozenset[tuple[str, str]], str]  # axis values as text, and the node


def query(heading: str) -> str:
    """The query of a section of the page."""
    match = re.search(rf"\n## {heading}\n.*?```sql\n(.*?)```", PAGE, re.DOTALL)
    assert match, heading
    return match[1]


def replaced(sql: str, texts: Mapping[str, str]) -> str:
    """A query with other texts; each of them must be in it."""
    for old, new in texts.items():
        assert old in sql, old
        sql = sql.replace(old, new)
    return sql


def aggregate(statistic: str) -> str:
    """The SQL of a statistic of values that count alike."""
    return AGGREGATES.get(statistic) or f"quantile_cont(value, {float(statistic[1:]) / 100:.10g})"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def of_expression(store: Store, name: str, expression: Expression) -> dict[Place, Row]:
    """The values of an expression by SQL."""
    first, *rest = expression.terms
    if rest:
        return _of_two(store, name, expression, first, rest[0])
    held = f"FROM quantities WHERE study = {_text(name)} AND quantity = {_text(first.quantity)}"
    (weighted,) = store.query(f"SELECT coalesce(bool_or(held_samples IS NOT NULL), false) AS held {held}").to_pylist()
    if weighted["held"]:
        rows = _over_time(store, name, first)
    else:
        asked = {"'000-summary'": _text(name), "'rtt'": _text(first.quantity)}
        rows = store.query(replaced(query(MEAN), asked | {"median(value)": aggregate(first.statistic)})).to_pylist()
    return _rows(rows, first.node)


def _over_time(store: Store, name: str, term: Term) -> list[dict[str, Any]]:
    asked = {"'000-summary'": _text(name), "'length of queue'": _text(term.quantity)}
    column = "mean" if term.statistic == "mean" else "p99"
    if column == "p99":
        asked["0.99"] = f"{float(term.statistic[1:]) / 100:.10g}"
    sql = replaced(query(OVER_TIME), asked)
    return store.query(
        f"SELECT axes, node, unit, avg({column}) AS mean, stddev({column}) AS sd, count(*) AS repeats, NULL AS n_min, "
        f"NULL AS half_interval FROM ({sql}) GROUP BY ALL"
    ).to_pylist()


def _of_two(store: Store, name: str, expression: Expression, first: Term, second: Term) -> dict[Place, Row]:
    sql = replaced(
        query(TERMS),
        {
            "'001-frame'": _text(name),
            "'interval of slot.frame'": _text(first.quantity),
            "'span of slot.active'": _text(second.quantity),
            "median(value) AS median": f"{aggregate(first.statistic)} AS first",
            "quantile_cont(value, 0.05) AS p5": f"{aggregate(second.statistic)} AS second",
            "a.median - b.p5": f"a.first {expression.operator} b.second",
        },
    )
    nodes = [_nodes(store, name, term) for term in (first, second)]
    at = "a.node" if len(nodes[1]) == 1 else "b.node"
    if min(map(len, nodes)) == 1:
        sql = replaced(
            sql,
            {
                "USING (axes, node, repeat)": "USING (axes, repeat)",
                "SELECT axes, node, a.unit": f"SELECT axes, {at}, a.unit",
            },
        )
        sql = replaced(sql, {"GROUP BY ALL ORDER BY axes, node": f"GROUP BY ALL ORDER BY axes, {at}"})
    chosen = " AND ".join(
        f"{side}.node IN ({', '.join(map(_text, own))})" for side, own in zip("ab", nodes, strict=True)
    )
    sql = replaced(sql, {"WHERE a.": f"WHERE {chosen} AND a."})
    rows = [row | {"log_interval": None} for row in store.query(sql).to_pylist()]
    if expression.operator == "/":
        rows = [row | {"unit": "1"} for row in rows]
    return _rows(rows, "")


def _nodes(store: Store, name: str, term: Term) -> list[str]:
    """The nodes of a term."""
    sql = f"SELECT DISTINCT node FROM quantities WHERE study = {_text(name)} AND quantity = {_text(term.quantity)}"
    every = [row["node"] for row in store.query(sql).to_pylist()]
    return [node for node in every if term.node in ("", node, node.partition(" > ")[0])]


def _rows(rows: list[dict[str, Any]], node: str) -> dict[Place, Row]:
    by_place = {}
    for row in rows:
        if row["mean"] is None or node not in ("", row["node"], row["node"].partition(" > ")[0]):
            continue
        scale = NS if row["unit"] == "ns" else 1.0
        sd = None if row["sd"] is None else row["sd"] * scale
        n = row["n_min"] if row["n_min"] is not None else 0
        mean, log = row["mean"] * scale, row["log_interval"]
        ends = (mean / math.exp(log), mean * math.exp(log)) if log and row["unit"] != "share" else None
        by_place[place(json.loads(row["axes"]), row["node"])] = Row(mean, sd, ends, row["repeats"], n)
    return by_place


def place(coordinates: Mapping[str, Any], node: str) -> Place:
    """What names a value."""
    return frozenset((axis, amounts.value_text(value)) for axis, value in coordinates.items()), node


def is_shown_alike(expected: float | None, actual: float | None, unit: str) -> bool:
    """Whether two numbers are equal to the last digit that pages show."""
    if expected is None or actual is None:
        return expected is actual
    return math.isclose(expected, actual, rel_tol=1e-12, abs_tol=1e-18) or (
        amounts.text(expected, unit) == amounts.text(actual, unit)
    )


def compared(output: Path, store: Store) -> Iterator[tuple[str, str, list[str]]]:
    """Study, expression and differences of each number that `study report` has."""
    report = gpiorig("study", "report", "-o", output, "--json")
    files = {name: entry["file"] for name, entry in json.loads((output / "studies.json").read_text()).items()}
    for name, content in report.numbers["studies"].items():
        aliases = study.load(Path(files[name])).file.quantities
        numbers = [row | {"at": place(row["coordinates"], row["node"])} for row in content["numbers"]]
        by_sql = {y: of_expression(store, name, parse(y, aliases)) for y in dict.fromkeys(row["y"] for row in numbers)}
        for row in numbers:
            yield name, row["y"], _differences(row, by_sql[row["y"]].get(row["at"]))
        path = output / "pages" / f"{name}-published.parquet"
        for row in pq.read_table(path).to_pylist() if path.is_file() else []:
            if row["repeats"]:
                yield name, f"published {row['expression']}", _published(row, store, name, aliases)


def _published(row: dict[str, Any], store: Store, name: str, aliases: Mapping[str, str]) -> list[str]:
    """Differences of a row of seeds.md, with its ratio."""
    try:
        expression = parse(row["expression"], aliases)
    except QuantityError:
        expression = parse(row["expression"], aliases, values=True).with_statistic("median")
    axes = {key: row[key] for key in list(row)[1 : list(row).index("node")]}
    values = of_expression(store, name, expression)
    actual = values.get((frozenset((axis, text) for axis, text in axes.items()), row["node"]))
    wrong = _differences(row | {"n": [row["n"]]}, actual)
    if actual is None or row["ratio"] is None:
        return wrong
    reference = row["published"]
    if reference is None:
        reference = min(max(actual.value, row["published_low"]), row["published_high"])
    here, there = f"{actual.value / reference:.3g}", f"{row['ratio']:.3g}"
    return [*wrong, *([] if here == there else [f"ratio {here}, not {there}"])]


def _differences(row: dict[str, Any], actual: Row | None) -> list[str]:
    if row["value"] is None:
        return [] if actual is None else [f"a value by SQL, {actual}"]
    if actual is None:
        return ["no value by SQL"]
    wrong = [
        f"{key}: {there} by SQL, {here} in the report"
        for key, here, there in (("value", row["value"], actual.value), ("sd", row["sd"], actual.sd))
        if not is_shown_alike(here, there, row["unit"])
    ]
    if row["repeats"] >= MIN_REPEATS and actual.ends is not None and row["low"] > 0:
        pairs = tuple(zip((row["low"], row["high"]), actual.ends, strict=True))
        wrong += [f"interval: {pairs}" for pair in pairs if not is_shown_alike(*pair, row["unit"])]
    if row["repeats"] != actual.repeats:
        wrong.append(f"{actual.repeats} repeats by SQL, {row['repeats']} in the report")
    if actual.n and row["n"][0] != actual.n:
        wrong.append(f"n = {actual.n} by SQL, {row['n']} in the report")
    return wrong
