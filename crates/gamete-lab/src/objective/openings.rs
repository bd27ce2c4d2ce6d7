//! Where the pairs of a match start, and which openings are held out for the games that verify what was found.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::sync::OnceLock;

use gamete_arena::{GameName, OpeningText, StartPositions};
use gamete_optim::{Rng, Settings};

use crate::experiment::ExperimentError;
use crate::held_out::HeldOut;
use crate::runtime::{Lab, LabError};

/// The variant of chess with shuffled start positions, as match runners spell it.
pub(super) const SHUFFLED: &str = "fischerandom";

/// The openings of a file or random ones, of which a share is held out.
#[derive(Debug)]
pub(super) struct PairOpenings {
    seed: u64,
    suite: OnceLock<Suite>,
}

/// Openings that are counted: those of a file, or so many random ones, every position once, in an order that the seed decides.
#[derive(Debug)]
struct Suite {
    /// Those that trials start from, with their numbers in the file, or among those that were drawn, from 1.
    played: Vec<(u32, OpeningText)>,
    held_out: Vec<OpeningText>,
    /// Of all openings of the file; nothing where they are drawn.
    hash: String,
}

/// Where a pair starts.
#[derive(Debug)]
pub(super) struct PairOpening {
    pub opening: OpeningText,
    /// Of its games.
    pub seed: u64,
    /// Its number in a suite.
    pub number: Option<u32>,
}

impl PairOpenings {
    /// With fewer random plies there are too few openings to hold some out.
    pub const LEAST_PLIES: usize = 4;

    /// Openings that are told apart by the seed of an experiment.
    pub fn new(seed: u64) -> Self {
        Self { seed, suite: OnceLock::new() }
    }

    /// Which openings are held out.
    fn split(&self, settings: &Settings) -> HeldOut {
        HeldOut { seed: self.seed, share: settings.number("held_out"), starts: Self::starts(settings) }
    }

    /// Where random openings begin.
    pub fn starts(settings: &Settings) -> StartPositions {
        if settings.choice("variant") == SHUFFLED { StartPositions::Shuffled } else { StartPositions::Usual }
    }

    /// Which random openings are held out; nothing where openings are of a file, or all are played.
    pub fn held_out_of_random(&self, settings: &Settings) -> Option<HeldOut> {
        let is_random = settings.choice("openings").is_empty();
        Some(self.split(settings)).filter(|split| is_random && split.share > 0.0)
    }

    /// The openings of the file, or the random ones that all trials share; nothing where every pair has a random one of its own.
    fn suite(&self, game: GameName, settings: &Settings) -> Result<Option<&Suite>, ExperimentError> {
        let (file, positions) = (settings.choice("openings"), settings.count("positions"));
        if let Some(suite) = self.suite.get() {
            return Ok(Some(suite));
        }
        let suite = match (file.is_empty(), positions) {
            (true, 0) => return Ok(None),
            (true, _) => self.draw_suite(game, settings)?,
            (false, _) => self.read_suite(game, settings)?,
        };
        Ok(Some(self.suite.get_or_init(|| suite)))
    }

    fn read_suite(&self, game: GameName, settings: &Settings) -> Result<Suite, ExperimentError> {
        let file = settings.choice("openings");
        let plies = Some(settings.count("book_plies")).filter(|&plies| plies > 0);
        let openings = OpeningText::load(game, Path::new(file), plies).map_err(|error| {
            let reason = Error::source(&error).map_or_else(String::new, |source| format!(": {source}"));
            bad_file(format!("{error}{reason}"))
        })?;
        let split = self.split(settings);
        let mut openings: Vec<(u32, (OpeningText, u64))> = (1..).zip(openings).collect();
        openings.sort_by(|(_, (_, one)), (_, (_, two))| {
            split.place(*one).total_cmp(&split.place(*two)).then(one.cmp(two))
        });
        openings.dedup_by_key(|(_, (_, key))| *key);
        let (count, share) = (openings.len(), split.share);
        let held_out = (count as f64 * share).ceil() as usize;
        if held_out == count {
            let reason = format!(
                "{file:?} has {count} different opening(s), and match.held_out = {share} leaves none to play; name a larger file"
            );
            return Err(bad_file(reason));
        }
        let mut hasher = blake3::Hasher::new();
        for (_, (opening, _)) in &openings {
            hasher.update(format!("{} {}\n", opening.start, opening.book.join(" ")).as_bytes());
        }
        let mut played: Vec<(u32, OpeningText)> =
            openings.into_iter().map(|(number, (opening, _))| (number, opening)).collect();
        let held_out = played.split_off(count - held_out).into_iter().map(|(_, opening)| opening).collect();
        let positions = settings.count("positions");
        if positions > played.len() {
            let reason = format!("{positions}: {file:?} has {} different opening(s) to play", played.len());
            return Err(ExperimentError::value("match.positions", reason));
        }
        if positions > 0 {
            played.truncate(positions);
        }
        Ok(Suite { played, held_out, hash: hasher.finalize().to_hex().to_string() })
    }

