//! What stages and experiments keep of the one that they begin with, besides what they seek.

use super::*;

/// Weights; the search of that player; the same settings of the search by another method.
const THREE_STAGES: &str = "name = 'three'\nmodel = 'chess/material'\n
    [[stages]]\nname = 'weights'\nset = { population = 4, generations = 2 }\n
    [[stages]]\nname = 'search'\ntake = 'player'\nset = { method = 'optimize', generations = 1, ga = { population = 3 }, \
        match = { pairs = 1 }, search = { aspiration = 33, null_move_reduction = [1, 4] } }\n
    [[stages]]\nname = 'refine'\n\
    set = { method = 'quick-tournament', population = 3, generations = 1, search = { null_move_reduction = [1, 4] } }\n";

fn player(lab: &TestLab, name: &str) -> gamete_arena::Player {
    Bred::find(&lab.store(), name).unwrap_or_else(|error| panic!("{error}")).player
}

#[test]
fn a_stage_behind_one_with_a_player_keeps_that_player() {
    for take in ["population", "champion"] {
        let lab = TestLab::new();
        let text = THREE_STAGES.replace("'refine'", &format!("'refine'\ntake = '{take}'"));
        let found = run(&lab, &text, &fake()).expect("a run to its end").conclusion;
        let [weights, search, refine] =
            ["weights", "search", "refine"].map(|stage| player(&lab, &format!("x-1/{stage}")));
        assert_eq!(search.weights(), weights.weights());
        assert_eq!(refine.weights(), weights.weights(), "{take}");
        assert_eq!(refine.search.aspiration, 33, "{take}");
        assert_eq!(run(&lab, &text, &dying(0)).expect("a finished run").conclusion, found);
    }
    let printed = pipeline(THREE_STAGES).annotated_text();
    let (_, refine) = printed.split_once("# Stage refine").expect("the last stage");
    assert!(refine.contains("null_move_reduction = [1") && !refine.contains("pawn = "), "{refine}");
}

#[test]
fn a_stage_keeps_the_player_that_the_pipeline_begins_with() {
    let lab = TestLab::new();
    lab.run("name = 'mine'\nmodel = 'chess/material'\npopulation = 4\ngenerations = 2\n", &fake())
        .expect("a run");
    let text = "name = 'two'\nmodel = 'chess/material'\nfrom = 'mine'\ntake = 'player'\npopulation = 3\ngenerations = 1\n
        search = { null_move_reduction = [1, 4] }\n[[stages]]\nname = 'one'\n[[stages]]\nname = 'two'\n";
    let found = run(&lab, text, &fake()).expect("a run to its end").conclusion;
    let mine = player(&lab, "mine");
    for stage in ["one", "two"] {
        assert_eq!(player(&lab, &format!("x-1/{stage}")).weights(), mine.weights(), "{stage}");
    }
    lab.store().delete("mine").expect("an experiment");
    assert_eq!(run(&lab, text, &dying(0)).expect("a finished run").conclusion, found);
}

#[test]
fn lines_of_a_file_come_before_what_is_kept() {
    let text = THREE_STAGES
        .replace("population = 3, ", "population = 3, weights = { pawn = 1234 }, preset = 'paper', ");
    let lab = TestLab::new();
    run(&lab, &text, &fake()).expect("a run to its end");
    let [weights, refine] = ["x-1/weights", "x-1/refine"].map(|stage| player(&lab, stage));
    assert_eq!(refine.weights()[0], 1234.0);
    assert_eq!(refine.weights()[1..], weights.weights()[1..]);
}
