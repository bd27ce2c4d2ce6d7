//! Models with a weight for each square of a board of checkers, as in Hughes, "Piece Difference: Simple to Evolve?".

mod boards;
mod by_square;
mod findings;
mod kings;
mod symmetry;

use crate::chart::{Point, Series};
use crate::page::Section;
use crate::squares::{Boards, SQUARES, Table, Weights};
use crate::subject::{Arm, Run};

/// A run by the boards that its weights stand on.
struct OnBoards<'a> {
    boards: &'a Boards,
    run: &'a Run,
    /// The mean of the population after each generation.
    means: Vec<Weights>,
}

impl<'a> OnBoards<'a> {
    fn new(boards: &'a Boards, run: &'a Run) -> Self {
        let means = run.generations.iter().map(|row| boards.weights(|gene| row.spread[gene].mean)).collect();
        Self { boards, run, means }
    }

    /// A line over the generations.
    fn by_generation(&self, name: &str, color: usize, value: impl Fn(&Weights) -> f64) -> Series {
        let rows = self.run.generations.iter().zip(&self.means);
        let points = rows.map(|(row, means)| Point::new(f64::from(row.number), value(means))).collect();
        Series { name: name.to_owned(), color, points }
    }

    /// The mean of the last population.
    fn last(&self) -> &Weights {
        &self.means[self.means.len() - 1]
    }
}

/// All parts about the squares, for models that have them.
pub fn squares(arm: &Arm, run: &Run) -> Vec<Section> {
    let Some(boards) = Boards::of(arm) else { return Vec::new() };
    let run = OnBoards::new(&boards, run);
    let mut sections = vec![boards::boards(&run), by_square::by_square(&run)];
    sections.extend(symmetry::symmetry(&run));
    sections.push(kings::kings(&run));
    sections.push(findings::findings(&run));
    sections
}

/// The colour of what belongs to the side of this number, or to men and kings where sides are not told apart.
const COLORS: [usize; 2] = [0, 1];

/// A line over the squares.
fn over_squares(name: &str, color: usize, table: &Table) -> Series {
    let points = squares_of(table).map(|square| Point::new(square as f64, table.at(square))).collect();
    Series { name: name.to_owned(), color, points }
}

/// The squares up to the last with a weight.
fn squares_of(table: &Table) -> impl Iterator<Item = usize> {
    let last = SQUARES.rev().find(|&square| !table.at(square).is_nan()).unwrap_or(0);
    SQUARES.take_while(move |&square| square <= last)
}

#[cfg(test)]
mod tests {
    use gamete_lab::Generation;

    use super::*;
    use crate::squares::tests::arm;

    /// A generation in which each gene has a mean, and a deviation of a half.
    fn generation(number: u32, means: &[f64]) -> Generation {
        let spread = serde_json::json!({ "mean": 0.0, "sd": 0.5, "min": -1.0, "max": 1.0 });
        let mut row: Generation = serde_json::from_value(serde_json::json!({
            "number": number, "spread": vec![spread; means.len()], "matches": { "won": 0, "edged": 0, "drawn": 0 },
            "games": 0, "draws": 0, "plies": 0, "seconds": 0.0,
        }))
        .unwrap();
        for (spread, mean) in row.spread.iter_mut().zip(means) {
            spread.mean = *mean;
        }
        row
    }

    fn run(generations: Vec<Generation>) -> Run {
        let champion = generations.last().unwrap().spread.iter().map(|spread| spread.mean).collect();
        Run { generations, champion, first_population: Vec::new(), last_population: Vec::new() }
    }

    fn bodies(arm: &Arm, run: &Run) -> String {
        let text: String = squares(arm, run).into_iter().map(|section| section.body).collect();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        text
    }

