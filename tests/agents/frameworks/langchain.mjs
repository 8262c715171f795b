// LangChain's adapters for JavaScript.

import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

import { prompt, told } from './script.mjs';

const server = { transport: 'stdio', command: told.command, args: told.args, env: process.env };
const client = new MultiServerMCPClient({ mcpServers: { toolcrib: server } });
const model = new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: `${told.model}/v1` } });
const agent = createAgent({ model, tools: await client.getTools() });
await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, { recursionLimit: 100 });
await client.close();
