/** A line of a chart: its values, and the band around it. */
export interface Line {
  name: string;
  /** Which of the eight colours. */
  color: number;
  values: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  dashed?: boolean;
  thin?: boolean;
}

/** Values over some x, put on the x of others. */
export function align(x: number[], ownX: number[], values: (number | null)[]): (number | null)[] {
  const byX = new Map(ownX.map((at, index) => [at, values[index] ?? null]));
  return x.map((at) => byX.get(at) ?? null);
}

/** A part of some x made larger or smaller by a factor around a place in it; null is everything. */
export function zoomed(x: number[], range: [number, number] | null, factor: number, around?: number): [number, number] | null {
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
  const [from, to] = range ?? [first, last];
  const middle = around !== undefined && around >= from && around <= to ? around : (from + to) / 2;
  const span = Math.max(2, (to - from) * factor);
  if (span >= last - first) return null;
  const start = Math.min(Math.max(first, middle - span / 2), last - span);
  return [start, start + span];
}

/** All x of several lists, in order. */
export function union(...lists: number[][]): number[] {
  return [...new Set(lists.flat())].sort((one, other) => one - other);
}
