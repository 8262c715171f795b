// The real thing: a workspace, `toolcrib ui` on it, and an agent that speaks MCP to `toolcrib mcp` over stdio.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Browser } from "playwright-core";
import { open, type Watched } from "./browser";

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

  async page(of: Browser): Promise<Watched> {
    const watched = await open(of, await this.ui());
    await watched.page.waitForSelector(".connection.live");
    return watched;
  }

  async agent(name = "test-agent"): Promise<{ client: Client; pid: number }> {
    const client = new Client({ name, version: "1" });
    const transport = new StdioClientTransport({ command: binary, args: ["mcp", "--root", this.root], env: this.environment, stderr: "inherit" });
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

export type Said = { isError?: boolean; text: string };

export async function call(client: Client, name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Said> {
  const answer = await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {});
  const content = answer.content as { text?: string }[];
  return { isError: Boolean(answer.isError), text: content.map((block) => block.text ?? "").join("\n") };
}
