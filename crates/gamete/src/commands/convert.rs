use std::fmt;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use gamete_arena::GameName;
use gamete_checkers::{Paths, Pdn, ResultOrder};
use gamete_chess::{Epd, EpdReader, Operation, Pgn};
use gamete_game::{Format as _, Game, Transcript, TranscriptReader, TranscriptWriter};

use indicatif::ProgressBar;

use crate::files::{self, Format, Output};
use crate::terminal::{self, errln, grouped, one_line};

/// More problems than this in one file are counted but not shown.
const SHOWN_PROBLEMS: u64 = 20;

/// Convert games and positions between PGN, EPD and PDN.
///
/// Formats are recognised by file extension; .zst, .gz, .bz2 and .zip files are read under any name, and .zst, .gz
/// and .bz2 are written. A game that cannot be replayed is skipped, reported with its location, and makes the exit
/// status 1. Side variations are dropped and counted, as are null moves at the end of a game. In PDN the squares
/// determine the move; moves with the wrong separator, such as `10x14` for a step, are counted. If the Result tag and
/// the end of the moves disagree, the end of the moves is kept, with a warning.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete convert twic*.pgn.zip -o all.pgn.zst
  gamete convert games.pgn --ply 19 -o openings.epd
  gamete convert suite.epd -o suite.pgn
  unrar p games.rar | gamete convert - --from pgn -o games.pgn.zst
  gamete convert old.pdn --paths full --read-results starter-first -o new.pdn")]
pub struct Args {
    /// Files to read, or - for standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Format of the input files, if their extensions do not tell
    #[arg(long, value_parser = files::format_parser())]
    from: Option<Format>,

    /// Format to write, if the extension does not tell
    #[arg(long, value_parser = files::format_parser())]
    to: Option<Format>,

    /// Stop at the first game that cannot be read, and write nothing
    #[arg(long)]
    strict: bool,

    /// To EPD: write the position after this many plies instead of the last one
    #[arg(long, value_name = "N", conflicts_with = "every")]
    ply: Option<usize>,

    /// To EPD: write every position
    #[arg(long)]
    every: bool,

    /// To PDN: how to write jumps
    #[arg(long, value_enum, default_value_t = PathStyle::Short)]
    paths: PathStyle,

    /// From PDN: whose win 1-0 is, if there is no Winner tag
    #[arg(long, value_enum, default_value_t = Order::WhiteFirst)]
    read_results: Order,

