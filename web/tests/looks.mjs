// How pages look, and how much there is to load.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertAccessible, assertQuiet, clickSquare, UNKNOWN } from "./browser.mjs";
import { experiment, open, PICTURES, server } from "./world.mjs";

test("the bundle is small", () => {
  const dist = new URL("../../crates/gamete-web/dist/assets/", import.meta.url);
  const bytes = readdirSync(dist).reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, dist))).length, 0);
  console.log(`bundle: ${(bytes / 1024).toFixed(0)} KB compressed`);
  assert.ok(bytes <= 300 * 1024, `${bytes} bytes`);
});

test("every page is accessible, quiet and in one piece, in light, dark and on a phone", async () => {
  const ids = Object.fromEntries(await Promise.all(["kendall-whitwell", "mutation-study", "piece-difference", "weights-then-search"].map(async (part) => [part, encodeURIComponent(await experiment(part))])));
  const games = {};
  for (const [game, plies] of [["chess", 9], ["checkers", 12], ["connect-four", 8]]) {
    let now = await server.post("/api/play", { game, white: "human", black: "human" });
    for (let ply = 0; ply < plies; ply++) now = await server.post(`/api/play/${now.id}/move`, { move: now.legal[(7 * ply) % now.legal.length].text });
    games[game] = `/play/${now.id}`;
  }
  const { experiments } = await server.get("/api/experiments");
  const over = await server.post("/api/play", { game: "chess", white: "human", black: "human", limit: { clock: { base_ms: 180_000, increment_ms: 2000 } } });
  for (const move of ["f3", "e5", "g4", "Qh4#"]) await server.post(`/api/play/${over.id}/move`, { move });
  const choice = await server.post("/api/play", { game: "chess", white: "human", black: "human", fen: "4k3/P7/8/8/8/8/8/4K2R w K - 0 1" });
  const paths = {
    experiments: "/",
    experiment: `/experiments/${ids["kendall-whitwell"]}`,
    study: `/experiments/${ids["mutation-study"]}`,
    squares: `/experiments/${ids["piece-difference"]}`,
    pipeline: `/experiments/${ids["weights-then-search"]}`,
    presets: "/new",
    new: "/new/kendall-whitwell",
    games: "/games",
    replay: `/experiments/${ids["kendall-whitwell"]}/games/1`,
    play: "/play",
    ...games,
    over: `/play/${over.id}`,
    choice: `/play/${choice.id}`,
    tune: `/experiments/${encodeURIComponent(experiments.find((one) => one.is_tune && one.finished).id)}`,
    matches: "/matches",
    match: "/matches/classic-material.db",
    ratings: "/ratings",
    grid: "/grid",
    "match-game": "/matches/classic-material.db/games/1",
    played: "/games?of=played",
    missing: "/nowhere",
  };
  // What there is not: the server says so, and nothing else goes wrong.
  const unknown = {
    "no-game": "/play/0123456789abcdef",
    "no-experiment": "/experiments/nobody",
    "no-match": "/matches/nobody.db",
    "no-kept-game": `/experiments/${ids["kendall-whitwell"]}/games/99999`,
    "no-match-game": "/matches/classic-material.db/games/99999",
    "no-preset": "/new/nothing",
  };
  // What is seen only after a click, or takes a moment to come.
  const clicks = {
    presets: (page) => page.locator(".card").first().waitFor(),
    new: (page) => page.locator(".bottom .note").waitFor(),
    ratings: (page) => page.locator("tbody tr").first().waitFor(),
    matches: (page) => page.getByRole("link", { name: "classic-material.db" }).waitFor(),
    played: (page) => page.getByRole("region", { name: "Games played here" }).waitFor(),
    experiment: (page) => page.getByRole("button", { name: "Individual 1, family" }).click(),
    replay: (page) => page.getByRole("button", { name: "Last position" }).click(),
    choice: async (page) => {
      for (const square of ["a7", "a8"]) await clickSquare(page, square);
    },
  };
  const looks = { light: { colorScheme: "light", width: 1280 }, dark: { colorScheme: "dark", width: 1280 }, phone: { colorScheme: "light", width: 390 } };
  for (const [look, { colorScheme, width }] of Object.entries(looks)) {
    const page = await open("/");
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const [name, path] of [...Object.entries(paths), ...Object.entries(unknown)]) {
      if (name in unknown) assertQuiet(page);
      await page.goto(server.base + path);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("load");
      await clicks[name]?.(page);
      if (name in unknown) {
        await page.getByRole("alert").waitFor();
        assertQuiet(page, UNKNOWN);
        page.problems.length = 0;
      }
      await page.waitForTimeout(200);
      await assertAccessible(page, `${name}, ${look}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name}, ${look}: ${wide} pixels too wide`);
      await page.screenshot({ path: `${PICTURES}${name}-${look}.png`, fullPage: true });
    }
    assertQuiet(page);
    await page.close();
  }
});
