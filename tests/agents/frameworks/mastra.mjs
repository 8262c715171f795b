// Mastra.

import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';
// Its models are of an older version of the AI SDK than the one beside it.
import { createOpenAICompatible } from 'openai-compatible-for-mastra';

import { prompt, told } from './script.mjs';

const mcp = new MCPClient({ servers: { toolcrib: { command: told.command, args: told.args, env: process.env } } });
const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${told.model}/v1`, apiKey: 'none' });
const agent = new Agent({ name: 'agent', instructions: 'Work.', model: provider('scripted'), tools: await mcp.getTools() });
await agent.generate(prompt, { maxSteps: 50 });
await mcp.disconnect();
process.exit(0);
