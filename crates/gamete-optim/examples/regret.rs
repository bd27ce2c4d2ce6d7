//! How much Elo an optimiser leaves after so many pairs of games, on landscapes whose optimum is known.
//!
//!     cargo run --release -p gamete-optim --example regret -- OPTIMIZER FORM PARAMETERS LANDSCAPES PAIRS[,…] [GUESS[,…]] [KEY=VALUE…]
//!
//! A landscape has a start that loses 40 Elo, ranges of 6 either way, curvatures of which one in four is 0, axes that are turned a little, and an optimum
//! from 0.5 to 3 away in each parameter. In form Q the Elo is −q, the curvatures times the squared distance; in form S it levels off
//! at −60 and falls three times as fast on one side as on the other. A pair of games has 55 % draws. GUESS is the step that the optimiser is told, where 1 is
//! right. Who compares no points plays pairs against the start, `each=` so many for an evaluation. Landscapes are those after the first `skip=`. With
//! `verify=` the recommended point then plays so many pairs against the start, as at the end of `gamete tune`, and the start is kept unless the 95 % interval of
//! the score is above one half. Other keys are those of the optimiser.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gamete_optim::{Evaluation, Genome, OptimizerInfo, Problem, Rng, Settings, Value};
use gamete_stats::Sample;

/// How far ranges go to either side of the start.
const BOUND: f64 = 6.0;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Quadratic,
    Saturating,
}

struct Landscape {
    form: Form,
    curvatures: Vec<Vec<f64>>,
    optimum: Vec<f64>,
}

impl Landscape {
    fn new(form: Form, dimensions: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed).fork("landscape");
        let mut exponential = || -libm::log(1.0 - rng.uniform());
        let mut along: Vec<f64> = (0..dimensions).map(|_| exponential() + exponential()).collect();
        let mut order: Vec<usize> = (0..dimensions).collect();
        rng.shuffle(&mut order);
        order[..dimensions / 4].iter().for_each(|&flat| along[flat] = 0.0);
        let axes = axes(dimensions, &mut rng);
        let mut sign = || if rng.below(2) == 0 { -1.0 } else { 1.0 };
        let signs: Vec<f64> = (0..dimensions).map(|_| sign()).collect();
        let optimum: Vec<f64> = signs.iter().map(|sign| sign * (0.5 + 2.5 * rng.uniform())).collect();
        let entry = |i: usize, j: usize| {
            axes.iter().zip(&along).map(|(axis, along)| along * axis[i] * axis[j]).sum::<f64>()
        };
        let curvatures: Vec<Vec<f64>> =
            (0..dimensions).map(|i| (0..dimensions).map(|j| entry(i, j)).collect()).collect();
        let scale = 40.0 / quadratic(&curvatures, &optimum);
        let scaled = curvatures.into_iter().map(|row| row.into_iter().map(|x| scale * x).collect());
        Self { form, curvatures: scaled.collect(), optimum }
    }

    /// The Elo of a point of the unit cube.
    fn elo(&self, point: &[f64]) -> f64 {
        let from = point.iter().zip(&self.optimum).map(|(x, optimum)| BOUND * (2.0 * x - 1.0) - optimum);
        let from: Vec<f64> = from.collect();
        let q = quadratic(&self.curvatures, &from);
        match self.form {
            Form::Quadratic => -q,
            Form::Saturating => {
                let side = 1.0 + 0.5 * libm::tanh(from.iter().sum());
                -60.0 * (1.0 - libm::exp(-q * side / 60.0))
            }
        }
    }
}

fn quadratic(curvatures: &[Vec<f64>], x: &[f64]) -> f64 {
    let row = |row: &[f64]| row.iter().zip(x).map(|(entry, x)| entry * x).sum::<f64>();
    curvatures.iter().zip(x).map(|(entries, x)| x * row(entries)).sum()
}

/// Orthogonal axes near those of the parameters, by Gram and Schmidt.
fn axes(dimensions: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for place in 0..dimensions {
        let mut axis: Vec<f64> =
            (0..dimensions).map(|i| f64::from(u8::from(i == place)) + 0.25 * rng.normal()).collect();
        for other in &axes {
            let common: f64 = axis.iter().zip(other).map(|(x, y)| x * y).sum();
            axis.iter_mut().zip(other).for_each(|(x, y)| *x -= common * y);
        }
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        axis.iter_mut().for_each(|x| *x /= length);
        axes.push(axis);
    }
    axes
}

/// The wins less the losses of a pair of games, divided by 2.
fn play_pair(difference: f64, rng: &mut Rng) -> f64 {
    const DRAWS: f64 = 0.55;
    let expected = 1.0 / (1.0 + libm::pow(10.0, -difference / 400.0));
    let win = (expected - DRAWS / 2.0).clamp(0.0, 1.0);
    let mut game = || match rng.uniform() {
        draw if draw < win => 1.0,
        draw if draw < win + DRAWS => 0.0,
        _ => -1.0,
    };
    (game() + game()) / 2.0
}

/// What an optimiser is given.
struct Budget {
    pairs: u64,
    /// Pairs of an evaluation of a point.
    each: u64,
    /// Pairs against the start at the end.
    verify: u64,
}

