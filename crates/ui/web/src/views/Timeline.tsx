// Every change, newest first and live: the list with its filters on one side, the chosen change on the other.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../keys";
import { Counts, Empty, Path, Seen, Trouble } from "../parts/text";
import { VirtualList } from "../parts/VirtualList";
import { go, link, replace, route } from "../route";
import { connection, journal, now } from "../state";
import { NO_FILTER, timeline } from "../timeline";
import type { Change } from "../types";
import { plain } from "../visible";
import { ACTION_LETTER, clock, count, day, short, STATE } from "../words";
import { ChangeView } from "./Change";

type Entry = { kind: "day"; key: string; height: number; text: string } | { kind: "change"; key: number; height: number; change: Change };

export function Timeline() {
  const changes = timeline.changes.value;
  const chosen = Number(route.value.id) || 0;
  const entries = useMemo(() => byDay(changes), [changes, day(now.value, now.value), Math.floor(now.value / 3_600_000)]);
  const at = changes.findIndex((change) => change.id === chosen);
  const move = (by: number) => {
    const next = changes[at < 0 ? 0 : Math.max(0, Math.min(changes.length - 1, at + by))];
    if (next) replace("timeline", next.id);
  };
  const search = useRef<HTMLInputElement>(null);
  useKeys([
    { key: "j", about: "next change (older)", act: () => move(1) },
    { key: "k", about: "previous change (newer)", act: () => move(-1) },
    { key: "/", about: "search", act: () => search.current?.focus() },
    { key: "Escape", about: "back to the list", act: () => go("timeline") },
  ]);

  return (
    <div class={`columns ${chosen ? "chosen" : ""}`}>
      <section class="list" aria-label="Changes">
        <Filters search={search} />
        {timeline.problem.value ? <Trouble problem={timeline.problem.value} retry={() => void timeline.refresh()} /> : null}
        {journal.value.damage ? (
          <div class="trouble" role="status">
            <strong>Part of the journal cannot be read</strong>
            <p>
              <Seen text={journal.value.damage} />
            </p>
          </div>
        ) : null}
        {changes.length === 0 && !timeline.loading.value ? (
          <Nothing />
        ) : (
          <VirtualList
            items={entries}
            label="Changes, newest first"
            role="listbox"
            class="changes"
            active={at >= 0 ? `change-${chosen}` : undefined}
            show={chosen ? entries.findIndex((entry) => entry.key === chosen) : undefined}
            onKeyDown={(event) => {
              const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
              if (!by) return;
              event.preventDefault();
              move(by);
            }}
            atEnd={() => void timeline.older()}
            draw={(entry) =>
              entry.kind === "day" ? (
                <div key={entry.key} class="day" role="presentation">
                  {entry.text}
                </div>
              ) : (
                <Row key={entry.key} change={entry.change} chosen={entry.key === chosen} />
              )
            }
          />
        )}
      </section>
      <section class="detail" aria-label="The chosen change">
        {chosen ? (
          <ChangeView key={chosen} id={chosen} known={changes[at]} />
        ) : changes.length > 0 ? (
          <Empty title="Choose a change">
            <p>
              <kbd>j</kbd> and <kbd>k</kbd> move through the list, <kbd>u</kbd> undoes, <kbd>?</kbd> shows all keys.
            </p>
          </Empty>
        ) : null}
      </section>
    </div>
  );
}

const rows = new WeakMap<Change, Entry>();

/** The changes with a line before each day. Made anew whenever one arrives, so what can be kept is kept. */
function byDay(changes: Change[]): Entry[] {
  const entries: Entry[] = [];
  let [from, until] = [0, 0];
  for (const change of changes) {
    if (change.time < from || change.time >= until) {
      from = new Date(change.time).setHours(0, 0, 0, 0);
      until = from + 86_400_000;
      entries.push({ kind: "day", key: `day ${from} ${change.id}`, height: 26, text: day(change.time, now.peek()) });
    }
    let row = rows.get(change);
    if (!row) rows.set(change, (row = { kind: "change", key: change.id, height: 54, change }));
    entries.push(row);
  }
  return entries;
}

