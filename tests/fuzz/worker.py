"""One target under atheris, in a process of its own: `python -m fuzz.worker TARGET FOLDER SECONDS`.

What breaks an invariant is saved once for each place in the code, made smaller, and the fuzzer goes on. What ends the
process (a signal, a time limit, memory) is saved by libFuzzer itself.
"""

from __future__ import annotations

import hashlib
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris

LIMIT_S, LIMIT_MB, MAX_BYTES = 30, 4096, 1 << 15
SMALLER_S = 10


def place(error: BaseException) -> str:
    """What tells a finding from others: its kind, and file and line where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error)[:40] if type(error).__name__ == "Broken" else f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(error).__name__} {text}"


def smaller(data: bytes, fails: Callable[[bytes], bool], *, seconds: float = SMALLER_S) -> bytes:
    """Delete pieces, large ones first, while it still fails."""
    until, size = time.monotonic() + seconds, max(1, len(data) // 2)
    while size and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            candidate = data[:at] + data[at + size :]
            if fails(candidate):
                data = candidate
            else:
                at += size
        size //= 2
    return data


def main() -> None:
    """Fuzz one target."""
    name, folder, seconds = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    corpus, findings = folder / "corpus" / name, folder / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    with atheris.instrument_imports(include=["gpiorig"]):
        from .catalog import TARGETS

        target = TARGETS[name]
        for number, seed in enumerate(target.seeds):
            (corpus / f"seed-{number}").write_bytes(seed)
            target.run(seed)  # imports what it needs while imports are instrumented
    known: set[str] = set()

    def failure(data: bytes) -> BaseException | None:
        try:
            target.run(data)
        except Exception as error:
            return error
        return None

    def one(data: bytes) -> None:
        error = failure(data)
        if error is None or (what := place(error)) in known:
            return
        known.add(what)
        least = smaller(data, lambda it: (found := failure(it)) is not None and place(found) == what)
        path = findings / f"{name}-{hashlib.sha256(what.encode()).hexdigest()[:10]}"
        path.with_suffix(".bin").write_bytes(least)
        last = failure(least) or error
        text = "".join(traceback.format_exception(last)[-6:])
        path.with_suffix(".txt").write_text(f"{name}: {what}\n{text}")

    options = [
        f"-max_total_time={seconds}",
        f"-timeout={LIMIT_S}",
        f"-rss_limit_mb={LIMIT_MB}",
        f"-max_len={MAX_BYTES}",
        f"-artifact_prefix={findings}/{name}-",
        f"-dict={Path(__file__).with_name('words.dict')}",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], str(corpus), *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
