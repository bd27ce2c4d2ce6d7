use std::cmp::Ordering;

use gamete_arena::{MoveCap, expected_games, quick_tournament};
use gamete_game::{Color, Outcome};
use gamete_optim::crossover::multi_parent;
use gamete_optim::mutation::gaussian;
use gamete_optim::selection::rank_acceptance;
use gamete_optim::{Genome, Key, Rng, Settings, Space};
use toml::Table;

use super::generational::{Descendant, Generational, Member, Ranking, evolve};
use super::kendall_whitwell::POPULATION_RANGE;
use super::{Answer, Finding, Method, MethodInfo, initial_population, table_of};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError, read, read_settings};
use crate::phenotype::Phenotype;
use crate::runtime::{GameResult, Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "quick-tournament",
    about: "Belmonte 2013: a genetic algorithm whose ranking is a quicksort tournament",
    keys: KEYS,
    read: |table| Ok(Box::new(QuickTournamentGa::read(table)?)),
    #[cfg(test)]
    small: "population = 6\ngenerations = 3\nmodel = 'chess/material'\n",
};

const CHANCE: [f64; 2] = [0.0, 1.0];

const KEYS: &[Key] = &[
    Key::integer("population", POPULATION_RANGE, 16, "players"),
    Key::real("top", CHANCE, 0.2, "share that survives; at least one player, unless it is 0"),
    Key::real("bottom", CHANCE, 0.2, "share replaced by immigrants; at least one player, unless it is 0"),
    Key::real("keep_chance", CHANCE, 0.2, "chance that a player in between survives"),
    Key::real(
        "mutant_chance",
        CHANCE,
        0.4,
        "chance that it is replaced by a mutant; children replace the rest",
    ),
    Key::integers("parents", [1, 1000], [2, 4], "fewest and most parents of a child"),
    Key::real("mean_chance", CHANCE, 1.0 / 3.0, "chance that a child's gene is the mean of all its parents'"),
    Key::real("mutation_chance", CHANCE, 0.4, "chance that a gene of a mutant changes"),
    Key::real(
        "mutation_sd",
        [0.0, f64::MAX],
        400.0,
        "deviation of the change; where there are no pawns, a fortieth of the mean range if left out",
    ),
    Key::flag("own_steps", false, "whether every genome has its own deviation, which evolves with it"),
    Key::flag("follow_length", false, "whether the move cap follows the average length of games"),
    Key::flag("both_colors", false, "whether players meet with both colours"),
];

/// Belmonte, "Applying Genetic Algorithms to Evolve Chess Piece Relative Values" (2013): a population ranked by a
/// quick-tournament, of which the best stay, the middle has mutants and children, and the worst are replaced.
#[derive(Debug)]
struct QuickTournamentGa {
    /// Who plays.
    breed: Breed,
    /// How many players there are.
    population: usize,
    /// The share that stays, and the share that is replaced by immigrants.
    top: f64,
    /// The share that is replaced by immigrants.
    bottom: f64,
    /// The chance of those between to stay.
    keep_chance: f64,
    /// Their chance to be replaced by a mutant; the rest are replaced by children.
    mutant_chance: f64,
    /// Fewest and most parents of a child.
    parents: [u32; 2],
    /// The chance of a gene to be the mean of all parents', not that of one.
    mean_chance: f64,
    /// The chance of a gene to change in a mutant.
    mutation_chance: f64,
    /// The deviation of the change.
    mutation_sd: f64,
    /// Whether every genome has a deviation of its own, which evolves with it.
    own_steps: bool,
    /// Whether games are given up at a multiple of their average length, which is guessed from the move cap.
    follow_length: bool,
    /// Whether players meet with both colours; the paper's pivot has Black.
    both_colors: bool,
    settings: Settings,
    /// Whether the file says by how much values change.
    has_step: bool,
}

impl QuickTournamentGa {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let settings = read_settings(table, KEYS)?;
        Ok(Self {
            breed: read(table)?,
            population: settings.count("population"),
            top: settings.number("top"),
            bottom: settings.number("bottom"),
            keep_chance: settings.number("keep_chance"),
            mutant_chance: settings.number("mutant_chance"),
            parents: settings.counts("parents"),
            mean_chance: settings.number("mean_chance"),
            mutation_chance: settings.number("mutation_chance"),
            mutation_sd: settings.number("mutation_sd"),
            own_steps: settings.flag("own_steps"),
            follow_length: settings.flag("follow_length"),
            both_colors: settings.flag("both_colors"),
            settings,
            has_step: table.contains_key("mutation_sd"),
        })
    }
}

