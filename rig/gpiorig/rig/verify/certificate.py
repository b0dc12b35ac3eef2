"""The certificate of a bench: what its verification found, of which bench file, and until when it is valid."""

from __future__ import annotations

import datetime
import hashlib
from pathlib import Path

import msgspec

from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.bench.certificate_file import place
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.errors import BenchError
from gpiorig.rig.verify.calibration import Calibration
from gpiorig.rig.verify.identity import Identity
from gpiorig.rig.verify.time_base import TimeBase

FORMAT = 1
VALID = datetime.timedelta(days=7)


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a verification found.

    Attributes
    ----------
    bench, bench_sha256
        Name of the bench, and the sum of its file.
    issued, valid_until
        ISO 8601 with offset.
    virtual
        Whether the bench was a virtual one; None: neither its file nor an answer of its boards tells.
    gpiorig
        Version of the program.
    findings
        All verdicts.
    identities, calibrations
        By node.
    time_bases
        By analyzer.
    """

    bench: str
    bench_sha256: str
    issued: datetime.datetime
    valid_until: datetime.datetime
    virtual: bool | None
    gpiorig: str
    findings: tuple[Finding, ...]
    identities: dict[str, Identity]
    calibrations: dict[str, Calibration]
    time_bases: dict[str, TimeBase]
    format: int = FORMAT

    @property
    def is_good(self) -> bool:
        """Whether nothing was found wrong."""
        return all(finding.verdict != "wrong" for finding in self.findings)


def bench_sha256(bench_file: Path) -> str:
    """The sum of a bench file."""
    return hashlib.sha256(bench_file.read_bytes()).hexdigest()


def write(path: Path, certificate: Certificate) -> None:
    """Write a certificate."""
    with replacing(path) as new:
        new.write_bytes(msgspec.json.format(msgspec.json.encode(certificate), indent=2) + b"\n")


def load(path: Path) -> Certificate | None:
    """Read a certificate; None where there is none.

    Raises
    ------
    BenchError
        The file is not a certificate.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Certificate)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise BenchError(f"{path} is not a certificate ({error}); verify the bench again, or delete it.") from error


def objection(bench_file: Path, *, now: datetime.datetime) -> str:
    """Why the bench has no valid certificate, and what to do; "" if it has one."""
    path = place(bench_file)
    certificate = load(path)
    remedy = f"run `gpiorig bench verify {bench_file}`"
    if certificate is None:
        return f"the bench was not verified: {remedy}"
    if certificate.bench_sha256 != bench_sha256(bench_file):
        return f"{path} is of another bench file than {bench_file} is now: {remedy}"
    if now > certificate.valid_until:
        return f"{path} has expired on {certificate.valid_until:%Y-%m-%d %H:%M}: {remedy}"
    if not certificate.is_good:
        wrong = next(finding for finding in certificate.findings if finding.verdict == "wrong")
        return f"{path} states that {wrong.about} is wrong: {wrong.what}; correct it, then {remedy}"
    return ""
