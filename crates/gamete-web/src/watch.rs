//! Looks at the lab some times per second, whoever writes to it, and tells event streams what is new.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_lab::{BaselineMatch, Experiment, Plan, Pulse, RunRow, Store};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic};
use crate::experiments::summary;
use crate::matches::WatchedMatches;
use crate::runs::Now;

/// How often the lab is looked at.
const PACE: Duration = Duration::from_millis(500);

/// After how many looks journals of matches are looked at, too, and lists are told how far experiments are.
const SLOW_LOOKS: u32 = 4;

/// An experiment whose running time has not grown for so long is not being run. It is written five times per second.
const SILENCE: Duration = Duration::from_secs(3);

/// Over how many seconds rates are measured, if there are enough games in them.
const WINDOW: f64 = 15.0;

/// So many games say how quickly they are played.
const ENOUGH_GAMES: u64 = 12;

/// So many generations say how long the next will take, and in longer runs a quarter of them.
const ENOUGH_GENERATIONS: u32 = 8;

/// Generations of a run that are told of in one look at the lab.
const MOST_GENERATIONS: usize = 8;

/// What the lab was when it was looked at last.
#[derive(Default)]
pub struct Watch {
    seen: Mutex<BTreeMap<String, Seen>>,
    is_over: AtomicBool,
}

/// An experiment, a stage or a pipeline as it was seen last.
#[derive(Debug, Clone)]
struct Seen {
    pulse: Pulse,
    /// When it was seen to run.
    alive: Option<Instant>,
    /// What there is to be done, which does not change.
    plan: Planned,
    far: Far,
    /// When it was looked how far it is.
    measured: Option<Instant>,
    rate: GameRate,
    /// Runs that have a generation.
    runs: Vec<SeenRun>,
    /// The last generation of each run that was told of, or was there before anybody listened.
    told: BTreeMap<i64, u32>,
    /// Pairs of its verification that were told of.
    told_pairs: u64,
    live: Option<Live>,
}

/// A run with its last generation.
#[derive(Debug, Clone)]
struct SeenRun {
    row: RunRow,
    last: u32,
    /// Whether there are no more to come.
    is_over: bool,
    /// How long one takes, once there are some.
    pace: Option<f64>,
    /// How long ago the last was over, in time that it ran.
    since: f64,
}

/// How far an experiment is, or all stages of a pipeline together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Far {
    seconds: f64,
    generation: u32,
    /// Generations of all runs.
    generations: u64,
    games: u64,
    /// What it comes to, as far as that can be said.
    planned_games: u64,
    /// Grows with the games that are kept.
    kept: u64,
    /// Pairs of games that verify it.
    pairs: u64,
    /// Whether no pair is missing of those that were begun.
    is_verified: bool,
}

/// What there is to be done.
#[derive(Debug, Clone, Default)]
struct Planned {
    /// The experiment, or the stages of the pipeline.
    parts: Vec<Part>,
    is_pipeline: bool,
    plays_programs: bool,
}

#[derive(Debug, Clone)]
struct Part {
    id: String,
    generations: u32,
    /// Generations of all runs.
    all_generations: u64,
    games: u64,
    plays_games: bool,
}

