use gamete_lab::{Experiment, next_commands, shell_word};

use crate::page::{Section, note};
use crate::subject::Subject;
use crate::text::Escaped;

/// How to do it again, and the file of the experiment.
pub fn repeat(subject: &Subject) -> Section {
    let row = &subject.row;
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
    text.push_str("<p>In the lab where it was run, type next:</p>\n");
    text.push_str(&format!("<pre><code>{}</code></pre>\n", Escaped(&next(subject))));
    text.push_str(&format!(
        "<details><summary>The experiment file, {}, with every default</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        Escaped(&file),
        Escaped(&row.file)
    ));
    Section::new("repeat", "Repeat it", text)
}

/// What else can be done with the experiment, a line for each command.
fn next(subject: &Subject) -> String {
    let id = &subject.row.id;
    let mut commands = vec![(format!("gamete show {id}"), "the numbers in the terminal")];
    if let Some(found) = &subject.conclusion {
        commands.extend(next_commands("", id, &subject.experiment, found, &subject.verification));
    }
    commands.push((format!("gamete export {id} --json"), "everything"));
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, purpose): &(String, &str)| format!("{command:<width$}  # {purpose}\n");
    commands.iter().map(line).collect()
}

/// More would be a file rather than a command.
const MAX_CHANGES: usize = 8;

/// The command that runs the same experiment, if it is a preset with some keys changed.
fn preset_command(file: &str, experiment: &Experiment) -> Option<String> {
    let name = experiment.head.name.as_str();
    let changes = experiment.changes_from_preset().filter(|_| experiment.text() == file)?;
    if changes.len() > MAX_CHANGES {
        return None;
    }
    let seed = experiment.head.seed;
    let mut command = format!("gamete evolve {name}");
    if Experiment::load(name, &[], None).is_ok_and(|preset| preset.head.seed != seed) {
        command.push_str(&format!(" --seed {seed}"));
    }
    for change in changes {
        command.push_str(&format!(" --set {}", shell_word(&change)));
    }
    Some(command)
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
        assert_eq!(shell_word("a=b"), "a=b");
        assert_eq!(shell_word("a='b c'"), r"'a='\''b c'\'''");
    }
}
