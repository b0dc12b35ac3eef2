"""`gpiorig bench verify`: each board proves its wiring, and a certificate is written."""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import msgspec

from gpiorig.rig.bench import certificate_file
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import images
from gpiorig.rig.host import log_file
from gpiorig.rig.verify import certificate as certificates
from gpiorig.rig.verify.certificate import Certificate
from gpiorig.rig.verify.verification import verify

KINDS = {True: "virtual bench", False: "bench of boards", None: "bench; whether its boards are virtual was not asked"}


def run(bench: Bench, file: Path, options: argparse.Namespace) -> int:
    """Verify, write the certificate, and print it; 1 if something is wrong."""
    path = options.output or certificate_file.place(file)
    valid = datetime.timedelta(seconds=float(options.valid))
    before = certificates.load(path)
    with (
        tempfile.TemporaryDirectory(prefix="gpiorig-verify-") as folder,
        log_file.replaced(log_file.of_certificate(path)),
    ):
        result = verify(
            bench,
            file,
            folder=options.keep or Path(folder) / "recording",
            firmware=images.images(bench, bench_file=file) if bench.virtual else {},
            reset=options.reset,
            ask=_ask,
            before=before.identities if before else {},
            duration_s=0.0 if bench.virtual else float(options.duration),
        )
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    certificate = Certificate(
        bench=bench.name,
        bench_sha256=certificates.bench_sha256(file),
        issued=now,
        valid_until=now + valid,
        virtual=result.is_virtual(bench),
        gpiorig=version("gpiorig"),
        findings=tuple(result.findings),
        identities=result.identities,
        calibrations=result.calibrations,
        time_bases=result.time_bases,
    )
    certificates.write(path, certificate)
    if options.json:
        print(msgspec.json.encode(certificate).decode())
    else:
        _print(certificate, path)
    return int(not certificate.is_good)


def _print(certificate: Certificate, path: Path) -> None:
    print(f"{certificate.bench}: {KINDS[certificate.virtual]}")
    for finding in certificate.findings:
        print(f"  {finding}")
    wrong = sum(finding.verdict == "wrong" for finding in certificate.findings)
    verdict = f"{wrong} wrong" if wrong else "nothing is wrong"
    print(f"{verdict}; certificate {path}, valid until {certificate.valid_until:%Y-%m-%d %H:%M} UTC")


def _ask(text: str) -> None:
    """Ask a person, who has a terminal."""
    if not sys.stdin.isatty():
        raise BenchError(f"{text} It needs a terminal to answer on: use a firmware with the command `prove`.")
    input(f"{text} ")
