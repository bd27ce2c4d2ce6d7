// Who may change something, and what others wrote.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertAccessible, assertQuiet, openPage } from "./browser.mjs";
import { gamete, Server } from "./lab.mjs";
import { begin, browser, experiment, lab, open, pathOf, server } from "./world.mjs";

test("without the token one looks on, and with it one plays", async () => {
  const closed = await Server.start(lab.lab, "--token", "a-secret-of-length");
  try {
    const page = await openPage(browser, `${closed.base}/play`);
    await page.getByLabel("Token").waitFor();
    assert.ok(await page.getByRole("button", { name: "Begin" }).isDisabled());
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Use" }).click();
    await page.getByText("That is not the token.").waitFor();
    await page.getByLabel("Token").fill("a-secret-of-length");
    await page.getByRole("button", { name: "Use" }).click();
    await page.locator("button.primary:enabled", { hasText: "Begin" }).waitFor();
    // What players thought as they played is seen by everybody.
    const onlooker = await openPage(browser, `${closed.base}/matches/classic-material.db/games/1`);
    await onlooker.getByText("As the players saw it in the game.").waitFor();
    await onlooker.locator(".graph .line").waitFor({ state: "attached" });
    assertQuiet(onlooker);
    await onlooker.close();
    const other = await openPage(browser, `${closed.base}/play#token=a-secret-of-length`);
    await other.locator("button.primary:enabled", { hasText: "Begin" }).waitFor();
    assert.equal(new URL(other.url()).hash, "");
    await assertAccessible(page, "token");
    assertQuiet(page);
    assertQuiet(other);
    await page.close();
    await other.close();
  } finally {
    await closed.end();
  }
});

const IMAGE = "<img src=x onerror=alert(1)>";
const DRAWING = "<svg onload=alert(2)>";

/** What was written as markup is there as text, and the page has no part that was made of it. */
async function isText(page, ...texts) {
  for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor();
  assert.equal(await page.locator("img, svg[onload]").count(), 0, page.url());
}

test("names from files of others stay text", async () => {
  const page = await open("/play");
  await begin(page, { black: "file:hostile.toml" });
  assert.match(await page.locator("h1").textContent(), /<img src=x/);
  await isText(page, IMAGE);
  assertQuiet(page);
});

test("names of players, events and descriptions of experiments stay text", async () => {
  const journal = "hostile <b>.db";
  const engine = (name) => ["-engine", "model=chess/material", `name=${name}`];
  gamete(
    ["match", ...engine(IMAGE), ...engine(`${IMAGE}2`), "-each", "nodes=20", "-rounds", "2", "-srand", "1", "-event", DRAWING, "-journal", join(lab.lab, journal)],
    lab.directory,
  );
  const file = join(lab.directory, "hostile.toml");
  writeFileSync(file, `name = "hostile"\nabout = "${IMAGE}"\npopulation = 4\ngenerations = 2\nlimits = "depth=1"\nmax_moves = 10\n`);
  gamete(["evolve", file, "--lab", lab.lab, "--verify", "1"], lab.directory);
  const id = await experiment("hostile");
  const page = await open("/");
  await page.getByRole("link", { name: id, exact: true }).waitFor();
  await isText(page, IMAGE);
  await page.goto(server.base + pathOf(id));
  await page.getByRole("region", { name: "Population" }).locator("tbody tr").first().waitFor();
  await isText(page, IMAGE);
  await page.goto(`${server.base}/matches`);
  await page.getByRole("link", { name: journal }).waitFor();
  await isText(page, IMAGE);
  const match = `/matches/${encodeURIComponent(journal)}`;
  await page.goto(server.base + match);
  await page.getByRole("region", { name: "Standings" }).first().waitFor();
  await isText(page, IMAGE, DRAWING);
  await page.goto(`${server.base}${match}/games/1`);
  await page.locator(".viewer").waitFor();
  await isText(page, IMAGE);
  await page.goto(`${server.base}/games?of=matches:${encodeURIComponent(journal)}`);
  await page.locator("tbody tr").first().waitFor();
  await isText(page, IMAGE);
  assertQuiet(page);
});
