use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_stats::{
    Decision, Estimate, Model, Pentanomial, Results, Sprt, SprtElo, Trinomial, fixed, report,
};
use serde::Serialize;

use crate::output_format::OutputFormat;
use crate::single_dash::{self, Group};

/// More than anybody has played, and few enough to add up.
const MAX: u64 = 1_000_000_000_000;

/// Calculate Elo, LOS and a sequential test from results.
///
/// Counts and settings are given as for match runners, with one dash or two.
#[derive(clap::Args)]
#[command(
    override_usage = "gamete stats [-ptnml LL LD MID WD WW] [-wdl W D L] [-sprt KEY=VALUE…] [-output format=NAME] [-json]",
    after_help = "Counts and settings:
  -ptnml LL LD MID WD WW   pairs of games by their points, as reports print them
  -ptnml LL LD WL DD WD WW the same, the middle split into a win and a loss, and two draws
  -wdl W D L               games won, drawn and lost; with -ptnml they split its middle
  -sprt KEY=VALUE…         test elo0= [0] against elo1= [2] with error rates alpha= [0.05] and
                           beta= [0.05], under model= [normalized], logistic or bayesian
  -output format=NAME      output like fastchess [fastchess], cutechess, openbench or fishtest
  -json                    print JSON

Examples:
  gamete stats -ptnml 43 61 144 55 37
  gamete stats -ptnml 43 61 144 55 37 -wdl 248 166 266 -sprt elo0=0 elo1=5
  gamete stats -wdl 136 111 96 -sprt elo0=0 elo1=10 model=logistic -json"
)]
pub struct Args {
    /// Options with one dash
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// What the words mean.
struct Input {
    results: Results,
    /// Whether the games won, drawn and lost are known: of five counts of pairs they are not.
    knows_games: bool,
    sprt: Option<Sprt>,
    output: OutputFormat,
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let input = Input::parse(&args.words)?;
    let mut out = io::stdout().lock();
    if input.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&input.to_json())?)?;
    } else {
        input.print(&mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Input {
    fn parse(words: &[String]) -> Result<Self> {
        let groups = single_dash::groups(words, &["ptnml", "wdl", "sprt", "output", "json"])?;
        let group = |name| groups.iter().find(|group| group.name == name);
        let games = group("wdl").map(parse_games).transpose()?;
        let ptnml = group("ptnml").map(counts).transpose()?;
        let sprt = group("sprt").map(single_dash::parse_sprt).transpose()?;
        if let Some(word) = group("json").and_then(|group| group.values.first()) {
            bail!("-json: {word:?} is one word too many");
        }
        let (results, knows_games) = match (ptnml.as_deref(), games) {
            (None, None) => bail!("there is nothing to judge; say -ptnml LL LD MID WD WW or -wdl W D L"),
            (None, Some(games)) => (games.into(), true),
            (Some(counts), games) => judge_pairs(counts, games)?,
        };
        if results.count() == 0 {
            bail!("there is nothing to judge: all counts are 0");
        }
        if !knows_games && sprt.is_some_and(|sprt| sprt.model() == Model::Bayesian) {
            bail!("-sprt: the bayesian model judges single games; give them with -wdl W D L");
        }
        let output = group("output").map(OutputFormat::parse).transpose()?.unwrap_or_default();
        if !knows_games && output != OutputFormat::Fastchess {
            bail!("-output: this format has games won, drawn and lost; give them with -wdl W D L");
        }
        Ok(Self { results, knows_games, sprt, output, json: group("json").is_some() })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let (results, sprt) = (&self.results, self.sprt.as_ref());
        match self.output {
            OutputFormat::Fastchess => self.print_fastchess(out),
            OutputFormat::OpenBench => write!(out, "{}", report::openbench(results, sprt, "?")),
            OutputFormat::Fishtest => write!(out, "{}", report::fishtest(results, sprt)),
            OutputFormat::Cutechess => {
                writeln!(out, "{}", report::cutechess_score("A", "B", results.games()))?;
                writeln!(out, "{}", report::cutechess_elo(results))?;
                sprt.map_or(Ok(()), |sprt| {
                    writeln!(out, "{}", report::cutechess_sprt(sprt, sprt.llr(results)))
                })
            }
        }
    }

    /// The lines of a report, then what the two kinds of Elo are.
    fn print_fastchess(&self, out: &mut impl Write) -> io::Result<()> {
        let results = &self.results;
        writeln!(out, "{}", report::elo_line(results))?;
        writeln!(out, "{}", report::los_line(results))?;
        if self.knows_games {
            writeln!(out, "{}", report::games_line(results.games()))?;
        } else {
            let games = results.games();
            let percent = games.score() * 100.0;
            writeln!(out, "Games: {}, Points: {:.1} ({percent:.2} %)", games.games(), games.points())?;
        }
        match results {
            Results::Pairs(pairs) if self.knows_games => writeln!(out, "{}", report::ptnml_line(*pairs))?,
            Results::Pairs(pairs) => writeln!(out, "Ptnml(0-2): {:?}", pairs.counts())?,
            Results::Games(_) => {}
        }
        if let Some(sprt) = &self.sprt {
            let llr = sprt.llr(results);
            writeln!(out, "{}", report::llr_line(sprt, llr))?;
            let goes_on =
                || format!("SPRT ([{}, {}]) continues", fixed(sprt.elo0(), 2), fixed(sprt.elo1(), 2));
            writeln!(out, "{}", report::sprt_end(sprt, llr).unwrap_or_else(goes_on))?;
        }
        writeln!(out)?;
        writeln!(out, "{}", report::margin_note(results))?;
        let sprt_elo = self.sprt.map(|sprt| report::sprt_elo(sprt.elo(results)));
        if !results.varies() {
            return sprt_elo.map_or(Ok(()), |text| writeln!(out, "{text}."));
        }
        let elo = results.elo();
        writeln!(out, "Plain Elo {elo}: right if the number of games was fixed before the first.")?;
        if let Some(elo) = sprt_elo {
            writeln!(out, "{elo}: right if the test decided when to stop, which biases the plain Elo.")?;
        }
        Ok(())
    }

    fn to_json(&self) -> ResultsJson {
        let results = self.results;
        let games = results.games();
        let known = |count: u64| self.knows_games.then_some(count);
        let pairs = match results {
            Results::Pairs(pairs) => Some(pairs),
            Results::Games(_) => None,
        };
        ResultsJson {
            games: games.games(),
            points: games.points(),
            score: results.score(),
            elo: results.elo().into(),
            nelo: results.nelo().into(),
            los: results.los(),
            draw_ratio: results.draw_ratio(),
            wins: known(games.wins),
            draws: known(games.draws),
            losses: known(games.losses),
            ptnml: pairs.map(Pentanomial::counts),
            pairs_ratio: pairs.map(Pentanomial::pairs_ratio),
            wl_dd_ratio: pairs.filter(|_| self.knows_games).map(Pentanomial::wl_dd_ratio),
            sprt: self.sprt.as_ref().map(|sprt| SprtJson::new(sprt, &results)),
        }
    }
}

/// What results come to, as JSON has it; what is not known is left out.
#[derive(Serialize)]
pub struct ResultsJson {
    games: u64,
    points: f64,
    score: f64,
    elo: EstimateJson,
    nelo: EstimateJson,
    los: f64,
    draw_ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wins: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ptnml: Option<[u64; 5]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wl_dd_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtJson>,
}

/// A number and half the width of its interval.
#[derive(Serialize)]
struct EstimateJson {
    value: f64,
    margin: f64,
}

impl From<Estimate> for EstimateJson {
    fn from(estimate: Estimate) -> Self {
        Self { value: estimate.value, margin: estimate.margin }
    }
}

impl ResultsJson {
    /// Of results whose games are known.
    pub fn new(results: &Results) -> Self {
        let output = OutputFormat::default();
        Input { results: *results, knows_games: true, sprt: None, output, json: true }.to_json()
    }
}

/// What a test says of results, as JSON has it.
#[derive(Serialize)]
pub struct SprtJson {
    model: &'static str,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    llr: f64,
    lower: f64,
    upper: f64,
    percent: f64,
    decision: &'static str,
    elo: Option<SprtEloJson>,
}

#[derive(Serialize)]
struct SprtEloJson {
    value: f64,
    low: f64,
    high: f64,
    los: f64,
}

impl SprtJson {
    /// Of a test and its results.
    pub fn new(sprt: &Sprt, results: &Results) -> Self {
        let llr = sprt.llr(results);
        let elo = |elo: SprtElo| SprtEloJson { value: elo.elo, low: elo.low, high: elo.high, los: elo.los };
        Self {
            model: sprt.model().as_str(),
            elo0: sprt.elo0(),
            elo1: sprt.elo1(),
            alpha: sprt.alpha(),
            beta: sprt.beta(),
            llr,
            lower: sprt.lower(),
            upper: sprt.upper(),
            percent: sprt.fraction(llr) * 100.0,
            decision: match sprt.decision(llr) {
                Decision::Continue => "continue",
                Decision::H0 => "H0",
                Decision::H1 => "H1",
            },
            elo: sprt.elo(results).map(elo),
        }
    }
}

/// The pairs, and whether their games are known.
fn judge_pairs(counts: &[u64], games: Option<Trinomial>) -> Result<(Results, bool)> {
    let (pairs, is_split) = match *counts {
        [ll, ld, middle, wd, ww] => match games {
            Some(games) => {
                let pairs = Pentanomial::from_counts([ll, ld, middle, wd, ww], games);
                return Ok((pairs.context("-ptnml and -wdl are not of the same games")?.into(), true));
            }
            None => (Pentanomial { ll, ld, wl: 0, dd: middle, wd, ww }, false),
        },
        [ll, ld, wl, dd, wd, ww] => (Pentanomial { ll, ld, wl, dd, wd, ww }, true),
        _ => bail!("-ptnml: {} counts instead of LL LD MID WD WW, or LL LD WL DD WD WW", counts.len()),
    };
    if games.is_some_and(|games| games != pairs.games()) {
        bail!("-ptnml and -wdl are not of the same games");
    }
    Ok((pairs.into(), is_split))
}

fn parse_games(group: &Group<'_>) -> Result<Trinomial> {
    match *counts(group)?.as_slice() {
        [wins, draws, losses] => Ok(Trinomial::new(wins, draws, losses)),
        ref counts => bail!("-wdl: {} counts instead of W D L", counts.len()),
    }
}

fn counts(group: &Group<'_>) -> Result<Vec<u64>> {
    let count = |word: &&str| match word.trim_end_matches(',').parse::<u64>() {
        Ok(count) if count <= MAX => Ok(count),
        _ => bail!("-{}: {word:?} is not a count of games", group.name),
    };
    group.values.iter().map(count).collect()
}
