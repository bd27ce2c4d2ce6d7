use crate::page::{Section, note};
use crate::subject::Subject;
use crate::text::Escaped;

/// How to do it again, and the file of the experiment.
pub fn repeat(subject: &Subject) -> Section {
    let view = &subject.view;
    let file = format!("{}.toml", view.name);
    let mut text = note(
        "The same file with the same seed gives the same games, populations and digest, on any number of cores and \
         however often it is interrupted, as long as the engine has the same signature.",
    );
    let command = view.command.clone().unwrap_or_else(|| {
        text.push_str("<p>Save the file below, then:</p>\n");
        format!("gamete evolve {file}")
    });
    text.push_str(&format!("<pre class=\"command\"><code>{}</code></pre>\n", Escaped(&command)));
    text.push_str("<p>In the lab where it was run, type next:</p>\n");
    text.push_str(&format!("<pre><code>{}</code></pre>\n", Escaped(&next(subject))));
    text.push_str(&format!(
        "<details><summary>The experiment file, {}, with every default</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        Escaped(&file),
        Escaped(&view.file)
    ));
    Section::new("repeat", "Repeat it", text)
}

/// What else can be done with the experiment, a line for each command.
fn next(subject: &Subject) -> String {
    let id = &subject.view.id;
    let mut commands = vec![(format!("gamete show {id}"), "the numbers in the terminal")];
    commands.extend(subject.view.next_commands(""));
    commands.push((format!("gamete export {id} --json"), "everything"));
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, purpose): &(String, &str)| format!("{command:<width$}  # {purpose}\n");
    commands.iter().map(line).collect()
}
