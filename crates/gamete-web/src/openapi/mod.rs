//! The API as OpenAPI describes it. A test compares it with the routes.

mod answers;

use axum::Json as Answer;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// What an address does by one method.
struct Operation {
    path: &'static str,
    method: &'static str,
    about: &'static str,
    /// Names in the query: the name, its type and what it is.
    query: &'static [(&'static str, &'static str, &'static str)],
    /// The schema of the body, by its name.
    body: Option<&'static str>,
    /// What comes back when all is well.
    answer: Reply,
}

/// What comes back.
#[derive(Clone, Copy)]
enum Reply {
    /// An answer, by the name of its schema.
    Json(&'static str),
    /// What was made, by the name of its schema.
    Created(&'static str),
    Nothing,
    Text,
    Html,
    Events,
}

const fn get(path: &'static str, answer: Reply, about: &'static str) -> Operation {
    Operation { path, method: "get", about, query: &[], body: None, answer }
}

const fn post(path: &'static str, body: &'static str, answer: Reply, about: &'static str) -> Operation {
    Operation { path, method: "post", about, query: &[], body: Some(body), answer }
}

impl Operation {
    const fn with(self, query: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        Self { query, ..self }
    }

    /// The statuses of what may go wrong, as docs/dashboard.md explains them.
    fn errors(&self) -> Vec<u16> {
        let mut errors = vec![400, 403];
        if self.path.contains('{') {
            errors.push(404);
        }
        if self.path != "/api/server" && self.path != "/api/openapi.json" {
            errors.extend([429, 503]);
        }
        if self.method != "get" {
            errors.extend([401, 413]);
        }
        if self.method == "post" {
            errors.extend([409, 415, 422]);
        }
        // Players and presets that are named in bodies, and parts of an experiment that are no players.
        if self.body.is_some() {
            errors.push(404);
        } else if self.path.starts_with("/api/experiments/") {
            errors.push(422);
        }
        errors.sort_unstable();
        errors.dedup();
        errors
    }
}

const RUN: (&str, &str, &str) =
    ("run", "string", "the path of a run, as s=0.5/2; empty for an experiment of one run");

const OPERATIONS: &[Operation] = &[
    get(
        "/api/server",
        Reply::Json("Server"),
        "what kind of server this is: version, games, limits, whether changes need a token",
    ),
    get("/api/events", Reply::Events, "news of all experiments, games and matches"),
    get("/api/openapi.json", Reply::Json("OpenApi"), "this description"),
    get("/api/experiments", Reply::Json("Experiments"), "all experiments and pipelines, the oldest first"),
    post(
        "/api/experiments",
        "NewExperiment",
        Reply::Created("Started"),
        "start an experiment from a preset, or resume it",
    ),
    post(
        "/api/experiments/check",
        "NewExperiment",
        Reply::Json("Checked"),
        "what would be started, or what is wrong with it",
    ),
    get(
        "/api/experiments/{id}",
        Reply::Json("Details"),
        "an experiment or a pipeline without its generations",
    ),
    get("/api/experiments/{id}/events", Reply::Events, "its state and its generations as they come"),
    get("/api/experiments/{id}/generations", Reply::Json("Generations"), "its generations, thinned evenly")
        .with(&[
            RUN,
            ("points", "integer", "how many at most, from 2 to 2000"),
            ("after", "integer", "only those with a larger number"),
            ("from", "integer", "the first one"),
            ("to", "integer", "the last one"),
        ]),
    get("/api/experiments/{id}/population", Reply::Json("Population"), "the individuals of a generation")
        .with(&[RUN, ("generation", "integer", "which one; the last if left out")]),
    get(
        "/api/experiments/{id}/family",
        Reply::Json("Family"),
        "an individual, its ancestors and its descendants",
    )
    .with(&[
        RUN,
        ("generation", "integer", "the generation of the individual"),
        ("individual", "integer", "its number, from 1"),
        ("depth", "integer", "generations to go back, 8 if left out"),
        ("ahead", "integer", "generations to go on, none if left out"),
    ]),
    get("/api/experiments/{id}/file", Reply::Text, "its file, with every default in it"),
    get("/api/experiments/{id}/report", Reply::Html, "its report as one HTML file"),
    get("/api/experiments/{id}/player", Reply::Text, "a player of it as a file").with(&[(
        "of",
        "string",
        "which one, as ID@12#3; its champion if left out",
    )]),
    post(
        "/api/experiments/{id}/pause",
        "Nothing",
        Reply::Json("Changed"),
        "finish the games in hand, and wait to be resumed",
    ),
    post("/api/experiments/{id}/resume", "Nothing", Reply::Json("Changed"), "go on"),
    post(
        "/api/experiments/{id}/stop",
        "Nothing",
        Reply::Json("Changed"),
        "finish the games in hand, and end",
    ),
    get("/api/experiments/{id}/games", Reply::Json("Games"), "the games that were kept of it").with(&[RUN]),
    get("/api/experiments/{id}/games/{number}", Reply::Json("Replay"), "a game to be replayed"),
    get("/api/experiments/{id}/games/{number}/text", Reply::Text, "a game as PGN or PDN"),
    get("/api/presets", Reply::Json("Presets"), "experiments that come with the program"),
    get(
        "/api/presets/{name}",
        Reply::Json("PresetForm"),
        "a preset as a form: its keys with their ranges and meanings",
    ),
    get(
        "/api/players",
        Reply::Json("Players"),
        "who can play: models, champions and player files of the lab",
    )
    .with(&[("game", "string", "only those that play it")]),
    post(
        "/api/analyse",
        "Position",
        Reply::Json("Analysis"),
        "the best move of a player, and what it evaluates the position by",
    ),
    post(
        "/api/analyse/game",
        "Position",
        Reply::Json("Scores"),
        "what a player sees in each position of a game",
    ),
    get("/api/play", Reply::Json("Sessions"), "the games on the page, the latest first"),
    post("/api/play", "NewGame", Reply::Created("Session"), "begin a game"),
    get("/api/play/{id}", Reply::Json("Session"), "a game"),
    Operation { method: "delete", ..get("/api/play/{id}", Reply::Nothing, "forget a game") },
    get("/api/play/{id}/events", Reply::Events, "a game as it goes on"),
    get("/api/play/{id}/text", Reply::Text, "a game as PGN or PDN"),
    post("/api/play/{id}/move", "Move", Reply::Json("Session"), "play a move"),
    post(
        "/api/play/{id}/takeback",
        "Nothing",
        Reply::Json("Session"),
        "go back to the last time that a person had to move",
    ),
    post("/api/play/{id}/resign", "Color", Reply::Json("Session"), "give a game up"),
    post("/api/play/{id}/draw", "Color", Reply::Json("Session"), "offer a draw, or accept one"),
    post("/api/play/{id}/hint", "Nothing", Reply::Json("Hint"), "a good move"),
    post("/api/play/{id}/why", "Ply", Reply::Json("Why"), "the evaluation of a position, term by term"),
    post("/api/play/{id}/pause", "Nothing", Reply::Json("Session"), "have computers wait"),
    post("/api/play/{id}/go", "Nothing", Reply::Json("Session"), "have computers go on"),
    post("/api/play/{id}/step", "Nothing", Reply::Json("Session"), "have one computer move, and wait again"),
    post(
        "/api/play/{id}/now",
        "Nothing",
        Reply::Json("Session"),
        "have the computer that thinks move at once",
    ),
    post("/api/play/{id}/again", "Again", Reply::Created("Session"), "another game of the same players"),
    get("/api/matches", Reply::Json("Matches"), "matches, by their journals"),
    get(
        "/api/matches/{name}",
        Reply::Json("Match"),
        "a match: Elo, pentanomial, sequential test, and how they came about",
    ),
    get("/api/matches/{name}/events", Reply::Events, "a match as it goes on"),
    get("/api/matches/{name}/games", Reply::Json("Games"), "games of a match").with(&[
        ("from", "integer", "the number of the first one"),
        ("limit", "integer", "how many, from 1 to 1000"),
    ]),
    get("/api/matches/{name}/games/{number}", Reply::Json("Replay"), "a game to be replayed"),
    get("/api/matches/{name}/games/{number}/text", Reply::Text, "a game as PGN or PDN"),
    get(
        "/api/ratings",
        Reply::Json("Ratings"),
        "champions across experiments, and contestants of matches, on one scale",
    ),
    get("/api/grid", Reply::Json("Grid"), "the workers and the queue of a grid"),
];

/// `GET /api/openapi.json`.
pub async fn openapi() -> Answer<Value> {
    Answer(document())
}

fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let entry = paths.entry(operation.path).or_insert_with(|| json!({}));
        entry[operation.method] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Gamete",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A lab of Gamete: experiments, games, matches. Reading is free; where the server has a token, changes need it.",
            "license": { "name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn described(operation: &Operation) -> Value {
    let parameter = |name: &str, place: &str, kind: &str, about: &str| {
        let schema = if kind == "integer" {
            json!({ "type": "integer", "minimum": 0 })
        } else {
            json!({ "type": kind })
        };
        json!({ "name": name, "in": place, "required": place == "path", "description": about, "schema": schema })
    };
    let names = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let of_path = names.map(|name| match name {
        "number" => parameter(name, "path", "integer", "which game, from 1"),
        name => parameter(name, "path", "string", "its name; a slash in it is written %2F"),
    });
    let of_query = operation.query.iter().map(|(name, kind, about)| parameter(name, "query", kind, about));
    let (status, content) = match operation.answer {
        Reply::Json(name) => ("200", Some(("application/json", named(name)))),
        Reply::Created(name) => ("201", Some(("application/json", named(name)))),
        Reply::Nothing => ("204", None),
        Reply::Text => ("200", Some(("text/plain", json!({ "type": "string" })))),
        Reply::Html => ("200", Some(("text/html", json!({ "type": "string" })))),
        Reply::Events => ("200", Some(("text/event-stream", json!({ "type": "string" })))),
    };
    let answer = match content {
        Some((kind, schema)) => json!({ "description": "done", "content": { kind: { "schema": schema } } }),
        None => json!({ "description": "done" }),
    };
    let mut responses = Map::from_iter([(status.to_owned(), answer)]);
    let error = |description: &str| {
        let content = json!({ "application/json": { "schema": named("Error") } });
        json!({ "description": description, "content": content })
    };
    for status in operation.errors() {
        let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        responses.insert(status.to_string(), error(reason.unwrap_or("why not")));
    }
    responses.insert("default".to_owned(), error("why not"));
    let mut described = json!({
        "summary": operation.about,
        "operationId": format!("{} {}", operation.method, operation.path).replace(['/', '{', '}', '.'], " ").split_whitespace().collect::<Vec<_>>().join("-"),
        "parameters": of_path.chain(of_query).collect::<Vec<_>>(),
        "responses": responses,
    });
    if operation.method != "get" {
        described["security"] = json!([{ "token": [] }, {}]);
    }
    if let Some(body) = operation.body {
        described["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": named(body) } } });
    }
    described
}

