"""An agent of LangChain with Toolcrib's tools: `python examples/langchain_agent.py /path/to/project "What is this?"`."""

import sys

from langchain.agents import create_agent

from toolcrib import Toolbox

box = Toolbox(sys.argv[1], session="example")
agent = create_agent("anthropic:claude-sonnet-4-5", box.langchain_tools())
answer = agent.invoke({"messages": [("user", sys.argv[2])]})
print(answer["messages"][-1].content)
print(f"{len(box.executions())} calls; `toolcrib log` shows the changes, and `toolcrib undo` undoes them.")
