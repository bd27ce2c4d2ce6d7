//! Files and changes of pipelines that are accepted or refused before anything is run.

use super::*;

#[test]
fn what_cannot_be_is_refused_with_the_way_out() {
    let two = |second: &str| {
        error(&format!(
            "name = 'x'\npopulation = 4\n[[stages]]\nname = 'one'\n[[stages]]\nname = 'two'\n{second}\n"
        ))
    };
    assert_eq!(
        two("from = 'oen'"),
        "stages.two.from: \"oen\": no stage before this one has that name, but one; did you mean \"one\"?"
    );
    assert!(
        two("from = 'two'").starts_with("stages.two.from: \"two\": no stage before this one has that name")
    );
    for run in ["1", "2"] {
        assert_eq!(
            two(&format!("from = 'one/{run}'")),
            format!("stages.two.from: \"one/{run}\": stage one has one run only; leave out \"{run}\"")
        );
    }
    assert_eq!(
        two("take = 'champion'\nset = { model = 'chess/material' }"),
        "stages.two.take: \"champion\": stage one seeks pawn, knight, bishop, rook and 5 more of chess/kendall-whitwell, and this \
         one pawn, knight, bishop, rook and 1 more of chess/material; take = \"player\" keeps the values of that stage and \
         seeks others"
    );
    assert_eq!(
        two("take = 'player'"),
        "stages.two.take: \"player\": all weights and settings of one are kept, and nothing is sought; give ranges, as in \
         search.null_move_reduction = [1, 4]"
    );
    assert_eq!(
        two("take = 'player'\nset = { model = 'chess/material', weights = { pawn = [1, 2] } }"),
        "stages.two.set.model: \"chess/material\": the player of one has \"chess/kendall-whitwell\"; leave the key out"
    );
    assert!(two("take = 'nothing'").starts_with("stages.two.take: unknown variant `nothing`"));
    assert!(two("set = 3").starts_with("stages.two.set: invalid type: integer `3`"));
    assert!(two("sett = { }").starts_with("stages.two.sett: unknown field `sett`"));
    assert_eq!(
        two("set = { name = 'b' }"),
        "stages.two.set.name: the name of a stage stands outside of its set"
    );
    assert_eq!(two("set = { limits = 'deep' }").split(": ").next(), Some("stages.two.set.limits"));
    assert_eq!(two("set = { seed = 3 }"), "stages.two.set.seed: this is that of the pipeline");
    assert_eq!(
        two("set = { method = 'optimize' }"),
        "population: stage two has no such key; give it to the stages that have, in their set"
    );
    assert_eq!(two("[[stages]]\nname = 'one'"), "stages: two stages are called \"one\"");
    assert_eq!(
        error("name = 'x'\n[[stages]]\nname = 'a/b'"),
        "stages.1.name: \"a/b\": use letters, digits, `.`, `_` and `-`"
    );
    assert!(error("name = 'x'\nstages = []").starts_with("stages: []: give a list of stages"));
    assert!(
        error("name = 'x'\nreplicates = 2\n[[stages]]\nname = 'a'")
            .starts_with("replicates: give it to a stage")
    );
    assert!(
        error("name = 'x'\n[[stages]]\nname = 'a'\ntake = 'player'")
            .starts_with("stages.a.take: no stage is before the first")
    );
    let lab = TestLab::new();
    let nobody = "name = 'x'\nfrom = 'mine-1'\n[[stages]]\nname = 'a'\n";
    let error = run(&lab, nobody, &fake()).expect_err("nobody").to_string();
    assert!(error.starts_with("from: \"mine-1\": no experiment \"mine-1\" in this lab"), "{error}");
    assert_eq!(lab.store().experiments().expect("rows"), [], "nothing has begun");
}

