// What the server says; docs/dashboard.md has the routes.

export type Color = "white" | "black";

export interface ServerInfo {
  version: string;
  lab: string;
  token_required: boolean;
  may_change: boolean;
  games: { name: string; file_ending: string; move_examples: string; default_model: string; starter: Color }[];
  limits: {
    sessions: number; thinking: number; movetime_ms: number; nodes: number; depth: number; running_experiments: number; threads: number;
  };
  has_grid: boolean;
}

export interface Live {
  status: "running" | "pausing" | "stopping" | "paused" | "stopped" | "verifying" | "finished" | "failed";
  here: boolean;
  /** Whether a grid plays its games. */
  on_grid: boolean;
  /** Whether it can be resumed here: other programs are only started at the command line. */
  can_resume: boolean;
  generation: number | null;
  generations: number | null;
  games: number | null;
  planned_games: number | null;
  games_per_second: number | null;
  eta_seconds: number | null;
  /** Grows with the games that are kept. */
  kept: number;
  busy: number | null;
  error: string | null;
}

export interface Sprt {
  model: string;
  elo0: number;
  elo1: number;
  alpha: number;
  beta: number;
  llr: number;
  lower: number;
  upper: number;
  decision: string;
}

export interface Baseline {
  champion: string;
  against: string;
  opponent: string;
  planned_pairs: number;
  pairs: number;
  wins: number;
  draws: number;
  losses: number;
  ptnml: number[];
  elo: number | null;
  error: number | null;
  elo_low: number | null;
  elo_high: number | null;
  los: number | null;
  verdict: string;
  sprt?: Sprt | null;
}

export interface Summary {
  id: string;
  method: string;
  about: string;
  seed: number;
  created: number;
  seconds: number;
  finished: boolean;
  state: string;
  games: number;
  set: string[];
  verification: Baseline[];
  regret?: number | null;
  stages?: StageSummary[];
  is_pipeline: boolean;
  is_study: boolean;
  is_tune: boolean;
  game: string | null;
  model: string | null;
  /** Why it cannot be read, if it is damaged. */
  error?: string | null;
  live: Live;
}

/** A stage in the line of its pipeline: less is told of it. */
export type StageSummary = Omit<Summary, "live" | "game" | "stages"> & { live?: Live; game?: string | null; stages?: undefined };

export interface Spread {
  mean: number;
  sd: number;
  min: number;
  max: number;
}

export interface Measure {
  name: string;
  best: number;
  mean?: number | null;
  of?: number | null;
}

export interface Generation {
  number: number;
  spread: Spread[];
  matches: { won: number; edged: number; drawn: number };
  games: number;
  draws: number;
  faults?: number;
  plies: number;
  seconds: number;
  measures?: Measure[];
}

export interface Run {
  path: string;
  replicate: number;
  generations_count: number;
  last: Generation;
  champion: number[];
  fitness: number | null;
  reading: { name: string; value: number; of?: number | null } | null;
  player: string | null;
}

export interface Arm {
  name: string;
  method: string;
  genes: string[];
  answer: string;
  judged: string;
  numbers: Record<string, number>;
  runs: Run[];
}

export interface Squares {
  boards: { title: string; cells: (number | null)[][] }[];
}

export interface TuningParameter {
  name: string;
  start: number;
  value: number;
  min: number | null;
  max: number | null;
}

export interface Experiment {
  id: string;
  name: string;
  method: string;
  about: string;
  seed: number;
  signature: string;
  created: number;
  seconds: number;
  file: string;
  command: string | null;
  facts: [string, string][];
  budget: Record<string, number | null>;
  replicates: number;
  is_study: boolean;
  has_arms: boolean;
  answer: string;
  players: { game: string; model: string; pawn: string | null; weights: { name: string; about: string; classical: number }[] } | null;
  tuning: { parameters: TuningParameter[] } | null;
  genes: string[];
  arms: Arm[];
  conclusion: { champion: [string, number][]; digest: string; games: number } | null;
  verification: Baseline[];
  champion_player: string | null;
  genes_info: { name: string; about: string; min: number | null; max: number | null; classical: number | null }[];
  squares: Squares | null;
}

export interface Stage {
  name: string;
  beginning: string;
  method: string;
  player?: string;
  id: string;
  experiment: Experiment | null;
  live: Live | null;
}

export interface Pipeline {
  id: string;
  name: string;
  about: string;
  seed: number;
  created: number;
  seconds: number;
  file: string;
  command: string | null;
  stages: Stage[];
  conclusion: { champion: [string, number][]; digest: string; games: number } | null;
}

export type Found =
  | { kind: "experiment"; experiment: Experiment; live: Live }
  | { kind: "pipeline"; pipeline: Pipeline; live: Live };

export interface Generations {
  run: string;
  genes: string[];
  count: number;
  step: number;
  generations: Generation[];
}

export interface Individual {
  number: number;
  genome: number[];
  fitness?: number | null;
  parents: number[];
  player: string | null;
}

export interface Population {
  run: string;
  generation: number;
  genes: string[];
  individuals: Individual[];
}

export interface FamilyNode {
  generation: number;
  number: number;
  fitness?: number | null;
  genome: number[];
  parents: number[];
  survived: boolean;
}

export interface Family {
  nodes: FamilyNode[];
  genes: string[];
  is_known: boolean;
}

export interface Preset {
  name: string;
  about: string;
  method: string;
  is_pipeline: boolean;
  is_study: boolean;
  game: string | null;
  planned_games: number | null;
  needs: string | null;
}

