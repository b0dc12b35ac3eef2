"""What a batch does with each recording, and whether it may use a scheduler; nothing of it is imported for that."""

from __future__ import annotations

from typing import Literal

from gpiorig.rig.errors import RigError

Verb = Literal["decode", "analyse", "report"]
VERBS: tuple[Verb, ...] = ("decode", "analyse", "report")  # each includes those before it
TLS = "tls://"
HOW = "docs/guide/many.md, Certificates"


def last(text: str) -> Verb:
    """The last of the verbs that a user wrote, with commas; raises `RigError` for another word."""
    asked = text.split(",")
    if wrong := [word for word in asked if word not in VERBS]:
        raise RigError(f"--do {text}: {wrong[0]!r} is not one of {', '.join(VERBS)}.")
    return max((verb for verb in VERBS if verb in asked), key=VERBS.index)


def check_scheduler(address: str | None, *, insecure: bool) -> None:
    """Whoever reaches a scheduler without certificates runs code on its workers and in this process: `RigError`."""
    if address is not None and not address.startswith(TLS) and not insecure:
        raise RigError(
            f"scheduler {address}: is not secured by certificates: whoever reaches its port runs code as you. Give "
            f"tls://HOST:PORT of one that is ({HOW}), or add --insecure-cluster in a network of your own."
        )
