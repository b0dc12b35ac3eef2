"""Cases of dense and binary formats: VCD, raw samples, Saleae's exports, packet captures, FlockLab's ticks, Arrow."""

from __future__ import annotations

import struct
from pathlib import Path

from . import seeds
from .case import Case, Verdict, command, info

VCD = b"$timescale 1 us $end\n$scope module x $end\n%s$upscope $end\n$enddefinitions $end\n#0\n%s"
ONE = b"$var wire 1 ! a $end\n"
MANY = b"".join(b"$var wire 999999 a%d v%d $end\n" % (n, n) for n in range(300))
DIGITS = b"9" * 5000
SCOPE = b"$scope module s $end\n"


def vcds() -> list[Case]:
    """Value change dumps."""
    return [
        info("vcd", "300 variables of 999 999 bits", VCD % (MANY, b"1a0\n"), memory=True),
        info("vcd", "a width of 5000 digits", VCD % (b"$var wire " + DIGITS + b" ! a $end\n", b"1!\n")),
        info("vcd", "a range of 5000 digits", VCD % (b"$var wire 2 ! a [" + DIGITS + b":0] $end\n", b"b1 !\n")),
        info("vcd", "a samplerate of 400 digits", _noted(b"9" * 400)),
        info("vcd", "a samplerate of 5000 digits", _noted(DIGITS)),
        info("vcd", "time 10^30", VCD % (ONE, b"1!\n#" + b"9" * 30 + b"\n0!\n")),
        info("vcd", "time of 5000 digits", VCD % (ONE, b"1!\n#" + DIGITS + b"\n0!\n")),
        info("vcd", "time goes back", VCD % (ONE, b"1!\n#50\n0!\n#7\n1!\n"), "7"),
        info("vcd", "the header is cut", seeds.seed("vcd").content[:100]),
        info("vcd", "an unknown variable changes", VCD % (ONE, b"1!\n#5\n0?\n"), "is not declared"),
        info("vcd", "a word that VCD does not have", VCD % (ONE, b"1!\n#5\nhello\n")),
        info("vcd", "a timescale of 0", VCD.replace(b"1 us", b"0 us") % (ONE, b"1!\n")),
        info("vcd", "a timescale of 5000 characters", VCD.replace(b"1 us", b"1 " + b"u" * 5000) % (ONE, b"1!\n")),
        info("vcd", "no variables", VCD % (b"", b"")),
        info("vcd", "300 000 scopes within each other", lambda: SCOPE * 300_000 + VCD % (ONE, b"1!\n"), "256 scopes",
             memory=True),
        info("vcd", "10^6 variables", _many_variables, "16 MiB", memory=True),
    ]  # fmt: skip


def _many_variables() -> bytes:
    return VCD % (b"".join(b"$var wire 1 %x a%x $end\n" % (n, n) for n in range(10**6)), b"")


def _noted(rate: bytes) -> bytes:
    note = b"$comment gpiorig: samplerate %s/1 Hz, epoch  $end\n" % rate
    return note + VCD % (ONE, b"1!\n#5\n0!\n")


def saleae() -> list[Case]:
    """Binary exports of Logic 2."""
    make = seeds.saleae_bin
    return [
        *(
            info("saleae_bin", f"version {version}: count {count}", make(version, count=count), memory=True)
            for version in (0, 1)
            for count in (1, 1 << 31, 1 << 61, (1 << 64) - 1)
        ),
        *(
            info("saleae_bin", f"rate {rate} Hz", make(1, rate=rate))
            for rate in (0.0, -1.0, 5e-324, 1e300, float("nan"), float("inf"))
        ),
        info("saleae_bin", "no chunks", struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 0)),
        info("saleae_bin", "a time is NaN", make(1, times=[0.001, float("nan"), 0.002])),
        info("saleae_bin", "times go back", make(1, times=[0.001, 0.003, 0.002])),
        info("saleae_bin", "times beyond the end", make(1, times=[0.001, 1e300])),
        info("saleae_bin", "cut by 3 bytes", make(1)[:-3]),
        info("saleae_bin", "version 7", struct.pack("<8sii", b"<SALEAE>", 7, 0) + bytes(40)),
    ]


