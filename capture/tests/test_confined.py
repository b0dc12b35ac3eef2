"""Paths from data: none leaves its folder, nothing is written over a link, and only regular files are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import FormatError


@pytest.mark.parametrize("relative", ["/etc/passwd", "../x", "a/../../x", "a/..", "", ".", "a\0b"])
def test_a_path_that_leaves_its_folder_is_refused(tmp_path: Path, relative: str) -> None:
    """Absolute, upward, empty: for reading, writing and deleting."""
    for place in (confined.below, confined.inside, confined.subfolder):
        with pytest.raises(FormatError, match="is not a path below this folder"):
            place(tmp_path, relative)


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/c"])
def test_no_part_of_a_path_that_is_written_is_a_link(tmp_path: Path, link: str) -> None:
    """Wherever the link leads; the folder itself may be one, for the user has named it."""
    folder = tmp_path / "real"
    (folder / link).parent.mkdir(parents=True)
    (tmp_path / "named").symlink_to(folder)
    expected = tmp_path / "named/a/b/c"
    assert expected == confined.inside(tmp_path / "named", "a/b/c")
    (folder / link).symlink_to(tmp_path)
    with pytest.raises(FormatError, match=f"{link}: is a link"):
        confined.inside(tmp_path / "named", "a/b/c")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """A pipe without a writer does not block, a device does not run on; a link to a file is read."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless", "."):
        with pytest.raises(FormatError, match="is not a regular file"):
            confined.opened(tmp_path / name)
    (tmp_path / "content").write_bytes(b"content")
    (tmp_path / "link").symlink_to("content")
    with confined.opened(tmp_path / "link") as file:
        assert b"content" == file.read()


def test_what_came_from_elsewhere_has_files_and_folders_only(tmp_path: Path) -> None:
    """A link to a folder, a link to a file, a pipe, and a tree that is a link itself."""
    (tmp_path / "tree/folder").mkdir(parents=True)
    (tmp_path / "tree/folder/file").write_text("")
    confined.check_tree(tmp_path / "tree")
    for make in (lambda path: path.symlink_to("/"), lambda path: path.symlink_to("/etc/passwd"), os.mkfifo):
        special = tmp_path / "tree/folder/special"
        make(special)
        with pytest.raises(FormatError, match="folder/special: is "):
            confined.check_tree(tmp_path / "tree")
        special.unlink()
    (tmp_path / "link").symlink_to("tree")
    with pytest.raises(FormatError, match="link: is a link"):
        confined.check_tree(tmp_path / "link")


@pytest.mark.parametrize("name", ["file", "file.new"])
def test_replacing_replaces_a_link_itself(tmp_path: Path, name: str) -> None:
    """Neither the file's path nor the one next to it leads anywhere else."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / name).symlink_to("victim")
    with replacing(tmp_path / "file") as new:
        new.write_text("new")
    assert ("precious", "new") == ((tmp_path / "victim").read_text(), (tmp_path / "file").read_text())
    assert not (tmp_path / "file").is_symlink()
    assert {"file", "victim"} == {path.name for path in tmp_path.iterdir()}


def test_an_error_without_a_name_gets_that_of_the_file(tmp_path: Path) -> None:
    """A full disk: the system states why, and not where."""
    with pytest.raises(OSError) as caught, replacing(tmp_path / "file") as new, new.open("wb") as file:
        os.write(file.fileno(), b"half")
        raise OSError(28, os.strerror(28))
    assert str(tmp_path / "file") == caught.value.filename
    assert [] == [*tmp_path.iterdir()]
