"""Cases of text: tables of levels, logs of nodes."""

from __future__ import annotations

from . import seeds
from .case import Case, Verdict, info

HEAD = b"time,channel,level\n"
TRACE = b"timestamp,observer_id,node_id,pin_name,value\n"
DIGITS = b"9" * 5000


def names_of_0xff() -> bytes:
    """60 names that three bytes each would be made of (F1)."""
    rows = b"".join(b"%d,a,%d\n" % (i, i & 1) for i in range(9000))
    return HEAD + rows + b"".join(b"%d,%s%02d,1\n" % (9000 + i, b"\xff" * 16_000, i) for i in range(60))


def pins_of_0xff() -> bytes:
    """The same in a FlockLab trace."""
    rows = b"".join(b"%d.0000000,1,1,LED1,%d\n" % (1_700_000_000 + i, i & 1) for i in range(4000))
    names = (b"%d.0000000,1,1,%s%02d,1\n" % (1_700_004_000 + i, b"\xff" * 16_000, i) for i in range(63))
    return TRACE + rows + b"".join(names)


def many_names() -> bytes:
    """200 000 channels."""
    return HEAD + b"".join(b"%d,name%06d,1\n" % (i, i) for i in range(200_000))


def times() -> list[Case]:
    """Times and levels that cannot be, in the middle of a table."""
    words = (b"nan", b"inf", b"1e400", DIGITS, b"1." + DIGITS, b"", b"12:00", b"1;2", b"\0")
    good = seeds.state_changes()
    middle = good.find(b"\n", len(good) // 2) + 1
    return [
        *(
            info("csv", f"time {word[:20]!r} of {len(word)} bytes", good[:middle] + word + b",a,1\n" + good[middle:])
            for word in words
        ),
        *(
            info("csv", f"level {word!r}", good[:middle] + b"999999999,a," + word + b"\n" + good[middle:])
            for word in (b"nan", b"2", b"-1", b"\0")
        ),
        info("csv", "time goes back", good + b"5,a,1\n", "put in the order of time", verdict=Verdict.MARK),
    ]


def tables() -> list[Case]:
    """Damage of entire tables."""
    good = seeds.state_changes()
    return [
        info("csv", "60 names of 16 KB of 0xFF", names_of_0xff, memory=True),
        info("flocklab_gpio", "63 pins of 16 KB of 0xFF", pins_of_0xff, memory=True),
        info("csv", "200 000 names", many_names, memory=True),
        info("csv", "a row with an empty name", HEAD + b"0,a,0\n1,a,1\n2,,1\n3,b,1\n4,b,0\n5,b,1\n6,c,1\n7,c,0\n"),
        info("csv", "9000 columns", b"time" + b",x" * 9000 + b"\n" + b"0" + b",1" * 9000 + b"\n", memory=True),
        info("csv", "a line of 10 MB", HEAD + b"0,a,1\n1," + b"a" * 10_000_000 + b",1\n", memory=True),
        info("csv", "no rows", HEAD, "it has no rows", verdict=Verdict.MARK),
        info("csv", "two columns of one name", b"time,a,a\n0,0,1\n1,1,0\n"),
        info(
            "saleae_csv",
            "time goes back",
            seeds.saleae_csv() + b"0.000001,1,1,1\n",
            "put in the order of time",
            verdict=Verdict.MARK,
        ),
        info("saleae_csv", "a level is 7", seeds.saleae_csv() + b"99.0,7,1,1\n"),
        info("saleae_csv", "a field too many", seeds.saleae_csv() + b"99.0,1,1,1,1\n"),
        info("saleae_csv", "a field too few", seeds.saleae_csv() + b"99.0,1,1\n"),
        info("flocklab_gpio", "a time of 30 digits", TRACE + b"1" * 30 + b".0000000,1,1,LED1,1\n"),
        info("flocklab_gpio", "an empty pin", TRACE + b"1700000000.0000000,1,1,,1\n1700000001.0000000,1,1,LED1,1\n"),
        info("sigrok_csv", "a sample is 2", seeds.sigrok_csv() + b"2,1,1\n"),
        info("sigrok_csv", "a sample has a field too few", seeds.sigrok_csv() + b"1,1\n"),
        info("sigrok_csv", "samplerate of 5000 digits", seeds.sigrok_csv().replace(b"1 MHz", b"9" * 400 + b" Hz")),
        *(
            info(format_, "the last byte of each line changed to NUL", _nul(seeds.seed(format_).content))
            for format_ in ("csv", "saleae_csv", "sigrok_csv")
        ),
        info("csv", "a row with a field too many", good + b"999999999,a,1,1,1\n", "more fields than columns"),
        info(
            "csv", "a date among numbers", good + b"0000-01-01T00:00:00,a,1\n", "a date where those before are numbers"
        ),
        info("csv", "bytes that are not text", bytes(range(256)) * 20),
        info("csv", "CR LF line ends", good.replace(b"\n", b"\r\n"), "a", verdict=Verdict.SAME),
    ]


def _nul(content: bytes) -> bytes:
    head, _, rows = content.partition(b"\n")
    return head + b"\n" + rows.replace(b"1\n", b"\0\n")


def logs() -> list[Case]:
    """Logs whose broken lines are counted, and whose other lines are read."""
    stamps = {"10 digits of seconds": b"9999999999.000000", "30 digits": b"1" * 30, "5000 digits": DIGITS + b".0"}
    nodes = {"../../x": b"../../x", "NUL": b"m3\0-1", "70 KB": b"m" * 70_000}
    cases = []
    for name, stamp in stamps.items():
        cases.append(_log("iotlab_log", f"stamp of {name}", stamp + b";m3-1;x"))
        cases.append(_log("flocklab_serial", f"stamp of {name}", stamp + b",3,1,r,x"))
    for name, node in nodes.items():
        cases.append(_log("iotlab_log", f"node {name}", b"1700000000.000000;" + node + b";x"))
        cases.append(_log("flocklab_serial", f"node {name}", b"1700000000.0000000,3," + node + b",r,x"))
    cases.append(_log("iotlab_log", "a line without separators", b"garbage"))
    cases.append(_log("flocklab_serial", "a direction of its own", b"1700000000.0000000,3,1,q,x"))
    cases.append(_log("cooja_log", "a time of 5000 digits of minutes", b"1" * 5000 + b":00.000\tID:1\tx"))
    cases.append(_log("text_log", "an hour of 5000 digits", b"[" + b"1" * 5000 + b":00:00.000,000] x"))
    cases.append(_log("text_log", "a line without a time", b"garbage"))
    return cases


def _log(format_: str, name: str, line: bytes) -> Case:
    seed = seeds.seed(format_)
    return info(format_, name, seed.content + line + b"\n", "1", verdict=Verdict.MARK)


def cases() -> list[Case]:
    """All of them."""
    return [*times(), *tables(), *logs()]
