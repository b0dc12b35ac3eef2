"""One target under atheris, in a process of its own: `python -m fuzz.worker TARGET FOLDER SECONDS`.

What breaks an invariant is saved once for each place in the code, made smaller, and the fuzzer continues. What ends the
process (a signal, a time limit, memory) is saved by libFuzzer itself.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from pathlib import Path

import atheris

from .findings import place, smaller

LIMIT_S, LIMIT_MB, MAX_BYTES = 30, 4096, 1 << 15


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
        least = smaller(data, lambda it: (reason := failure(it)) is not None and place(reason) == what)
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
