use gamete_lab::{Conclusion, Experiment, run_path};
use serde_json::{Value, json};

/// What came out of an experiment, with arms by their names and replicates numbered from 1, as in the names of runs.
pub fn conclusion_json(experiment: &Experiment, found: &Conclusion) -> Value {
    let arm = |arm: usize| experiment.head.arms.get(arm).map(|arm| arm.name.as_str());
    let mut object = json!(found);
    if !found.champions.is_empty() {
        let one = |one: &gamete_lab::RunChampion| {
            json!({
                "run": run_path(experiment, one.arm, one.replicate), "arm": arm(one.arm),
                "replicate": one.replicate + 1, "genome": one.genome,
            })
        };
        object["champions"] = found.champions.iter().map(one).collect();
    }
    if !found.playoffs.is_empty() {
        let one = |one: &gamete_lab::PlayoffMatch| json!({ "replicate": one.replicate + 1, "arms": one.arms.map(arm), "scores": one.scores });
        object["playoffs"] = found.playoffs.iter().map(one).collect();
    }
    if !found.classical.is_empty() {
        let one = |one: &gamete_lab::ClassicalMatch| {
            json!({
                "run": run_path(experiment, one.arm, one.replicate), "arm": arm(one.arm),
                "replicate": one.replicate + 1, "scores": one.scores,
            })
        };
        object["classical"] = found.classical.iter().map(one).collect();
    }
    object
}
