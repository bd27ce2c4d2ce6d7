use std::io::{self, BufRead, Read};
use std::path::Path;

use gamete_arena::files::{self, FileError, FileFormat};
use gamete_arena::{Playable, Rng, SuiteError, TaskError};
use gamete_game::{Outcome, ReadError, ReadErrorKind, Transcript, TranscriptReader};

use crate::{Manifest, MentorError, Part, Sample, SourceFile};

/// Which positions are drawn from games.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawOptions {
    /// What is to be learned from them.
    pub take: Take,
    /// Where all that is random comes from.
    pub seed: u64,
    /// How many games; all that fit if nothing is said.
    pub games: Option<usize>,
    /// Both players have at least this rating.
    pub min_rating: Option<u32>,
    /// No position is from the first plies of a game.
    pub skip_plies: usize,
    /// Positions with a single legal move are drawn as well.
    pub forced: bool,
    /// How many positions a game gives, if it has so many.
    pub per_game: usize,
    /// The share of the games whose positions are for seeing what was learned.
    pub test_share: f64,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            take: Take::Experts,
            seed: 1,
            games: None,
            min_rating: None,
            skip_plies: 8,
            forced: false,
            per_game: 1,
            test_share: 0.5,
        }
    }
}

/// What positions are drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Take {
    /// The moves of those who won: positions in which the winner is to move.
    Experts,
    /// The results of games: quiet positions, in which nothing can be won by an exchange.
    Results,
    /// What a mentor will say of them: any positions, whoever won.
    Mentor,
}

impl Take {
    /// Its name on the command line and in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Experts => "experts",
            Self::Results => "results",
            Self::Mentor => "mentor",
        }
    }
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn<G: Playable> {
    /// The samples, in the order of their games.
    pub samples: Vec<Sample<G>>,
    /// What was read.
    pub files: Vec<SourceFile>,
    /// How many games were passed over, and why.
    pub passed_over: PassedOver,
    /// How it was done: settings by name, as the command line has them.
    pub settings: Vec<(String, String)>,
}

impl<G: Playable> Drawn<G> {
    /// What a corpus of these samples says of itself.
    pub fn manifest(&self, options: &DrawOptions) -> Manifest {
        Manifest {
            game: G::GAME_NAME,
            program: format!("gamete {}", env!("CARGO_PKG_VERSION")),
            files: self.files.clone(),
            seed: options.seed,
            settings: self.settings.clone(),
            train: 0,
            test: 0,
            asked: None,
            finished: None,
        }
    }
}

/// Games that gave no position, or positions of a suite that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassedOver {
    /// They cannot be read.
    pub unreadable: u64,
    /// Nobody won, or nobody knows who.
    pub without_result: u64,
    /// A player's rating is too low, or not known.
    pub below_rating: u64,
    /// They have no position that fits.
    pub without_position: u64,
    /// They are positions without a best move.
    pub without_best: u64,
    /// They were not played to their end, and games after them were.
    pub unfinished: u64,
}

/// Why no positions can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is something else.
    #[error("{name}: positions are drawn from games, and this is no {wanted}; name files of games")]
    Format {
        /// The file.
        name: String,
        /// What was expected.
        wanted: String,
    },
    /// A file is something else than a suite, beside which it is named.
    #[error("{0}: this is no suite; make a corpus of suites (EPD) or one of games, not of both")]
    NoSuite(String),
    /// A file cannot be read as a suite.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A suite has nothing to learn.
    #[error(
        "{name}: none of its {positions} positions has a best move (bm); name suites that have, or let a --mentor score them"
    )]
    NoBest {
        /// The file.
        name: String,
        /// How many positions it has.
        positions: u64,
    },
    /// There is nothing to draw from.
    #[error("{0}: there is no game in it; name files of games")]
    NoGames(String),
    /// There are not enough games.
    #[error("games that give positions: {found}, asked for: {wanted}; of {read} games {reasons}: {way_out}")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
        /// How many were read.
        read: u64,
        /// What is wrong with the others.
        reasons: String,
        /// What to do.
        way_out: String,
    },
    /// There are not enough openings.
    #[error(
        "openings: {found}, asked for: {wanted}; of {read} games {reasons}: {way_out} or name more files"
    )]
    TooFewOpenings {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
        /// How many games were read.
        read: u64,
        /// What became of them.
        reasons: String,
        /// What to do.
        way_out: &'static str,
    },
    /// Whoever says which openings are even failed.
    #[error(transparent)]
    Mentor(#[from] MentorError),
    /// A game of our own cannot be played.
    #[error("a game cannot be played: {0}")]
    Play(TaskError),
    /// A player failed in a game of our own.
    #[error("{player} failed in game {game}: {fault}; fix it, or let another one play")]
    Fault {
        /// The player.
        player: String,
        /// The game, from 1.
        game: u64,
        /// What it did.
        fault: String,
    },
    /// Somebody broke it off.
    #[error("interrupted")]
    Interrupted,
}

