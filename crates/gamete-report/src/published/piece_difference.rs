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