export interface KeyField {
  path: string;
  about: string;
  kind: "integer" | "real" | "flag" | "integers" | "range" | "choice" | "text";
  min?: number | null;
  max?: number | null;
  choices?: string[];
  value: unknown;
  default: unknown;
  editable: boolean;
}

export interface PresetForm {
  name: string;
  about: string;
  file: string;
  sections: { place: string; title: string; keys: KeyField[] }[];
}

export interface Geometry {
  rows: number;
  columns: number;
  turns: boolean;
  row_labels: string[];
  column_labels: string[];
  dark: string[];
  numbers: (number | null)[][] | null;
  pieces: Record<string, { color: Color; picture: string; symbol: string }>;
}

export type Place = [number, number];

export interface Position {
  fen: string;
  squares: string[];
  turn: Color;
  last: Place[];
  /** What has to be saved at once, as a king in check. */
  threatened: Place[];
}

export interface Score {
  kind: string;
  pawns?: number;
  plies?: number;
  text: string;
}

export interface Thought {
  score?: Score | null;
  depth?: number | null;
  nodes?: number | null;
  time_ms?: number | null;
}

export interface PlayedMove {
  text: string;
  label: string;
  number: number;
  color: Color;
  thought?: Thought | null;
}

export interface End {
  outcome: Color | "draw" | null;
  result: string;
  reason: string;
}

export interface GameHead {
  number: number;
  run: string;
  generation?: number | null;
  white: string;
  black: string;
  result: string;
  termination: string;
  plies: number;
  game: string;
}

export interface Replay {
  head: GameHead;
  geometry: Geometry;
  start_fen: string;
  positions: Position[];
  moves: PlayedMove[];
  end: End;
  text: string;
  file_ending: string;
}

export interface LegalMove {
  text: string;
  clicks: Place[];
  /** Squares whose click alone means the same, on boards where that is easier. */
  also?: Place[];
  choice: string | null;
  captures: boolean;
}

export interface Term {
  name: string;
  about: string;
  white_minus_black: number;
  weight: number;
  value: number;
}

export interface Analysis {
  move: { text: string; clicks: Place[] } | null;
  line: string[];
  /** Of the side to move. */
  score: Score;
  white_score: Score;
  depth: number;
  nodes: number;
  terms: Term[];
  static: Score;
}

export interface PlayerChoice {
  player: string;
  title: string;
  kind: string;
  about?: string;
}

export interface SessionSummary {
  id: string;
  game: string;
  white: string;
  black: string;
  ply: number;
  status: string;
  result: string | null;
  created: number;
  updated: number;
  /** Grows with every change of the game. */
  version: number;
}

export interface Limit {
  depth?: number;
  nodes?: number;
  movetime_ms?: number;
  clock?: { base_ms: number; increment_ms: number };
}

export interface Thinking {
  color: Color;
  depth: number;
  score: Score;
  line: string[];
  nodes: number;
  time_ms: number;
}

export interface Session {
  id: string;
  game: string;
  created: number;
  updated: number;
  version: number;
  seats: Record<Color, { player: string; name: string; computer: boolean }>;
  limit: Limit;
  geometry: Geometry;
  start_fen: string;
  positions: Position[];
  moves: PlayedMove[];
  turn: Color;
  legal: LegalMove[];
  forced: string | null;
  status: "your-turn" | "thinking" | "paused" | "over";
  thinking: Thinking | null;
  clock: { white_ms: number; black_ms: number; running: Color | null } | null;
  draw_offer: Color | null;
  draw_answer?: string;
  end: End | null;
  file_ending: string;
}

export interface MatchHead {
  name: string;
  players: string;
  game: string;
  state: string;
  finished: boolean;
  games: number;
  planned_games: number | null;
  seconds: number;
  created: number;
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  sprt: Sprt | null;
  error: string | null;
}

export interface Contestant {
  name: string;
  what: string;
  limits: string;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number;
  ptnml: number[] | null;
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  los: number | null;
  rating: number | null;
  rating_margin: number | null;
  faults: Record<string, number>;
}

export interface MatchView {
  path: string;
  game: string;
  event: string;
  tournament: string | Record<string, unknown>;
  seed: number;
  created: number;
  seconds: number;
  state: string;
  finished: boolean;
  games: number;
  planned_games: number | null;
  openings: string;
  conditions: string;
  contestants: Contestant[];
  table: [number, number, number][][];
  sprt: Sprt | null;
  terminations: { termination: string; games: number; won_by: number[] }[];
  history: { games: number; elo: number | null; elo_low: number | null; elo_high: number | null; llr: number | null }[];
  command: { words: string[] } | null;
}

export interface Rating {
  rank: number;
  name: string;
  kind: string;
  game: string | null;
  elo: number | null;
  error: number;
  games: number;
  score: number;
  los: number | null;
  group?: number;
}

export interface GridWorker {
  id: string;
  name: string;
  signature: string;
  /** Tasks at a time. */
  concurrency: number;
  /** Experiments that it plays for, as they are called at the broker. */
  serves: string[];
  done: number;
  failed: number;
  /** Tasks a second. */
  rate: number;
  /** Nodes a second, if it was asked for. */
  speed: number | null;
}

export interface GridExperiment {
  slug: string;
  /** What its coordinator says, if there is one. */
  offer: { experiment: string; open: number; told: number; refused: string[] } | null;
  queued: number;
  in_flight: number;
  redelivered: number;
  outcomes: number;
}

export interface GridStatus {
  url: string | null;
  status: { workers: GridWorker[]; experiments: GridExperiment[] } | null;
  error: string | null;
}
