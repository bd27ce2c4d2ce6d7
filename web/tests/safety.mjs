// Who may change something, and what others wrote.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertQuiet, openPage } from "./browser.mjs";
import { Server } from "./lab.mjs";
import { begin, browser, lab, open } from "./world.mjs";

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

test("names from files of others stay text", async () => {
  const page = await open("/play");
  await begin(page, { black: "file:hostile.toml" });
  assert.match(await page.locator("h1").textContent(), /<img src=x/);
  assert.equal(await page.locator("img").count(), 0);
  assertQuiet(page);
});