    /// To PDN: whose win 1-0 is
    #[arg(long, value_enum, default_value_t = Order::WhiteFirst)]
    write_results: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PathStyle {
    /// Origin and destination, where unambiguous
    Short,
    /// Every square touched
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// 1-0 is a win for White
    WhiteFirst,
    /// 1-0 is a win for the side that moves first, Black in checkers
    StarterFirst,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let to = args.to.or_else(|| Format::of_path(&args.output)).with_context(|| {
        format!("{}: cannot tell the format from the name; say --to pgn, epd or pdn", args.output.display())
    })?;
    check_options(args, to)?;
    let total = args.inputs.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    let is_standard = args.output == Path::new("-");
    let output = if is_standard { "standard output".to_owned() } else { args.output.display().to_string() };
    let mut conversion = Conversion {
        sink: Sink::create(args, to)?,
        output: output.clone(),
        progress: terminal::byte_progress(total),
        strict: args.strict,
        shown: 0,
        skipped: 0,
        written: 0,
        doubtful: 0,
        read_results: result_order(args.read_results),
    };
    let mut empty = 0;
    for path in &args.inputs {
        let mut units = 0;
        let progress = conversion.progress.clone();
        let path = path.as_path();
        let label = if path == Path::new("-") { Path::new(files::STANDARD_INPUT) } else { path };
        progress.set_message(one_line(&label.display().to_string()));
        files::read(path, &progress, |name, text| {
            let Some(from) = input_format(args, label, name) else {
                conversion.tell(&format!("{name}: left out, as it is no PGN, EPD or PDN"));
                return Ok(());
            };
            units += conversion.convert(name, from?, text)?;
            Ok(())
        })?;
        if units == 0 {
            conversion.complain(&format!("{}: no games or positions in it", label.display()));
            empty += 1;
        }
    }
    conversion.progress.finish_and_clear();
    let (written, skipped) = (conversion.written, conversion.skipped);
    if written > 0 {
        conversion.sink.finish().with_context(|| cannot_be_written(&output))?;
        errln!("{output}: {} written", grouped(written));
    }
    Ok(if skipped + empty > 0 || written == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Refuses what would be ignored, and what would destroy what is read.
fn check_options(args: &Args, to: Format) -> Result<()> {
    if to != Format::EPD && (args.ply.is_some() || args.every) {
        bail!("--ply and --every choose positions for EPD; {} is {to}", args.output.display());
    }
    if to != Format::PDN && (args.paths != PathStyle::Short || args.write_results != Order::WhiteFirst) {
        bail!("--paths and --write-results are for PDN; {} is {to}", args.output.display());
    }
    let output = args.output.canonicalize().ok().filter(|path| path.is_file());
    for input in &args.inputs {
        if output.is_some() && input.canonicalize().ok() == output {
            bail!("{}: cannot be read and written at once; name another file to write", input.display());
        }
    }
    Ok(())
}

/// What a text is, by its own name if it is in an archive; nothing for what lies beside the games in there.
fn input_format(args: &Args, path: &Path, name: &str) -> Option<Result<Format>> {
    let member = (Path::new(name) != path).then(|| Path::new(name));
    let by_name = match member {
        None => Format::of_path(path),
        Some(member) if member.extension().is_some() => Format::of_path(member),
        Some(_) => Format::of_path(path),
    };
    match args.from.or(by_name) {
        Some(format) => Some(Ok(format)),
        None if member.is_some() => None,
        None => {
            Some(Err(anyhow!("{name}: cannot tell the format from the name; say --from pgn, epd or pdn")))
        }
    }
}

fn result_order(order: Order) -> ResultOrder {
    match order {
        Order::WhiteFirst => ResultOrder::WhiteFirst,
        Order::StarterFirst => ResultOrder::StarterFirst,
    }
}

fn cannot_be_written(output: &str) -> String {
    format!("{output}: cannot be written")
}

struct Conversion {
    sink: Sink,
    /// What the output is called in messages.
    output: String,
    progress: ProgressBar,
    strict: bool,
    shown: u64,
    skipped: u64,
    written: u64,
    /// Games whose Result tag says something else than the end of their moves.
    doubtful: u64,
    read_results: ResultOrder,
}

impl Conversion {
    fn tell(&self, text: &str) {
        self.progress.suspend(|| errln!("{text}"));
    }

    fn complain(&self, text: &str) {
        self.progress.suspend(|| terminal::print_problem(text));
    }

    /// Reads one text to its end and says how many games or positions it had, good or bad.
    fn convert(&mut self, name: &str, from: Format, text: &mut dyn BufRead) -> Result<u64> {
        self.shown = 0;
        let (skipped, written, doubtful) = (self.skipped, self.written, self.doubtful);
        let mut oddities = Oddities::default();
        let read = match from {
            format if format == Format::PGN => {
                let mut games = TranscriptReader::new(text, Pgn);
                let read = self.each(
                    name,
                    games.by_ref(),
                    |game| doubt(game, &Pgn),
                    |sink, game| sink.write_chess(&game),
                )?;
                oddities = Oddities::of(&games);
                read
            }
            format if format == Format::PDN => {
                let format = Pdn { results: self.read_results, ..Pdn::default() };
                let mut games = TranscriptReader::new(text, format);
                let read = self.each(
                    name,
                    games.by_ref(),
                    |game| doubt(game, &format),
                    |sink, game| sink.write_checkers(&game),
                )?;
                oddities = Oddities::of(&games);
                read
            }
            Format::Positions => {
                self.each(name, EpdReader::new(text), |_| None, |sink, epd| sink.write_epd(&epd))?
            }
            Format::Games(game) => return Err(no_conversion(game)),
        };
        let skipped = self.skipped - skipped;
        if skipped > self.shown {
            self.complain(&format!("{name}: and {} more like these", skipped - self.shown));
        }
        if read > 0 {
            let kind = if from == Format::EPD { "positions" } else { "games" };
            let mut text =
                format!("{name}: {kind} read {}, skipped {}", grouped(read - skipped), grouped(skipped));
            let written = self.written - written;
            if matches!(self.sink, Sink::Epd(_, Pick::Ply(_))) && written < read - skipped {
                text += &format!(", too short {}", grouped(read - skipped - written));
            }
            text += &oddities.to_string();
            let doubtful = self.doubtful - doubtful;
            if doubtful > 0 {
                text += &format!("; {} with a Result tag that disagrees with the game", grouped(doubtful));
            }
            self.tell(&text);
        }
        Ok(read)
    }

    fn each<T, E: std::error::Error + Send + Sync + 'static>(
        &mut self,
        name: &str,
        units: impl Iterator<Item = Result<T, E>>,
        doubt: impl Fn(&T) -> Option<String>,
        write: impl Fn(&mut Sink, T) -> Result<u64>,
    ) -> Result<u64> {
        let (mut read, mut doubts) = (0, 0);
        for unit in units {
            read += 1;
            match unit {
                Ok(unit) => {
                    if let Some(doubt) = doubt(&unit) {
                        self.doubtful += 1;
                        doubts += 1;
                        if doubts <= SHOWN_PROBLEMS {
                            let text = format!("{name}: game {}: {doubt}", grouped(read));
                            self.progress.suspend(|| terminal::print_warning(&text));
                        }
                    }
                    self.written += write(&mut self.sink, unit).map_err(|error| {
                        // Games that do not fit the format are the input's fault, a full disk is not.
                        let is_output = error.is::<std::io::Error>();
                        let at = if is_output { cannot_be_written(&self.output) } else { name.to_owned() };
                        error.context(at)
                    })?;
                }
                Err(error) if self.strict => return Err(error).context(name.to_owned()),
                Err(error) => {
                    self.skipped += 1;
                    if self.shown < SHOWN_PROBLEMS {
                        self.shown += 1;
                        self.complain(&format!("{name}: {error}"));
                    }
                }
            }
        }
        Ok(read)
    }
}

/// What was read otherwise than it is written, in the games of one text.
#[derive(Default)]
struct Oddities {
    variations: u64,
    null_moves: u64,
    misspelt: u64,
}

impl Oddities {
    fn of<R: Read, F: gamete_game::Format>(games: &TranscriptReader<R, F>) -> Self {
        Self { variations: games.variations(), null_moves: games.null_moves(), misspelt: games.misspelt() }
    }
}

impl fmt::Display for Oddities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            ("variations left out", self.variations),
            ("null moves left out", self.null_moves),
            ("moves with the wrong separator", self.misspelt),
        ];
        counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .try_for_each(|(what, count)| write!(f, ", {what} {}", grouped(*count)))
    }
}

