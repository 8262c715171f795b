// The official client for TypeScript.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { binary, everyTool, workspace } from './workspace.mjs';

async function connect(root, options = [], capabilities = {}) {
  const client = new Client({ name: 'test', version: '0' }, { capabilities });
  await client.connect(new StdioClientTransport({ command: binary, args: ['mcp', '--root', root, ...options] }));
  return client;
}

test('every tool is listed and can be called, and structured content matches its schema', async () => {
  const root = workspace();
  const client = await connect(root, ['--structured']);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), everyTool(root).map(([name]) => name).sort(
    (a, b) => tools.findIndex((tool) => tool.name === a) - tools.findIndex((tool) => tool.name === b)));
  for (const [name, args, expected] of everyTool(root)) {
    // The client checks structured content against the output schema by itself, and throws if it does not match.
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
    assert.ok(result.content[0].text.includes(expected), `${name}: ${result.content[0].text}`);
  }
  assert.equal(readFileSync(join(root, 'b.txt'), 'utf8'), 'patched\n');
  await client.close();
});

test('an image is an image block', async () => {
  const root = workspace();
  const client = await connect(root);
  const { content } = await client.callTool({ name: 'Read', arguments: { file_path: join(root, 'a.png') } });
  const image = content.find((block) => block.type === 'image');
  assert.equal(image.mimeType, 'image/png');
  assert.deepEqual(Buffer.from(image.data, 'base64'), readFileSync(join(root, 'a.png')));
  await client.close();
});

test('a person is asked with the diff, and the answer counts', async () => {
  const root = workspace();
  const config = join(root, 'config.toml');
  writeFileSync(config, '[[rules]]\nkind = "edit"\npattern = "*.conf"\naction = "ask"\n');
  for (const decision of ['no', 'once']) {
    const client = await connect(root, ['--config', config], { elicitation: {} });
    const asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { decision } };
    });
    const file_path = join(root, 'a.conf');
    await client.callTool({ name: 'Read', arguments: { file_path } });
    const result = await client.callTool(
      { name: 'Edit', arguments: { file_path, old_string: 'old', new_string: 'new' } });
    assert.equal(Boolean(result.isError), decision === 'no');
    assert.ok(asked.length === 1 && asked[0].includes('-old\n+new'), asked.join());
    assert.equal(readFileSync(file_path, 'utf8'), decision === 'no' ? 'old\n' : 'new\n');
    await client.close();
  }
});

test('a call that is taken back ends, and the next is served', async () => {
  const root = workspace();
  for (let n = 0; n < 20; n += 1) writeFileSync(join(root, `large${n}`), `${'a'.repeat(99)}\n`.repeat(90_000));
  const client = await connect(root);
  const stop = new AbortController();
  const search = client.callTool(
    { name: 'Grep', arguments: { pattern: '(?i)(a|b)*c(?=d)', path: root } }, undefined, { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await assert.rejects(search);
  const started = performance.now();
  const result = await client.callTool({ name: 'Read', arguments: { file_path: join(root, 'a.txt') } });
  assert.ok(!result.isError);
  assert.ok(performance.now() - started < 5000);
  await client.close();
});
