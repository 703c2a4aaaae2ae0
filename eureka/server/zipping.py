"""
Lists as gzip: of a list that was zipped before, only what changed since is zipped again.

Deflate may forget what came before (a full flush), so parts that were squeezed apart can be joined;
their checksums can be combined, too. Each start anew costs some bytes: parts are of some size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from isal import isal_zlib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FASTEST: Final = 1  # level of isal; level 2 takes twice as long for 4 % less
LEAST: Final = 256 * 1024
"""Bytes of a group, at least: 2 % more than in one go; groups of 64 KiB are 6 % more."""

_GZIP: Final = 31  # zlib's wbits: the largest window, with the head and tail of gzip
_RAW: Final = -15  # the same window, without them
_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"  # no name, no time, fast, any system
_END: Final = b"\x03\x00"  # an empty block, the last one
_WORD: Final = 2**32


class _Group(msgspec.Struct, gc=False):
    """Pieces that are squeezed together."""

    pieces: list[bytes]
    squeezed: bytes
    checksum: int
    size: int


class Zipper:
    """Zips one list, time and again; a piece that did not change must be the same object."""

    def __init__(self) -> None:
        self._groups: dict[int, _Group] = {}  # by the identity of their first piece
        self.squeezed = 0  # groups, ever

    def zipped(self, pieces: Iterable[bytes]) -> bytes:
        """Return the pieces as one gzip stream; no step takes long."""
        squeezer = isal_zlib.compressobj(FASTEST, wbits=_RAW)
        groups: dict[int, _Group] = {}
        parts = [_HEAD]
        checksum = size = 0
        for found in _grouped(pieces):
            group = self._groups.get(id(found[0]))
            if group is None or not _same(group.pieces, found):
                group = _squeezed(found, squeezer)
                self.squeezed += 1
            groups[id(found[0])] = group
            parts.append(group.squeezed)
            checksum = isal_zlib.crc32_combine(checksum, group.checksum, group.size)
            size += group.size
        self._groups = groups  # they hold their pieces, so no identity is given to another one
        parts += (_END, checksum.to_bytes(4, "little"), (size % _WORD).to_bytes(4, "little"))
        return b"".join(parts)


def zipped_from(pieces: Iterable[bytes]) -> bytes:
    """Return pieces that will not be zipped again as one gzip stream; no step takes long."""
    squeezer = isal_zlib.compressobj(FASTEST, wbits=_GZIP)
    squeezed = [squeezer.compress(piece) for piece in pieces]
    return b"".join((*squeezed, squeezer.flush()))


def unzipped(zipped: bytes, *, piece: int) -> Iterator[bytes]:
    """Yield what was zipped, in pieces of so many bytes."""
    stretcher = isal_zlib.decompressobj(wbits=_GZIP)
    rest = zipped
    while not stretcher.eof:
        yield stretcher.decompress(rest, piece)
        rest = stretcher.unconsumed_tail


def _grouped(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the pieces in groups of `LEAST` bytes or more; a large one stands alone."""
    group: list[bytes] = []
    size = 0
    for piece in pieces:
        group.append(piece)
        size += len(piece)
        if size >= LEAST:
            yield group
            group, size = [], 0
    if group:
        yield group


def _same(some: list[bytes], others: list[bytes]) -> bool:
    return len(some) == len(others) and all(map(_is, some, others))


def _is(one: bytes, other: bytes) -> bool:
    return one is other


def _squeezed(pieces: list[bytes], squeezer: isal_zlib.Compress) -> _Group:
    squeezed = [squeezer.compress(piece) for piece in pieces]
    squeezed.append(squeezer.flush(isal_zlib.Z_FULL_FLUSH))
    checksum = 0
    for piece in pieces:
        checksum = isal_zlib.crc32(piece, checksum)
    return _Group(pieces, b"".join(squeezed), checksum, sum(map(len, pieces)))
