// What is running: servers on this workspace, their calls with a way to stop them, and what failed lately.

import { useSignal } from "@preact/signals";
import { post, Problem } from "../api";
import { say } from "../parts/Notices";
import { Columns, Empty, Path, Seen } from "../parts/text";
import { failures, local, now, servers } from "../state";
import type { Call, Failure, Server } from "../types";
import { clock, count, short, span } from "../words";

export function Running() {
  return (
    <div class="page-text">
      <h2>Servers</h2>
      {servers.value.length === 0 ? (
        <Empty title="No agent is connected">
          <p>
            Run <code>toolcrib init claude-code</code> in the workspace (or <code>codex</code>, <code>opencode</code>, <code>gemini</code>,{" "}
            <code>cursor</code>, <code>vscode</code>, …): it shows a diff of that agent's configuration and writes it after you confirm. The agent then
            starts <code>toolcrib mcp</code> by itself, and it appears here.
          </p>
        </Empty>
      ) : (
        servers.value.map((server) => <One key={server.pid} server={server} />)
      )}
      <h2>Failed lately</h2>
      {failures.value.length === 0 ? <p class="quiet">No call of the running servers has failed.</p> : <Failed failures={failures.value} />}
    </div>
  );
}

function One({ server }: { server: Server }) {
  return (
    <section class="server" aria-label={`Server ${server.pid}`}>
      <h3>
        <Seen text={server.agent ?? "unknown agent"} />{" "}
        <span class="quiet">
          {server.door}
          {server.dialect ? `, dialect ${server.dialect}` : ""}, process {server.pid}, for {span(now.value - server.since)}
        </span>
      </h3>
      {server.calls.length === 0 ? (
        <p class="quiet">No call in flight.</p>
      ) : (
        <table class="calls">
          <caption class="unseen">{count(server.calls.length, "call")} in flight</caption>
          <Columns names={["tool", "path", "for", "progress"]} acts="stop" />
          <tbody>
            {server.calls.map((call) => (
              <Row key={call.id} call={call} pid={server.pid} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ call, pid }: { call: Call; pid: number }) {
  const stopping = useSignal(false);
  const stop = async () => {
    stopping.value = true;
    try {
      await post(`/api/servers/${pid}/calls/${encodeURIComponent(call.id)}/stop`, {});
      say(`Asked ${call.tool} to stop`);
    } catch (error) {
      stopping.value = false;
      say((error as Problem).message);
    }
  };
  return (
    <tr>
      <td class="word">
        <Seen text={call.tool} />
      </td>
      <td>{call.path ? <Path path={local(call.path)} /> : null}</td>
      <td class="figure">{span(now.value - call.since)}</td>
      <td>
        {call.progress != null && call.total ? <progress value={call.progress} max={call.total} aria-label="Progress" /> : null}{" "}
        {call.progress != null ? <span class="figure">{call.progress.toLocaleString("en")}</span> : null}{" "}
        {call.message ? <Seen text={call.message} /> : null}
      </td>
      <td>
        <button type="button" disabled={stopping.value} onClick={() => void stop()}>
          {stopping.value ? "Stopping" : "Stop"}
        </button>
      </td>
    </tr>
  );
}

function Failed({ failures }: { failures: Failure[] }) {
  return (
    <table class="failures">
      <Columns names={["when", "agent", "tool", "what went wrong"]} />
      <tbody>
        {failures.map((failure, at) => (
          <tr key={at}>
            <td class="figure">{clock(failure.time)}</td>
            <td>
              <Seen text={failure.agent ?? ""} /> {failure.session ? <span class="quiet">{short(failure.session)}</span> : null}
            </td>
            <td class="word">
              <Seen text={failure.tool} />
            </td>
            <td>
              {failure.path && !failure.message.includes(failure.path) ? (
                <>
                  <Path path={local(failure.path)} />{" "}
                </>
              ) : null}
              <Seen text={local(failure.message.slice(0, 2000))} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
