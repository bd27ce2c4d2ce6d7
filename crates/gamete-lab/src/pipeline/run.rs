//! Running a pipeline from the top, for the first time or again.

use std::sync::atomic::AtomicBool;

use gamete_arena::{Executor, now};

use super::{METHOD, Pipeline};
use crate::RunError;
use crate::beginning::{check_from, complete};
use crate::run::{Conclusion, Session, check_resources, difference, is_same_file, run_claimed};
use crate::runtime::LabError;
use crate::store::{ExperimentRow, Store};
use crate::view::{Event, Progress};

/// Runs the stages of a pipeline one after another, or resumes them. `watch` receives what happens to all of them: progress is
/// that of the whole pipeline, and the names of runs begin with their stage.
///
/// # Errors
///
/// As [`run`](crate::run) of an experiment.
pub fn run_pipeline(
    store: &Store,
    id: &str,
    pipeline: &Pipeline,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Event),
) -> Result<Session, RunError> {
    let _claim = store.claim(id)?;
    begin(store, id, pipeline)?;
    let mut left: u64 = pipeline.planned_games();
    watch(&Event::Started { id: id.to_owned(), planned_games: left, seconds: store.seconds(id)? });
    let mut sessions: Vec<Session> = Vec::new();
    for (index, stage) in pipeline.stages().iter().enumerate() {
        let stage_id = format!("{id}/{}", stage.name);
        let experiment = complete(store, &stage_id, &pipeline.stage_table(index, id))
            .map_err(|error| error.of_stage(index, &stage.name))?;
        left = left.saturating_sub(pipeline.drafts()[index].planned_games());
        watch(&Event::Stage {
            name: stage.name.clone(),
            number: index + 1,
            stages: pipeline.stages().len(),
            genes: experiment.genes(),
            planned_generations: experiment.planned_generations(),
            plays_games: experiment.plays_games(),
        });
        let before = sum(sessions.iter().map(|session| session.progress));
        let own_run = |run: &str| match run {
            "" => stage.name.clone(),
            run => format!("{}/{run}", stage.name),
        };
        let session = run_claimed(store, &stage_id, &experiment, executor, stop, |event| match event {
            Event::Started { .. } | Event::Finished { .. } | Event::Stage { .. } => {}
            Event::Generation { run, generation, is_stored } => watch(&Event::Generation {
                run: own_run(run),
                generation: generation.clone(),
                is_stored: *is_stored,
            }),
            Event::Game { run, game } => watch(&Event::Game { run: own_run(run), game: game.clone() }),
            Event::Progress(progress) => watch(&Event::Progress(Progress {
                planned: before.planned.saturating_add(progress.planned).saturating_add(left),
                played: before.played + progress.played,
                replayed: before.replayed + progress.replayed,
                seconds: before.seconds + progress.seconds,
                ..*progress
            })),
            Event::Concern(_) | Event::Stopped { .. } => watch(event),
        });
        let session = session.map_err(|error| error.of_stage(index, &stage.name))?;
        // What was planned of it is known now.
        let games = session.conclusion.games;
        sessions.push(Session { progress: Progress { planned: games, ..session.progress }, ..session });
        store.set_seconds(id, sessions.iter().map(|session| session.seconds).sum())?;
    }
    let conclusion = conclude(&sessions);
    store.set_result(id, &serde_json::to_string(&conclusion).expect("plain data"))?;
    watch(&Event::Finished { conclusion: conclusion.clone() });
    Ok(Session {
        conclusion,
        seconds: sessions.iter().map(|session| session.seconds).sum(),
        progress: sum(sessions.iter().map(|session| session.progress)),
    })
}

/// Writes a new pipeline down, or checks that it is the one that was begun.
fn begin(store: &Store, id: &str, pipeline: &Pipeline) -> Result<(), RunError> {
    let file = pipeline.text();
    match store.find(id)? {
        Some(row) if is_same_file(&row.file, &file) => return Ok(()),
        Some(row) => {
            let what = match row.pipeline() {
                Ok(stored) => difference(&stored.table_by_name(), &pipeline.table_by_name()),
                Err(_) => "it was no pipeline".to_owned(),
            };
            return Err(RunError::Changed { id: id.to_owned(), what });
        }
        None => {}
    }
    let first = format!("{id}/{}", pipeline.stages()[0].name);
    check_from(store, &complete(store, &first, &pipeline.stage_table(0, id))?)?;
    for (stage, draft) in pipeline.stages().iter().zip(pipeline.drafts()) {
        let place = format!("stages.{}", stage.name);
        check_resources(draft).map_err(|error| RunError::from(LabError::from(error)).inside(&place))?;
    }
    store.insert(&ExperimentRow {
        id: id.to_owned(),
        file,
        method: METHOD.to_owned(),
        about: pipeline.about.clone(),
        seed: pipeline.seed,
        // Its stages have theirs.
        signature: String::new(),
        created: now(),
        seconds: 0.0,
        result: None,
    })?;
    Ok(())
}

/// The champion is that of the last stage; the digest is a hash of those of all.
fn conclude(sessions: &[Session]) -> Conclusion {
    let mut hasher = blake3::Hasher::new();
    for session in sessions {
        hasher.update(session.conclusion.digest.as_bytes());
    }
    Conclusion {
        champion: sessions.last().map_or_else(Vec::new, |last| last.conclusion.champion.clone()),
        digest: hasher.finalize().to_hex().to_string(),
        games: sessions.iter().map(|session| session.conclusion.games).sum(),
        champions: Vec::new(),
        playoffs: Vec::new(),
        classical: Vec::new(),
        differences: Vec::new(),
        slices: Vec::new(),
    }
}

/// The progress of several stages together.
fn sum(all: impl Iterator<Item = Progress>) -> Progress {
    let nothing = Progress { played: 0, replayed: 0, planned: 0, seconds: 0.0, busy: 0.0, writing: 0.0 };
    all.fold(nothing, |sum, one| {
        let seconds = sum.seconds + one.seconds;
        let mean =
            |sum_of: f64, of: f64| (sum_of * sum.seconds + of * one.seconds) / seconds.max(f64::MIN_POSITIVE);
        Progress {
            played: sum.played + one.played,
            replayed: sum.replayed + one.replayed,
            planned: sum.planned.saturating_add(one.planned),
            busy: mean(sum.busy, one.busy),
            writing: mean(sum.writing, one.writing),
            seconds,
        }
    })
}
