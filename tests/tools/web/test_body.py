import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.errors import ToolError
from placet.tools.web.client import read_body


async def chunks(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def read(data: bytes, limit: int = 1_000_000, size: int = 1000, **headers: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await read_body(chunks(data, size), named, limit_bytes=limit, note=lambda count: None)


def deflate_without_header(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@given(st.binary(max_size=5000), st.integers(1, 700))
async def test_every_packing_gives_the_same_body(data: bytes, size: int) -> None:
    assert await read(data, size=size) == data
    assert await read(gzip.compress(data), size=size, content_encoding="gzip") == data
    assert await read(zlib.compress(data), size=size, content_encoding="deflate") == data
    assert await read(gzip.compress(data) + gzip.compress(data), size=size, content_encoding="gzip") == data + data


async def test_deflate_without_its_header_is_understood() -> None:
    data = b"some text " * 100
    assert await read(deflate_without_header(data), content_encoding="deflate") == data


@corpus("length", [999, 1000])
async def test_a_body_up_to_the_limit_is_read(length: int) -> None:
    assert len(await read(b"x" * length, limit=1000)) == length


async def test_a_body_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ToolError, match="larger than"):
        await read(b"x" * 1001, limit=1000)


async def test_a_body_that_is_declared_too_large_is_not_read() -> None:
    async def never() -> AsyncIterator[bytes]:
        raise AssertionError("it was read")
        yield b""

    with pytest.raises(ToolError, match="larger than"):
        await read_body(never(), {"content-length": "1001"}, limit_bytes=1000, note=lambda count: None)


async def test_a_bomb_is_refused_in_bounded_memory() -> None:
    bomb = gzip.compress(bytes(300_000_000), compresslevel=9)
    tracemalloc.start()
    try:
        with pytest.raises(ToolError, match="larger than"):
            await read(bomb, limit=5_000_000, size=1 << 20, content_encoding="gzip")
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


async def test_a_damaged_body_is_an_error() -> None:
    packed = bytearray(gzip.compress(b"some text" * 100))
    packed[20] ^= 0xFF
    with pytest.raises(ToolError, match="cannot be unpacked"):
        await read(bytes(packed), content_encoding="gzip")


async def test_a_packing_that_was_not_offered_is_an_error() -> None:
    with pytest.raises(ToolError, match="packed its answer with br"):
        await read(b"x", content_encoding="br")