/// What happens to an experiment now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Live {
    status: &'static str,
    here: bool,
    on_grid: bool,
    /// Whether it can be resumed here: other programs are only started at the command line.
    can_resume: bool,
    generation: u32,
    generations: Option<u32>,
    games: u64,
    planned_games: Option<u64>,
    games_per_second: Option<f64>,
    eta_seconds: Option<f64>,
    /// Grows with the games that are kept.
    kept: u64,
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
        self.look_at(app, store, id).map(|(live, _)| live)
    }

    /// The same as event streams tell it, with how long it has run.
    ///
    /// # Errors
    ///
    /// As [`live`](Self::live).
    pub fn state(&self, app: &App, store: &Store, id: &str) -> Result<Value, ApiError> {
        self.look_at(app, store, id).map(|(live, seconds)| state(id, &live, seconds))
    }

    fn look_at(&self, app: &App, store: &Store, id: &str) -> Result<(Live, f64), ApiError> {
        // The store knows what is called nearly so.
        let unknown = || store.experiment(id).map_or_else(Into::into, |row| ApiError::not_found(row.id));
        let pulse = store.pulse(id)?.ok_or_else(unknown)?;
        let mut seen = self.seen();
        let alive_stage = stage_alive(&seen, id);
        let entry = seen.entry(id.to_owned()).or_insert_with(|| Seen::new(store, &pulse));
        // However many ask, the lab is not read for each.
        let is_fresh = entry.pulse.finished == pulse.finished
            && entry.measured.is_some_and(|measured| measured.elapsed() < PACE);
        entry.hear_end(&pulse);
        if !is_fresh {
            entry.measure(store)?;
        }
        Ok((entry.live(app, alive_stage), entry.far.seconds))
    }
}

fn state(id: &str, live: &Live, seconds: f64) -> Value {
    json!({ "id": id, "live": live, "seconds": seconds })
}

/// When a stage of a pipeline was seen to run.
fn stage_alive(seen: &BTreeMap<String, Seen>, id: &str) -> Option<Instant> {
    let inside = format!("{id}/");
    let stages = seen.range(inside.clone()..).take_while(|(other, _)| other.starts_with(&inside));
    stages.filter_map(|(_, stage)| stage.alive).max()
}

impl Seen {
    fn new(store: &Store, pulse: &Pulse) -> Self {
        Self {
            pulse: pulse.clone(),
            alive: None,
            plan: Planned::of(store, &pulse.id),
            far: Far::default(),
            measured: None,
            rate: GameRate::default(),
            runs: Vec::new(),
            told: BTreeMap::new(),
            told_pairs: pulse.pairs,
            live: None,
        }
    }

    /// Takes in what the lab says of it now, and tells whether somebody is at it.
    fn hear(&mut self, pulse: &Pulse) -> bool {
        // After the end only games that verify it are played.
        let grows = pulse.pairs > self.pulse.pairs || !pulse.finished && pulse.seconds > self.pulse.seconds;
        self.hear_end(pulse);
        if grows {
            self.alive = Some(Instant::now());
        }
        self.pulse = pulse.clone();
        grows
    }

    /// Whoever came to the end may still verify it, and is then seen by that.
    fn hear_end(&mut self, pulse: &Pulse) {
        if pulse.finished != self.pulse.finished {
            (self.pulse.finished, self.alive) = (pulse.finished, None);
        }
    }

    /// Looks how far it is.
    fn measure(&mut self, store: &Store) -> Result<(), ApiError> {
        let mut far = Far { is_verified: true, ..Far::default() };
        let mut runs = Vec::new();
        for part in &self.plan.parts {
            let Some(pulse) = store.pulse(&part.id)? else {
                far.planned_games = far.planned_games.saturating_add(part.games);
                continue;
            };
            let (mut generation, mut games) = (0, 0);
            for row in store.runs(&part.id)? {
                games += if part.plays_games { store.answered(row.number)? } else { 0 };
                far.kept += store.last_kept(row.number)?;
                if let Some(last) = store.last_number(row.number)? {
                    generation = generation.max(last);
                    far.generations += u64::from(last);
                    let is_over = pulse.finished || part.generations > 0 && last >= part.generations;
                    runs.push(SeenRun::new(store, row, last, is_over, pulse.seconds)?);
                }
            }
            far.seconds += pulse.seconds;
            far.generation += generation;
            far.games += games;
            let planned = if pulse.finished { games } else { part.games };
            far.planned_games = far.planned_games.saturating_add(planned);
            far.pairs += pulse.pairs;
            // What is wrong with it, requests say.
            let is_verified = || {
                store.verification(&part.id).map_or(true, |all| all.iter().all(BaselineMatch::is_complete))
            };
            far.is_verified &= !pulse.finished || is_verified();
        }
        self.rate.saw(far.seconds, far.games);
        (self.far, self.runs, self.measured) = (far, runs, Some(Instant::now()));
        Ok(())
    }

