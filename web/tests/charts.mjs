// Charts, families and ratings: without a mouse, and without more questions than needed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet } from "./browser.mjs";
import { experiment, open, pathOf, server } from "./world.mjs";

test("a part of a chart is seen larger, and relatives are looked at, by the keyboard", async () => {
  const page = await open(pathOf(await experiment("kendall-whitwell")));
  const zoom = page.getByRole("group", { name: "Zoom" });
  await zoom.getByRole("button", { name: "Zoom in" }).press("Enter");
  const shown = page.getByRole("group", { name: "Generations shown" });
  await shown.getByText(/generations \d+ to \d+/).waitFor();
  await zoom.getByRole("button", { name: "Zoom out" }).press("Enter");
  await shown.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Individual 1, family" }).press("Enter");
  const look = page.getByLabel("Look at");
  await look.locator("option").nth(1).waitFor({ state: "attached" });
  const [generation, number] = (await look.locator("option").last().getAttribute("value")).split(" ");
  assert.ok(Number(generation) < 12, "an ancestor");
  await look.selectOption(`${generation} ${number}`);
  await page.getByText(new RegExp(`^individual ${number} of generation ${generation}`)).waitFor();
  assertQuiet(page);
});

test("a line that ends before another shows its own last number", async () => {
  const [long, short] = [await experiment("kendall-whitwell"), await experiment("piece-difference")];
  const convergence = async (page) => {
    const figure = page.locator("figure", { hasText: "Convergence" });
    await figure.locator(".legend", { hasText: short }).waitFor();
    return { numbers: await figure.locator(".legend b").allTextContents(), label: await figure.getByRole("img").getAttribute("aria-label"), figure };
  };
  const page = await open(pathOf(long));
  const own = page.locator("figure", { hasText: "Convergence" });
  await own.waitFor();
  const last = await own.locator(".legend b").textContent();
  await page.goto(`${server.base}${pathOf(short)}`);
  await own.locator(".legend b").waitFor();
  const shorter = await own.locator(".legend b").textContent();
  for (const text of [last, shorter]) assert.match(text, /^\d/);
  await page.goto(`${server.base}${pathOf(long)}?with=${encodeURIComponent(short)}`);
  const { numbers, label, figure } = await convergence(page);
  assert.deepEqual(numbers, [last, shorter]);
  assert.ok(label.endsWith(`last ${long} ${last}, ${short} ${shorter}`), label);
  // Under the pointer there is none.
  await figure.scrollIntoViewIfNeeded();
  const box = await figure.getByRole("img").boundingBox();
  await page.mouse.move(box.x + box.width - 20, box.y + 60);
  await figure.locator(".legend", { hasText: `${short} –` }).waitFor();
  await page.mouse.move(0, 0);
  await figure.locator(".legend", { hasText: `${short} ${shorter}` }).waitFor();
  assertQuiet(page);
});

test("ratings are not asked for again whenever an experiment goes on", async () => {
  const set = { population: 4, generations: 5000 };
  const { id } = await server.post("/api/experiments", { preset: "kendall-whitwell", seed: 99, set, verify: 0 });
  try {
    const page = await open("/ratings");
    await page.locator("tbody tr").first().waitFor();
    await page.waitForTimeout(1000);
    let asked = 0;
    page.on("request", (request) => (asked += Number(request.url().endsWith("/api/ratings"))));
    const games = async () => (await server.get("/api/experiments")).experiments.find((one) => one.id === id).live.games;
    const before = await games();
    await page.waitForTimeout(4000);
    assert.ok((await games()) > before, "the experiment goes on");
    assert.equal(asked, 0);
    assertQuiet(page);
  } finally {
    await server.post(`/api${pathOf(id)}/stop`);
  }
});
