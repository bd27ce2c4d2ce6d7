//! The API as OpenAPI describes it. A test compares it with the routes.

use axum::Json as Answer;
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
    Json,
    Created,
    Nothing,
    Text,
    Html,
    Events,
}

const fn get(path: &'static str, about: &'static str) -> Operation {
    Operation { path, method: "get", about, query: &[], body: None, answer: Reply::Json }
}

const fn post(path: &'static str, body: &'static str, about: &'static str) -> Operation {
    Operation { path, method: "post", about, query: &[], body: Some(body), answer: Reply::Json }
}

impl Operation {
    const fn with(self, query: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        Self { query, ..self }
    }

    const fn gives(self, answer: Reply) -> Self {
        Self { answer, ..self }
    }
}

const RUN: (&str, &str, &str) =
    ("run", "string", "the path of a run, as s=0.5/2; empty for an experiment of one run");

const OPERATIONS: &[Operation] = &[
    get("/api/server", "what kind of server this is: version, games, limits, whether changes need a token"),
    get("/api/events", "news of all experiments, games and matches").gives(Reply::Events),
    get("/api/openapi.json", "this description"),
    get("/api/experiments", "all experiments and pipelines, the oldest first"),
    post("/api/experiments", "NewExperiment", "start an experiment from a preset, or resume it")
        .gives(Reply::Created),
    post("/api/experiments/check", "NewExperiment", "what would be started, or what is wrong with it"),
    get("/api/experiments/{id}", "an experiment or a pipeline without its generations"),
    get("/api/experiments/{id}/events", "its state and its generations as they come").gives(Reply::Events),
    get("/api/experiments/{id}/generations", "its generations, thinned evenly").with(&[
        RUN,
        ("points", "integer", "how many at most, from 2 to 2000"),
        ("after", "integer", "only those with a larger number"),
        ("from", "integer", "the first one"),
        ("to", "integer", "the last one"),
    ]),
    get("/api/experiments/{id}/population", "the individuals of a generation")
        .with(&[RUN, ("generation", "integer", "which one; the last if left out")]),
    get("/api/experiments/{id}/family", "an individual and its ancestors").with(&[
        RUN,
        ("generation", "integer", "the generation of the individual"),
        ("individual", "integer", "its number, from 1"),
        ("depth", "integer", "generations to go back"),
    ]),
    get("/api/experiments/{id}/file", "its file, with every default in it").gives(Reply::Text),
    get("/api/experiments/{id}/report", "its report as one HTML file").gives(Reply::Html),
    get("/api/experiments/{id}/player", "a player of it as a file")
        .with(&[("of", "string", "which one, as ID@12#3; its champion if left out")])
        .gives(Reply::Text),
    post("/api/experiments/{id}/pause", "Nothing", "finish the games in hand, and wait to be resumed"),
    post("/api/experiments/{id}/resume", "Nothing", "go on"),
    post("/api/experiments/{id}/stop", "Nothing", "finish the games in hand, and end"),
    get("/api/experiments/{id}/games", "the games that were kept of it").with(&[RUN]),
    get("/api/experiments/{id}/games/{number}", "a game to be replayed"),
    get("/api/experiments/{id}/games/{number}/text", "a game as PGN or PDN").gives(Reply::Text),
    get("/api/presets", "experiments that come with the program"),
    get("/api/presets/{name}", "a preset as a form: its keys with their ranges and meanings"),
    get("/api/players", "who can play: models, champions and player files of the lab").with(&[(
        "game",
        "string",
        "only those that play it",
    )]),
    post("/api/analyse", "Position", "the best move of a player, and what it evaluates the position by"),
    post("/api/analyse/game", "Position", "what a player sees in each position of a game"),
    get("/api/play", "the games on the page, the latest first"),
    post("/api/play", "NewGame", "begin a game").gives(Reply::Created),
    get("/api/play/{id}", "a game"),
    Operation { method: "delete", answer: Reply::Nothing, ..get("/api/play/{id}", "forget a game") },
    get("/api/play/{id}/events", "a game as it goes on").gives(Reply::Events),
    get("/api/play/{id}/text", "a game as PGN or PDN").gives(Reply::Text),
    post("/api/play/{id}/move", "Move", "play a move"),
    post("/api/play/{id}/takeback", "Nothing", "go back to the last time that a person had to move"),
    post("/api/play/{id}/resign", "Color", "give a game up"),
    post("/api/play/{id}/draw", "Color", "offer a draw, or accept one"),
    post("/api/play/{id}/hint", "Nothing", "a good move"),
    post("/api/play/{id}/why", "Ply", "the evaluation of a position, term by term"),
    post("/api/play/{id}/pause", "Nothing", "have computers wait"),
    post("/api/play/{id}/go", "Nothing", "have computers go on"),
    post("/api/play/{id}/step", "Nothing", "have one computer move, and wait again"),
    post("/api/play/{id}/now", "Nothing", "have the computer that thinks move at once"),
    post("/api/play/{id}/again", "Again", "another game of the same players").gives(Reply::Created),
    get("/api/matches", "matches, by their journals"),
    get("/api/matches/{name}", "a match: Elo, pentanomial, sequential test, and how they came about"),
    get("/api/matches/{name}/events", "a match as it goes on").gives(Reply::Events),
    get("/api/matches/{name}/games", "games of a match").with(&[
        ("from", "integer", "the number of the first one"),
        ("limit", "integer", "how many, from 1 to 1000"),
    ]),
    get("/api/matches/{name}/games/{number}", "a game to be replayed"),
    get("/api/matches/{name}/games/{number}/text", "a game as PGN or PDN").gives(Reply::Text),
    get("/api/ratings", "champions across experiments, and contestants of matches, on one scale"),
    get("/api/grid", "the workers and the queue of a grid"),
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
        Reply::Json => ("200", Some(("application/json", json!({ "type": "object" })))),
        Reply::Created => ("201", Some(("application/json", json!({ "type": "object" })))),
        Reply::Nothing => ("204", None),
        Reply::Text => ("200", Some(("text/plain", json!({ "type": "string" })))),
        Reply::Html => ("200", Some(("text/html", json!({ "type": "string" })))),
        Reply::Events => ("200", Some(("text/event-stream", json!({ "type": "string" })))),
    };
    let answer = match content {
        Some((kind, schema)) => json!({ "description": "done", "content": { kind: { "schema": schema } } }),
        None => json!({ "description": "done" }),
    };
    let error = json!({
        "description": "why not",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut described = json!({
        "summary": operation.about,
        "operationId": format!("{} {}", operation.method, operation.path).replace(['/', '{', '}', '.'], " ").split_whitespace().collect::<Vec<_>>().join("-"),
        "parameters": of_path.chain(of_query).collect::<Vec<_>>(),
        "responses": { status: answer, "default": error },
    });
    if operation.method != "get" {
        described["security"] = json!([{ "token": [] }, {}]);
    }
    if let Some(body) = operation.body {
        let schema = json!({ "$ref": format!("#/components/schemas/{body}") });
        described["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    }
    described
}

fn schemas() -> Value {
    let color = json!({ "type": "string", "enum": ["white", "black"] });
    let game = json!({ "type": "string", "enum": gamete_arena::GameName::ALL.iter().map(|game| game.as_str()).collect::<Vec<_>>() });
    let count = json!({ "type": "integer", "minimum": 1 });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    json!({
        "Nothing": { "type": "object" },
        "Error": object(&["error"], json!({
            "error": object(&["status", "code", "message"], json!({
                "status": { "type": "integer" }, "code": { "type": "string" }, "message": { "type": "string" }, "key": { "type": "string" },
            })),
        })),
        "NewExperiment": object(&["preset"], json!({
            "preset": { "type": "string" }, "set": { "type": "object" }, "seed": { "type": "integer", "minimum": 0 },
            "threads": count, "verify": { "type": "integer", "minimum": 0 },
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
    })
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
    fn bodies_have_their_schemas_and_operations_their_names() {
        let document = document();
        let mut names = BTreeSet::new();
        for operation in OPERATIONS {
            let entry = &document["paths"][operation.path][operation.method];
            assert!(names.insert(entry["operationId"].to_string()), "{entry}");
            if let Some(body) = operation.body {
                assert!(document["components"]["schemas"][body].is_object(), "{body}");
            }
        }
    }
}
