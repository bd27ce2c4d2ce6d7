// What the API answers, compared with how it is described.
import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "./world.mjs";

/** What does not fit a schema, with where it is. */
function misfits(schemas, schema, value, place) {
  if (schema.$ref) return misfits(schemas, schemas[schema.$ref.split("/").at(-1)], value, place);
  if (schema.anyOf) {
    const tries = schema.anyOf.map((one) => misfits(schemas, one, value, place));
    return tries.some((found) => found.length === 0) ? [] : tries[0];
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;
  const kinds = [schema.type ?? kind].flat();
  if (!kinds.includes(kind) && !(kind === "integer" && kinds.includes("number"))) return [`${place} is ${kind}, not ${kinds}`];
  if (kind === "array") return value.flatMap((one, index) => misfits(schemas, schema.items ?? {}, one, `${place}[${index}]`));
  if (kind !== "object") return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${place}.${name} is missing`);
  const known = Object.entries(schema.properties ?? {}).filter(([name]) => name in value);
  return [...missing, ...known.flatMap(([name, one]) => misfits(schemas, one, value[name], `${place}.${name}`))];
}

test("answers are as they are described", async () => {
  const { paths, components } = await server.get("/api/openapi.json");
  const { experiments } = await server.get("/api/experiments");
  const { presets } = await server.get("/api/presets");
  const { matches } = await server.get("/api/matches");
  const started = (await server.post("/api/play", { game: "chess", black: "chess/material", limit: { depth: 1, clock: { base_ms: 60_000 } } })).id;
  const names = {
    experiments: experiments.flatMap((one) => [one.id, ...(one.stages ?? []).map((stage) => stage.id)]),
    presets: presets.map((one) => one.name),
    matches: matches.map((one) => one.name),
    play: [started],
  };
  const checked = new Set();
  async function check(path, method, address, body) {
    const { responses } = paths[path][method];
    const headers = { "Content-Type": "application/json", Origin: server.base };
    const answer = await fetch(server.base + address, method === "get" ? {} : { method: method.toUpperCase(), headers, body: JSON.stringify(body) });
    const described = responses[answer.status];
    assert.ok(described, `${method} ${address}: ${answer.status} is not described`);
    const content = described.content?.["application/json"];
    if (!content) return;
    assert.deepEqual(misfits(components.schemas, content.schema, await answer.json(), `${method} ${address}: answer`), []);
    if (answer.ok) checked.add(`${method} ${path}`);
  }

  for (const path of Object.keys(paths).filter((path) => paths[path].get && !path.endsWith("/events"))) {
    const kind = path.split("/")[2];
    const wanted = path.includes("{") ? [...names[kind], "nobody"] : [""];
    for (const name of wanted) {
      const address = path.replace(/\{(id|name)\}/, encodeURIComponent(name)).replace("{number}", "1");
      await check(path, "get", address + (path.endsWith("/family") ? "?generation=1&individual=1" : ""));
    }
  }
  const play = (action, body = {}) => check(`/api/play/{id}/${action}`, "post", `/api/play/${started}/${action}`, body);
  await play("move", { move: "e4" });
  await play("move", { move: "nonsense" });
  for (const action of ["hint", "why", "draw", "takeback", "takeback", "again", "resign", "again"]) await play(action);
  const position = { game: "chess", moves: ["e4"], nodes: 100 };
  await check("/api/analyse", "post", "/api/analyse", position);
  await check("/api/analyse", "post", "/api/analyse", { ...position, player: "nobody" });
  await check("/api/analyse/game", "post", "/api/analyse/game", position);
  await check("/api/experiments/check", "post", "/api/experiments/check", { preset: "kendall-whitwell" });
  await check("/api/experiments/{id}/pause", "post", "/api/experiments/nobody/pause", {});

  const answered = Object.entries(paths).filter(([path, { get }]) => get?.responses["200"].content["application/json"] && path !== "/api/events");
  for (const [path] of answered) assert.ok(checked.has(`get ${path}`), `${path} was answered`);
});
