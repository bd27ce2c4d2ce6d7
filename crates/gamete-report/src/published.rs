//! Numbers that were printed elsewhere, to set ours beside.

use gamete_lab::{KendallWhitwell, Plan};

use crate::subject::Subject;

/// A row of the table of the MIT report "An Empirical Investigation of Mutation Parameters and Their Effects on
/// Evolutionary Convergence of a Chess Evaluation Function".
pub struct MutationRow {
    /// What all factors of the mutation were multiplied by.
    pub scale: f64,
    /// The geometric mean over all weights of the last deviation, relative to the first.
    pub convergence: &'static str,
    /// The rank of the mean player.
    pub rank: u32,
    /// Its record as printed.
    pub record: &'static str,
}

const MUTATION_STUDY: [MutationRow; 4] = [
    MutationRow { scale: 2.0, convergence: "2.96", rank: 4, record: "0 wins, 4 draws" },
    MutationRow { scale: 1.0, convergence: "0.31", rank: 3, record: "2 wins, 3 draws" },
    MutationRow { scale: 0.5, convergence: "0.14", rank: 1, record: "4 wins, 1 draw" },
    MutationRow { scale: 0.25, convergence: "0.07", rank: 2, record: "3 wins, 1 draw" },
];

/// The published row of each arm, if the arms are those of the mutation study.
pub fn mutation_study(subject: &Subject) -> Option<Vec<&'static MutationRow>> {
    let scale = |plan: &Plan| match plan {
        Plan::KendallWhitwell(method) => Some(method.scale),
        _ => None,
    };
    let rows: Vec<&MutationRow> = subject
        .arms
        .iter()
        .filter_map(|arm| {
            let scale = scale(&arm.experiment.plan)?;
            MUTATION_STUDY.iter().find(|row| row.scale == scale)
        })
        .collect();
    let mut ranks: Vec<u32> = rows.iter().map(|row| row.rank).collect();
    ranks.sort_unstable();
    (ranks == [1, 2, 3, 4] && subject.arms.len() == 4).then_some(rows)
}

/// What Kendall and Whitwell's paper has for a setting of population dynamics, by its key in an experiment file.
pub fn setting(key: &str) -> Option<f64> {
    let KendallWhitwell { mutation, scale, .. } = KendallWhitwell::default();
    Some(match key {
        "scale" => scale,
        "mutation.win_winner" => mutation.win_winner,
        "mutation.win_loser" => mutation.win_loser,
        "mutation.edge_winner" => mutation.edge_winner,
        "mutation.edge_loser" => mutation.edge_loser,
        "mutation.draw" => mutation.draw,
        _ => return None,
    })
}

/// A run of Belmonte, "Applying Genetic Algorithms to Evolve Chess Piece Relative Values" (2013): values of knight, bishop,
/// rook and queen with the pawn as 1000.
pub struct PieceValues {
    /// What the paper calls it.
    pub name: &'static str,
    /// Whose values they are.
    pub of: &'static str,
    /// The values.
    pub values: [f64; 4],
}

/// All that he printed, of preliminary runs first.
pub const PIECE_VALUES: [PieceValues; 12] = [
    PieceValues { name: "P1", of: "mean", values: [2520.0, 3036.0, 4561.0, 3923.0] },
    PieceValues { name: "P2", of: "mean", values: [1820.0, 2499.0, 3063.0, 4008.0] },
    PieceValues { name: "S1", of: "mean", values: [3219.0, 2759.0, 3590.0, 4145.0] },
    PieceValues { name: "S2", of: "mean", values: [3387.0, 5585.0, 6593.0, 7116.0] },
    PieceValues { name: "R1", of: "first", values: [2473.0, 2481.0, 4073.0, 4704.0] },
    PieceValues { name: "R1", of: "second", values: [2537.0, 2583.0, 3899.0, 4703.0] },
    PieceValues { name: "R2", of: "first", values: [3834.0, 3781.0, 5525.0, 7343.0] },
    PieceValues { name: "R2", of: "second", values: [4632.0, 4472.0, 6712.0, 8953.0] },
    PieceValues { name: "R3", of: "first", values: [4434.0, 3403.0, 5598.0, 6939.0] },
    PieceValues { name: "R3", of: "second", values: [4007.0, 3167.0, 4507.0, 6321.0] },
    PieceValues { name: "R4", of: "first", values: [1820.0, 3939.0, 4541.0, 6029.0] },
    PieceValues { name: "R4", of: "second", values: [1681.0, 3571.0, 1947.0, 5466.0] },
];

/// What is asked of a weight for each square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    SignsOfMen,
    SignsOfKings,
    MenOnBackRank,
    MenOnFirstThree,
    MenInCentre,
    ResidualOfMen,
    ResidualOfKings,
    KingInMen,
    KingInMenBySquare,
}

/// What Hughes, "Piece Difference: Simple to Evolve?" (2003), found after a generation, in our words.
pub struct PieceDifference {
    pub generation: u32,
    answers: &'static [(Question, &'static str)],
}

impl PieceDifference {
    /// What it says of a question, if anything.
    pub fn answer(&self, question: Question) -> Option<&'static str> {
        self.answers.iter().find(|(asked, _)| *asked == question).map(|(_, answer)| *answer)
    }
}

/// The mean king in mean men that the same paper's symmetric form came to.
pub const KING_IN_MEN: f64 = 1.23;

const PIECE_DIFFERENCE: [PieceDifference; 2] = [
    PieceDifference {
        generation: 100,
        answers: &[
            (Question::SignsOfMen, "right for both sides"),
            (Question::SignsOfKings, "some wrong, nothing to conclude"),
            (Question::MenOnFirstThree, "clearly the largest"),
            (Question::MenInCentre, "settled early"),
        ],
    },
    PieceDifference {
        generation: 7388,
        answers: &[
            (
                Question::ResidualOfMen,
                "sides agree on back ranks and centre; a small bias to White near the far rank",
            ),
            (Question::ResidualOfKings, "still widely scattered"),
            (Question::KingInMenBySquare, "from near 0 to almost 1.8, more far from the own back rank"),
        ],
    },
];

const PIECE_DIFFERENCE_SYMMETRIC: [PieceDifference; 1] = [PieceDifference {
    generation: 16_594,
    answers: &[
        (Question::SignsOfMen, "all positive"),
        (Question::SignsOfKings, "all positive"),
        (Question::MenOnBackRank, "highest"),
        (Question::MenInCentre, "lowest"),
        (Question::KingInMen, "1.23; set by hand 1.2 to 3"),
        (Question::KingInMenBySquare, "more near the opponent’s back rank"),
    ],
}];

/// What was found with a table for each side, or with one for both.
pub fn piece_difference(symmetric: bool) -> &'static [PieceDifference] {
    if symmetric { &PIECE_DIFFERENCE_SYMMETRIC } else { &PIECE_DIFFERENCE }
}
