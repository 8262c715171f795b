// Runs the protocol's conformance suite for servers against `toolcrib mcp --http`, in both eras.
// usage: node run.mjs TOOLCRIB  (with a Node that the suite supports; `cargo xtask test conformance` sees to it)
//
// The suite brings no token and connects by its own name for this machine, so a small forwarder stands between: it adds the
// token, and turns its own address into the server's in Host and Origin. Foreign ones pass unchanged, to be refused.

import { spawn } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const suite = join(process.env.CONFORMANCE_MODULES ?? join(here, 'node_modules'),
  '@modelcontextprotocol/conformance/dist/index.js');
const workspace = mkdtempSync(join(tmpdir(), 'conformance-'));
writeFileSync(join(workspace, 'a.txt'), 'one\n');

const server = spawn(process.argv[2], ['mcp', '--root', workspace, '--http', '127.0.0.1:0'],
  { stdio: ['ignore', 'ignore', 'pipe'] });
const said = {};
for await (const line of createInterface({ input: server.stderr })) {
  const [name, value] = line.split(': ', 2);
  said[name] = value;
  if (said.Token) break;
}
const target = new URL(said.Address);

const forwarder = http.createServer((request, response) => {
  const own = `:${forwarder.address().port}`;
  const headers = { ...request.headers, authorization: `Bearer ${said.Token}` };
  if (headers.host === `localhost${own}` || headers.host === `127.0.0.1${own}`) headers.host = target.host;
  if (headers.origin === `http://localhost${own}`) headers.origin = target.origin;
  const on = http.request(
    { host: target.hostname, port: target.port, path: request.url, method: request.method, headers },
    (answer) => { response.writeHead(answer.statusCode, answer.headers); answer.pipe(response); });
  on.on('error', () => response.destroy());
  response.on('close', () => on.destroy());
  request.pipe(on);
});
await new Promise((listening) => forwarder.listen(0, '127.0.0.1', listening));
const url = `http://localhost:${forwarder.address().port}${target.pathname}`;

let failed = false;
for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
  console.log(`== ${version}`);
  const status = await new Promise((ended) => {
    const options = ['server', '--url', url, '--suite', 'all', '--spec-version', version,
      '--expected-failures', join(here, `not-applicable-${version}.yml`)];
    const run = spawn(process.execPath, [suite, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = [];
    createInterface({ input: run.stdout }).on('line', (line) => lines.push(line));
    run.on('close', (code) => {
      const shown = code === 0 ? lines.filter((line) => /^(✓|Total)|nexpected|stale/.test(line)) : lines.slice(-80);
      console.log(shown.join('\n'));
      ended(code);
    });
  });
  failed ||= status !== 0;
}
server.kill();
forwarder.close();
forwarder.closeAllConnections();
rmSync(workspace, { recursive: true });
process.exitCode = failed ? 1 : 0;
