use gamete_lab::{Conclusion, Experiment, leaf_path};
use serde_json::{Value, json};

/// What came out of an experiment, with arms by their names and replicates numbered from 1, as in the names of runs.
pub fn conclusion_json(experiment: &Experiment, found: &Conclusion) -> Value {
    let arm = |arm: usize| experiment.head.arms.get(arm).map(|arm| arm.name.as_str());
    let mut object = json!(found);
    if !found.champions.is_empty() {
        let one = |one: &gamete_lab::RunChampion| {
            json!({
                "run": leaf_path(experiment, one.arm, one.replicate), "arm": arm(one.arm),
                "replicate": one.replicate + 1, "genome": one.genome,
            })
        };
        object["champions"] = found.champions.iter().map(one).collect();
    }
    if !found.meetings.is_empty() {
        let one = |one: &gamete_lab::Meeting| json!({ "replicate": one.replicate + 1, "arms": one.arms.map(arm), "scores": one.scores });
        object["meetings"] = found.meetings.iter().map(one).collect();
    }
    if !found.yardsticks.is_empty() {
        let one = |one: &gamete_lab::Yardstick| {
            json!({
                "run": leaf_path(experiment, one.arm, one.replicate), "arm": arm(one.arm),
                "replicate": one.replicate + 1, "scores": one.scores,
            })
        };
        object["yardsticks"] = found.yardsticks.iter().map(one).collect();
    }
    object
}
