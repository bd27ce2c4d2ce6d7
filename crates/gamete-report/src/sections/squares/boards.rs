use serde::Serialize;

use super::OnBoards;
use crate::chart::{Heat, heat_label, is_drawable, spread_out};
use crate::page::{Section, figure, figures, note};
use crate::squares::{SQUARES, Table, Weights};

/// More would make the file large.
const MAX_FRAMES: usize = 100;

/// What the page's script steps through.
#[derive(Serialize)]
struct Frames {
    /// The size that has the full colour.
    largest: f64,
    frames: Vec<Frame>,
}

/// The boards after a generation.
#[derive(Serialize)]
struct Frame {
    generation: u32,
    /// Of each board what is written on its squares from 1 to 32, with a comma between.
    boards: Vec<String>,
}

/// The weights as boards, to step through by generation.
pub fn boards(run: &OnBoards) -> Section {
    let shown = spread_out(run.means.len(), MAX_FRAMES);
    let largest = shown.iter().flat_map(|&index| sizes(&run.means[index])).fold(0.0, f64::max);
    let mut all = String::new();
    for (name, table) in run.last().tables() {
        let heat = Heat { about: &format!("{name}: weights by square"), values: table.values(), largest };
        let class = if name.starts_with("White") { "white" } else { "black" };
        all.push_str(&figure(&format!("<span class=\"{class}\">{name}</span>"), &heat.svg()));
    }
    let frames = Frames {
        largest,
        frames: shown
            .iter()
            .map(|&index| Frame {
                generation: run.run.generations[index].number,
                boards: run.means[index].tables().into_iter().map(|(_, table)| texts(&table)).collect(),
            })
            .collect(),
    };
    let json = serde_json::to_string(&frames).expect("plain data");
    let text = words(run, largest) + &controls(run, frames.frames.len()) + &figures("boards", &all);
    let text = format!(
        "<div class=\"boards-player\">\n{text}<script type=\"application/json\" class=\"frames\">{json}</script>\n</div>\n"
    );
    Section::new("boards", "Boards", text)
}

fn words(run: &OnBoards, largest: f64) -> String {
    let whose = if run.boards.symmetric {
        "A white piece is worth what a black one is on the square that White sees there."
    } else {
        "All weights are for Black: pieces of White are good for White where they are negative. As their owner sees \
         them, squares are counted from White’s side and signs turned round."
    };
    let largest = heat_label(largest);
    note(&format!(
        "Means over the population, in an evolution strategy over its survivors; the table above and <code>gamete show\
         </code> have the champion. Black’s side is at the top. {whose} \
         One scale of colours holds for all boards and generations."
    )) + &format!("<p class=\"scale\"><span>−{largest}</span><i></i><span>{largest}</span></p>\n")
}

/// The slider and its buttons; hidden until there is a script to obey them.
fn controls(run: &OnBoards, frames: usize) -> String {
    let last = run.run.last().number;
    let owner = if run.boards.symmetric {
        ""
    } else {
        "<button type=\"button\" class=\"owner\" aria-pressed=\"false\">as their owner sees it</button>"
    };
    let end = frames - 1;
    format!(
        "<div class=\"player\"><span class=\"steps\" hidden=\"\">\
         <button type=\"button\" class=\"play\">play</button>\
         <input type=\"range\" min=\"0\" max=\"{end}\" value=\"{end}\" aria-label=\"Generation\" /></span>\
         <output>generation {last}, the last</output><span class=\"turn\" hidden=\"\">{owner}</span></div>\n"
    )
}

fn sizes(weights: &Weights) -> impl Iterator<Item = f64> {
    let tables = weights.tables().into_iter();
    tables.flat_map(|(_, table)| table.values()).map(f64::abs).filter(|&size| is_drawable(size))
}

fn texts(table: &Table) -> String {
    SQUARES.map(|square| heat_label(table.at(square))).collect::<Vec<_>>().join(",")
}