    fn draw_suite(&self, game: GameName, settings: &Settings) -> Result<Suite, ExperimentError> {
        /// Draws for each opening that is wanted, of which the last may be hard to find.
        const MAX_DRAWS: usize = 20;
        let (split, plies) = (self.split(settings), settings.count("plies"));
        let positions = settings.count("positions");
        let (mut rng, mut known) = (Rng::new(self.seed).fork("positions"), HashSet::new());
        let draws = std::iter::repeat_with(|| split.draw_with_key(game, plies, false, &mut rng));
        let different = draws.take(MAX_DRAWS * positions).filter(|(_, key)| known.insert(*key));
        let played: Vec<(u32, OpeningText)> =
            (1..).zip(different.take(positions).map(|(opening, _)| opening)).collect();
        if played.len() < positions {
            let reason = format!(
                "{positions}: only {} were found with {plies} random plies; give more plies",
                played.len()
            );
            return Err(ExperimentError::value("match.positions", reason));
        }
        Ok(Suite { played, held_out: Vec::new(), hash: String::new() })
    }

    /// Reads the file, if one is named.
    pub fn check(&self, game: GameName, settings: &Settings) -> Result<(), ExperimentError> {
        self.suite(game, settings).map(drop)
    }

    /// Refuses a file with other openings than those that a run began with.
    pub fn remember(&self, game: GameName, settings: &Settings, lab: &mut Lab<'_>) -> Result<(), LabError> {
        let Some(suite) = self.suite(game, settings)?.filter(|suite| !suite.hash.is_empty()) else {
            return Ok(());
        };
        if lab.remember("match.openings", |_| Ok(suite.hash.clone()))? == suite.hash {
            return Ok(());
        }
        let file = settings.choice("openings");
        Err(ExperimentError::other_file("match.openings", file, "its openings are not those").into())
    }

    /// How many different openings trials start from; nothing where every pair has a random one of its own.
    pub fn count(&self, game: GameName, settings: &Settings) -> Result<Option<usize>, ExperimentError> {
        Ok(self.suite(game, settings)?.map(|suite| suite.played.len()))
    }

