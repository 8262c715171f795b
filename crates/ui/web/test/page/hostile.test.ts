// Names and contents that would be markup, control characters or something else if anything took them for more than text: made by
// real agents in a real workspace, shown by the real `toolcrib ui`.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { until } from "./browser";
import { call, type Place, real_browser, type Said, with_page } from "./real";

const chromium = real_browser();

const LONG = 1_000_000;
const HOSTILE = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe src=//evil.example></iframe>", "\"><b>bold</b>",
  "'-alert(1)-'", "javascript:alert(1)", "</textarea><script>alert(1)</script>", "</title><h1>hi", "<style>*{display:none}</style>", "<base href=//evil.example>",
  "<meta http-equiv=refresh content=0;url=//evil.example>", "<link rel=stylesheet href=//evil.example/x.css>", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}",
  "\u001b[31mred\u001b[0m", "\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007", "\u001b[2J\u001b[H", "user\u202Etxt.exe", "\u2066isolate\u2069",
  "zero\u200Bwidth", "\uFEFFbom", "tab\tand\nline", "data: x\n\nevent: answered\ndata: {}", "carriage\rreturn", "\u{E0041}\u{E0042}tags", "caf\\xE9", "__proto__", "constructor",
  `${"long/".repeat(40)}name`,
];

/** A name as tools take it: control characters would be refused. */
const named = (text: string) => [...text].map((one) => (one < " " ? `\\x${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}` : one)).join("");
const path = (at: number) => `${String(at).padStart(2, "0")} ${named(HOSTILE[at] ?? "")}${at % 2 ? ".html" : ".js"}`;
/** The last is a line of a megabyte as well. */
const content = (text: string, at: number) => `${text}\n${at === 3 ? "x".repeat(LONG) : ""}${text} once more\n`;

const STRANGE = "#page script, #page img, #page iframe, #page b, #page svg[onload], #page style, #page base, #page meta, #page link, [onerror], [onload]";

test("30 hostile names, agents and contents are shown as text", async () => {
  assert.equal(HOSTILE.length, 30);
  await with_page(chromium(), async (place, watched) => {
    const { page } = watched;
    const strange = () => page.evaluate(`document.querySelectorAll(${JSON.stringify(STRANGE)}).length`);
    const agents = await Promise.all([0, 3, 15, 18, 27].map(async (at) => (await place.agent(HOSTILE[at] ?? "", "--session", `session ${at} <b>`)).client));
    const agent = (at: number) => agents[at % agents.length] as Client;
    for (const [at, text] of HOSTILE.entries()) {
      const made = await call(agent(at), "Write", { file_path: place.at(path(at)), content: content(text, at) });
      assert.equal(made.isError, false, made.text);
      assert.ok((await call(agent(at), "Read", { file_path: place.at(`missing/${path(at)}`) })).isError);
    }
    await page.evaluate("location.hash = '#/timeline'");
    const begins = (at: number) => `?.textContent.startsWith('${String(at).padStart(2, "0")} ')`;
    await until(page, `document.querySelector('.change .path')${begins(HOSTILE.length - 1)}`);
    for (const [at, text] of [...HOSTILE.entries()].reverse()) {
      await page.keyboard.press("j");
      await until(page, `document.querySelector('.change.chosen .path')${begins(at)} && document.querySelector('.change-view .path')${begins(at)}`);
      await page.locator(".change-view .diff-row.added").first().waitFor();
      if (/^[ -~]*$/.test(text)) await page.locator(".change-view .diff-row.added").first().getByText(text).waitFor();
      assert.equal(await strange(), 0, text);
    }
    await page.evaluate("location.hash = '#/running'");
    await page.waitForSelector(".failures");
    assert.equal(await page.locator(".failures tbody tr").count(), HOSTILE.length);
    assert.equal(await strange(), 0);

    await questions(place, agent, strange);
    // What was looked for is found where it is: the test can fail.
    await page.evaluate("document.querySelector('#page').append(document.createElement('b'))");
    assert.equal(await strange(), 1);

    async function questions(at: Place, by: (at: number) => Client, found: () => Promise<unknown>): Promise<void> {
      await page.evaluate("location.hash = '#/desk'");
      const answers: Promise<Said>[] = [];
      for (const [n, text] of HOSTILE.entries()) {
        answers.push(call(by(n), "Write", { file_path: at.at(`asked/${path(n)}`), content: content(text, n) }));
        await until(page, `document.querySelectorAll('.question:not(.settled)').length === ${n + 1}`);
      }
      for (const link of await page.locator("a.question").all()) {
        await link.click();
        await page.locator(".question-view .diff-row.added").first().waitFor();
        assert.equal(await found(), 0);
      }
      await page.locator("a.question", { hasText: "18 user" }).click();
      await until(page, "document.querySelector('.question-view h2').textContent.includes('userRLOtxt.exe')");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      assert.equal(await page.locator("textarea.editor").inputValue(), content(HOSTILE[18] ?? "", 18));
      for (const client of agents) await client.close();
      const said = await Promise.allSettled(answers);
      assert.ok(said.every((one) => one.status === "rejected" || one.value.isError), "nobody has said yes");
      await page.getByText("Nobody is waiting").waitFor();
      assert.equal(await found(), 0);
    }
  });
});