/// A genome, and the step by which its mutants differ from it.
#[derive(Debug, Clone, PartialEq)]
struct SteppedGenome {
    genes: Genome,
    step: f64,
}

impl Member for SteppedGenome {
    fn genes(&self) -> &Genome {
        &self.genes
    }
}

/// Where those of the next generation come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Kept,
    Mutant,
    Child,
    Immigrant,
}

impl Method for QuickTournamentGa {
    fn table(&self) -> Table {
        table_of(&self.breed, &self.settings)
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.breed.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.breed)
    }

    fn answer(&self) -> Answer {
        Answer::first("the first of its last ranking")
    }

    fn judged(&self) -> &'static str {
        " without its bottom part"
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.breed.facts();
        facts.push(("population", self.population.to_string()));
        facts
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        if self.keep_chance + self.mutant_chance > 1.0 {
            return Err(ExperimentError::value("mutant_chance", "with keep_chance it is more than 1"));
        }
        let (top, bottom) = (self.part(self.top), self.part(self.bottom));
        if top + bottom >= self.population {
            let reason = format!(
                "{}: too small: {top} at the top and {bottom} at the bottom leave nobody between",
                self.population
            );
            return Err(ExperimentError::value("population", reason));
        }
        self.breed.complete()?;
        if !self.has_step && self.breed.pawn_name().is_none() {
            // The paper's deviation is in thousandths of a pawn.
            let space = self.breed.space()?;
            let widths: Vec<f64> =
                space.corner(0).iter().zip(space.corner(1)).map(|(min, max)| max - min).collect();
            self.mutation_sd = widths.iter().sum::<f64>() / widths.len() as f64 / 40.0;
            self.settings.set("mutation_sd", gamete_optim::Value::Number(self.mutation_sd))?;
            self.has_step = true;
        }
        Ok(())
    }

    fn expected_games(&self) -> Option<f64> {
        Some(expected_games(self.population) * if self.both_colors { 2.0 } else { 1.0 })
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        (self.expected_games().unwrap_or(0.0) * f64::from(budget.generations)) as u64
    }

    /// Evolves a population. The answer is the first of its last ranking.
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let phenotype = Phenotype::new(&self.breed);
        let genomes = initial_population(phenotype.space(), self.population, start, lab)?;
        let population =
            genomes.into_iter().map(|genes| SteppedGenome { genes, step: self.mutation_sd }).collect();
        let mut run = Run {
            method: self,
            phenotype,
            cap: MoveCap::from_moves(self.breed.max_moves),
            rng: lab.rng("breeding"),
            pivots: lab.rng("pivots"),
        };
        evolve(&mut run, population, self.population - self.part(self.bottom), budget, lab)
    }
}

/// What a run of it works with.
struct Run<'a> {
    method: &'a QuickTournamentGa,
    phenotype: Phenotype,
    cap: MoveCap,
    rng: Rng,
    pivots: Rng,
}

impl Generational for Run<'_> {
    type Member = SteppedGenome;

    fn rank(&mut self, population: &[SteppedGenome], lab: &mut Lab<'_>) -> Result<Ranking, LabError> {
        if self.method.follow_length {
            self.phenotype.set_max_moves(self.cap.moves());
        }
        let Self { method, phenotype, cap, pivots, .. } = self;
        let best_first = method.rank(phenotype, population, pivots, cap, lab)?;
        // Fitness is how many are ranked below.
        let mut fitness = vec![0.0; population.len()];
        for (below, &place) in best_first.iter().rev().enumerate() {
            fitness[place] = below as f64;
        }
        Ok(Ranking { best_first, fitness })
    }

    fn next_generation(
        &mut self,
        ranked: &[SteppedGenome],
        _fitness: &[f64],
    ) -> Vec<Descendant<SteppedGenome>> {
        self.method.next_generation(self.phenotype.space(), ranked, &mut self.rng)
    }
}

impl QuickTournamentGa {
    /// So many of the population, at least one of a share that is any.
    fn part(&self, share: f64) -> usize {
        if share > 0.0 { ((self.population as f64 * share) as usize).max(1) } else { 0 }
    }