/// Draws positions from the games of files, compressed or not. The same files, options and seed give the same positions.
/// `on_bytes` is told how much more of the files was read.
///
/// # Errors
///
/// When a file cannot be read, or there are fewer games than asked for, or none.
pub fn draw_from_games<G: Playable>(
    paths: &[impl AsRef<Path>],
    options: &DrawOptions,
    on_bytes: impl Fn(u64),
) -> Result<Drawn<G>, DrawError> {
    let mut drawing = Drawing::new(options);
    read_games(paths, on_bytes, |event| match event {
        GameEvent::File(name) => drawing.begin_source(name),
        GameEvent::Game(game) => drawing.draw(game, 0),
        GameEvent::Unreadable => drawing.skip(|passed| &mut passed.unreadable),
        GameEvent::End(hash) => drawing.end_source(hash),
    })?;
    drawing.finish(options.settings(), MoreGames::Files)
}

/// What happens when files of games are read.
pub(crate) enum GameEvent<'a, G: Playable> {
    /// A file is begun.
    File(&'a str),
    /// A game.
    Game(&'a Transcript<G>),
    /// A game that cannot be read.
    Unreadable,
    /// The end of a file, and the hash of all that is in it.
    End(blake3::Hash),
}

/// Reads the games of files, compressed or not.
///
/// # Errors
///
/// When a file cannot be read to its end or is something else, or there is no game in any.
pub(crate) fn read_games<G: Playable>(
    paths: &[impl AsRef<Path>],
    on_bytes: impl Fn(u64),
    mut on_event: impl FnMut(GameEvent<'_, G>),
) -> Result<(), DrawError> {
    let mut is_empty = true;
    for path in paths {
        let path = path.as_ref();
        files::read(path, &on_bytes, |name, text| {
            let format = FileFormat::of_path(Path::new(name)).or_else(|| FileFormat::of_path(path));
            if format.is_some_and(|format| format != FileFormat::Games(G::GAME_NAME)) {
                let wanted = FileFormat::Games(G::GAME_NAME).as_str().to_uppercase();
                return Err(DrawError::Format { name: name.to_owned(), wanted });
            }
            on_event(GameEvent::File(name));
            let mut hashed = Hashed { inner: text, hasher: blake3::Hasher::new() };
            let mut reader = TranscriptReader::new(&mut hashed, G::Format::default());
            while let Some(game) = reader.next_game() {
                is_empty = false;
                match game {
                    Ok(game) => on_event(GameEvent::Game(&game)),
                    // What is cut off or cannot be decompressed would make a smaller corpus without a word.
                    Err(ReadError { kind: ReadErrorKind::Io(error), .. }) => {
                        return Err(FileError::Read(name.to_owned(), error).into());
                    }
                    Err(_) => on_event(GameEvent::Unreadable),
                }
            }
            drop(reader);
            on_event(GameEvent::End(hashed.hasher.finalize()));
            Ok(())
        })?;
    }
    if is_empty {
        let names: Vec<_> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
        return Err(DrawError::NoGames(names.join(", ")));
    }
    Ok(())
}

/// Whether both players have at least this rating.
pub(crate) fn is_rated<G: Playable>(game: &Transcript<G>, least: u32) -> bool {
    let rating = |tag: &str| game.tags.find(tag).and_then(|text| text.trim().parse::<u32>().ok());
    ["WhiteElo", "BlackElo"].iter().all(|tag| rating(tag).is_some_and(|rating| rating >= least))
}

/// How there would be more games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MoreGames {
    Files,
    Play,
}

/// Positions as they are drawn, source by source and game by game.
pub(crate) struct Drawing<'a, G: Playable> {
    options: &'a DrawOptions,
    /// The samples of each game that gave some.
    games: Vec<Vec<Sample<G>>>,
    sources: Vec<SourceFile>,
    /// How many games were read.
    read: u64,
    passed_over: PassedOver,
}

impl<'a, G: Playable> Drawing<'a, G> {
    pub fn new(options: &'a DrawOptions) -> Self {
        Self { options, games: Vec::new(), sources: Vec::new(), read: 0, passed_over: PassedOver::default() }
    }