#[test]
fn keys_are_changed_in_one_stage_or_where_they_stand() {
    let load = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        match Plan::load("weights-then-search", &changes, None) {
            Ok((Plan::Pipeline(pipeline), id)) => Ok((pipeline, id)),
            Ok(_) => panic!("a pipeline"),
            Err(error) => Err(error.to_string()),
        }
    };
    let (preset, id) = load(&[]).expect("a preset");
    assert_eq!(id, "weights-then-search-1");
    assert_eq!(preset.command().as_deref(), Some("gamete evolve weights-then-search"));
    let generations = |pipeline: &Pipeline| -> Vec<u32> {
        pipeline.drafts().iter().map(|draft| draft.head.budget.generations).collect()
    };
    let (both, _) = load(&["generations=2"]).expect("a pipeline");
    assert_eq!(generations(&both), [2, 2]);
    let (one, id) = load(&["stages.search.generations=3"]).expect("a pipeline");
    assert_eq!(generations(&one), [generations(&preset)[0], 3]);
    assert!(id.starts_with("weights-then-search-1-"), "{id}");
    assert_eq!(one.what_is_set(), ["stages.search.generations=3"]);
    assert_eq!(
        one.command().as_deref(),
        Some("gamete evolve weights-then-search --set stages.search.generations=3")
    );
    let (limits, _) = load(&["limits=nodes=50"]).expect("a pipeline");
    assert!(limits.drafts().iter().all(|draft| draft.text().contains("limits = \"nodes=50\"")));
    assert_eq!(
        load(&["stages.serach.generations=3"]).expect_err("an error"),
        "stages.serach: no stage has this name, but weights, search; did you mean \"search\"?"
    );
    let (with_set, same) = load(&["stages.search.set.generations=3"]).expect("a pipeline");
    assert_eq!((generations(&with_set), same), (generations(&one), id));
    assert_eq!(
        load(&["stages.search.name=other"]).expect_err("an error"),
        "stages.search.name: only the file says what stages are called"
    );
    assert!(load(&["stages.search=3"]).expect_err("an error").starts_with("stages.search: name a key"));
}

#[test]
fn the_mean_of_arms_that_seek_different_things_is_refused() {
    let with_arms = |second: &str| {
        format!(
            "name = 'x'\nmodel = 'chess/material'\npopulation = 4\n[[stages]]\nname = 'one'\n
             set = {{ arms = [{{ name = 'a' }}, {{ name = 'b', set = {{ weights = {{ pawn = 1000 }} }} }}] }}\n
             [[stages]]\nname = 'two'\n{second}\n"
        )
    };
    let sought = "set = { search = { null_move_reduction = [1, 4] } }";
    for second in ["take = 'champion'", &format!("take = 'player'\n{sought}")] {
        assert_eq!(
            error(&with_arms(second)),
            "stages.two.from: \"one\": the arms of the stage seek different things, and so have no mean; name one of them, \
             as in \"one/a\""
        );
    }
    let of_one = pipeline(&with_arms("from = 'one/b'\ntake = 'champion'"));
    assert_eq!(of_one.drafts()[1].genes(), ["knight", "bishop", "rook", "queen"]);
}

#[test]
fn another_model_of_a_preset_brings_its_own_ranges() {
    let changes = ["model=chess/kendall-whitwell".to_owned()];
    let Ok((Plan::Pipeline(pipeline), _)) = Plan::load("weights-then-search", &changes, None) else {
        panic!("a pipeline")
    };
    let weights = &pipeline.drafts()[0];
    let of_model = Experiment::from_table(&"name = 'x'".parse().expect("TOML")).expect("an experiment");
    assert_eq!(weights.method.table()["weights"], of_model.method.table()["weights"]);
    assert_eq!(
        pipeline.command().as_deref(),
        Some("gamete evolve weights-then-search --set 'model=\"chess/kendall-whitwell\"'")
    );
}

#[test]
fn weights_of_a_player_of_another_model_are_refused_with_the_way_out() {
    let error =
        |text: &str| Plan::from_table(&text.parse().expect("TOML")).expect_err("an error").to_string();
    let begin = "name = 'x'\nfrom = 'src-1'\ntake = 'player'\nweights.man = [1, 4]\n";
    for (text, key) in [
        (begin.to_owned(), "weights.man"),
        (
            begin.replace(
                "weights.man = [1, 4]\n",
                "[[stages]]\nname = 'a'\nset = { weights = { man = [1, 4] } }",
            ),
            "stages.a.set.weights.man",
        ),
    ] {
        let error = error(&text);
        assert!(error.starts_with(&format!("unknown key \"{key}\"; ")), "{error}");
        assert!(
            error
                .ends_with("; or name the model of the player of src-1, as in model = \"checkers/material\""),
            "{error}"
        );
    }
    Plan::from_table(&format!("model = 'checkers/material'\n{begin}").parse().expect("TOML"))
        .expect("an experiment");
}
