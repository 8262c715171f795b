// The client of the Mastra framework.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MCPClient } from '@mastra/mcp';

import { binary, everyTool, workspace } from './workspace.mjs';

test('every tool is a tool of the framework and runs', async () => {
  const root = workspace();
  const client = new MCPClient({ servers: { toolcrib: { command: binary, args: ['mcp', '--root', root] } } });
  const tools = await client.getTools();
  for (const [name, context, expected] of everyTool(root)) {
    const tool = tools[`toolcrib_${name}`];
    assert.ok(tool, `${name} is missing: ${Object.keys(tools)}`);
    const result = await tool.execute({ context });
    const said = JSON.stringify(result);
    assert.ok(!result.isError && said.includes(JSON.stringify(expected).slice(1, -1)), `${name}: ${said}`);
  }
  await client.disconnect();
});
