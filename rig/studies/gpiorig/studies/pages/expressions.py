"""Expressions of a study: ``rtt.p2p``, ``p99(mac.tx -> mac.rx)``, ``loss``, a sum, difference or ratio of two."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities import delay_names, delay_stability, names, terms
from gpiorig.analysis.quantities.kinds import Kind, Unit
from gpiorig.analysis.quantities.names import AT
from gpiorig.analysis.statistics import statistic_names
from gpiorig.studies.pages import observations
from gpiorig.studies.pages.observations import Observed

EXAMPLES = "`rtt.p2p`, `p99(mac.tx -> mac.rx)`, `loss` or `rtt.p99 - rtt.p1`"
_SHARES = tuple(kind.value for kind in Kind if kind.of_packets)
_OPERATOR = re.compile(r"(?:^|\s+)([-+/])(?:\s+|$)")
ERRORS = (Kind.INTERVAL_ERROR, Kind.GAP_ERROR, Kind.TIMESTAMP_ERROR, Kind.LATENESS)
_SIGNED = {"-": ("minus", -1), "+": ("plus", 1)}
RATIO = "1"


@dataclass(frozen=True, slots=True)
class Term:
    """A statistic of a quantity.

    Parameters
    ----------
    text
        The text as written.
    quantity
        The quantity's name as in the table of quantities, without the node.
    node
        The node asked for; empty: each node.
    statistic
        Its statistic; empty for a quantity of which a node has one value or a share of packets, and for the values
        themselves.
    kind
        Kind of the quantity.
    """

    text: str
    quantity: str
    node: str
    statistic: str
    kind: Kind

    @property
    def is_signed(self) -> bool:
        """Whether it may be negative: an error is, its spread is not."""
        is_spread = self.statistic in statistic_names.SPREADS or delay_stability.is_statistic(self.statistic)
        return self.kind in ERRORS and not is_spread

    @property
    def name(self) -> str:
        """The complete name of the quantity, with the node."""
        return f"{self.quantity}{AT}{self.node}" if self.node else self.quantity


@dataclass(frozen=True, slots=True)
class Expression:
    """One term, or two with ``-``, ``+`` or ``/`` between them."""

    text: str
    terms: tuple[Term, ...]
    operator: str = ""

    @property
    def quantities(self) -> tuple[str, ...]:
        """Complete names of the quantities that it needs."""
        return tuple(dict.fromkeys(term.name for term in self.terms))

    @property
    def least(self) -> float:
        """The least value that it can have: 0, or minus infinity."""
        return -math.inf if self.operator == "-" or any(term.is_signed for term in self.terms) else 0.0

    def with_statistic(self, statistic: str) -> Expression:
        """That statistic of the values that this expression names."""
        text = f"{self.text}.{statistic}"
        return Expression(text, (replace(self.terms[0], text=text, statistic=statistic),))


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in the SI unit of its quantity: ``s``, ``share``, ``bit/s``, ``1/s``, or ``1`` for counts and ratios.

    `n` is the number of values that it is computed from, the smaller one of two terms; `doubt` the expanded uncertainty
    by which all of them may be off alike.
    """

    value: float
    unit: str
    n: int
    doubt: float = 0.0


def parse(text: str, aliases: Mapping[str, str], *, values: bool = False) -> Expression:
    """An expression of a study file.

    Parameters
    ----------
    text
        The expression.
    aliases
        Complete names of quantities by their aliases.
    values
        Whether it names values rather than a statistic, as in ``ecdf`` and ``box``.

    Raises
    ------
    QuantityError
        It is not understood; the message names the part and what is valid.
    """
    parts = _OPERATOR.split(" ".join(text.split()))
    where = f"expression `{text}`"
    if not all(parts) or len(parts) > 3 or (values and len(parts) > 1):
        wanted = "name one quantity" if values else f"write it like {EXAMPLES}"
        raise QuantityError(f"{where}: not understood; {wanted}.")
    try:
        sides = tuple(_term(part, aliases, values=values) for part in parts[::2])
    except QuantityError as error:
        raise QuantityError(f"{where}: {error}") from error
    return Expression(text, sides, parts[1] if len(parts) > 1 else "")


def evaluate(expression: Expression, table: pa.Table) -> dict[str, Amount]:
    """The value at each node (or pair of nodes) of one point; NaN where a node has no values.

    Two terms are taken at the same node; where one of them has a single node, it serves all nodes of the other.

    Raises
    ------
    QuantityError
        The point has no such quantity, the units of a difference differ, or a quantity needs a statistic.
    """
    sides = [_amounts(term, table) for term in expression.terms]
    return sides[0] if len(sides) == 1 else _combined(expression, sides[0], sides[1])


