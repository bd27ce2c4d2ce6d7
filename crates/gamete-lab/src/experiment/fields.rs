//! The keys of an experiment as a form shows them: what each is, what it may be and what it means.

use gamete_arena::ModelInfo;
use gamete_engine::SearchSettings;
use gamete_game::Kind;
use gamete_optim::{Key, KeyKind};
use serde::Serialize;
use toml::{Table, Value};

use super::keys::key_path;
use super::{Experiment, write_settings};
use crate::breed::Breed;

/// A key of an experiment with its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    /// The key with all that it is in, as `--set` takes it.
    pub path: String,
    /// What it means, in a line; empty where nobody knows.
    pub about: String,
    /// What it may be.
    #[serde(flatten)]
    pub kind: FieldKind,
    /// What it is.
    pub value: serde_json::Value,
    /// What it is unless somebody says otherwise, where that is declared.
    pub default: Option<serde_json::Value>,
    /// Whether somebody may change it who is not at the command line: keys that name files and programs are for those who are, and
    /// so are keys that decide which others there are.
    pub editable: bool,
}

/// What a key may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FieldKind {
    /// A whole number.
    Integer {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// A number.
    Real {
        /// The smallest, if there is one.
        min: Option<f64>,
        /// The largest, if there is one.
        max: Option<f64>,
    },
    /// True or false.
    Flag,
    /// Two whole numbers, the smaller first.
    Integers {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// A number that is kept, or two between which it is sought.
    Range,
    /// One of some words.
    Choice {
        /// The words.
        choices: Vec<String>,
    },
    /// A text.
    Text,
    /// A list of texts.
    Texts,
}

/// Texts that name neither a file nor a program.
const PLAIN_TEXTS: [&str; 4] = ["name", "about", "from", "limits"];

impl Experiment {
    /// Its keys with their values, every default included, in the order in which people read them; those of arms are left out.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        self.add_fields("", &self.table(), &mut fields);
        fields
    }

    fn add_fields(&self, place: &str, table: &Table, fields: &mut Vec<Field>) {
        let declared = self.declared();
        let mut entries: Vec<(&String, &Value)> = table.iter().collect();
        entries.sort_by_key(|(key, value)| (value.is_table(), self.rank(&format!("{place}{key}"))));
        for (key, value) in entries {
            let path = key_path(place, key);
            match value {
                Value::Table(inner) => self.add_fields(&format!("{path}."), inner, fields),
                Value::Array(values) if values.iter().any(Value::is_table) => {}
                _ => {
                    let name = format!("{place}{key}");
                    let name = name.strip_prefix("inner.").unwrap_or(&name);
                    let found = declared.iter().find(|(known, _)| known == name).map(|(_, key)| *key);
                    let mut field = Field::new(path, found, value);
                    if found.is_none() {
                        field.about = self.about_number(place, key);
                    }
                    fields.push(field);
                }
            }
        }
    }
}

impl Experiment {
    /// What a weight of the model or a setting of the search means, and which numbers make sense.
    fn about_number(&self, place: &str, key: &str) -> String {
        let declared = match place.strip_prefix("inner.").unwrap_or(place) {
            "weights." => {
                let model = self.method.breed().map(Breed::model);
                model.and_then(|model| model.weights.iter().find(|weight| weight.name == key))
            }
            "search." => SearchSettings::setting(key).map(|setting| &setting.parameter),
            _ => None,
        };
        declared.map_or_else(String::new, |one| match one.kind {
            Kind::Flag => one.about.to_owned(),
            Kind::Integer | Kind::Real => format!("{}; {} to {} make sense", one.about, one.min, one.max),
        })
    }
}

impl Field {
    fn new(path: String, key: Option<&'static Key>, value: &Value) -> Self {
        let own = path.rsplit('.').next().unwrap_or_default();
        let is_start = path.starts_with("parameters.") || path.contains(".parameters.");
        let kind = match (key, value) {
            (Some(key), _) => FieldKind::of(key),
            // What is said of a parameter is one number, or a switch.
            (None, Value::Boolean(_)) if is_start => FieldKind::Flag,
            (None, Value::Integer(_) | Value::Float(_)) if is_start => {
                FieldKind::Real { min: None, max: None }
            }
            (None, _) => FieldKind::Range,
        };
        let editable = match &kind {
            FieldKind::Range => is_numbers(value),
            FieldKind::Text => PLAIN_TEXTS.contains(&own),
            FieldKind::Texts => false,
            _ => true,
        };
        Self {
            about: key.map_or_else(String::new, |key| key.about.to_owned()),
            kind,
            value: serde_json::to_value(value).unwrap_or_default(),
            default: key.and_then(default),
            editable,
            path,
        }
    }
}

