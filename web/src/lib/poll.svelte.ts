// What a page has asked the server for.
import { lab } from "./lab.svelte.ts";

export interface Asked<T> {
  readonly value: T | null;
  readonly error: unknown;
  again(): void;
}

/** Asks when what it depends on changes, and when the server is found again. The last answer stays until there is a new one. */
export function asking<T>(question: (signal: AbortSignal) => Promise<T> | null): Asked<T> {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<unknown>(null);
  let times = $state(0);
  $effect(() => {
    void [times, lab.epoch];
    const cancel = new AbortController();
    const asked = question(cancel.signal);
    if (!asked) return;
    asked.then(
      (answer) => {
        if (cancel.signal.aborted) return;
        value = answer;
        error = null;
      },
      (problem) => {
        if (!cancel.signal.aborted) error = problem;
      },
    );
    return () => cancel.abort();
  });
  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    again() {
      times += 1;
    },
  };
}
