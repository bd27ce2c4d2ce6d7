use std::fmt::Write;

use crate::board::Replay;
use crate::text::Escaped;

/// A board on which the reader steps through games.
pub fn viewer(replays: &[Replay]) -> String {
    let mut options = String::new();
    for (index, replay) in replays.iter().enumerate() {
        let _ = write!(options, "<option value=\"{index}\">{}</option>", Escaped(&replay.label));
    }
    // Nothing in the text may end the script.
    let json = serde_json::to_string(replays).expect("plain data").replace('<', "\\u003c");
    format!(
        "<div class=\"viewer\" id=\"viewer\" tabindex=\"0\">\n{}<div class=\"table\">\n\
         <svg class=\"board\" viewBox=\"0 0 320 320\" role=\"img\" aria-label=\"Board\"></svg>\n\
         <div class=\"controls\">\
         <button type=\"button\" data-go=\"first\" aria-label=\"First position\">«</button>\
         <button type=\"button\" data-go=\"back\" aria-label=\"One ply back\">‹</button>\
         <button type=\"button\" data-go=\"on\" aria-label=\"One ply on\">›</button>\
         <button type=\"button\" data-go=\"last\" aria-label=\"Last position\">»</button>\
         <button type=\"button\" data-go=\"turn\" aria-label=\"Turn the board\">turn</button></div>\n</div>\n\
         <div class=\"score\">\n<select aria-label=\"Game\">{options}</select>\n<p class=\"players\"></p>\n\
         <p class=\"end\"></p>\n<div class=\"moves\"></div>\n</div>\n</div>\n\
         <noscript><p class=\"note\">Replaying games takes JavaScript.</p></noscript>\n\
         <script type=\"application/json\" id=\"replays\">{json}</script>\n",
        include_str!("pieces.svg")
    )
}
