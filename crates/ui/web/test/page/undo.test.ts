// Undo from the page against the real `toolcrib ui`: hunks, and a conflict.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, Place, real_browser } from "./real";

const chromium = real_browser();

const THREE = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n") + "\n";
const EDITS = [5, 30, 55].map((at) => ({ old_string: `line ${at}\n`, new_string: `LINE ${at}\n` }));
const EDITED = THREE.replace("line 5\n", "LINE 5\n").replace("line 30\n", "LINE 30\n").replace("line 55\n", "LINE 55\n");

test("of three hunks one is undone, then a conflict of another shows its three texts and changes nothing", async () => {
  const place = new Place();
  try {
    place.write("three.txt", THREE);
    const { page, troubles } = await place.page(chromium());
    const { client } = await place.agent();
    await call(client, "Read", { file_path: place.at("three.txt") });
    assert.equal((await call(client, "MultiEdit", { file_path: place.at("three.txt"), edits: EDITS })).isError, false);
    assert.equal(place.read("three.txt"), EDITED);
    await page.locator(".change").first().click();
    await page.locator(".pick input").nth(1).check();
    await page.keyboard.press("u");
    await page.locator("dialog .diff-row.added").getByText("line 30").waitFor();
    assert.equal(await page.locator("dialog .diff-file .letter").textContent(), "M");
    assert.equal(place.read("three.txt"), EDITED, "a preview changes nothing");
    await page.getByRole("button", { name: "Undo in 1 file" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const undone = EDITED.replace("LINE 30\n", "line 30\n");
    assert.equal(place.read("three.txt"), undone);

    const foreign = undone.replace("LINE 5\n", "line five by hand\n");
    place.write("three.txt", foreign);
    await page.locator(".change").getByText("MultiEdit").click();
    await page.locator(".pick input").first().check();
    await page.keyboard.press("u");
    await page.locator("dialog .conflict").waitFor();
    assert.equal(await page.locator("dialog .conflict pre").count(), 3);
    assert.equal(await page.getByRole("button", { name: /^Undo in/ }).count(), 0);
    assert.equal(place.read("three.txt"), foreign);
    assert.deepEqual(troubles, []);
    await page.context().close();
  } finally {
    await place.close();
  }
});
