//! Looks at the lab some times per second, whoever writes to it, and tells event streams what is new.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_lab::{Pulse, Store};
use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic};
use crate::experiments::summary;
use crate::matches::WatchedMatches;
use crate::runs::RunStatus;

/// How often the lab is looked at.
const PACE: Duration = Duration::from_millis(500);

/// After how many looks journals of matches are looked at, too, and lists are told how far experiments are.
const SLOW_LOOKS: u32 = 4;

/// An experiment whose running time has not grown for so long is not being run. It is written five times per second.
const SILENCE: Duration = Duration::from_secs(3);

/// Over what time rates are measured.
const WINDOW: Duration = Duration::from_secs(15);

/// Generations of a run that are told of in one look at the lab.
const MOST_GENERATIONS: usize = 8;

/// What the lab was when it was looked at last.
#[derive(Default)]
pub struct Watch {
    seen: Mutex<BTreeMap<String, Seen>>,
    /// Matches that somebody watches.
    pub matches: WatchedMatches,
    is_over: AtomicBool,
}

/// An experiment as it was seen last.
#[derive(Debug, Clone)]
struct Seen {
    seconds: f64,
    finished: bool,
    /// When it was seen to run.
    alive: Option<Instant>,
    /// How far it was, and when.
    history: VecDeque<(Instant, Far)>,
    /// What there is to be done, which does not change.
    plan: Planned,
    /// The last generation of each run that was told of.
    told: BTreeMap<i64, u32>,
    live: Option<Live>,
}

/// How far an experiment is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Far {
    generation: u32,
    /// Generations of all runs.
    generations: u64,
    games: u64,
}

/// What an experiment is to come to.
#[derive(Debug, Clone, Copy, Default)]
struct Planned {
    generations: u32,
    all_generations: u64,
    games: u64,
    plays_games: bool,
}

/// What happens to an experiment now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Live {
    status: &'static str,
    here: bool,
    generation: u32,
    generations: Option<u32>,
    games: u64,
    planned_games: Option<u64>,
    games_per_second: Option<f64>,
    eta_seconds: Option<f64>,
    busy: Option<f64>,
    error: Option<String>,
}

impl Live {
    /// Whether somebody is at it.
    pub fn is_running(&self) -> bool {
        matches!(self.status, "running" | "pausing" | "stopping" | "verifying")
    }
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the looking.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// What happens to an experiment, a stage or a pipeline.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read, or has no such experiment.
    pub fn live(&self, app: &App, store: &Store, id: &str) -> Result<Live, ApiError> {
        let row = store.experiment(id)?;
        let mut seen = self.seen();
        let pulse = Pulse { id: id.to_owned(), seconds: row.seconds, finished: row.result.is_some() };
        let entry = seen.entry(id.to_owned()).or_insert_with(|| Seen::new(store, &pulse));
        entry.finished = pulse.finished;
        entry.measure(store, id)?;
        let alive_stage = stage_alive(&times_alive(&seen), id);
        let entry = seen.get(id).expect("an entry, as it was made");
        Ok(entry.live(app, id, alive_stage))
    }
}

/// When each was seen to run.
fn times_alive(seen: &BTreeMap<String, Seen>) -> BTreeMap<String, Option<Instant>> {
    seen.iter().map(|(id, seen)| (id.clone(), seen.alive)).collect()
}

/// When a stage of a pipeline was seen to run.
fn stage_alive(alive: &BTreeMap<String, Option<Instant>>, id: &str) -> Option<Instant> {
    let inside = format!("{id}/");
    alive.iter().filter(|(other, _)| other.starts_with(&inside)).filter_map(|(_, alive)| *alive).max()
}

impl Seen {
    fn new(store: &Store, pulse: &Pulse) -> Self {
        Self {
            seconds: pulse.seconds,
            finished: pulse.finished,
            alive: None,
            history: VecDeque::new(),
            plan: Planned::of(store, &pulse.id),
            told: BTreeMap::new(),
            live: None,
        }
    }

