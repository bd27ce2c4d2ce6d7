// The generations of a run: those that are stored, thinned by the server, and those that come.
import { address, get, query } from "./api.ts";
import { lab } from "./lab.svelte.ts";
import type { Generation, Generations } from "./types.ts";

/** So many points are drawn; more could not be told apart. */
const POINTS = 600;

export class History {
  generations = $state.raw<Generation[]>([]);
  genes = $state.raw<string[]>([]);
  error = $state.raw<unknown>(null);
  isLoaded = $state(false);
  #coming: Generation[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #panning: ReturnType<typeof setTimeout> | undefined;
  #zoom: [number, number] | null = null;
  #shown = "";
  #load: () => void = () => {};
  /** Questions are numbered: an answer that was overtaken is not taken. */
  #asked = 0;
  #taken = 0;

  /** Follows a run; to be called while a component is made. */
  constructor(of: () => { id: string; run: string } | null) {
    $effect(() => {
      const asked = of();
      void lab.epoch;
      if (!asked) return;
      const cancel = new AbortController();
      this.#load = () => {
        const [zoom, turn] = [this.#zoom, ++this.#asked];
        const [from, to] = zoom ?? [];
        const range = { from: from && Math.max(0, Math.floor(from)), to: to && Math.ceil(to) };
        get<Generations>(address("experiments", asked.id, "/generations") + query({ run: asked.run, points: POINTS, ...range }), cancel.signal).then(
          (answer) => {
            if (cancel.signal.aborted || turn < this.#taken) return;
            this.#taken = turn;
            // What lies outside of the part that was asked for stays as it was, so that it can be panned to; and so does what came meanwhile.
            const end = answer.generations.at(-1)?.number ?? -1;
            const kept = this.generations.filter(({ number }) => (zoom ? number < zoom[0] || number > zoom[1] : number > end));
            this.generations = [...kept, ...answer.generations].sort((one, other) => one.number - other.number);
            this.genes = answer.genes;
            this.error = null;
            this.isLoaded = true;
          },
          (problem) => {
            // What has only begun has no generations; they come by themselves.
            if (!cancel.signal.aborted && problem.status !== 404) this.error = problem;
          },
        );
      };
      if (this.#shown !== `${asked.id} ${asked.run}`) {
        this.#shown = `${asked.id} ${asked.run}`;
        this.#zoom = null;
        this.generations = [];
        this.isLoaded = false;
      }
      this.#load();
      return () => {
        cancel.abort();
        clearTimeout(this.#timer);
        clearTimeout(this.#panning);
        this.#timer = undefined;
        this.#coming = [];
      };
    });
  }

  /** A generation has come. Several in a moment are drawn at once. */
  add(generation: Generation): void {
    this.#coming.push(generation);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const byNumber = new Map(this.generations.map((one) => [one.number, one]));
      for (const one of this.#coming) byNumber.set(one.number, one);
      this.#coming = [];
      const all = [...byNumber.values()].sort((one, other) => one.number - other.number);
      // After so many the server thins them again.
      if (!this.isLoaded || this.generations.length === 0 || (all.length > 2 * POINTS && !this.#zoom)) this.#load();
      else this.generations = all;
    }, 150);
  }

  /** Something may have been missed. */
  again(): void {
    this.#load();
  }

  /** Somebody looks at a part: there the server has more. */
  zoom(to: [number, number] | null): void {
    const before = this.#zoom;
    this.#zoom = to;
    // All charts of a run tell of the same part, and who pans passes many.
    if (before?.[0] === to?.[0] && before?.[1] === to?.[1]) return;
    clearTimeout(this.#panning);
    this.#panning = setTimeout(() => this.#load(), 120);
  }
}

/** How far a population has converged: the geometric mean of the deviations, relative to those at the start. */
export function convergence(generations: Generation[]): (number | null)[] {
  const start = generations[0]?.spread ?? [];
  return generations.map(({ spread }) => {
    let [sum, count] = [0, 0];
    for (const [index, { sd }] of start.entries()) {
      if (!(sd > 0)) continue;
      sum += Math.log((spread[index]?.sd ?? 0) / sd);
      count += 1;
    }
    return count === 0 ? null : Math.exp(sum / count);
  });
}
