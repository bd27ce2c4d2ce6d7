//! Who can play: models, what was bred, and player files of the lab.

use std::path::Path;

use axum::Json;
use axum::extract::State;
use gamete_arena::{GameName, ModelInfo, Player};
use gamete_lab::{Bred, Store};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::ApiError;
use crate::extract::Params;

/// What the name of a player file begins with.
const FILE: &str = "file:";

/// Files that are larger are no player's.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The player of this name: a model, `file:NAME.toml` of the lab, or what `gamete show --player` takes, as `ID@3#1`.
///
/// # Errors
///
/// When there is none.
pub fn find_player(directory: &Path, store: &Store, name: &str) -> Result<Player, ApiError> {
    if let Some(file) = name.strip_prefix(FILE) {
        return read_file(directory, file).map_err(|reason| ApiError::not_found(format!("{name}: {reason}")));
    }
    if let Ok(model) = ModelInfo::find(name) {
        return Ok(Player::new(model));
    }
    let head = name.split(['@', '/']).next().unwrap_or_default();
    if GameName::ALL.iter().any(|game| game.as_str() == head) {
        return Err(ApiError::not_found(ModelInfo::find(name).expect_err("no model").to_string()));
    }
    Ok(Bred::find(store, name)?.player)
}

/// A player file of the lab itself: no path leads out of it.
fn read_file(directory: &Path, name: &str) -> Result<Player, String> {
    let is_plain = !name.starts_with('.')
        && name.ends_with(".toml")
        && name.chars().all(|letter| letter.is_alphanumeric() || "._-+= ".contains(letter));
    if !is_plain {
        return Err("name a .toml file in the directory of the lab".to_owned());
    }
    let path = directory.join(name);
    let found =
        std::fs::symlink_metadata(&path).map_err(|_| "there is no such file in the lab".to_owned())?;
    if !found.is_file() || found.len() > MAX_FILE_BYTES {
        return Err("this is no player file".to_owned());
    }
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut player: Player = text.parse().map_err(|error| format!("{error}"))?;
    if player.name.is_empty() {
        player.name = name.trim_end_matches(".toml").to_owned();
    }
    Ok(player)
}

#[derive(Deserialize)]
pub struct Wanted {
    game: Option<GameName>,
}

/// Somebody who can play.
#[derive(Serialize)]
struct Candidate {
    player: String,
    title: String,
    kind: &'static str,
    about: String,
    game: GameName,
}

#[derive(Serialize)]
pub struct Candidates {
    players: Vec<Candidate>,
}

/// `GET /api/players`.
pub async fn list(
    State(app): State<App>,
    Params(wanted): Params<Wanted>,
) -> Result<Json<Candidates>, ApiError> {
    app.read(move |app, store| {
        let is_wanted = |game: GameName| wanted.game.is_none_or(|wanted| wanted == game);
        let mut players: Vec<Candidate> = ModelInfo::all()
            .iter()
            .filter(|model| is_wanted(model.game))
            .map(|model| Candidate {
                player: model.name.to_owned(),
                title: model.name.to_owned(),
                kind: "model",
                about: model.about.to_owned(),
                game: model.game,
            })
            .collect();
        for row in store.experiments()?.into_iter().rev().filter(|row| row.result.is_some()) {
            let Ok(bred) = Bred::find(store, &row.id) else { continue };
            let game = bred.player.model().game;
            if is_wanted(game) {
                let title = format!("{}, champion", row.id);
                players.push(Candidate { player: row.id, title, kind: "champion", about: row.about, game });
            }
        }
        players.extend(files(app.lab.directory()).into_iter().filter(|one| is_wanted(one.game)));
        Ok(Json(Candidates { players }))
    })
    .await
}

/// The player files of a lab.
fn files(directory: &Path) -> Vec<Candidate> {
    let names = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let candidate = |name: String| {
        let player = read_file(directory, &name).ok()?;
        let (game, model) = (player.model().game, player.model().name);
        Some(Candidate {
            player: format!("{FILE}{name}"),
            title: player.name,
            kind: "file",
            about: model.to_owned(),
            game,
        })
    };
    names.into_iter().filter(|name| name.ends_with(".toml")).filter_map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_lab() {
        let outside = tempfile::tempdir().expect("a directory");
        let lab = outside.path().join("lab");
        std::fs::create_dir(&lab).expect("a directory");
        for place in [outside.path(), &lab] {
            std::fs::write(place.join("mine.toml"), "model = \"chess/material\"").expect("a file");
        }
        std::os::unix::fs::symlink(outside.path().join("mine.toml"), lab.join("link.toml")).expect("a link");
        assert_eq!(read_file(&lab, "mine.toml").expect("a player").name, "mine");
        for name in [
            "../mine.toml",
            "/etc/passwd",
            "..",
            "",
            ".toml",
            "link.toml",
            "x/../../mine.toml",
            "mine.toml\0",
        ] {
            assert!(read_file(&lab, name).is_err(), "{name}");
        }
    }
}
