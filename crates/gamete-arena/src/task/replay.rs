use super::{GameOutcome, GameTask};
use crate::{Adjudicator, Playable, Termination, VerdictReason};

impl GameTask {
    /// Why this cannot be how the game went, if so. Its moves are replayed by the rules of the game and by those on when it is
    /// decided; what depends on a clock is believed.
    ///
    /// ```
    /// # use gamete_arena::{Adjudication, Contestant, Fake, GameTask, Limits, Opening, Player, games::positions};
    /// # let player = || Contestant::new(Player::load("chess/material").unwrap(), Limits::nodes(1));
    /// let opening = Opening::new("6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1".parse::<positions::Chess>()?);
    /// let task = GameTask::new(&opening, player(), player(), Adjudication::default(), 0);
    /// let made_up = Fake::game(&task, |_| 0.0);
    /// assert_eq!(task.why_impossible(&made_up), Some("a game with a move that cannot be played"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why_impossible(&self, outcome: &GameOutcome) -> Option<&'static str> {
        dispatch!(self.game, G => replay::<G>(self, outcome))
    }
}

fn replay<G: Playable>(task: &GameTask, outcome: &GameOutcome) -> Option<&'static str> {
    let GameOutcome { moves, thoughts, termination, .. } = outcome;
    let Ok(opening) = task.opening::<G>() else { return Some("a game without an opening") };
    if moves.len() != thoughts.len() {
        return Some("a game with thoughts of other moves");
    }
    let mut line = opening.line();
    let mut end = line.ending().map(Termination::from);
    let mut adjudicator = Adjudicator::new(task.adjudication, None);
    for (text, thought) in moves.iter().zip(thoughts) {
        if end.is_some() {
            return Some("a game that goes on after its end");
        }
        let position = line.position();
        // In its own notation alone: games of one experiment are the same text.
        let Some(mv) = position.parse_move(text).ok().filter(|&mv| position.move_text(mv) == *text) else {
            return Some("a game with a move that cannot be played");
        };
        line.play(mv);
        if let Some(forget_past) = G::FORGET_PAST.filter(|_| task.adjudication.endless) {
            line.change(forget_past);
        }
        end = adjudicator.after_move(&line, thought.map(|thought| thought.score));
    }
    let is_possible = match *termination {
        // The tables are elsewhere, and have their say before the other rules.
        Termination::Adjudication(verdict) if verdict.reason == VerdictReason::Tablebase => {
            task.adjudication.tablebase.is_some()
        }
        Termination::Ending(_) | Termination::Adjudication(_) => end == Some(*termination),
        Termination::IllegalMove { loser } => end.is_none() && loser == line.position().turn(),
        Termination::TimeLoss { loser, .. }
        | Termination::Disconnect { loser }
        | Termination::Stall { loser } => {
            // Either may fail before the first move.
            let is_to_move = moves.is_empty() || (end.is_none() && loser == line.position().turn());
            is_to_move && !task.contestant(loser).is_repeatable()
        }
        Termination::Interrupted => false,
    };
    (!is_possible).then_some("a game with another end than its moves have")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gamete_chess::Position;
    use gamete_game::{Color, Ending, Outcome, Reason};

    use super::*;
    use crate::{
        Adjudication, AtMaxMoves, Contestant, DrawRule, GameName, ModelInfo, Player, ResignRule, Task,
        TaskOutcome, Verdict, Workspace, WorkspaceOptions,
    };

    fn task(fen: &str, limits: &str, adjudication: Adjudication) -> GameTask {
        let game = GameName::of_fen(Some(fen));
        let player = Player::new(ModelInfo::default_for(game));
        let player = Contestant::new(player, limits.parse().expect("limits"));
        GameTask {
            game,
            start: fen.to_owned(),
            book: Vec::new(),
            white: player.clone(),
            black: player,
            adjudication,
            seed: 7,
            details: false,
        }
    }

    fn played(task: &GameTask) -> GameOutcome {
        let task = Task::from(task.clone());
        let found = Workspace::new(&WorkspaceOptions::default()).run(&task).expect("an outcome");
        // As it comes from a worker.
        let text = serde_json::to_string(&found).expect("plain data");
        match serde_json::from_str(&text).expect("what was written") {
            TaskOutcome::Game(game) => game,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn games_that_were_played_are_possible() {
        let early = Adjudication {
            draw: Some(DrawRule { move_number: 2, move_count: 2, score: 100 }),
            resign: Some(ResignRule { move_count: 2, score: 300, two_sided: false }),
            max_moves: Some(30),
            at_max_moves: AtMaxMoves::Material,
            ..Adjudication::default()
        };
        let endless = Adjudication { endless: true, max_moves: Some(60), ..Adjudication::default() };
        let mut ends = std::collections::BTreeSet::new();
        for &game in GameName::ALL {
            let start = dispatch!(game, G => <G as gamete_game::Game>::start().to_string());
            for rules in [Adjudication::default(), early, endless] {
                if rules.endless && !game.can_forget_past() {
                    continue;
                }
                for limits in ["nodes=1", "nodes=60", "depth=2"] {
                    let task = task(&start, limits, rules);
                    let game = played(&task);
                    assert_eq!(task.why_impossible(&game), None, "{}: {}", task.game, game.termination);
                    ends.insert(game.termination.tag());
                }
            }
        }
        let late = task("6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1", "st=0.001", Adjudication::default());
        assert_eq!(late.why_impossible(&played(&late)), None);
        assert!(ends.contains("normal") && ends.contains("adjudication"), "{ends:?}");
    }

    #[test]
    fn moves_and_ends_that_are_made_up_are_not() {
        let mate = task("6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1", "depth=2", Adjudication::default());
        let game = played(&mate);
        assert_eq!(game.moves, ["Ra8#"]);
        let why = |change: &dyn Fn(&mut GameOutcome)| {
            let mut changed = game.clone();
            change(&mut changed);
            mate.why_impossible(&changed)
        };
        assert_eq!(why(&|_| ()), None);
        const MOVE: Option<&str> = Some("a game with a move that cannot be played");
        const END: Option<&str> = Some("a game with another end than its moves have");
        for text in ["xx", "Ra9", "Rb8", "a1a8", "Ra8"] {
            assert_eq!(why(&|game| game.moves[0] = text.to_owned()), MOVE, "{text}");
        }
        let add = |game: &mut GameOutcome| {
            game.moves.push("Kf8".to_owned());
            game.thoughts.push(None);
        };
        assert_eq!(why(&add), Some("a game that goes on after its end"));
        assert_eq!(why(&|game| game.thoughts.clear()), Some("a game with thoughts of other moves"));
        for termination in [
            Ending::win(Color::Black, Reason::Checkmate).into(),
            Ending::draw(Reason::Stalemate).into(),
            Verdict { outcome: Outcome::Draw, reason: VerdictReason::Scores }.into(),
            Verdict { outcome: Outcome::Draw, reason: VerdictReason::Tablebase }.into(),
            Termination::IllegalMove { loser: Color::Black },
            Termination::Interrupted,
        ] {
            assert_eq!(why(&|game| game.termination = termination), END, "{termination}");
        }
        assert_eq!(
            why(&|game| {
                game.moves.clear();
                game.thoughts.clear();
            }),
            END
        );
        let broken = GameTask { start: "8/8".to_owned(), ..mate.clone() };
        assert_eq!(broken.why_impossible(&game), Some("a game without an opening"));
    }

    #[test]
    fn only_who_is_to_move_can_fail() {
        let start = <Position as gamete_game::Game>::start().to_string();
        let timed = task(&start, "st=1", Adjudication::default());
        let fixed = task(&start, "nodes=1", Adjudication::default());
        let game = |moves: &[&str], termination| GameOutcome {
            moves: moves.iter().map(|&text| text.to_owned()).collect(),
            thoughts: vec![None; moves.len()],
            details: Vec::new(),
            termination,
            fault: None,
            timing: None,
        };
        let is_possible = |task: &GameTask, game: GameOutcome| task.why_impossible(&game).is_none();
        for loser in Color::ALL {
            let time = Termination::TimeLoss { loser, overrun: Duration::ZERO };
            for termination in [time, Termination::Disconnect { loser }, Termination::Stall { loser }] {
                let before = |task| is_possible(task, game(&[], termination));
                assert_eq!([before(&timed), before(&fixed)], [true, false], "{termination}");
                let after = is_possible(&timed, game(&["e4"], termination));
                assert_eq!(after, loser == Color::Black, "{termination}");
            }
        }
    }
}