/// What is still lost after the games.
#[derive(Clone, Copy, Default)]
struct Lost {
    at_start: f64,
    recommended: f64,
    /// At the start where the games at the end do not show the recommended point to be better.
    verified: f64,
}

/// Lets an optimiser search.
fn search(
    info: &OptimizerInfo,
    settings: &Settings,
    landscape: &Landscape,
    budget: &Budget,
    guess: f64,
    seed: u64,
) -> Lost {
    let &Budget { pairs, each, verify } = budget;
    let dimensions = landscape.optimum.len();
    let start: Genome = vec![0.5; dimensions];
    let problem = Problem {
        dimensions,
        default: start.clone(),
        step_guesses: vec![guess / (2.0 * BOUND); dimensions],
        trials: Some(pairs / each),
        games: 2 * each,
        games_alone: 2 * each,
        ..Problem::default()
    };
    let mut optimizer = (info.begin)(settings, problem, Rng::new(seed).fork("optimizer"));
    let mut rng = Rng::new(seed).fork("games");
    for _ in 0..pairs / each {
        let Some(trial) = optimizer.ask() else { break };
        let other = landscape.elo(trial.rival.as_ref().unwrap_or(&start));
        let difference = landscape.elo(&trial.point) - other;
        let advantage = (0..each).map(|_| play_pair(difference, &mut rng)).sum::<f64>() / each as f64;
        let fitness = if trial.rival.is_some() { advantage } else { (1.0 + advantage) / 2.0 };
        optimizer.tell(trial.number, Evaluation::Fitness(fitness));
    }
    optimizer.conclude();
    let best = optimizer.best().map_or_else(|| start.clone(), |best| best.point);
    let [at_start, recommended] = [&start, &best].map(|point| -landscape.elo(point));
    let mut rng = Rng::new(seed).fork("verification");
    let results = Sample::of((0..verify).map(|_| play_pair(at_start - recommended, &mut rng)));
    let is_better = results.interval().is_some_and(|interval| interval.low > 0.0);
    Lost { at_start, recommended, verified: if is_better { recommended } else { at_start } }
}

/// How much is lost, with its standard error, and how often more than at the start.
fn described(found: &[Lost], lost: fn(&Lost) -> f64) -> String {
    let count = found.len() as f64;
    let mean = found.iter().map(lost).sum::<f64>() / count;
    let variance = found.iter().map(|one| (lost(one) - mean).powi(2)).sum::<f64>() / count;
    let worse = found.iter().filter(|one| lost(one) > one.at_start).count();
    let error = (variance / count).sqrt();
    format!("{mean:.1} ± {error:.1} lost, {worse} of {count} worse than the start")
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (keys, words): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.contains('='));
    let [optimizer, form, dimensions, count, pairs, rest @ ..] = &words[..] else {
        eprintln!("give OPTIMIZER FORM PARAMETERS LANDSCAPES PAIRS[,…] [GUESS[,…]] [KEY=VALUE…]");
        std::process::exit(2);
    };
    let info = OptimizerInfo::find(optimizer).expect("an optimiser");
    let mut settings = Settings::new(info.keys);
    let (mut each, mut skip, mut verify) = (1, 0, 0);
    for (name, value) in keys.iter().filter_map(|word| word.split_once('=')) {
        match (name, value.parse()) {
            ("each", number) => each = number.expect("a number") as u64,
            ("skip", number) => skip = number.expect("a number") as u64,
            ("verify", number) => verify = number.expect("a number") as u64,
            (name, Ok(number)) => settings.set(name, Value::Number(number)).expect("a value of the key"),
            (name, Err(_)) => settings.set(name, Value::Text(value.to_owned())).expect("a value of the key"),
        }
    }
    let form = if form.as_str() == "Q" { Form::Quadratic } else { Form::Saturating };
    let (dimensions, count): (usize, usize) =
        (dimensions.parse().expect("parameters"), count.parse().expect("landscapes"));
    let numbers = |text: &str| -> Vec<f64> {
        text.split(',').map(|number| number.parse().expect("a number")).collect()
    };
    let guesses = rest.first().map_or_else(|| vec![1.0], |text| numbers(text));
    for pairs in numbers(pairs) {
        let budget = Budget { pairs: pairs as u64, each, verify };
        for &guess in &guesses {
            let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![Lost::default(); count]));
            let work = || {
                while let Some(place) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&place| place < count)
                {
                    let number = skip + place as u64;
                    let landscape = Landscape::new(form, dimensions, 100 + number);
                    let lost = search(info, &settings, &landscape, &budget, guess, 7000 + number);
                    found.lock().expect("no panic")[place] = lost;
                }
            };
            std::thread::scope(|scope| {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                (0..threads).for_each(|_| {
                    scope.spawn(work);
                });
            });
            let found = found.into_inner().expect("no panic");
            println!(
                "{optimizer}, {}, {dimensions} parameters, {pairs} pairs, guess {guess}: {}",
                words[1],
                described(&found, |lost| lost.recommended),
            );
            if verify > 0 {
                println!("  with {verify} pairs to verify: {}", described(&found, |lost| lost.verified));
            }
        }
    }
}
