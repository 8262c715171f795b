// The rules in force, why a path is allowed or not, and a change of the user's configuration as a shown diff.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, post, Problem, query } from "../api";
import { Diff } from "../parts/Diff";
import { Dialog } from "../parts/Dialog";
import { say } from "../parts/Notices";
import { Columns, Loading, Seen, Trouble } from "../parts/text";
import { plain } from "../visible";
import type { Rule, RuleAction, RuleChange, RulePreview, Rules as All, Why } from "../types";

export function Rules() {
  const rules = useSignal<All | null>(null);
  const problem = useSignal<Problem | null>(null);
  const why = useSignal<Why | null>(null);
  const change = useSignal<RuleChange | null>(null);
  const load = () => {
    get<All>("/api/rules")
      .then((answer) => {
        rules.value = answer;
        problem.value = null;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  };
  useEffect(load, []);
  if (problem.value) return <Trouble problem={problem.value} retry={load} />;
  if (!rules.value) return <Loading what="the rules" />;
  return (
    <div class="page-text">
      <WhyForm why={why} />
      <h2>Rules in force</h2>
      <p class="quiet">
        Of the rules that match, the last one decides. Your own are in <code>{rules.value.file}</code>.
      </p>
      <table class="rules">
        <Columns names={["action", "access", "pattern", "reason", "from"]} acts="change" />
        <tbody>
          {grouped(rules.value.rules).map(([group, list]) => (
            <Group key={group} name={group} rules={list} why={why.value} change={(one) => (change.value = one)} />
          ))}
        </tbody>
      </table>
      <h2>Add a rule</h2>
      <RuleForm change={(one) => (change.value = one)} />
      {change.value ? <Confirm key={JSON.stringify(change.value)} change={change.value} close={() => (change.value = null)} done={load} /> : null}
    </div>
  );
}

const ACTIONS: RuleAction[] = ["allow", "ask", "deny"];
const KINDS = ["read", "edit"];

/** Rules with one purpose together, in the order in which they count. */
function grouped(rules: Rule[]): [string, Rule[]][] {
  const groups: [string, Rule[]][] = [];
  for (const rule of rules) {
    const name = `${rule.source}${rule.group ? `: ${rule.group}` : ""}`;
    const last = groups.at(-1);
    if (last && last[0] === name) last[1].push(rule);
    else groups.push([name, [rule]]);
  }
  return groups;
}

const FEW = 4;

function Group({ name, rules, why, change }: { name: string; rules: Rule[]; why: Why | null; change: (change: RuleChange) => void }) {
  const open = useSignal(rules.length <= FEW);
  const matched = rules.filter((rule) => why?.rules.includes(rule.n));
  const shown = open.value ? rules : matched;
  const row = (rule: Rule) => <Row key={rule.n} rule={rule} matched={matched.includes(rule)} change={change} />;
  return (
    <>
      {rules.length > FEW ? (
        <tr>
          <td colSpan={6}>
            <button type="button" class="link" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
              {open.value ? "Hide" : "Show"} {rules.length} rules
            </button>{" "}
            <Seen text={name} />
          </td>
        </tr>
      ) : null}
      {shown.map(row)}
    </>
  );
}

function Row({ rule, matched, change }: { rule: Rule; matched: boolean; change: (change: RuleChange) => void }) {
  return (
    <tr class={matched ? "matched" : ""}>
      <td>
        <span class={`verdict ${rule.action}`}>{rule.action}</span>
      </td>
      <td>{rule.kind}</td>
      <td>
        <code>
          <Seen text={rule.pattern} />
        </code>
        {rule.except && rule.except.length > 0 ? (
          <span class="quiet">
            {" "}
            except <Seen text={[rule.except].flat().join(", ")} />
          </span>
        ) : null}
      </td>
      <td>{rule.reason ? <Seen text={rule.reason} /> : null}</td>
      <td title={rule.file ?? undefined}>{rule.source}</td>
      <td>
        {rule.source === "fixed" ? null : <select
          aria-label={`Change the rule for ${plain(rule.pattern)}`}
          value={rule.action}
          onChange={(event) => {
            const action = event.currentTarget.value as RuleChange["action"];
            event.currentTarget.value = rule.action;
            change({ kind: rule.kind, pattern: rule.pattern, action });
          }}
        >
          {ACTIONS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
          {rule.source === "user" ? <option value="default">remove</option> : null}
        </select>}
      </td>
    </tr>
  );
}

function WhyForm({ why }: { why: { value: Why | null } }) {
  const problem = useSignal<Problem | null>(null);
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    get<Why>(`/api/rules/why${query({ path: String(form.get("path")), access: String(form.get("access")) })}`)
      .then((answer) => {
        why.value = answer;
        problem.value = null;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  };
  return (
    <>
      <h2>Why is this path allowed or denied?</h2>
      <form class="inline-form" onSubmit={ask}>
        <select name="access" aria-label="Access">
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </select>
        <input name="path" type="text" class="wide" required aria-label="Path to explain" placeholder=".env" />
        <button type="submit">Explain</button>
      </form>
      {problem.value ? <Trouble problem={problem.value} /> : null}
      {why.value ? (
        <p role="status" class="why">
          <span class={`verdict ${why.value.verdict}`}>{why.value.verdict}</span> <Seen text={why.value.text} line={false} />
        </p>
      ) : null}
    </>
  );
}

function RuleForm({ change }: { change: (change: RuleChange) => void }) {
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const [action, kind, pattern] = ["action", "kind", "pattern"].map((name) => String(form.get(name) ?? "").trim());
        if (action && kind && pattern) change({ action: action as RuleAction, kind, pattern });
      }}
    >
      <select name="action" aria-label="Action">
        {["ask", "deny", "allow"].map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <select name="kind" aria-label="Access of the new rule">
        {["edit", "read"].map((kind) => (
          <option key={kind} value={kind}>
            {kind}
          </option>
        ))}
      </select>
      <input name="pattern" type="text" class="wide" required aria-label="Pattern" placeholder="deploy/**" />
      <button type="submit">Preview</button>
    </form>
  );
}

function Confirm({ change, close, done }: { change: RuleChange; close: () => void; done: () => void }) {
  const preview = useSignal<RulePreview | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    post<RulePreview>("/api/rules/preview", change)
      .then((answer) => {
        preview.value = answer;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  }, []);
  const write = async () => {
    try {
      await post("/api/rules", { ...change, digest: preview.value?.digest });
      say("The rule is written. Servers that are running take it up with their next session.");
      close();
      done();
    } catch (error) {
      problem.value = error as Problem;
    }
  };
  return (
    <Dialog title="Change your configuration" close={close} wide>
      {problem.value ? <Trouble problem={problem.value} /> : null}
      {preview.value ? (
        <>
          <p class="pad">
            This will be written to{" "}
            <code>
              <Seen text={preview.value.file} />
            </code>
            :
          </p>
          {preview.value.changes === false ? (
            <p class="pad">Nothing would change: this is in force already.</p>
          ) : (
            <Diff sections={[{ key: "file", path: preview.value.file, action: "update", diff: preview.value.diff }]} label="Diff of the configuration" fit />
          )}
        </>
      ) : null}
      <footer class="dialog-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="main" disabled={!preview.value || preview.value.changes === false} onClick={() => void write()}>
          Write it
        </button>
      </footer>
    </Dialog>
  );
}
