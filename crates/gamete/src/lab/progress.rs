use std::time::{Duration, Instant};

use gamete_lab::{Event, Experiment, Generation, Measure, Progress, VerificationProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::contest::duration_text;
use crate::terminal::{grouped, one_line, print_warning};

/// Tells how far an experiment is: by a bar on a terminal, by a line now and then elsewhere.
pub struct Teller {
    bar: ProgressBar,
    genes: Vec<String>,
    /// The values that a tune starts from; empty where it is none.
    starts: Vec<f64>,
    /// Generations of all runs that are planned, and those that are over; counted where no games are.
    generations: [u64; 2],
    plays_games: bool,
    /// Which stage of a pipeline it is at, in words that others follow; empty where there are none.
    stage: String,
    /// The last generation, and of which run it is.
    latest: Option<(String, Generation)>,
    /// When a line is due, whatever happens.
    due: Instant,
    /// The share of all games after which one is, too.
    next: f64,
    /// Whether anything was left to play after the experiment.
    waiting: bool,
}

/// Lines come at least so often.
const EVERY: Duration = Duration::from_secs(30);

/// They come after each such share of the games, too.
const SHARE: f64 = 0.1;

impl Teller {
    /// Of an experiment.
    pub fn new(experiment: &Experiment) -> Self {
        let generations = [experiment.planned_generations(), 0];
        let is_screened = experiment.table().get("optimizer").and_then(toml::Value::as_str) == Some("screen");
        if is_screened {
            // Points around one come to nothing in the course of a run.
            return Self::of_genes(Vec::new(), generations, experiment.plays_games());
        }
        let starts = experiment.method.start_genome().unwrap_or_default();
        Self { starts, ..Self::of_genes(experiment.genes(), generations, experiment.plays_games()) }
    }

    fn of_genes(genes: Vec<String>, generations: [u64; 2], plays_games: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        bar.set_style(style(plays_games));
        Self {
            bar,
            genes,
            starts: Vec::new(),
            generations,
            plays_games,
            stage: String::new(),
            latest: None,
            due: Instant::now() + EVERY,
            next: SHARE,
            waiting: false,
        }
    }

    /// What happens to an experiment.
    pub fn experiment(&mut self, event: &Event) {
        match event {
            Event::Progress(progress) => self.progress(progress),
            Event::Generation { run, generation, is_stored } => {
                self.generations[1] += u64::from(generation.number > 0);
                self.latest = Some((run.clone(), generation.clone()));
                if !self.plays_games && generation.number > 0 && !is_stored {
                    self.generation();
                }
            }
            Event::Stage { name, number, stages, genes, planned_generations, plays_games } => {
                self.stage = format!("stage {number} of {stages}, ");
                self.genes.clone_from(genes);
                self.latest = None;
                (self.generations, self.plays_games) = ([*planned_generations, 0], *plays_games);
                self.next = SHARE;
                self.bar.set_style(style(*plays_games));
                if self.bar.is_hidden() {
                    crate::terminal::errln!("{}{name}", self.stage);
                }
            }
            Event::Concern(concern) => self.bar.suspend(|| print_warning(&concern.to_string())),
            Event::Started { .. } | Event::Game { .. } | Event::Finished { .. } | Event::Stopped { .. } => {}
        }
    }

    /// How far an experiment without games is.
    fn generation(&mut self) {
        let [planned, done] = self.generations;
        let planned = planned.max(done);
        let what = format!("{}{}", self.place(), self.found());
        if self.bar.is_hidden() {
            self.line(done, planned, "generations", || what.clone());
            return;
        }
        self.bar.set_length(planned);
        self.bar.set_position(done);
        self.bar.set_message(one_line(&what));
    }

    fn progress(&mut self, progress: &Progress) {
        if !self.plays_games {
            return;
        }
        let done = progress.played + progress.replayed;
        let planned = progress.planned.max(done);
        let speed = progress.played as f64 / progress.seconds;
        let place = self.place();
        if self.bar.is_hidden() {
            // Games from the journal take no time, and need no lines.
            if progress.played > 0 {
                let told = self.told(planned - done, speed);
                self.line(done, planned, "games", || format!("{place}{speed:.0} games/s{told}"));
            }
            return;
        }
        self.bar.set_length(planned);
        self.bar.set_position(done);
        if progress.played == 0 {
            // Games from the journal say nothing of how long the rest takes.
            self.bar.reset_eta();
        }
        let mut message = format!("{place}{speed:.0} games/s");
        let found = self.found();
        if !found.is_empty() {
            message = format!("{message}; {found}");
        }
        self.bar.set_message(one_line(&message));
    }

    /// How much time is left, and what a tune has found, in words that follow others.
    fn told(&self, left: u64, speed: f64) -> String {
        let left = duration_text(Duration::from_secs_f64((left as f64 / speed).clamp(0.0, 1e9)));
        let found = if self.starts.is_empty() { String::new() } else { self.found() };
        format!(", {left} left{}{found}", if found.is_empty() { "" } else { "; " })
    }

    /// Where the last generation belongs, in words that others follow.
    fn place(&self) -> String {
        let place = self.latest.as_ref().map_or_else(String::new, |(path, generation)| {
            let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
            format!("{path}generation {}, ", generation.number)
        });
        format!("{}{place}", self.stage)
    }

    /// What there is to tell of the games after it.
    pub fn verification(&mut self, progress: VerificationProgress, what: &'static str) {
        let VerificationProgress { done, planned } = progress;
        if self.bar.is_hidden() {
            // A line at the end is enough, unless it takes long.
            self.next = self.next.max(1.0);
            if self.waiting {
                self.line(done, planned, "games", || what.to_owned());
            }
            self.waiting |= done < planned;
            return;
        }
        self.bar.set_length(planned);
        self.bar.set_position(done);
        self.bar.set_message(what);
    }

    /// Begins anew, with other games.
    pub fn restart(&mut self) {
        self.bar.finish_and_clear();
        *self = Self::of_genes(std::mem::take(&mut self.genes), [0, 0], true);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// A line, if one is due.
    fn line(&mut self, done: u64, planned: u64, unit: &str, what: impl Fn() -> String) {
        let share = done as f64 / planned.max(1) as f64;
        if share < self.next && Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + EVERY;
        self.next = if done == planned { f64::INFINITY } else { ((share / SHARE).floor() + 1.0) * SHARE };
        crate::terminal::errln!(
            "{} of {} {unit} ({:.0} %): {}",
            grouped(done),
            grouped(planned),
            100.0 * share,
            what()
        );
    }

    /// What was measured in the last generation, or the means of the first genes where nothing was.
    fn found(&self) -> String {
        const MAX_GENES: usize = 8;
        const MAX_MEASURES: usize = 2;
        let Some((_, generation)) = &self.latest else { return String::new() };
        if !self.starts.is_empty() {
            return self.tuned(generation);
        }
        if !generation.measures.is_empty() {
            let measures: Vec<String> =
                generation.measures.iter().take(MAX_MEASURES).map(ToString::to_string).collect();
            return measures.join("; ");
        }
        let means: Vec<String> = self
            .genes
            .iter()
            .zip(&generation.spread)
            .take(MAX_GENES)
            .map(|(name, spread)| format!("{} {:.2}", name.rsplit('.').next().unwrap_or(name), spread.mean))
            .collect();
        format!("{}{}", means.join(", "), if self.genes.len() > MAX_GENES { ", …" } else { "" })
    }

    /// What a tune thinks its values are worth, and by how much those changed, the most changed ones first.
    fn tuned(&self, generation: &Generation) -> String {
        const MAX_CHANGES: usize = 6;
        let mut words = Vec::new();
        if let Some(elo) = generation.measure(Measure::ELO) {
            let deviation = generation.measure(&format!("{}{}", Measure::DEVIATION, Measure::ELO));
            let deviation = deviation.map_or_else(String::new, |one| format!(" ± {:.1}", one.best));
            words.push(format!("{:+.1}{deviation} Elo expected", elo.best));
        }
        if let Some(score) = generation.measure(Measure::SCORE) {
            words.push(format!("best score {:.1} %", 100.0 * score.best));
        }
        let changes = self.genes.iter().zip(&self.starts).zip(&generation.spread);
        let mut changes: Vec<_> = changes
            .map(|((name, &start), spread)| (name, start, spread.mean))
            .filter(|(_, start, now)| format!("{start:.1}") != format!("{now:.1}"))
            .collect();
        let size = |start: f64, now: f64| (now - start).abs() / start.abs().max(1.0);
        changes.sort_by(|one, two| size(two.1, two.2).total_cmp(&size(one.1, one.2)));
        let more = if changes.len() > MAX_CHANGES { ", …" } else { "" };
        let changes: Vec<String> = changes
            .into_iter()
            .take(MAX_CHANGES)
            .map(|(name, start, now)| {
                format!("{} {start} → {now:.1}", name.rsplit('.').next().unwrap_or(name))
            })
            .collect();
        if !changes.is_empty() {
            words.push(format!("{}{more}", changes.join(", ")));
        }
        words.join("; ")
    }
}

fn style(plays_games: bool) -> ProgressStyle {
    let unit = if plays_games { "games" } else { "generations" };
    let template = format!("{{msg}}\n[{{wide_bar}}] {{pos}}/{{len}} {unit}, {{eta}} left");
    ProgressStyle::with_template(&template).expect("a valid template").progress_chars("=> ")
}
