use gamete_lab::{MatchView, shell_word};

use crate::page::{Section, note};
use crate::text::Escaped;

/// How to resume it or play it again, and its configuration.
pub fn repeat(view: &MatchView) -> Section {
    let mut text = note(
        "The journal has every game. At fixed nodes or depth, players of Gamete play the same games again with the same seed, \
         on any number of cores and however often the match is interrupted.",
    );
    let journal = shell_word(&view.name());
    let verb = if view.finished { "shows its result again" } else { "resumes it" };
    if let Some(command) = &view.command {
        let words: Vec<_> = command.words.iter().map(|word| shell_word(word)).collect();
        text.push_str(&format!(
            "<pre class=\"command\"><code>gamete match {}</code></pre>\n",
            Escaped(&words.join(" "))
        ));
    }
    let lines = [
        (format!("gamete match {journal}"), verb),
        (format!("gamete show {journal}"), "the numbers in the terminal"),
        (format!("gamete export {journal} --games games.{}", view.game.file_ending()), "every game"),
        (format!("gamete export {journal} --json"), "everything"),
    ];
    let width = lines.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let lines: String =
        lines.iter().map(|(command, purpose)| format!("{command:<width$}  # {purpose}\n")).collect();
    text.push_str(&format!("<pre><code>{}</code></pre>\n", Escaped(&lines)));
    text.push_str(&format!(
        "<details><summary>The configuration, with every default</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        Escaped(&pretty(&view.configuration))
    ));
    Section::new("repeat", "Repeat it", text)
}

fn pretty(json: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(json).ok();
    value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| json.to_owned())
}
