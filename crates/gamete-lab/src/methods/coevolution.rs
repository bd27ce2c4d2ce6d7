use gamete_arena::OpeningText;
use gamete_game::Color;
use gamete_optim::gray::PointCode;
use gamete_optim::mutation::bit_flip;
use gamete_optim::selection::{best, linear_rank, proportional};
use gamete_optim::{Genome, Key, Rng, Settings, Space};
use toml::Table;

use super::generational::{Descendant, Generational, Ranking, evolve};
use super::kendall_whitwell::POPULATION_RANGE;
use super::{Answer, Finding, MAX_GAMES, Method, MethodInfo, initial_population, table_of};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::cross_table::CrossTable;
use crate::experiment::{Budget, ExperimentError, Playoff, read, read_settings};
use crate::measure::Measure;
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "coevolution",
    about: "David et al. 2014, second stage: a genetic algorithm on round-robin points",
    keys: KEYS,
    read: |table| Ok(Box::new(Coevolution::read(table)?)),
    #[cfg(test)]
    small: "population = 4\ngenerations = 3\npair_games = 2\nmodel = 'chess/material'\n",
};

const KEYS: &[Key] = &[
    Key::integer("population", POPULATION_RANGE, 10, "players"),
    Key::integer(
        "pair_games",
        [1, 10_000],
        4,
        "games between any two players per generation, with alternating colours",
    ),
    Key::integer(
        "plies",
        [0, Playoff::MAX_PLIES as i64],
        6,
        "random plies of the opening, which differs from game to game",
    ),
    Key::integer("elite", [0, 99_999], 1, "how many of the best survive unchanged"),
    Key::choice(
        "selection",
        &["rank", "proportional"],
        "whether parents are chosen by rank or in proportion to points",
    ),
    Key::real(
        "pressure",
        [1.0, 2.0],
        1.8,
        "by rank: chance of the best to be a parent, relative to the average",
    ),
    Key::real(
        "crossover",
        [0.0, 1.0],
        0.75,
        "chance that two parents exchange half of their bits or genes at random",
    ),
    Key::real("mutation", [0.0, 1.0], 0.005, "chance that a bit flips, or that a gene changes by its step"),
    Key::choice(
        "encoding",
        &["gray", "real"],
        "genes as bits in Gray code within their ranges, or as numbers",
    ),
    Key::integer(
        "bits",
        [0, 52],
        0,
        "bits per gene in Gray code; 0 for as many as the whole numbers of its range need",
    ),
];

/// The second stage of David, van den Herik, Koppel and Netanyahu, "Genetic Algorithms for Evolving Computer Chess Programs"
/// (2014): everybody plays everybody, and points are fitness.
#[derive(Debug)]
struct Coevolution {
    breed: Breed,
    settings: Settings,
}

impl Coevolution {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        Ok(Self { breed: read(table)?, settings: read_settings(table, KEYS)? })
    }

    fn population(&self) -> usize {
        self.settings.count("population")
    }

    /// Games of a generation.
    fn games(&self) -> usize {
        self.population() * (self.population() - 1) / 2 * self.settings.count("pair_games")
    }

    fn coding(&self, space: &Space) -> Coding {
        if self.settings.choice("encoding") == "real" {
            return Coding::Real(space.steps());
        }
        Coding::Gray(PointCode::spread(match self.settings.count("bits") as u32 {
            0 => space.bits(),
            bits => vec![bits; space.names().len()],
        }))
    }
}

impl Method for Coevolution {
    fn table(&self) -> Table {
        table_of(&self.breed, &self.settings)
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        let (population, elite) = (self.population(), self.settings.count("elite"));
        if elite >= population {
            let reason = format!("{elite}: give less than the population of {population}");
            return Err(ExperimentError::value("elite", reason));
        }
        if self.games() > MAX_GAMES {
            let reason = format!(
                "{population}: all against all are {} games in a generation with pair_games = {}, and {MAX_GAMES} are the most",
                self.games(),
                self.settings.count("pair_games")
            );
            return Err(ExperimentError::value("population", reason));
        }
        self.breed.complete()
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.breed.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.breed)
    }

    fn answer(&self) -> Answer {
        Answer::first("the best of its last generation")
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.breed.facts();
        facts.push(("population", self.population().to_string()));
        facts.push(("games of every two", self.settings.count("pair_games").to_string()));
        facts
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        self.games() as u64 * u64::from(budget.generations)
    }

    /// Evolves a population. The answer is the best of its last generation.
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let phenotype = Phenotype::new(&self.breed);
        let space = phenotype.space();
        let coding = self.coding(space);
        let genomes = initial_population(space, self.population(), start, lab)?;
        let population = genomes.iter().map(|genome| coding.nearest(space, genome)).collect();
        let mut run =
            Run { method: self, phenotype, coding, rng: lab.rng("breeding"), openings: lab.rng("openings") };
        evolve(&mut run, population, self.population(), budget, lab)
    }
}

