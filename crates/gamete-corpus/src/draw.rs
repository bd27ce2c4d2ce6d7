use std::io::{self, BufRead, Read};
use std::path::Path;

use gamete_arena::files::{self, FileError, FileFormat};
use gamete_arena::{Playable, Rng};
use gamete_game::{Outcome, ReadError, ReadErrorKind, Transcript, TranscriptReader};

use crate::{Part, Sample, SourceFile};

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
}

/// Games that gave no position.
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
    let mut drawing = Drawing { options, games: Vec::new(), read: 0, passed_over: PassedOver::default() };
    let mut sources = Vec::new();
    for path in paths {
        let path = path.as_ref();
        files::read(path, &on_bytes, |name, text| {
            let format = FileFormat::of_path(Path::new(name)).or_else(|| FileFormat::of_path(path));
            if format.is_some_and(|format| format != FileFormat::Games(G::GAME_NAME)) {
                let wanted = FileFormat::Games(G::GAME_NAME).as_str().to_uppercase();
                return Err(DrawError::Format { name: name.to_owned(), wanted });
            }
            sources.push(drawing.read(name, text)?);
            Ok(())
        })?;
    }
    let (read, passed_over) = (drawing.read, drawing.passed_over);
    let mut games = drawing.games;
    let wanted = options.games.unwrap_or(1);
    if games.len() < wanted {
        if read == 0 {
            let names: Vec<_> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
            return Err(DrawError::NoGames(names.join(", ")));
        }
        let (reasons, way_out) = passed_over.explain(options, games.len());
        return Err(DrawError::TooFew { found: games.len(), wanted, read, reasons, way_out });
    }
    Rng::new(options.seed).fork("split").shuffle(&mut games);
    games.truncate(options.games.unwrap_or(usize::MAX));
    let test = (games.len() as f64 * options.test_share).round() as usize;
    for sample in games.iter_mut().take(test).flatten() {
        sample.part = Part::Test;
    }
    let mut samples: Vec<_> = games.into_iter().flatten().collect();
    samples.sort_by_key(|sample| sample.source);
    Ok(Drawn { samples, files: sources, passed_over })
}

struct Drawing<'a, G: Playable> {
    options: &'a DrawOptions,
    /// The samples of each game that gave some.
    games: Vec<Vec<Sample<G>>>,
    /// How many games were read.
    read: u64,
    passed_over: PassedOver,
}

impl<G: Playable> Drawing<'_, G> {
    fn read(&mut self, name: &str, text: &mut dyn BufRead) -> Result<SourceFile, DrawError> {
        let (before, used) = (self.read, self.games.len());
        let file = Path::new(name).file_name().map_or_else(|| name.into(), |name| name.to_string_lossy());
        let mut hashed = Hashed { inner: text, hasher: blake3::Hasher::new() };
        let mut reader = TranscriptReader::new(&mut hashed, G::Format::default());
        while let Some(game) = reader.next_game() {
            self.read += 1;
            match game {
                Ok(game) => self.draw(&game, &file, self.read - before),
                // What is cut off or cannot be decompressed would make a smaller corpus without a word.
                Err(ReadError { kind: ReadErrorKind::Io(error), .. }) => {
                    return Err(FileError::Read(name.to_owned(), error).into());
                }
                Err(_) => self.passed_over.unreadable += 1,
            }
        }
        drop(reader);
        Ok(SourceFile {
            name: file.into_owned(),
            hash: hashed.hasher.finalize().to_hex().to_string(),
            entries: self.read - before,
            used: (self.games.len() - used) as u64,
        })
    }

    fn draw(&mut self, game: &Transcript<G>, file: &str, number: u64) {
        let options = self.options;
        let wants_winner = options.take == Take::Experts;
        let Some(outcome) = game.outcome.filter(|outcome| !wants_winner || *outcome != Outcome::Draw) else {
            self.passed_over.without_result += 1;
            return;
        };
        let rating = |tag: &str| game.tags.find(tag).and_then(|text| text.trim().parse::<u32>().ok());
        let is_below = |least: u32| {
            ["WhiteElo", "BlackElo"].iter().any(|tag| rating(tag).is_none_or(|rating| rating < least))
        };
        if options.min_rating.is_some_and(is_below) {
            self.passed_over.below_rating += 1;
            return;
        }
        let (mut position, mut candidates) = (game.start.clone(), Vec::new());
        for (number, ply) in game.plies.iter().enumerate() {
            if number >= options.skip_plies && options.fits(&position, outcome) {
                candidates.push((position.clone(), ply.mv));
            }
            position.play(ply.mv);
        }
        // Each game has random numbers of its own, so that it gives the same positions whatever else is read.
        let source = u32::try_from(self.read).unwrap_or(u32::MAX);
        let mut rng = Rng::new(options.seed).fork(&format!("{file} {number}"));
        let mut samples = Vec::new();
        while samples.len() < options.per_game && !candidates.is_empty() {
            let chosen = rng.below(candidates.len() as u64) as usize;
            let (position, mv) = candidates.swap_remove(chosen);
            let (part, choices, outcome) = (Part::Train, vec![mv], Some(outcome));
            samples.push(Sample { position, source, part, choices, outcome, score: None });
        }
        match samples.is_empty() {
            true => self.passed_over.without_position += 1,
            false => self.games.push(samples),
        }
    }
}

impl DrawOptions {
    fn fits<G: Playable>(&self, position: &G, outcome: Outcome) -> bool {
        if !self.forced && position.count_moves() < 2 {
            return false;
        }
        match self.take {
            Take::Experts => outcome == Outcome::Win(position.turn()),
            Take::Results => is_quiet(position),
        }
    }
}

/// Whether the side to move must answer nothing and can win nothing by an exchange.
fn is_quiet<G: Playable>(position: &G) -> bool {
    let mut wins = false;
    position.for_each_tactical(|mv| wins |= position.see_ge(mv, G::PIECE_VALUES, 1));
    !position.is_forced() && !wins
}

impl PassedOver {
    /// Why there are not enough games, and what to do.
    fn explain(&self, options: &DrawOptions, found: usize) -> (String, String) {
        let rating = options.min_rating.unwrap_or_default();
        let reasons = [
            (self.unreadable, "cannot be read".to_owned()),
            (self.without_result, "have no winner".to_owned()),
            (self.below_rating, format!("have a player without a rating of {rating}")),
            (self.without_position, "have no position that fits".to_owned()),
        ];
        let largest = reasons.iter().max_by_key(|(count, _)| *count).map_or(0, |(count, _)| *count);
        let way_out = if largest > 0 && largest == self.below_rating {
            "lower --min-rating or name more files"
        } else if largest > 0 && largest == self.without_result && options.take == Take::Experts && found == 0
        {
            "name files with games that somebody won"
        } else {
            "ask for fewer games or name more files"
        };
        let named: Vec<_> = reasons
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        let reasons = if named.is_empty() { "all fit".to_owned() } else { named.join(", ") };
        (reasons, way_out.to_owned())
    }
}

/// Hashes what is read from it.
struct Hashed<'a> {
    inner: &'a mut dyn BufRead,
    hasher: blake3::Hasher,
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
