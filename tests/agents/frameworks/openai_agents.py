"""OpenAI's agents SDK."""

import asyncio

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

from script import ARGS, COMMAND, MODEL, PROMPT

set_tracing_disabled(True)


async def main() -> None:
    model = OpenAIResponsesModel("scripted", AsyncOpenAI(base_url=f"{MODEL}/v1", api_key="none"))
    async with MCPServerStdio(params={"command": COMMAND, "args": ARGS}, client_session_timeout_seconds=60) as server:
        agent = Agent(name="agent", instructions="Work.", model=model, mcp_servers=[server])
        print((await Runner.run(agent, PROMPT, max_turns=50)).final_output)


asyncio.run(main())
