// Made-up data for the mock server: a small project in which two agents work.

import type { Change, Conflict, DiffRow, FileDiff, FileHistory, Hunk, Mark, Preview, Question, Server, Sign, State } from "../src/types";

const T0 = new Date().setHours(14, 32, 8, 0);

export class World {
  changes: Change[] = [];
  questions: Question[] = [];
  servers: Server[] = [];
  failures: State["failures"] = [];
  diffs = new Map<string, FileDiff>();
  conflicts: Conflict[] = [];
  /** A pretended clock, so that pictures are the same whenever they are taken. */
  now = T0 + 60_000;

  state(): State {
    return {
      version: "0.2.0",
      roots: ["/home/ada/atlas"],
      workspace: { name: "atlas", path: "/home/ada/atlas" },
      now: this.now,
      questions: this.questions,
      servers: this.servers,
      failures: this.failures,
      journal: { count: this.changes.length, newest: this.changes[0]?.id ?? null },
    };
  }

  diff(id: number, n: number, reveal: boolean, from: number): FileDiff {
    const change = this.changes.find((one) => one.id === id);
    const file = change?.files.find((one) => one.n === n);
    if (file?.denied && !reveal) return { denied: true, hunks: [] };
    const diff = this.diffs.get(`${id}/${n}`) ?? this.diffs.get(file?.path ?? "") ?? { hunks: [hunkOf("h1", 1, SAMPLE)] };
    return paged(diff, from);
  }

  history(path: string): FileHistory {
    const versions = this.changes
      .filter((change) => change.files.some((file) => file.path === path))
      .map(({ id, time, agent, tool, files }) => ({ change: id, time, agent: agent ?? null, tool, action: files[0]?.action ?? ("update" as const), version: `v${id}` }));
    return { versions, current: versions[0]?.version ?? null };
  }

  between(): FileDiff {
    return { hunks: [hunkOf("b1", 12, SAMPLE), hunkOf("b2", 80, SECOND)] };
  }

  preview(body: Record<string, unknown>): Preview {
    if (this.conflicts.length > 0) return { digest: "", changes: [], files: [], merged: [], conflicts: this.conflicts };
    const diff = { hunks: [hunkOf("p1", 41, SAMPLE.map(turned))] };
    return { digest: JSON.stringify(body).length.toString(16), changes: [41], files: [{ path: "src/router.rs", action: "restored", diff }], merged: [], conflicts: [], recorded: 99 };
  }

  rules(part: string, _body: Record<string, unknown>): unknown {
    if (part === "why") return { verdict: "deny", rules: [2], text: "reading .env is denied by the default rule `**/.env*`: it usually holds secrets" };
    if (part === "preview") {
      return { file: "/home/ada/.config/toolcrib/config.toml", digest: "d", changes: true, diff: { hunks: [hunkOf("r", 3, [" [[rules]]", ' pattern = "infra/**"', "+[[rules]]", '+pattern = "deploy/**"'])] } };
    }
    return {
      file: "/home/ada/.config/toolcrib/config.toml",
      rules: [
        { n: 0, kind: "edit", pattern: "**", action: "allow", source: "default", group: "everything" },
        { n: 1, kind: "edit", pattern: "**/.git/**", action: "deny", source: "fixed", reason: "a repository's own files" },
        ...["**/.env*", "**/*.pem", "**/id_rsa", "**/.npmrc", "**/.netrc", "**/credentials"].map((pattern, at) => ({
          n: at + 2, kind: "read", pattern, action: "deny", source: "default", group: "secrets", reason: "usually holds secrets",
        })),
        { n: 8, kind: "edit", pattern: "**/.{vscode,idea}/**", action: "ask", source: "default", group: "executed", reason: "an editor executes it" },
        { n: 9, kind: "edit", pattern: "infra/**", action: "ask", source: "user" },
      ],
    };
  }
}

const turned = (line: string) => (line[0] === "+" ? `-${line.slice(1)}` : line[0] === "-" ? `+${line.slice(1)}` : line);

/** Rows of a part of the diff, as the server sends them. */
export function paged(diff: FileDiff, from: number, most = 2000): FileDiff {
  let skip = from;
  let room = most;
  const hunks: Hunk[] = [];
  let row = 0;
  for (const hunk of diff.hunks) {
    const rows = hunk.rows.slice(Math.min(skip, hunk.rows.length));
    skip = Math.max(0, skip - hunk.rows.length);
    const taken = rows.slice(0, room);
    row += hunk.rows.length - (rows.length - taken.length);
    if (taken.length > 0) hunks.push({ ...hunk, rows: taken });
    room -= taken.length;
    if (taken.length < rows.length) return { ...diff, hunks, more: { next: row } };
  }
  return { ...diff, hunks };
}

/** A hunk from lines that begin with ` `, `-` or `+`; words between ‹› are marked. */
export function hunkOf(id: string, start: number, lines: string[], header = ""): Hunk {
  let [o, n] = [start, start];
  const rows = lines.map((line): DiffRow => {
    const t = line[0] as Sign;
    const marks: Mark[] = [];
    let s = "";
    for (const part of line.slice(1).split(/(‹[^›]*›)/)) {
      if (part.startsWith("‹")) {
        marks.push([s.length, s.length + part.length - 2]);
        s += part.slice(1, -1);
      } else s += part;
    }
    const row: DiffRow = { t, s, ...(marks.length > 0 ? { marks } : {}) };
    if (t !== "+") row.o = o++;
    if (t !== "-") row.n = n++;
    return row;
  });
  return { id, header, old_start: start, old_lines: o - start, new_start: start, new_lines: n - start, rows, undoable: "yes" };
}

