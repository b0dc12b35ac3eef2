"""One attempt at one item: its result, or its error as text."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gpiorig.capture.errors import Error

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Result]):
    """How an item ended.

    Attributes
    ----------
    item
        The item.
    result
        What the function returned; None after an error.
    error
        What went wrong, where, what to do; None after a success.
    seconds
        How long the function ran.
    trace
        The traceback of an error that is a fault of gpiorig; empty after any other.
    """

    item: Item
    result: Result | None
    error: str | None
    seconds: float
    trace: str = ""


def attempt(function: Callable[[Item], Result], item: Item) -> Outcome[Item, Result]:
    """Call the function; an error is part of the outcome."""
    start_s = time.perf_counter()
    result, text, trace = None, None, ""
    try:
        result = function(item)
    except Error as error:
        text = str(error)
    except OSError as error:
        text = f"{error.filename or item}: {error.strerror or error}"
    except Exception as error:
        first = (str(error).splitlines() or [""])[0][:200]
        text = f"{type(error).__name__}: {first}; this is a fault of gpiorig: please report it with its traceback"
        trace = traceback.format_exc()
    return Outcome(item, result, text, time.perf_counter() - start_s, trace)
