// What all pages share: the server, the list of experiments, whether the server answers.
import { get, type ApiError } from "./api.ts";
import { listen } from "./stream.ts";
import type { Live, ServerInfo, SessionSummary, Summary, MatchHead } from "./types.ts";

export const lab = $state({
  server: null as ServerInfo | null,
  /** Why nothing is heard of it, if so. */
  problem: null as ApiError | null,
  /** Grows whenever something may have been missed, so that pages ask anew. */
  epoch: 0,
  experiments: null as Summary[] | null,
  sessions: null as SessionSummary[] | null,
  matches: null as MatchHead[] | null,
});

function merge<T>(old: T[] | null, changed: T[], key: (one: T) => string): T[] {
  const byKey = new Map((old ?? []).map((one) => [key(one), one]));
  for (const one of changed) byKey.set(key(one), one);
  return [...byKey.values()];
}

/** Games that were deleted. Their names are not used again. */
const deleted = new Set<string>();

/** Games as they are known, where what was asked for or told is older. */
export function newest(sessions: SessionSummary[]): SessionSummary[] {
  const known = new Map((lab.sessions ?? []).map((one) => [one.id, one]));
  const there = sessions.filter((one) => !deleted.has(one.id));
  return there.map((one) => ((known.get(one.id)?.version ?? 0) > one.version ? known.get(one.id)! : one));
}

/** A game was deleted: an answer that is under way may still have it. */
export function forget(id: string): void {
  deleted.add(id);
  lab.sessions = lab.sessions?.filter((one) => one.id !== id) ?? null;
}

type Bred = Pick<Summary, "id" | "game" | "is_study" | "created">;

/** All that have generations: experiments, and the stages of pipelines instead of these. */
export function withGenerations(): Bred[] {
  const stages = (one: Summary): Bred[] =>
    (one.stages ?? []).map((stage) => ({ id: stage.id, game: stage.game ?? one.game, is_study: stage.is_study ?? false, created: stage.created }));
  return (lab.experiments ?? []).flatMap((one): Bred[] => (one.is_pipeline ? stages(one) : [one]));
}

/** Whether somebody is at it. */
export function isRunning({ status }: Live): boolean {
  return status === "running" || status === "pausing" || status === "stopping" || status === "verifying";
}

/** Questions are numbered: an answer that was overtaken is not taken. */
let [questions, taken] = [0, 0];

/** Asks what the server is and allows. */
export async function askServer(): Promise<void> {
  const turn = ++questions;
  const found = await get<ServerInfo>("/api/server");
  if (turn < taken) return;
  taken = turn;
  lab.server = found;
}

/** Follows the lab until the function that it gives is called. */
export function followLab(): () => void {
  let isFirst = true;
  let hasMissed = false;
  return listen(
    "/api/events",
    {
      hello: () => {
        // It is said again after all that could not be told: also of what was deleted meanwhile.
        isFirst = true;
        if (hasMissed) lab.epoch += 1;
        hasMissed = true;
        askServer().catch(() => {});
      },
      experiments: ({ experiments }: { experiments: Summary[] }) => {
        lab.experiments = merge(isFirst ? null : lab.experiments, experiments, (one) => one.id);
        isFirst = false;
      },
      removed: ({ id }: { id: string }) => {
        lab.experiments = (lab.experiments ?? []).filter((one) => one.id !== id);
      },
      play: ({ session, gone }: { session?: SessionSummary; gone?: string }) => {
        if (gone) forget(gone);
        else if (session && lab.sessions) lab.sessions = merge(lab.sessions, newest([session]), (one) => one.id);
      },
      matches: ({ matches }: { matches: MatchHead[] }) => {
        lab.matches = merge(lab.matches, matches, (one) => one.name);
      },
    },
    (problem) => {
      lab.problem = problem;
      hasMissed ||= problem !== null;
    },
  );
}
