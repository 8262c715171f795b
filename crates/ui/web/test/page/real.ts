// The real thing: a workspace, `toolcrib ui` on it, and an agent that speaks MCP to `toolcrib mcp` over stdio.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Browser } from "playwright-core";
import { browser, open, type Watched } from "./browser";

export const binary = process.env.TOOLCRIB_BIN ?? "";

const CONFIGURATION = `
[[rules]]
kind = "edit"
pattern = "asked/**"
action = "ask"

[[rules]]
kind = "read"
pattern = "secret.txt"
action = "deny"

[journal]
durability = "fast"

[approvals]
wait = "90s"
`;

/** The browser of a test file that needs the program too. */
export function real_browser(): () => Browser {
  let started: Browser;
  before(async () => {
    assert.ok(binary, "TOOLCRIB_BIN is not set: run `cargo xtask test page`");
    started = await browser();
  });
  after(async () => {
    await started?.close();
  });
  return () => started;
}

export class Place {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "page-")));
  readonly root = join(this.home, "atlas");
  private readonly children: ChildProcess[] = [];
  private readonly agents: Client[] = [];

  constructor() {
    mkdirSync(join(this.root, "asked"), { recursive: true });
    mkdirSync(join(this.home, "config/toolcrib"), { recursive: true });
    writeFileSync(join(this.home, "config/toolcrib/config.toml"), CONFIGURATION);
  }

  get environment(): Record<string, string> {
    const { PATH = "" } = process.env;
    return { PATH, HOME: this.home, XDG_CONFIG_HOME: join(this.home, "config"), XDG_STATE_HOME: join(this.home, "state") };
  }

  at(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), "utf8");
  }

  /** Starts `toolcrib ui`, for the link that it prints. */
  ui(): Promise<string> {
    const child = spawn(binary, ["ui", "--root", this.root, "--print-url"], { env: this.environment, stdio: ["ignore", "pipe", "inherit"] });
    this.children.push(child);
    return new Promise((found, failed) => {
      let printed = "";
      child.stdout.on("data", (part) => {
        printed += String(part);
        const link = /http:\S+/.exec(printed);
        if (link) found(link[0]);
      });
      child.on("exit", (code) => failed(new Error(`toolcrib ui ended with ${code}: ${printed}`)));
    });
  }

  /** The memory that `toolcrib ui` has needed at most, in kB. */
  get most_memory(): number {
    const pid = this.children.at(-1)?.pid ?? 0;
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  }

  async page(of: Browser): Promise<Watched> {
    const watched = await open(of, await this.ui());
    await watched.page.waitForSelector(".connection.live");
    return watched;
  }

  async agent(name = "test-agent", ...options: string[]): Promise<{ client: Client; pid: number }> {
    const client = new Client({ name, version: "1" });
    const args = ["mcp", "--root", this.root, ...options];
    const transport = new StdioClientTransport({ command: binary, args, env: this.environment, stderr: "inherit" });
    await client.connect(transport);
    this.agents.push(client);
    return { client, pid: transport.pid ?? 0 };
  }

  async close(): Promise<void> {
    for (const agent of this.agents) await agent.close().catch(() => undefined);
    for (const child of this.children) {
      child.removeAllListeners("exit");
      child.kill("SIGKILL");
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A page on a workspace of its own; fails if the page reported an error, opened a dialog or asked another server. */
export async function with_page(of: Browser, act: (place: Place, watched: Watched) => Promise<void>): Promise<void> {
  const place = new Place();
  try {
    const watched = await place.page(of);
    await act(place, watched);
    assert.deepEqual(watched.troubles, []);
    assert.deepEqual(watched.strangers, []);
    await watched.page.context().close();
  } finally {
    await place.close();
  }
}

export type Said = { isError?: boolean; text: string };

export async function call(client: Client, name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Said> {
  const answer = await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {});
  const content = answer.content as { text?: string }[];
  return { isError: Boolean(answer.isError), text: content.map((block) => block.text ?? "").join("\n") };
}
