//! Presets as forms: what can be changed before an experiment is started, and what that is checked by.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Json as Answer;
use axum::extract::State;
use gamete_arena::GameName;
use gamete_lab::{Experiment, Field, FieldKind, Plan, presets};
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::Names;

/// A preset in a line of a list.
#[derive(Serialize)]
struct PresetHead {
    name: &'static str,
    about: String,
    method: String,
    is_pipeline: bool,
    is_study: bool,
    game: Option<GameName>,
    planned_games: u64,
    /// Why it can only be started at the command line, if that is so.
    needs: Option<String>,
}

#[derive(Serialize)]
pub struct Presets {
    presets: Vec<PresetHead>,
}

/// A preset as a form.
#[derive(Serialize)]
pub struct Form {
    name: String,
    about: String,
    file: String,
    needs: Option<String>,
    sections: Vec<Section>,
}

/// The keys of an experiment, or of a stage.
#[derive(Serialize)]
struct Section {
    place: String,
    title: String,
    keys: Vec<Field>,
}

fn load(name: &str) -> Result<Plan, ApiError> {
    if presets::text(name).is_none() {
        let name: String = name.chars().take(80).collect();
        return Err(ApiError::not_found(format!("there is no preset {name:?}; /api/presets lists all")));
    }
    Ok(Plan::load(name, &[], None)?.0)
}

/// Why a preset can only be started at the command line.
fn needs(plan: &Plan) -> Option<String> {
    let is_own = |field: &Field| !field.editable && field.value == "own";
    let is_empty = |field: &Field| {
        let own = field.path.rsplit('.').next().unwrap_or_default();
        ["corpus", "file"].contains(&own) && field.value == ""
    };
    let fields: Vec<Field> = plan.experiments().iter().flat_map(Experiment::fields).collect();
    if let Some(field) = fields.iter().find(|field| is_empty(field)) {
        return Some(format!("{}: {}; start it with `gamete evolve`", field.path, field.about));
    }
    fields.iter().any(is_own).then(|| {
        "it learns from games and positions that `gamete evolve` makes or is given; start it at the command line".to_owned()
    })
}

/// `GET /api/presets`.
pub async fn list(State(app): State<App>) -> Result<Answer<&'static Presets>, ApiError> {
    // They do not change, and to count the games of all of them takes a while.
    static ALL: LazyLock<Presets> =
        LazyLock::new(|| Presets { presets: presets::names().map(head).collect() });
    app.blocking(|_| Ok(Answer(&*ALL))).await
}

fn head(name: &'static str) -> PresetHead {
    let planned =
        |plan: &Plan| plan.experiments().iter().map(Experiment::planned_games).fold(0, u64::saturating_add);
    match load(name) {
        Ok(plan) => PresetHead {
            name,
            about: plan.about().to_owned(),
            method: match &plan {
                Plan::Pipeline(_) => "pipeline".to_owned(),
                Plan::Experiment(experiment) => experiment.head.method.clone(),
            },
            is_pipeline: matches!(plan, Plan::Pipeline(_)),
            is_study: matches!(&plan, Plan::Experiment(experiment) if experiment.is_study()),
            game: plan
                .experiments()
                .first()
                .and_then(|first| first.method.breed())
                .map(|breed| breed.model().game),
            planned_games: planned(&plan),
            needs: needs(&plan),
        },
        Err(error) => PresetHead {
            name,
            about: String::new(),
            method: String::new(),
            is_pipeline: false,
            is_study: false,
            game: None,
            planned_games: 0,
            needs: Some(format!("{}; start it with `gamete evolve`", error.message())),
        },
    }
}

/// `GET /api/presets/{name}`.
pub async fn one(State(app): State<App>, Names(name): Names<String>) -> Result<Answer<Form>, ApiError> {
    app.blocking(move |_| {
        let plan = load(&name)?;
        let section = |(place, experiment): (String, &Experiment)| Section {
            title: match place.is_empty() {
                true => experiment.head.method.clone(),
                false => place.trim_start_matches("stages.").trim_end_matches('.').to_owned(),
            },
            keys: fields(&place, experiment),
            place,
        };
        Ok(Answer(Form {
            about: plan.about().to_owned(),
            file: plan.annotated_text(),
            needs: needs(&plan),
            sections: plan.places().into_iter().map(section).collect(),
            name,
        }))
    })
    .await
}

/// Keys that are the same for all stages of a pipeline.
const OF_ALL_STAGES: [&str; 3] = ["name", "about", "seed"];

