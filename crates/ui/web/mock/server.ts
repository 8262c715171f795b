// Stands in for `toolcrib ui`: the same contract over made-up data, for working on the page and for the tests of what is hard to
// bring about for real (thousands of changes, hostile names, conflicts). `npm run mock` serves the built page.

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server as Http, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Answer, Change, FileDiff, Hunk, Question } from "../src/types";
import type { World } from "./world";

const ASSETS = fileURLToPath(new URL("../../assets/", import.meta.url));
const TYPES: Record<string, string> = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export class Mock {
  readonly answers: { id: string; answer: Answer }[] = [];
  readonly undos: unknown[] = [];
  private readonly pages = new Set<ServerResponse>();
  private readonly http: Http;

  constructor(readonly world: World) {
    this.http = createServer((request, response) => void this.serve(request, response));
  }

  async start(port = 0): Promise<string> {
    await new Promise<void>((done) => this.http.listen(port, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.http.closeAllConnections();
    this.http.close();
  }

  send(event: string, data: unknown): void {
    for (const page of this.pages) page.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  arrive(change: Change): void {
    this.world.changes.unshift(change);
    this.send("change", change);
  }

  question(question: Question): void {
    this.world.questions.push(question);
    this.send("question", question);
  }

  settle(id: string, by: string, verdict: string): void {
    this.world.questions = this.world.questions.filter((question) => question.id !== id);
    this.send("answered", { id, by, verdict });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("Content-Security-Policy", CSP);
    if (!url.pathname.startsWith("/api/")) return this.asset(url.pathname, response);
    if (url.pathname === "/api/events") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      response.write(`event: state\ndata: ${JSON.stringify(this.world.state())}\n\n`);
      this.pages.add(response);
      response.on("close", () => this.pages.delete(response));
      return;
    }
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const [status, answer] = this.answer(url, body === "" ? {} : JSON.parse(body));
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer));
  }

  private async asset(path: string, response: ServerResponse): Promise<void> {
    const name = path === "/" ? "index.html" : path.slice(1);
    try {
      const content = await readFile(ASSETS + name);
      response.writeHead(200, { "Content-Type": TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  }

  private answer(url: URL, body: Record<string, unknown>): [number, unknown] {
    const { world } = this;
    const get = (name: string) => url.searchParams.get(name) ?? "";
    const parts = url.pathname.split("/").slice(2).map(decodeURIComponent);
    switch (parts[0]) {
      case "state":
        return [200, world.state()];
      case "counts":
        return [200, { counts: {} }];
      case "changes":
        if (parts.length === 2) return [200, world.changes.find((change) => change.id === Number(parts[1]))];
        return parts.length === 1 ? [200, this.changes(get)] : [200, world.diff(Number(parts[1]), Number(parts[3]), get("reveal") === "1", Number(get("from_row")))];
      case "files":
        return parts[1] === "history" ? [200, world.history(get("path"))] : [200, world.between()];
      case "questions":
        return this.onQuestion(parts, body as unknown as Answer);
      case "undo": {
        const preview = world.preview(body);
        if (preview.conflicts.length > 0) return [409, { error: { message: "The undo conflicts", kind: "conflict" }, ...preview }];
        if (parts[1] !== "preview") this.undos.push(body);
        return [200, preview];
      }
      case "rules":
        return [200, world.rules(parts[1] ?? "", body)];
      case "servers":
        return [200, { ok: true }];
    }
    return [404, { error: { message: "There is nothing here", kind: "missing" } }];
  }

  private changes(get: (name: string) => string) {
    const before = Number(get("before")) || Infinity;
    const since = Number(get("since"));
    const fits = (change: Change) =>
      change.id < before &&
      change.time >= since &&
      (!get("agent") || change.agent === get("agent")) &&
      (!get("session") || change.session === get("session")) &&
      (!get("file") || change.files.some((file) => file.path.startsWith(get("file")))) &&
      (!get("q") || JSON.stringify(change).toLowerCase().includes(get("q").toLowerCase()));
    const all = this.world.changes.filter(fits);
    const limit = Number(get("limit")) || 100;
    const changes = all.slice(0, limit);
    return { changes, more: all.length > limit, next: changes.at(-1)?.id ?? null, scanned: all.length };
  }

  private onQuestion([, id = "", act]: string[], answer: Answer): [number, unknown] {
    const question = this.world.questions.find((one) => one.id === id);
    if (!question) return [409, { error: { message: "This question was answered already", kind: "answered" }, by: "the terminal" }];
    if (act !== "answer") return [200, question];
    this.answers.push({ id, answer });
    this.settle(id, "a page", answer.verdict);
    return [200, { ok: true }];
  }
}

export type { FileDiff, Hunk };
