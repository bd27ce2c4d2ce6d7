use gamete_arena::date;
use gamete_lab::PipelineView;

use super::head::{elo_tiles, facts, facts_html, tiles, tiles_html};
use super::repeat::{commands, how_to_repeat};
use crate::page::{Section, note};
use crate::subject::{PipelineSubject, StageSubject};
use crate::text::{Escaped, count, duration, plural};

/// What a pipeline is, and the few numbers that say most.
pub fn pipeline_head(pipeline: &PipelineSubject) -> String {
    let view = &pipeline.view;
    let state = match view.conclusion {
        Some(_) => "",
        None => {
            "<p class=\"state\">This pipeline is not finished: the report tells what there is of it so far.</p>"
        }
    };
    let begun: Vec<_> = pipeline.stages.iter().filter_map(|stage| stage.subject.as_ref()).collect();
    let finished = begun.iter().filter(|stage| stage.view.conclusion.is_some()).count() as u64;
    let games = begun.iter().map(|stage| match &stage.view.conclusion {
        Some(found) => found.games,
        None => stage.games_and_draws().0,
    });
    let games: u64 = games.sum();
    let stages = pipeline.stages.len() as u64;
    let mut numbers = vec![
        (format!("{finished} of {stages}"), format!("{} finished", plural(stages, "stage"))),
        (count(games), plural(games, "game")),
    ];
    if let Some(last) = pipeline.stages.last().and_then(|last| last.subject.as_ref()) {
        numbers.extend(elo_tiles(&last.view.verification));
    }
    let seconds = begun.iter().map(|stage| stage.view.seconds).sum();
    numbers.push((duration(seconds), "running time".to_owned()));
    let order: Vec<String> =
        pipeline.stages.iter().map(|stage| format!("{} ({})", stage.name, stage.method)).collect();
    let mut settings = vec![
        ("stages", order.join(", then ")),
        ("seed", view.seed.to_string()),
        ("begun", date(view.created).replace('.', "-")),
    ];
    if let Some(found) = &view.conclusion {
        settings.push(("digest", found.digest.clone()));
    }
    format!(
        "<header>\n<p class=\"brand\">Gamete · pipeline</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n{state}\n{}{}</header>\n",
        Escaped(&view.id),
        Escaped(&view.about),
        tiles_html(&numbers),
        facts_html(&settings)
    )
}

/// What a stage is, above what came out of it.
pub fn stage(stage: &StageSubject) -> String {
    let beginning = note(&format!("It begins with {}.", Escaped(&stage.beginning)));
    match &stage.subject {
        Some(subject) => beginning + &tiles_html(&tiles(subject)) + &facts_html(&facts(subject)),
        None => beginning + &note(&format!("It has not begun. Its method is {}.", Escaped(&stage.method))),
    }
}

/// How to do all stages again, and the file of the pipeline.
pub fn repeat_pipeline(view: &PipelineView) -> Section {
    let next = commands(&view.id, view.next_commands(""));
    let text = how_to_repeat(&view.name, view.command.as_deref(), &next, &view.file);
    Section::new("repeat", "Repeat it", text)
}
