"""Zip archives as Python's zipfile writes and reads them, with every field in use, and cut anywhere."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib

import pytest

from gpiorig.capture.archive import zip_archive
from gpiorig.capture.archive.zip_archive import (
    DEFLATED,
    STORED,
    ArchiveWriter,
    DirectoryError,
    content,
    data_start,
    local_header,
    read_directory,
    walk,
)
from gpiorig.capture.errors import FormatError

UNKNOWN_EXTRA = b"\xfe\xca\x03\0abc"


def archive(seed: int, *, comment: bytes = b"") -> tuple[bytes, dict[str, bytes]]:
    """An archive with extra fields and comments of different lengths, and what is in it."""
    generator = random.Random(seed)
    file, contents = io.BytesIO(), {}
    with zipfile.ZipFile(file, "w") as target:
        target.comment = comment
        for number in range(generator.randrange(1, 6)):
            info = zipfile.ZipInfo(f"{'ä' * (number % 2)}member-{number}")
            info.compress_type = generator.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
            info.extra = UNKNOWN_EXTRA * generator.randrange(3)
            info.comment = b"x" * generator.randrange(5)
            contents[info.filename] = generator.randbytes(generator.randrange(1, 40)) * generator.randrange(0, 9)
            target.writestr(info, contents[info.filename])
    return file.getvalue(), contents


@pytest.mark.parametrize("comment", [b"", b"c", b"c" * 65_535])
def test_what_zipfile_writes_is_read(comment: bytes) -> None:
    """From the directory, and from one local header to the next; every header is that of its member."""
    for seed in range(12):
        data, contents = archive(seed, comment=comment)
        file = io.BytesIO(data)
        members = read_directory(file)
        walked = list(walk(file))

        assert contents == {member.name: content(file, member) for member in members}
        assert members == walked
        for member in members:
            header = local_header(file, member.offset)
            assert header is not None
            assert header.has_sizes
            assert header.data_at == member.offset + data_start(data[member.offset :], member)
            raw = data[header.data_at : header.data_at + member.compressed]
            raw = zlib.decompress(raw, -15) if member.method == DEFLATED else raw
            assert (contents[member.name], member.crc) == (raw, zlib.crc32(raw))


def test_what_is_written_is_read_by_zipfile() -> None:
    file = io.BytesIO()
    writer = ArchiveWriter(file)
    expected = {f"m{number}": bytes([number]) * number * 100 for number in range(6)}
    for number, (name, data) in enumerate(expected.items()):
        packer = zlib.compressobj(wbits=-15)
        stored = packer.compress(data) + packer.flush() if number % 2 else data
        writer.add(name, stored, method=DEFLATED if number % 2 else STORED, crc=zlib.crc32(data), size=len(data))
    writer.close()
    with zipfile.ZipFile(file) as back:
        assert back.testzip() is None
        assert expected == {name: back.read(name) for name in back.namelist()}


def test_an_archive_that_was_cut_has_no_directory() -> None:
    """Wherever it was cut; its first members are there as far as they go."""
    data, contents = archive(3)
    for size in range(len(data)):
        file = io.BytesIO(data[:size])
        with pytest.raises(DirectoryError):
            read_directory(file)
        for member in walk(file):
            assert any(name.encode().startswith(member.encoded) for name in contents)
    missing = io.BytesIO(data[10:])
    with pytest.raises(DirectoryError):
        read_directory(missing)


def test_a_member_of_another_header_or_content_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its magic, method, name or content; one of more bytes than are read at once is not read."""
    data, contents = archive(5)
    member = next(member for member in read_directory(io.BytesIO(data)) if member.size > 4)
    start = data_start(data[member.offset :], member)
    for place in (0, 8, zip_archive.LOCAL.size, start + 2):
        changed = bytearray(data)
        changed[member.offset + place] ^= 0x15
        with pytest.raises(DirectoryError, match="is damaged"):
            content(io.BytesIO(bytes(changed)), member)
    header = data[member.offset : member.offset + start]
    assert start == data_start(header, member)
    assert -1 == data_start(header[: zip_archive.LOCAL.size - 1], member)
    largest = max(member.size, member.compressed)
    monkeypatch.setattr(zip_archive, "MAX_SMALL", largest)
    assert contents[member.name] == content(io.BytesIO(data), member)
    monkeypatch.setattr(zip_archive, "MAX_SMALL", largest - 1)
    with pytest.raises(DirectoryError, match=f"more than {largest - 1}"):
        content(io.BytesIO(data), member)


def test_local_headers_of_streams_and_encrypted_members() -> None:
    """A stream has its sizes after the data, so that the walk ends there; an encrypted member is none."""

    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise OSError

        def tell(self) -> int:
            raise OSError

    stream = Stream()
    with zipfile.ZipFile(stream, "w") as target:
        target.writestr("a", b"abc")
    data = stream.getvalue()
    header = local_header(io.BytesIO(data), 0)
    assert header is not None
    assert not header.has_sizes
    assert [] == list(walk(io.BytesIO(data)))
    assert b"abc" == content(io.BytesIO(data), read_directory(io.BytesIO(data))[0])
    plain = bytearray(archive(5)[0])
    plain[6] |= zip_archive.ENCRYPTED
    assert local_header(io.BytesIO(bytes(plain)), 0) is None
    assert local_header(io.BytesIO(data[1:]), 0) is None


def written(*sizes: int) -> bytes:
    """An archive of stored members of these sizes, named a, b, ..."""
    file = io.BytesIO()
    writer = ArchiveWriter(file)
    for number, size in enumerate(sizes):
        data = bytes(size)
        writer.add(chr(97 + number), data, method=STORED, crc=zlib.crc32(data), size=size)
    writer.close()
    return file.getvalue()


