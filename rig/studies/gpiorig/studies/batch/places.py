"""Where recordings are and where results go: folders of this machine, or addresses that fsspec knows."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import fsspec

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording.recording import DESCRIPTION, REPORT
from gpiorig.rig.errors import RigError

MAGIC = "*?["
FILE = "file://"
SUM_DIGITS = 8  # in a name, after that of the folder, which another recording may have too
MADE_HERE = ".parquet"  # the tables, which are not part of a recording as it came


def recordings(given: Iterable[str]) -> list[str]:
    """The recordings that paths, addresses and patterns of both name, each once: absolute paths and addresses.

    A word without a pattern is used in any case. A pattern gives the folders that have a description.

    Raises
    ------
    RigError
        A pattern matches no recording, or fsspec cannot open an address.
    """
    runs: dict[str, None] = {}
    for word in given:
        if is_address(word):
            _system(word)  # an address that cannot be opened is refused before any work
        matches = _matches(word) if any(sign in word for sign in MAGIC) else [absolute(word)]
        if not matches:
            raise RigError(f"{word}: matches no recording; give folders that have a {DESCRIPTION}.")
        runs |= dict.fromkeys(matches)
    return [*runs]


def absolute(word: str) -> str:
    """A path as an absolute one, `file://` too, which means the same on every worker; an address unchanged."""
    if word.startswith(FILE):
        return str(Path(unquote(urlsplit(word).path)).resolve())
    return word if is_address(word) else str(Path(word).resolve())


def is_address(word: str) -> bool:
    """Whether fsspec is asked for it; a folder of this machine is not an address."""
    return "://" in word and not word.startswith(FILE)


def name(run: str) -> str:
    """A name for the results of a recording: that of its folder, and a sum of its address."""
    digest = hashlib.sha256(run.encode(errors="surrogateescape")).hexdigest()
    return f"{run.rstrip('/').rpartition('/')[2]}-{digest[:SUM_DIGITS]}"


def fingerprint(run: str) -> str:
    """The sum of a recording: its description, which has the sums of its files, and the names and sizes of these."""
    system, root = _system(run)
    files = {path: size for path, size in _files(system, root).items() if _is_recorded(path)}
    total = hashlib.sha256(json.dumps(sorted(files.items())).encode())
    if DESCRIPTION in files:
        total.update(system.cat_file(f"{root}/{DESCRIPTION}"))
    return total.hexdigest()


@contextlib.contextmanager
def at_hand(run: str) -> Iterator[Path]:
    """The folder of a recording; one at an address is copied, and the copy is gone at the end."""
    if not is_address(run):
        yield Path(run)
        return
    with tempfile.TemporaryDirectory(prefix="gpiorig-batch-") as temporary:
        folder = Path(temporary) / "recording"
        system, root = _system(run)
        files = [path for path in _files(system, root) if _is_recorded(path)]
        if not files:
            raise RigError(f"{run}: nothing is at this address; give that of the folder of a recording.")
        for path in files:
            target = confined.inside(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(f"{root}/{path}", str(target))
        yield folder


class Output:
    """The folder that results go to.

    Parameters
    ----------
    place
        A path or an address.
    """

    def __init__(self, place: str) -> None:
        self.place = absolute(place)
        self._system, self._root = _system(self.place)

    def path(self, name: str) -> str:
        """The path or the address of a file."""
        return f"{self.place.rstrip('/')}/{name}"

    def has(self, name: str) -> bool:
        """Whether a file or a folder is there."""
        return bool(self._system.exists(self._at(name)))

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if it is not there."""
        return bytes(self._system.cat_file(self._at(name))) if self.has(name) else None

    def write(self, name: str, content: bytes) -> None:
        """Write a file; on this machine in one step."""
        self._make_parent(name)
        if is_address(self.place):
            self._system.pipe_file(self._at(name), content)
            return
        with replacing(Path(self._at(name))) as new:
            new.write_bytes(content)

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        if self.has(name):
            self._system.rm_file(self._at(name))

    def put(self, folder: Path, name: str) -> None:
        """Put what was made of a recording at hand under a name: its tables and its report."""
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder).as_posix()
            if path.is_file() and not _is_recorded(relative):
                self._make_parent(f"{name}/{relative}")
                self._system.put_file(str(path), self._at(f"{name}/{relative}"))

    def _make_parent(self, name: str) -> None:
        self._system.makedirs(self._at(name).rpartition("/")[0], exist_ok=True)

    def _at(self, name: str) -> str:
        """The path of a file for the file system; on this machine no part of it below the output may be a link."""
        if not is_address(self.place):
            confined.inside(Path(self.place), name)
        return f"{self._root}/{name}"


def _is_recorded(relative: str) -> bool:
    return not relative.endswith(MADE_HERE) and relative.split("/")[0] != REPORT


def _matches(word: str) -> list[str]:
    if not is_address(word):
        pattern = Path(unquote(urlsplit(word).path) if word.startswith(FILE) else word).absolute()
        folders = sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))
        return [str(folder.resolve()) for folder in folders if (folder / DESCRIPTION).is_file()]
    system, root = _system(word)
    paths = [str(path) for path in sorted(system.glob(root)) if system.exists(f"{path}/{DESCRIPTION}")]
    return [str(system.unstrip_protocol(path)) for path in paths]


def _system(place: str) -> tuple[Any, str]:
    """The file system of a place, and its path there."""
    try:
        system, root = fsspec.core.url_to_fs(place)
    except (ImportError, ValueError) as error:
        raise RigError(
            f"{place}: {error}; install the package that gives fsspec this protocol, here and for all workers (s3: "
            "s3fs, gcs: gcsfs, abfs: adlfs, sftp: paramiko), or copy the recordings to a folder."
        ) from error
    return system, root.rstrip("/")


def _files(system: Any, root: str) -> dict[str, int]:
    """Sizes of all files below a folder, by relative path."""
    system.invalidate_cache()
    entries = system.find(root, detail=True)
    return {path.removeprefix(root).lstrip("/"): int(entry["size"]) for path, entry in entries.items()}
