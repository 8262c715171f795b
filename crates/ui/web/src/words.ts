// Words and figures as a person reads them: times, counts, names.

import type { Action, ChangeState, Access } from "./types";

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export function day(ms: number, now: number): string {
  const date = new Date(ms);
  const days = Math.round((midnight(now) - midnight(ms)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year });
}

function midnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

export function moment(ms: number, now: number): string {
  return `${day(ms, now)}, ${clock(ms)}`;
}

/** How long ago or how long still: `12 s`, `4 min`, `3 h`, `2 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** What is left of a wait, to the second: `4:05`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} bytes`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

export const ACTION: Record<Action, string> = { add: "new", update: "changed", delete: "deleted", move: "moved", other: "changed" };
export const ACTION_LETTER: Record<Action, string> = { add: "A", update: "M", delete: "D", move: "R", other: "·" };

export const STATE: Record<ChangeState, string> = {
  done: "",
  undone: "undone",
  rolled_back: "rolled back",
  under_way: "under way",
  unknown: "outcome unknown",
};

export const WANTS: Record<Access, string> = {
  edit: "wants to change",
  read: "wants to read",
  external_directory: "wants to leave the workspace for",
};

/** Who or what ended a question. */
export const ENDED: Record<string, string> = {
  page: "on a page",
  here: "in the terminal or the client",
  cancelled: "the call was cancelled",
  timed_out: "nobody answered in time",
  gone: "the process that asked is gone",
};

export function short(id: string): string {
  return id.length > 10 ? id.slice(0, 8) : id;
}

export function folder(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut + 1);
}

export function name(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
