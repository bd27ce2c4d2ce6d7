// What is not there: a lab that was moved away, names that the server does not know, and too many viewers.
import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertQuiet, openPage, UNKNOWN } from "./browser.mjs";
import { gamete, Server } from "./lab.mjs";
import { browser, lab, open, pathOf } from "./world.mjs";

const problem = (page) => page.locator("[data-part=problem]");

test("a lab that is moved away is named, and found again by the page itself", async () => {
  const [here, away] = [join(lab.directory, "moved"), join(lab.directory, "away")];
  const set = ["population=4", "generations=2", "limits=depth=1", "max_moves=10"].flatMap((change) => ["--set", change]);
  gamete(["evolve", "kendall-whitwell", ...set, "--lab", here, "--verify", "0"], lab.directory);
  const moved = await Server.start(here);
  try {
    const { experiments } = await moved.get("/api/experiments");
    const pages = [];
    for (const path of ["/", pathOf(experiments[0].id)]) pages.push(await openPage(browser, moved.base + path));
    await pages[0].getByRole("link", { name: experiments[0].id, exact: true }).waitFor();
    await pages[1].getByRole("region", { name: "Population" }).first().waitFor();
    renameSync(here, away);
    for (const page of pages) await problem(page).getByText("there is no lab here").waitFor();
    // Whoever comes only now is told, too; what cannot be done says why.
    const late = await openPage(browser, `${moved.base}/play`);
    await problem(late).getByText("there is no lab here").waitFor();
    assert.equal(await pages[0].getByText("The server does not answer").count(), 0);
    const { status } = await fetch(`${moved.base}/api/play`, {
      method: "POST", headers: { "Content-Type": "application/json", Origin: moved.base }, body: '{"game":"chess"}',
    });
    assert.equal(status, 503);
    assert.ok(!existsSync(here), "no other lab is made");
    renameSync(away, here);
    for (const page of [...pages, late]) await problem(page).waitFor({ state: "detached" });
    await pages[0].getByRole("link", { name: experiments[0].id, exact: true }).waitFor();
    await pages[1].locator("[role=region][aria-label=Population] tbody tr").first().waitFor();
    await late.locator('[data-side="black"]').waitFor();
    for (const page of [...pages, late]) {
      await page.getByRole("alert").waitFor({ state: "detached" });
      assertQuiet(page, /responded with a status of 503|ERR_INCOMPLETE/);
      await page.close();
    }
  } finally {
    await moved.end();
  }
});

test("too many viewers are told so", async () => {
  const page = await open("/matches");
  let isFull = true;
  await page.route("**/api/events", (route) =>
    isFull
      ? route.fulfill({ status: 429, contentType: "application/json", body: '{"error":{"status":429,"code":"limit","message":"there are too many viewers; try again later"}}' })
      : route.continue(),
  );
  await page.reload();
  await problem(page).getByText("there are too many viewers; try again later").waitFor();
  isFull = false;
  await problem(page).waitFor({ state: "detached" });
  assertQuiet(page, /responded with a status of 429/);
});

test("nobody listens to what there is not", async () => {
  for (const [path, says] of [
    ["/play/0123456789abcdef", "there is no game"], ["/experiments/nobody", "no experiment"], ["/matches/nobody.db", "nobody.db"],
  ]) {
    const page = await open("/grid");
    let asked = 0;
    page.on("request", (request) => (asked += Number(/nobody|0123456789abcdef/.test(request.url()) && request.url().endsWith("/events"))));
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole("alert").filter({ hasText: says }).waitFor();
    await page.waitForTimeout(1000);
    const before = asked;
    await page.waitForTimeout(3000);
    assert.equal(asked, before, path);
    assertQuiet(page, UNKNOWN);
  }
});
