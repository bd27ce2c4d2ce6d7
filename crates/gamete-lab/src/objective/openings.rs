//! Where the pairs of a match start, and which openings are held out for the games that verify what was found.

use std::error::Error;
use std::path::Path;
use std::sync::OnceLock;

use gamete_arena::{GameName, OpeningText};
use gamete_optim::{Rng, Settings};

use crate::experiment::ExperimentError;
use crate::held_out::HeldOut;
use crate::runtime::{Lab, LabError};

/// The openings of a file or random ones, of which a share is held out.
#[derive(Debug)]
pub(super) struct PairOpenings {
    seed: u64,
    listed: OnceLock<Listed>,
}

/// The openings of a file, every position once, in an order that the seed decides.
#[derive(Debug)]
struct Listed {
    openings: Vec<OpeningText>,
    /// How many of them, from the first, are to be played in trials.
    played: usize,
    hash: String,
}

impl PairOpenings {
    /// With fewer random plies there are too few openings to hold some out.
    pub const LEAST_PLIES: usize = 4;

    /// Openings that are told apart by the seed of an experiment.
    pub fn new(seed: u64) -> Self {
        Self { seed, listed: OnceLock::new() }
    }

    /// Which openings are held out.
    fn split(&self, settings: &Settings) -> HeldOut {
        HeldOut { seed: self.seed, share: settings.number("held_out") }
    }

    /// Which random openings are held out; nothing where openings are listed, or all are played.
    pub fn held_out_of_random(&self, settings: &Settings) -> Option<HeldOut> {
        let is_random = settings.choice("openings").is_empty();
        Some(self.split(settings)).filter(|split| is_random && split.share > 0.0)
    }

    /// The openings of the file, if one is named.
    fn listed(&self, game: GameName, settings: &Settings) -> Result<Option<&Listed>, ExperimentError> {
        let file = settings.choice("openings");
        if file.is_empty() {
            return Ok(None);
        }
        if let Some(listed) = self.listed.get() {
            return Ok(Some(listed));
        }
        let plies = Some(settings.count("book_plies")).filter(|&plies| plies > 0);
        let mut openings = OpeningText::load(game, Path::new(file), plies).map_err(|error| {
            let reason = Error::source(&error).map_or_else(String::new, |source| format!(": {source}"));
            bad_file(format!("{error}{reason}"))
        })?;
        let split = self.split(settings);
        openings
            .sort_by(|(_, one), (_, two)| split.place(*one).total_cmp(&split.place(*two)).then(one.cmp(two)));
        openings.dedup_by_key(|(_, key)| *key);
        let share = split.share;
        let held_out = (openings.len() as f64 * share).ceil() as usize;
        if held_out == openings.len() {
            let reason = format!(
                "{file:?} has {} different opening(s), and match.held_out = {share} leaves none to play; name a larger file",
                openings.len()
            );
            return Err(bad_file(reason));
        }
        let mut hasher = blake3::Hasher::new();
        for (opening, _) in &openings {
            hasher.update(format!("{} {}\n", opening.start, opening.book.join(" ")).as_bytes());
        }
        let listed = Listed {
            played: openings.len() - held_out,
            openings: openings.into_iter().map(|(opening, _)| opening).collect(),
            hash: hasher.finalize().to_hex().to_string(),
        };
        Ok(Some(self.listed.get_or_init(|| listed)))
    }

    /// Reads the file, if one is named.
    pub fn check(&self, game: GameName, settings: &Settings) -> Result<(), ExperimentError> {
        self.listed(game, settings).map(drop)
    }

    /// Refuses a file with other openings than those that a run began with.
    pub fn remember(&self, game: GameName, settings: &Settings, lab: &mut Lab<'_>) -> Result<(), LabError> {
        let Some(listed) = self.listed(game, settings)? else { return Ok(()) };
        if lab.remember("match.openings", |_| Ok(listed.hash.clone()))? == listed.hash {
            return Ok(());
        }
        let reason = format!(
            "{:?}: its openings are not those that this experiment began with; bring the old file back, or start over",
            settings.choice("openings")
        );
        Err(bad_file(reason).into())
    }

