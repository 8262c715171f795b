// Talks to the server: one function that fetches, and the error that every view can show.

import type { ApiError } from "./types";

/** What went wrong with a request, in words for the person at the page. */
export class Problem extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly status: number,
    readonly kind = "",
    /** The whole answer, for what came along with the refusal (conflicts, who answered). */
    readonly answer: unknown = undefined,
  ) {
    super(message);
  }
}

const GONE = "run `toolcrib ui` again in the workspace and open the link that it prints";

/**
 * The key of this page. Cookies are not separated by port, so the server wants it with every request; it comes once, behind the `#` of
 * the address, and is kept for this origin alone.
 */
const token = taken();

function taken(): string {
  const name = "toolcrib";
  const fragment = location.hash.slice(1);
  try {
    if (/^[\w-]{16,}$/.test(fragment)) {
      localStorage.setItem(name, fragment);
      history.replaceState(null, "", location.pathname);
      return fragment;
    }
    return localStorage.getItem(name) ?? "";
  } catch {
    return fragment;
  }
}

export function eventsAddress(after: number): string {
  return `/api/events${query({ token, after: String(after) })}`;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal ? { signal } : {});
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return send<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function send<T>(path: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, "X-Toolcrib": token }, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem("The server does not answer", GONE, 0, "unreachable");
  }
  const text = await response.text();
  let answer: unknown;
  try {
    answer = text === "" ? {} : JSON.parse(text);
  } catch {
    answer = undefined;
  }
  if (response.ok && answer !== undefined) return answer as T;
  throw problem(response.status, answer);
}

function problem(status: number, answer: unknown): Problem {
  const said = (answer as ApiError | undefined)?.error;
  if (said && typeof said.message === "string") {
    const hint = said.hint ?? (status === 401 ? GONE : "");
    return new Problem(said.message, hint, status, said.kind ?? "", answer);
  }
  if (status === 401 || status === 403) return new Problem("This page may no longer ask the server", GONE, status, "auth");
  return new Problem(`The server answered with status ${status}`, "look at the terminal in which it runs", status);
}

/** `?a=1&b=x` from what is there; nothing for empty values. */
export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) parts.set(name, String(value));
  }
  const text = parts.toString();
  return text === "" ? "" : `?${text}`;
}
