//! What comes back, by its main fields. There may be more of them.

use serde_json::{Map, Value, json};

/// The answers and their parts by name, with their fields: `name: type`, with `?` behind a name that may be left out and behind a
/// type that may be null, and `[]` behind what there may be many of. A type is that of JSON, or another name of this list.
const ANSWERS: &[(&str, &str)] = &[
    (
        "Server",
        "version: string, lab: string, token_required: boolean, may_change: boolean, games: GameInfo[], limits: object, has_grid: boolean",
    ),
    (
        "GameInfo",
        "name: string, file_ending: string, move_examples: string, default_model: string, starter: string, start_fen: string",
    ),
    ("OpenApi", "openapi: string, info: object, paths: object, components: object"),
    ("Experiments", "experiments: Summary[]"),
    (
        "Summary",
        "id: string, method: string, about: string, seed: integer, created: integer, seconds: number, finished: boolean, state: string, \
         games: integer, set: string[], verification: Baseline[], is_pipeline: boolean, is_study: boolean, is_tune: boolean, \
         game: string?, model: string?, live: Live?, error: string?, regret?: number, stages?: object[]",
    ),
    (
        "Live",
        "status: string, here: boolean, on_grid: boolean, generation: integer?, generations: integer?, games: integer?, \
         planned_games: integer?, games_per_second: number, eta_seconds: number, busy: number, error: string?",
    ),
    (
        "Baseline",
        "champion: string, against: string, opponent: string, planned_pairs: integer, pairs: integer, wins: integer, draws: integer, \
         losses: integer, ptnml: integer[], elo: number, elo_low: number, elo_high: number, los: number, verdict: string, sprt?: Sprt?",
    ),
    (
        "Sprt",
        "model: string, elo0: number, elo1: number, alpha: number, beta: number, llr: number, lower: number, upper: number, decision: string",
    ),
    ("Started", "id: string, live: Live"),
    ("Changed", "live: Live"),
    (
        "Checked",
        "id?: string, exists?: boolean, file?: string, planned_games?: integer, warnings?: string[], error?: object",
    ),
    ("Details", "kind: string, live: Live, experiment?: Experiment, pipeline?: Pipeline"),
    (
        "Experiment",
        "id: string, name: string, method: string, about: string, seed: integer, created: integer, seconds: number, file: string, \
         genes: string[], arms: Arm[], conclusion: object?, verification: Baseline[]",
    ),
    ("Arm", "name: string, genes: string[], runs: Run[]"),
    (
        "Run",
        "path: string, replicate: integer, generations_count: integer, last: Generation?, champion: number[]?, fitness: number",
    ),
    (
        "Pipeline",
        "id: string, name: string, about: string, seed: integer, created: integer, seconds: number, file: string, stages: object[], conclusion: object?",
    ),
    ("Generations", "run: string, genes: string[], count: integer, step: integer, generations: Generation[]"),
    (
        "Generation",
        "number: integer, spread: Spread[], matches: object, games: integer, draws: integer, plies: integer, seconds: number, measures?: object[]",
    ),
    ("Spread", "mean: number, sd: number, min: number, max: number"),
    ("Population", "run: string, generation: integer, genes: string[], individuals: Individual[]"),
    (
        "Individual",
        "number: integer, genome: number[], fitness?: number, parents: integer[], player: string?",
    ),
    ("Family", "run: string, genes: string[], nodes: Relative[], is_known: boolean"),
    (
        "Relative",
        "generation: integer, number: integer, fitness: number, genome: number[], parents: integer[], survived: boolean",
    ),
    ("Games", "games: GameHead[], count?: integer"),
    (
        "GameHead",
        "number: integer, run: string, generation: integer, white: string, black: string, result: string, termination: string, plies: integer, game: string",
    ),
    (
        "Replay",
        "head: GameHead, geometry: Geometry, start_fen: string, positions: BoardPosition[], moves: PlayedMove[], end: End, text: string, file_ending: string",
    ),
    (
        "Geometry",
        "rows: integer, columns: integer, turns: boolean, row_labels: string[], column_labels: string[], dark: string[], numbers: any[]?, pieces: object",
    ),
    ("BoardPosition", "fen: string, squares: string[], turn: string, last: Square[], threatened: Square[]"),
    ("PlayedMove", "text: string, label: string, number: integer, color: string, thought?: Thought"),
    ("Thought", "score: Score, depth: integer, nodes: integer?, time_ms: integer"),
    ("Score", "kind: string, text: string, pawns?: number, plies?: integer"),
    ("End", "outcome: string?, result: string, reason: string"),
    ("Presets", "presets: Preset[]"),
    (
        "Preset",
        "name: string, about: string, method: string, is_pipeline: boolean, is_study: boolean, game: string?, planned_games: integer, needs: string?",
    ),
    ("PresetForm", "name: string, about: string, file: string, needs: string?, sections: Section[]"),
    ("Section", "place: string, title: string, keys: object[]"),
    ("Players", "players: Player[]"),
    ("Player", "player: string, title: string, kind: string, about: string, game: string"),
    (
        "Hint",
        "move: LegalMove?, line: string[], score: Score, white_score: Score, depth: integer, nodes: integer, player: string",
    ),
    (
        "Analysis",
        "move: LegalMove?, line: string[], score: Score, white_score: Score, depth: integer, nodes: integer, player: string, static: Score, terms: Term[]",
    ),
    ("LegalMove", "text: string, clicks: Square[], also?: Square[], choice: string?, captures: boolean"),
    ("Term", "name: string, about: string, white_minus_black: number, weight: number, value: number"),
    ("Why", "score: Score, terms: Term[], player: string, fen: string"),
    ("Scores", "scores: Score?[], player: string"),
    ("Sessions", "sessions: SessionSummary[]"),
    (
        "SessionSummary",
        "id: string, game: string, white: string, black: string, ply: integer, status: string, result: string?, created: integer, updated: integer, \
         version: integer",
    ),
    (
        "Session",
        "id: string, game: string, created: integer, updated: integer, version: integer, seats: object, limit: object, geometry: Geometry, \
         start_fen: string, positions: BoardPosition[], moves: PlayedMove[], turn: string, legal: LegalMove[], forced: string?, status: string, \
         thinking: Thinking?, clock: Clock?, draw_offer: string?, draw_answer?: string, end: End?, file_ending: string",
    ),
    (
        "Thinking",
        "color: string, depth: integer, score: Score?, line: string[], nodes: integer, time_ms: integer",
    ),
    ("Clock", "white_ms: integer, black_ms: integer, running: string?"),
    ("Matches", "matches: MatchHead[]"),
    (
        "MatchHead",
        "name: string, error: string?, players?: string, game?: string, state?: string, finished?: boolean, games?: integer, \
         planned_games?: integer?, seconds?: number, created?: integer, elo?: number, elo_low?: number, elo_high?: number, sprt?: Sprt?",
    ),
    (
        "Match",
        "name: string, game: string, event: string, seed: integer, created: integer, seconds: number, state: string, finished: boolean, \
         games: integer, planned_games: integer?, openings: string, conditions: string, contestants: Contestant[], table: any[], sprt: Sprt?, \
         terminations: object[], history: object[]",
    ),
    (
        "Contestant",
        "name: string, what: string, limits: string, games: integer, wins: integer, draws: integer, losses: integer, score: number, \
         ptnml: integer[]?, elo: number, elo_low: number, elo_high: number, los: number, rating: number, rating_margin: number, faults: object",
    ),
    ("Ratings", "ratings: Rating[], groups: integer, note: string?"),
    (
        "Rating",
        "rank: integer, group: integer, name: string, kind: string, game: string?, elo: number, error: number, games: integer, score: number, los: number",
    ),
    ("Grid", "url: string?, status: object?, error: string?"),
];

