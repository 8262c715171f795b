// What the page knows of the server: a snapshot at first, then kept true by events. Views read the signals; nobody else writes them.

import { batch, computed, signal } from "@preact/signals";
import { eventsAddress, get, Problem } from "./api";
import { go } from "./route";
import { timeline } from "./timeline";
import type { Answered, Call, Change, Failure, Light, Question, Server, State } from "./types";

export type Connection = "connecting" | "live" | "lost";
export type Settled = { question: Question; by: string; verdict: string; time: number };

export const connection = signal<Connection>("connecting");
export const problem = signal<Problem | null>(null);
export const workspace = signal({ name: "", path: "" });

/** A path, or a sentence with paths, as one reads it in the workspace: without the folder that all of them have in common. */
export function local(text: string): string {
  const root = workspace.value.path;
  return root.length > 1 ? text.replaceAll(`${root}/`, "") : text;
}

export const version = signal("");
export const journal = signal<State["journal"]>({ newest: null });
export const questions = signal<Question[]>([]);
export const settled = signal<Settled[]>([]);
export const servers = signal<Server[]>([]);
export const failures = signal<Failure[]>([]);
/** The server's clock, moved on every second. */
export const now = signal(Date.now());
let skew = 0;

export const pending = computed(() => questions.value.length);

setInterval(() => {
  now.value = Date.now() + skew;
}, 1000);

/** Takes a snapshot, and what happens from then on. Without an answer it is tried again; without permission it is not. */
export async function start(): Promise<void> {
  try {
    const state = await get<State>("/api/state");
    batch(() => {
      workspace.value = state.workspace;
      version.value = state.version;
      take(state);
    });
    // Who opens the page because of a question sees the question.
    if (state.questions.length > 0 && location.hash === "") go("desk");
    void timeline.refresh();
    listen();
  } catch (error) {
    connection.value = "lost";
    problem.value = error as Problem;
    if (problem.value.status === 0) setTimeout(() => void start(), 2000);
  }
}

function take(state: Light): void {
  batch(() => {
    problem.value = null;
    skew = state.now - Date.now();
    now.value = state.now;
    journal.value = state.journal;
    withdraw(state.questions);
    questions.value = state.questions;
    servers.value = state.servers;
    failures.value = state.failures;
  });
}

/** What was pending and is no longer in a snapshot was settled while nobody listened. */
function withdraw(still: Question[]): void {
  for (const question of questions.value) {
    if (!still.some((other) => other.id === question.id)) settle({ id: question.id, by: "while this page was away" });
  }
}

function listen(): void {
  const source = new EventSource(eventsAddress(journal.value.newest ?? 0));
  const on = <T>(name: string, act: (data: T) => void) =>
    source.addEventListener(name, (event) => act(JSON.parse((event as MessageEvent<string>).data) as T));

  source.onopen = () => {
    connection.value = "live";
    problem.value = null;
  };
  source.onerror = () => {
    connection.value = "lost";
    if (source.readyState === EventSource.CLOSED) setTimeout(() => void start(), 2000);
  };
  on<Light>("state", take);
  on<Change>("change", (change) => timeline.arrived(change));
  on<Change>("changed", (change) => timeline.arrived(change));
  on<unknown>("reset", () => void timeline.refresh());
  on<Question>("question", (question) => {
    questions.value = [...questions.value.filter((other) => other.id !== question.id), question];
  });
  on<Answered>("answered", settle);
  on<Server>("server", (server) => {
    servers.value = [...servers.value.filter((other) => other.pid !== server.pid), server];
  });
  on<{ pid: number }>("server-gone", ({ pid }) => {
    servers.value = servers.value.filter((other) => other.pid !== pid);
  });
  on<{ pid: number; call: Call & { ended?: boolean } }>("call", ({ pid, call }) => {
    servers.value = servers.value.map((server) => {
      if (server.pid !== pid) return server;
      const others = server.calls.filter((other) => other.id !== call.id);
      return { ...server, calls: call.ended ? others : [...others, call] };
    });
  });
  on<Failure>("failure", (failure) => {
    failures.value = [failure, ...failures.value].slice(0, 50);
  });
}

/** A question is out of the list: answered by somebody, withdrawn or too late. */
export function settle(answered: Answered): void {
  const question = questions.value.find((other) => other.id === answered.id);
  if (!question) return;
  batch(() => {
    questions.value = questions.value.filter((other) => other.id !== answered.id);
    const entry = { question, by: answered.by, verdict: answered.verdict ?? "", time: now.value };
    settled.value = [entry, ...settled.value].slice(0, 20);
  });
}
