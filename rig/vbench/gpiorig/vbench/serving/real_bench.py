"""The bench that a served virtual bench is to the host: the same lines, with drivers, ports, adapters, and a mark."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.bench import written
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import Node
from gpiorig.vbench.serving.announcement import exports
from gpiorig.vbench.serving.process import Endpoints


def write(path: Path, bench: Bench, source: Path, endpoints: Endpoints) -> None:
    """Write the bench file of a virtual bench that runs; `source` is its own file, which images are relative to."""
    variables = endpoints["environment"]
    note = f"# The USB of this bench is a modelled one, for programs with its variables:\n# {exports(variables)}\n"
    with replacing(path) as new:
        new.write_text((note if variables else "") + written.text(_real(bench, source, endpoints)), encoding="utf-8")


def _real(bench: Bench, source: Path, endpoints: Endpoints) -> Bench:
    replace = msgspec.structs.replace
    analyzers = {
        name: replace(analyzer, driver=endpoints["analyzers"][name]) for name, analyzer in bench.analyzers.items()
    }
    nodes = {
        name: replace(
            node,
            serial=endpoints["serial"][name]["path"],
            debug=_debug(name, endpoints),
            firmware=_complete(node, source),
        )
        for name, node in bench.nodes.items()
    }
    return replace(bench, analyzers=analyzers, nodes=nodes, virtual=None, simulated=True)


def _debug(name: str, endpoints: Endpoints) -> str | None:
    """OpenOCD's end of a Cortex-M; of a TelosB the serial adapter with its modem lines, which a pty has not."""
    if name in endpoints["debug"]:
        url: str | None = endpoints["debug"][name]["url"]
    else:
        url = endpoints["serial"][name].get("rfc2217")
    return url


def _complete(node: Node, source: Path) -> str | None:
    return str((source.parent / node.firmware).absolute()) if node.firmware else None
