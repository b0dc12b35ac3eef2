"""What a recording was made with: the table `[origin]` of `recording.toml`."""

from __future__ import annotations

import msgspec


class ImageOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The firmware image of a node; its sha256 is in `[firmware]`.

    Attributes
    ----------
    file
        Where it was.
    compiler
        As the image names it; empty if it does not.
    flags
        Command line or options that it was compiled with, as far as the image or the file next to it states them.
    """

    file: str
    compiler: str = ""
    flags: str = ""


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What a recording was made with, apart from the programs in `[tools]`.

    Attributes
    ----------
    bench_file
        The bench file, as it was given.
    bench_sha256
        Of the text `bench`.
    certificate_sha256
        Of `certificate.json`; empty without one.
    host
        System, machine and processor of the host.
    images
        Firmware images, by node; only those that are known to run on the nodes.
    note
        What the person who recorded it wrote (`gpiorig run --note`).
    """

    bench_file: str
    bench_sha256: str
    certificate_sha256: str = ""
    host: dict[str, str] = {}
    images: dict[str, ImageOrigin] = {}
    note: str = ""