    fn live(&self, app: &App, alive_stage: Option<Instant>) -> Live {
        let id = &self.pulse.id;
        let is_over = self.pulse.finished && self.far.is_verified;
        let own = app.runs.now(owner(id));
        // What was written by a run here, or at its end, says nothing of others.
        let is_others = |alive: &Instant| match &own {
            Some(now) => now.ended.is_some_and(|ended| *alive > ended + 3 * PACE),
            None => true,
        };
        let alive = self.alive.max(alive_stage).filter(is_others);
        // How it ended here counts until somebody else goes on with it, and not for a stage that was over before.
        let own = own.filter(|_| alive.is_none() && !(id.contains('/') && is_over));
        let is_alive = alive.is_some_and(|alive| alive.elapsed() < SILENCE);
        let here = own.as_ref().filter(|now| now.status.is_active());
        let status = match &own {
            Some(now) => now.status.as_str(),
            None if is_alive && self.pulse.finished => "verifying",
            None if is_alive => "running",
            None if is_over => "finished",
            None => "stopped",
        };
        let is_running = matches!(status, "running" | "pausing" | "stopping");
        let plays_games = self.plan.parts.iter().any(|part| part.plays_games);
        let Far { generation, games, planned_games, kept, .. } = self.far;
        Live {
            status,
            here: here.is_some(),
            on_grid: here.is_some_and(|now| now.on_grid),
            can_resume: !self.plan.plays_programs,
            generation,
            // Generations of different stages are not alike, and games are.
            generations: self
                .plan
                .sum(|part| part.generations.into())
                .and_then(|sum| sum.try_into().ok())
                .filter(|_| !(self.plan.is_pipeline && plays_games)),
            games,
            planned_games: Some(planned_games).filter(|&games| games > 0 && plays_games),
            games_per_second: self.games_per_second().filter(|_| is_running && plays_games),
            eta_seconds: self.seconds_left().filter(|_| is_running),
            kept,
            busy: here.and_then(|now| now.progress).map(|progress| progress.busy),
            error: own.and_then(|now| now.error).map(|error| error.message().to_owned()),
        }
    }

    fn games_per_second(&self) -> Option<f64> {
        self.rate.per_second(self.far.seconds, self.far.games)
    }

    /// How much longer it takes.
    fn seconds_left(&self) -> Option<f64> {
        match self.plan.is_pipeline {
            true => self.left_by_games().or_else(|| self.left_by_generations()),
            false => self.left_by_generations().or_else(|| self.left_by_games()),
        }
    }

    fn left_by_games(&self) -> Option<f64> {
        let Far { games, planned_games, .. } = self.far;
        let rate = self.games_per_second().filter(|&rate| rate > 0.0 && planned_games > 0)?;
        Some(planned_games.saturating_sub(games) as f64 / rate)
    }

    fn left_by_generations(&self) -> Option<f64> {
        let all = self.plan.sum(|part| part.all_generations)?;
        let going = self.runs.iter().filter(|run| !run.is_over);
        let paces = going.filter_map(|run| Some((run.pace?, run.since)));
        // Those in progress count by their time, so that what is left does not wait for their ends.
        let (rate, begun) = paces.fold((0.0, 0.0), |(rate, begun), (pace, since)| {
            (rate + pace.recip(), begun + (since / pace).clamp(0.0, 1.0))
        });
        let left = all.saturating_sub(self.far.generations) as f64 - begun;
        (rate > 0.0).then(|| left.max(0.0) / rate)
    }
}