/// What is wrong with the result of a game that was told twice. A Winner tag is believed before all.
fn doubt<F: gamete_game::Format>(game: &Transcript<F::Game>, format: &F) -> Option<String> {
    let tag = game.tags.get("Result").filter(|_| game.tags.get("Winner").is_none())?;
    let told = format.parse_result(tag)??;
    let kept = format.result_text(Some(game.outcome.filter(|&outcome| outcome != told)?));
    Some(format!("the Result tag says {tag}, but the moves end with {kept}, which is kept"))
}

/// Which positions of a game become lines of EPD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    Last,
    Ply(usize),
    Every,
}

impl Pick {
    fn takes(self, ply: usize, last: usize) -> bool {
        match self {
            Self::Last => ply == last,
            Self::Ply(wanted) => ply == wanted,
            Self::Every => true,
        }
    }
}

/// What converted games and positions are written to.
enum Sink {
    Pgn(TranscriptWriter<Output, Pgn>),
    Pdn(TranscriptWriter<Output, Pdn>),
    Epd(Output, Pick),
}

impl Sink {
    fn create(args: &Args, to: Format) -> Result<Self> {
        let output = Output::create(&args.output)?;
        Ok(match to {
            format if format == Format::PGN => Self::Pgn(TranscriptWriter::new(output, Pgn)),
            format if format == Format::PDN => {
                let paths = match args.paths {
                    PathStyle::Short => Paths::Short,
                    PathStyle::Full => Paths::Full,
                };
                let results = result_order(args.write_results);
                Self::Pdn(TranscriptWriter::new(output, Pdn { paths, results, ..Pdn::default() }))
            }
            Format::Games(game) => return Err(no_conversion(game)),
            Format::Positions => {
                let pick = if args.every { Pick::Every } else { args.ply.map_or(Pick::Last, Pick::Ply) };
                Self::Epd(output, pick)
            }
        })
    }

