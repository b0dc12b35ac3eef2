"""Hook files: which hooks an image must have, by operating system and version (firmware-gpio-probes/hooks/*.toml)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig import resources
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml

Kind = Literal["function", "data", "runtime", "macro", "vector", "source"]
Role = Literal["initiator", "responder"]
WRAPS = ("function", "data")

KINDS = {
    "function": "a function of the OS, wrapped by the linker",
    "data": "a structure of the OS, wrapped by the linker",
    "runtime": "ours, hung in at run time",
    "macro": "ours, called by a macro that the OS's source expands",
    "vector": "ours, in a vector table",
    "source": "a probe in the source itself",
}
EVENTS = "firmware-gpio-probes/events.toml"


class Least(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A minimum count."""

    least: Annotated[int, Meta(ge=0)]


# TOML: a number, or { least = 2 }.
Count = Annotated[int, Meta(ge=0)] | Least
Counts = dict[str, Count]


def fits(expected: Count, count: int) -> bool:
    """Whether a number is what a hook file expects."""
    return count >= expected.least if isinstance(expected, Least) else count == expected


def count_text(expected: Count) -> str:
    """As in ``2`` or ``2 or more``."""
    return f"{expected.least} or more" if isinstance(expected, Least) else str(expected)


class Hook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One hook.

    Parameters
    ----------
    symbol
        Of the OS if it is a wrap, ours otherwise.
    kind
        A key of `KINDS`.
    source
        Where the hook and its numbers come from.
    points
        Events it emits, or spans, which are two events each.
    when
        The hook belongs into images that have all of these symbols.
    wrapped
        Sites that reach the probe: of a wrap references to ``__wrap_SYMBOL``, of another kind references to it.
    unwrapped
        Sites that pass it by: references to the symbol itself, copies of it that the compiler made.
    known
        Functions in which a site that passes by is known and accepted.
    caveat
        What to know of it.
    """

    symbol: str
    kind: Kind
    source: str
    points: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    wrapped: Count = Least(1)
    unwrapped: Count = 0
    known: tuple[str, ...] = ()
    caveat: str = ""

    @property
    def events(self) -> tuple[str, ...]:
        """Names of all events it emits."""
        return tuple(event for point in self.points for event in events_of(point))


class RoleCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events of one ping-pong at each end, by event or by span, which is two of them."""

    initiator: Counts = {}
    responder: Counts = {}


class SelfTest(RoleCounts, frozen=True, forbid_unknown_fields=True):
    """The same, and by radio what is added to it or replaces it."""

    radio: dict[str, RoleCounts] = {}

    def expected(self, role: Role, *, radio: str) -> Counts:
        """Events of one ping-pong at a node with this radio."""
        special = self.radio.get(radio.lower(), RoleCounts())
        counts = getattr(self, role) | getattr(special, role)
        return {event: count for point, count in counts.items() for event in events_of(point)}


class HookFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All hooks of an OS at one version.

    Parameters
    ----------
    os, version
        As in the file's name.
    source
        Where the list comes from.
    glue
        Ends of paths of source files whose references are the wrappers' own, as patterns.
    other_wraps
        Symbols that the OS itself wraps, as patterns.
    hooks
        The hooks.
    selftest
        What one ping-pong emits.
    """

    os: str
    version: str
    source: str
    glue: tuple[str, ...] = ()
    other_wraps: tuple[str, ...] = ()
    hooks: tuple[Hook, ...] = ()
    selftest: SelfTest = SelfTest()


def events_of(point: str) -> tuple[str, ...]:
    """The events of a point of the event table: itself, or the enter and the exit of a span; empty if unknown."""
    return tuple(name for name in (point, f"{point}.enter", f"{point}.exit") if name in BY_NAME)


def available(folder: Path) -> dict[str, list[str]]:
    """Versions of every OS that there is a file for."""
    files_of: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.toml")):
        system, _, version = path.stem.rpartition("-")
        files_of.setdefault(system, []).append(version)
    return files_of


def find(system: str, version: str | None = None, *, folder: Path | None = None) -> HookFile:
    """The hooks of an OS, from gpiorig's hook files or those of a folder; a single version may be omitted.

    Raises
    ------
    BenchError
        There is no such file, or it contains something that cannot be.
    """
    folder = folder or resources.hooks()
    versions = available(folder)
    if system not in versions:
        raise BenchError(
            f"--os {system}: no hook file in {folder}; available systems: {', '.join(versions) or 'none'}. "
            "Name a file with --hooks."
        )
    if version is None and len(versions[system]) > 1:
        raise BenchError(f"--os {system}: which version? Give --os-version {' or '.join(versions[system])}.")
    version = version or versions[system][0]
    if version not in versions[system]:
        raise BenchError(
            f"--os-version {version}: there are hooks of {system} {', '.join(versions[system])}. Copy the nearest of "
            f"{folder} as {system}-{version}.toml, give it with --hooks, and look at every difference."
        )
    return load(folder / f"{system}-{version}.toml")


def load(path: Path) -> HookFile:
    """The checked hook file; raises `BenchError` with the file, the key and the remedy."""
    what = f"hook file {path}"
    hooks = load_toml(path, HookFile, what=what)
    if path.stem != f"{hooks.os}-{hooks.version}":
        raise BenchError(f"{what}: it is of {hooks.os} {hooks.version}; call it {hooks.os}-{hooks.version}.toml.")
    seen: set[str] = set()
    for hook in hooks.hooks:
        if hook.symbol in seen:
            raise BenchError(f"{what}: hook {hook.symbol} comes twice; write one with all its points.")
        seen.add(hook.symbol)
        if unknown := [point for point in hook.points if not events_of(point)]:
            raise BenchError(f"{what}: hook {hook.symbol}: no point {unknown[0]} in the event table ({EVENTS}).")
    test = hooks.selftest
    for counts in (role for roles in (test, *test.radio.values()) for role in (roles.initiator, roles.responder)):
        if unknown := [point for point in counts if not events_of(point)]:
            raise BenchError(f"{what}: selftest: no point {unknown[0]} in the event table ({EVENTS}).")
    return hooks
