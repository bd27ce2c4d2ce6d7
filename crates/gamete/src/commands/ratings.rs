use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_arena::{Playable, dispatch, nearest};
use gamete_game::{Color, Outcome, TranscriptReader};
use gamete_lab::MatchView;
use gamete_stats::{Anchor, CrossTable, RatingOptions, Ratings, Results, Trinomial, report};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::files::{self, Format};
use crate::lab::journal_path;
use crate::terminal::{self, counted, errln, out, print_json};

/// Rate all players in journals and game files on one scale.
///
/// Players with the same name in several files are one player. Games in a journal count as pairs if they were played
/// as pairs, those in a game file one by one; games without a result or without the names of two players are left out
/// and counted.
#[derive(clap::Args)]
#[command(
    after_help = "Ratings are maximum-likelihood estimates, with a draw as half a win and 95 % margins for the distance from the \
                  average, or from the anchor. LOS is the likelihood that a player is stronger than the next. After it \
                  come points out of games against each other player, in the order of the table.

Examples:
  gamete ratings games.pgn.db
  gamete ratings ladder/*.db --anchor toga2=2800
  gamete ratings a.pgn b.pgn.zst journal.db --json"
)]
pub struct Args {
    /// Journals of matches, PGN and PDN files
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Player whose rating is known, and that rating, 0 if not given [default: the average is 0]
    #[arg(long, value_name = "NAME[=ELO]")]
    anchor: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    refuse_games_twice(&args.inputs)?;
    let mut games = AllGames::default();
    for path in &args.inputs {
        games.read(path)?;
    }
    if games.left_out > 0 {
        errln!("{} left out, without a result or the names of two players", counted(games.left_out, "game"));
    }
    if games.names.len() > MAX_PLAYERS {
        let players = counted(games.names.len() as u64, "player");
        bail!(
            "{players} are more than the {MAX_PLAYERS} of a table; give fewer files, or files with fewer names in them"
        );
    }
    let table = games.table();
    let anchor = args.anchor.as_deref().map(|text| parse_anchor(text, table.names())).transpose()?;
    let options = RatingOptions { anchor, ..RatingOptions::default() };
    let ratings = Ratings::new(&table, &options)?;
    if args.json {
        print_json(&RatingJson::all(&table, &ratings))?;
    } else {
        out!("{}", report::cross_table(&table, &ratings))?;
    }
    Ok(if games.bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A table grows with the square of their number, and what it takes to rate them with the cube.
const MAX_PLAYERS: usize = 1000;

/// Refuses a file that is given twice, and the journal of a match together with the file that has its games.
fn refuse_games_twice(inputs: &[PathBuf]) -> Result<()> {
    let mut found = HashSet::new();
    for path in inputs {
        // What is not there is named when it is read.
        let Ok(real) = fs::canonicalize(path) else { continue };
        if !found.insert(real) {
            bail!("{}: it is given twice, and its games count once; leave one out", path.display());
        }
    }
    for path in &found {
        let mut journal = path.clone().into_os_string();
        journal.push(".db");
        if found.contains(Path::new(&journal)) {
            let path = path.display();
            bail!("{path} and {path}.db have the games of one match, which count once; leave one out");
        }
    }
    Ok(())
}

/// A player of the table, and what its rating is.
fn parse_anchor(text: &str, names: &[String]) -> Result<Anchor> {
    let find = |name: &str| names.iter().position(|known| known == name);
    // A name may have an equals sign itself.
    let (player, elo) = match (find(text), text.rsplit_once('=')) {
        (Some(player), _) => (Some(player), 0.0),
        (None, Some((name, elo))) => {
            let number = elo.parse::<f64>().ok().filter(|elo| elo.is_finite());
            (find(name), number.with_context(|| format!("--anchor {text}: {elo:?} is not a rating"))?)
        }
        (None, None) => (None, 0.0),
    };
    let Some(player) = player else {
        let name = text.rsplit_once('=').map_or(text, |(name, _)| name);
        let hint = nearest(name, names.iter().map(String::as_str));
        let hint = hint.map_or_else(|| names.join(", "), |near| format!("did you mean {near}?"));
        bail!("--anchor {text}: nobody is called {name:?}; {hint}");
    };
    Ok(Anchor { player, elo })
}

/// Results of files, by the names of players.
#[derive(Default)]
struct AllGames {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Of journals, by players.
    results: Vec<(usize, usize, Results)>,
    /// Of game files, by White and Black.
    games: BTreeMap<(usize, usize), Trinomial>,
    /// Games of files.
    read: u64,
    left_out: u64,
    /// Games that could not be read.
    bad: u64,
}

impl AllGames {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn table(&self) -> CrossTable {
        let mut table = CrossTable::new(self.names.iter().cloned());
        for &(one, two, results) in &self.results {
            table.record(one, two, results);
        }
        for (&(white, black), &games) in &self.games {
            table.record(white, black, games);
        }
        table
    }

    fn read(&mut self, path: &Path) -> Result<()> {
        if let Some(journal) = path.to_str().map(journal_path).transpose()?.flatten() {
            self.read_journal(&MatchView::read(&journal)?);
            return Ok(());
        }
        let Some(Format::Games(game)) = Format::of_path(path) else {
            bail!("{}: this is no journal of a match, and no PGN or PDN by its name", path.display());
        };
        let before = self.read;
        files::read(path, &ProgressBar::hidden(), |name, text| {
            dispatch!(game, G => self.read_games::<G>(name, text));
            Ok(())
        })?;
        if self.read == before {
            bail!("{}: no games in it", path.display());
        }
        Ok(())
    }

    fn read_journal(&mut self, view: &MatchView) {
        let table = view.standings().table();
        let numbers: Vec<usize> = table.names().iter().map(|name| self.number(name)).collect();
        for (one, &first) in numbers.iter().enumerate() {
            for (two, &second) in numbers.iter().enumerate().skip(one + 1) {
                if table.games(one, two).games() > 0 {
                    self.results.push((first, second, table.results(one, two)));
                }
            }
        }
    }

    fn read_games<G: Playable>(&mut self, file: &str, text: &mut dyn std::io::BufRead) {
        for game in TranscriptReader::new(text, G::Format::default()) {
            self.read += 1;
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    terminal::print_problem(&format!("{file}: {error}"));
                    self.bad += 1;
                    continue;
                }
            };
            let name = |tag: &str| game.tags.get(tag).filter(|name| !name.is_empty() && *name != "?");
            let (Some(white), Some(black), Some(outcome)) = (name("White"), name("Black"), game.outcome)
            else {
                self.left_out += 1;
                continue;
            };
            if white == black {
                self.left_out += 1;
                continue;
            }
            let result = match outcome {
                Outcome::Win(Color::White) => Trinomial::new(1, 0, 0),
                Outcome::Draw => Trinomial::new(0, 1, 0),
                Outcome::Win(Color::Black) => Trinomial::new(0, 0, 1),
            };
            let (white, black) = (self.number(white), self.number(black));
            *self.games.entry((white, black)).or_default() += result;
        }
    }
}

/// A player of the table, as `--json` prints it.
#[derive(Serialize)]
struct RatingJson<'a> {
    name: &'a str,
    elo: f64,
    /// Half the width of the 95 % interval.
    margin: f64,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// Points out of games, from 0 to 1.
    score: f64,
    /// The likelihood that it is stronger than the next.
    los: Option<f64>,
}

impl<'a> RatingJson<'a> {
    /// From the best on.
    fn all(table: &'a CrossTable, ratings: &Ratings) -> Vec<Self> {
        let list = ratings.list().iter();
        list.map(|rating| Self {
            name: &table.names()[rating.player],
            elo: rating.elo.value,
            margin: rating.elo.margin,
            games: rating.games.games(),
            wins: rating.games.wins,
            draws: rating.games.draws,
            losses: rating.games.losses,
            points: rating.games.points(),
            score: rating.games.score(),
            los: rating.los,
        })
        .collect()
    }
}
