"""A study of two payloads with two repeats, for tests of what is kept of a study."""

from __future__ import annotations

from pathlib import Path

_STUDY = """
document = "d"
figure = "f"
title = "t"
[bench]
template = "iotlab-m3"
[experiment]
{experiment}
[[vary]]
name = "payload"
key = "settings.payload"
values = [20, 60]
[repeat]
n = 2
[[show]]
{show}
y = ["rtt.median", "loss"]
"""


def study_text(*, experiment: str, show: str) -> str:
    """The text of the study's file, with the keys of its experiment and of its figure or table."""
    return _STUDY.format(experiment=experiment, show=show)


def study_tables(output: Path) -> dict[str, bytes]:
    """All Parquet files of a study's output, by place: of the points, of the study, of the pages."""
    return {str(path.relative_to(output)): path.read_bytes() for path in sorted(output.rglob("*.parquet"))}
