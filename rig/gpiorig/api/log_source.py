"""What the lines of a log, or the frames of a packet capture, show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from gpiorig.api import given, log_tables
from gpiorig.api.delays import Delays
from gpiorig.api.source import Source


class LogSource(Source):
    """A source with the methods for lines and frames."""

    def lines(self) -> pa.Table:
        """The lines of the log, or those that the nodes of a recording sent: `time_ns`, `node`, `text`, `time_s`."""
        return log_tables.lines(self._path, self._reading)

    def latency(
        self,
        request: str = "",
        response: str = "",
        *,
        value: str = "",
        also: Sequence[str | Path] = (),
        across_nodes: bool = False,
        max_gap_s: float | None = None,
        sort: bool = False,
        time_unit: str | None = None,
        rows: str | None = None,
        id_offset: int | None = None,
        ids: tuple[int, int] | None = None,
        nominal_s: float | None = None,
    ) -> Delays:
        """Delays by the lines of a log, or by the frames of a packet capture, as `gpiorig latency` finds them.

        Parameters
        ----------
        request, response
            Regular expressions with the groups `id`, `node`, `time`, `against`; of a packet capture none.
        value
            In place of both: a delay that a line holds, in the group `value`, or `begin` and `end`.
        also
            Further logs, or packet captures.
        across_nodes, max_gap_s, sort, time_unit, rows, id_offset, ids, nominal_s
            As the options of the command: `rows="first:last"`, `ids=(1, 1000)`.
        """
        options = argparse.Namespace(
            **vars(self._reading),
            logs=[self._path, *map(Path, also)],
            request=given.expression(request),
            response=given.expression(response),
            value=given.expression(value),
            across_nodes=across_nodes,
            max_gap=given.exact(max_gap_s),
            sort=sort,
            time_unit=time_unit,
            rows=tuple(rows.split(":")) if rows else None,
            id_offset=id_offset,
            ids=ids,
            nominal=given.exact(nominal_s),
        )
        return log_tables.latency(options)

    def clocks(
        self,
        pattern: str = "",
        *,
        boot: str = "",
        nodes: Sequence[str] = (),
        time_unit: str | None = None,
        tick_hz: float | None = None,
        host_unit: str = "s",
        bits: int | None = None,
        slack_s: float = 1.0,
    ) -> pa.Table:
        """How clocks of nodes run against the host, or against the pins of a recording, as `gpiorig clocks` finds.

        Parameters
        ----------
        pattern
            Regular expression with the group `node_time` and perhaps `host` and `node`; none: against the pins.
        boot, nodes, time_unit, tick_hz, host_unit, bits, slack_s
            As the options of the command.

        Returns
        -------
        pyarrow.Table
            A row for each boot period of each node: `ppm`, its interval, `offset_s`, `residual_std_s`, `n`, ….
        """
        options = argparse.Namespace(
            **vars(self._reading),
            log=self._path,
            pattern=given.expression(pattern),
            boot=given.expression(boot),
            node=list(nodes),
            node_unit=time_unit,
            tick_hz=given.exact(tick_hz),
            host_unit=host_unit,
            bits=bits,
            slack=given.exact(slack_s),
            time_unit=None,
        )
        return log_tables.clocks(options)
