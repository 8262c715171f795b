// The frame: what is always there, the view that the address names, and the dialogs.

import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { known, useKeys } from "./keys";
import { Dialog } from "./parts/Dialog";
import { Notices } from "./parts/Notices";
import { Seen, Trouble } from "./parts/text";
import { go, link, route, type View } from "./route";
import { theme, type Theme } from "./settings";
import { connection, pending, problem, servers, start, version, workspace } from "./state";
import { Desk } from "./views/Desk";
import { FileView } from "./views/File";
import { Rules } from "./views/Rules";
import { Running } from "./views/Running";
import { Timeline } from "./views/Timeline";
import { UndoDialog } from "./views/Undo";
import "./style/frame.css";
import "./style/lists.css";
import "./style/parts.css";
import "./style/diff.css";
import "./style/narrow.css";

const VIEWS: { view: View; title: string; draw: () => preact.JSX.Element }[] = [
  { view: "desk", title: "Approvals", draw: () => <Desk /> },
  { view: "timeline", title: "Timeline", draw: () => <Timeline /> },
  { view: "file", title: "Files", draw: () => <FileView /> },
  { view: "running", title: "Running", draw: () => <Running /> },
  { view: "rules", title: "Rules", draw: () => <Rules /> },
];

const help = signal(false);

function Page() {
  const current = VIEWS.find(({ view }) => view === route.value.view);
  useKeys([
    ...VIEWS.map(({ view, title }, at) => ({ key: String(at + 1), about: title, act: () => go(view) })),
    { key: "?", about: "this list", act: () => (help.value = true) },
  ]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <h1 title={workspace.value.path}>
          <Seen text={workspace.value.name || "Toolcrib"} />
        </h1>
        <nav aria-label="Views">
          {VIEWS.map(({ view, title }) => (
            <a key={view} href={link(view)} aria-current={route.value.view === view ? "page" : undefined}>
              {title}
              {view === "desk" && pending.value > 0 ? (
                <span class="badge" aria-label={`${pending.value} waiting`}>
                  {pending.value}
                </span>
              ) : null}
              {view === "running" && servers.value.length > 0 ? <span class="amount">{servers.value.length}</span> : null}
            </a>
          ))}
        </nav>
        <Connection />
        <select
          class="theme"
          aria-label="Colours"
          value={theme.value}
          onChange={(event) => {
            theme.value = event.currentTarget.value as Theme;
          }}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
        <button type="button" class="quiet-button" aria-label="Keyboard help" onClick={() => (help.value = true)}>
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {problem.value ? <Trouble problem={problem.value} retry={() => location.reload()} /> : current?.draw()}
      </main>
      <Notices />
      <UndoDialog />
      {help.value ? <Help /> : null}
    </>
  );
}

const CONNECTION = { connecting: "connecting", live: "live", lost: "not connected; trying again" };

function Connection() {
  return (
    <span class={`connection ${connection.value}`} role="status">
      {CONNECTION[connection.value]}
    </span>
  );
}

function Help() {
  const keys = known.peek().filter((key, at, all) => all.findIndex((other) => other.key === key.key) === at);
  return (
    <Dialog title="Keys" close={() => (help.value = false)}>
      <dl class="keys">
        {keys.map(({ key, about }) => (
          <div key={key}>
            <dt>
              <kbd>{key === "Escape" ? "Esc" : key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet pad">Toolcrib {version.value}. Everything here is also on the command line: toolcrib log, show, undo, rules.</p>
    </Dialog>
  );
}

effect(() => {
  const name = workspace.value.name || "Toolcrib";
  document.title = pending.value > 0 ? `(${pending.value}) ${name}` : name;
});

const root = document.getElementById("page");
if (root) render(<Page />, root);
void start();