LOCAL_A = zip_archive.LOCAL.size + 1  # header of a member whose name has one character
ENTRY_A = zip_archive.CENTRAL.size + 1


@pytest.mark.parametrize("excess", [0, -1])
@pytest.mark.parametrize(
    ("limits", "sizes"),
    [
        ({"MAX32": LOCAL_A + 9}, (9, 3)),  # where the second member begins
        ({"MAX32": 3 * LOCAL_A + 60}, (20, 20, 20)),  # where the directory begins
        ({"MAX32": 3 * ENTRY_A}, (0, 0, 0)),  # how long it is
        ({"FEWEST_ZIP64": 3}, (0, 0, 0)),
    ],
)
def test_zip64_from_the_first_number_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], sizes: tuple[int, ...], excess: int
) -> None:
    """At the limit and not below it, as APPNOTE.TXT 4.4.1.4 has it; the record states its own length (4.3.14.1)."""
    for name, limit in limits.items():
        monkeypatch.setattr(zip_archive, name, limit - excess)
    data = written(*sizes)
    members = read_directory(io.BytesIO(data))

    assert list(sizes) == [member.size for member in members]
    assert [bytes(size) for size in sizes] == [content(io.BytesIO(data), member) for member in members]
    at = data.find(zip_archive.END64_MAGIC)
    (short,) = struct.unpack_from("<H", data, len(data) - zip_archive.END.size + 10)
    assert ("FEWEST_ZIP64" in limits and not excess) == (short == zip_archive.MAX16)
    if limits.get("MAX32") != LOCAL_A + 9:  # there, the directory is beyond the limit in both cases
        assert (not excess) == (at >= 0)
    if at >= 0:
        (length,) = struct.unpack_from("<Q", data, at + 4)
        assert zip_archive.END64_MAGIC + struct.pack("<Q", length) == data[at : at + 12]
        assert zip_archive.LOCATOR64_MAGIC == data[at + 12 + length : at + 12 + length + 4]
        assert at == struct.unpack_from("<Q", data, at + 12 + length + 8)[0]


def test_a_member_of_4_gib_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "MAX32", 400)
    writer = ArchiveWriter(io.BytesIO())
    writer.add("a", b"", method=DEFLATED, crc=0, size=399)
    for data, size in ((b"", 400), (bytes(400), 1)):
        with pytest.raises(FormatError, match=f"the member b has {size} bytes; write smaller members"):
            writer.add("b", data, method=DEFLATED, crc=0, size=size)


def end(count: int, size: int, offset: int) -> bytes:
    return zip_archive.END.pack(zip_archive.END_MAGIC, 0, 0, count, count, size, offset, 0)


def changed(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


def test_what_a_directory_must_be() -> None:
    """An archive without members is one; each part of another is checked by itself."""
    data = written(5, 7)
    directory = data.index(b"PK\1\2")
    size = 2 * ENTRY_A
    locator = zip_archive.LOCATOR64.pack(zip_archive.LOCATOR64_MAGIC, 0, 0, 1)
    assert [] == read_directory(io.BytesIO(end(0, 0, 0)))
    for damaged, problem in (
        (locator + end(0, 0, 0), "its zip64 directory is damaged"),
        (bytes(90) + locator + end(0, 0, 0), "its zip64 directory is damaged"),
        (zip_archive.END64_MAGIC + bytes(30) + locator + end(0, 0, 0), "beyond its end|zip64 directory is damaged"),
        (end(0, 99, 0), "its directory is beyond its end"),
        (data[: -zip_archive.END.size] + end(2, size - 20, directory), "its directory is damaged"),
        (data[: -zip_archive.END.size] + end(2, size - 1, directory), "its directory is cut short"),
        (data[: -zip_archive.END.size] + end(3, size, directory), "has 2 entries instead of 3"),
        (changed(data, directory + ENTRY_A, b"PX"), "its directory is damaged"),
        (changed(data, directory + 20, b"\xff" * 4), "its directory lacks a zip64 field"),
    ):
        with pytest.raises(DirectoryError, match=problem):
            read_directory(io.BytesIO(damaged))


@pytest.mark.parametrize("excess", [0, 1])
def test_a_member_ends_within_the_archive(excess: int) -> None:
    data = written(5, 7)
    second = data.index(b"PK\1\2") + ENTRY_A
    begins = LOCAL_A + 5 + LOCAL_A
    damaged = changed(data, second + 20, struct.pack("<I", len(data) - begins + excess))
    if excess:
        with pytest.raises(DirectoryError, match="its member b is beyond its end"):
            read_directory(io.BytesIO(damaged))
    else:
        assert len(data) - begins == read_directory(io.BytesIO(damaged))[1].compressed


def test_a_member_without_a_name() -> None:
    """Its headers are as short as they can be."""
    file = io.BytesIO()
    writer = ArchiveWriter(file)
    writer.add("", b"abc", method=STORED, crc=zlib.crc32(b"abc"), size=3)
    writer.close()
    (member,) = read_directory(file)

    assert b"abc" == content(file, member)
    assert zip_archive.LOCAL.size == data_start(file.getvalue()[: zip_archive.LOCAL.size], member)
    assert [member] == list(walk(file))


def test_a_member_without_content_and_with_a_damaged_header_is_damaged() -> None:
    data = written(0, 3)
    member = read_directory(io.BytesIO(data))[0]
    assert b"" == content(io.BytesIO(data), member)
    with pytest.raises(DirectoryError, match="its member a is damaged"):
        content(io.BytesIO(changed(data, 0, b"PX")), member)


def test_a_member_of_more_bytes_than_a_header_has() -> None:
    (member,) = read_directory(io.BytesIO(data := written(100_000)))
    assert bytes(100_000) == content(io.BytesIO(data), member)
