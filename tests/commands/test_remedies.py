"""Each remedy that an error names works on the file that caused the error: it is taken out of the message, and run.

A case has a file, a command that is refused, and a part of the reason. What the message offers is run: a command in
backticks as it stands (one that writes a file with the shell, and then the refused command on what it wrote), options
added to the refused command, `WHAT=NAME` added to its `--columns`. A message that leaves something to fill in fails.
"""

from __future__ import annotations

import gzip
import re
import shlex
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from commandline import Finished, gpiorig

BACKTICKS = re.compile(r"`([^`]+)`")
ADDED = re.compile(r"add (\w+=\S+) to --columns")
VALUE = r"(?:'[^']*'|[^\s;]+)"
OPTION = "|".join(
    [
        *("--recover", "--sort", "--across-nodes", r"--samplerate \d\w*", r"--unitsize \d", r"--format \w+"),
        *(
            rf"--columns '?\w+={VALUE}",
            rf"--channels (?!names ){VALUE}",
            r"--max-gap \d\w*",
            r"--(?:from|to) \d+sa",
            r"--skew \S+ \S+",
        ),
    ]
)
OPTIONS = re.compile(rf"(?:(?:{OPTION})[;.]?\s?)+")
TO_FILL = re.compile(r"…|\b(?!FILE\b)[A-Z]{4,}\b")


@dataclass(frozen=True, slots=True)
class Case:
    """A file that is refused, and what helps.

    Attributes
    ----------
    name, content
        The file; of several, each with its name.
    words
        The command; FILE and OUT stand for the file and a name that is free.
    reason
        In the error.
    expected
        In what the remedy prints.
    count
        Remedies that the message offers.
    status
        Of the refused command; 0 for one that prints a hint.
    """

    name: str
    content: str | bytes
    arguments: str
    reason: str
    expected: str
    count: int = 1
    status: int = 2


def groups(row: str, *, header: str = "") -> str:
    """300 groups of three rows; `row` is a format of group, row and level."""
    rows = (row.format(group=group, row=at, level=at % 2) for group in range(300) for at in range(3))
    return "\n".join([header] * bool(header) + [*rows, ""])


def unsorted(row: str, *, header: str = "") -> str:
    """Rows whose times go up and down more often than can be merged; `row` is a format of time and level."""
    rows = (row.format(time=617 * number % 1000 / 1000, level=number % 2) for number in range(1000))
    return "\n".join([header] * bool(header) + [*rows, ""])


def saleae_bin(*times_s: float) -> bytes:
    """A digital export of Logic 2, version 0."""
    return b"<SALEAE>" + struct.pack(f"<iiIddQ{len(times_s)}d", 0, 0, 0, 0.0, 1.0, len(times_s), *times_s)


def late_ack() -> bytes:
    """A capture of frames without FCS: one that asks for an acknowledgement, one 5 ms later, and another frame."""
    frames = [(0, "618807cdab00000100"), (5000, "020007"), (900_000, "418808cdab00000100")]
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 230)
    for at_us, frame in frames:
        data = bytes.fromhex(frame)
        content += struct.pack("<IIII", 1_700_000_000, at_us, len(data), len(data)) + data
    return content


