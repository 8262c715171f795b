"""Images, PDF documents and notebooks under a real client: image blocks, and facts that fit the declared schema."""

import base64
import json
import struct
import zlib

import jsonschema
import pytest
from test_mcp_client import connected

pytestmark = pytest.mark.anyio

DIALECTS = [("standard", "Read", "file_path"), ("ekacode", "read", "filePath")]


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def notebook(*images: bytes) -> bytes:
    outputs = [
        {"output_type": "display_data", "data": {"image/png": base64.b64encode(image).decode()}} for image in images
    ]
    cell = {"cell_type": "code", "source": "plot()", "outputs": outputs}
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]}).encode()


async def answer_of(toolcrib, dialect, tool, parameter, name):
    """The answer, after its facts were held against the schema that the server declares."""
    async with connected(toolcrib, "--dialect", dialect, "--structured") as session:
        (declared,) = [found for found in (await session.list_tools()).tools if found.name == tool]
        answer = await session.call_tool(tool, {parameter: str(toolcrib.root / name)})
    assert not answer.is_error, answer.content
    jsonschema.validate(answer.structured_content, declared.output_schema)
    return answer


def facts(answer, dialect):
    return answer.structured_content if dialect == "standard" else answer.structured_content["metadata"]


@pytest.mark.parametrize("dialect, tool, parameter", DIALECTS)
async def test_an_image_is_a_block_of_its_own_and_stands_nowhere_else(toolcrib, dialect, tool, parameter):
    (toolcrib.root / "photo.png").write_bytes(png(4, 3))
    answer = await answer_of(toolcrib, dialect, tool, parameter, "photo.png")
    text, image = answer.content
    data = base64.b64encode(png(4, 3)).decode()
    assert (image.type, image.mime_type, image.data) == ("image", "image/png", data)
    assert data not in text.text
    assert data not in json.dumps(answer.structured_content)
    assert facts(answer, dialect)["width"] == 4


@pytest.mark.parametrize("dialect, tool, parameter", DIALECTS)
async def test_a_large_image_is_scaled_down(toolcrib, dialect, tool, parameter):
    (toolcrib.root / "wide.png").write_bytes(png(4000, 10))
    answer = await answer_of(toolcrib, dialect, tool, parameter, "wide.png")
    found = facts(answer, dialect)
    assert found["scaled"] is True and found["width"] == 1568
    assert found["original_width" if dialect == "standard" else "originalWidth"] == 4000
    width = struct.unpack(">I", base64.b64decode(answer.content[1].data)[16:20])[0]
    assert width == 1568


@pytest.mark.parametrize("dialect, tool, parameter", DIALECTS)
async def test_the_images_of_a_notebook_come_in_their_order(toolcrib, dialect, tool, parameter):
    (toolcrib.root / "plot.ipynb").write_bytes(notebook(png(4, 3), b"not an image", png(5, 3)))
    answer = await answer_of(toolcrib, dialect, tool, parameter, "plot.ipynb")
    blocks = [base64.b64decode(block.data) for block in answer.content[1:]]
    assert blocks == [png(4, 3), png(5, 3)]
    assert "[Image 3: image/png, 1 KB]" in answer.content[0].text


async def test_a_broken_image_never_reaches_the_model(toolcrib):
    (toolcrib.root / "cut.png").write_bytes(png(40, 30)[:-20])
    async with connected(toolcrib) as session:
        answer = await session.call_tool("Read", {"file_path": str(toolcrib.root / "cut.png")})
    assert answer.is_error
    assert [block.type for block in answer.content] == ["text"]


async def test_the_command_line_gives_the_data_in_the_metadata(toolcrib):
    (toolcrib.root / "photo.png").write_bytes(png(4, 3))
    done = toolcrib.call("Read", {"file_path": str(toolcrib.root / "photo.png")}, "--json")
    metadata = json.loads(done.stdout)["metadata"]
    assert base64.b64decode(metadata["base64_data"]) == png(4, 3)
    assert metadata["is_image"] is True