impl FieldKind {
    fn of(key: &'static Key) -> Self {
        let bound = |bound: f64| (bound.abs() < f64::MAX).then_some(bound);
        let words =
            |words: &[&str]| Self::Choice { choices: words.iter().map(|&word| word.to_owned()).collect() };
        match key.kind {
            KeyKind::Integer { range: [min, max], .. } => Self::Integer { min, max },
            KeyKind::Real { range: [min, max], .. } => Self::Real { min: bound(min), max: bound(max) },
            KeyKind::Flag(_) => Self::Flag,
            KeyKind::Integers { range: [min, max], .. } => Self::Integers { min, max },
            KeyKind::Choice(choices) => words(choices),
            KeyKind::Text(_) if key.name == "model" => {
                words(&ModelInfo::all().iter().map(|model| model.name).collect::<Vec<_>>())
            }
            KeyKind::Text(_) if key.name == "preset" => words(SearchSettings::PRESETS),
            KeyKind::Text(_) => Self::Text,
            KeyKind::Texts => Self::Texts,
        }
    }
}

/// The default of a key as its file has it.
fn default(key: &'static Key) -> Option<serde_json::Value> {
    let table = write_settings(&gamete_optim::Settings::new(std::slice::from_ref(key)));
    let mut parts = key.name.split('.');
    let first = table.get(parts.next()?)?;
    let value = parts.try_fold(first, |value, part| value.get(part))?;
    serde_json::to_value(value).ok()
}

/// Whether a value is a number, a switch, or a list of them.
fn is_numbers(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => true,
        Value::Array(values) => values.iter().all(is_numbers),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn field(fields: &[Field], path: &str) -> Field {
        fields.iter().find(|field| field.path == path).unwrap_or_else(|| panic!("{path}")).clone()
    }

    #[test]
    fn keys_have_their_ranges_and_meanings() {
        let fields = Experiment::load("kendall-whitwell", &[], None).expect("a preset").fields();
        let population = field(&fields, "population");
        assert!(matches!(population.kind, FieldKind::Integer { min: 2.., .. }), "{population:?}");
        assert!(population.editable && !population.about.is_empty() && population.default.is_some());
        assert_eq!(population.value, 50);
        let pawn = field(&fields, "weights.pawn");
        assert!(pawn.about.contains("pawn") && pawn.about.ends_with(" make sense"), "{}", pawn.about);
        assert_eq!((pawn.kind.clone(), pawn.editable), (FieldKind::Range, true), "{pawn:?}");
        let fields_of_match = Experiment::load("league-match", &[], None).expect("a preset").fields();
        let start = field(&fields_of_match, "parameters.bishop_pair.start");
        assert_eq!((start.kind, start.editable), (FieldKind::Real { min: None, max: None }, true));
        assert!(!field(&fields, "method").editable, "other methods have other keys");
        assert!(matches!(field(&fields, "model").kind, FieldKind::Choice { choices } if choices.len() > 3));
    }

    #[test]
    fn keys_that_name_files_and_programs_are_for_the_command_line() {
        let fields = Experiment::load("piece-values", &[], None).expect("a preset").fields();
        let editable: Vec<&str> = fields
            .iter()
            .filter(|field| field.editable && matches!(field.kind, FieldKind::Text | FieldKind::Texts))
            .map(|field| field.path.as_str())
            .collect();
        assert_eq!(editable, ["name", "about", "from", "limits"]);
        assert!(!field(&fields, "match.opponents").editable);
    }

    #[test]
    fn every_field_of_every_preset_can_be_set_to_what_it_is() {
        for name in presets::names() {
            let Ok(experiment) = Experiment::load(name, &[], None) else { continue };
            // Another model, and be it the same, has ranges of its own.
            for field in
                experiment.fields().into_iter().filter(|field| field.editable && field.path != "model")
            {
                let change = match &field.value {
                    serde_json::Value::String(text) => format!("{}={text:?}", field.path),
                    value => format!("{}={value}", field.path),
                };
                let changed = Experiment::load(name, std::slice::from_ref(&change), None);
                assert!(changed.is_ok(), "{name}: {change}: {changed:?}");
            }
        }
    }
}