/// The schemas of all answers.
pub fn schemas() -> Map<String, Value> {
    let mut schemas: Map<String, Value> =
        ANSWERS.iter().map(|(name, fields)| ((*name).to_owned(), object(fields))).collect();
    let square = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 });
    schemas.insert("Square".to_owned(), square);
    schemas
}

fn object(fields: &str) -> Value {
    let fields = fields.split(", ").map(|field| field.split_once(": ").expect("a name and a type"));
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, kind) in fields {
        let name = match name.strip_suffix('?') {
            Some(name) => name,
            None => {
                required.push(name);
                name
            }
        };
        properties.insert(name.to_owned(), schema(kind));
    }
    json!({ "type": "object", "required": required, "properties": properties })
}

fn schema(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix('?') {
        return json!({ "anyOf": [schema(kind), { "type": "null" }] });
    }
    if let Some(kind) = kind.strip_suffix("[]") {
        return json!({ "type": "array", "items": schema(kind) });
    }
    match kind {
        "any" => json!({}),
        // Numbers that are not finite are null.
        "number" => json!({ "type": ["number", "null"] }),
        kind if kind.starts_with(char::is_uppercase) => {
            json!({ "$ref": format!("#/components/schemas/{kind}") })
        }
        kind => json!({ "type": kind }),
    }
}
