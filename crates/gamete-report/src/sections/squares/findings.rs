use std::fmt::Write;

use super::OnBoards;
use crate::chart::{Axis, Lines, Series, Size};
use crate::page::{Section, figure, figures, note, table};
use crate::published::{PieceDifference, Question, piece_difference};
use crate::squares::{BACK_RANK, CENTRE, KINGS, Kind, MEN, Pieces, Table, Weights};
use crate::text::{count, short};

/// What the paper asks of such weights, with its answers beside ours.
pub fn findings(run: &OnBoards) -> Section {
    let text = note(
        "Everything is as the owner of a piece sees it: squares and ranks are counted from the owner’s side, and \
         weights with the right sign are positive. The champion’s stand beside the mean of the population. Published is \
         what Hughes found, “Piece Difference: Simple to Evolve?” (2003), in our words.",
    ) + &answers(run)
        + &figures("large", &figure("Weights with the right sign", &signs(run)));
    Section::new("findings", "Beside the paper", text)
}

/// What is asked of the pieces of one owner, and how it is answered.
type Row = (&'static str, Option<Question>, fn(&Pieces) -> String);

const ROWS: [Row; 15] = [
    ("men with the right sign", Some(Question::SignsOfMen), |pieces| of_all(&pieces.men)),
    ("kings with the right sign", Some(Question::SignsOfKings), |pieces| of_all(&pieces.kings)),
    ("men on the back rank, 1–4", Some(Question::MenOnBackRank), |pieces| {
        short(pieces.men.mean(BACK_RANK))
    }),
    ("men on 1–3", Some(Question::MenOnFirstThree), |pieces| short(pieces.men.mean(1..=3))),
    ("men in the centre, 14, 15, 18, 19", Some(Question::MenInCentre), |pieces| {
        short(pieces.men.mean(CENTRE))
    }),
    ("men elsewhere", None, |pieces| short(pieces.men.elsewhere())),
    ("highest rank of men", None, |pieces| or_dash(pieces.men.highest_rank())),
    ("highest square of men", None, |pieces| or_dash(pieces.men.highest_square())),
    ("kings on the back rank", None, |pieces| short(pieces.kings.mean(BACK_RANK))),
    ("kings in the centre", None, |pieces| short(pieces.kings.mean(CENTRE))),
    ("kings elsewhere", None, |pieces| short(pieces.kings.elsewhere())),
    ("highest rank of kings", None, |pieces| or_dash(pieces.kings.highest_rank())),
    ("highest square of kings", None, |pieces| or_dash(pieces.kings.highest_square())),
    ("mean king / mean man", Some(Question::KingInMen), |pieces| short(pieces.ratio_of_means())),
    ("king / man by square", Some(Question::KingInMenBySquare), |pieces| {
        pieces.range_of_ratios().map(short).join(" to ")
    }),
];

fn answers(run: &OnBoards) -> String {
    let players = [*run.last(), run.boards.weights(|gene| run.run.champion[gene])];
    let theirs = |question| published(run.boards.symmetric, question);
    let mut body = String::new();
    for (name, question, answer) in ROWS {
        let _ = write!(body, "<tr><th scope=\"row\">{name}</th>");
        for (index, weights) in players.iter().enumerate() {
            for (side, (_, pieces)) in weights.owners().iter().enumerate() {
                let class = [["main edge", "main"], ["edge", ""]][index][side];
                let _ = write!(body, "<td class=\"{class}\">{}</td>", answer(pieces));
            }
        }
        body.push_str(&theirs(question));
    }
    for (name, question, kind) in [
        ("residual of men, root mean square", Question::ResidualOfMen, MEN),
        ("residual of kings", Question::ResidualOfKings, KINGS),
    ] {
        let [Some(mean), Some(champion)] = players.map(|weights| weights.residual()) else { continue };
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{name}</th><td class=\"main edge\" colspan=\"2\">{}</td>\
             <td class=\"edge\" colspan=\"2\">{}</td>",
            short(kind(&mean).root_mean_square()),
            short(kind(&champion).root_mean_square())
        );
        body.push_str(&theirs(Some(question)));
    }
    table(&head(&players[0]), &body)
}

/// The end of a row: what the paper says, and after which generation.
fn published(symmetric: bool, question: Option<Question>) -> String {
    let said = |found: &PieceDifference| {
        let answer = found.answer(question?)?;
        Some(format!("generation {}: {answer}", count(u64::from(found.generation))))
    };
    let all: Vec<String> = piece_difference(symmetric).iter().filter_map(said).collect();
    let words = if all.is_empty() { "–".to_owned() } else { all.join("; ") };
    format!("<td class=\"theirs words\">{words}</td></tr>\n")
}

fn head(weights: &Weights) -> String {
    let owners = weights.owners();
    if owners.len() == 1 {
        return "<tr><th></th><th class=\"edge\">mean</th><th class=\"edge\">champion</th>\
                <th class=\"theirs words\">published</th></tr>"
            .to_owned();
    }
    let sides: String = owners.iter().map(|(owner, _)| format!("<th>{owner}</th>")).collect();
    let sides = sides.replacen("<th>", "<th class=\"edge\">", 1);
    format!(
        "<tr><th></th><th colspan=\"2\" class=\"group edge\">mean</th>\
         <th colspan=\"2\" class=\"group edge\">champion</th><th></th></tr>\
         <tr><th></th>{sides}{sides}<th class=\"theirs words\">published</th></tr>"
    )
}

fn of_all(table: &Table) -> String {
    let (right, all) = table.positive();
    format!("{right} of {all}")
}

fn or_dash(number: Option<usize>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| number.to_string())
}

/// The share of weights with the right sign, by generation.
fn signs(run: &OnBoards) -> String {
    let share = |side: usize, kind: Kind| {
        move |weights: &Weights| {
            let (right, all) = kind(&weights.owners()[side].1).positive();
            100.0 * right as f64 / all as f64
        }
    };
    let series: Vec<Series> = if run.boards.symmetric {
        vec![run.by_generation("men", 0, share(0, MEN)), run.by_generation("kings", 1, share(0, KINGS))]
    } else {
        vec![
            run.by_generation("Black’s men", 0, share(0, MEN)),
            run.by_generation("White’s men", 1, share(1, MEN)),
            run.by_generation("Black’s kings", 5, share(0, KINGS)),
            run.by_generation("White’s kings", 4, share(1, KINGS)),
        ]
    };
    let about = "Share of weights with the right sign by generation";
    Lines { about, axis: Axis::Linear, unit: "%", size: Size::LARGE, series, mark: None }.svg()
}