    /// Openings for so many pairs; those of a suite are different ones as long as there are enough.
    pub fn draw(
        &self,
        game: GameName,
        settings: &Settings,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<PairOpening>, ExperimentError> {
        let Some(suite) = self.suite(game, settings)? else {
            let (split, plies) = (self.split(settings), settings.count("plies"));
            let draw = |_| {
                let opening = split.draw(game, plies, false, rng);
                PairOpening { opening, seed: rng.next_u64(), number: None }
            };
            return Ok((0..count).map(draw).collect());
        };
        let mut places: Vec<usize> = Vec::new();
        let mut drawn = Vec::with_capacity(count);
        for _ in 0..count {
            if places.is_empty() {
                places.extend(0..suite.played.len());
            }
            let place = places.swap_remove(rng.below(places.len() as u64) as usize);
            let (number, opening) = suite.played[place].clone();
            drawn.push(PairOpening { opening, seed: rng.next_u64(), number: Some(number) });
        }
        Ok(drawn)
    }

    /// A number that stands for the openings that are held out.
    pub fn identity(&self, game: GameName, settings: &Settings) -> Result<u64, ExperimentError> {
        let hash = self.suite(game, settings)?.map_or("", |suite| suite.hash.as_str());
        Ok(Rng::new(self.seed).fork(hash).next_u64())
    }

    /// Openings of the file that no trial ever starts from, each once: so many, or as many as it has.
    pub fn held_out(
        &self,
        game: GameName,
        settings: &Settings,
        count: usize,
    ) -> Result<Vec<OpeningText>, ExperimentError> {
        let held_out = self.suite(game, settings)?.map_or(&[][..], |suite| &suite.held_out);
        Ok(held_out.iter().take(count).cloned().collect())
    }

    /// What those are that verify what was found, in words; a file that is gone is only named.
    pub fn verification_text(&self, game: GameName, settings: &Settings) -> String {
        let (file, share) = (settings.choice("openings"), settings.number("held_out"));
        let plies = settings.count("plies");
        let from = match Self::starts(settings) {
            StartPositions::Usual => "",
            StartPositions::Shuffled => " from shuffled starts",
        };
        if share == 0.0 {
            return format!("{plies} random plies{from}");
        }
        if file.is_empty() {
            return format!("{plies} random plies{from}, {:.0} % held out", 100.0 * share);
        }
        match self.suite(game, settings) {
            Ok(Some(Suite { played, held_out, .. })) => {
                format!("{file}: {} to play, {} held out", played.len(), held_out.len())
            }
            _ => file.to_owned(),
        }
    }
}

fn bad_file(reason: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::value("match.openings", reason)
}

#[cfg(test)]
mod tests {
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
        let played = texts(drawn.into_iter().map(|one| one.opening));
        assert_eq!((held_out.len(), played.len()), (10, 10), "each once");
        assert!(held_out.is_disjoint(&played));
        assert_eq!(
            openings.draw(GAME, &settings, 25, &mut rng).expect("openings").len(),
            25,
            "again and again"
        );
        assert!(openings.verification_text(GAME, &settings).ends_with("book.pgn: 10 to play, 10 held out"));
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
        assert!(texts(drawn.into_iter().map(|one| one.opening)).is_disjoint(&held_out));
    }

    #[test]
    fn a_suite_is_the_same_for_every_draw_and_none_of_it_is_held_out() {
        let (_folder, file) = book();
        for (file, positions) in [("", 12.0), (file.as_str(), 6.0)] {
            let mut settings = settings(file, 0.5);
            settings.set("positions", Value::Number(positions)).expect("a count");
            let openings = PairOpenings::new(3);
            let numbers = |seed: u64, count| -> HashSet<u32> {
                let drawn = openings.draw(GAME, &settings, count, &mut Rng::new(seed)).expect("openings");
                drawn.iter().filter_map(|one| one.number).collect()
            };
            let count = positions as usize;
            assert_eq!(openings.count(GAME, &settings), Ok(Some(count)));
            assert_eq!(numbers(1, count).len(), count, "each once");
            assert_eq!(numbers(1, count), numbers(2, count));
            assert_ne!(numbers(1, 3), numbers(2, 3));
            let again =
                PairOpenings::new(3).draw(GAME, &settings, count, &mut Rng::new(1)).expect("openings");
            let played = openings.draw(GAME, &settings, count, &mut Rng::new(1)).expect("openings");
            let played = texts(played.into_iter().map(|one| one.opening));
            assert_eq!(played, texts(again.into_iter().map(|one| one.opening)), "by the seed");
            assert!(texts(openings.held_out(GAME, &settings, 100).expect("openings")).is_disjoint(&played));
        }
    }

    #[test]
    fn suites_that_cannot_be_are_refused() {
        let (_folder, file) = book();
        let refusal = |file: &str, plies: f64| {
            let mut settings = settings(file, 0.0);
            settings.set("positions", Value::Number(30.0)).expect("a count");
            settings.set("plies", Value::Number(plies)).expect("a count");
            PairOpenings::new(1).check(GAME, &settings).expect_err("too few").to_string()
        };
        assert!(refusal(&file, 6.0).starts_with("match.positions: 30: "), "{}", refusal(&file, 6.0));
        assert!(refusal(&file, 6.0).ends_with("has 20 different opening(s) to play"));
        let random = refusal("", 1.0);
        assert!(random.contains("were found with 1 random plies; give more plies"), "{random}");
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
