// The AI SDK.

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';

import { prompt, told } from './script.mjs';

const transport = new Stdio({ command: told.command, args: told.args, env: process.env });
const client = await createMCPClient({ transport });
const provider = createOpenAI({ baseURL: `${told.model}/v1`, apiKey: 'none' });
const tools = await client.tools();
await generateText({ model: provider('scripted'), tools, prompt, stopWhen: stepCountIs(50) });
await client.close();
