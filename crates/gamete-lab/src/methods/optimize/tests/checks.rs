//! What is refused.

use super::{experiment, experiment_of};

#[test]
fn what_cannot_be_is_refused_with_the_way_out() {
    let error = |text: &str| experiment(text).expect_err("an error");
    assert_eq!(error("optimizer = 'gaa'"), "optimizer: unknown optimizer \"gaa\"; did you mean \"ga\"?");
    assert!(error("optimizer = { population = 3 }").ends_with("; its settings are in a table of that name"));
    assert_eq!(
        error("objective = 'matches'"),
        "objective: unknown objective \"matches\"; did you mean \"match\"?"
    );
    assert_eq!(error("ga.popluation = 3"), "unknown key \"ga.popluation\"; did you mean \"ga.population\"?");
    assert_eq!(error("ga.population = 1"), "ga.population: 1: give a whole number from 2 to 100000");
    assert_eq!(error("ga = 3"), "ga: 3: give a table, as in ga.population = …");
    assert_eq!(error("ga.elite = 20"), "ga.elite: 20: give less than the population of 20");
    assert_eq!(
        error("search.null_move = [0.5, 1]"),
        "search.null_move: [0.5, 1]: give true or false, or a range of such values, at most [0, 1]"
    );
    assert_eq!(
        error("search.null_move_reduction = [1, 9]"),
        "search.null_move_reduction: [1, 9]: give a whole number from 0 to 7, or a range of such values, at most [0, 7]"
    );
    assert!(error("search.nul_move = [0, 1]").contains("did you mean \"search.null_move\"?"));
    assert!(error("search.null_move = 0.5").contains("null_move is 0.5, but must be true or false"));
    assert!(error("match.opponents = ['nobody']").starts_with("match.opponents: \"nobody\": "));
    assert!(error("match.opponents = ['checkers/material']").contains("name players of one game"));
    assert!(error("objective = 'function'\nmodel = 'chess/material'").starts_with("unknown key \"model\"; "));
    assert_eq!(error("population = 3"), "unknown key \"population\"; did you mean \"ga.population\"?");
    assert_eq!(
        error("optimizer = 'nelder-mead'\nvariant = 'stochastic'"),
        "unknown key \"variant\"; did you mean \"match.variant\" or \"nelder-mead.variant\"?"
    );
    assert_eq!(
        error("arms = [{ name = 'a', set = { 'ga.population' = 4 } }]"),
        "arms.a.set.\"ga.population\": write ga.population = … without quotes, which make one key of it"
    );
    assert_eq!(
        error("search.nonsense = 1"),
        "unknown key \"search.nonsense\"; `echo uci | gamete uci` lists all"
    );
    assert_eq!(
        error("model = 'chess/material'\nweights.nonsense = 1"),
        "unknown key \"weights.nonsense\"; there are pawn, knight, bishop, rook, queen"
    );
    assert_eq!(
        error("search.null_move_reduction = [false, true]"),
        "search.null_move_reduction: [false, true]: give a whole number from 0 to 7, or a range of such values, at most [0, 7]"
    );
    assert_eq!(
        error("search.null_move_reduction = [4, 1]"),
        "search.null_move_reduction: [4, 1]: the smaller number comes first, as in [1, 4]"
    );
    assert_eq!(error("weights.pawn = [0, 1e300]"), "weights.pawn: 1e300: give a number from -1e100 to 1e100");
    assert_eq!(
        error("objective = 'function'\nfunction = { name = 'rosenbrock', dimensions = 1 }"),
        "function.dimensions: 1: rosenbrock is made of pairs of neighbours; give at least 2"
    );
    assert_eq!(
        error("objective = 'function'\nfunction = { name = 'ridge', dimensions = 301 }"),
        "function.dimensions: 301: a landscape has at most 300"
    );
    assert_eq!(
        error("arms = 'optimisers'"),
        "arms: \"optimisers\": give a list of arms, or \"optimizers\" for one arm with each"
    );
}

#[test]
fn a_budget_that_cannot_be_reached_is_refused() {
    let endless = "objective = 'function'\ngenerations = 0\ngames = 50\n";
    assert_eq!(
        experiment(endless).expect_err("an error"),
        "games: 50: it plays no games, and so never ends; give generations or seconds"
    );
    for other in ["seconds = 1", "convergence = 0.1"] {
        experiment(&format!("{endless}{other}")).expect("something ends it");
    }
    for optimizer in ["spsa", "bspsa", "pairs", "clop"] {
        let text = format!("objective = 'function'\noptimizer = '{optimizer}'\nconvergence = 0.1\n");
        let error = experiment(&text).expect_err("one point");
        assert!(error.starts_with("convergence: 0.1: it begins with one point"), "{error}");
    }
    let warnings = |text: &str| experiment(text).expect("an experiment").warnings();
    let close = warnings("objective = 'function'\ngenerations = 0\nconvergence = 0.1");
    assert!(close[0].starts_with("convergence = 0.1: a population may never come so close"), "{close:?}");
    assert!(warnings("objective = 'function'\nconvergence = 0.1").is_empty());
    let games = |games: u32| {
        warnings(&format!(
            "objective = 'function'\nfunction = {{ name = 'quadratic', dimensions = 30 }}\noptimizer = 'de'\n\
             generations = 0\ngames = {games}\n"
        ))
    };
    let few = games(2000);
    assert!(
        few[0].starts_with("games = 2000: a generation of de has 200 points with 16 games each"),
        "{few:?}"
    );
    assert!(games(3200).is_empty());
}

#[test]
fn tables_of_others_are_for_arms_that_use_them() {
    let unread = |text: &str| experiment(text).expect_err("an error");
    assert_eq!(
        unread("function.name = 'elo'"),
        "function.name: nothing reads it; set objective = \"function\", or leave it out"
    );
    assert_eq!(
        unread("objective = 'function'\nes.step = 0.1"),
        "es.step: nothing reads it; set optimizer = \"es\", or leave it out"
    );
    let arms = "[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = { objective = 'function' }\n";
    let study = experiment(&format!("function.dimensions = 7\nmax_moves = 9\n{arms}")).expect("a study");
    assert_eq!(study.arm(1).expect("an arm").genes().len(), 7);
    assert!(!study.arm(1).expect("an arm").table().contains_key("max_moves"));
    assert_eq!(experiment_of(&study.text()).expect("the same"), study);
}
