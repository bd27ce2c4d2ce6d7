//! Test functions with a known optimum: textbook ones, and landscapes of Elo.

mod landscape;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gamete_game::Parameter;
use gamete_optim::{Dimension, Evaluation, Gene, Genome, Key, Rng, Settings, Space};
use gamete_stats::score_of_elo;

use self::landscape::{BOUND, Form, Landscape};
use super::{Candidate, Objective, ObjectiveInfo};
use crate::experiment::ExperimentError;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "function",
    about: "a test function with a known optimum, without games",
    keys: &[
        Key::choice(
            "name",
            &[
                "sphere",
                "rosenbrock",
                "rastrigin",
                "elo",
                "quadratic",
                "saturating",
                "plateau",
                "ridge",
                "cliff",
            ],
            "which one; elo is the score of games in which strength falls with the distance from the optimum, and those after \
             it are random Elo landscapes",
        ),
        Key::integer("dimensions", [1, 10_000], 4, "number of coordinates"),
        Key::real("noise", [0.0, 1e9], 0.0, "deviation of the noise on each value"),
        Key::integer("games", [1, 1_000_000], 100, "games per evaluation of elo, none of them drawn"),
        Key::integer(
            "pairs",
            [1, 1_000_000],
            8,
            "pairs of games per evaluation in a landscape, against the start",
        ),
        Key::integer(
            "rival_pairs",
            [1, 1_000_000],
            1,
            "pairs of games per comparison of two points in a landscape",
        ),
        Key::real(
            "guess",
            [1e-3, 1e3],
            1.0,
            "steps that optimisers are told in a landscape, relative to the right ones",
        ),
        Key::flag("integers", false, "whether coordinates of a landscape are whole numbers, three per step"),
        Key::integer(
            "landscape",
            [0, 1_000_000_000],
            0,
            "which landscape of its form; 0 for a different one in each replicate",
        ),
    ],
    read: |_, settings| Ok(Box::new(Function { settings, landscapes: Mutex::default() })),
    #[cfg(test)]
    small: "",
};

/// The largest coordinate of textbook functions, and the smallest the other way round.
const RANGE: f64 = 5.0;

/// Elo that is lost at a distance of 1 from the optimum.
const ELO_AT_ONE: f64 = 50.0;

/// Where searches from one point begin, in every coordinate: away from all optima.
const START: f64 = 3.0;

/// Whole numbers in a step of a landscape.
const UNITS: f64 = 3.0;

/// The largest matrix of a landscape.
const MAX_DIMENSIONS: usize = 300;

/// A function to be made large. All optima are 0, at 0 or (Rosenbrock) at 1; that of elo is a half, at 0; those of landscapes lie
/// elsewhere in each.
#[derive(Debug)]
struct Function {
    settings: Settings,
    /// Landscapes that were drawn, by the state of the generator that drew them.
    landscapes: Mutex<BTreeMap<u64, Arc<Landscape>>>,
}

impl Function {
    fn name(&self) -> &str {
        self.settings.choice("name")
    }

    fn dimensions(&self) -> usize {
        self.settings.count("dimensions")
    }

    /// Which landscape it is, if it is one.
    fn form(&self) -> Option<Form> {
        Form::find(self.name())
    }

    /// Whole numbers in a step, where coordinates are whole.
    fn units(&self) -> Option<f64> {
        self.settings.flag("integers").then_some(UNITS)
    }

    /// The landscape of a run: runs of a replicate share it, as they share their seed.
    fn landscape(&self, form: Form, run: &Rng) -> Arc<Landscape> {
        let rng = match self.settings.count("landscape") as u64 {
            0 => run.clone(),
            seed => Rng::new(seed).fork("landscape"),
        };
        let mut known = self.landscapes.lock().unwrap_or_else(PoisonError::into_inner);
        let draw = || Arc::new(Landscape::draw(form, self.dimensions(), self.units(), rng.clone()));
        Arc::clone(known.entry(rng.clone().next_u64()).or_insert_with(draw))
    }

    /// A genome in steps of its landscape.
    fn in_steps(&self, genome: &[f64]) -> Genome {
        let unit = self.units().unwrap_or(1.0);
        genome.iter().map(|gene| gene / unit).collect()
    }