    /// Looks how far it is.
    fn measure(&mut self, store: &Store, id: &str) -> Result<Far, ApiError> {
        let mut far = Far::default();
        for run in store.runs(id)? {
            if let Some(last) = store.last_number(run.number)? {
                far.generation = far.generation.max(last);
                far.generations += u64::from(last);
            }
            if self.plan.plays_games {
                far.games += store.answered(run.number)?;
            }
        }
        let now = Instant::now();
        self.history.push_back((now, far));
        while self.history.len() > 2 && now.duration_since(self.history[0].0) > WINDOW {
            self.history.pop_front();
        }
        Ok(far)
    }

    fn live(&self, app: &App, id: &str, alive_stage: Option<Instant>) -> Live {
        let own = app.runs.now(id.split('/').next().unwrap_or(id));
        // What was written at the end of a run here says nothing of others.
        let ended = own.as_ref().and_then(|now| now.ended);
        let is_alive = |alive: Option<Instant>| {
            let is_later = |alive: &Instant| ended.is_none_or(|ended| *alive > ended + 3 * PACE);
            alive.filter(is_later).is_some_and(|alive| alive.elapsed() < SILENCE)
        };
        let runs_elsewhere = is_alive(self.alive) || is_alive(alive_stage);
        let here = own.as_ref().filter(|now| now.status.is_active());
        let is_stage = id.contains('/');
        let status = match (&own, here) {
            _ if is_stage && self.finished => "finished",
            (_, Some(_)) if is_stage && !is_alive(self.alive) => "stopped",
            (_, Some(now)) => now.status.as_str(),
            _ if runs_elsewhere && !self.finished => "running",
            _ if self.finished => "finished",
            (Some(now), None) if now.status != RunStatus::Finished => now.status.as_str(),
            _ => "stopped",
        };
        let far = self.history.back().map_or(Far::default(), |(_, far)| *far);
        let is_running = matches!(status, "running" | "pausing" | "stopping");
        let rate = self.rate().filter(|_| is_running);
        let Planned { generations, all_generations, games, plays_games } = self.plan;
        let left = |all: u64, done: u64, rate: f64| {
            (rate > 0.0 && all > 0).then(|| all.saturating_sub(done) as f64 / rate)
        };
        Live {
            status,
            here: here.is_some(),
            generation: far.generation,
            generations: Some(generations).filter(|&most| most > 0),
            games: far.games,
            planned_games: Some(games).filter(|&games| games > 0 && plays_games),
            games_per_second: rate.map(|(games, _)| games).filter(|_| plays_games),
            eta_seconds: rate.and_then(|(per_game, per_generation)| {
                let by_generations = left(all_generations, far.generations, per_generation);
                by_generations.or_else(|| left(games, far.games, per_game))
            }),
            busy: here.and_then(|now| now.progress).map(|progress| progress.busy),
            error: own.and_then(|now| now.error),
        }
    }

    /// Games and generations per second.
    fn rate(&self) -> Option<(f64, f64)> {
        let ((then, before), (now, after)) = (self.history.front()?, self.history.back()?);
        let seconds = now.duration_since(*then).as_secs_f64();
        let per_second = |before: u64, after: u64| after.saturating_sub(before) as f64 / seconds;
        (seconds > 0.3).then(|| {
            (per_second(before.games, after.games), per_second(before.generations, after.generations))
        })
    }
}

impl Planned {
    fn of(store: &Store, id: &str) -> Self {
        let experiment = store.find(id).ok().flatten().and_then(|row| row.experiment().ok());
        experiment.map_or_else(Self::default, |experiment| Self {
            generations: experiment.head.budget.generations,
            all_generations: experiment.planned_generations(),
            games: experiment.planned_games(),
            plays_games: experiment.plays_games(),
        })
    }
}

/// Begins to look, on a thread.
///
/// # Errors
///
/// When there cannot be one.
pub fn start(app: &App) -> io::Result<()> {
    let app = app.clone();
    let look = move || {
        let mut is_first = true;
        let mut looks = 0_u32;
        while !app.watch.is_over.load(Ordering::Relaxed) {
            // What is wrong with the lab, requests say.
            let _ = app.lab.with(|store| look(&app, store, &mut is_first, looks.is_multiple_of(SLOW_LOOKS)));
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(SLOW_LOOKS) {
                app.watch.matches.news(&app).into_iter().for_each(|news| app.events.tell(news));
            }
            std::thread::sleep(PACE);
        }
    };
    std::thread::Builder::new().name("watch".to_owned()).spawn(look).map(drop)
}