    /// What comes now is from a file or of a player with this name.
    pub fn begin_source(&mut self, name: &str) {
        let name = Path::new(name).file_name().map_or_else(|| name.into(), |name| name.to_string_lossy());
        self.sources.push(SourceFile { name: name.into(), hash: String::new(), entries: 0, used: 0 });
    }

    /// The source has come to its end, and this is the hash of all that is in it.
    pub fn end_source(&mut self, hash: blake3::Hash) {
        self.source().hash = hash.to_hex().to_string();
    }

    /// The source that is being read.
    pub fn source(&mut self) -> &mut SourceFile {
        self.sources.last_mut().expect("a source that was begun")
    }

    fn count(&mut self) {
        self.read += 1;
        self.source().entries += 1;
    }

    /// Passes over a game.
    pub fn skip(&mut self, reason: impl FnOnce(&mut PassedOver) -> &mut u64) {
        self.count();
        *reason(&mut self.passed_over) += 1;
    }

    /// Passes over the games that are missing before the one of this number, from 0.
    pub fn skip_to(&mut self, number: u64, reason: impl Fn(&mut PassedOver) -> &mut u64) {
        while self.read < number {
            self.skip(&reason);
        }
    }

    /// Takes a position as it is.
    pub fn take(&mut self, position: G, choices: Vec<G::Move>) {
        self.count();
        let source = self.number();
        let part = Part::Train;
        self.keep(vec![Sample { position, source, part, choices, outcome: None, score: None }]);
    }

    fn keep(&mut self, samples: Vec<Sample<G>>) {
        self.source().used += 1;
        self.games.push(samples);
    }

    /// The number of the game that was read last.
    fn number(&self) -> u32 {
        u32::try_from(self.read).unwrap_or(u32::MAX)
    }

    /// Draws from a game, whose first moves are those of a `book` and nobody's choice.
    pub fn draw(&mut self, game: &Transcript<G>, book: usize) {
        let options = self.options;
        let fits = |outcome: &Option<Outcome>| match options.take {
            Take::Experts => matches!(outcome, Some(Outcome::Win(_))),
            Take::Results => outcome.is_some(),
            Take::Mentor => true,
        };
        if !fits(&game.outcome) {
            return self.skip(|passed| &mut passed.without_result);
        }
        if options.min_rating.is_some_and(|least| !is_rated(game, least)) {
            return self.skip(|passed| &mut passed.below_rating);
        }
        let (mut position, mut candidates) = (game.start.clone(), Vec::new());
        for (number, ply) in game.plies.iter().enumerate() {
            if number >= options.skip_plies.max(book) && options.fits(&position, game.outcome) {
                candidates.push((position.clone(), ply.mv));
            }
            position.play(ply.mv);
        }
        if candidates.is_empty() {
            return self.skip(|passed| &mut passed.without_position);
        }
        self.count();
        // Each game has random numbers of its own, so that it gives the same positions whatever else is read.
        let SourceFile { name, entries, .. } = self.source();
        let mut rng = Rng::new(options.seed).fork(&format!("{name} {entries}"));
        let (source, outcome) = (self.number(), game.outcome);
        let mut samples = Vec::new();
        while samples.len() < options.per_game && !candidates.is_empty() {
            let chosen = rng.below(candidates.len() as u64) as usize;
            let (position, mv) = candidates.swap_remove(chosen);
            let (part, choices) = (Part::Train, vec![mv]);
            samples.push(Sample { position, source, part, choices, outcome, score: None });
        }
        self.keep(samples);
    }

    /// What was drawn, a share of the games for testing.
    ///
    /// # Errors
    ///
    /// When there are fewer games than asked for, or none.
    pub fn finish(self, settings: Vec<(String, String)>, more: MoreGames) -> Result<Drawn<G>, DrawError> {
        let Self { options, games, read, passed_over, .. } = &self;
        let (found, wanted) = (games.len(), options.games.unwrap_or(1));
        if found < wanted {
            let (reasons, way_out) = passed_over.explain(options, found, more);
            return Err(DrawError::TooFew { found, wanted, read: *read, reasons, way_out });
        }
        Ok(self.split(settings))
    }

    /// What was drawn, however little it is.
    pub fn split(self, settings: Vec<(String, String)>) -> Drawn<G> {
        let Self { options, mut games, sources: files, passed_over, .. } = self;
        Rng::new(options.seed).fork("split").shuffle(&mut games);
        games.truncate(options.games.unwrap_or(usize::MAX));
        let test = (games.len() as f64 * options.test_share).round() as usize;
        for sample in games.iter_mut().take(test).flatten() {
            sample.part = Part::Test;
        }
        let mut samples: Vec<_> = games.into_iter().flatten().collect();
        samples.sort_by_key(|sample| sample.source);
        Drawn { samples, files, passed_over, settings }
    }
}