def observed(term: Term, table: pa.Table) -> dict[str, Observed]:
    """The values of a term's quantity by node; `QuantityError` if there are none."""
    return observations.of_quantity(table, term.quantity, node=term.node)


def _term(text: str, aliases: Mapping[str, str], *, values: bool) -> Term:
    name, statistic, node = _parts(text, aliases)
    quantity, _, fixed = aliases.get(name, name).partition(AT)
    if node and fixed and node != fixed:
        raise QuantityError(f"`{name}` is at `{fixed}`; it has no value at `{node}`.")
    quantity, kind = _checked(quantity, aliases)
    single = kind.single
    if values and statistic:
        raise QuantityError(f"`{text}` has a statistic; name the quantity alone.")
    if single and statistic:
        raise QuantityError(f"`{quantity}` is one value and has no `{statistic}`; omit it.")
    if not (single or values or statistic):
        raise QuantityError(f"`{name}` has no statistic; add one of {', '.join(statistic_names.STATISTICS)}.")
    if delay_stability.is_statistic(statistic) and kind.unit is not Unit.TIME:
        raise QuantityError(f"`{quantity}` is not a time; `{statistic}` is of the delays of packets.")
    return Term(text, quantity, node or fixed, _statistic(statistic) if statistic else "", kind)


def _statistic(name: str) -> str:
    """The name of a statistic itself, of the values or of their stability over time."""
    return name if delay_stability.is_statistic(name) else statistic_names.checked(name)


def _parts(text: str, aliases: Mapping[str, str]) -> tuple[str, str, str]:
    """Name, statistic and node of a term."""
    if call := terms.call(text):
        name, _, node = call[0].partition(AT)
        return name, _statistic(call[1]), call[2] or node
    name, _, node = text.partition(AT)
    if name in aliases:
        return name, "", node
    dotted = terms.dotted(name)
    is_named = dotted and (statistic_names.is_statistic(dotted[1]) or delay_stability.is_statistic(dotted[1]))
    if dotted and (dotted[0] in aliases or is_named):
        return *dotted, node
    return name, "", node


def _checked(quantity: str, aliases: Mapping[str, str]) -> tuple[str, Kind]:
    """The quantity's name in the table, and its kind."""
    try:
        parsed = names.parse(quantity)
    except QuantityError:
        if names.is_quantity(quantity):
            raise
        known = [*aliases, *delay_names.KINDS, delay_names.RTT, delay_names.ONE_WAY, *_SHARES]
        raise names.unknown(quantity, known, "quantity") from None
    return parsed.text, parsed.kind


def _amounts(term: Term, table: pa.Table) -> dict[str, Amount]:
    by_node = observed(term, table)
    name = term.statistic
    return {
        node: Amount(one.statistic(name), one.unit_of(name), len(one.values), one.doubt_of(name))
        for node, one in by_node.items()
    }


def _combined(expression: Expression, left: Mapping[str, Amount], right: Mapping[str, Amount]) -> dict[str, Amount]:
    if len(left) == len(right) == 1:
        pairs = {next(iter(left)): (*left.values(), *right.values())}
    elif len(right) == 1:
        pairs = {node: (amount, *right.values()) for node, amount in left.items()}
    elif len(left) == 1:
        pairs = {node: (*left.values(), amount) for node, amount in right.items()}
    else:
        pairs = {node: (left[node], right[node]) for node in left if node in right}
    if not pairs:
        raise QuantityError(f"expression `{expression.text}`: its two terms have no node in common.")
    return {node: _operated(expression, *pair) for node, pair in pairs.items()}


def _operated(expression: Expression, left: Amount, right: Amount) -> Amount:
    n = min(left.n, right.n)
    if expression.operator in _SIGNED:
        word, sign = _SIGNED[expression.operator]
        if left.unit != right.unit:
            raise QuantityError(f"expression `{expression.text}`: `{left.unit}` {word} `{right.unit}` has no meaning.")
        return Amount(left.value + sign * right.value, left.unit, n, left.doubt + right.doubt)
    value = left.value / right.value if right.value else float("nan")
    relative = sum(side.doubt / abs(side.value) if side.value else 0.0 for side in (left, right))
    unit = RATIO if left.unit == right.unit else f"{left.unit} / {right.unit}"
    return Amount(value, unit, n, abs(value) * relative)
