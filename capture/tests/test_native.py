from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpiorig.capture import native
from gpiorig.capture.archive.members import MemberHead
from gpiorig.capture.buses.symbol_bus import BusState
from gpiorig.capture.edges.extractor import EdgeState
from gpiorig.capture.errors import NativeError


@pytest.fixture(autouse=True)
def _fresh_library() -> Iterator[None]:
    """Each test loads the library again, and restores it."""
    native.library.cache_clear()
    yield
    native.library.cache_clear()


def test_structures_have_the_size_the_crate_expects() -> None:
    """Numbers and arrays; no padding that differs between the two sides."""
    assert (48, 8 * 8 + 5 * 4 + 8 + 256 + 4) == (ctypes.sizeof(EdgeState), ctypes.sizeof(BusState))
    assert 5 * 8 + 6 * 4 == ctypes.sizeof(MemberHead)


def test_a_missing_library_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(native.OVERRIDE, str(tmp_path / "nothing.so"))
    with pytest.raises(NativeError, match=r"nothing\.so: the native library is missing; run `make native`"):
        native.library()


def test_a_file_that_is_no_library_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "text.so"
    path.write_text("not a library")
    monkeypatch.setenv(native.OVERRIDE, str(path))
    with pytest.raises(NativeError, match="not a usable library"):
        native.library()


def test_another_interface_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "ABI", 999)
    with pytest.raises(NativeError, match=r"has interface \d+, this package needs 999"):
        native.library()


@pytest.mark.parametrize(("result", "expected"), [(-1, "panicked"), (-2, "refused its arguments")])
def test_a_kernel_that_fails_is_an_error(result: int, expected: str) -> None:
    with pytest.raises(NativeError, match=expected):
        native.checked(result)