impl SeenRun {
    fn new(store: &Store, row: RunRow, last: u32, is_over: bool, seconds: f64) -> Result<Self, ApiError> {
        let (mut pace, mut since) = (None, 0.0);
        let first = last.saturating_sub(ENOUGH_GENERATIONS.max(last / 4));
        if !is_over
            && let (Some(begin), Some(end)) =
                (store.generation_end(row.number, first)?, store.generation_end(row.number, last)?)
        {
            pace =
                Some((end - begin) / f64::from(last - first)).filter(|&pace| pace > 0.0 && pace.is_finite());
            since = (seconds - end).max(0.0);
        }
        Ok(Self { row, last, is_over, pace, since })
    }
}

impl Planned {
    fn of(store: &Store, id: &str) -> Self {
        let Some(row) = store.find(id).ok().flatten() else { return Self::default() };
        let plan = match row.is_pipeline() {
            true => row.pipeline().map(Plan::Pipeline),
            false => row.experiment().map(Plan::Experiment),
        };
        let Ok(plan) = plan else { return Self::default() };
        let part = |(id, experiment): (String, &Experiment)| Part {
            id,
            generations: experiment.head.budget.generations,
            all_generations: experiment.planned_generations(),
            games: experiment.planned_games(),
            plays_games: experiment.plays_games(),
        };
        let ids: Vec<String> = match &plan {
            Plan::Pipeline(pipeline) => {
                pipeline.stages().iter().map(|stage| format!("{id}/{}", stage.name)).collect()
            }
            Plan::Experiment(_) => vec![id.to_owned()],
        };
        Self {
            parts: ids.into_iter().zip(plan.experiments()).map(part).collect(),
            is_pipeline: row.is_pipeline(),
            plays_programs: !plan.engines().is_empty(),
        }
    }

    /// What all parts come to; nothing where one of them has no bound.
    fn sum(&self, of: impl Fn(&Part) -> u64) -> Option<u64> {
        let bounds = self.parts.iter().map(|part| Some(of(part)).filter(|&bound| bound > 0));
        bounds.reduce(|sum, bound| Some(sum?.saturating_add(bound?))).flatten()
    }
}

/// How quickly games are played: over some seconds, and longer where they are few.
#[derive(Debug, Clone, Default)]
struct GameRate {
    /// After how many seconds there were more games.
    points: VecDeque<(f64, u64)>,
}

impl GameRate {
    fn saw(&mut self, seconds: f64, games: u64) {
        // One that was started over has fewer.
        self.points.retain(|&(then, before)| then <= seconds && before <= games);
        if self.points.back().is_none_or(|&(_, before)| games > before) {
            self.points.push_back((seconds, games));
        }
        let is_enough =
            |&(then, before): &(f64, u64)| seconds - then >= WINDOW && games >= before + ENOUGH_GAMES;
        while self.points.get(1).is_some_and(is_enough) {
            self.points.pop_front();
        }
    }

    fn per_second(&self, seconds: f64, games: u64) -> Option<f64> {
        let &(then, before) = self.points.front()?;
        let passed = seconds - then;
        (passed > 0.3).then(|| games.saturating_sub(before) as f64 / passed)
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
        let mut matches = WatchedMatches::default();
        let mut was_there = true;
        while !app.watch.is_over.load(Ordering::Relaxed) {
            let is_there = app.lab.is_there();
            if was_there && !is_there {
                app.events.end_all();
            }
            was_there = is_there;
            // What is wrong with the lab, requests say.
            let _ = app.lab.with(|store| look(&app, store, &mut is_first, looks.is_multiple_of(SLOW_LOOKS)));
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(SLOW_LOOKS) {
                app.events.tell(matches.news(&app));
            }
            std::thread::sleep(PACE);
        }
    };
    std::thread::Builder::new().name("watch".to_owned()).spawn(look).map(drop)
}

/// What is new of an experiment.
#[derive(Default)]
struct Change {
    /// It has begun or ended.
    is_other: bool,
    /// It may be further than before.
    is_further: bool,
}