/// A schema by its name.
fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// The schemas of bodies and of errors, and those of answers.
fn schemas() -> Map<String, Value> {
    let color = json!({ "type": "string", "enum": ["white", "black"] });
    let game = json!({ "type": "string", "enum": gamete_arena::GameName::ALL.iter().map(|game| game.as_str()).collect::<Vec<_>>() });
    let count = json!({ "type": "integer", "minimum": 1 });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    let bodies = json!({
        "Nothing": { "type": "object" },
        "Error": object(&["error"], json!({
            "error": object(&["status", "code", "message"], json!({
                "status": { "type": "integer" }, "code": { "type": "string" }, "message": { "type": "string" }, "key": { "type": "string" },
            })),
        })),
        "NewExperiment": object(&["preset"], json!({
            "preset": { "type": "string" }, "set": { "type": "object" }, "seed": { "type": "integer", "minimum": 0 },
            "threads": count, "verify": { "type": "integer", "minimum": 0 }, "grid": { "type": "boolean" },
        })),
        "NewGame": object(&["game"], json!({
            "game": game, "white": { "type": "string" }, "black": { "type": "string" }, "white_name": { "type": "string" },
            "black_name": { "type": "string" }, "fen": { "type": "string" }, "seed": { "type": "integer", "minimum": 0 },
            "auto": { "type": "boolean" },
            "limit": object(&[], json!({
                "depth": count, "nodes": count, "movetime_ms": count,
                "clock": object(&["base_ms"], json!({ "base_ms": count, "increment_ms": { "type": "integer", "minimum": 0 } })),
            })),
        })),
        "Move": object(&["move"], json!({ "move": { "type": "string" }, "ply": { "type": "integer", "minimum": 0 } })),
        "Color": object(&[], json!({ "color": color })),
        "Ply": object(&[], json!({ "ply": { "type": "integer", "minimum": 0 } })),
        "Again": object(&[], json!({ "swap": { "type": "boolean" } })),
        "Position": object(&["game"], json!({
            "game": game, "fen": { "type": "string" }, "moves": { "type": "array", "items": { "type": "string" } },
            "player": { "type": "string" }, "nodes": count, "movetime_ms": count,
        })),
    });
    let mut schemas = answers::schemas();
    schemas.extend(bodies.as_object().cloned().into_iter().flatten());
    schemas
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_address_is_described_and_every_description_has_an_address() {
        let routed: BTreeSet<&str> = crate::routes::routes().iter().map(|(path, _)| *path).collect();
        let described: BTreeSet<&str> = OPERATIONS.iter().map(|operation| operation.path).collect();
        assert_eq!(routed, described);
    }

    #[test]
    fn bodies_and_answers_have_their_schemas_and_operations_their_names() {
        let document = document();
        let mut names = BTreeSet::new();
        for operation in OPERATIONS {
            let entry = &document["paths"][operation.path][operation.method];
            assert!(names.insert(entry["operationId"].to_string()), "{entry}");
        }
        let text = document.to_string();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
    }
}