    fn frames(text: &str) -> serde_json::Value {
        let json = text.split("class=\"frames\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn frames_are_a_sample_of_the_generations_with_one_scale() {
        let arm = arm("piece-difference-symmetric", &[]);
        let rows = (0..=1000).map(|number| generation(number, &[f64::from(number) / 100.0; 60]));
        let text = bodies(&arm, &run(rows.collect()));
        let frames = frames(&text);
        assert_eq!(frames["largest"], 10.0);
        let frames = frames["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 100);
        assert_eq!((&frames[0]["generation"], &frames[99]["generation"]), (&0.into(), &1000.into()));
        assert_eq!(frames[0]["boards"][1], vec!["0.00"; 32].join(","));
        assert_eq!(frames[99]["boards"][0], format!("{},,,,", ["10.0"; 28].join(",")));
        assert_eq!(text.matches("fill-opacity=\"1.000\"").count(), 64, "the full colour");
    }

    #[test]
    fn what_is_left_is_drawn_in_numbers() {
        let arm = arm("piece-difference", &[]);
        // All black pieces are worth 3, all white ones -1.
        let means: Vec<f64> =
            arm.view.genes.iter().map(|gene| if gene.starts_with("black") { 3.0 } else { -1.0 }).collect();
        let text = bodies(&arm, &run(vec![generation(0, &means), generation(1, &means)]));
        assert!(text.contains("square 32\nkings 2.00"), "{text}");
        assert!(text.contains("square 28\nmen 2.00\nkings 2.00"));
        let size = "\nmen, residual 2.00\nkings, residual 2.00\nmen 2.24\nkings 2.24";
        assert!(text.contains(&format!("generation 1{size}")), "the root of (9 + 1) / 2");
        assert!(text.contains("square 5\nBlack 3.00 (2.50 to 3.50)\nWhite, reversed 1.00 (0.500 to 1.50)"));
        assert!(text.contains("square 1\nBlack 1.00\nWhite 1.00"), "a king is worth a man");
    }

    #[test]
    fn the_paper_stands_beside_what_it_asks() {
        let symmetric = arm("piece-difference-symmetric", &[]);
        // A man is worth 2, the king 3, but nothing on square 4.
        let mut means = [[2.0; 28].as_slice(), &[3.0; 32]].concat();
        means[3] = 0.0;
        let row = |name: &str, cells: &[&str]| {
            let mut row = format!("<tr><th scope=\"row\">{name}</th>");
            for (class, cell) in ["main edge", "edge", "theirs words"].iter().zip(cells) {
                row.push_str(&format!("<td class=\"{class}\">{cell}</td>"));
            }
            row + "</tr>"
        };
        // The champion has everything wrong.
        let run_of_symmetric = Run { champion: vec![-1.0; 60], ..run(vec![generation(0, &means)]) };
        let text = bodies(&symmetric, &run_of_symmetric);
        for (name, cells) in [
            ("men with the right sign", ["27 of 28", "0 of 28", "generation 16,594: all positive"]),
            ("men on the back rank, 1–4", ["1.50", "−1.00", "generation 16,594: highest"]),
            ("men on 1–3", ["2.00", "−1.00", "–"]),
            ("highest rank of men", ["2", "1", "–"]),
            ("mean king / mean man", ["1.56", "1.00", "generation 16,594: 1.23; set by hand 1.2 to 3"]),
            (
                "king / man by square",
                ["1.50 to 1.50", "1.00 to 1.00", "generation 16,594: more near the opponent’s back rank"],
            ),
        ] {
            assert!(text.contains(&row(name, &cells)), "{name}: {text}");
        }
        assert!(text.contains("published 1.23"), "a line to come to");
        assert!(text.contains("of both sides on 4."), "what is no measure is named");
        assert!(text.contains("generation 0\nmen 96.4%\nkings 100%"));

        let apart = arm("piece-difference", &[]);
        let text = bodies(&apart, &run(vec![generation(0, &[1.0; 120])]));
        let signs = "<td class=\"main edge\">28 of 28</td><td class=\"main\">0 of 28</td>";
        assert!(text.contains(signs), "positive is wrong for White: {text}");
        assert!(text.contains("generation 100: clearly") && text.contains("generation 7,388: still"));
    }

    #[test]
    fn nothing_breaks_on_runs_that_only_began_or_lost_their_numbers() {
        for (preset, genes) in [("piece-difference", 120), ("piece-difference-symmetric", 60)] {
            let arm = arm(preset, &[]);
            for value in [0.0, 1.0, f64::NAN, f64::INFINITY, 1e200] {
                let text = bodies(&arm, &run(vec![generation(0, &vec![value; genes])]));
                assert_eq!(frames(&text)["frames"].as_array().unwrap().len(), 1);
            }
        }
    }

    #[test]
    fn other_models_have_nothing_of_this() {
        let arm = arm("kendall-whitwell", &[]);
        assert!(squares(&arm, &run(vec![generation(0, &vec![1.0; arm.view.genes.len()])])).is_empty());
    }
}
