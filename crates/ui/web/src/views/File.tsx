// A file's history: its versions, the diff between any two, and bringing one back.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { get, Problem, query } from "../api";
import { Diff, LayoutSwitch } from "../parts/Diff";
import { Columns, Empty, Loading, Path, Seen, Trouble } from "../parts/text";
import { go, link, route } from "../route";
import { joined } from "../rows";
import { now } from "../state";
import { timeline } from "../timeline";
import type { FileDiff, FileHistory, Version } from "../types";
import { ACTION, moment } from "../words";
import { ask } from "./Undo";

export function FileView() {
  const path = route.value.values.get("path") ?? "";
  return path ? <History key={path} path={path} /> : <Choose />;
}

function Choose() {
  const recent = [...new Set(timeline.changes.value.slice(0, 300).flatMap((change) => change.files.map((file) => file.path)))].slice(0, 30);
  return (
    <div class="page-text">
      <h2>File history</h2>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          const path = String(new FormData(event.currentTarget).get("path") ?? "").trim();
          if (path) go("file", "", { path });
        }}
      >
        <input name="path" type="text" class="wide" aria-label="Path of a file" placeholder="src/main.rs" />
        <button type="submit">Show</button>
      </form>
      {recent.length > 0 ? <h3>Changed lately</h3> : <p>No file was changed yet. Once an agent changes one, its versions are kept here.</p>}
      <ul class="plain">
        {recent.map((one) => (
          <li key={one}>
            <a href={link("file", "", { path: one })}>
              <Path path={one} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function History({ path }: { path: string }) {
  const history = useSignal<FileHistory | null>(null);
  const problem = useSignal<Problem | null>(null);
  const a = useSignal("");
  const b = useSignal("current");
  const newest = timeline.changes.value[0]?.id;
  useEffect(() => {
    get<FileHistory>(`/api/files/history${query({ path })}`)
      .then((answer) => {
        history.value = answer;
        problem.value = null;
        const first = answer.versions[0];
        if (a.value === "" && first) a.value = `${first.change}:before`;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  }, [path, newest]);
  if (problem.value) return <Trouble problem={problem.value} />;
  if (!history.value) return <Loading what="the history" />;
  const { versions } = history.value;
  if (versions.length === 0) {
    return (
      <Empty title="No version is known">
        <p>
          The journal has no change of <Path path={path} />. <a href={link("file")}>Choose another file</a>
        </p>
      </Empty>
    );
  }
  const first = versions.at(-1);
  const sides = [...versions.map((version) => ({ id: `${version.change}:after`, version })), ...(first ? [{ id: `${first.change}:before`, version: first }] : [])];
  return (
    <div class="columns chosen file-view">
      <section class="list" aria-label="Versions">
        <h2 class="list-head">
          <Path path={path} />
        </h2>
        <table class="versions">
          <Columns names={["from", "to", "version"]} />
          <tbody>
            <Choice id="current" a={a} b={b} title="now, on the disk" />
            {sides.map(({ id, version }) => (
              <Choice key={id} id={id} a={a} b={b} title={id.endsWith("before") ? `before change ${version.change}` : ""} version={version} path={path} />
            ))}
          </tbody>
        </table>
      </section>
      <section class="detail" aria-label="Difference">
        <header class="detail-head">
          <a class="back" href={link("file")}>
            ← Files
          </a>
          <h2>
            {words(a.value)} → {words(b.value)}
          </h2>
          <div class="tools">
            <LayoutSwitch />
          </div>
        </header>
        <Between key={`${a.value} ${b.value} ${newest}`} path={path} a={a.value} b={b.value} />
      </section>
    </div>
  );
}

function words(id: string): string {
  const [change = "", side = ""] = id.split(":");
  return id === "current" ? "now" : `${side} change ${change}`;
}

type Chosen = { value: string };
function Choice(choice: { id: string; a: Chosen; b: Chosen; title: string; version?: Version; path?: string }) {
  const { id, a, b, title, version, path } = choice;
  return (
    <tr>
      <td>
        <input type="radio" name="a" aria-label={`from ${words(id)}`} checked={a.value === id} onChange={() => (a.value = id)} />
      </td>
      <td>
        <input type="radio" name="b" aria-label={`to ${words(id)}`} checked={b.value === id} onChange={() => (b.value = id)} />
      </td>
      <td>
        {title || (version ? <a href={link("timeline", version.change)}>change {version.change}</a> : null)}
        {version && !title ? (
          <span class="quiet">
            {" "}
            {ACTION[version.action]} by <Seen text={version.agent ?? version.tool} />, {moment(version.time, now.value)}
          </span>
        ) : null}
        {version && path ? (
          <button
            type="button"
            class="link"
            onClick={() => {
              const side = id.endsWith("before") ? "before" : "after";
              ask({ kind: "undo", what: { restore: { path, change: version.change, side } } }, `Restore ${words(id)}`);
            }}
          >
            Restore
          </button>
        ) : null}
      </td>
    </tr>
  );
}

function Between({ path, a, b }: { path: string; a: string; b: string }) {
  const diff = useSignal<FileDiff | undefined>(undefined);
  const problem = useSignal<Problem | null>(null);
  const load = (from?: number, reveal?: boolean) => {
    get<FileDiff>(`/api/files/diff${query({ path, a, b, from_row: from, reveal: reveal ? 1 : "" })}`)
      .then((answer) => {
        diff.value = from && diff.value ? joined(diff.value, answer) : answer;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  };
  const sections = useMemo(() => [{ key: "file", path, action: "update" as const, diff: diff.value }], [path, diff.value]);
  if (problem.value) return <Trouble problem={problem.value} />;
  return <Diff sections={sections} label={`Difference of ${path}`} load={(_, from) => load(from)} reveal={() => load(undefined, true)} />;
}
