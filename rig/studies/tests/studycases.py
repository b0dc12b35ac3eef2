"""Synthetic results of studies: tables of quantities built by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from gpiorig.studies.pages.description import Published, Show
from gpiorig.studies.pages.results import PointResult, StudyResults

SAMPLERATE_HZ = 24_000_000


def rows(quantity, values, *, node="initiator", unit="ns", held=None, lacking=0):
    """Rows of a table of quantities: one per value, and one without a value per lacking one."""
    count = len(values)
    numbers = [float(value) for value in values] + [None] * lacking
    samples = [round(value * SAMPLERATE_HZ / 1e9) if value is not None and unit == "ns" else None for value in numbers]
    return pa.table(
        {
            "quantity": pa.array([quantity] * (count + lacking), pa.string()),
            "node": pa.array([node] * (count + lacking), pa.string()),
            "packet_row": pa.array(range(count + lacking), pa.int32()),
            "packet_id": pa.array(range(count + lacking), pa.int32()),
            "start_sample": pa.array(range(count + lacking), pa.int64()),
            "samples": pa.array(samples, pa.int64()),
            "held_samples": pa.array([*(held if held is not None else [None] * count), *[None] * lacking], pa.int64()),
            "value": pa.array(numbers, pa.float64()),
            "unit": pa.array([unit] * (count + lacking), pa.string()),
        }
    )


def table(*parts):
    """A table of several quantities."""
    return pa.concat_tables(parts).replace_schema_metadata({"samplerate_hz": str(SAMPLERATE_HZ)})


def point(coordinates, content, *, repeat=0, state="done", reason=""):
    """A point of a study."""
    digest = f"{abs(hash((tuple(coordinates.items()), repeat))):016x}"
    return PointResult(digest, coordinates, repeat, state, reason, content)


def round_trips(rng, median_ns, *, packets=100, spread_ns=2.24e6):
    """Round-trip times as a node with random backoff has them."""
    return median_ns + spread_ns * rng.random(packets)


def study(shows, points, **more):
    """Results with the axes that the points have."""
    axes = {}
    for one in points:
        for name, value in one.coordinates.items():
            axes.setdefault(name, [])
            if value not in axes[name]:
                axes[name].append(value)
    fields = {
        "name": "000-interference",
        "document": "seeds/000",
        "figure": "4.7.1",
        "title": "Round trips under interference",
        "axes": axes,
        "quantities": {},
        "shows": shows,
        "published": (),
        "points": points,
    }
    return StudyResults(**(fields | more))


def interference(*, repeats=4, failed=True):
    """A study of two protocols over the rate of interference, with published values and a failed point."""
    rng = np.random.default_rng(17)
    points = []
    for protocol, base in (("UDP", 8e6), ("MAC", 6e6)):
        for rate in (0, 4, 8, 12, 16, 20):
            for repeat in range(repeats):
                times = round_trips(rng, base, spread_ns=2.24e6 * (1 + rate / 8) * (1 + 0.3 * rng.random()))
                lost = (rng.random(100) < 0.002 * rate).astype(float)
                broken = failed and rate == 12 and repeat < (repeats if protocol == "MAC" else 1)
                content = table(
                    rows("rtt", times, lacking=2),
                    rows("loss", lost, unit="share"),
                    rows("retried", rng.random(100) < 0.01 * rate, unit="share", node="initiator"),
                    rows("retried", rng.random(100) < 0.02 * rate, unit="share", node="responder"),
                    rows("span of udp.checksum", 22_000 + 100 * rng.random(50), node="initiator"),
                    rows("span of udp.checksum", 26_000 + 900 * rng.random(50), node="responder"),
                    rows("span of sixlowpan.compress", 9_000 + 10 * rng.random(50)),
                    rows("goodput", [80_000 - 900 * rate + 900 * rng.random()], unit="bit/s", node="responder"),
                )
                coordinates = {"protocol": protocol, "interference in packets/s": rate}
                reason = "check failed: 3 events of responder are lost" if broken else ""
                points.append(
                    point(coordinates, content, repeat=repeat, state="failed" if broken else "done", reason=reason)
                )
    published = (
        Published(
            source="4.7.1",
            y="rtt.p2p",
            values=(
                {"protocol": "UDP", "interference in packets/s": 0, "value": "10 ms"},
                {"protocol": "UDP", "interference in packets/s": 20, "value": "35 ms"},
                {"protocol": "MAC", "interference in packets/s": 0, "low": "8 ms", "high": "12 ms"},
                {"protocol": "MAC", "interference in packets/s": 20, "value": "40 ms", "plus_minus": "3 ms"},
            ),
            n=1000,
            differs="RIOT of 2018; sleeps of 1 s to 200 ms; nodes of a public testbed; payload unknown",
        ),
    )
    x = "interference in packets/s"
    shows = (Show("line", ("rtt.p2p", "rtt.p99 - rtt.p1", "loss"), x=x, series="protocol"),)
    return study(
        shows,
        points,
        published=published,
        settings=("2 IoT-LAB M3 and 4 senders.", "100 packets a run.", "Reference firmware, threads."),
    )
