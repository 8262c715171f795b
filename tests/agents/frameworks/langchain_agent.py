"""LangChain's adapters, with LangGraph's agent. Tools that are got this way start the server anew for every call."""

import asyncio

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

from script import ARGS, COMMAND, MODEL, PROMPT


async def main() -> None:
    client = MultiServerMCPClient({"toolcrib": {"command": COMMAND, "args": ARGS, "transport": "stdio"}})
    model = ChatOpenAI(model="scripted", base_url=f"{MODEL}/v1", api_key="none")
    agent = create_agent(model, await client.get_tools())
    await agent.ainvoke({"messages": [("user", PROMPT)]}, {"recursion_limit": 100})


asyncio.run(main())
