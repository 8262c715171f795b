// The list of changes: one page after the other from the server, and what arrives live put on top.

import { batch, computed, signal } from "@preact/signals";
import { get, Problem, query } from "./api";
import { merged } from "./merged";
import type { Change, Changes } from "./types";

export type Filter = { agent: string; session: string; file: string; q: string; since: number };
export const NO_FILTER: Filter = { agent: "", session: "", file: "", q: "", since: 0 };

export type Counted = ([number, number] | null)[];

const PAGE = 200;

class Timeline {
  readonly changes = signal<Change[]>([]);
  readonly filter = signal<Filter>(NO_FILTER);
  readonly more = signal(false);
  readonly loading = signal(true);
  readonly problem = signal<Problem | null>(null);
  readonly filtered = computed(() => JSON.stringify(this.filter.value) !== JSON.stringify(NO_FILTER));
  /** Agents and sessions that were seen, to choose from. */
  readonly agents = signal<string[]>([]);
  readonly sessions = signal<{ id: string; agent: string; time: number }[]>([]);

  /** Added and removed lines of each file, by the number of the change. */
  readonly counts = signal<Record<string, Counted>>({});

  private asked = new Set<number>();
  private uncounted: number[] = [];
  private counting: ReturnType<typeof setTimeout> | undefined;
  private next: number | undefined;
  private waiting = new Map<number, Change>();
  private planned = 0;
  private again: ReturnType<typeof setTimeout> | undefined;
  private request: AbortController | undefined;

  /** From the newest; what is loaded further down stays if the filter is the same. */
  async refresh(): Promise<void> {
    const changes = await this.load({});
    if (!changes) return;
    const known = this.changes.value;
    const last = changes.changes.at(-1);
    const joins = last !== undefined && known.length > PAGE && changes.more && known.some((change) => change.id === last.id);
    batch(() => {
      if (joins) this.changes.value = merged(known, changes.changes);
      else {
        this.changes.value = changes.changes;
        this.next = changes.next ?? undefined;
        this.more.value = changes.more;
      }
      this.remember(changes.changes);
    });
  }

  async older(): Promise<void> {
    if (this.loading.value || !this.more.value) return;
    const before = this.next ?? this.changes.value.at(-1)?.id;
    const changes = await this.load(before ? { before } : {});
    if (!changes) return;
    this.next = changes.next ?? undefined;
    batch(() => {
      this.changes.value = merged(this.changes.value, changes.changes);
      this.more.value = changes.more;
      this.remember(changes.changes);
    });
  }

  choose(filter: Partial<Filter>): void {
    const next = { ...this.filter.value, ...filter };
    if (JSON.stringify(next) === JSON.stringify(this.filter.value)) return;
    batch(() => {
      this.filter.value = next;
      this.changes.value = [];
      this.more.value = false;
    });
    void this.refresh();
  }

  /** A new change. Many may come in one frame: they are drawn together. */
  arrived(change: Change): void {
    if (this.filtered.value) return this.soon();
    this.waiting.set(change.id, change);
    if (this.planned) return;
    this.planned = window.setTimeout(() => {
      this.planned = 0;
      const all = [...this.waiting.values()];
      this.waiting.clear();
      batch(() => {
        this.changes.value = merged(this.changes.value, all);
        this.remember(all);
      });
    }, 40);
  }

  /** Asks for the line counts of a change that is in sight; those of a few at once. */
  wantCounts(id: number): void {
    if (this.asked.has(id)) return;
    this.asked.add(id);
    this.uncounted.push(id);
    this.count();
  }

  private count(): void {
    this.counting ??= setTimeout(() => {
      this.counting = undefined;
      const ids = this.uncounted.splice(0, 100);
      if (this.uncounted.length > 0) this.count();
      get<{ counts: Record<string, Counted> }>(`/api/counts${query({ ids: ids.join(",") })}`)
        .then(({ counts }) => {
          this.counts.value = { ...this.counts.value, ...counts };
        })
        .catch(() => undefined);
    }, 60);
  }

  private soon(): void {
    this.again ??= setTimeout(() => {
      this.again = undefined;
      void this.refresh();
    }, 300);
  }

  private async load(page: { before?: number }): Promise<Changes | undefined> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.loading.value = true;
    try {
      const path = `/api/changes${query({ ...page, limit: PAGE, ...this.filter.value, since: this.filter.value.since || "" })}`;
      const changes = await get<Changes>(path, request.signal);
      this.problem.value = null;
      return changes;
    } catch (error) {
      if (error instanceof Problem) this.problem.value = error;
      return undefined;
    } finally {
      if (this.request === request) this.loading.value = false;
    }
  }

  private remember(changes: Change[]): void {
    const agents = new Set(this.agents.value);
    const sessions = new Map(this.sessions.value.map((session) => [session.id, session]));
    for (const { agent, session, time } of changes) {
      if (agent) agents.add(agent);
      if (session && (sessions.get(session)?.time ?? 0) < time) sessions.set(session, { id: session, agent: agent ?? "", time });
    }
    if (agents.size !== this.agents.value.length) this.agents.value = [...agents].sort();
    if (sessions.size !== this.sessions.value.length) {
      this.sessions.value = [...sessions.values()].sort((a, b) => b.time - a.time).slice(0, 200);
    }
  }
}

export const timeline = new Timeline();
