"""What the first bytes of a binary file show: a header, or that it is compressed."""

from __future__ import annotations

import re

# The name of a format: "<SALEAE>", "%RLD", "HDF", "ELF" (those two after a byte that is not a letter). Samples dwell on
# a level, so that few bytes differ from the one before.
NAME = re.compile(rb"(?=[!-\xff]{4})[\x7f-\xff]?[!-~]?(?=[A-Za-z]{3})(?!(.)\1)[!-~]{3,16}", re.DOTALL)
TEXT = re.compile(rb"[\t\r\n\x1b -~\x80-\xf4]*\n[\t\r\n\x1b -~\x80-\xf4]*")  # of UTF-8, a line at least
ZIP = b"PK\x03\x04"
PACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def header(head: bytes) -> str:
    """Return the name that a file begins with, as text; "" for one that may be bare samples."""
    if head.startswith(ZIP):
        return "PK (zip)"
    match = NAME.match(head)
    return match[0].decode("ascii", "backslashreplace") if match else ""


def is_bare(head: bytes) -> bool:
    """Whether a file may be records or samples without a header: it is not text, and nothing names a format."""
    return bool(head) and not (header(head) or packer(head) or TEXT.fullmatch(head))


def packer(head: bytes) -> str:
    """Return the program whose output a file is, such as "gzip"; "" for any other."""
    return next((name for magic, name in PACKERS.items() if head.startswith(magic)), "")