    /// The places of the population, that of the best first.
    fn rank(
        &self,
        phenotype: &Phenotype,
        population: &[SteppedGenome],
        pivots: &mut Rng,
        cap: &mut MoveCap,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<usize>, LabError> {
        let start = phenotype.start();
        let players = phenotype.contestants(population.iter().map(|one| &one.genes));
        let mut first = true;
        let ranking = quick_tournament(players.len(), pivots, |games| {
            let both = if self.both_colors { 2 } else { 1 };
            let tasks = games.iter().flat_map(|&(white, black)| {
                let sides = [[&players[white], &players[black]], [&players[black], &players[white]]];
                sides.into_iter().take(both).map(|sides| phenotype.game_of(&start, sides, 0))
            });
            // The games of the first pivot are as good a sample as any.
            let results = lab.play_all(tasks, first)?;
            first = false;
            for result in &results {
                cap.tell(result.plies as usize);
            }
            Ok::<_, LabError>(results.chunks_exact(both).map(better).collect())
        })?;
        Ok(ranking.best_first)
    }

    /// Those who come after a ranked population, in the order of the places they take, each with the places of those it
    /// comes from.
    fn next_generation(
        &self,
        space: &Space,
        ranked: &[SteppedGenome],
        rng: &mut Rng,
    ) -> Vec<Descendant<SteppedGenome>> {
        let bottom = self.part(self.bottom);
        (0..ranked.len())
            .map(|place| match self.origin(place, rng) {
                Origin::Kept => (ranked[place].clone(), vec![place as u32]),
                Origin::Mutant => {
                    let parent = rng.below((ranked.len() - bottom) as u64) as usize;
                    (self.mutant(space, &ranked[parent], rng), vec![parent as u32])
                }
                Origin::Child => self.child(ranked, bottom, rng),
                Origin::Immigrant => {
                    (SteppedGenome { genes: space.random(rng), step: self.mutation_sd }, Vec::new())
                }
            })
            .collect()
    }

    /// Who is to take a place, from 0 for the best.
    fn origin(&self, place: usize, rng: &mut Rng) -> Origin {
        if place < self.part(self.top) {
            return Origin::Kept;
        }
        if place >= self.population - self.part(self.bottom) {
            return Origin::Immigrant;
        }
        match rng.uniform() {
            chance if chance < self.keep_chance => Origin::Kept,
            chance if chance < self.keep_chance + self.mutant_chance => Origin::Mutant,
            _ => Origin::Child,
        }
    }

    fn mutant(&self, space: &Space, of: &SteppedGenome, rng: &mut Rng) -> SteppedGenome {
        let mut mutant = of.clone();
        if self.own_steps {
            mutant.step =
                (mutant.step * libm::exp(rng.normal() / (mutant.genes.len() as f64).sqrt())).max(1e-3);
        }
        gaussian(&mut mutant.genes, self.mutation_chance, mutant.step, rng);
        // The values of the paper never fall below 1; what has bounds has these instead, and where there are no pawns the range.
        let has_pawns = self.breed.pawn_name().is_some();
        for ((gene, [min, _]), start) in mutant.genes.iter_mut().zip(space.bounds()).zip(space.corner(0)) {
            *gene = gene.max(if min.is_finite() {
                min
            } else if has_pawns {
                1.0
            } else {
                start
            });
        }
        space.confine(&mut mutant.genes);
        mutant
    }

    fn child(&self, ranked: &[SteppedGenome], bottom: usize, rng: &mut Rng) -> Descendant<SteppedGenome> {
        let [fewest, most] = self.parents.map(u64::from);
        let count = fewest + rng.below(most - fewest + 1);
        let places: Vec<usize> =
            (0..count).map(|_| ranked.len() - 1 - rank_acceptance(ranked.len(), bottom, rng)).collect();
        let parents: Vec<&SteppedGenome> = places.iter().map(|&place| &ranked[place]).collect();
        let genes: Vec<_> = parents.iter().map(|parent| &parent.genes).collect();
        let step = parents.iter().map(|parent| parent.step).sum::<f64>() / parents.len() as f64;
        let child = SteppedGenome { genes: multi_parent(&genes, self.mean_chance, rng), step };
        (child, places.into_iter().map(|place| place as u32).collect())
    }
}

/// Who is better after a game or a pair; White is the one that had White first.
fn better(games: &[GameResult]) -> Outcome {
    let (half_points, even) = match games {
        [first, second] => (GameResult::pair([first, second]).score().0, 2),
        games => (games[0].points(Color::White).half_points(), 1),
    };
    match half_points.cmp(&even) {
        Ordering::Greater => Outcome::Win(Color::White),
        Ordering::Equal => Outcome::Draw,
        Ordering::Less => Outcome::Win(Color::Black),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> QuickTournamentGa {
        QuickTournamentGa::read(&text.parse().expect("TOML")).expect("a method")
    }
    use gamete_game::Parameter;
    use gamete_optim::{Dimension, Gene};

    #[test]
    fn survivors_have_the_shares_of_the_paper() {
        let method = method("population = 100");
        let mut rng = Rng::new(1);
        let mut counts = std::collections::BTreeMap::new();
        let generations = 20_000;
        for _ in 0..generations {
            for place in 0..100 {
                *counts.entry((place < 20, method.origin(place, &mut rng))).or_insert(0) += 1;
            }
        }
        let shares: Vec<_> = counts.into_iter().collect();
        let expected = [
            ((false, Origin::Kept), 0.12),
            ((false, Origin::Mutant), 0.24),
            ((false, Origin::Child), 0.24),
            ((false, Origin::Immigrant), 0.2),
            ((true, Origin::Kept), 0.2),
        ];
        assert_eq!(shares.len(), expected.len(), "{shares:?}");
        for ((origin, count), (wanted, share)) in shares.into_iter().zip(expected) {
            let found = f64::from(count) / f64::from(100 * generations);
            assert_eq!(origin, wanted);
            assert!((found / share - 1.0).abs() < 0.01, "{origin:?}: {found} is not {share}");
        }
    }

    #[test]
    fn places_are_taken_by_whom_they_are_for() {
        let method = method("");
        let space = Space::new(vec![Dimension {
            parameter: Parameter::real("x", [1.0, 20_000.0], 1.0, "").named("x".to_owned()),
            gene: Gene::Free([800.0, 17_000.0]),
            is_bounded: false,
            rate: None,
        }])
        .unwrap();
        // Mutants and children of players that are alike and have no step are like them; immigrants have a step.
        let ranked = vec![SteppedGenome { genes: vec![1.0], step: 0.0 }; 16];
        for seed in 0..100 {
            let (next, parents): (Vec<SteppedGenome>, Vec<Vec<u32>>) =
                method.next_generation(&space, &ranked, &mut Rng::new(seed)).into_iter().unzip();
            let places: Vec<usize> = parents.iter().map(Vec::len).collect();
            assert!(places[..13].iter().all(|&parents| parents > 0) && places[13..] == [0, 0, 0]);
            assert_eq!(parents[..3], [[0], [1], [2]], "those at the top stay");
            let immigrants: Vec<bool> =
                next.iter().map(|one| one.step > 0.0 && one.genes[0] >= 800.0).collect();
            assert_eq!(immigrants, [vec![false; 13], vec![true; 3]].concat());
            assert_eq!(next[..13], ranked[..13]);
        }
    }

    #[test]
    fn parents_are_never_of_the_bottom() {
        let method = method("mean_chance = 0.0");
        let ranked: Vec<SteppedGenome> =
            (0..16).map(|place| SteppedGenome { genes: vec![f64::from(place)], step: 1.0 }).collect();
        let mut rng = Rng::new(2);
        let mut seen = [0; 16];
        for _ in 0..10_000 {
            seen[method.child(&ranked, 3, &mut rng).0.genes[0] as usize] += 1;
        }
        assert_eq!(seen[13..], [0, 0, 0]);
        assert!(seen[0] > seen[6] && seen[6] > seen[12] && seen[12] > 0, "{seen:?}");
    }

    #[test]
    fn populations_too_small_for_their_shares_are_refused() {
        let check = |population| {
            let mut method = method(&format!("population = {population}"));
            method.complete().err().map(|error| error.to_string())
        };
        assert_eq!(check(3), None);
        assert_eq!(
            check(2).unwrap(),
            "population: 2: too small: 1 at the top and 1 at the bottom leave nobody between"
        );
    }
}
