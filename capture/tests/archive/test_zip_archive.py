"""Zip archives as Python's zipfile writes and reads them, with every field in use, and cut anywhere."""

from __future__ import annotations

import io
import random
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
