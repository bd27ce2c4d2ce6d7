use gamete_game::Parameter;
use gamete_optim::{Dimension, Evaluation, Gene, Key, Rng, Settings, Space};
use gamete_stats::score_of_elo;

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
            &["sphere", "rosenbrock", "rastrigin", "elo"],
            "which one; elo is the score of games whose strength falls with the distance from the optimum",
        ),
        Key::integer("dimensions", [1, 10_000], 4, "how many numbers it takes"),
        Key::real("noise", [0.0, 1e9], 0.0, "deviation of the noise on each value"),
        Key::integer("games", [1, 1_000_000], 100, "games of an evaluation of elo, of which none is drawn"),
    ],
    read: |_, settings| Ok(Box::new(Function { settings })),
    #[cfg(test)]
    small: "",
};

/// The largest coordinate, and the smallest the other way round.
const RANGE: f64 = 5.0;

/// Elo that is lost at a distance of 1 from the optimum.
const ELO_AT_ONE: f64 = 50.0;

/// Where searches from one point begin, in every coordinate: away from all optima.
const START: f64 = 3.0;

/// A function to be made large. All optima are 0, at 0 or (Rosenbrock) at 1; that of elo is a half, at 0.
#[derive(Debug)]
struct Function {
    settings: Settings,
}

impl Function {
    /// How much better one point is than another: in elo what comes of games between the two.
    fn advantage(&self, [x, y]: [&[f64]; 2], rng: &mut Rng) -> f64 {
        if self.settings.choice("name") != "elo" {
            return self.value(x, rng) - self.value(y, rng);
        }
        let elo = ELO_AT_ONE * (square(y) - square(x));
        let noise = self.settings.number("noise") * rng.normal();
        2.0 * self.score(elo, rng) - 1.0 + noise
    }

    /// The score of games between players that are so much apart.
    fn score(&self, elo: f64, rng: &mut Rng) -> f64 {
        let (chance, games) = (score_of_elo(elo), self.settings.count("games"));
        (0..games).filter(|_| rng.uniform() < chance).count() as f64 / games as f64
    }

    fn value(&self, x: &[f64], rng: &mut Rng) -> f64 {
        let value = match self.settings.choice("name") {
            "rosenbrock" => -x
                .windows(2)
                .map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2))
                .sum::<f64>(),
            "rastrigin" => {
                -x.iter().map(|x| x * x - 10.0 * libm::cos(std::f64::consts::TAU * x) + 10.0).sum::<f64>()
            }
            "elo" => self.score(-ELO_AT_ONE * square(x), rng),
            _ => -square(x),
        };
        value + self.settings.number("noise") * rng.normal()
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
        let (name, dimensions) = (self.settings.choice("name"), self.settings.count("dimensions"));
        if name == "rosenbrock" && dimensions < 2 {
            let reason = format!("{dimensions}: {name} is made of pairs of neighbours; give at least 2");
            return Err(ExperimentError::value("function.dimensions", reason));
        }
        Ok(())
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        let dimension = |number: usize| Dimension {
            parameter: Parameter::real("", [-RANGE, RANGE], START, "").named(format!("x{number}")),
            gene: Gene::Free([-RANGE, RANGE]),
            is_bounded: true,
            rate: None,
        };
        let dimensions = (1..=self.settings.count("dimensions")).map(dimension).collect();
        Space::new(dimensions).map_err(|error| ExperimentError::value("function.dimensions", error))
    }

    fn breeds(&self) -> &'static str {
        "numbers of a test function"
    }

    fn subject(&self) -> String {
        self.settings.choice("name").to_owned()
    }

    fn compares(&self) -> bool {
        true
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let dimensions = self.settings.count("dimensions");
        vec![("function", format!("{} of {dimensions} numbers", self.settings.choice("name")))]
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        _lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let evaluate = |candidate: &Candidate| {
            let mut rng = rng.fork(&format!("trial {}", candidate.trial));
            let genome = &candidate.genome;
            Evaluation::new(match &candidate.rival {
                Some(rival) => self.advantage([genome, rival], &mut rng),
                None => self.value(genome, &mut rng),
            })
        };
        Ok(candidates.iter().map(evaluate).collect())
    }
}

#[cfg(test)]
mod tests {
    use gamete_optim::Value;

    use super::*;

    fn function(name: &str) -> Function {
        let mut settings = Settings::new(INFO.keys);
        settings.set("name", Value::Text(name.to_owned())).expect("a function");
        Function { settings }
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