impl DrawOptions {
    fn fits<G: Playable>(&self, position: &G, outcome: Option<Outcome>) -> bool {
        self.has_choice(position)
            && match self.take {
                Take::Experts => outcome == Some(Outcome::Win(position.turn())),
                Take::Results => is_quiet(position),
                Take::Mentor => true,
            }
    }

    /// Whether there are as many legal moves as there should be.
    pub(crate) fn has_choice<G: Playable>(&self, position: &G) -> bool {
        position.count_moves() >= if self.forced { 1 } else { 2 }
    }

    /// The options by their names on the command line, but for the seed.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let setting = |name: &str, value: &dyn ToString| (name.to_owned(), value.to_string());
        let mut settings = vec![
            setting("take", &self.take.as_str()),
            setting("per-game", &self.per_game),
            setting("skip-plies", &self.skip_plies),
            setting("forced", &self.forced),
            setting("test-share", &self.test_share),
        ];
        settings.extend(self.games.map(|games| setting("games", &games)));
        settings.extend(self.min_rating.map(|rating| setting("min-rating", &rating)));
        settings
    }
}

/// Whether the side to move must answer nothing and can win nothing by an exchange.
fn is_quiet<G: Playable>(position: &G) -> bool {
    let mut wins = false;
    position.for_each_tactical(|mv| wins |= position.see_ge(mv, G::PIECE_VALUES, 1));
    !position.is_forced() && !wins
}

impl PassedOver {
    /// What was passed over and why, in words; what did not happen is left out.
    pub fn reasons(&self, options: &DrawOptions) -> Vec<(u64, String)> {
        let rating = options.min_rating.unwrap_or_default();
        let result = if options.take == Take::Experts { "winner" } else { "result" };
        let reasons = [
            (self.unreadable, "cannot be read".to_owned()),
            (self.without_result, format!("have no {result}")),
            (self.below_rating, format!("have a player without a rating of {rating}")),
            (self.without_position, "have no position that fits".to_owned()),
            (self.without_best, "have no best move".to_owned()),
            (self.unfinished, "were not finished".to_owned()),
        ];
        reasons.into_iter().filter(|(count, _)| *count > 0).collect()
    }

    /// Why there are not enough games, and what to do.
    fn explain(&self, options: &DrawOptions, found: usize, more: MoreGames) -> (String, String) {
        let reasons = self.reasons(options);
        let mostly_without_winner = options.take == Take::Experts
            && self.without_result > 0
            && reasons.iter().all(|(count, _)| *count <= self.without_result);
        let way_out = match more {
            MoreGames::Play => "play more games",
            MoreGames::Files if self.below_rating > 0 => "lower --min-rating or name more files",
            MoreGames::Files if mostly_without_winner && found == 0 => {
                "name files with games that somebody won"
            }
            MoreGames::Files => "ask for fewer games or name more files",
        };
        let named: Vec<_> = reasons.into_iter().map(|(count, reason)| format!("{count} {reason}")).collect();
        let reasons = if named.is_empty() { "all fit".to_owned() } else { named.join(", ") };
        (reasons, way_out.to_owned())
    }
}

