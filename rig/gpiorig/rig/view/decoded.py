"""Annotations of sigrok decoders on a capture, for the script of a page: decoded in a thread, shown by window."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpiorig.analysis.decoderhost.errors import DecoderError
from gpiorig.analysis.decoderhost.outputs import Output, OutputKind, Selection
from gpiorig.analysis.decoderhost.rows import row_of
from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.log import LOG

MAX_ANNOTATIONS = 2_000_000  # that are held: 100 bytes each; `gpiorig decode -o` writes any number
MAX_TEXTS = 400  # of a row in a window; of more, only where there are some


class _FullError(Exception):
    """More annotations than are held."""


class _Row:
    """The annotations of one row of a decoder, in the order in which it gave them."""

    def __init__(self) -> None:
        self.starts, self.ends, self.texts = array("q"), array("q"), list[str]()
        self.longest = 0
        self._sorted = np.empty((3, 0), dtype=np.int64)  # starts, ends, places among the texts

    def window(self, start: int, end: int, *, bins: int) -> dict[str, Any]:
        """Those that are within a window: their `spans` with texts, or of many a `density`."""
        count = len(self.texts)  # the last of the three that grows
        if count > self._sorted.shape[1]:
            rows = np.array([self.starts[:count], self.ends[:count], range(count)], dtype=np.int64)
            self._sorted = rows[:, np.argsort(rows[0], kind="stable")]
        inside = self._sorted[:, slice(*np.searchsorted(self._sorted[0], [start - self.longest, end]))]
        inside = inside[:, inside[1] >= start]
        if inside.shape[1] <= MAX_TEXTS:
            return {"spans": [[left - start, right - start, self.texts[row]] for left, right, row in inside.T.tolist()]}
        places = (np.clip(inside[:2], start, end - 1) - start) * bins // (end - start)
        change = np.bincount(places[0], minlength=bins + 1) - np.bincount(places[1] + 1, minlength=bins + 1)
        letters = np.frombuffer(b" x", dtype=np.uint8)[(np.cumsum(change[:-1]) > 0).astype(int)]
        return {"density": letters.tobytes().decode("ascii"), "count": inside.shape[1]}


class Decoded:
    """What stacks of decoders make of a capture.

    Parameters
    ----------
    waveform, stacks
        As of `gpiorig.analysis.decoderhost.host.decode`.

    Attributes
    ----------
    ended
        Whether all of it is decoded, or as much as is held.
    """

    def __init__(self, waveform: Waveform, stacks: Sequence[Stack]) -> None:
        self._waveform, self._stacks = waveform, stacks
        self._rows = {
            (layer.name, row): _Row() for stack in stacks for layer in stack.layers for row in (*layer.kind.rows, "")
        }
        self._keys: dict[tuple[str, int], tuple[str, str]] = {}
        self._taken = 0
        self._remark = ""
        self.ended = threading.Event()
        threading.Thread(target=self._decode, daemon=True).start()

    def window(self, start: int, end: int, *, bins: int) -> dict[str, Any]:
        """The annotations between two samples: by row that has any in the capture; a remark, if there is one."""
        rows = [
            {"name": ": ".join(filter(None, name)), **row.window(start, end, bins=bins)}
            for name, row in self._rows.items()
            if row.texts
        ]
        remark = self._remark if self.ended.is_set() else f"{self._taken} annotations so far"
        return {"rows": rows, "remark": remark, "ended": self.ended.is_set()}

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        """Take an annotation; as of `outputs.Sink`."""
        if self._taken == MAX_ANNOTATIONS:
            raise _FullError
        self._taken += 1
        key = output.layer.name, number
        if key not in self._keys:
            self._keys[key] = output.layer.name, row_of(output.layer.kind, number) or ""
        row = self._rows[self._keys[key]]
        row.longest = max(row.longest, end - start)
        row.starts.append(start)
        row.ends.append(end)
        row.texts.append(texts[0] if texts else "")

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        """Not asked for."""

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        """Not asked for."""

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        """Not asked for."""

    def _decode(self) -> None:
        from gpiorig.analysis.decoderhost.host import decode  # needs a library that is compiled

        selection = Selection.everything(self._stacks, OutputKind.ANNOTATION)
        try:
            outcome = decode(self._waveform, self._stacks, selection=selection, sink=self)
            failures = [f"{failure.source} at sample {failure.sample}: {failure.what}" for failure in outcome.failures]
            self._remark = "; ".join(failures)
        except _FullError:
            self._remark = f"the first {MAX_ANNOTATIONS} annotations; `gpiorig decode -o FILE` writes all"
        except (CaptureError, DecoderError) as error:
            self._remark = str(error)
        LOG.info("decoded: %d annotations %s", self._taken, self._remark)
        self.ended.set()
