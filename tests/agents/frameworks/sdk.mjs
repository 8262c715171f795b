// The official SDK for TypeScript.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { blocks, report, told } from './script.mjs';

const client = new Client({ name: 'example', version: '1' });
await client.connect(new StdioClientTransport({ command: told.command, args: told.args, env: process.env }));
const { tools } = await client.listTools();
const results = [];
for (const step of told.steps) {
  const { content } = await client.callTool({ name: step.tool, arguments: step.arguments });
  results.push(blocks(content));
}
report(tools.map((tool) => tool.name), results);
await client.close();
