use gamete_game::{ByColor, Color, Line, Outcome, Score, ScoreKind};

use super::{Adjudication, AtMaxMoves, Tablebase, Verdict, VerdictReason};
use crate::{Playable, Termination};

/// Watches one game and says when it is over, by itself or by the rules of [`Adjudication`].
///
/// The rules are those of fastchess. The game's own end goes first, then tables, resignation, draw and length. Only the moves
/// that players make are counted; those of the opening are not shown to it.
#[derive(Debug, Clone)]
pub struct Adjudicator<'a> {
    rules: Adjudication,
    tables: Option<&'a Tablebase>,
    /// Plies in a row, by both sides, with even scores.
    even: u32,
    /// Moves in a row with a losing score.
    losing: ByColor<u32>,
    /// Plies in a row, by both sides, with a score that is far from even.
    decided: u32,
    plies: u32,
}

impl<'a> Adjudicator<'a> {
    /// An adjudicator for a game that starts now. Without tables no rule on them applies.
    pub fn new(rules: Adjudication, tables: Option<&'a Tablebase>) -> Self {
        Self { rules, tables, even: 0, losing: ByColor::default(), decided: 0, plies: 0 }
    }

    /// Takes note of the move that leads to the end of `line`, and of what its player thought of it. A player
    /// that does not say what it thinks neither resigns nor agrees to a draw.
    pub fn after_move<G: Playable>(&mut self, line: &Line<G>, score: Option<Score>) -> Option<Termination> {
        let position = line.position();
        let mover = !position.turn();
        self.plies += 1;
        self.count_even(score, position.reversible_plies() == 0);
        self.count_lost(score, mover);

        let verdict = |outcome, reason| Some(Termination::from(Verdict { outcome, reason }));
        if let Some(ending) = line.ending() {
            Some(ending.into())
        } else if let Some(outcome) = self.tables_say(position) {
            verdict(outcome, VerdictReason::Tablebase)
        } else if self.resigns(score, mover) {
            verdict(Outcome::Win(!mover), VerdictReason::Scores)
        } else if self.is_draw(position.move_number().saturating_sub(1)) {
            verdict(Outcome::Draw, VerdictReason::Scores)
        } else if self.is_too_long() {
            match self.rules.at_max_moves {
                AtMaxMoves::Draw => verdict(Outcome::Draw, VerdictReason::MaxMoves),
                AtMaxMoves::Material => verdict(position.material_outcome(), VerdictReason::Material),
            }
        } else {
            None
        }
    }

    fn tables_say<G: Playable>(&self, position: &G) -> Option<Outcome> {
        let (rule, tables) = (self.rules.tablebase?, self.tables?);
        rule.outcome(position.tablebase_value(tables, rule.max_pieces)?, position.turn())
    }

    fn count_even(&mut self, score: Option<Score>, irreversible: bool) {
        let Some(rule) = self.rules.draw else { return };
        if irreversible {
            self.even = 0;
        }
        let is_even = |score: Score| match score.kind() {
            ScoreKind::Centipawns(value) => value.unsigned_abs() <= rule.score,
            ScoreKind::Win(_) | ScoreKind::Loss(_) => false,
        };
        self.even = if score.is_some_and(is_even) { self.even + 1 } else { 0 };
    }

    fn count_lost(&mut self, score: Option<Score>, mover: Color) {
        let Some(rule) = self.rules.resign else { return };
        let (is_far, is_losing) = score.map_or((false, false), |score| match score.kind() {
            ScoreKind::Centipawns(value) => {
                let is_far = value.unsigned_abs() >= rule.score;
                (is_far, is_far && value <= 0)
            }
            ScoreKind::Win(_) => (true, false),
            ScoreKind::Loss(_) => (true, true),
        });
        self.losing[mover] = if is_losing { self.losing[mover] + 1 } else { 0 };
        self.decided = if is_far { self.decided + 1 } else { 0 };
    }

    fn resigns(&self, score: Option<Score>, mover: Color) -> bool {
        let Some(rule) = self.rules.resign else { return false };
        let enough = if rule.two_sided {
            self.decided >= rule.move_count.saturating_mul(2)
        } else {
            self.losing[mover] >= rule.move_count
        };
        enough && score.is_some_and(|score| score < Score::ZERO)
    }