    /// Openings for so many pairs, each with the seed of its games; those of a file are different ones as long as there are
    /// enough.
    pub fn draw(
        &self,
        game: GameName,
        settings: &Settings,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<(OpeningText, u64)>, ExperimentError> {
        let Some(listed) = self.listed(game, settings)? else {
            let (split, plies) = (self.split(settings), settings.count("plies"));
            let draw = |_| (split.draw(game, plies, false, rng), rng.next_u64());
            return Ok((0..count).map(draw).collect());
        };
        let mut places: Vec<usize> = Vec::new();
        let mut drawn = Vec::with_capacity(count);
        for _ in 0..count {
            if places.is_empty() {
                places.extend(0..listed.played);
            }
            let place = places.swap_remove(rng.below(places.len() as u64) as usize);
            drawn.push((listed.openings[place].clone(), rng.next_u64()));
        }
        Ok(drawn)
    }

    /// A number that stands for the openings that are held out.
    pub fn identity(&self, game: GameName, settings: &Settings) -> Result<u64, ExperimentError> {
        let hash = self.listed(game, settings)?.map_or("", |listed| listed.hash.as_str());
        Ok(Rng::new(self.seed).fork(hash).next_u64())
    }

    /// Openings of the file that no trial ever starts from, each once: so many, or as many as it has.
    pub fn held_out(
        &self,
        game: GameName,
        settings: &Settings,
        count: usize,
    ) -> Result<Vec<OpeningText>, ExperimentError> {
        let listed = self.listed(game, settings)?;
        let held_out = listed.map_or(&[][..], |listed| &listed.openings[listed.played..]);
        Ok(held_out.iter().take(count).cloned().collect())
    }

    /// What they are, in words; a file that is gone is only named.
    pub fn text(&self, game: GameName, settings: &Settings) -> String {
        let share = settings.number("held_out");
        let file = settings.choice("openings");
        match self.listed(game, settings) {
            Ok(Some(Listed { openings, played, .. })) if share > 0.0 => {
                format!("{file}: {played} to play, {} held out", openings.len() - played)
            }
            Ok(Some(listed)) => format!("{file}: {}", listed.openings.len()),
            Err(_) => file.to_owned(),
            Ok(None) => {
                let plies = settings.count("plies");
                let held_out = match share {
                    share if share > 0.0 => format!(", {:.0} % held out", 100.0 * share),
                    _ => String::new(),
                };
                format!("{plies} random plies{held_out}")
            }
        }
    }
}

fn bad_file(reason: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::value("match.openings", reason)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use gamete_optim::Value;

    use super::*;
    use crate::objective::match_;

    const GAME: GameName = GameName::Chess;

    fn settings(file: &str, held_out: f64) -> Settings {
        let mut settings = Settings::new(match_::INFO.keys);
        settings.set("openings", Value::Text(file.to_owned())).expect("a text");
        settings.set("held_out", Value::Number(held_out)).expect("a share");
        settings
    }

    fn texts(openings: impl IntoIterator<Item = OpeningText>) -> HashSet<String> {
        openings.into_iter().map(|one| format!("{} {}", one.start, one.book.join(" "))).collect()
    }

    /// A file with the twenty first moves, and four of them twice.
    fn book() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.pgn");
        let pawns = "abcdefgh".chars().flat_map(|file| [format!("{file}3"), format!("{file}4")]);
        let moves: Vec<String> = pawns.chain(["Na3", "Nc3", "Nf3", "Nh3"].map(str::to_owned)).collect();
        let games = moves.iter().chain(&moves[..4]).map(|mv| format!("[Result \"*\"]\n\n1. {mv} *\n\n"));
        std::fs::write(&path, games.collect::<String>()).expect("a file");
        (folder, path.display().to_string())
    }

    #[test]
    fn openings_of_a_file_are_played_or_held_out_and_never_both() {
        let (_folder, file) = book();
        let settings = settings(&file, 0.5);
        let openings = PairOpenings::new(1);
        let held_out = texts(openings.held_out(GAME, &settings, 100).expect("openings"));
        let mut rng = Rng::new(5);
        let drawn = openings.draw(GAME, &settings, 10, &mut rng).expect("openings");
        let played = texts(drawn.into_iter().map(|(opening, _)| opening));
        assert_eq!((held_out.len(), played.len()), (10, 10), "each once");
        assert!(held_out.is_disjoint(&played));
        assert_eq!(
            openings.draw(GAME, &settings, 25, &mut rng).expect("openings").len(),
            25,
            "again and again"
        );
        assert!(openings.text(GAME, &settings).ends_with("book.pgn: 10 to play, 10 held out"));
        let other = PairOpenings::new(2);
        assert_ne!(texts(other.held_out(GAME, &settings, 100).expect("openings")), held_out);
        assert_ne!(other.identity(GAME, &settings), openings.identity(GAME, &settings));
    }

    #[test]
    fn random_openings_are_held_out_too() {
        let settings = settings("", 0.5);
        let openings = PairOpenings::new(1);
        let split = openings.held_out_of_random(&settings).expect("a share");
        let mut rng = Rng::new(1);
        let held_out = texts((0..20).map(|_| split.draw(GAME, 6, true, &mut rng)));
        let drawn = openings.draw(GAME, &settings, 20, &mut Rng::new(1)).expect("openings");
        assert!(texts(drawn.into_iter().map(|(opening, _)| opening)).is_disjoint(&held_out));
    }

    #[test]
    fn files_that_leave_nothing_to_play_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("one.epd");
        std::fs::write(&path, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").expect("a file");
        let check = |file: &str| {
            PairOpenings::new(1).check(GAME, &settings(file, 0.5)).map_err(|error| error.to_string())
        };
        let error = check(path.to_str().expect("UTF-8")).expect_err("one opening");
        assert!(
            error.contains("has 1 different opening(s), and match.held_out = 0.5 leaves none"),
            "{error}"
        );
        assert!(check("none.epd").expect_err("no file").starts_with("match.openings: "));
        assert_eq!(check(""), Ok(()));
    }
}
