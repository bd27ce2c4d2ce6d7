//! Several optimisers on one objective.

use gamete_optim::OPTIMIZERS;

use super::results;
use crate::testing::TestLab;
use crate::{ExperimentView, LabView, Measure, RankedBy, Ranking, RunView};

const LEAGUE: &str = "objective = 'function'\ngenerations = 0\ngames = 250\nreplicates = 2\narms = 'optimizers'\n\
    function = { name = 'quadratic', dimensions = 3, pairs = 2 }\n";

/// What came of a study in a lab of its own.
fn view(text: &str, threads: usize) -> ExperimentView {
    let lab = TestLab::new();
    let text = format!("name = 'x'\nmethod = 'optimize'\n{text}");
    lab.run(&text, &gamete_arena::Local::new(threads).expect("threads")).expect("a result");
    LabView::new(&lab.store()).experiment("x").expect("a study")
}

#[test]
fn a_league_ranks_every_optimiser_with_the_same_games() {
    let view = view(LEAGUE, 1);
    let Ranking { by, arms } = view.ranking().expect("a ranking");
    assert_eq!((by, arms.len()), (RankedBy::Regret, OPTIMIZERS.len()));
    assert!(OPTIMIZERS.iter().all(|info| arms.iter().any(|arm| arm.arm == info.name)));
    assert!(arms.is_sorted_by(|one, two| one.value.mean <= two.value.mean), "{arms:?}");
    for arm in &arms {
        // A pair with a rival, two pairs without: none goes beyond the budget, or stops before it.
        assert!((248.0..=250.0).contains(&arm.games), "{arm:?}");
        assert_eq!(arm.value.runs.len(), 2);
        assert_eq!(arm.better_than_random.is_none(), arm.arm == "random");
    }
    // All begin with the same landscape of the replicate, and those that begin with one point where 40 Elo are lost.
    let spsa = view.arms.iter().find(|arm| arm.name == "spsa").expect("an arm");
    for run in &spsa.runs {
        let first = run.generations[0].measure(Measure::REGRET).expect("a regret").best;
        assert!((first - 40.0).abs() < 1e-9, "{first}");
    }
    let better = arms.iter().find(|arm| arm.arm == "spsa").and_then(|arm| arm.better_than_random.clone());
    let value = |name: &str| &arms.iter().find(|arm| arm.arm == name).expect("an arm").value.runs;
    let differences: Vec<f64> =
        value("random").iter().zip(value("spsa")).map(|(random, own)| random - own).collect();
    assert_eq!(better.expect("a difference").runs, differences);
}

#[test]
fn a_league_is_the_same_on_any_number_of_threads() {
    let digest = |threads| view(LEAGUE, threads).conclusion.expect("an end").digest;
    assert_eq!(digest(1), digest(2));
}

#[test]
fn champions_of_a_league_without_a_known_optimum_play() {
    let text = "generations = 0\ngames = 8\nmodel = 'chess/material'\nlimits = 'depth=1'\nmax_moves = 6\n\
        at_max_moves = 'material'\nmatch.pairs = 1\nplayoff = { pairs = 1, classical = 2 }\n\
        arms = [{ name = 'random', set = { optimizer = 'random' } }, { name = 'spsa', set = { optimizer = 'spsa' } }]\n";
    let Ranking { by, arms } = view(text, 2).ranking().expect("a ranking");
    assert_eq!((by, arms.len()), (RankedBy::Play, 2));
    let shares: f64 = arms.iter().map(|arm| arm.value.mean).sum();
    assert!((shares - 1.0).abs() < 1e-12, "{arms:?}");
    assert!(arms.iter().all(|arm| arm.elo_to_start.is_some() && arm.games == 8.0), "{arms:?}");
}

#[test]
fn replicates_have_landscapes_of_their_own_and_arms_share_them() {
    let first = |view: &ExperimentView| -> Vec<f64> {
        // Where a search from one point begins on a saturating landscape says which one it is.
        let start = |run: &RunView| run.generations[0].measure(Measure::REGRET).expect("a regret").best;
        view.runs().map(start).collect()
    };
    let text = "objective = 'function'\ngenerations = 1\nreplicates = 2\narms = [{ name = 'a', set = { optimizer = 'spsa' } }, \
        { name = 'b', set = { optimizer = 'nelder-mead' } }]\nfunction = { name = 'saturating', dimensions = 2, pairs = 1 }\n";
    let own = first(&view(text, 1));
    assert!(own[0] == own[2] && own[1] == own[3] && own[0] != own[1], "{own:?}");
    let one = first(&view(&text.replace("pairs = 1", "pairs = 1, landscape = 7"), 1));
    assert!(one.iter().all(|regret| *regret == one[0]), "{one:?}");
}

#[test]
fn whole_numbers_of_landscapes_are_whole() {
    for optimizer in ["spsa", "random", "nelder-mead"] {
        let text = format!(
            "objective = 'function'\noptimizer = '{optimizer}'\ngenerations = 0\ngames = 400\n\
             function = {{ name = 'quadratic', dimensions = 2, integers = true, pairs = 2 }}\n"
        );
        let (found, _) = results(&text, 1);
        assert!(found.champion.iter().all(|(_, x)| x.fract() == 0.0 && x.abs() <= 18.0), "{found:?}");
    }
}