    fn write_chess(&mut self, game: &Transcript<gamete_chess::Position>) -> Result<u64> {
        match self {
            Self::Pgn(writer) => writer.write(game).map(|()| 1).map_err(Into::into),
            Self::Pdn(_) => bail!("chess games cannot be written as PDN, which is for checkers"),
            Self::Epd(output, pick) => write_positions(output, *pick, game, |output, position| {
                let mut epd = Epd::new(position.clone());
                if game.outcome.is_some() {
                    epd.operations.push(Operation::Comment(9, Pgn.result_text(game.outcome).to_owned()));
                }
                write_line(output, &epd)
            }),
        }
    }

    fn write_checkers(&mut self, game: &Transcript<gamete_checkers::Position>) -> Result<u64> {
        match self {
            Self::Pdn(writer) => writer.write(game).map(|()| 1).map_err(Into::into),
            Self::Pgn(_) => bail!("checkers games cannot be written as PGN, which is for chess"),
            Self::Epd(output, pick) => {
                // There is no standard for this; books of positions end at the first semicolon.
                let result = match game.outcome {
                    Some(_) => format!("; c9 \"{}\";", Pdn::default().result_text(game.outcome)),
                    None => String::new(),
                };
                write_positions(output, *pick, game, |output, position| {
                    writeln!(output, "{position}{result}")
                })
            }
        }
    }

    fn write_epd(&mut self, epd: &Epd) -> Result<u64> {
        match self {
            Self::Epd(output, _) => write_line(output, epd)?,
            Self::Pdn(_) => bail!("chess positions cannot be written as PDN, which is for checkers"),
            Self::Pgn(writer) => {
                let mut game = Transcript::new(epd.position.clone());
                game.tags.set("Event", epd.id().unwrap_or("?"));
                game.outcome = epd.comment(9).and_then(|result| Pgn.parse_result(result)).flatten();
                game.comment = Some(epd.to_string());
                writer.write(&game)?;
            }
        }
        Ok(1)
    }

    fn finish(self) -> std::io::Result<()> {
        let output = match self {
            Self::Pgn(writer) => writer.into_inner(),
            Self::Pdn(writer) => writer.into_inner(),
            Self::Epd(output, _) => output,
        };
        output.finish()
    }
}

fn no_conversion(game: GameName) -> anyhow::Error {
    anyhow!("games of {game} are in one format alone; PGN, PDN and EPD can be converted")
}

/// A line of EPD, in which control characters have no place.
fn write_line(output: &mut Output, epd: &Epd) -> std::io::Result<()> {
    writeln!(output, "{}", epd.to_string().replace(char::is_control, " "))
}

fn write_positions<G: Game>(
    output: &mut Output,
    pick: Pick,
    game: &Transcript<G>,
    write: impl Fn(&mut Output, &G) -> std::io::Result<()>,
) -> Result<u64> {
    let mut position = game.start.clone();
    let mut written = 0;
    for ply in 0..=game.plies.len() {
        if pick.takes(ply, game.plies.len()) {
            write(output, &position)?;
            written += 1;
        }
        if let Some(ply) = game.plies.get(ply) {
            position.play(ply.mv);
        }
    }
    Ok(written)
}
