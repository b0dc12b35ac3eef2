"""A served virtual bench as a real one: the bench file that `gpiorig bench virtual --bench-file` writes."""

from __future__ import annotations

from pathlib import Path

import msgspec
from virtualbench import bench_text

from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.vbench.serving import real_bench

ENDPOINTS = {
    "analyzers": {"la": "beaglelogic:conn=tcp-raw/127.0.0.1/4000"},
    "serial": {"node": {"path": "/dev/pts/7"}},
    "environment": {},
    "debug": {"node": {"port": 4001, "openocd": "…", "url": "remote_bitbang://127.0.0.1:4001"}},
}


def test_a_served_bench_has_a_real_bench_file(tmp_path: Path) -> None:
    """Same lines and rates; driver, port, debug adapter and image are complete; of [virtual] a mark is left."""
    virtual = benches.loads(bench_text().replace('board = "iotlab-m3"', 'board = "iotlab-m3"\nfirmware = "my.elf"'))
    file = tmp_path / "served.toml"

    real_bench.write(file, virtual, tmp_path / "bench.toml", ENDPOINTS)

    given = msgspec.structs.replace(
        virtual.nodes["node"],
        serial="/dev/pts/7",
        debug="remote_bitbang://127.0.0.1:4001",
        firmware=str(tmp_path / "my.elf"),
    )
    analyzer = msgspec.structs.replace(virtual.analyzers["la"], driver="beaglelogic:conn=tcp-raw/127.0.0.1/4000")
    assert Bench("test", {"la": analyzer}, {"node": given}, simulated=True) == benches.load(file)


def test_a_board_without_jtag_is_flashed_over_its_modem_lines(tmp_path: Path) -> None:
    """As the TelosB, whose virtual port has them by RFC 2217 only."""
    serial = {"node": {"path": "/dev/pts/7", "rfc2217": "rfc2217://127.0.0.1:4002"}}
    file = tmp_path / "served.toml"

    real_bench.write(file, benches.loads(bench_text()), file, ENDPOINTS | {"serial": serial, "debug": {}})

    assert "rfc2217://127.0.0.1:4002" == benches.load(file).nodes["node"].debug
