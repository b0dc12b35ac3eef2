"""TOML of others: names with many parts are refused before they are parsed, in the time of one look at the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.capture import toml_text
from gpiorig.capture.errors import RecordingError
from gpiorig.capture.recording import description

DEEP = toml_text.MAX_PARTS + 1


@pytest.mark.parametrize("part", ["a", "a-1_b", '"a b"', "'a.b'", r'"\"."', " a "])
@pytest.mark.parametrize(
    "line", ["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}", "x = [{{ {} = 1 }}]", "a = 1\n\n[b]\n{} = 1"]
)
def test_a_name_of_many_parts(line: str, part: str) -> None:
    """Wherever TOML takes one; one part fewer is read."""
    with pytest.raises(ValueError, match=f"more than {DEEP - 1} parts"):
        toml_text.decode(line.format(".".join([part] * DEEP)))
    assert toml_text.decode(line.format(".".join([part] * (DEEP - 1))))


def test_what_is_no_name() -> None:
    """Dots in numbers, texts and between sentences."""
    texts = ["two words. " * 50, "." * 50, "f" * 10**6, "1.3.6.1.4.1." + "9." * 20]
    lines = [f'text{number} = "{text}"' for number, text in enumerate(texts)]
    assert 1.5 == toml_text.decode("\n".join(["b = 1.5", f"c = [{'1.5, ' * 50}]", *lines]))["b"]


def test_a_description_with_such_a_name(tmp_path: Path) -> None:
    """Its parser would take the square of its depth: half a minute for 60 KB."""
    path = tmp_path / "recording.toml"
    path.write_text("a." * 30_000 + "a = 1")
    with pytest.raises(RecordingError, match=r"recording.toml: a name with more than 32 parts, a\.a\..* in line 1"):
        description.load(path)
    path.write_text("a = " + "9" * 5000)
    with pytest.raises(RecordingError, match="thousands of digits"):
        description.load(path)
