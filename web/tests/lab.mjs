// A lab made by the real program, and the real server over it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const GAMETE = resolve(process.env.GAMETE ?? "../target/debug/gamete");

export function gamete(args, cwd, timeout = 300_000) {
  const run = spawnSync(GAMETE, args, { cwd, encoding: "utf8", timeout });
  if (run.status !== 0) throw new Error(`gamete ${args.join(" ")}: ${run.status ?? run.signal}\n${run.stdout}\n${run.stderr}`);
  return run.stdout;
}

/** An experiment, a study, a pipeline, weights by square, a tune and a match, as small as they can be. */
export function makeLab() {
  const directory = mkdtempSync(join(tmpdir(), "gamete-page-"));
  const lab = join(directory, "lab");
  const set = (...changes) => changes.flatMap((change) => ["--set", change]);
  const evolve = (...args) => gamete(["evolve", ...args, "--lab", lab], directory);
  evolve("kendall-whitwell", ...set("population=8", "generations=12"), "--verify", "4");
  evolve("mutation-study", ...set("population=6", "generations=4", "replicates=1"), "--verify", "2");
  evolve("piece-difference", ...set("survivors=6", "children=6", "generations=4", "limits=depth=2"), "--verify", "2");
  evolve(
    "weights-then-search",
    ...set("stages.weights.population=4", "stages.weights.generations=2", "stages.search.generations=1", "stages.search.ga.population=4", "stages.search.match.pairs=1"),
    ...set("stages.weights.limits=nodes=60", "stages.search.limits=nodes=60"),
    "--verify", "1",
  );
  gamete(
    ["tune", "-engine", "model=chess/material", "-params", "auto", "-each", "nodes=60", "-games", "48", "-verify", "games=8", "-lab", lab],
    directory,
  );
  gamete(
    ["match", "-engine", "model=chess/classic", "-engine", "model=chess/material", "-each", "nodes=120", "-rounds", "12", "-srand", "1",
      "-sprt", "elo0=0", "elo1=400", "-journal", join(lab, "classic-material.db")],
    directory,
  );
  // Names come from files of others: none of them may become a part of the page.
  writeFileSync(join(lab, "hostile.toml"), 'name = "<img src=x onerror=alert(1)>"\nmodel = "chess/material"\n');
  return { directory, lab, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A command that goes on until it is ended. */
export function background(args, cwd) {
  const child = spawn(GAMETE, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let [said, isWanted] = ["", false];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  child.once("exit", () => isWanted || console.log(`gamete ${args.join(" ")} has ended:\n${said}`));
  const end = () => {
    isWanted = true;
    return ended(child, "SIGINT");
  };
  return { end };
}

/** Ends a process, by force where it does not listen. */
async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await over;
  clearTimeout(late);
}

export function freePort() {
  return new Promise((done) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

export class Server {
  static async start(lab, ...args) {
    const server = new Server();
    server.lab = lab;
    server.args = args;
    server.port = await freePort();
    server.base = `http://127.0.0.1:${server.port}`;
    await server.begin();
    return server;
  }

  /** Starts it, or starts it again at the same address. */
  async begin() {
    this.process = spawn(GAMETE, ["serve", "--lab", this.lab, "--listen", `127.0.0.1:${this.port}`, ...this.args], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on("data", (data) => (said += data));
    this.said = () => said;
    for (let tries = 0; tries < 1200; tries++) {
      if (this.process.exitCode !== null) throw new Error(`the server ended: ${said}`);
      try {
        if ((await fetch(`${this.base}/api/server`)).ok) return;
      } catch {
        // Not yet.
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`the server does not answer: ${said}`);
  }

  end(signal = "SIGTERM") {
    return ended(this.process, signal);
  }

  async get(path) {
    const answer = await fetch(this.base + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async post(path, body = {}) {
    return (await this.change("POST", path, body)).json();
  }

  async remove(path) {
    await this.change("DELETE", path, {});
  }

  async change(method, path, body) {
    const headers = { "Content-Type": "application/json", Origin: this.base };
    const answer = await fetch(this.base + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
