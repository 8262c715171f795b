"""smolagents: what a tool returns is what its agents observe."""

from mcp import StdioServerParameters
from smolagents import MCPClient

from script import ARGS, COMMAND, STEPS, report

with MCPClient(StdioServerParameters(command=COMMAND, args=ARGS), structured_output=True) as tools:
    named = {tool.name: tool for tool in tools}
    results = []
    for step in STEPS:
        try:
            output = named[step["tool"]](**step["arguments"])
        except Exception as error:
            output = str(error)
        results.append((output, 0) if isinstance(output, str) else (str(output), int(hasattr(output, "size"))))
    report(list(named), results)
