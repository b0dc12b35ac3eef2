"""Check that an image has all its hooks. Nothing else shows a lost one: such an image links and runs."""

from __future__ import annotations

import dataclasses
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.probes.hook_files import WRAPS, Count, Hook, HookFile, count_text, fits
from gpiorig.rig.probes.image import Image, Site

WRAP = "__wrap_"
LIBRARY = "gpiorig_init"  # in every image with probes, whatever its bus
VARIANT = "gpiorig_variant_"  # an alias of it, with the variant's name
VARIANTS = ("normal", "empty", "doubled")

OK, LOST, NOT_HERE, UNUSED = "ok", "LOST", "not here", "unused"


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """What became of a hook.

    Parameters
    ----------
    hook
        The hook.
    state
        `OK`, `LOST`, `NOT_HERE`: the image has none of what it hooks; or `UNUSED`: nothing in the image calls it.
    wrapped, unwrapped
        Sites that reach the probe, and as text those that pass it by.
    problems
        What is wrong and what to do, a sentence each.
    """

    hook: Hook
    state: str
    wrapped: tuple[Site, ...] = ()
    unwrapped: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What was found in an image.

    Parameters
    ----------
    findings
        One per hook, in the order of the hook file.
    problems
        What is wrong with the image itself.
    notes
        What could not be checked.
    """

    findings: tuple[Finding, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """All problems, each with what it is about."""
        lost = (f"{finding.hook.symbol}: {problem}" for finding in self.findings for problem in finding.problems)
        return (*self.problems, *lost)


def check(image: Image, expected: HookFile, *, variant: str = "normal") -> Verdict:
    """Compare an image with the hooks it should have; `variant` is that of its probes, one of `VARIANTS`."""
    problems, notes = [*_library(image, variant), *_optimised(image)], _uncertain(image, expected)
    if not image.has_relocations:
        problems.append(
            "it has no relocations, so nothing tells which calls are wrapped. Link it with -Wl,--emit-relocs (with "
            "ld: --emit-relocs); that changes no byte of what is loaded."
        )
        return Verdict((), tuple(problems), tuple(notes))
    problems += _unknown_wraps(image, expected)
    return Verdict(tuple(_find(image, hook, expected.glue) for hook in expected.hooks), tuple(problems), tuple(notes))


def _library(image: Image, variant: str) -> list[str]:
    if LIBRARY not in image.symbols:
        return [
            f"there is no probe library in it (no {LIBRARY}): it was built with GPIORIG_OFF, or the library is not "
            "linked. Build it with probes."
        ]
    built = next((name for name in VARIANTS if VARIANT + name in image.symbols), variant)
    if built == variant:
        return []
    return [f"its probes are {built}, not {variant}. Build it with PROBES={variant}, or give --probes {built}."]


def _optimised(image: Image) -> list[str]:
    certain, sign = image.link_time_optimised
    if not certain:
        return []
    return [
        f"it was optimised at link time: {sign}. Then calls of wrapped functions are resolved before the linker can "
        "wrap them, and it links without a word. Build without LTO (RIOT and Contiki-NG: LTO=0)."
    ]


def _uncertain(image: Image, expected: HookFile) -> list[str]:
    certain, sign = image.link_time_optimised
    notes = [f"{sign}."] if sign and not certain else []
    if not image.debug.there:
        notes.append(
            "no readable debug information: copies that the compiler inlined cannot be seen, the self-test sees them. "
            "Compile with -g and do not strip (that of an MSP430, with addresses of 2 bytes, cannot be read)."
        )
    if expected.glue and not image.has_files:
        notes.append(
            "it names no source files, as one that was stripped: references of the glue may be counted as unwrapped. "
            "Check the ELF before it is stripped."
        )
    if LIBRARY in image.symbols and not image.has_markers:
        notes.append(
            "it has no markers (GPIORIG_MARK; when an image is stripped they go with the debug information): which "
            "events are emitted is unknown."
        )
    return notes


def _unknown_wraps(image: Image, expected: HookFile) -> list[str]:
    known = (*(hook.symbol for hook in expected.hooks if hook.kind in WRAPS), *expected.other_wraps)
    names = [name.removeprefix(WRAP) for name in image.symbols if name.startswith(WRAP)]
    return [
        f"it wraps {name}, which no hook of {expected.os} {expected.version} does. Add it to the hook file: as a hook, "
        "or to `other_wraps` if the operating system wraps it."
        for name in sorted(names)
        if not any(fnmatchcase(name, pattern) for pattern in known)
    ]


def _find(image: Image, hook: Hook, glue: tuple[str, ...]) -> Finding:
    if not all(name in image.symbols for name in hook.when):
        return Finding(hook, NOT_HERE)
    wrapped: tuple[Site, ...] = ()
    unwrapped: tuple[str, ...] = ()
    problems: list[str] = []
    if hook.kind in WRAPS:
        wrapped, unwrapped, problems = _wrap(image, hook, glue)
    elif hook.kind != "source":
        wrapped, problems = _ours(image, hook, glue)
    problems += _silent_points(image, hook)
    is_unused = hook.kind in WRAPS and not wrapped and not unwrapped
    state = LOST if problems else UNUSED if is_unused else OK
    return Finding(hook, state, wrapped, unwrapped, tuple(problems))


def _wrap(image: Image, hook: Hook, glue: tuple[str, ...]) -> tuple[tuple[Site, ...], tuple[str, ...], list[str]]:
    name = hook.symbol
    if name not in image.symbols:
        return (
            (),
            (),
            [
                "the symbol is not in the image. Either the operating system renamed or dropped it, or the compiler "
                "inlined it everywhere: look for what does its work now, and change the wrap and the hook file."
            ],
        )
    wrapped = image.sites_of(WRAP + name) if WRAP + name in image.symbols else ()
    bypasses = _bypasses(image, hook, glue)
    if WRAP + name not in image.symbols:
        return (
            (),
            bypasses,
            [
                f"there is no {WRAP}{name}{_places(bypasses)}. It was linked without -Wl,--wrap={name} or without the "
                "glue, or the linker dropped a wrapper that nothing calls (-Wl,-u,__wrap_... keeps it)."
            ],
        )
    problems = []
    if not fits(hook.wrapped, len(wrapped)):
        problems.append(
            _differs(len(wrapped), "wrapped", hook.wrapped, wrapped)
            + " A call in the file that defines it, and one the compiler resolved, is not wrapped; look at each caller."
        )
    if not fits(hook.unwrapped, len(bypasses)):
        problems.append(
            _differs(len(bypasses), "unwrapped", hook.unwrapped, bypasses)
            + " These pass the probe by: hook a symbol nearer to them, or accept them as `known` in the hook file."
        )
    return wrapped, bypasses, problems


def _bypasses(image: Image, hook: Hook, glue: tuple[str, ...]) -> tuple[str, ...]:
    """Descriptions of the sites that pass the wrapper by."""
    names = (hook.symbol, *(clone.name for clone in image.clones_of(hook.symbol)))
    bypasses = []
    for name in names:
        for site in image.sites_of(name):
            inside = site.place.original if site.place else ""
            of_itself = name != hook.symbol and inside == hook.symbol  # it begins here and continues in its clone
            if not (_is_glue(site, glue) or inside in hook.known or of_itself):
                bypasses.append(f"{site}{f' to the copy {name}' if name != hook.symbol else ''}")
    address = image.symbols[hook.symbol].address
    copies = image.debug.inlined(hook.symbol, address=address)
    accepted = (*hook.known, hook.symbol)  # a part of itself that the compiler split off and put back
    return (*bypasses, *(f"inlined copy in {place}" for place in copies if place not in accepted))


def _ours(image: Image, hook: Hook, glue: tuple[str, ...]) -> tuple[tuple[Site, ...], list[str]]:
    if hook.symbol not in image.symbols:
        return (), [
            "it is not in the image. The glue does not use it any more, or is not linked; see the glue's build file "
            "(a macro: is it defined where the operating system's source is compiled?)."
        ]
    sites = image.sites_of(hook.symbol)
    if hook.kind == "macro":
        sites = tuple(site for site in sites if not _is_glue(site, glue))
    if fits(hook.wrapped, len(sites)):
        return sites, []
    return sites, [
        _differs(len(sites), "referred to from", hook.wrapped, sites) + " Nothing else makes the processor come here."
    ]


def _silent_points(image: Image, hook: Hook) -> list[str]:
    silent = [event for event in hook.events if BY_NAME[event].code not in image.emitted]
    if not silent or not image.has_markers:
        return []
    return [
        f"nothing in the image emits {', '.join(silent)}: excluded by the build-time mask, or the code with the "
        "probe is not linked. Build the probe in, or correct `points` in the hook file."
    ]


def _is_glue(site: Site, patterns: tuple[str, ...]) -> bool:
    """Whether a site is in a wrapper, in the rest of the glue or in the probe library."""
    name = site.place.name if site.place else ""
    if name.startswith((WRAP, "gpiorig_")):
        return True
    return any(PurePosixPath(site.file).match(pattern) for pattern in patterns)


def _differs(count: int, what: str, expected: Count, places: tuple[object, ...]) -> str:
    return f"{count} {'site' if count == 1 else 'sites'} {what}, expected {count_text(expected)}{_places(places)}."


def _places(places: tuple[object, ...]) -> str:
    return f": {'; '.join(map(str, places))}" if places else ""
