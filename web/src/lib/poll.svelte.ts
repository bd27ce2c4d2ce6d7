// What a page has asked the server for.
import { untrack } from "svelte";
import { isPassing } from "./api.ts";
import { lab } from "./lab.svelte.ts";

/** An answer that takes longer is given up. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 2_000;

export interface Asked<T> {
  readonly value: T | null;
  readonly error: unknown;
  /** Whether an answer is waited for. */
  readonly isBusy: boolean;
  again(): void;
}

/**
 * Asks when what it depends on changes, when the server is found again, and a little later where it was too busy to answer. The last
 * answer stays until there is a new one.
 */
export function asking<T>(question: (signal: AbortSignal) => Promise<T> | null): Asked<T> {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<unknown>(null);
  let times = $state(0);
  let isBusy = $state(false);
  $effect(() => {
    void [times, lab.epoch];
    const cancel = new AbortController();
    const asked = question(AbortSignal.any([cancel.signal, AbortSignal.timeout(PATIENCE_MS)]));
    let retry: ReturnType<typeof setTimeout> | undefined;
    isBusy = asked !== null;
    if (!asked) return;
    asked.then(
      (answer) => {
        if (!cancel.signal.aborted) [value, error, isBusy] = [answer, null, false];
      },
      (problem) => {
        if (cancel.signal.aborted) return;
        [error, isBusy] = [problem, false];
        if (isPassing(problem)) retry = setTimeout(askAgain, RETRY_MS);
      },
    );
    function askAgain(): void {
      if (document.hidden) retry = setTimeout(askAgain, RETRY_MS);
      else times += 1;
    }
    return () => {
      clearTimeout(retry);
      cancel.abort();
    };
  });
  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    get isBusy() {
      return isBusy;
    },
    again() {
      times += 1;
    },
  };
}

/** Follows a value, but changes no more often than so: what flies by is not asked for. */
export function slowly<T>(value: () => T, pause: number): { readonly value: T } {
  let latest = value();
  let settled = $state.raw(latest);
  let timer: ReturnType<typeof setTimeout> | undefined;
  $effect(() => {
    latest = value();
    if (latest === untrack(() => settled)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      settled = latest;
    }, pause);
  });
  $effect(() => () => clearTimeout(timer));
  return {
    get value() {
      return settled;
    },
  };
}

/** Asks again when a value has changed, but lets an answer come first: one that is slower than the changes would never come. */
export function askAgainOn(asked: Asked<unknown>, value: () => unknown): void {
  let known = untrack(value);
  $effect(() => {
    const now = value();
    if (asked.isBusy || now === known) return;
    known = now;
    asked.again();
  });
}

/** Asks again and again, each time so long after the last answer, while somebody looks. */
export function polling<T>(question: (signal: AbortSignal) => Promise<T>, pause: number): Asked<T> {
  const asked = asking(question);
  $effect(() => {
    if (asked.value === null && asked.error === null) return;
    let timer = setTimeout(look, pause);
    function look(): void {
      if (document.hidden) timer = setTimeout(look, pause);
      else asked.again();
    }
    return () => clearTimeout(timer);
  });
  return asked;
}
