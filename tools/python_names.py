"""The page of the names that `import gpiorig` offers, from their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import gpiorig

HEAD = """\
# Python names

Made from the docstrings of `gpiorig.__all__` by `make docs`; [how they are used](../guide/python.md), and what of them
is stable.
"""
SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises)\n-+\n", re.MULTILINE)


def python_page() -> str:
    """Every public name: functions first, then classes with their public members."""
    names = {name: getattr(gpiorig, name) for name in gpiorig.__all__ if name != "__version__"}
    functions = [name for name, value in names.items() if not inspect.isclass(value)]
    lines = [HEAD, "`gpiorig.__version__` is the version, as text.\n"]
    for name in (*functions, *(name for name in names if name not in functions)):
        lines += [f"## gpiorig.{name}\n", *_described(names[name])]
    return "\n".join(lines)


def _described(value: Any) -> Iterator[str]:
    if not inspect.isclass(value):
        yield _signature(value.__name__, value)
        yield _markdown(value)
        return
    yield _markdown(value)
    for name, member in _members(value):
        if isinstance(member, property):
            yield f"- `{name}`: {_markdown(member, brief=True)}"
        else:
            yield f"\n### gpiorig.{value.__name__}.{name}\n\n{_signature(name, member)}\n{_markdown(member)}"


def _members(kind: type) -> list[tuple[str, Any]]:
    """Properties, then methods, in the order of their definition; those of `Tabular` are described there."""
    members: dict[str, Any] = {}
    for base in kind.__mro__:
        if base.__module__.startswith("gpiorig.") and (base is kind or base is not gpiorig.Tabular):
            own = {name: value for name, value in vars(base).items() if not name.startswith("_")}
            members |= {name: value for name, value in own.items() if name not in members}
    methods = [(name, value) for name, value in members.items() if inspect.isfunction(value)]
    return [(name, value) for name, value in members.items() if isinstance(value, property)] + methods


def _signature(name: str, function: Any) -> str:
    """Its parameters, a line each if they are many."""
    signature = inspect.signature(function)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    returned = "" if signature.return_annotation in (inspect.Signature.empty, "None") else signature.return_annotation
    text = f"{name}{signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)}"
    text = re.sub(r": '([^']*)'", r": \1", text)
    if len(text) > 100:
        text = text.replace(", ", ",\n    ").replace("(", "(\n    ", 1).removesuffix(")") + ",\n)"
        text = re.sub(r"\[([^\]\n]*),\n +", r"[\1, ", text)
    return f"```python\n{text}{f' -> {returned}' if returned else ''}\n```\n"


def _markdown(value: Any, *, brief: bool = False) -> str:
    """A numpy-style docstring: its sections as lists; `brief`: the text before them, on one line."""
    parts = SECTION.split((inspect.getdoc(value) or "").replace("``", "`"))
    if brief:
        return parts[0].strip().replace("\n", " ")
    lines = [parts[0].strip(), ""]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines += [f"{title}:", "", *_items(body), ""]
    return "\n".join(lines)


def _items(body: str) -> Iterator[str]:
    """A list of what a section names, each with what is indented below it."""
    for item in re.split(r"\n(?=\S)", body.strip()):
        name, _, text = item.partition("\n")
        yield f"- `{name}`: {' '.join(text.split())}"
