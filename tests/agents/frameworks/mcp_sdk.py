"""The official SDK for Python."""

import asyncio

from mcp import Client, StdioServerParameters, stdio_client

from script import ARGS, COMMAND, STEPS, blocks, report


async def main() -> None:
    async with Client(stdio_client(StdioServerParameters(command=COMMAND, args=ARGS))) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        report(tools, [blocks((await client.call_tool(step["tool"], step["arguments"])).content) for step in STEPS])


asyncio.run(main())