/// What a run of it works with.
struct Run<'a> {
    method: &'a Coevolution,
    phenotype: Phenotype,
    coding: Coding,
    rng: Rng,
    openings: Rng,
}

impl Generational for Run<'_> {
    type Member = Genome;

    /// Points of games of all against all, every game from an opening of its own.
    fn rank(&mut self, population: &[Genome], lab: &mut Lab<'_>) -> Result<Ranking, LabError> {
        let settings = &self.method.settings;
        let players = self.phenotype.contestants(population.iter());
        let mut games = Vec::with_capacity(self.method.games());
        for one in 0..players.len() {
            for two in one + 1..players.len() {
                for game in 0..settings.count("pair_games") {
                    games.push(if game % 2 == 0 { [one, two] } else { [two, one] });
                }
            }
        }
        let (phenotype, openings, plies) = (&self.phenotype, &mut self.openings, settings.count("plies"));
        let tasks = games.iter().map(|&[white, black]| {
            let opening = OpeningText::random(phenotype.game(), plies, openings);
            let task = phenotype.game_of(&opening, [&players[white], &players[black]], openings.next_u64());
            // The elite and whom it meets first are worth a look.
            (task, white + black == 1)
        });
        let results = lab.play_each(tasks)?;
        let mut table = CrossTable::new(players.len(), settings.count("pair_games") as u32);
        for (&[white, black], result) in games.iter().zip(&results) {
            table.add(white, black, result.points(Color::White).half_points().into());
            table.add(black, white, result.points(Color::Black).half_points().into());
        }
        let points: Vec<f64> = (0..players.len()).map(|player| table.points(player)).collect();
        let best_first = best(&points, points.len());
        let most = Measure::of_best(Measure::POINTS, points[best_first[0]]).out_of(table.most_points());
        lab.measure(|_| Ok(vec![most]))?;
        if players.len() <= CrossTable::MAX_PLAYERS {
            lab.set_cross_table(table.in_order(&best_first));
        }
        Ok(Ranking { best_first, fitness: points })
    }

    /// The elite, and children of pairs of parents.
    fn next_generation(&mut self, ranked: &[Genome], points: &[f64]) -> Vec<Descendant<Genome>> {
        let settings = &self.method.settings;
        let elite = settings.count("elite");
        let mut next: Vec<Descendant<Genome>> =
            ranked[..elite].iter().cloned().zip((0..).map(|place| vec![place])).collect();
        while next.len() < ranked.len() {
            let [one, two] = [0, 1].map(|_: u8| self.parent(points));
            let exchanged = self.rng.uniform() < settings.number("crossover");
            let parents = [&ranked[one], &ranked[two]];
            let (space, mutation) = (self.phenotype.space(), settings.number("mutation"));
            let children = self.coding.children(space, parents, exchanged, mutation, &mut self.rng);
            let places = [[one, two], [two, one]].map(|both| {
                both.iter().take(if exchanged { 2 } else { 1 }).map(|&place| place as u32).collect()
            });
            next.extend(children.into_iter().zip(places));
        }
        next.truncate(ranked.len());
        next
    }
}

impl Run<'_> {
    /// Who has children, by its place among the ranked.
    fn parent(&mut self, points: &[f64]) -> usize {
        match self.method.settings.choice("selection") {
            "proportional" => proportional(points, &mut self.rng),
            _ => {
                let pressure = self.method.settings.number("pressure");
                points.len() - 1 - linear_rank(points.len(), pressure, &mut self.rng)
            }
        }
    }
}

/// What crossover and mutation see of genomes.
#[derive(Debug)]
enum Coding {
    /// Bits.
    Gray(PointCode),
    /// Numbers, which change by steps.
    Real(Vec<f64>),
}

impl Coding {
    /// The nearest genome that can be coded.
    fn nearest(&self, space: &Space, genome: &[f64]) -> Genome {
        match self {
            Self::Gray(code) => space.at(&code.nearest(&space.point(genome))),
            Self::Real(_) => genome.to_vec(),
        }
    }

    /// The two children of two parents.
    fn children(
        &self,
        space: &Space,
        parents: [&Genome; 2],
        exchanged: bool,
        mutation: f64,
        rng: &mut Rng,
    ) -> [Genome; 2] {
        match self {
            Self::Gray(code) => {
                let mut bits = parents.map(|genome| code.encode(&space.point(genome)));
                exchange(&mut bits, exchanged, rng);
                bits.map(|mut bits| {
                    bit_flip(&mut bits, mutation, rng);
                    space.at(&code.decode(&bits))
                })
            }
            Self::Real(steps) => {
                let mut genomes = parents.map(Clone::clone);
                exchange(&mut genomes, exchanged, rng);
                for genome in &mut genomes {
                    for (gene, step) in genome.iter_mut().zip(steps) {
                        if rng.uniform() < mutation {
                            *gene += step * rng.normal();
                        }
                    }
                    space.confine(genome);
                }
                genomes
            }
        }
    }
}

