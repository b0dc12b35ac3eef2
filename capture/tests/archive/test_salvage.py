"""What a salvage of a damaged archive names."""

from __future__ import annotations

import pytest

from gpiorig.capture.archive import salvage


@pytest.mark.parametrize(
    ("count", "text"), [(1, "0"), (3, "0, 1, 2"), (4, "0, 1, 2 and 1 more"), (9, "0, 1, 2 and 6 more")]
)
def test_the_rest_of_the_names_is_counted(count: int, text: str) -> None:
    assert text == salvage.some([str(number) for number in range(count)])
