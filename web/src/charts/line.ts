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

/** All x of several lists, in order. */
export function union(...lists: number[][]): number[] {
  return [...new Set(lists.flat())].sort((one, other) => one - other);
}
