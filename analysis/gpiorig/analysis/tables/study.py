"""A study as tables: what is written into its recording, and beside the page of a report."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from gpiorig.analysis.attribution import findings
from gpiorig.analysis.delays import budget, jitter, uncertainty
from gpiorig.analysis.study.study import RouteStudy, Study
from gpiorig.analysis.tables import audit as audit_tables


def tables(found: Study) -> dict[str, pa.Table]:
    """Statistics, causes, uncertainties and clocks, by name; those that have a row."""
    made = {
        "jitter": per_route(found, lambda each: jitter.as_table(each.jitter)),
        "budget": per_route(found, lambda each: budget.as_table(each.budget)),
        "findings": per_route(found, lambda each: findings.as_table(each.attributions)),
        "uncertainty": uncertainty.as_table(
            [(each.route.name, (*each.uncertainties, *each.part_uncertainties)) for each in found.routes]
        ),
    }
    if found.audit is not None:
        made |= {
            "audit": audit_tables.comparisons(found.audit),
            "serial_stages": audit_tables.stages(found.audit),
            "clocks": audit_tables.clock_fits(found.audit),
            "stability": audit_tables.stability(found.audit),
        }
    return {name: content for name, content in made.items() if content is not None and content.num_rows}


def per_route(found: Study, table: Callable[[RouteStudy], pa.Table | None]) -> pa.Table | None:
    """The tables of all routes below each other, the name of the route in front; None where no route has a row."""
    parts = []
    for each in found.routes:
        content = table(each)
        if content is not None and content.num_rows:
            parts.append(with_route(each.route.name, content))
    return pa.concat_tables(parts) if parts else None


def with_route(name: str, content: pa.Table) -> pa.Table:
    """The table with the name of its route in front."""
    return content.add_column(0, "route", pa.array([name] * content.num_rows, pa.string()))
