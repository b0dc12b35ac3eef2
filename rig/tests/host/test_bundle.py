"""The archive for an issue: what is in it, and that nothing private is."""

from __future__ import annotations

import os
import pwd
import zipfile
from pathlib import Path

import pytest
from usbtree import UsbTree

from gpiorig.capture.errors import FormatError
from gpiorig.rig.errors import RigError
from gpiorig.rig.host import bundle, log_file
from gpiorig.rig.host.anonymous import Anonymous

ALICE = pwd.struct_passwd(("alice", "x", os.getuid(), os.getgid(), "Alice Example,,,", "/srv/alice", "/bin/sh"))
BENCH = """\
[nodes.a]
serial = "/dev/serial/by-id/usb-FTDI_Dual_RS232_A50285BI-if01-port0"
debug = "066CFF515056"
[nodes.b]
debug = "usb:1-3"
"""


@pytest.fixture
def private(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alice's machine, `lab-pc`."""
    monkeypatch.setattr(pwd, "getpwuid", lambda _: ALICE)
    monkeypatch.setattr("socket.gethostname", lambda: "lab-pc.example.org")
    monkeypatch.setenv("SYSFS_PATH", str(tree.sys))
    monkeypatch.setenv("HOME", "/srv/alice")
    monkeypatch.setenv("LAB_TOKEN", "s3cr3t-and-long")
    tree.device("1-9", "0403:6010", serial="ZX81SPECTRUM")


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/srv/alice/runs/1 of alice on LAB-PC (lab-pc.example.org)", "~/runs/1 of USER on HOST (HOST)"),
        ("Alice Example's malice", "USER's malice"),
        ("/home/bob/run, made by bob", "/home/USER/run, made by USER"),
        ("curl -H s3cr3t-and-long", "curl -H $LAB_TOKEN"),
        (BENCH.splitlines()[1], 'serial = "/dev/serial/by-id/usb-FTDI_Dual_RS232_...85BI-if01-port0"'),
        (f"{BENCH.splitlines()[2]}; adapter serial 066CFF515056", 'debug = "...5056"; adapter serial ...5056'),
        (BENCH.splitlines()[4], BENCH.splitlines()[4]),
        ("usb 1-9: 0403:6010, serial ZX81SPECTRUM, 480 Mbit/s", "usb 1-9: 0403:6010, serial ...TRUM, 480 Mbit/s"),
        (
            "    usb 2-1: 1d50:608c x, serial OTHERS99, 480 Mbit/s",
            "    usb 2-1: 1d50:608c x, serial ...RS99, 480 Mbit/s",
        ),
    ],
)
def test_what_is_private_is_replaced(text: str, expected: str) -> None:
    """Names of users, hosts and homes as full words, secrets of the environment, serial numbers but for their end."""
    assert expected == Anonymous.of([text]).text(text)


@pytest.mark.usefixtures("private")
def test_an_archive_of_a_failed_run(tmp_path: Path) -> None:
    """Its log lies next to where the recording should have been; the bench's certificate and its log go in, too."""
    bench = tmp_path / "bench.toml"
    bench.write_text(BENCH)
    (tmp_path / "bench.certificate.json").write_text("{}")
    log_file.of_certificate(tmp_path / "bench.certificate.json").write_text("verified by alice\n")
    log_file.of_failure(tmp_path / "run").write_text("alice\n")
    archive = bundle.collected("ok\n", bench=bench, experiment=None, recording=tmp_path / "run", with_data=True)
    archive.write(tmp_path / "issue.zip")

    with zipfile.ZipFile(tmp_path / "issue.zip") as file:
        names = file.namelist()
        content = b"".join(file.read(name) for name in names)
    expected = {"doctor.txt", "machine.txt", "bench.toml", "certificate.json", "certificate.log.txt"}
    assert expected | {"recording.log.txt", "doctor.log.txt"} == set(names)
    assert not [word for word in (b"alice", b"lab-pc", b"A50285BI", b"066CFF", b"ZX81") if word in content]
    assert "by: USER 2 times" in archive.listing()[-2]


def test_nothing_outside_of_a_recording_goes_in(tmp_path: Path) -> None:
    """A link in a stranger's recording would send a file of the user."""
    (tmp_path / "secret").write_text("secret")
    for name in ("recording.toml", "edges/000000.seg"):
        folder = tmp_path / name.partition("/")[0] / "run"
        link = folder / name
        link.parent.mkdir(parents=True)
        link.symlink_to(tmp_path / "secret")
        (folder / "log.txt").write_text("")
        with pytest.raises(FormatError, match="is a link"):
            bundle.collected("", bench=None, experiment=None, recording=folder, with_data=True)
    with pytest.raises(RigError, match="no log of an attempt"):
        bundle.collected("", bench=None, experiment=None, recording=tmp_path / "none", with_data=False)
