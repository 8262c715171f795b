"""LlamaIndex: a tool's content is what its agents give the model. It starts the server anew for every call."""

import asyncio

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

from script import ARGS, COMMAND, STEPS, report


async def main() -> None:
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(BasicMCPClient(COMMAND, args=ARGS)).to_tool_list_async()}
    results = []
    for step in STEPS:
        output = await tools[step["tool"]].acall(**step["arguments"])
        images = sum(block.block_type == "image" for block in output.blocks)
        results.append((output.content, images))
    report(list(tools), results)


asyncio.run(main())
