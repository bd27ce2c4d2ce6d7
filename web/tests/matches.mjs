// Matches and tunes, as they go on in other processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertQuiet, OFFLINE } from "./browser.mjs";
import { background } from "./lab.mjs";
import { chartGrows, lab, open, server } from "./world.mjs";

test("a match shows Elo, the test and pairs", async () => {
  const page = await open("/matches");
  await page.getByRole("link", { name: "classic-material.db" }).click();
  await page.getByText("Pairs of", { exact: false }).first().waitFor();
  await page.getByRole("img", { name: /^Elo of/ }).waitFor();
  await page.getByRole("img", { name: /^LLR/ }).waitFor();
  const less = page.getByRole("button", { name: /^Zoom out of Elo/ });
  assert.ok(await less.isDisabled());
  await page.getByRole("button", { name: /^Zoom in on Elo/ }).press("Enter");
  await less.press("Enter");
  await page.waitForFunction(() => document.querySelector("[aria-label^='Zoom out of Elo']").disabled);
  await page.getByRole("region", { name: /^Games of/ }).getByRole("link").first().click();
  await page.locator(".viewer").waitFor();
  assertQuiet(page);
});

test("what a busy server does not answer is asked again", async () => {
  const page = await open("/matches");
  let refusals = 0;
  const busy = { status: 503, contentType: "application/json", body: JSON.stringify({ error: { status: 503, code: "unavailable", message: "too busy" } }) };
  await page.route("**/games?*", (route) => (++refusals <= 2 ? route.fulfill(busy) : route.continue()));
  await page.getByRole("link", { name: "classic-material.db" }).click();
  await page.getByText("too busy").waitFor();
  await page.getByRole("region", { name: "Games of classic-material.db" }).getByRole("link", { name: "1", exact: true }).waitFor();
  await page.getByText("too busy").waitFor({ state: "detached" });
});

test("a match that is being played appears by itself, and its charts grow", async () => {
  const page = await open("/matches");
  await page.getByRole("link", { name: "classic-material.db" }).waitFor();
  const match = background(
    ["match", "-engine", "model=chess/material", "name=A", "-engine", "model=chess/material", "name=B", "-each", "nodes=1500", "-rounds", "5000",
      "-srand", "1", "-concurrency", "1", "-sprt", "elo0=0", "elo1=2", "-journal", join(lab.lab, "live.db")],
    lab.directory,
  );
  try {
    await page.getByRole("link", { name: "live.db" }).click();
    const [elo, llr] = ['[role=img][aria-label^="Elo of A"]', '[role=img][aria-label^="LLR of"]'];
    await page.locator(elo).waitFor();
    const first = await chartGrows(page, elo, 0);
    const pairs = async () => {
      const label = await page.locator('figure [role=img][aria-label^="pairs by points"]').getAttribute("aria-label");
      return [...label.matchAll(/: (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await pairs();
    const later = await chartGrows(page, elo, first);
    await chartGrows(page, elo, later);
    assert.ok((await chartGrows(page, llr, first)) > first, "the test goes on with it");
    assert.ok((await pairs()) > before, "and so do the pairs");
    const view = await server.get("/api/matches/live.db");
    const { lower, llr: now, upper } = view.sprt;
    assert.ok(lower < now && now < upper, "between its bounds");
    await page.getByText("LLR between").waitFor();
    // Those that were not played when the page was opened can be looked at: the list has a hundred at a time.
    const last = await chartGrows(page, elo, 100);
    for (let listed = 100; listed < last; listed += 100) {
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await page.getByText(`${listed + 1} to `).waitFor();
    }
    await page.getByRole("region", { name: "Games of live.db" }).getByRole("link", { name: String(last), exact: true }).waitFor();
    assertQuiet(page);
  } finally {
    await match.end();
  }
});

test("a tune is followed from its first steps on, over a death of the server", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "New experiment" }).waitFor();
  const known = (await server.get("/api/experiments")).experiments.map((one) => one.id);
  const tune = background(
    ["tune", "-engine", "model=chess/material", "-params", "auto", "-each", "nodes=200", "-games", "200000", "-srand", "5", "-concurrency", "1", "-lab", lab.lab],
    lab.directory,
  );
  try {
    let id;
    while (!id) {
      id = (await server.get("/api/experiments")).experiments.find((one) => !known.includes(one.id))?.id;
      await new Promise((done) => setTimeout(done, 100));
    }
    // The list has it without being asked again.
    await page.getByRole("link", { name: id, exact: true }).click();
    const traces = "[data-chart=genes] [role=img]";
    await page.locator(traces).first().waitFor();
    const first = await chartGrows(page, traces, 1);
    await page.locator(".live.running", { hasText: "running elsewhere" }).first().waitFor();
    const { experiment } = await server.get(`/api/experiments/${encodeURIComponent(id)}`);
    assert.equal(await page.locator(traces).count(), experiment.tuning.parameters.length, "a trace for each parameter");
    await server.end("SIGKILL");
    await page.getByText("The server does not answer").waitFor();
    await server.begin();
    await page.getByText("The server does not answer").waitFor({ state: "detached" });
    const second = await chartGrows(page, traces, first);
    await chartGrows(page, traces, second);
    assertQuiet(page, OFFLINE);
  } finally {
    await tune.end();
  }
});
