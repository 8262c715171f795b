"""Pydantic AI."""

import asyncio

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from script import ARGS, COMMAND, MODEL, PROMPT


async def main() -> None:
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=f"{MODEL}/v1", api_key="none"))
    agent = Agent(model, toolsets=[MCPToolset(StdioTransport(COMMAND, ARGS))])
    async with agent:
        print((await agent.run(PROMPT)).output)


asyncio.run(main())
