// Games that are over: replayed, evaluated, copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet } from "./browser.mjs";
import { experiment, idOf, open, pathOf, server } from "./world.mjs";

test("a kept game is replayed, evaluated and copied", async () => {
  const page = await open("/games");
  await page.locator("main select").selectOption(`experiments:${await experiment("kendall-whitwell")}`);
  await page.getByRole("region", { name: /^Games of/ }).getByRole("link").first().click();
  await page.getByRole("button", { name: "One move on" }).click();
  await page.keyboard.press("ArrowRight");
  await page.locator(".moves [aria-current]").waitFor();
  await page.locator(".arrows .best").first().waitFor();
  await page.locator(".graph .line").waitFor();
  const id = await experiment("kendall-whitwell");
  const number = Number(idOf(page));
  const replay = await server.get(`/api/experiments/${encodeURIComponent(id)}/games/${number}`);
  await page.getByRole("button", { name: "Copy FEN" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), replay.positions[2].fen);
  // Any individual says what it would play.
  await page.locator('[data-side="evaluated by"]').selectOption({ label: "Any individual …" });
  await page.getByLabel("Experiment").selectOption(id);
  await page.getByLabel("Generation", { exact: true }).fill("2");
  await page.getByLabel("Generation", { exact: true }).press("Tab");
  const [answer] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith("/api/analyse") && answer.request().postDataJSON().player === `${id}@2#1`),
    page.getByLabel("Evaluated by: individual").selectOption(`${id}@2#1`),
  ]);
  const { move } = await answer.json();
  assert.ok(move.text);
  await page.locator(".arrows .best").first().waitFor();
  await page.getByRole("button", { name: "Last position" }).click();
  assert.equal(await page.locator(".moves [aria-current]").textContent(), replay.moves.at(-1).text);
  assertQuiet(page);
});

test("a kept game of checkers is replayed, turned and copied", async () => {
  const id = await experiment("piece-difference");
  const page = await open(`${pathOf(id)}/games/1`);
  const replay = await server.get(`/api${pathOf(id)}/games/1`);
  await page.locator(".viewer").waitFor();
  const place = async (square) => {
    const { x, y } = await page.locator(`[data-square="${square}"]`).boundingBox();
    return [Math.round(x), Math.round(y)];
  };
  const [first, last] = [await place(0), await place(63)];
  await page.getByRole("button", { name: "flip" }).click();
  await page.locator(".gboard.turned").waitFor();
  assert.deepEqual([await place(0), await place(63)], [last, first]);
  await page.getByRole("button", { name: "One move on" }).click();
  assert.equal(await page.locator(".moves [aria-current]").textContent(), replay.moves[0].text);
  await page.getByRole("button", { name: "Copy PDN" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const text = await (await fetch(`${server.base}/api${pathOf(id)}/games/1/text`)).text();
  assert.equal(copied, text);
  assert.match(copied, /\[GameType "21"\]/);
  await page.getByRole("button", { name: "Copy FEN" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), replay.positions[1].fen);
  assertQuiet(page);
});
