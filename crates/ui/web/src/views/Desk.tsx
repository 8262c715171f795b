// The approvals desk: what agents ask for, oldest first, and the answer to one of them.

import { useKeys } from "../keys";
import { Empty, Path, Seen } from "../parts/text";
import { link, replace, route } from "../route";
import { now, questions, settled, type Settled } from "../state";
import type { Question } from "../types";
import { clock, count, countdown, ENDED, WANTS } from "../words";
import { QuestionView } from "./Question";

export function Desk() {
  const waiting = [...questions.value].sort((a, b) => a.asked - b.asked);
  const chosen = waiting.find((question) => question.id === route.value.id) ?? waiting[0];
  const at = chosen ? waiting.indexOf(chosen) : -1;
  const move = (by: number) => {
    const next = waiting[Math.max(0, Math.min(waiting.length - 1, at + by))];
    if (next) replace("desk", next.id);
  };
  useKeys([
    { key: "j", about: "next question", act: () => move(1) },
    { key: "k", about: "previous question", act: () => move(-1) },
  ]);
  return (
    <div class={`columns desk ${chosen ? "chosen" : ""}`}>
      <section class="list" aria-label="Questions">
        {waiting.length > 0 ? (
          <>
            <h2 class="list-head">{count(waiting.length, "question")}</h2>
            <ul class="questions">
              {waiting.slice(0, 200).map((question) => (
                <Waiting key={question.id} question={question} chosen={question === chosen} />
              ))}
            </ul>
            {waiting.length > 200 ? <p class="quiet pad">{waiting.length - 200} more after these.</p> : null}
          </>
        ) : null}
        {settled.value.length > 0 ? (
          <>
            <h2 class="list-head">Settled</h2>
            <ul class="questions">
              {settled.value.map((entry) => (
                <Done key={entry.question.id} entry={entry} />
              ))}
            </ul>
          </>
        ) : null}
        {waiting.length === 0 && settled.value.length === 0 ? <p class="quiet pad">No questions.</p> : null}
      </section>
      <section class="detail" aria-label="The chosen question">
        {chosen ? (
          <QuestionView key={`${chosen.id} ${chosen.digest}`} question={chosen} />
        ) : (
          <Empty title="Nobody is waiting for you">
            <p>
              When a rule says <em>ask</em>, the agent's call waits and the question appears here, with the whole change. Nothing is done until
              somebody answers.
            </p>
            <p>
              <a href={link("rules")}>Rules</a> lists what is asked about, and adds a rule, for instance <em>ask</em> before <code>deploy/**</code> is edited.
            </p>
          </Empty>
        )}
      </section>
    </div>
  );
}

function Waiting({ question, chosen }: { question: Question; chosen: boolean }) {
  const left = question.deadline ? question.deadline - now.value : null;
  return (
    <li>
      <a class={`question ${chosen ? "chosen" : ""}`} href={link("desk", question.id)} aria-current={chosen ? "true" : undefined}>
        <span class="line">
          {question.paths[0] ? <Path path={question.paths[0]} /> : <Seen text={question.tool} />}
          {question.paths.length > 1 ? <span class="others">and {count(question.paths.length - 1, "other")}</span> : null}
        </span>
        <span class="line quiet">
          <span class="who">
            <Seen text={question.agent ?? "an agent"} /> {WANTS[question.access]}
          </span>
          {left !== null ? <span class={`left ${left < 30_000 ? "soon" : ""}`}>{countdown(left)}</span> : null}
        </span>
      </a>
    </li>
  );
}

const VERDICT: Record<string, string> = {
  once: "yes",
  always: "yes, always in its session",
  no: "no",
  edited: "yes, as altered",
};

function Done({ entry }: { entry: Settled }) {
  const { question, by, verdict } = entry;
  return (
    <li class="question settled">
      <span class="line">{question.paths[0] ? <Path path={question.paths[0]} /> : <Seen text={question.tool} />}</span>
      <span class="line quiet">
        <span>
          <Seen text={[VERDICT[verdict] ?? verdict, ENDED[by] ?? by].filter(Boolean).join(", ")} />
        </span>
        <time>{clock(entry.time)}</time>
      </span>
    </li>
  );
}