    fn is_draw(&self, complete_moves: u32) -> bool {
        let Some(rule) = self.rules.draw else { return false };
        complete_moves >= rule.move_number && self.even >= rule.move_count.saturating_mul(2)
    }

    fn is_too_long(&self) -> bool {
        self.rules.max_moves.is_some_and(|moves| self.plies >= moves.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;
    use gamete_game::{Game, Reason};

    use super::super::TablebaseRule;
    use super::*;
    use crate::adjudication::{DrawRule, ResignRule};

    const DRAW: DrawRule = DrawRule { move_number: 1, move_count: 2, score: 10 };
    const RESIGN: ResignRule = ResignRule { move_count: 3, score: 600, two_sided: false };

    /// Kings and a rook that wander, so that no position comes back soon.
    const QUIET: [&str; 16] = [
        "Ra2", "Kd8", "Ra3", "Ke8", "Ra4", "Kd8", "Ra5", "Ke8", "Ra6", "Kd8", "Ra7", "Ke8", "Rb7", "Kd8",
        "Rb6", "Ke8",
    ];

    struct Match {
        line: Line<Position>,
        adjudicator: Adjudicator<'static>,
    }

    impl Match {
        fn new(fen: &str, rules: Adjudication) -> Self {
            let start = fen.parse().expect("a good FEN");
            Self { line: Line::new(start), adjudicator: Adjudicator::new(rules, None) }
        }

        fn quiet(rules: Adjudication) -> Self {
            Self::new("4k3/8/8/8/8/8/8/R3K3 w - - 5 1", rules)
        }

        fn play(&mut self, mv: &str, score: impl Into<Option<Score>>) -> Option<Termination> {
            self.line.play(self.line.position().parse_move(mv).expect("a legal move"));
            self.adjudicator.after_move(&self.line, score.into())
        }

        /// Plays quiet moves with these scores, each from its mover's view; the ply that ended the game, from 1.
        fn run(mut self, scores: impl IntoIterator<Item = Option<Score>>) -> Option<(usize, Termination)> {
            let mut plies = QUIET.iter().zip(scores).enumerate();
            plies.find_map(|(ply, (mv, score))| Some((ply + 1, self.play(mv, score)?)))
        }
    }

    fn cp(value: i32) -> Option<Score> {
        Some(Score::centipawns(value))
    }

    fn draw_rule(rule: DrawRule) -> Adjudication {
        Adjudication { draw: Some(rule), ..Adjudication::default() }
    }

    fn resign_rule(rule: ResignRule) -> Adjudication {
        Adjudication { resign: Some(rule), ..Adjudication::default() }
    }

    fn verdict(outcome: Outcome, reason: VerdictReason) -> Termination {
        Verdict { outcome, reason }.into()
    }

    fn drawn() -> Termination {
        verdict(Outcome::Draw, VerdictReason::Scores)
    }

    fn won(color: Color) -> Termination {
        verdict(Outcome::Win(color), VerdictReason::Scores)
    }

    #[test]
    fn without_rules_nothing_is_decided() {
        assert_eq!(Match::quiet(Adjudication::default()).run([Some(Score::loss_in(2)); 16]), None);
    }

    #[test]
    fn a_draw_takes_even_scores_of_both_sides_for_all_the_moves() {
        let run = |scores: [Option<Score>; 8]| Match::quiet(draw_rule(DRAW)).run(scores);
        assert_eq!(run([cp(10), cp(-10), cp(0), cp(5), cp(0), cp(0), cp(0), cp(0)]), Some((4, drawn())));
        assert_eq!(
            run([cp(11), cp(10), cp(10), cp(10), cp(10), cp(0), cp(0), cp(0)]),
            Some((5, drawn())),
            "one score is a centipawn too large"
        );
        assert_eq!(
            run([cp(0), cp(-11), cp(0), cp(-11), cp(0), cp(-11), cp(0), cp(-11)]),
            None,
            "one side alone does not suffice"
        );
    }

    #[test]
    fn scores_are_compared_in_whole_centipawns_as_engines_say_them() {
        let scores = [Some(Score::new(109)), Some(Score::new(-109)), cp(0), cp(0)];
        assert_eq!(Match::quiet(draw_rule(DRAW)).run(scores), Some((4, drawn())));
    }

    #[test]
    fn a_forced_end_is_never_even() {
        let rules = draw_rule(DrawRule { score: u32::MAX, ..DRAW });
        let scores = [cp(0), cp(0), cp(0), Some(Score::win_in(99)), cp(0), cp(0), cp(0), cp(0)];
        assert_eq!(Match::quiet(rules).run(scores), Some((8, drawn())));
    }

    #[test]
    fn a_missing_score_starts_the_count_anew() {
        let scores = [cp(0), cp(0), cp(0), None, cp(0), cp(0), cp(0), cp(0)];
        assert_eq!(Match::quiet(draw_rule(DRAW)).run(scores), Some((8, drawn())));
        let lost = cp(-900);
        let scores = [lost, None, lost, None, None, None, lost, None, lost, None, lost, None];
        assert_eq!(Match::quiet(resign_rule(RESIGN)).run(scores), Some((11, won(Color::Black))));
        let two_sided = resign_rule(ResignRule { two_sided: true, ..RESIGN });
        assert_eq!(Match::quiet(two_sided).run(scores), None, "the other side never says what it thinks");
    }

    #[test]
    fn no_draw_before_its_move_is_complete() {
        let run =
            |fen: &str| Match::new(fen, draw_rule(DrawRule { move_number: 4, ..DRAW })).run([cp(0); 16]);
        assert_eq!(run("4k3/8/8/8/8/8/8/R3K3 w - - 5 1"), Some((8, drawn())), "move 4 ends with ply 8");
        assert_eq!(run("4k3/8/8/8/8/8/8/R3K3 w - - 5 40"), Some((4, drawn())), "the FEN counts");
    }

    #[test]
    fn captures_and_pawn_moves_start_the_count_anew_and_count_themselves() {
        let mut game = Match::new("4k3/7p/8/8/8/8/8/R3K3 w - - 5 1", draw_rule(DRAW));
        for mv in ["Ra2", "Kd8", "Ra3"] {
            assert_eq!(game.play(mv, cp(0)), None);
        }
        for mv in ["h6", "Ra4", "h5"] {
            assert_eq!(game.play(mv, cp(0)), None, "{mv}");
        }
        for mv in ["Rb4", "Kc8"] {
            assert_eq!(game.play(mv, cp(0)), None, "{mv}");
        }
        assert_eq!(game.play("Rb5", cp(0)), Some(drawn()));
    }

    #[test]
    fn a_player_resigns_by_itself() {
        let run = |scores: [Option<Score>; 8]| Match::quiet(resign_rule(RESIGN)).run(scores);
        let fine = cp(500);
        assert_eq!(
            run([fine, cp(-600), fine, cp(-700), fine, cp(-600), fine, fine]),
            Some((6, won(Color::White)))
        );
        assert_eq!(
            run([cp(-600), fine, cp(-600), fine, cp(-600), fine, fine, fine]),
            Some((5, won(Color::Black)))
        );
        assert_eq!(
            run([fine, cp(-600), fine, cp(-599), fine, cp(-600), fine, cp(-600)]),
            None,
            "one score is a centipawn too good"
        );
        assert_eq!(run([cp(900); 8]), None, "to win is no reason");
    }

    #[test]
    fn forced_losses_are_reasons_to_resign() {
        let lost = Some(Score::loss_in(8));
        let scores = [cp(0), lost, cp(0), cp(-600), cp(0), lost];
        assert_eq!(Match::quiet(resign_rule(RESIGN)).run(scores), Some((6, won(Color::White))));
        let scores = [Some(Score::win_in(7)); 8];
        assert_eq!(Match::quiet(resign_rule(RESIGN)).run(scores), None);
    }

    #[test]
    fn two_sided_resignation_takes_both() {
        let rules = resign_rule(ResignRule { two_sided: true, ..RESIGN });
        let (lost, win) = (cp(-600), Some(Score::win_in(9)));
        let scores = [win, lost, cp(600), lost, cp(599), lost, win, lost, win, lost, win, lost];
        assert_eq!(
            Match::quiet(rules).run(scores),
            Some((12, won(Color::White))),
            "six plies after the score that was too small"
        );
        let scores = [lost, win, lost, win, lost, win, lost, win];
        assert_eq!(Match::quiet(rules).run(scores), Some((7, won(Color::Black))), "at the loser's move");
        assert_eq!(Match::quiet(rules).run([win; 8]), None, "nobody resigns a game that both win");
    }

    #[test]
    fn games_have_so_many_full_moves() {
        let rules = Adjudication { max_moves: Some(3), ..Adjudication::default() };
        let draw = verdict(Outcome::Draw, VerdictReason::MaxMoves);
        assert_eq!(Match::quiet(rules).run([None; 16]), Some((6, draw)));
        let late = Match::new("4k3/8/8/8/8/8/8/R3K3 w - - 5 77", rules);
        assert_eq!(late.run([None; 16]), Some((6, draw)), "the FEN does not count");
    }

    #[test]
    fn material_decides_games_that_are_too_long() {
        let material = AtMaxMoves::Material;
        let rules = Adjudication { max_moves: Some(1), at_max_moves: material, ..Adjudication::default() };
        let run = |fen: &str| Match::new(fen, rules).run([None; 16]).map(|(_, end)| end);
        assert_eq!(
            run("4k3/8/8/8/8/8/8/R3K3 w - - 5 1"),
            Some(verdict(Outcome::Win(Color::White), VerdictReason::Material))
        );
        assert_eq!(
            run("4k2r/8/8/8/8/8/8/R3K3 w - - 5 1"),
            Some(verdict(Outcome::Draw, VerdictReason::Material))
        );
        assert_eq!(
            run("4k2q/8/8/8/8/8/8/R3K3 w - - 5 1"),
            Some(verdict(Outcome::Win(Color::Black), VerdictReason::Material))
        );
    }

    #[test]
    fn the_end_of_the_game_goes_before_all_that() {
        let rules = Adjudication {
            draw: Some(DrawRule { move_number: 0, move_count: 0, score: 0 }),
            resign: Some(ResignRule { move_count: 1, score: 1, two_sided: false }),
            max_moves: Some(0),
            at_max_moves: AtMaxMoves::Material,
            endless: false,
            tablebase: Some(TablebaseRule::default()),
        };
        let mut game = Match::new("6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1", rules);
        let mate = gamete_game::Ending::win(Color::White, Reason::Checkmate);
        assert_eq!(game.play("Ra8#", cp(-900)), Some(mate.into()));
    }

    #[test]
    fn resignation_goes_before_a_draw_and_a_draw_before_the_length() {
        let rules = Adjudication {
            draw: Some(DrawRule { move_number: 0, move_count: 1, score: 100 }),
            resign: Some(ResignRule { move_count: 1, score: 50, two_sided: false }),
            max_moves: Some(1),
            ..Adjudication::default()
        };
        assert_eq!(Match::quiet(rules).run([cp(60), cp(-60)]), Some((2, won(Color::White))));
        assert_eq!(Match::quiet(rules).run([cp(60), cp(-40)]), Some((2, drawn())));
        assert_eq!(
            Match::quiet(rules).run([cp(60), cp(101)]),
            Some((2, verdict(Outcome::Draw, VerdictReason::MaxMoves)))
        );
    }

    #[test]
    fn checkers_is_adjudicated_by_the_same_rules() {
        let rules = Adjudication {
            max_moves: Some(1),
            at_max_moves: AtMaxMoves::Material,
            ..Adjudication::default()
        };
        let start: gamete_checkers::Position = "B:WK32:B1,K9".parse().expect("a good FEN");
        let (mut line, mut adjudicator) = (Line::new(start), Adjudicator::new(rules, None));
        line.play(line.position().parse_move("9-14").expect("a legal move"));
        assert_eq!(adjudicator.after_move(&line, None), None);
        line.play(line.position().parse_move("32-28").expect("a legal move"));
        let black = verdict(Outcome::Win(Color::Black), VerdictReason::Material);
        assert_eq!(adjudicator.after_move(&line, None), Some(black));
    }
}
