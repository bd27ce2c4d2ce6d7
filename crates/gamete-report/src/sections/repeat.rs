use crate::page::{Section, note};
use crate::subject::Subject;
use crate::text::Escaped;

/// How to do it again, and the file of the experiment.
pub fn repeat(subject: &Subject) -> Section {
    let view = &subject.view;
    let next = commands(&view.id, view.next_commands(""));
    Section::new("repeat", "Repeat it", how_to_repeat(&view.name, view.command.as_deref(), &next, &view.file))
}

/// The command, what to type next, and the file.
pub fn how_to_repeat(name: &str, command: Option<&str>, next: &str, content: &str) -> String {
    let file = format!("{name}.toml");
    let mut text = note(
        "The same file with the same seed gives the same games, populations and digest, on any number of cores and \
         however often it is interrupted, as long as the engine has the same signature. Limits by time, and UCI engines that \
         keep something from one game to the next, make games differ.",
    );
    let command = command.map(str::to_owned).unwrap_or_else(|| {
        text.push_str("<p>Save the file below, then:</p>\n");
        format!("gamete evolve {file}")
    });
    text.push_str(&format!("<pre class=\"command\"><code>{}</code></pre>\n", Escaped(&command)));
    text.push_str("<p>In the lab where it was run, type next:</p>\n");
    text.push_str(&format!("<pre><code>{}</code></pre>\n", Escaped(next)));
    text.push_str(&format!(
        "<details><summary>The experiment file, {}</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        Escaped(&file),
        Escaped(content)
    ));
    text
}

/// What else can be done with it, a line for each command.
pub fn commands(id: &str, next: Vec<(String, &'static str)>) -> String {
    let mut commands = vec![(format!("gamete show {id}"), "the numbers in the terminal")];
    commands.extend(next);
    commands.push((format!("gamete export {id} --json"), "everything"));
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, purpose): &(String, &str)| format!("{command:<width$}  # {purpose}\n");
    commands.iter().map(line).collect()
}
