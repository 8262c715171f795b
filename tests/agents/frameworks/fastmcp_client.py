"""FastMCP's client."""

import asyncio

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from script import ARGS, COMMAND, STEPS, blocks, report


async def main() -> None:
    async with Client(StdioTransport(COMMAND, ARGS)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        results = []
        for step in STEPS:
            result = await client.call_tool(step["tool"], step["arguments"], raise_on_error=False)
            results.append(blocks(result.content))
        report(tools, results)


asyncio.run(main())