function Row({ change, chosen }: { change: Change; chosen: boolean }) {
  const [file] = change.files;
  const others = change.files.length - 1 + (change.more_files ?? 0);
  const counts = change.files.map((one, at) => (one.added == null ? (timeline.counts.value[change.id]?.[at] ?? null) : ([one.added, one.removed ?? 0] as const)));
  const unknown = counts.every((one) => one === null);
  const sum = (side: 0 | 1) => (unknown ? null : counts.reduce((total, one) => total + (one?.[side] ?? 0), 0));
  useEffect(() => {
    if (unknown) timeline.wantCounts(change.id);
  }, [change.id]);
  return (
    <div
      id={`change-${change.id}`}
      role="option"
      aria-selected={chosen}
      class={`change ${change.state} ${chosen ? "chosen" : ""}`}
      onClick={() => go("timeline", change.id)}
    >
      <div class="line">
        <span class={`letter ${file?.action ?? ""}`}>{file ? ACTION_LETTER[file.action] : "·"}</span>
        {file ? <Path path={file.path} /> : <span class="path">no file</span>}
        {others > 0 ? <span class="others">and {count(others, "other")}</span> : null}
        <Counts added={sum(0)} removed={sum(1)} />
      </div>
      <div class="line quiet">
        <span class="tool">
          <Seen text={change.tool} />
        </span>
        <span class="who">
          <Seen text={change.agent ?? change.door ?? "unknown"} />
          {change.session ? <span class="session">
              {" "}
              · <Seen text={short(change.session)} />
            </span> : null}
        </span>
        {STATE[change.state] ? <span class={`state ${change.state}`}>{STATE[change.state]}</span> : null}
        <time dateTime={new Date(change.time).toISOString()}>{clock(change.time)}</time>
      </div>
    </div>
  );
}

function Filters({ search }: { search: { current: HTMLInputElement | null } }) {
  const filter = timeline.filter.value;
  const later = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(later.current), []);
  const soon = (values: Partial<typeof filter>) => {
    clearTimeout(later.current);
    later.current = setTimeout(() => timeline.choose(values), 180);
  };
  const ages: [string, number][] = [["any time", 0], ["the last hour", 3600e3], ["the last day", 86400e3], ["the last week", 604800e3]];
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={search}
        type="search"
        class="wide"
        placeholder="Search paths, tools, agents"
        aria-label="Search changes"
        value={filter.q}
        onInput={(event) => soon({ q: event.currentTarget.value })}
      />
      <select aria-label="Agent" value={filter.agent} onChange={(event) => timeline.choose({ agent: event.currentTarget.value })}>
        <option value="">every agent</option>
        {timeline.agents.value.map((agent) => (
          <option key={agent} value={agent}>
            {plain(agent)}
          </option>
        ))}
      </select>
      <select aria-label="Session" value={filter.session} onChange={(event) => timeline.choose({ session: event.currentTarget.value })}>
        <option value="">every session</option>
        {timeline.sessions.value.map((session) => (
          <option key={session.id} value={session.id}>
            {plain(short(session.id))} {plain(session.agent)} {clock(session.time)}
          </option>
        ))}
      </select>
      <select
        aria-label="Time"
        value={filter.since === 0 ? 0 : (ages.find(([, age]) => age !== 0 && now.value - filter.since < age * 1.05)?.[1] ?? 0)}
        onChange={(event) => {
          const age = Number(event.currentTarget.value);
          timeline.choose({ since: age ? Math.round(now.value - age) : 0 });
        }}
      >
        {ages.map(([text, age]) => (
          <option key={age} value={age}>
            {text}
          </option>
        ))}
      </select>
      <input
        type="text"
        placeholder="file or folder/"
        aria-label="File or folder"
        value={filter.file}
        onInput={(event) => soon({ file: event.currentTarget.value })}
      />
      {timeline.filtered.value ? (
        <button type="button" onClick={() => timeline.choose(NO_FILTER)}>
          Clear
        </button>
      ) : null}
    </form>
  );
}

function Nothing() {
  if (timeline.filtered.value) {
    return (
      <Empty title="No change matches">
        <p>The filters above leave nothing of the journal.</p>
        <button type="button" onClick={() => timeline.choose(NO_FILTER)}>
          Clear the filters
        </button>
      </Empty>
    );
  }
  if (connection.value !== "live" || timeline.problem.value) return null;
  return (
    <Empty title="No change yet">
      <p>What agents do to the files of this workspace will appear here as it happens.</p>
      <p>
        To connect an agent, run <code>toolcrib init claude-code</code> (or <code>codex</code>, <code>opencode</code>, <code>gemini</code>, …) in
        the workspace. <a href={link("running")}>Running</a> shows who is connected.
      </p>
    </Empty>
  );
}