fn fields(place: &str, experiment: &Experiment) -> Vec<Field> {
    let own = experiment
        .fields()
        .into_iter()
        .filter(|field| place.is_empty() || !OF_ALL_STAGES.contains(&field.path.as_str()));
    own.map(|field| Field { path: format!("{place}{}", field.path), ..field }).collect()
}

/// Names become names of files.
const LONGEST_TEXT: usize = 120;

/// Changes of a preset as `--set` takes them. Texts are taken only where a form has them: those that name files and programs are for
/// the command line.
///
/// # Errors
///
/// When there is no such preset, or a change is none that a form could make.
pub fn changes(preset: &str, set: &BTreeMap<String, Value>) -> Result<Vec<String>, ApiError> {
    let plan = load(preset)?;
    let known: Vec<Field> = plan.places().into_iter().flat_map(|(place, one)| fields(&place, one)).collect();
    set.iter()
        .map(|(key, value)| {
            let refused = |reason: &str| Err(ApiError::invalid(format!("{key}: {reason}")).about(key));
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-* ".contains(letter);
            let field = known.iter().find(|field| field.path == *key);
            // Keys of presets may be quoted, as `genes."mutation.draw"`; others are not to be more than keys.
            if field.is_none() && (key.is_empty() || key.len() > 200 || !key.chars().all(is_plain)) {
                return Err(ApiError::invalid("a key has letters, digits, `.`, `_`, `-` and `*`"));
            }
            if field.is_some_and(|field| !field.editable) {
                return refused("it can only be set at the command line");
            }
            match value {
                Value::String(text) if text.chars().count() > LONGEST_TEXT => {
                    refused(&format!("it is longer than {LONGEST_TEXT} letters"))
                }
                Value::String(text) => match field.map(|field| &field.kind) {
                    Some(FieldKind::Text | FieldKind::Choice { .. })
                        if !text.chars().any(char::is_control) =>
                    {
                        Ok(format!("{key}={}", toml::Value::from(text.as_str())))
                    }
                    _ => refused("a text has no place there"),
                },
                value if is_numbers(value, 2) => Ok(format!("{key}={value}")),
                _ => refused("give a number, true or false, or a list of these"),
            }
        })
        .collect()
}

/// Whether a value is a number, a switch, or a list of them.
fn is_numbers(value: &Value, depth: u32) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::Array(values) => {
            depth > 0 && values.len() <= 1000 && values.iter().all(|value| is_numbers(value, depth - 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_to_set(preset: &str, key: &str, value: Value) -> Result<Vec<String>, String> {
        changes(preset, &BTreeMap::from([(key.to_owned(), value)]))
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn numbers_and_words_of_forms_are_taken() {
        assert_eq!(
            try_to_set("kendall-whitwell", "population", 12.into()),
            Ok(vec!["population=12".to_owned()])
        );
        assert_eq!(
            try_to_set("kendall-whitwell", "weights.pawn", serde_json::json!([0, 3.5])),
            Ok(vec!["weights.pawn=[0,3.5]".to_owned()])
        );
        assert_eq!(
            try_to_set("kendall-whitwell", "limits", "nodes=100".into()),
            Ok(vec!["limits=\"nodes=100\"".to_owned()])
        );
    }

    #[test]
    fn what_a_form_shows_it_may_set() {
        for name in presets::names() {
            let Ok(plan) = load(name) else { continue };
            let fields: Vec<Field> =
                plan.places().into_iter().flat_map(|(place, one)| fields(&place, one)).collect();
            for field in fields.into_iter().filter(|field| field.editable) {
                assert!(try_to_set(name, &field.path, field.value.clone()).is_ok(), "{name} {field:?}");
            }
        }
    }

    #[test]
    fn nothing_names_a_file_or_a_program() {
        for (preset, key, value) in [
            ("piece-values", "match.opponents", serde_json::json!(["/etc/passwd"])),
            ("piece-values", "match.engine", "/bin/sh".into()),
            ("piece-values", "match.openings", "/etc/passwd".into()),
            ("piece-values", "openings", "/etc/passwd".into()),
            ("imitation", "experts.corpus", "/etc/passwd".into()),
            ("kendall-whitwell", "x=1\nweights.pawn", 1.into()),
            ("kendall-whitwell", "population\"", 1.into()),
            ("kendall-whitwell", "", 1.into()),
            ("kendall-whitwell", "method", "optimize".into()),
            ("kendall-whitwell", "population", serde_json::json!({ "a": "b" })),
            ("../../etc/passwd", "population", 1.into()),
        ] {
            assert!(try_to_set(preset, key, value.clone()).is_err(), "{preset} {key} {value}");
        }
    }
}