/// Hashes what is read from it.
pub(crate) struct Hashed<'a> {
    pub inner: &'a mut dyn BufRead,
    pub hasher: blake3::Hasher,
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gamete_chess::Position;
    use gamete_game::{Color, Game};

    use super::*;

    const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2700\"]\n[BlackElo \"2650\"]\n[Result \"1-0\"]\n\n\
        1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. O-O b5 6. Bxf7+ Ke7 7. c3 Nf3+ 8. Nxf3 1-0\n\n\
        [WhiteElo \"2700\"]\n[BlackElo \"2400\"]\n[Result \"0-1\"]\n\n\
        1. f3 e5 2. g4 Nc6 3. a3 Nf6 4. a4 Be7 5. a5 O-O 6. a6 bxa6 0-1\n\n\
        [Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. e3 O-O 1/2-1/2\n\n";

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, text).expect("written");
        (folder, path)
    }

    fn draw(text: &str, options: &DrawOptions) -> Result<Drawn<Position>, String> {
        let (_folder, path) = file(text);
        draw_from_games(&[path], options, |_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn one_position_a_game_with_the_winner_to_move() {
        let drawn = draw(GAMES, &DrawOptions::default()).expect("positions");
        assert_eq!(drawn.samples.len(), 2);
        assert_eq!(drawn.passed_over, PassedOver { without_result: 1, ..PassedOver::default() });
        let parts: Vec<_> = drawn.samples.iter().map(|sample| sample.part).collect();
        assert!(parts.contains(&Part::Train) && parts.contains(&Part::Test), "{parts:?}");
        for (sample, winner) in drawn.samples.iter().zip([Color::White, Color::Black]) {
            assert_eq!(sample.position.turn(), winner);
            assert!(sample.position.move_number() >= 5, "{}", sample.position);
            assert!(sample.position.is_legal(sample.choices[0]));
        }
        assert_eq!((drawn.files[0].entries, drawn.files[0].used), (3, 2));
        assert_eq!(draw(GAMES, &DrawOptions::default()), Ok(drawn.clone()));
        let other = draw(&GAMES.repeat(20), &DrawOptions { seed: 2, ..DrawOptions::default() });
        assert_eq!(other.expect("positions").samples.len(), 40);
    }

    #[test]
    fn results_are_learned_from_quiet_positions() {
        let options =
            DrawOptions { take: Take::Results, per_game: 100, skip_plies: 0, ..DrawOptions::default() };
        let drawn = draw(GAMES, &options).expect("positions");
        assert!(drawn.samples.iter().any(|sample| sample.outcome == Some(Outcome::Draw)));
        assert!(drawn.samples.iter().all(|sample| !sample.position.in_check()));
        // After 4... Qg5 White can take a pawn with check.
        let hangs = |sample: &Sample<Position>| sample.source == 1 && sample.position.move_number() == 5;
        assert!(!drawn.samples.iter().any(|sample| hangs(sample) && sample.position.turn() == Color::White));
    }

    #[test]
    fn a_game_gives_the_same_position_whatever_is_read_before_it() {
        let (_folder, path) = file(&GAMES.repeat(3));
        let first = path.with_file_name("first.pgn");
        std::fs::write(&first, GAMES).expect("written");
        let draw = |paths: &[&PathBuf]| {
            let drawn =
                draw_from_games::<Position>(paths, &DrawOptions::default(), |_| ()).expect("positions");
            drawn.samples.into_iter().map(|sample| sample.position).collect::<Vec<_>>()
        };
        assert_eq!(draw(&[&first, &path])[2..], draw(&[&path]));
    }

    #[test]
    fn a_compressed_file_that_is_cut_off_is_an_error() {
        let (_folder, path) = file("");
        let path = path.with_file_name("games.pgn.zst");
        let mut output = files::Output::create(&path).expect("a file");
        io::Write::write_all(&mut output, GAMES.repeat(500).as_bytes()).expect("written");
        output.finish().expect("complete");
        let bytes = std::fs::read(&path).expect("bytes");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        let error =
            draw_from_games::<Position>(&[&path], &DrawOptions::default(), |_| ()).expect_err("half a file");
        assert!(error.to_string().ends_with("games.pgn.zst: cannot be read"), "{error}");
    }

    #[test]
    fn too_few_games_are_explained() {
        let options = DrawOptions { min_rating: Some(2600), games: Some(2), ..DrawOptions::default() };
        assert_eq!(
            draw(GAMES, &options).expect_err("too few"),
            "games that give positions: 1, asked for: 2; of 3 games 1 have no winner, \
             1 have a player without a rating of 2600: lower --min-rating or name more files"
        );
        // What nobody won cannot be had by any rating.
        let many_draws = format!("{GAMES}{}", "[Result \"1/2-1/2\"]\n\n1. e4 e5 1/2-1/2\n\n".repeat(5));
        let high = DrawOptions { min_rating: Some(2800), ..DrawOptions::default() };
        let error = draw(&many_draws, &high).expect_err("nobody is so strong");
        assert!(error.ends_with("a rating of 2800: lower --min-rating or name more files"), "{error}");
        let drawn = "[Result \"1/2-1/2\"]\n\n1. e4 e5 1/2-1/2\n\n";
        assert_eq!(
            draw(drawn, &DrawOptions::default()).expect_err("nobody won"),
            "games that give positions: 0, asked for: 1; of 1 games 1 have no winner: \
             name files with games that somebody won"
        );
        assert!(
            draw("", &DrawOptions::default())
                .expect_err("no games")
                .ends_with("games.pgn: there is no game in it; name files of games")
        );
        let error = draw_from_games::<Position>(&["none.pgn"], &DrawOptions::default(), |_| ());
        assert_eq!(error.expect_err("no file").to_string(), "none.pgn: cannot be opened");
    }
}
