use gamete_lab::{Experiment, presets};
use toml::{Table, Value};

use crate::page::{Section, note};
use crate::subject::Subject;
use crate::text::Escaped;

/// How to do it again, and the file of the experiment.
pub fn repeat(subject: &Subject) -> Section {
    let row = &subject.row;
    let id = Escaped(&row.id);
    let name = &subject.experiment.head.name;
    let file = format!("{name}.toml");
    let mut text = note(
        "The same file with the same seed gives the same games, populations and digest, on any number of cores and \
         however often it is interrupted, as long as the engine has the same signature.",
    );
    let command = preset_command(&row.file, &subject.experiment).unwrap_or_else(|| {
        text.push_str("<p>Save the file below, then:</p>\n");
        format!("gamete evolve {file}")
    });
    text.push_str(&format!("<pre class=\"command\"><code>{}</code></pre>\n", Escaped(&command)));
    text.push_str(&format!(
        "<p>In the lab where it was run, <code>gamete show {id}</code>, <code>gamete export {id} --json</code> and \
         <code>gamete report {id}</code> tell more of it.</p>\n\
         <details><summary>The experiment file, {}, with every default</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        Escaped(&file),
        Escaped(&row.file)
    ));
    Section::new("repeat", "Repeat it", text)
}

/// More would be a file rather than a command.
const MOST_CHANGES: usize = 8;

/// The command that runs the same experiment, if it is a preset with some keys changed.
fn preset_command(file: &str, experiment: &Experiment) -> Option<String> {
    let name = experiment.head.name.as_str();
    presets::text(name)?;
    let seed = experiment.head.seed;
    let preset = Experiment::load(name, &[], None).ok()?;
    let (was, now) = (preset.table(), experiment.table());
    let mut changes = Vec::new();
    if was.get("model") == now.get("model") {
        differences("", &was, &now, &mut changes);
    } else {
        // The ranges of the weights are another model's.
        let model = vec![format!("model={}", now.get("model")?)];
        let preset = Experiment::load(name, &model, None).ok()?;
        differences("", &preset.table(), &now, &mut changes);
        changes.extend(model);
    }
    let same = Experiment::load(name, &changes, Some(seed)).is_ok_and(|same| same.text() == file);
    if !same || changes.len() > MOST_CHANGES {
        return None;
    }
    let mut command = format!("gamete evolve {name}");
    if seed != preset.head.seed {
        command.push_str(&format!(" --seed {seed}"));
    }
    for change in changes {
        command.push_str(&format!(" --set {}", quoted(&change)));
    }
    Some(command)
}

/// The keys with other values, as the command line takes them. Arms follow from the other keys.
fn differences(place: &str, was: &Table, now: &Table, changes: &mut Vec<String>) {
    for (key, value) in now {
        if place.is_empty() && ["arms", "name", "seed"].contains(&key.as_str()) {
            continue;
        }
        let bare = key.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"_-".contains(&letter));
        let path =
            if bare { format!("{place}{key}") } else { format!("{place}{}", Value::from(key.as_str())) };
        match (was.get(key), value) {
            (Some(was), now) if was == now => {}
            (Some(Value::Table(was)), Value::Table(now)) => {
                differences(&format!("{path}."), was, now, changes);
            }
            (_, Value::Table(now)) => differences(&format!("{path}."), &Table::new(), now, changes),
            (_, value) => changes.push(format!("{path}={value}")),
        }
    }
}

/// A word as shells take it.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-=/".contains(letter);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(preset: &str, changes: &[&str], seed: Option<u64>) -> Option<String> {
        let changes: Vec<_> = changes.iter().map(|&change| change.to_owned()).collect();
        let experiment = Experiment::load(preset, &changes, seed).unwrap();
        preset_command(&experiment.text(), &experiment)
    }

    #[test]
    fn commands_say_what_was_changed() {
        let same = |preset, changes, seed, text: &str| {
            assert_eq!(command(preset, changes, seed).as_deref(), Some(text));
        };
        same("kendall-whitwell", &[], None, "gamete evolve kendall-whitwell");
        same(
            "kendall-whitwell",
            &["generations=3", "population=4"],
            Some(7),
            "gamete evolve kendall-whitwell --seed 7 --set generations=3 --set population=4",
        );
        same("mutation-study", &["generations=3"], None, "gamete evolve mutation-study --set generations=3");
        same(
            "kendall-whitwell",
            &["weights.pawn=[0,3]"],
            None,
            "gamete evolve kendall-whitwell --set 'weights.pawn=[0.0, 3.0]'",
        );
        same(
            "kendall-whitwell",
            &["preset=full"],
            None,
            "gamete evolve kendall-whitwell --set 'preset=\"full\"'",
        );
        same(
            "meta-mutation",
            &["genes.\"mutation.draw\"=0.5"],
            None,
            "gamete evolve meta-mutation --set 'genes.\"mutation.draw\"=0.5'",
        );
    }

    #[test]
    fn another_model_brings_its_own_weights() {
        let text = "gamete evolve kendall-whitwell --set population=4 --set 'model=\"checkers/squares\"'";
        let changes = ["model=checkers/squares", "population=4"];
        assert_eq!(command("kendall-whitwell", &changes, None).as_deref(), Some(text));
    }

    #[test]
    fn other_names_are_no_presets() {
        assert_eq!(command("kendall-whitwell", &["name=mine"], None), None);
    }

    #[test]
    fn shells_take_words_as_they_are_meant() {
        assert_eq!(quoted("a=b"), "a=b");
        assert_eq!(quoted("a='b c'"), r"'a='\''b c'\'''");
    }
}