export const SAMPLE = [
  " impl Router {",
  "     /// Finds the handler for a request, if any route matches.",
  "-    pub fn find(&self, ‹path›: &str) -> Option<&Handler> {",
  "-        self.routes.iter().find(|route| route.path == ‹path›).map(|route| &route.handler)",
  "+    pub fn find(&self, ‹request›: &‹Request›) -> Option<&Handler> {",
  "+        let path = request.path().trim_end_matches('/');",
  "+        self.routes.iter().find(|route| route.‹matches›(path)).map(|route| &route.handler)",
  "     }",
  " ",
  "     /// The number of routes.",
];

export const SECOND = [
  " #[test]",
  " fn a_trailing_slash_is_ignored() {",
  "-    let router = Router::new(\"/users\", ‹ok›);",
  "+    let router = Router::new(\"/users\", ‹created›);",
  "+    assert!(router.find(&get(\"/users/\")).is_some());",
  " }",
];

const THIRD = [" use std::fmt;", "+use std::sync::Arc;", " use crate::handler::Handler;", "-use crate::request::{Body, ‹Method›};", "+use crate::request::{Body, ‹Request›};", " "];

const NAMES = ["src/router.rs", "src/handler.rs", "tests/router.rs", "docs/routing.md", "web/src/Table.tsx", "Cargo.toml", "scripts/release.py", "src/request.rs"];
const TOOLS = ["Edit", "MultiEdit", "Write", "apply_patch"];

/** A change as it comes from the journal. */
export function change(id: number, more: Partial<Change> = {}): Change {
  const session = ["5f1c09ab77e2", "90be44d1c3aa", "c1d7e8f02b11"][id % 3] ?? "";
  return {
    id,
    time: T0 - (400 - id) * 41_000,
    tool: TOOLS[id % TOOLS.length] ?? "Edit",
    agent: ["claude-code", "opencode", "codex"][id % 3] ?? "",
    session,
    door: "mcp",
    state: "done",
    files: [{ n: 0, action: "update", kind: "file", path: NAMES[id % NAMES.length] ?? "", added: (id * 7) % 40, removed: (id * 3) % 17, kept: true }],
    ...more,
  };
}

export function question(id: string, more: Partial<Question> = {}): Question {
  const hunks = [hunkOf("q1", 3, THIRD), hunkOf("q2", 41, SAMPLE, "impl Router"), hunkOf("q3", 96, SECOND)];
  return {
    id,
    pid: 4711,
    agent: "claude-code",
    session: "5f1c09ab77e2",
    tool: "MultiEdit",
    access: "edit",
    rule: "ask edit src/**",
    patterns: ["src/**"],
    asked: T0 + 42_000,
    deadline: T0 + 60_000 + 274_000,
    digest: `digest of ${id}`,
    paths: ["src/router.rs"],
    files: [{ n: 0, path: "src/router.rs", action: "update", hunks, before_text: "old\n", after_text: "fn main() {\n    serve();\n}\n" }],
    editable: true,
    ...more,
  };
}

/** What the pictures show. */
export function project(): World {
  const world = new World();
  const several = [
    { n: 0, action: "update" as const, path: "src/router.rs", added: 6, removed: 4 },
    { n: 1, action: "add" as const, path: "src/matcher.rs", added: 48, removed: 0 },
    { n: 2, action: "move" as const, path: "src/http/request.rs", from: "src/request.rs", added: 1, removed: 1 },
    { n: 3, action: "update" as const, path: ".env", added: 1, removed: 1, denied: true },
  ];
  for (let id = 400; id > 340; id--) world.changes.push(change(id));
  world.changes[0] = change(400, { tool: "apply_patch", files: several });
  world.changes[2] = change(398, { state: "undone", undone_by: 399 });
  world.changes[5] = change(395, { state: "rolled_back" });
  world.diffs.set("src/router.rs", { hunks: [hunkOf("a1", 3, THIRD), hunkOf("a2", 41, SAMPLE, "impl Router"), hunkOf("a3", 96, SECOND)] });
  world.questions = [
    question("1"),
    question("2", { agent: "opencode", tool: "write", paths: ["deploy/production.yaml"], patterns: ["deploy/**"], deadline: T0 + 82_000 }),
    question("3", { agent: "codex", access: "read", tool: "Read", paths: ["/home/ada/other/notes.md"], files: [], editable: false }),
  ];
  const call = { id: "7", tool: "Grep", path: "src", since: T0 + 52_000, progress: 1830, total: 4200, message: "files searched" };
  world.servers = [
    { pid: 4711, agent: "claude-code", door: "mcp", since: T0 - 5_400_000, root: "/home/ada/atlas", dialect: "claude-code", calls: [call] },
    { pid: 5120, agent: "opencode", door: "mcp", since: T0 - 720_000, root: "/home/ada/atlas", dialect: "opencode", calls: [] },
  ];
  world.failures = [
    { time: T0 - 90_000, tool: "Edit", agent: "claude-code", session: "5f1c09ab77e2", path: "src/router.rs", message: "the old text occurs 3 times (lines 12, 40, 77)" },
    { time: T0 - 400_000, tool: "read", agent: "opencode", session: "90be44d1c3aa", path: ".env", message: "reading is denied by a rule" },
  ];
  return world;
}
