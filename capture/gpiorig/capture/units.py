"""Units as they are written after a number: one table for all that read or write them."""

from __future__ import annotations

TIME_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}  # decimal digits below the second, in files
TIME_NS = {name: 10 ** (9 - TIME_DIGITS[name.replace("µ", "u")]) for name in ("ns", "us", "µs", "ms", "s")}
TIME_STEPS = tuple((float(TIME_NS[name]), name) for name in ("s", "ms", "µs", "ns"))  # in ns, as text has them
BITS_PER_S = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6}
SHARES = {"%": 0.01}
_PREFIXES = {"": 1.0, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "n": 1e-9}
JOULES = {f"{prefix}J": factor for prefix, factor in _PREFIXES.items()}
WATTS = {f"{prefix}W": factor for prefix, factor in _PREFIXES.items()}
BYTES = {"B": 1.0, "kB": 1e3, "KiB": 1024.0}
_MU = str.maketrans("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")


def one_mu(text: str) -> str:
    """A text with the micro sign for the Greek letter, which looks the same."""
    return text.translate(_MU)


def suited(size_ns: float) -> tuple[float, str]:
    """The largest unit of time that a size is one of or more, as ns and name; ns for less."""
    return next((step for step in TIME_STEPS if size_ns >= step[0]), TIME_STEPS[-1])
