"""A modelled USB bus in a folder, sigrok-cli on it, and what it must have seen, to the sample."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpiorig.vbench.ends.usbbus import LIBRARY

DEVICES_BYTES = 4096
UNIT = 10**15  # of nanoseconds times uHz: one sample


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the truth: its kind (`start`, `lost`, `end`) and its keys."""

    kind: str
    keys: dict[str, str]

    def __getitem__(self, key: str) -> int:
        """An integer."""
        return int(self.keys[key])


class Bus:
    """A folder with a file `bus` of `items` (`device …`, `fault …`, `host …`), and the library in front of libusb."""

    def __init__(self, folder: Path, *items: str) -> None:
        self.folder = folder
        (folder / "lib").mkdir(parents=True)
        (folder / "lib/libusb-1.0.so.0").symlink_to(LIBRARY)
        self.configure(*items)

    def configure(self, *items: str) -> None:
        """Write other items; the state stays."""
        (self.folder / "bus").write_text("".join(f"{item}\n" for item in items))

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which programs see this bus in place of the machine's."""
        firmware = {"SIGROK_FIRMWARE_DIR": str(self.folder / "firmware")} if (self.folder / "firmware").exists() else {}
        return os.environ | {"GPIORIG_USB": str(self.folder), "LD_LIBRARY_PATH": str(self.folder / "lib")} | firmware

    def firmware(self, *names: str) -> None:
        """Files of firmware that are not free: any bytes do for the model."""
        (self.folder / "firmware").mkdir(exist_ok=True)
        for name in names:
            (self.folder / "firmware" / name).write_bytes(bytes(range(256)) * 20)

    def sigrok(self, *arguments: str, deadline_s: float = 10) -> subprocess.CompletedProcess[str]:
        """Run sigrok-cli."""
        command, environment = ["sigrok-cli", *arguments], self.environment
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=deadline_s, check=False)

    def capture(self, *arguments: str, unit: int = 1, deadline_s: float = 10) -> tuple[np.ndarray, str]:
        """Samples that sigrok-cli writes with these arguments (driver, settings, duration), and its messages."""
        path = self.folder / "samples"
        path.unlink(missing_ok=True)
        run = self.sigrok(*arguments, "-l", "4", "-O", "binary", "-o", str(path), deadline_s=deadline_s)
        data = path.read_bytes() if path.exists() else b""
        return np.frombuffer(data, dtype=np.uint8 if unit == 1 else np.uint16, count=len(data) // unit), run.stderr

    def truth(self, kind: str = "") -> list[Entry]:
        """Lines of the truth, of one kind or all."""
        path = self.folder / "truth"
        lines = path.read_text().splitlines() if path.exists() else []
        entries = [Entry(line.split()[0], dict(word.split("=", 1) for word in line.split()[1:])) for line in lines]
        return [entry for entry in entries if kind in ("", entry.kind)]

    def devices(self) -> list[dict[str, str]]:
        """What is plugged in now."""
        buffer = ctypes.create_string_buffer(DEVICES_BYTES)
        if self._call("devices", buffer, DEVICES_BYTES) < 0:
            raise OSError(f"{self.folder}: not a bus")
        return [dict(word.split("=", 1) for word in line.split()) for line in buffer.value.decode().splitlines()]

    def unplug(self, device: int) -> None:
        """Pull a cable."""
        assert self._call("unplug", device) == 0

    def plug(self, device: int) -> None:
        """Plug a device in again."""
        assert self._call("plug", device) == 0

    def _call(self, name: str, *arguments: object) -> int:
        function = getattr(ctypes.CDLL(str(LIBRARY)), f"usbbus_{name}")
        return int(function(str(self.folder).encode(), *arguments))


def counter(start: Entry, *, half_period_ns: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and levels of the signal `counter`, from before `start` until after that many samples."""
    end_ns = start["start_ns"] + int(samples / float(start.keys["rate_hz"]) * 1e9)
    counts = np.arange(start["start_ns"] // half_period_ns, end_ns // half_period_ns + 2)
    return counts * half_period_ns, counts & 0xFFFF


def expected_edges(
    start: Entry, times_ns: np.ndarray, levels: np.ndarray, *, samples: int, losses: Sequence[Entry] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Where a recording of `samples` samples changes, and to which levels; row 0 is its first sample.

    `times_ns`, `levels`: the signal on its own axis, from before the start on. `losses`: of this start, in order.
    """
    rate_uhz = round(float(start.keys["rate_hz"]) * 1e6)
    since_ns = np.maximum(times_ns - start["start_ns"], 0).astype(object)
    places = ((since_ns * rate_uhz + UNIT - 1) // UNIT).astype(np.int64)
    for loss in reversed(losses):
        begin, end = loss["sample"], loss["sample"] + loss["samples"]
        places = np.where(places < begin, places, np.where(places < end, begin, places - loss["samples"]))
    levels = levels & int(start.keys["channels"], 16)
    seen = np.append(np.diff(places) > 0, True)  # several edges before one sample: it sees the last
    places, levels = places[seen], levels[seen]
    changes = np.append(True, np.diff(levels) != 0) & (places < samples)
    return places[changes], levels[changes]


def edges_of(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where samples change, and to which levels; row 0 is the first sample."""
    places = np.append(0, np.flatnonzero(samples[1:] != samples[:-1]) + 1)
    return places, samples[places].astype(np.int64)