    /// How much better a point of a landscape is than its rival, as an advantage; without one, its score in games against the start.
    fn play(&self, landscape: &Landscape, candidate: &Candidate, space: &Space, rng: &mut Rng) -> f64 {
        let Candidate { genome, rival, .. } = candidate;
        match rival {
            Some(rival) => {
                let both = space.round_together([genome, rival], rng);
                let [one, other] = both.each_ref().map(|genome| self.in_steps(genome));
                landscape.play([&one, &other], self.settings.count("rival_pairs"), rng)
            }
            None => {
                let start = vec![0.0; genome.len()];
                let advantage =
                    landscape.play([&self.in_steps(genome), &start], self.settings.count("pairs"), rng);
                f64::midpoint(1.0, advantage)
            }
        }
    }

    /// How much better one point is than another: in elo what comes of games between the two.
    fn advantage(&self, [x, y]: [&[f64]; 2], rng: &mut Rng) -> f64 {
        if self.name() != "elo" {
            return self.value(x, rng) - self.value(y, rng);
        }
        let elo = ELO_AT_ONE * (square(y) - square(x));
        let noise = self.noise(rng);
        2.0 * self.score(elo, rng) - 1.0 + noise
    }

    /// The score of games between players that are so much apart.
    fn score(&self, elo: f64, rng: &mut Rng) -> f64 {
        let (chance, games) = (score_of_elo(elo), self.settings.count("games"));
        (0..games).filter(|_| rng.uniform() < chance).count() as f64 / games as f64
    }

    fn noise(&self, rng: &mut Rng) -> f64 {
        self.settings.number("noise") * rng.normal()
    }

    fn value(&self, x: &[f64], rng: &mut Rng) -> f64 {
        let value =
            if self.name() == "elo" { self.score(-ELO_AT_ONE * square(x), rng) } else { -self.lost(x) };
        value + self.noise(rng)
    }

    /// How much worse a point is than the optimum, of elo in Elo.
    fn lost(&self, x: &[f64]) -> f64 {
        match self.name() {
            "rosenbrock" => x
                .windows(2)
                .map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2))
                .sum::<f64>(),
            "rastrigin" => {
                x.iter().map(|x| x * x - 10.0 * libm::cos(std::f64::consts::TAU * x) + 10.0).sum::<f64>()
            }
            "elo" => ELO_AT_ONE * square(x),
            _ => square(x),
        }
    }
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

impl Objective for Function {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self) -> Result<(), ExperimentError> {
        let (name, dimensions) = (self.name(), self.dimensions());
        if name == "rosenbrock" && dimensions < 2 {
            let reason = format!("{dimensions}: {name} is made of pairs of neighbours; give at least 2");
            return Err(ExperimentError::value("function.dimensions", reason));
        }
        if self.form().is_some() && dimensions > MAX_DIMENSIONS {
            let reason = format!("{dimensions}: a landscape has at most {MAX_DIMENSIONS}");
            return Err(ExperimentError::value("function.dimensions", reason));
        }
        Ok(())
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        let parameter = match (self.form(), self.units()) {
            (None, _) => Parameter::real("", [-RANGE, RANGE], START, ""),
            (Some(_), None) => {
                let step = self.settings.number("guess");
                Parameter { step, ..Parameter::real("", [-BOUND, BOUND], 0.0, "") }
            }
            (Some(_), Some(units)) => {
                let (step, bound) = (units * self.settings.number("guess"), units * BOUND);
                Parameter { step, ..Parameter::integer("", [-bound, bound], 0.0, "") }
            }
        };
        let dimension = |number: usize| Dimension {
            parameter: parameter.named(format!("x{number}")),
            gene: Gene::Free([parameter.min, parameter.max]),
            is_bounded: true,
            rate: None,
        };
        let dimensions = (1..=self.dimensions()).map(dimension).collect();
        Space::new(dimensions).map_err(|error| ExperimentError::value("function.dimensions", error))
    }

    fn breeds(&self) -> &'static str {
        "numbers of a test function"
    }

    fn subject(&self) -> String {
        self.name().to_owned()
    }

    fn simulates(&self) -> bool {
        true
    }

    fn games(&self) -> u64 {
        match self.form() {
            Some(_) => 2 * self.settings.count("pairs") as u64,
            None if self.name() == "elo" => self.settings.count("games") as u64,
            None => 0,
        }
    }

    fn games_with_rival(&self) -> u64 {
        match self.form() {
            Some(_) => 2 * self.settings.count("rival_pairs") as u64,
            None => self.games(),
        }
    }

    fn compares(&self) -> bool {
        true
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut function = format!("{} of {} numbers", self.name(), self.dimensions());
        if self.form().is_some() {
            let whole = if self.settings.flag("integers") { "whole " } else { "" };
            function = format!("{} landscape of {} {whole}numbers", self.name(), self.dimensions());
            let guess = self.settings.number("guess");
            if guess != 1.0 {
                function.push_str(&format!(", steps guessed as {guess} of right ones"));
            }
        }
        vec![("function", function)]
    }

    fn starts_from_defaults(&self) -> bool {
        self.form().is_some()
    }

    fn knows_optimum(&self) -> bool {
        true
    }

    fn regret(&self, genome: &[f64], lab: &Lab<'_>) -> Option<f64> {
        Some(match self.form() {
            None => self.lost(genome),
            Some(form) => {
                let rounded = self.space().map_or_else(|_| genome.to_vec(), |space| space.rounded(genome));
                -self.landscape(form, &lab.rng(LANDSCAPE)).elo(&self.in_steps(&rounded))
            }
        })
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let landscape = self.form().map(|form| self.landscape(form, &lab.rng(LANDSCAPE)));
        let space = self.space()?;
        let evaluate = |candidate: &Candidate| {
            let mut rng = rng.fork(&format!("trial {}", candidate.trial));
            let genome = &candidate.genome;
            Evaluation::new(match (&landscape, &candidate.rival) {
                (Some(landscape), _) => {
                    self.play(landscape, candidate, &space, &mut rng) + self.noise(&mut rng)
                }
                (None, Some(rival)) => self.advantage([genome, rival], &mut rng),
                (None, None) => self.value(genome, &mut rng),
            })
        };
        Ok(candidates.iter().map(evaluate).collect())
    }
}