/// Uniform crossover of a pair: each place is exchanged with a chance of a half.
fn exchange<T>([one, two]: &mut [Vec<T>; 2], is_wanted: bool, rng: &mut Rng) {
    if is_wanted {
        for (one, two) in one.iter_mut().zip(two) {
            if rng.below(2) == 1 {
                std::mem::swap(one, two);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::testing::{TestLab, fake};

    fn method(text: &str) -> Coevolution {
        let mut method = Coevolution::read(&text.parse().expect("TOML")).expect("a method");
        method.breed.complete().expect("players");
        method
    }

    #[test]
    fn genes_have_as_many_bits_as_in_the_paper() {
        let classic = method("model = 'chess/classic'\nweights.pawn_value = 100\n");
        let space = classic.breed.space().expect("a space");
        let Coding::Gray(code) = classic.coding(&space) else { panic!("bits") };
        assert_eq!((space.names().len(), code.bits()), (34, 224));
        assert_eq!(classic.planned_games(&Budget { generations: 50, ..Budget::default() }), 9_000);
    }

    #[test]
    fn children_have_the_bits_of_their_parents_and_a_few_of_their_own() {
        let method = method("model = 'chess/classic'\n");
        let space = method.breed.space().expect("a space");
        let (coding, mut rng) = (method.coding(&space), Rng::new(1));
        let parents =
            [space.random(&mut rng), space.random(&mut rng)].map(|one| coding.nearest(&space, &one));
        let parents = [&parents[0], &parents[1]];
        let copies = coding.children(&space, parents, false, 0.0, &mut rng);
        assert_eq!([&copies[0], &copies[1]], parents);
        let mixed = coding.children(&space, parents, true, 0.0, &mut rng);
        let Coding::Gray(code) = &coding else { panic!("bits") };
        let bits = |genome: &Genome| code.encode(&space.point(genome));
        for place in 0..bits(parents[0]).len() {
            let [one, two, three, four] =
                [parents[0], parents[1], &mixed[0], &mixed[1]].map(|genome| bits(genome)[place]);
            assert!((one, two) == (three, four) || (one, two) == (four, three), "{place}");
        }
        assert!(mixed[0] != *parents[0] && mixed[0] != *parents[1]);
        let mutants: Vec<Genome> =
            (0..500).flat_map(|_| coding.children(&space, parents, false, 0.005, &mut rng)).collect();
        let flipped = |(number, mutant): (usize, &Genome)| {
            bits(mutant).iter().zip(bits(parents[number % 2])).filter(|(one, two)| *one != two).count()
        };
        let flips: usize = mutants.iter().enumerate().map(flipped).sum();
        // A thousand mutants of 234 bits each.
        assert!((1_050..1_290).contains(&flips), "{flips}");
    }

    #[test]
    fn real_genes_change_by_their_steps() {
        let method = method("model = 'chess/kendall-whitwell'\nencoding = 'real'\n");
        let space = method.breed.space().expect("a space");
        let (coding, mut rng) = (method.coding(&space), Rng::new(2));
        let parent = space.random(&mut rng);
        let children = coding.children(&space, [&parent, &parent], true, 1.0, &mut rng);
        for (child, step) in children
            .iter()
            .flat_map(|child| child.iter().zip(space.steps()))
            .zip(parent.iter().cycle())
            .map(|((gene, step), was)| (gene - was, step))
        {
            assert!(child != 0.0 && child.abs() < 5.0 * step, "{child} {step}");
        }
    }

    #[test]
    fn every_generation_has_its_cross_table() {
        let lab = TestLab::new();
        let text = format!("name = 'x'\nmethod = 'coevolution'\n{}", INFO.small);
        lab.run(&text, &fake()).expect("a result");
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        let generations = store.generations(run).expect("generations");
        assert_eq!(generations[0].summary.cross_table, None);
        for row in &generations[1..] {
            let table = row.summary.cross_table.as_ref().expect("a table");
            let points: Vec<_> = (0..4).map(|player| Some(table.points(player))).collect();
            assert_eq!(points, row.population.iter().map(|one| one.fitness).collect::<Vec<_>>());
            for (one, two) in [(0, 1), (0, 3), (2, 3)] {
                assert_eq!(table.half_points[one][two] + table.half_points[two][one], 4, "{table:?}");
            }
            let measure = row.summary.measure(Measure::POINTS).expect("points");
            assert_eq!((Some(measure.best), measure.of), (points[0], Some(6.0)));
        }
    }

    #[test]
    fn numbers_that_do_not_go_together_are_refused() {
        let error = |text: &str| {
            let text = format!("name = 'x'\nmethod = 'coevolution'\n{text}");
            Experiment::from_table(&text.parse().expect("TOML")).expect_err("an error").to_string()
        };
        assert_eq!(error("elite = 10"), "elite: 10: give less than the population of 10");
        assert!(error("population = 1000").starts_with(
            "population: 1000: all against all are 1998000 games in a generation with pair_games = 4, "
        ));
    }
}