def packets() -> list[Case]:
    """Packet captures: what cannot be read is an error; what cannot be distinguished is reported."""
    lying, pcap = bytearray(seeds.pcapng()), seeds.pcap()
    block = lying.find(struct.pack("<I", 6), 100)
    lying[block + 4 : block + 8] = struct.pack("<I", 1 << 31)
    long = bytearray(pcap)
    long[24 + 8 : 24 + 12] = struct.pack("<I", 1 << 31)
    return [
        info("pcap", "the length of a block is 2^31", bytes(lying), file="a.pcapng"),
        info("pcap", "the length of a packet is 2^31", bytes(long), file="a.pcap"),
        info("pcap", "cut in a packet", pcap[:-5], "cut short", file="a.pcap", verdict=Verdict.MARK),
        info("pcap", "a link type that is not 802.15.4", pcap[:20] + struct.pack("<I", 1) + pcap[24:],
             "has no frame of IEEE 802.15.4: 10 of another protocol", file="a.pcap"),
        *(_exported(f"{key} {value}", seeds.pcapng(**{key: value})) for key, value in (
            ("resolution", 127), ("resolution", 0xFF), ("offset_s", (1 << 63) - 1), ("offset_s", -(1 << 63)),
            ("length", (1 << 32) - 1),
        )),
        info("pcap", "100 000 interfaces", lambda: seeds.pcapng(interfaces=100_000), "10", file="a.pcapng",
             verdict=Verdict.MARK, memory=True),
        info("pcap", "200 000 interfaces", lambda: seeds.pcapng(interfaces=200_000), "more than 131072 interfaces",
             file="a.pcapng", memory=True),
    ]  # fmt: skip


def _exported(name: str, content: bytes) -> Case:
    """Stamps or lengths that cannot be, read and written again."""

    def make(folder: Path) -> tuple[str | Path, ...]:
        (folder / "a.pcapng").write_bytes(content)
        return ("export", folder / "a.pcapng", "-o", folder / "b.pcapng")

    return command("pcap", f"{name}: export", Verdict.ORDERLY, make)


def others() -> list[Case]:
    """Raw samples, ticks, tables of columns."""
    cases = []
    for format_ in ("arrow", "parquet"):
        content = seeds.seed(format_).content
        for share in (2, 3, 10):
            cases.append(info(format_, f"a {share}th of it", content[: len(content) // share]))
        cases.append(info(format_, "its last 8 bytes are zeros", content[:-8] + bytes(8)))
    words = struct.pack("<3I", 1, 0x502, 0)
    return [
        *cases,
        info("flocklab_raw", "cut in a record", seeds.flocklab_raw()[:-3]),
        info("flocklab_raw", "a tick is 0", words + seeds.flocklab_raw(), verdict=Verdict.MARK),
        _raw("no samplerate is given", b"\1" * 100, "--unitsize", "1"),
        _raw("unitsize 0", b"\1" * 100, "--samplerate", "1MHz", "--unitsize", "0"),
        _raw("samplerate 0", b"\1" * 100, "--samplerate", "0", "--unitsize", "1"),
        _raw("cut in a sample", b"\1" * 101, "--samplerate", "1MHz", "--unitsize", "2"),
    ]


def _raw(name: str, content: bytes, *options: str) -> Case:
    def make(folder: Path) -> tuple[str | Path, ...]:
        (folder / "raw.bin").write_bytes(content)
        return ("info", folder / "raw.bin", "--format", "raw", *options)

    return command("raw", name, Verdict.ERROR, make)


def cases() -> list[Case]:
    """All of them."""
    return [*vcds(), *saleae(), *packets(), *others()]