/// Looks at the lab once.
fn look(app: &App, store: &Store, is_first: &mut bool, tells_lists: bool) -> Result<(), ApiError> {
    let pulses = store.pulses()?;
    let mut news = Vec::new();
    let mut seen = app.watch.seen();
    let gone: Vec<String> =
        seen.keys().filter(|id| !pulses.iter().any(|pulse| pulse.id == **id)).cloned().collect();
    for id in gone {
        seen.remove(&id);
        news.push(News::new(Topic::Lists, "removed", &json!({ "id": id })));
    }
    let mut changed = Vec::new();
    for pulse in &pulses {
        let is_new = !seen.contains_key(&pulse.id);
        let entry = seen.entry(pulse.id.clone()).or_insert_with(|| Seen::new(store, pulse));
        let grows = pulse.seconds > entry.seconds || is_new && !*is_first && !pulse.finished;
        let ends = pulse.finished != entry.finished;
        if grows {
            entry.alive = Some(Instant::now());
        }
        (entry.seconds, entry.finished) = (pulse.seconds, pulse.finished);
        let was_running = entry.live.as_ref().is_some_and(Live::is_running);
        let owner = pulse.id.split('/').next().unwrap_or_default();
        let is_here = app.runs.now(owner).is_some_and(|now| now.status.is_active());
        if is_new || grows || ends || was_running || is_here {
            if grows || is_here || is_new || ends {
                entry.measure(store, &pulse.id)?;
            }
            if app.events.has_listeners() && !*is_first {
                news.extend(entry.new_generations(store, &pulse.id)?);
            }
            changed.push((pulse.id.clone(), is_new || ends));
        }
    }
    let alive = times_alive(&seen);
    let mut told = std::collections::BTreeSet::new();
    // A pipeline changes with its stages.
    let owners = changed.iter().filter_map(|(id, what)| Some((id.split_once('/')?.0.to_owned(), *what)));
    let all: Vec<(String, bool)> = owners.chain(changed.iter().cloned()).collect();
    for (id, is_other) in all {
        let stage = stage_alive(&alive, &id);
        let Some(entry) = seen.get_mut(&id) else { continue };
        let live = entry.live(app, &id, stage);
        let is_changed = entry.live.as_ref() != Some(&live);
        let status_changed = entry.live.as_ref().is_none_or(|before| before.status != live.status);
        let seconds = entry.seconds;
        entry.live = Some(live.clone());
        if is_changed {
            news.push(News::new(
                Topic::Experiment(id.clone()),
                "state",
                &json!({ "id": id, "live": live, "seconds": seconds }),
            ));
        }
        if (is_other || status_changed) && !*is_first {
            news.push(News::new(Topic::Experiment(id.clone()), "changed", &json!({ "id": id })));
        }
        if !id.contains('/') && (status_changed || is_changed && tells_lists) {
            told.insert(id);
        }
    }
    drop(seen);
    if app.events.has_listeners() && !told.is_empty() {
        let lab = gamete_lab::LabView::new(store);
        let summaries: Vec<_> = told.iter().filter_map(|id| summary(app, store, lab, id).ok()).collect();
        news.push(News::new(Topic::Lists, "experiments", &json!({ "experiments": summaries })));
    }
    news.into_iter().for_each(|news| app.events.tell(news));
    *is_first = false;
    Ok(())
}

impl Seen {
    /// Generations that nobody was told of yet.
    fn new_generations(&mut self, store: &Store, id: &str) -> Result<Vec<News>, ApiError> {
        let mut news = Vec::new();
        for run in store.runs(id)? {
            let Some(last) = store.last_number(run.number)? else { continue };
            let first = self.told.insert(run.number, last).map_or(last, |told| told + 1);
            if first > last {
                continue;
            }
            for generation in store.thinned(run.number, first, last, MOST_GENERATIONS)?.generations {
                let data = json!({ "id": id, "run": run.path, "generation": generation });
                news.push(News::new(Topic::Experiment(id.to_owned()), "generation", &data));
            }
        }
        Ok(news)
    }
}