/// What the landscape of a run is drawn by.
const LANDSCAPE: &str = "landscape";

#[cfg(test)]
mod tests {
    use gamete_optim::Value;

    use super::*;

    fn function(name: &str) -> Function {
        let mut settings = Settings::new(INFO.keys);
        settings.set("name", Value::Text(name.to_owned())).expect("a function");
        Function { settings, landscapes: Mutex::default() }
    }

    #[test]
    fn optima_are_where_they_are_known_to_be() {
        let value = |name, x: &[f64]| function(name).value(x, &mut Rng::new(1));
        assert_eq!(value("sphere", &[0.0; 4]), 0.0);
        assert_eq!(value("sphere", &[1.0, -2.0]), -5.0);
        assert_eq!(value("rosenbrock", &[1.0; 4]), 0.0);
        assert_eq!(value("rosenbrock", &[0.0, 0.0]), -1.0);
        assert!(value("rastrigin", &[0.0; 3]).abs() < 1e-12 && value("rastrigin", &[0.5, 0.0]) < -20.0);
    }

    #[test]
    fn elo_is_the_score_of_games() {
        let elo = function("elo");
        let mean = |x: f64| {
            let mut rng = Rng::new(2);
            (0..200).map(|_| elo.value(&[x], &mut rng)).sum::<f64>() / 200.0
        };
        assert!((mean(0.0) - 0.5).abs() < 0.01);
        // 200 Elo at a distance of 2.
        assert!((mean(2.0) - 0.2403).abs() < 0.01);
    }

    #[test]
    fn points_of_a_landscape_score_against_the_start() {
        let quadratic = function("quadratic");
        let space = quadratic.space().expect("a space");
        let landscape = quadratic.landscape(Form::find("quadratic").expect("a form"), &Rng::new(3));
        for x in [0.0, 0.5, 1.0] {
            let (mut rng, genome) = (Rng::new(4), vec![x; space.names().len()]);
            let elo = landscape.elo(&genome) - landscape.elo(&vec![0.0; genome.len()]);
            let candidate = Candidate { trial: 0, genome, rival: None };
            let play = |_| quadratic.play(&landscape, &candidate, &space, &mut rng);
            let scores: Vec<f64> = (0..400).map(play).collect();
            assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
            let (mean, expected) =
                (scores.iter().sum::<f64>() / 400.0, 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)));
            assert!((mean - expected).abs() < 0.03, "{elo} Elo: {mean} for {expected}");
        }
    }

    #[test]
    fn rivals_meet_in_games_or_differ_by_what_they_are_worth() {
        let mean = |name, x: f64, y: f64| {
            let mut rng = Rng::new(2);
            (0..200).map(|_| function(name).advantage([&[x], &[y]], &mut rng)).sum::<f64>() / 200.0
        };
        // 200 Elo apart, wherever that is.
        assert!(
            (mean("elo", 0.0, 2.0) - 0.5194).abs() < 0.02
                && (mean("elo", 3.0, 13_f64.sqrt()) - 0.5194).abs() < 0.02
        );
        assert_eq!(mean("sphere", 1.0, 2.0), 3.0);
    }
}