def cut_sr(share: float) -> bytes:
    """A sigrok session that was cut short."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sr"
        rows = "".join(f"{number / 1000},{number % 2}\n" for number in range(20_000))
        (Path(folder) / "a.csv").write_text(f"time,a\n{rows}")
        gpiorig("export", Path(folder) / "a.csv", "-o", path)
        data = path.read_bytes()
    return data[: int(len(data) * share)]


TABLE = "time,a\n0,0\n0.001,1\n0.002,0\n"
LOG = "[1.5] tx 1\n[1.75] rx 1\n[2.75] rx 2\n[2.5] tx 2\n"
TOGGLES = "t,a,b\n" + "".join(f"{n},{n % 2},{1 - (n - 1) % 2}\n{n}.01,{n % 2},{1 - n % 2}\n" for n in range(20))
PAIRS = r"--request '\[(?P<time>[\d.]+)\] tx (?P<id>\d+)' --response '\[(?P<time>[\d.]+)\] rx (?P<id>\d+)'"
GAP = "time,a\n0,0\n1,1\n2,X\n4,0\n5,1\n"
NINE = "a,b,c,d,e,f,g,h,i"
CASES = [
    # Columns of a table
    Case("a.csv", "tick,a,b\n0,0,1\n0.5,1,1\n", "info FILE", "no column that is a time", "a: 1 edge"),
    Case("a.csv", "time,a,note\n0,0,p\n1,1,q\n2,0,q\n", "info FILE", "'note' holds 'p'", "edge", 2),
    Case("a.csv", "time,a,b,v\n0,0,1,3.3\n1,1,1,3.2\n", "info FILE", "'v' holds '3.3'", "a: 1 edge"),
    Case("a.csv", "when,what,to\n1,A,high\n2,A,low\n3,A,high\n", "info FILE", "'what' holds 'A'", "2 edges", 2),
    Case("a.csv", "0.5,7,LED1,1\n0.6,8,LED1,0\n0.7,7,LED1,0\n", "info FILE", "column 2 holds '7'", "7.LED1: 1 edge"),
    Case("a.csv", "0.5,p,1,0\n0.6,q,1,1\n0.7,p,0,0\n", "info FILE", "column 2 holds 'p'", "column4: 2 edges"),
    Case("a.csv", "time,pin,to\n0,a,0\n1,a,1\n", "info FILE --columns channel=pin", "needs a level", "a: 1 edge"),
    Case("a.csv", "time,pin,to\n5,a,0\n6,a,1\n", "info FILE --columns channel=pin,level=time", "holds", "a: 1 edge"),
    Case("a.csv", "ticks,a\n0,0\n5,1\n", "info FILE --columns unit=samples,time=ticks", "count samples", "24 MHz"),
    Case("a.csv", "0;00\n1;01\n2;11\n", "info FILE", "several levels in one field", "D[1]: 1 edge"),
    Case("a.csv", groups("{group},{row}.5,1{level}"), "info FILE", "several levels", "299 gaps between groups"),
    Case("a.csv", TABLE, "info FILE --columns separator=xx", "'xx' is not a separator", "a: 2 edges"),
    # The order of rows
    Case("a.csv", groups("{group},0.{row},{level}"), "info FILE", "not levels: column 2", "299 gaps between groups"),
    Case("a.csv", groups("{group},{row},{level}", header="p,time,a"), "info FILE", "'p' holds '2'", "299 gaps between"),
    Case(
        "a.csv", groups("{row},{group},{level}", header="t,p,a"), "info FILE --channels a", "back in time", "299 gaps"
    ),
    Case("a.csv", groups("{group},{row},{row},{level}"), "info FILE --columns time=2,levels=4", "back in", "299 gaps"),
    Case("a.csv", unsorted("{time},{level}"), "info FILE", "goes back in time more than 256", "999 edges"),
    Case("a b.csv", unsorted("n;{time};{level}", header="x;time;a"), "info FILE --channels a", "back", "999 edges"),
    Case("a.csv", unsorted("{time}\t{level}", header="# c\ntime\ta"), "info FILE", "goes back in time", "999 edges"),
    Case("a.csv", "g,t,a\n1,5,0\n1,4,1\n2,1,0\n", "info FILE --columns group=g", "within a group", "1 gap between"),
    # Delays
    Case("a.csv", "seq,rtt_ms\n1,12.5\n2,13.5\n3,14.5\n", "info FILE", "no column that is a time", "3 delays, min 12"),
    Case("a.csv", "t_s,n,delay_us\n0.2,7,815\n0.3,1,940\n", "measure FILE --period a", "numbers", "2 delays, min 8"),
    Case("a.txt", "12.5\n13.5\n14.5\n", "info FILE", "is a list of numbers", "3 delays, min 12.5 ms"),
    Case("a.txt", "1; 12.5\n2; 13.5\n", "info FILE", "table of numbers that are not levels", "2 delays, min 12.5 ms"),
    Case("a.csv", "seq,l_us,n\n1,12.5,3\n2,13.5,3\n", "info FILE", "no column that is a time", "2 delays, min 12.5 µs"),
    Case("a.csv", "0.5,ID:3,boot\n0.6,ID:4,send 1\n", "info FILE", "holds 'ID:3'", "", 0),
    # Binary files
    Case("a.smp", bytes([0, 0, 1, 1, 129]) * 50, "info FILE", "bare samples", "D0: 99 edges"),
    Case("a.smp", bytes([0, 0, 1, 1, 129]) * 50, "export FILE -o b.csv", "bare samples", "b.csv: samples 0 to 250"),
    Case("a.csv", "0;00\n1;01\n2;11\n", "export FILE -o b.vcd", "several levels in one", "b.vcd: samples 0 to 3"),
    Case("a.bin", bytes([0, 0, 1, 1, 129]) * 50, "info FILE", "contains no samplerate", "D0: 99 edges"),
    Case("a.dat", b"0.5;12.5\n0.6;13.5\n", "info FILE", "numbers that are not levels", "2 delays, min 12.5 ms"),
    Case("a.bin", b"PROP\0\1\2\3" + bytes(range(256)), "info FILE", "it has a header, 'PROP'", "", 0),
    Case("a.csv.gz", gzip.compress(TABLE.encode()), "info FILE", "it is compressed", "a: 2 edges"),
    Case("a.bin", saleae_bin(0.1, 0.1234567891234), "info FILE", "rate", "2 edges"),
    Case("a.sr", cut_sr(0.8), "info FILE", "--recover", "a: "),
    Case(
        "a.bin",
        bytes(1002),
        "info FILE --samplerate 1MHz --unitsize 4",
        "integer number of samples",
        "1\N{NARROW NO-BREAK SPACE}002 samples",
    ),
    Case("a.bin", bytes(10), f"info FILE --samplerate 1MHz --unitsize 1 --channels {NINE}", "do not fit", "i: 0 edges"),
    # Times
    Case("a.csv", "1700000000000,0\n1700000000500,1\n", "info FILE", "64 bits", "sample 0 is 2023-11-14T22:13:20"),
    Case("a.csv", "time,a\n99999.5,0\n99999.123456789123456,1\n", "info FILE", "64 bits", "24 MHz"),
    # Gaps that a format lacks
    Case("a.csv", GAP, "export FILE -o b.sr", "samples 2 to 4 are not known", "b.sr: samples", 2),
    Case("a.csv", GAP, "export FILE -o b.csv --as flocklab_gpio", "samples 2 to 4", "b.csv: samples 0 to 2"),
    # Hints with a result
    Case(
        "a.csv", "p,t,a\n1,0,0\n1,1,1\n2,0,1\n2,2,0\n", "info FILE --channels a", "begin again", "1 gap between", 1, 0
    ),
    Case("a.log", LOG, f"latency FILE {PAIRS} --max-gap 1s", "earlier than the line before", "2 pairs", 1, 0),
    Case("a.pcap", late_ack(), "latency FILE", "but not 192 to 864 µs after", "acknowledged after: n 1, min 5", 1, 0),
    Case("a.csv", TOGGLES, "measure FILE --skew a b", "both pins toggle", "19 delays", 1, 0),
]


def remedies(message: str, arguments: list[str]) -> Iterator[tuple[str, list[str]]]:
    """What a message offers: a command of the shell, or "", and then a call of gpiorig."""
    shell = ""
    for command in BACKTICKS.findall(message):
        if command.startswith("gpiorig ") and "--value" in command:
            yield "", shlex.split(command)[1:]
        elif " > " in command:
            shell = command
            arguments = [argument if argument != "FILE" else command.split()[-1] for argument in arguments]
    rest = BACKTICKS.sub("", message)
    for added in ADDED.findall(rest):
        given = [arguments[arguments.index("--columns") + 1]] if "--columns" in arguments else []
        yield shell, [*arguments, "--columns", ",".join([*given, added])]
    options = OPTIONS.findall(ADDED.sub("", rest))
    for option in options:
        yield shell, [*arguments, *shlex.split(option.strip(" ;.\n"))]
    if shell and not options:
        yield shell, arguments


def run(arguments: list[str], path: Path) -> Finished:
    return gpiorig(*(argument if argument != "FILE" else path for argument in arguments))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.arguments[:24]}: {case.reason[:30]}")
def test_a_remedy_works(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken out of the message, as it stands."""
    monkeypatch.chdir(tmp_path)
    path = Path(case.name)
    path.write_bytes(case.content if isinstance(case.content, bytes) else case.content.encode())
    arguments = shlex.split(case.arguments)
    refused = run(arguments, path)
    assert case.status == refused.status
    message = refused.stderr if case.status else refused.stdout
    assert case.reason in message

    offered = list(remedies(message[message.index(case.reason) :], arguments))
    assert case.count == len(offered), offered
    for shell, call in offered:
        assert not TO_FILL.search(" ".join([shell, *call]))
        if shell:
            subprocess.run(["bash", "-c", shell], check=True)
        for output in Path().glob("b.*"):
            output.unlink()
        done = run(call, path)
        assert 0 == done.status, (call, done.stderr)
        assert case.expected in done.stdout


@pytest.mark.slow
def test_files_whose_samplerates_have_no_common_multiple(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate that the error names takes both."""
    monkeypatch.chdir(tmp_path)
    for name, rate in (("a", 999_999_937), ("b", 999_999_929)):
        Path(f"{name}.csv").write_text(f"# gpiorig: samplerate {rate}/1 Hz, epoch \ntime,{name}\n0,0\n1,1\n")
    call = ["import", "a.csv", "b.csv", "-o", "run"]
    refused = gpiorig(*call)
    assert (2, True) == (refused.status, "no common multiple" in refused.stderr)

    ((_, offered),) = remedies(refused.stderr, call)
    done = gpiorig(*offered)
    assert 0 == done.status, done.stderr
    assert Path("run/recording.toml").exists()
