"""Google's agent development kit."""

import asyncio
import os

from script import ARGS, COMMAND, MODEL, PROMPT

os.environ |= {"GOOGLE_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": MODEL}

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams  # noqa: E402
from google.genai import types  # noqa: E402
from mcp import StdioServerParameters  # noqa: E402


async def main() -> None:
    server = StdioConnectionParams(server_params=StdioServerParameters(command=COMMAND, args=ARGS), timeout=60)
    tools = McpToolset(connection_params=server)
    agent = LlmAgent(name="agent", model="gemini-2.5-flash", instruction="Work.", tools=[tools])
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass
    await tools.close()


asyncio.run(main())