/// The pipeline of a stage, or the experiment itself.
pub fn owner(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// Looks at the lab once.
fn look(app: &App, store: &Store, is_first: &mut bool, tells_lists: bool) -> Result<(), ApiError> {
    let pulses = store.pulses()?;
    let mut news = Vec::new();
    let mut seen = app.watch.seen();
    let there: BTreeSet<&str> = pulses.iter().map(|pulse| pulse.id.as_str()).collect();
    let gone: Vec<String> = seen.keys().filter(|id| !there.contains(id.as_str())).cloned().collect();
    for id in gone {
        seen.remove(&id);
        news.push(News::new(Topic::Lists, "removed", &json!({ "id": id })));
    }
    let mut changes: BTreeMap<String, Change> = BTreeMap::new();
    for pulse in &pulses {
        let is_new = !seen.contains_key(&pulse.id);
        let entry = seen.entry(pulse.id.clone()).or_insert_with(|| Seen::new(store, pulse));
        let ends = pulse.finished != entry.pulse.finished;
        let mut grows = entry.hear(pulse);
        if is_new && !*is_first && !pulse.finished {
            (entry.alive, grows) = (Some(Instant::now()), true);
        }
        let was_running = entry.live.as_ref().is_some_and(Live::is_running);
        let here = app.runs.now(owner(&pulse.id));
        let is_here = here.as_ref().is_some_and(|now| now.status.is_active());
        // It may have begun and failed since the last look, or been stopped while it was paused.
        let is_told = |now: &Now| entry.live.as_ref().is_some_and(|live| live.status == now.status.as_str());
        let is_other = here.as_ref().is_some_and(|now| !is_told(now));
        if is_new || grows || ends || was_running || is_here || is_other {
            // A pipeline changes with its stages.
            for id in BTreeSet::from([owner(&pulse.id), pulse.id.as_str()]) {
                let change = changes.entry(id.to_owned()).or_default();
                change.is_other |= is_new || ends;
                change.is_further |= is_new || grows || ends || is_here;
            }
        }
    }
    let mut told = BTreeSet::new();
    for (id, change) in changes {
        let stage = stage_alive(&seen, &id);
        let Some(entry) = seen.get_mut(&id) else { continue };
        if change.is_further {
            entry.measure(store)?;
        }
        let topic = Topic::Experiment(id.clone());
        if !entry.plan.is_pipeline && app.events.is_heard(&topic) && !*is_first {
            news.extend(entry.new_generations(store, &topic)?);
        } else {
            entry.told = entry.runs.iter().map(|run| (run.row.number, run.last)).collect();
        }
        let live = entry.live(app, stage);
        let is_changed = entry.live.as_ref() != Some(&live);
        let status_changed = entry.live.as_ref().is_none_or(|before| before.status != live.status);
        if is_changed {
            news.push(News::new(topic.clone(), "state", &state(&id, &live, entry.far.seconds)));
        }
        let is_verified_further = tells_lists && entry.far.pairs != entry.told_pairs;
        if (change.is_other || status_changed || is_verified_further) && !*is_first {
            entry.told_pairs = entry.far.pairs;
            news.push(News::new(topic, "changed", &json!({ "id": id })));
        }
        entry.live = Some(live);
        if !id.contains('/') && (status_changed || (is_changed || is_verified_further) && tells_lists) {
            told.insert(id);
        }
    }
    drop(seen);
    if app.events.is_heard(&Topic::Lists) && !told.is_empty() {
        let lab = gamete_lab::LabView::new(store);
        let summaries: Vec<_> = told.iter().filter_map(|id| summary(app, store, lab, id).ok()).collect();
        news.push(News::new(Topic::Lists, "experiments", &json!({ "experiments": summaries })));
    }
    app.events.tell(news);
    *is_first = false;
    Ok(())
}

impl Seen {
    /// Generations that nobody was told of yet.
    fn new_generations(&mut self, store: &Store, topic: &Topic) -> Result<Vec<News>, ApiError> {
        let mut news = Vec::new();
        for SeenRun { row, last, .. } in &self.runs {
            let first = self.told.insert(row.number, *last).map_or(0, |told| told + 1);
            if first > *last {
                continue;
            }
            for generation in store.thinned(row.number, first, *last, MOST_GENERATIONS)?.generations {
                let data = json!({ "id": self.pulse.id, "run": row.path, "generation": generation });
                news.push(News::new(topic.clone(), "generation", &data));
            }
        }
        Ok(news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(parts: Vec<Part>, runs: Vec<SeenRun>, far: Far) -> Seen {
        Seen {
            pulse: Pulse { id: "x".to_owned(), seconds: far.seconds, finished: false, pairs: 0 },
            alive: None,
            plan: Planned { is_pipeline: parts.len() > 1, parts, plays_programs: false },
            far,
            measured: None,
            rate: GameRate::default(),
            runs,
            told: BTreeMap::new(),
            told_pairs: 0,
            live: None,
        }
    }

    fn part(generations: u32, games: u64) -> Part {
        let all_generations = generations.into();
        Part { id: "x".to_owned(), generations, all_generations, games, plays_games: true }
    }

    fn run(last: u32, pace: Option<f64>, since: f64) -> SeenRun {
        let row = RunRow { number: 1, path: String::new() };
        SeenRun { row, last, is_over: false, pace, since }
    }

    #[test]
    fn what_is_left_grows_less_within_a_generation_and_does_not_jump_at_its_end() {
        let left = |last: u32, since: f64| {
            let far = Far { generations: last.into(), ..Far::default() };
            seen(vec![part(10, 0)], vec![run(last, Some(256.0), since)], far).seconds_left()
        };
        assert_eq!(left(4, 0.0), Some(6.0 * 256.0));
        assert_eq!(left(4, 128.0), Some(5.5 * 256.0));
        assert_eq!(left(4, 256.0), left(5, 0.0));
        assert_eq!(left(4, 1024.0), Some(5.0 * 256.0), "one that takes longer is not two");
    }

    #[test]
    fn runs_of_a_study_go_on_at_once() {
        let far = Far { generations: 30, ..Far::default() };
        let runs = vec![
            run(10, Some(2.0), 0.0),
            run(10, Some(2.0), 0.0),
            SeenRun { is_over: true, ..run(10, None, 0.0) },
        ];
        let mut part = part(10, 0);
        part.all_generations = 50;
        assert_eq!(seen(vec![part], runs, far).seconds_left(), Some(20.0));
    }

    #[test]
    fn a_pipeline_is_measured_by_games() {
        let far = Far { games: 60, planned_games: 200, seconds: 30.0, ..Far::default() };
        let mut seen = seen(vec![part(10, 100), part(5, 100)], vec![run(9, Some(1.0), 0.0)], far);
        seen.rate.saw(0.0, 0);
        assert_eq!((seen.games_per_second(), seen.seconds_left()), (Some(2.0), Some(70.0)));
        assert_eq!(seen.plan.sum(|part| part.generations.into()), Some(15));
    }

    #[test]
    fn few_games_are_counted_over_a_longer_time() {
        let mut slow = GameRate::default();
        for minute in 0..30_u64 {
            slow.saw(minute as f64 * 60.0, minute);
            slow.saw(minute as f64 * 60.0 + 30.0, minute);
        }
        let rate = slow.per_second(29.5 * 60.0, 29).expect("a rate");
        assert!((rate * 60.0 - 1.0).abs() < 0.1, "{rate}");
        let mut quick = GameRate::default();
        for second in 0..100_u64 {
            quick.saw(second as f64, second * if second < 50 { 10 } else { 30 });
        }
        assert!(quick.points.len() < 20, "{:?}", quick.points);
        assert_eq!(quick.per_second(99.0, 99 * 30), Some(30.0));
        quick.saw(1.0, 5);
        assert_eq!(quick.per_second(2.0, 8), Some(3.0), "one that was started over");
    }
}
