//! Games that tell what a candidate is worth.

use gamete_game::Color;
use gamete_optim::{Evaluation, Rng};

use super::Match;
use crate::experiment::ExperimentError;
use crate::match_tally::MatchTally;
use crate::objective::openings::PairOpening;
use crate::objective::trial_game::{Faults, Seat, TrialGame, advantage, score};
use crate::objective::{Candidate, Objective as _};
use crate::runtime::{Lab, LabError};

impl Match {
    /// Games of a pair.
    pub(super) fn pair_games(&self) -> u64 {
        if self.settings.choice("colors") == "both" { 2 } else { 1 }
    }

    /// The colours that a trial has in the games of a pair.
    fn colors(&self, rng: &mut Rng) -> Vec<Color> {
        match self.settings.choice("colors") {
            "random" => vec![if rng.below(2) == 0 { Color::White } else { Color::Black }],
            "white" => vec![Color::White],
            "black" => vec![Color::Black],
            _ => vec![Color::White, Color::Black],
        }
    }

    /// Whom a trial meets from which opening: opponents by their places, where it has no rival.
    fn meetings<'a>(
        &self,
        openings: &'a [PairOpening],
        has_rival: bool,
        rng: &mut Rng,
    ) -> Vec<(usize, &'a PairOpening)> {
        let opponents = self.opponents.len();
        if has_rival {
            openings.iter().map(|opening| (0, opening)).collect()
        } else if self.settings.flag("mixed") {
            openings.iter().map(|opening| (rng.below(opponents as u64) as usize, opening)).collect()
        } else {
            let against = |opponent| openings.iter().map(move |opening| (opponent, opening));
            (0..opponents).flat_map(against).collect()
        }
    }

    fn faults(&self) -> Faults {
        if self.settings.choice("faults") == "draw" { Faults::Draw } else { Faults::Loss }
    }

    /// Counts games by opponent and by opening, where there are several of either to choose from.
    fn tally(&self, games: &[TrialGame]) -> Result<Option<MatchTally>, ExperimentError> {
        let suite = self.openings.count(self.players.game(), &self.settings)?;
        if suite.is_none() && self.opponents.len() < 2 {
            return Ok(None);
        }
        let names = self.opponents.iter().map(|opponent| opponent.name.as_str());
        let mut tally = MatchTally::new(names, suite.unwrap_or(0));
        for TrialGame { seat, result } in games {
            let [own, white] = [seat.color, Color::White].map(|color| result.points(color));
            tally.add(
                seat.opponent.map(|opponent| (opponent, own)),
                seat.opening.map(|opening| (opening, white)),
            );
        }
        Ok(Some(tally))
    }

    /// Plays the games of all candidates, and tells what each made of them.
    pub(super) fn play(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let (phenotype, space, game) = (self.phenotype(), self.space()?, self.players.game());
        self.openings.remember(game, &self.settings, lab)?;
        let pairs = self.settings.count("pairs");
        // Nobody else plays two rivals, so that they have openings of their own.
        let is_alone =
            |candidate: &Candidate| candidate.rival.is_some() || self.settings.choice("redraw") == "trial";
        // The others have the same ones, so that luck with openings does not tell them apart.
        let count = if candidates.iter().all(is_alone) { 0 } else { pairs };
        let shared = self.openings.draw(game, &self.settings, count, &mut rng.fork("openings"))?;
        let (mut tasks, mut seats, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for candidate in candidates {
            let Candidate { trial, genome, rival } = candidate;
            let name = format!("trial {}", trial + 1);
            let (mut rounding, mut lots) = (rng.fork(&name), rng.fork(&format!("lots of {name}")));
            let own = is_alone(candidate).then(|| rng.fork(&format!("openings of {name}")));
            let own = own
                .map(|mut draws| self.openings.draw(game, &self.settings, pairs, &mut draws))
                .transpose()?;
            let openings = own.as_ref().unwrap_or(&shared);
            let contestant = |name: &str, genome: &[f64]| self.contestant(&phenotype, &space, name, genome);
            for (opponent, PairOpening { opening, seed, number }) in
                self.meetings(openings, rival.is_some(), &mut lots)
            {
                let [player, other] = match (rival, opponent) {
                    (Some(rival), _) => {
                        let drawn = space.round_together([genome, rival], &mut rounding);
                        [contestant(&name, &drawn[0]), contestant(&format!("rival of {name}"), &drawn[1])]
                    }
                    (None, opponent) => {
                        let drawn = self.rounds().then(|| space.round_randomly(genome, &mut rounding));
                        let player = contestant(&name, drawn.as_deref().unwrap_or(genome));
                        [player, self.opponents[opponent].clone()]
                    }
                };
                for color in self.colors(&mut lots) {
                    let players = if color == Color::White { [&player, &other] } else { [&other, &player] };
                    tasks.push(phenotype.game_of(opening, players, *seed));
                    let opponent = rival.is_none().then_some(opponent);
                    seats.push(Seat { color, opponent, opening: *number });
                }
            }
            ends.push(seats.len());
        }
        let kept = ends.first().copied().unwrap_or(0);
        let tasks = tasks.into_iter().enumerate().map(|(number, task)| (task, number < kept));
        let games: Vec<TrialGame> =
            seats.into_iter().zip(lab.play_each(tasks)?).map(TrialGame::from).collect();
        if let Some(tally) = self.tally(&games)? {
            lab.add_tally(&tally);
        }
        let faults = self.faults();
        let mut start = 0;
        let evaluation = |(candidate, end): (&Candidate, &usize)| {
            let games = &games[std::mem::replace(&mut start, *end)..*end];
            if candidate.rival.is_some() { advantage(games, faults) } else { score(games, faults) }
        };
        Ok(candidates.iter().zip(&ends).map(evaluation).collect())
    }
}
